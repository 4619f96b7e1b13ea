"""What README and CONTRIBUTING tell a stranger to do works as it is written."""

import re
import shlex
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md")}
TOOLS = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("bench", "load")
    for path in (ROOT / "tests" / folder).glob("*.py")
    if '__name__ == "__main__"' in path.read_text(encoding="utf-8")
)


def blocks(language: str) -> list[str]:
    """The fenced blocks of this language ("" for shell lines) in both files, without their indentation."""
    fence = re.compile(r"^( *)```(\w*)\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
    found = [match for text in TEXTS.values() for match in fence.findall(text)]
    return [
        "\n".join(line.removeprefix(i) for line in body.splitlines()) for i, named, body in found if named == language
    ]


def commands() -> list[list[str]]:
    """Every single command of the shell lines."""
    lines = [line.split("  #")[0] for block in blocks("") for line in block.splitlines()]
    return [shlex.split(part) for line in lines for part in line.split("&&") if part.strip()]


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_a_command_names_what_is_there(command):
    while "=" in command[0]:  # OPENBLAS_NUM_THREADS=1 ...
        command = command[1:]
    program = command[0].removeprefix(".venv/bin/")
    assert program in ("python3", "python", "pip", "streamlit", "ruff")
    for before, word in pairwise(command):
        if before in ("-r", "run", "--ignore") or word.startswith("tests"):
            assert (ROOT / word).exists(), word


def test_the_commands_are_found_at_all():
    assert len(commands()) >= 8
    assert any("pytest" in command for command in commands())


def test_the_program_in_the_readme_runs():
    program = next(block for block in blocks("python") if "trace_attention" in block)
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_tool_that_the_readme_names_is_there():
    named = {name for text in TEXTS.values() for name in re.findall(r"tests/\w+/\w+\.py", text)}
    assert named
    assert named <= set(TOOLS)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_starts_from_the_projects_root_without_more(tool):
    """As `python tests/bench/bench_core.py` starts it: with its own folder, not the root, on the path."""
    start = f"import runpy, sys; sys.path[0] = {str(Path(tool).parent)!r}; runpy.run_path({tool!r}, run_name='tool')"
    done = subprocess.run([sys.executable, "-c", start], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


LOOK = """
from streamlit.testing.v1 import AppTest
for page in ("", "pages/08_limits.py", "pages/09_name.py"):
    for language in ("en", "ko"):
        at = AppTest.from_file("app.py", default_timeout=60)
        if page:
            at.switch_page(page)
        at.query_params["lang"] = language
        at.run()
        assert not at.exception, (page, at.exception[0].message)
        assert any("Nine" in link.proto.label for link in at.get("page_link")), page
        assert page or any("You can nine." in text.value for text in at.caption)
print("opened")
"""


def test_a_lesson_added_by_the_readmes_steps_is_in_the_menu_and_at_home(tmp_path):
    copy = tmp_path / "project"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "tests", "__pycache__"))
    program = next(block for block in blocks("python") if "open_lesson" in block)
    (copy / "pages" / "09_name.py").write_text(program, encoding="utf-8")
    for language in ("en", "ko"):
        words = "## title\nNine\n\n## menu\n9 · Nine\n\n## after\nYou can nine.\n\n## question\nWhat is nine?\n"
        (copy / "pages" / "text" / language / "name.md").write_text(words, encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", LOOK], cwd=copy, capture_output=True, text=True)
    assert "opened" in done.stdout, done.stderr[-3000:]


NEW_RULE = """
from pages.ui.inputs import RULES
from streamlit.testing.v1 import AppTest
assert "blocks" in RULES
for prefix, page in (("matrix_lab", "pages/02_matrix_lab.py"), ("masks", "pages/04_masks.py")):
    for language in ("en", "ko"):
        at = AppTest.from_file("app.py", default_timeout=60)
        at.switch_page(page)
        asked = {"lang": language, "rule": "blocks", "size": "2", "overlap": "no"}
        for name, text in asked.items():
            at.query_params[name] = text
        at.run()
        assert not at.exception, (page, at.exception[0].message)
        assert not at.warning, at.warning[0].value
        allowed = at.session_state[f"{prefix}_scene"].trace.allowed
        assert allowed.tolist() == [[True, True, False], [True, True, False], [False, False, True]]
        assert any(box.label == "words of size" for box in at.text_input)
print("built")
"""
ENTRY = """RULES["blocks"] = Rule(
    {"size": Number(1, lambda n_query, n_key: n_key, 2), "overlap": Choice(("no", "yes"))},
    lambda n, m, size, overlap: np.arange(n)[:, None] // size == np.arange(m) // size,
)
"""


def test_a_mask_rule_is_one_entry_and_its_words(tmp_path):
    """As CONTRIBUTING says, in a copy: nothing else is touched, and both pages draw it from a link."""
    copy = tmp_path / "project"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "tests", "__pycache__"))
    for path, more in (
        ("attention_core/masks.py", f"\n\n{ENTRY}"),
        *(
            (f"pages/text/{language}/common.md", "".join(f"\n## {key}\nwords of {key[5:]}\n" for key in NEW_WORDS))
            for language in ("en", "ko")
        ),
    ):
        with (copy / path).open("a", encoding="utf-8") as file:
            file.write(more)
    done = subprocess.run([sys.executable, "-c", NEW_RULE], cwd=copy, capture_output=True, text=True)
    assert "built" in done.stdout, done.stderr[-3000:]


NEW_WORDS = ("rule_blocks", "mask_size", "mask_overlap", "mask_overlap_no", "mask_overlap_yes")
