"""What a run of a page costs: pictures against Plotly's checked objects, and each page against a bare one.

    python tests/bench/bench_figures.py

Prints ratios; milliseconds stand beside them for this machine and this moment only.
"""

import logging
import statistics
import sys
import time
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
from streamlit.runtime.scriptrunner import script_runner
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from pages.ui.pictures.heatmaps import matrix_figure  # noqa: E402
from pages.ui.pictures.panel import Panel  # noqa: E402
from pages.ui.widgets.drawing import as_json  # noqa: E402

BARE = """
import streamlit as st
import plotly.graph_objects as go

st.title("bare")
st.plotly_chart(go.Figure(data=[dict(type="heatmap", z=[[1, 2], [3, 4]])]), key="only")
"""


def best(action, rounds: int = 30) -> float:
    """Seconds of processor time: the least of many rounds, since other programs can only add to it."""
    times = []
    for _ in range(rounds):
        begin = time.thread_time()
        action()
        times.append(time.thread_time() - begin)
    return min(times)


def pictures() -> None:
    print("five 8 x 8 pictures, built and written as JSON")
    numbers = np.random.default_rng(0).dirichlet(np.ones(8), size=8)
    names = [f"token{i}" for i in range(8)]
    hover = [["one reads the other"] * 8] * 8
    panel = Panel(numbers, names, names, "weights", "weight", hover=hover, row=2, column=3)
    ours = best(lambda: [as_json(matrix_figure(panel, "beside")) for _ in range(5)])
    checked = best(lambda: [as_json(go.Figure(matrix_figure(panel, "beside"))) for _ in range(5)])
    print(f"  plain data {ours * 1000:6.1f} ms   {ours / checked:.2f} of Plotly's checked objects\n")


def runs(at: AppTest, rounds: int = 12) -> float:
    """Seconds of processor time that the script of this page takes, typically."""
    times, run = [], script_runner.exec_func_with_error_handling

    def timed(*call):
        begin = time.thread_time()
        try:
            return run(*call)
        finally:
            times.append(time.thread_time() - begin)

    script_runner.exec_func_with_error_handling = timed
    try:
        for _ in range(rounds):
            at.run()
    finally:
        script_runner.exec_func_with_error_handling = run
    assert not at.exception
    return statistics.median(times[2:])


def pages() -> None:
    bare = runs(AppTest.from_string(BARE, default_timeout=60))
    print(f"one run of a page's script; a bare page with one chart takes {bare * 1000:.1f} ms")
    for path in ["app.py", *sorted((ROOT / "pages").glob("[0-9]*.py"))]:
        at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        if path != "app.py":
            at.switch_page(f"pages/{path.name}")
        took = runs(at)
        print(f"  {Path(path).stem:30} {took * 1000:6.1f} ms   {took / bare:5.1f} times the bare page")


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    pictures()
    pages()
