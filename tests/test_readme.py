"""What README and CONTRIBUTING tell a stranger to do works as it is written."""

import re
import shlex
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
