"""Adding is cheap: what CONTRIBUTING.md says is done in a copy of the project, to the letter, and is all it takes.

What comes of it is looked at by tests/added.py, which runs in the copy.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from test_text import unused

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = ("en", "ko")
ADDITIONS = {
    "mask rule": ["attention_core/masks.py", "pages/text/*/common.md"],
    "export format": ["attention_core/export.py", "pages/text/*/common.md"],
    "control": ["pages/ui/lessons/limits.py", "pages/ui/lessons/limits.py", "pages/text/*/limits.md"],
    "lesson": ["pages/ui/lessons/name.py", "pages/09_name.py", "pages/text/*/name.md"],
}


class Block(NamedTuple):
    """Lines that CONTRIBUTING.md shows, and where it says that they go."""

    file: str
    place: str  #: a table or function of the file at whose end they stand; "" if they are a file of their own, or words
    lines: list[str]


def blocks(contributing: str, what: str) -> list[Block]:
    """The blocks of one addition. Of the text before each the last file that is named counts, and the place in it."""
    section = re.search(rf"^### Add an? {what}\n(.*?)(?=^##|\Z)", outside_fences(contributing), re.M | re.S)
    assert section, what
    found = re.findall(r"(.*?)^```\w+\n(.*?)^```$", contributing[slice(*section.span(1))], re.M | re.S)
    return [Block(*where(before), body.splitlines()) for before, body in found]


def outside_fences(text: str) -> str:
    """The text with every # inside a fenced block made harmless, each character at its place."""
    return re.sub(r"^```.*?^```$", lambda fence: fence[0].replace("#", "-"), text, flags=re.M | re.S)


def where(before: str) -> tuple[str, str]:
    """The file that a text names last before a block (a code of modules to read comes after it), and the place."""
    text = " ".join(before.split())
    place = re.search(r"(?:end of|in) `(\w+)` in `([\w/]+\.py)`", text)
    if place:
        return place[2], place[1]
    return re.search(r"`([\w/*]+/[\w*]+\.(?:py|md))`", text)[1], ""


def follow(project: Path, block: Block) -> None:
    """Do in a project what a block says."""
    if block.file.endswith(".md"):
        for language in LANGUAGES:
            path = project / block.file.replace("*", language)
            before = f"{path.read_text(encoding='utf-8').rstrip()}\n\n" if path.exists() else ""
            path.write_text(before + in_language(language, block.lines), encoding="utf-8")
        return
    path = project / block.file
    if not block.place:
        assert not path.exists()
        path.write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        return
    lines = path.read_text(encoding="utf-8").splitlines()
    at, indent = line_of(lines, block.place)
    lines[at:at] = [f"{' ' * indent}{line}" for line in block.lines]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def in_language(language: str, lines: list[str]) -> str:
    """The sections of a block; in Korean with other words under the same keys."""
    words = [f"우리말 {line}" if language == "ko" and line and not line.startswith("#") else line for line in lines]
    return "\n".join(words) + "\n"


def line_of(lines: list[str], place: str) -> tuple[int, int]:
    """Before which line more can stand in a table (its last) or a function (its first statement), and how far in."""
    for node in ast.parse("\n".join(lines)).body:
        if isinstance(node, ast.FunctionDef) and node.name == place:
            return node.body[1].lineno - 1, 4  # after what it says about itself
        if isinstance(node, ast.Assign) and node.targets[0].id == place:
            # of a page the tuple of its fields is the table
            table = node.value.args[1] if isinstance(node.value, ast.Call) else node.value
            closing = lines[table.end_lineno - 1]
            return table.end_lineno - 1, len(closing) - len(closing.lstrip()) + 4
    raise AssertionError(f"no {place}")


@pytest.fixture(params=ADDITIONS)
def addition(request) -> str:
    return request.param


@pytest.fixture
def contributing() -> str:
    return (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_an_addition_is_as_few_edits_as_promised(contributing, addition):
    found = blocks(contributing, addition)
    assert [block.file for block in found] == ADDITIONS[addition]
    if addition in ("mask rule", "export format"):  # one entry
        assert len(ast.parse("{" + "\n".join(found[0].lines) + "}").body[0].value.keys) == 1
    if addition == "control":  # a field and a line for each
        assert len(found[0].lines) == len(found[1].lines) == 3
        assert all(line.startswith("Field(") for line in found[0].lines)


def test_an_addition_made_by_the_steps_is_all_there(contributing, addition, tmp_path):
    project = tmp_path / "project"
    left_out = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", "goldens", "fixtures")
    shutil.copytree(ROOT, project, ignore=left_out)
    for block in blocks(contributing, addition):
        follow(project, block)
    keys = {line[3:] for block in blocks(contributing, addition) for line in block.lines if line.startswith("## ")}
    assert keys
    assert not unused(keys, [path.read_text(encoding="utf-8") for path in (project / "pages").rglob("*.py")])
    done = looked_at(project, f"test_the_{addition.replace(' ', '_')} or {WALKS}")
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-1000:]
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 20


#: The tests that walk through the words, and through what a lesson and the core may know of.
WALKS = "every_lesson or both_languages or no_section or korean_is or every_reason or each_floor and lessons or no_word"


def looked_at(project: Path, which: str) -> subprocess.CompletedProcess:
    """These of the looks and walks, run in a project."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", which,
         "tests/added.py", "tests/test_text.py", "tests/test_boundaries.py"],
        cwd=project, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": ""},
    )  # fmt: skip


def test_a_project_without_the_additions_is_noticed():
    done = looked_at(ROOT, "test_the_mask_rule or test_the_export_format or test_the_control or test_the_lesson")
    assert re.search(r"^4 failed", done.stdout, re.M), done.stdout[-3000:]


TEXT = """## Add something

### Add a mask rule

One entry at the end of `RULES` in `a/b.py`; see `c/d.py`.

```python
"x": 1,
```

Words in `pages/text/*/common.md`, as `rule_x`.

```markdown
## rule_x
x
```

### Add a lesson
"""


def test_the_blocks_and_their_places_are_read_from_the_text():
    assert blocks(TEXT, "mask rule") == [
        Block("a/b.py", "RULES", ['"x": 1,']),
        Block("pages/text/*/common.md", "", ["## rule_x", "x"]),
    ]
    assert blocks(TEXT, "lesson") == []


@pytest.mark.parametrize(
    ("source", "place", "at"),
    [
        ("A = {\n    1: 2,\n}\nRULES = {\n    3: 4,\n}", "RULES", (5, 4)),
        ('PAGE = Page(\n    "x",\n    (\n        Field("y"),\n    ),\n    start,\n)', "PAGE", (4, 8)),
        ('def f():\n    """Says."""\n    pass', "f", (2, 4)),
    ],
)
def test_the_place_of_more_lines_is_found(source, place, at):
    assert line_of(source.splitlines(), place) == at
