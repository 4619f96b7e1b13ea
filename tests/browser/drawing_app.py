"""A small app for the drawing tests: weights that answer clicks, bars, a hidden picture, a second page.

Its address takes ?fallback=python (no plotly.js is found) and ?chart=streamlit (the benchmark's other half),
?stages=5&size=8 (how many heatmaps and how large, for the benchmark).
"""

import time

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from pages.ui.widgets import drawing

WORDS = {
    "png": "Save as PNG",
    "svg": "Save as SVG",
    "file": "picture",
    "cells": "Arrow keys move over the cells, Enter chooses one.",
    "below": "computed from R&D's <b> numbers for $5, which are far too long for a single line of it\nrows ask",
}


def heatmap(name, numbers, number, labels, hover=None):
    """A named heatmap with its numbers written on it, on the axes with this number."""
    rows, columns = np.indices(numbers.shape)
    on = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
    cells = {
        "type": "heatmap",
        "z": numbers.astype(np.float32),
        "zmin": 0,
        "zmax": 1,
        "colorscale": "Blues",
        "showscale": False,
        "hoverongaps": True,
        "meta": name,
        "name": f"the {name}",
        "hovertext": hover,
        "xgap": 1,
        "ygap": 3,
    }
    written = {
        "type": "scatter",
        "mode": "text",
        "x": columns.ravel(),
        "y": rows.ravel(),
        "text": [f"{v:.2f}" if np.isfinite(v) else "−∞" for v in numbers.ravel()],
        "textfont": {"color": np.where(numbers.ravel() > 0.6, "#ffffff", "#000000"), "size": 10},
        "hoverinfo": "skip",
    }
    axes = {
        f"xaxis{number}": {
            "side": "top",
            "tickvals": np.arange(numbers.shape[1]),
            "ticktext": labels[: numbers.shape[1]],
            "range": [-0.5, numbers.shape[1] - 0.5],
            "anchor": f"y{number}",
        },
        f"yaxis{number}": {
            "tickvals": np.arange(numbers.shape[0]),
            "ticktext": labels[: numbers.shape[0]],
            "range": [numbers.shape[0] - 0.5, -0.5],
            "anchor": f"x{number}",
        },
    }
    return [cells | on, written | on], axes


def lesson_figure(scores, weights, selected):
    """Scores and weights side by side, the selected row of weights as bars below."""
    labels = ["the", "mat", "&lt;b&gt;", "1", "the"]
    row, column = selected
    hover = [[f"query {i}, key {j}<br>score {s:.2f}" for j, s in enumerate(r)] for i, r in enumerate(scores)]
    left, left_axes = heatmap("scores", scores, 1, labels, hover)
    right, right_axes = heatmap("weights", weights, 3, labels)
    bars = {
        "type": "bar",
        "x": np.arange(5),
        "y": weights[row],
        "xaxis": "x5",
        "yaxis": "y5",
        "hoverinfo": "y",
    }
    layout = {**left_axes, **right_axes, "height": 420, "margin": {"l": 50, "r": 10, "t": 40, "b": 20}}
    layout["xaxis1"]["domain"], layout["xaxis3"]["domain"] = [0, 0.45], [0.55, 1]
    layout["yaxis1"]["domain"] = layout["yaxis3"]["domain"] = [0.4, 1]
    layout["xaxis5"] = {"domain": [0.55, 1], "anchor": "y5", "range": [-0.5, 4.5], "tickvals": []}
    layout["yaxis5"] = {"domain": [0, 0.3], "anchor": "x5", "range": [0, 1]}
    box = {"type": "rect", "x0": column - 0.5, "x1": column + 0.5, "y0": row - 0.5, "y1": row + 0.5}
    box["line"] = {"color": "#e8590c", "width": 3}
    layout["shapes"] = [{**box, "xref": "x3", "yref": "y3"}, {**box, "xref": "x", "yref": "y"}]
    layout["showlegend"] = False
    return go.Figure(data=[*left, *right, bars], layout=layout)


def square_figure(name, numbers, title):
    traces, axes = heatmap(name, numbers, 1, [f"t{i}" for i in range(len(numbers))])
    layout = {**axes, "height": 320, "margin": {"l": 40, "r": 10, "t": 50, "b": 10}, "showlegend": False}
    return {"data": traces, "layout": {**layout, "title": {"text": title, "font": {"size": 12}}}}


def pictures():
    state = st.session_state
    state.setdefault("selected", (0, 0))
    state.setdefault("log", [])
    state.setdefault("version", 0)

    def chosen(panel, row, column):
        state.log = [*state.log, (panel, row, column)]
        state.selected = (row, column)
        # The widgets that do the same must say the same.
        state.row, state.column = row, column

    def changed():
        state.version += 1

    st.button("change", on_click=changed, key="change")
    slow = st.toggle("slow", key="slow")
    row = st.number_input("row", 0, 4, key="row")
    column = st.number_input("column", 0, 4, key="column")
    state.selected = (row, column)

    random = np.random.default_rng(state.version)
    scores = random.normal(size=(5, 5)).round(2)
    scores[0, 3] = np.nan
    weights = np.exp(np.nan_to_num(scores))
    weights /= weights.sum(axis=1, keepdims=True)
    if slow:
        time.sleep(1.5)  # no Streamlit call in here: clicks pile up at the server
    now = drawing.plot(
        lesson_figure(scores, weights, state.selected),
        key="lesson",
        alt=f"Scores and weights of five tokens, version {state.version}",
        words=WORDS,
        on_click=chosen,
    )
    st.text(f"arithmetic: weight[{row}, {column}] = {weights[row, column]:.4f}", width="stretch")
    with st.container(key="log"):
        st.text(f"clicks: {' '.join(f'{p}/{r}/{c}' for p, r, c in state.log) or 'none'}")
    with st.container(key="now"):
        st.text(f"now: {now}")
    first, second = st.tabs(["first", "second"])
    first.text("the picture is in the second tab")
    with second:
        drawing.plot(
            square_figure("hidden", weights, "hidden"),
            key="hidden",
            alt="A picture in a tab",
            words=WORDS,
            narrow=square_figure("hidden", weights, "narrow"),
        )


def bench():
    """`stages` heatmaps that all change at a press of the button."""
    query = st.query_params
    size, stages = int(query.get("size", 8)), int(query.get("stages", 5))
    version = st.session_state.setdefault("version", 0)

    def changed():
        st.session_state.version += 1

    st.button("change", on_click=changed, key="change")
    numbers = np.random.default_rng(version).random((size, size))
    for stage, place in enumerate(st.columns(stages)):
        fig = square_figure(f"stage{stage}", numbers ** (stage + 1), f"version {version}")
        with place:
            if query.get("chart") == "streamlit":
                st.plotly_chart(go.Figure(fig), key=f"stage{stage}", alt="numbers", height=320)
            else:
                drawing.plot(
                    fig,
                    key=f"stage{stage}",
                    alt="numbers",
                    words=WORDS,
                    on_click=lambda *cell: None,
                    height=320,
                )


def empty():
    st.title("Empty")
    st.text("no picture here")


st.set_page_config(page_title="Pictures", layout="wide")
drawing.CHUNK = None if st.query_params.get("fallback") == "python" else drawing.plotly_chunk()
pages = [st.Page(pictures, default=True), st.Page(bench), st.Page(empty)]
page = st.navigation(pages)
page.run()
if page.url_path != "bench":
    st.html("<div style='height: 900px'></div>")  # something to scroll to
    with st.container(key="links"):
        for other in pages:
            st.page_link(other)
