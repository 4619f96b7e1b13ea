"""What all tests share: property tests without a wall-clock limit, because the machines are shared, and `--full`.

In CI their examples are the same for the same code, so that a change is judged by what it changes; everywhere else
each run looks at other ones. `pytest --full` goes through all of what a run otherwise takes samples of.
"""

import os

import pytest
from hypothesis import settings

settings.register_profile("shared_machine", deadline=None, max_examples=60, derandomize="CI" in os.environ)
settings.load_profile("shared_machine")


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="long sweeps whole, not samples of them")


@pytest.fixture(scope="session")
def full(request) -> bool:
    """Whether long sweeps are to be gone through whole."""
    return request.config.getoption("--full")
