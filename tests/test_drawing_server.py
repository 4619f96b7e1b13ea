"""plot() on the server: what it sends, what it believes, and what Streamlit must go on providing."""

import base64
import json

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.testing.v1 import AppTest

from pages.ui.widgets import drawing

PANELS = {"weights": [3, 4], "scores": [3, 4]}


def app():
    """The script that the tests below run."""
    import plotly.graph_objects as go
    import streamlit as st

    from pages.ui.widgets import drawing

    words = {"png": "PNG", "svg": "SVG", "file": "picture", "cells": "Use the arrow keys.", "below": "random"}
    st.session_state.setdefault("log", [])

    def chosen(*cell):
        st.session_state.log = [*st.session_state.log, cell]

    weights = {"type": "heatmap", "z": [[0.1] * 4] * 3, "meta": "weights"}
    other = {"type": "heatmap", "z": [[0.1] * 9] * 9}
    figure = go.Figure(data=[other, weights], layout={"height": 300})
    now = drawing.plot(figure, key="picture", alt="three by four", words=words, on_click=chosen)
    st.text(f"now {now}")


def bidi(at):
    """What the browser gets of the picture."""
    return next(e.proto for e in at.main if e.type == "bidi_component")


def send(at, *values, event="click"):
    """Run the script as after these messages, arriving together, from the browser's half."""
    internal = f"$$STREAMLIT_INTERNAL_KEY_{bidi(at).id}__events"
    message = json.dumps([{"event": event, "value": value} for value in values])
    return at._run(WidgetStates(widgets=[WidgetState(id=internal, json_trigger_value=message)]))


@pytest.fixture
def at():
    at = AppTest.from_function(app).run()
    assert not at.exception
    return at


# --- Streamlit's private script -------------------------------------------------------------------


def test_streamlit_still_ships_one_script_that_brings_plotly():
    """When this fails after an upgrade, pictures draw, but no longer in place: look for the new name."""
    assert drawing.plotly_chunk(), "no single PlotlyChart.*.js with window.Plotly= in Streamlit's package"
    index = (drawing.STREAMLIT_SCRIPTS.parents[1] / "index.html").read_text(encoding="utf-8")
    assert '<script type="module"' in index
    assert 'src="./static/js/' in index


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"PlotlyChart.a.js": "return e"},
        {"Other.a.js": "window.Plotly=e"},
        {"PlotlyChart.a.js": "window.Plotly=e", "PlotlyChart.b.js": "window.Plotly=e"},
    ],
)
def test_no_or_two_such_scripts_mean_none(tmp_path, files):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert drawing.plotly_chunk(tmp_path) is None


def test_without_the_script_streamlits_chart_draws_with_the_same_alternative(monkeypatch):
    monkeypatch.setattr(drawing, "CHUNK", None)
    at = AppTest.from_function(app).run()
    assert not at.exception
    chart = next(e.proto for e in at.main if e.type == "plotly_chart")
    assert chart.alt == "three by four"
    assert at.text[0].value == "now None"


def test_once_the_browser_has_failed_streamlits_chart_draws_and_stays(at):
    at = send(at, True, event="failed")
    for _ in range(3):
        assert not at.exception
        assert [e.type for e in at.main] == ["main", "plotly_chart", "text"]
        at = at.run()


# --- what is sent ---------------------------------------------------------------------------------


def test_a_figure_travels_without_template_and_with_arrays_as_base64():
    z = np.arange(6, dtype=np.float32).reshape(2, 3)
    sent = json.loads(drawing.as_json(go.Figure(data=[{"type": "heatmap", "z": z}])))
    assert "template" not in sent["layout"]
    array = sent["data"][0]["z"]
    assert np.frombuffer(base64.b64decode(array["bdata"]), array["dtype"]).tolist() == [0, 1, 2, 3, 4, 5]
    assert array["shape"] == "2, 3"


def test_the_same_figure_is_the_same_message(at):
    before = bidi(at).SerializeToString()
    assert bidi(at.run()).SerializeToString() == before


def test_only_named_heatmaps_are_clickable(at):
    data = json.loads(bidi(at).json)
    assert data["panels"] == {"weights": [3, 4]}
    assert data["height"] == 300
    assert data["alt"] == "three by four"


def test_a_figure_and_its_dict_are_the_same():
    figure = go.Figure(data=[{"type": "bar", "y": np.array([1.0, 2.0])}])
    assert drawing.as_json(figure.to_dict()) == drawing.as_json(figure)


# --- what is believed -----------------------------------------------------------------------------


def test_a_click_calls_back_and_is_returned(at):
    at = send(at, [[1, "weights", 2, 3]])
    assert at.session_state.log == [("weights", 2, 3)]
    assert at.text[0].value == "now ('weights', 2, 3)"
    assert json.loads(bidi(at).json)["seen"] == 1
    assert at.run().text[0].value == "now None"


def test_a_click_sent_again_counts_once(at):
    at = send(at, [[1, "weights", 0, 0], [2, "weights", 1, 1]])
    at = send(at, [[1, "weights", 0, 0], [2, "weights", 1, 1], [3, "weights", 1, 1]])
    assert at.session_state.log == [("weights", 0, 0), ("weights", 1, 1), ("weights", 1, 1)]


def test_clicks_that_arrive_together_each_count_once(at):
    at = send(at, [[1, "weights", 0, 0]], [[1, "weights", 0, 0], [2, "weights", 1, 1]])
    assert at.session_state.log == [("weights", 0, 0), ("weights", 1, 1)]


NO_CELLS = [
    None,
    True,
    1,
    1.0,
    "weights",
    {},
    {"panel": "weights", "row": 1, "column": 1},
    [],
    [None],
    [[]],
    [1, "weights", 1, 1],
    [[1, "weights", 1]],
    [[1, "weights", 1, 1, 1]],
    [[1, "weights", 1.0, 1]],
    [[1, "weights", True, 1]],
    [[1, "weights", 1, False]],
    [[True, "weights", 1, 1]],
    [[1, "weights", 1e400, 1]],
    [[1, "weights", float("nan"), 1]],
    [[1, "weights", None, 1]],
    [[1, "weights", "1", 1]],
    [[1, "weights", [1], 1]],
    [[1, ["weights"], 1, 1]],
    [[1, None, 1, 1]],
    [[1, "nobody", 1, 1]],
    [[1, "weights", -1, 1]],
    [[1, "weights", 3, 1]],
    [[1, "weights", 1, 4]],
    [[0, "weights", 1, 1]],
    [[2**53, "weights", 1, 1]],
    [[-1, "weights", 1, 1]],
]


@pytest.mark.parametrize("value", NO_CELLS, ids=str)
def test_what_is_no_cell_of_this_figure_is_not_believed(value):
    assert drawing.clicks(value, PANELS) == []


def test_a_bad_entry_does_not_spoil_its_neighbours():
    sent = [[1, "weights", 9, 9], [2, "weights", 2, 3], "junk", [3, "scores", 0, 0]]
    assert drawing.clicks(sent, PANELS) == [(2, ("weights", 2, 3)), (3, ("scores", 0, 0))]


def test_a_flood_of_clicks_is_cut():
    assert len(drawing.clicks([[n, "weights", 0, 0] for n in range(1, 5000)], PANELS)) == drawing.MOST_CLICKS


@pytest.mark.parametrize(
    "value", [True, [[1, "weights", 1e400, 1]], {"a": 1}, "x" * 100_000], ids=lambda v: str(v)[:20]
)
def test_a_hostile_message_changes_nothing(at, value):
    at = send(at, value)
    assert not at.exception
    assert at.session_state.log == []
    assert at.text[0].value == "now None"


def test_a_figure_without_on_click_answers_nothing():
    def quiet():
        import plotly.graph_objects as go

        from pages.ui.widgets import drawing

        figure = go.Figure(data=[{"type": "heatmap", "z": [[1.0]], "meta": "weights"}])
        words = {"png": "", "svg": "", "file": "", "cells": "", "below": ""}
        assert drawing.plot(figure, key="picture", alt="one", words=words) is None

    at = AppTest.from_function(quiet).run()
    at = send(at, [[1, "weights", 0, 0]])
    assert not at.exception
    assert json.loads(bidi(at).json)["panels"] == {}
