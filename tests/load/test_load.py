"""The load script works, and notices what goes wrong."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("thirty_clients.py")
SMALL = ["--clients", "2", "--seconds", "2", "--page", "", "--entry", "tests/load/small_app.py"]


def run(widget: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, SCRIPT, *SMALL, "--widget", widget], capture_output=True, text=True, timeout=120
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("widget", ["row", "size"])
def test_two_visitors_are_served(widget):
    status, said = run(widget)
    assert status == 0, said
    assert "errors     0" in said
    assert "runs       4 in" in said


@pytest.mark.parametrize(
    ("widget", "complaint"),
    [
        ("nowhere", "the page has no widget with the key 'nowhere'"),
        ("broken", "ValueError: broken on purpose"),
    ],
)
def test_what_goes_wrong_is_counted_and_shown(widget, complaint):
    status, said = run(widget)
    assert status == 1
    assert complaint in said
