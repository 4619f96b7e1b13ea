"""The one function that draws pictures: in place, in the theme's colours, with cells that answer.

`plot` hands a Plotly figure to the plotly.js that Streamlit ships for its own charts. A change is drawn into
the picture that is already there, so the eye sees what changed; a click, a tap or the Enter key on a heatmap
cell comes back as a call. The browser's half is drawing.js. Without that plotly.js, Streamlit's own
chart draws.
"""

import base64
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import streamlit as st

HERE = Path(__file__).parent
STREAMLIT_SCRIPTS = Path(st.__file__).parent / "static" / "static" / "js"
FAILED = "drawing-failed"  # in the session's state: this visitor's browser could not draw
HEIGHT = 450  # of a figure that does not say
MOST_ON_AXES = 1e37  # a drawn number: figures are made in float32, which ends at 3.4e38, and leave room at their edges
MOST_IN_CELLS = 1e307  # a heatmap's number: its colours reach from the negative of the largest to the largest
MOST_CLICKS = 200  # that may wait for an answer; more is not a visitor

Cell = tuple[str, int, int]  # panel, row, column


def plotly_chunk(folder: Path = STREAMLIT_SCRIPTS) -> str | None:
    """Name of the one script of Streamlit's that brings window.Plotly, or None.

    The name is private to Streamlit and changes with its version, so it is looked for, not written down.
    """
    found = [p.name for p in folder.glob("PlotlyChart.*.js") if b"window.Plotly=" in p.read_bytes()]
    return found[0] if len(found) == 1 else None


CHUNK = plotly_chunk()

_picture = st.components.v2.component(
    "attention_lab.picture",
    css=(HERE / "drawing.css").read_text(encoding="utf-8"),
    js=(HERE / "drawing.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def plot(
    fig: go.Figure | Mapping,
    *,
    key: str,
    alt: str,
    words: Mapping[str, str],
    on_click: Callable[[str, int, int], None] | None = None,
    narrow: go.Figure | Mapping | None = None,
    height: int | None = None,
) -> Cell | None:
    """Draw a figure; with `on_click`, its named heatmaps answer: on_click(panel, row, column) for each click.

    A heatmap is named by its `meta` and stands on axes with positions 0 ... n-1. What is said of a cell to a
    keyboard visitor is its `hovertext`; without one, the labels of its row and column and its number.

    `alt` says what there is to see. `words` are translated: "png" and "svg" (buttons), "file" (name of the
    saved picture), "below" (lines below it once it is saved), "cells" (how to move over the cells), "too_large" (said
    in place of a picture whose numbers cannot be drawn). `layout.meta.width` is the width a figure wants (else 640 px
    count as enough); it never gets more, and where there is less, `narrow` is drawn. With `layout.meta.least` the
    figure can be squeezed to that width first; its texts get smaller with it.

    Returns the cell clicked last in this very run, or None.
    """
    spec = as_spec(fig)
    if not can_be_drawn(spec):
        st.warning(words["too_large"], icon="⚠️")
        return None
    height = height or spec["layout"].get("height") or HEIGHT
    if CHUNK is None or st.session_state.get(FAILED):
        st.plotly_chart(go.Figure(fig), key=f"{key}-chart", alt=alt, height=height, config={"displaylogo": False})
        return None

    panels = clickable(spec) if on_click else {}
    seen_key = f"{key}-seen"

    def clicked():
        for number, cell in clicks(st.session_state[key].get("click"), panels):
            # The browser sends each click until its number comes back, so that none is lost when several
            # arrive at once or a run is stopped before it gets here. So some arrive twice.
            if number > st.session_state.get(seen_key, 0):
                st.session_state[seen_key] = number
                on_click(*cell)

    def failed():
        st.session_state[FAILED] = True

    answer = _picture(
        key=key,
        data={
            "figure": as_json(spec),
            "narrow": as_json(narrow) if narrow is not None else None,
            "height": height,
            "alt": alt,
            "words": {name: words[name] for name in ("png", "svg", "file", "cells", "below")},
            "panels": panels,
            "seen": st.session_state.get(seen_key, 0),
            "chunk": CHUNK,
        },
        **({"on_click_change": clicked} if on_click else {}),
        on_failed_change=failed,
    )
    now = clicks(answer.get("click"), panels)
    return now[-1][1] if now else None


def can_be_drawn(spec: Mapping) -> bool:
    """Whether plotly.js can place every number; beyond that points vanish and nothing says so."""
    return all(
        _largest(trace.get(name)) <= (MOST_IN_CELLS if trace.get("type") == "heatmap" else MOST_ON_AXES)
        for trace in spec["data"]
        for name in "xyz"
    )


def _largest(numbers) -> float:
    """Without NaN and None, which are gaps; 0 of what holds no numbers or was packed by Plotly."""
    array = np.asarray(numbers)
    if array.dtype.kind == "O":
        array = np.array([number for number in array.ravel() if isinstance(number, (int, float))])
    return float(np.nanmax(np.abs(array), initial=0)) if array.dtype.kind in "fi" else 0.0


def as_spec(fig: go.Figure | Mapping) -> Mapping:
    """The figure as plain data and layout. A dict stays as it is: checking it as go.Figure does costs milliseconds."""
    return fig.to_dict() if isinstance(fig, go.Figure) else fig


def as_json(fig: go.Figure | Mapping) -> str:
    """The figure for plotly.js. Its template stays behind: the theme takes its place in the browser."""
    spec = as_spec(fig)
    layout = {name: value for name, value in spec["layout"].items() if name != "template"}
    return json.dumps({"data": spec["data"], "layout": layout}, default=_typed, allow_nan=False, ensure_ascii=False)


def _typed(array: np.ndarray | np.generic) -> object:
    """An array of numbers as plotly.js takes it packed; anything else of NumPy as plain lists and numbers."""
    if not isinstance(array, np.ndarray):
        return array.item()
    if array.dtype.kind not in "if":
        return array.tolist()
    packed = np.ascontiguousarray(array, dtype="<i4" if array.dtype.kind == "i" else f"<f{min(8, array.itemsize)}")
    code = packed.dtype.str[1:]
    spec = {"dtype": code, "bdata": base64.b64encode(packed.tobytes()).decode("ascii")}
    return spec | {"shape": ", ".join(map(str, array.shape))} if array.ndim > 1 else spec


def clickable(spec: Mapping) -> dict[str, list[int]]:
    """Rows and columns of each heatmap with a name (`meta`): {"weights": [5, 5]}."""
    found = {}
    for trace in spec["data"]:
        if trace.get("type") == "heatmap" and isinstance(trace.get("meta"), str):
            z = trace["z"]
            rows, columns = map(int, z["shape"].split(",")) if isinstance(z, Mapping) else np.shape(z)[:2] or (0, 0)
            found[trace["meta"]] = [rows, columns]
    return found


def clicks(value: object, panels: Mapping[str, list[int]]) -> list[tuple[int, Cell]]:
    """(number, cell) of every click in what the browser sent that is one of this figure's cells.

    The browser can send anything: a bool is no index, nor is 1.0 or 1e400.
    """
    good = []
    for entry in value[:MOST_CLICKS] if type(value) is list else []:
        if type(entry) is not list or len(entry) != 4:
            continue
        number, panel, row, column = entry
        if type(panel) is not str or panel not in panels or any(type(i) is not int for i in (number, row, column)):
            continue
        rows, columns = panels[panel]
        if 0 < number < 2**53 and 0 <= row < rows and 0 <= column < columns:
            good.append((number, (panel, row, column)))
    return good
