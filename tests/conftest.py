"""What all tests share: property tests without a wall-clock limit, because the machines are shared, and `--full`.

Each run looks at other examples, of a seed that stands at its head; `pytest --hypothesis-seed=...` looks at them again.
`pytest --full` goes through all of what a run otherwise takes samples of.
"""

import random

import pytest
from hypothesis import settings

settings.register_profile("shared_machine", deadline=None, max_examples=60, derandomize=False)
settings.load_profile("shared_machine")


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="long sweeps whole, not samples of them")


@pytest.hookimpl(tryfirst=True)  # before hypothesis reads its option
def pytest_configure(config):
    if config.option.hypothesis_seed is None:
        drawn = getattr(config, "workerinput", {}).get("seed", random.randrange(10**6))
        config.option.hypothesis_seed = str(drawn)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    """All of pytest-xdist's workers have the seed of the run."""
    node.workerinput["seed"] = node.config.option.hypothesis_seed


def pytest_collection_modifyitems(config, items):
    """What is marked as long is part of the full mode alone, and of a sweep each run takes other cases: a third."""
    if not config.getoption("--full"):
        left_out = {item for item in items if item.get_closest_marker("long")}
        sweeps: dict[str, list] = {}
        for item in items:
            if item.get_closest_marker("sweep") and item not in left_out:
                sweeps.setdefault(item.nodeid.partition("[")[0], []).append(item)
        for name, cases in sweeps.items():
            drawn = random.Random(f"{name} {config.option.hypothesis_seed}")  # the same in all of xdist's workers
            left_out |= set(drawn.sample(cases, len(cases) - -(-len(cases) // 3)))
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]


def pytest_report_header(config):
    return f"property tests: --hypothesis-seed={config.option.hypothesis_seed}"


def pytest_terminal_summary(terminalreporter, config):
    if terminalreporter.stats.get("failed"):
        terminalreporter.line(f"to see the same examples again: --hypothesis-seed={config.option.hypothesis_seed}")


@pytest.fixture(scope="session")
def full(request) -> bool:
    """Whether long sweeps are to be gone through whole."""
    return request.config.getoption("--full")
