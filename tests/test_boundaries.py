"""Who may import whom, so that the core stays a small library and a page stays a story.

attention_core -> numpy, and no private name of another module; of pages/ui each floor imports those below it;
nobody imports a page. Each check is also shown what breaks the rule.
"""

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import attention_core

ROOT = Path(__file__).resolve().parent.parent
MODULES = [
    "attention_core",
    *sorted(found.name for found in pkgutil.walk_packages(attention_core.__path__, "attention_core.")),
]
#: The floors of pages/ui, from the top to the bottom, with what each may import besides the floors below it and the
#: standard library. Two that stand beside each other know nothing of each other.
FLOORS = {
    "lessons": {"streamlit", "numpy", "pandas", "attention_core"},
    "exercises": {"streamlit", "numpy", "attention_core"},
    "frame": {"streamlit", "attention_core"},
    "widgets": {"streamlit", "numpy", "pandas", "plotly", "attention_core"},
    "state": {"streamlit", "numpy", "attention_core"},
    "pictures": {"numpy"},
}
BELOW = {"state": set(), "pictures": set()}  # of these two; of any other, all floors after it
SKIP = {".git", ".venv", "venv", "build", "node_modules"}


def imports(source: str) -> set[str]:
    """Every module that a source text imports, by its full name; dots first if relative.

    A name that is handed to import_module, __import__, run_module or run_path counts too.
    """
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            names |= {f"{module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if called in ("import_module", "__import__", "run_module", "run_path"):
                names |= {part.value for part in ast.walk(node) if isinstance(part, ast.Constant)}
    return {name for name in names if isinstance(name, str)}


def intruders(source: str, allowed: set[str]) -> set[str]:
    """What a source text imports although it is neither allowed nor in the standard library."""
    return {
        name
        for name in imports(source)
        if name.split(".")[0] not in allowed and name.split(".")[0] not in sys.stdlib_module_names
    }


def imported_pages(source: str) -> set[str]:
    """The pages that a source text imports: what stands in pages/ itself or begins with two digits."""
    return {
        name for name in imports(source) if re.match(r"pages\.(?!ui\b)", name) or re.search(r"(^|[./\\])\d\d_\w+", name)
    }


def loaded_by(statements: str) -> set[str]:
    """The top-level modules that a fresh Python holds after these statements, as it did not before."""
    code = f"import sys\nbefore = set(sys.modules)\n{statements}\nprint(*(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )
    return {name.split(".")[0] for name in done.stdout.split()}


def test_the_core_loads_nothing_but_numpy():
    loaded = loaded_by("\n".join(f"import {module}" for module in MODULES))
    assert {"attention_core", "numpy"} <= loaded
    assert not loaded & {"streamlit", "plotly", "pandas", "pages", "torch", "tests"}
    strangers = {name for name in loaded if not name.startswith("_")} - sys.stdlib_module_names
    assert strangers == {"attention_core", "numpy"}


def test_the_check_of_loaded_modules_would_see_pandas():
    assert "pandas" in loaded_by("import attention_core, pandas")


def trespasses(source: str, floor: str) -> set[str]:
    """What a module on this floor imports although it may not."""
    floors = list(FLOORS)
    below = BELOW.get(floor, set(floors[floors.index(floor) + 1 :])) | {floor}
    own = ("pages.ui.text.", *(f"pages.ui.{name}." for name in below), *(f"pages.ui.{name}" for name in below))
    if floor == "pictures":
        own = own[1:]
    return {name for name in intruders(source, FLOORS[floor]) if not name.startswith(own)}


@pytest.mark.parametrize("floor", FLOORS)
def test_each_floor_imports_only_those_below_it(floor):
    files = sorted((ROOT / "pages" / "ui" / floor).glob("*.py"))
    assert len(files) > 2
    found = {file.name: trespasses(file.read_text(encoding="utf-8"), floor) for file in files}
    assert {name: names for name, names in found.items() if names} == {}


def test_nothing_but_words_stands_beside_the_floors():
    assert {path.name for path in (ROOT / "pages" / "ui").glob("*.py")} == {"__init__.py", "text.py"}
    assert not intruders((ROOT / "pages" / "ui" / "text.py").read_text(encoding="utf-8"), {"attention_core"})


@pytest.mark.parametrize(
    ("floor", "line", "found"),
    [
        ("pictures", "from pages.ui.text import as_markdown", "pages.ui.text.as_markdown"),
        ("pictures", "import streamlit as st", "streamlit"),
        ("pictures", "from pages.ui.state.fields import Field", "pages.ui.state.fields.Field"),
        ("state", "from pages.ui.widgets.lesson import Lesson", "pages.ui.widgets.lesson.Lesson"),
        ("state", "from pages.ui.pictures import bars", "pages.ui.pictures.bars"),
        ("widgets", "from pages.ui.frame import shell", "pages.ui.frame.shell"),
        ("frame", "from pages.ui.exercises import challenges", "pages.ui.exercises.challenges"),
        ("exercises", "def f():\n    from pages.ui.lessons import masks", "pages.ui.lessons.masks"),
    ],
)
def test_a_planted_way_up_is_found(floor, line, found):
    assert trespasses(f"import json\n{line}\n", floor) == {found}


#: The optional real model, imported inside one function and only when a visitor asks for it.
OPTIONAL = {"minilm.py": {"safetensors", "tokenizers"}}


def test_no_file_of_the_core_even_names_another_library():
    for file in (ROOT / "attention_core").rglob("*.py"):
        allowed = {"numpy", "attention_core"} | OPTIONAL.get(file.name, set())
        foreign = intruders(file.read_text(encoding="utf-8"), allowed)
        assert {name for name in foreign if not name.startswith(".")} == set(), file.name


#: What the core must not know of: the app around it, whoever looks at it, and what it was made after.
WORDS_OF_THE_APP = re.compile(r"\b(apps?|visitors?|lessons?|articles? \d|the articles?|learners?|on screen)\b", re.I)


def words_of_the_app(source: str) -> list[str]:
    """The lines of a source text that speak of the app."""
    return [line.strip() for line in source.splitlines() if WORDS_OF_THE_APP.search(line)]


def test_the_core_has_no_word_about_the_app():
    # in the grammar an article is a word
    files = [file for file in (ROOT / "attention_core").rglob("*.py") if file.name != "grammar.py"]
    assert ROOT / "attention_core" / "examples.py" in files
    found = {file.name: words_of_the_app(file.read_text(encoding="utf-8")) for file in files}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize("line", ["# the App's own mask", "x = 1  #: as visitors see it", "# Article 3: q = (1, 0)"])
def test_a_planted_word_about_the_app_is_found(line):
    assert words_of_the_app(f"happy = 'particles apply'\n{line}\n") == [line]


def private_imports(source: str) -> set[str]:
    """The private names of other modules that a source text imports, or reaches through a module it imports."""
    tree = ast.parse(source)
    named = {name for name in imports(source) if re.search(r"(^|\.)_[a-z]\w*$", name, re.IGNORECASE)}
    modules = {
        alias.asname or alias.name.split(".")[-1]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    return named | {
        f"{node.value.id}.{node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in modules
        and re.match(r"_[a-z]", node.attr, re.IGNORECASE)
    }


def test_no_module_of_the_core_uses_a_private_name_of_another():
    files = list((ROOT / "attention_core").rglob("*.py"))
    assert ROOT / "attention_core" / "checks.py" in files
    found = {file.name: private_imports(file.read_text(encoding="utf-8")) for file in files}
    assert {name: names for name, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("from .attention import _matrix, softmax", ".attention._matrix"),
        ("def f():\n    from attention_core.attention import _LOWEST as lowest", "attention_core.attention._LOWEST"),
        ("from . import attention\nattention._matrix('Q', q)", "attention._matrix"),
        ("import attention_core.scaling as s\ns._grow()", "s._grow"),
    ],
)
def test_a_planted_use_of_a_private_name_is_found(line, found):
    assert private_imports(f"from __future__ import annotations\n{line}\n") == {found}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("import streamlit as st", "streamlit"),
        ("from plotly import graph_objects", "plotly.graph_objects"),
        ("def f():\n    import pandas", "pandas"),
        ("from .shell import open_lesson", ".shell.open_lesson"),
        ("from . import shell", "..shell"),
        ("import importlib\nimportlib.import_module('streamlit')", "streamlit"),
        ("from attention_core import masks", "attention_core.masks"),
    ],
)
def test_a_planted_import_is_found(line, found):
    assert intruders(f"import json\n{line}\n", {"numpy"}) == {found}


def python_files():
    return [path for path in ROOT.rglob("*.py") if not SKIP & set(path.relative_to(ROOT).parts)]


def test_nobody_imports_a_page():
    files = python_files()
    assert ROOT / "attention_core" / "attention.py" in files
    importers = {str(path): imported_pages(path.read_text(encoding="utf-8")) for path in files}
    assert {path: pages for path, pages in importers.items() if pages} == {}


@pytest.mark.parametrize(
    "line",
    [
        "from pages import lesson",
        "import pages.lesson",
        "import importlib\nimportlib.import_module('pages.' + '01_by_hand')",
        "import runpy\nrunpy.run_path('pages/01_by_hand.py')",
    ],
)
def test_a_planted_import_of_a_page_is_found(line):
    assert imported_pages(line)


def test_importing_the_shared_parts_of_pages_is_no_import_of_a_page():
    assert not imported_pages("from pages.ui import figures\nfrom pages.ui.text import load\nimport pages.ui\n")


MOST_LINES, MOST_PARAMETERS = 400, 6
#: What is longer on purpose: PyTorch's signature; the formula's own letters.
LONGER = {"trace_attention", "attention_steps"}


def too_long(name: str, source: str) -> list[str]:
    """The module itself if it has too many lines, and its functions that have too many parameters."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    wide = [f.name for f in functions if len(f.args.posonlyargs + f.args.args + f.args.kwonlyargs) > MOST_PARAMETERS]
    return [name] * (source.count("\n") > MOST_LINES) + wide


def test_modules_and_signatures_of_the_core_are_short():
    found = [
        name
        for file in (ROOT / "attention_core").rglob("*.py")
        for name in too_long(file.name, file.read_text(encoding="utf-8"))
    ]
    assert set(found) == LONGER


def test_a_planted_long_module_and_signature_are_found():
    assert too_long("long.py", "def f(a, b, c, d, *, e, g, h): pass\n" + "x = 1\n" * 400) == ["long.py", "f"]
    assert too_long("short.py", "def f(a, b, c, d, *, e, g, **more): pass\n" + "x = 1\n" * 399) == []


def undocumented(module) -> list[str]:
    """The public functions, classes and methods of a module that say nothing about themselves."""
    missing = [] if module.__doc__ else [module.__name__]
    for name, thing in vars(module).items():
        if name.startswith("_") or getattr(thing, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(thing):
            own = {f"{name}.{part}": value for part, value in vars(thing).items() if not part.startswith("_")}
            members = {n: v for n, v in own.items() if inspect.isfunction(v) or isinstance(v, property)}
            # a dataclass without a docstring gets its signature as one
            if not thing.__doc__ or thing.__doc__.startswith(f"{name}("):
                missing.append(name)
            missing += [n for n, value in members.items() if not value.__doc__]
        elif inspect.isfunction(thing) and not thing.__doc__:
            missing.append(name)
    return missing


@pytest.mark.parametrize("module", MODULES)
def test_everything_public_in_the_core_says_what_it_is(module):
    assert undocumented(importlib.import_module(module)) == []


def test_a_planted_silent_function_is_found():
    silent = type(sys)("silent")
    data_class = "from dataclasses import dataclass\n@dataclass\nclass C:\n    x: int\n    def m(self): pass\n"
    exec(f"def f(): pass\n{data_class}", vars(silent))
    assert undocumented(silent) == ["silent", "f", "C", "C.m"]
