"""Cosine, dividing by the sum and softmax along the wrong axis: what they give, and that the pages say so."""

from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from attention_core import AttentionTrace, InputError, masks, softmax, trace_attention
from attention_core.comparisons import SHARINGS, cosine_attention, share_out
from attention_core.examples import example
from pages.ui.pictures import vectors as vector_figures
from pages.ui.pictures.bars import bars_figure
from pages.ui.pictures.panel import Panel
from pages.ui.text import words

APP = str(Path(__file__).parent.parent / "app.py")
RNG = np.random.default_rng(4)
QUERY, KEY, VALUE = (RNG.normal(size=size) for size in ((3, 4), (5, 4), (5, 2)))


# ------------------------------------------------------------------------------------------------ the core


def test_cosine_attention_scores_by_angle_and_scales_nothing():
    trace = cosine_attention(QUERY, KEY, VALUE)
    lengths = np.linalg.norm(QUERY, axis=1)[:, None] * np.linalg.norm(KEY, axis=1)
    np.testing.assert_allclose(trace.scores, QUERY @ KEY.T / lengths)
    np.testing.assert_array_equal(trace.scaled, trace.scores)
    np.testing.assert_allclose(trace.weights.sum(axis=1), 1)


@pytest.mark.parametrize("sharing", SHARINGS)
def test_only_softmax_over_the_keys_is_called_an_attention_trace(sharing):
    trace = trace_attention(QUERY, KEY + 1, VALUE)
    shared = share_out(trace, sharing)
    assert isinstance(shared, AttentionTrace) == np.array_equal(shared.weights, softmax(shared.masked))
    assert isinstance(shared, AttentionTrace) == (sharing == "rows")


def test_for_cosine_attention_lengths_do_not_count():
    long = cosine_attention(QUERY * [[3], [0.1], [200]], KEY * 7, VALUE)
    np.testing.assert_allclose(long.weights, cosine_attention(QUERY, KEY, VALUE).weights)


def test_cosine_attention_obeys_the_mask_and_refuses_a_vector_of_zeros():
    allowed = masks.sliding_window(3, 5, 1, 1)
    assert (cosine_attention(QUERY, KEY, VALUE, allowed).weights[~allowed] == 0).all()
    with pytest.raises(InputError) as refusal:
        cosine_attention([[0, 0]], [[1, 0]], [[1]])
    assert (refusal.value.reason, refusal.value.details["name"]) == ("zero_vector", "query")


def test_article_1_cannot_tell_cosine_and_sum_from_the_real_thing():
    start = example("one_two_one")
    scaled = trace_attention(start.query, start.key, start.value)
    cosine = cosine_attention(start.query, start.key, start.value)
    np.testing.assert_allclose(scaled.scaled[0], [0.707, 1.414, 0.707], atol=5e-4)
    np.testing.assert_allclose(cosine.scaled[0], [0.707, 1, 0.707], atol=5e-4)
    np.testing.assert_allclose(share_out(scaled, "sum").weights[0], [0.25, 0.5, 0.25])
    np.testing.assert_allclose(scaled.weights[0], [0.2483, 0.5035, 0.2483], atol=5e-5)


def test_softmax_over_rows_is_attention_itself():
    trace = trace_attention(QUERY, KEY, VALUE)
    assert share_out(trace, "rows") is trace


def test_softmax_over_columns_is_a_loop_down_each_column():
    allowed = masks.causal(3, 5, 1)
    trace = share_out(trace_attention(QUERY, KEY, VALUE, allowed), "columns")
    for j in range(5):
        column = [np.exp(trace.scaled[i, j]) if allowed[i, j] else 0.0 for i in range(3)]
        shares = [part / sum(column) if sum(column) else 0.0 for part in column]
        np.testing.assert_allclose(trace.weights[:, j], shares)
    np.testing.assert_allclose(trace.output, trace.weights @ VALUE)


def of_scores(*scores, allowed=None):
    """A trace with these scores in one row, unscaled."""
    mask = None if allowed is None else [allowed]
    return trace_attention([scores], np.eye(len(scores)), np.eye(len(scores)), mask, scale=1)


def test_dividing_by_the_sum_gives_minus_5_2_4():
    np.testing.assert_allclose(share_out(of_scores(-0.5, 0.2, 0.4), "sum").weights, [[-5, 2, 4]])


def test_dividing_by_the_sum_leaves_out_what_is_blocked():
    trace = share_out(of_scores(1, 2, 5, allowed=[True, True, False]), "sum")
    np.testing.assert_allclose(trace.weights, [[1 / 3, 2 / 3, 0]])


@pytest.mark.parametrize("scores", [(1, -1, 0), (0.1, 0.2, -0.3)])
def test_scores_that_add_to_zero_are_refused(scores):
    with pytest.raises(InputError) as refusal:
        share_out(of_scores(*scores), "sum")
    assert refusal.value.reason == "sum_is_zero"


def test_an_unknown_way_is_refused_and_results_are_read_only():
    trace = of_scores(1, 2)
    with pytest.raises(InputError):
        share_out(trace, "diagonal")
    for sharing in SHARINGS:
        assert not share_out(trace, sharing).weights.flags.writeable
        assert not share_out(trace, sharing).output.flags.writeable


# ----------------------------------------------------------------------------------------------- the pictures


@pytest.mark.parametrize(("weights", "low", "high"), [([0.2, 0.8], 0, 1), ([-5, 2, 4], -5, 4), ([0.5, 1.5], 0, 1.5)])
def test_bars_reach_beyond_0_and_1_only_for_what_is_no_share(weights, low, high):
    panel = Panel(np.array([weights]), [""], [str(w) for w in weights], "weights", "weight")
    axis = bars_figure(panel)["layout"]["yaxis"]["range"]
    assert axis[0] <= low <= high <= axis[1]
    assert axis[1] - axis[0] < 1.2 * (high - low)


def test_an_output_outside_the_hull_is_still_in_the_picture():
    both, output = np.array([True, True]), np.array([-4.0, 5.0])
    figure = go.Figure(vector_figures.values_figure(np.eye(2), ["a", "b"], both, output))
    assert figure.layout.xaxis.range[0] < -4
    assert figure.layout.yaxis.range[1] > 5


# ------------------------------------------------------------------------------------------------- the pages


def open_with(page, language="en", **fields):
    app = AppTest.from_file(APP, default_timeout=30)
    app.switch_page(f"pages/{page}.py")
    for name, text in {"lang": language, **fields}.items():
        app.query_params[name] = text
    app.run()
    assert not app.exception
    return app


def warnings(app):
    return " ".join(element.value for element in app.warning).replace("\\", "")


def everything(app):
    return " ".join(element.value for element in app.markdown)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_each_other_way_is_flagged_in_words(language):
    for page, field, way in (
        ("01_by_hand", "scaling", "cosine"),
        ("01_by_hand", "sharing", "sum"),
        ("02_matrix_lab", "sharing", "columns"),
    ):
        app = open_with(page, language, **{field: way})
        assert words(language, "common", f"other_{way}") in warnings(app)


def test_attention_as_defined_is_not_flagged():
    for page in ("01_by_hand", "02_matrix_lab"):
        assert not open_with(page).warning


def test_the_sheet_shows_the_cosines_and_the_sum_that_are_used():
    cosine = everything(open_with("01_by_hand", query="3,4", key="1,0;0,2;1,1", scaling="cosine"))
    assert "0.6×1 + 0.8×0 = **0.6**" in cosine
    by_sum = everything(open_with("01_by_hand", query="1,1", key="-0.5,0;0.2,0;0,0.4", scaling="off", sharing="sum"))
    assert "−0.5 ÷ 0.1 = **−5**" in by_sum
    assert "0.4 ÷ 0.1 = **4**" in by_sum
    assert "e<sup>" not in by_sum


def test_weights_that_are_no_shares_are_not_read_out_as_shares():
    app = open_with("01_by_hand", query="1,1", key="-0.5,0;0.2,0;0,0.4", scaling="off", sharing="sum")
    assert "(−5, 2, 4) add to 1.000" in warnings(app)


def test_a_sum_of_zero_is_said_at_the_switch_and_at_the_picture_which_stays_softmax():
    app = open_with("01_by_hand", query="1,-1")
    before = everything(app)
    app.button_group(key="by_hand_sharing").set_value("sum")
    app.run()
    assert not app.exception
    assert words("en", "common", "error_sum_is_zero") in warnings(app)
    assert words("en", "common", "refused_sum") in warnings(app)
    assert "2.0281 ÷ 3.5212 = **0.5760**" in before
    assert "2.0281 ÷ 3.5212 = **0.5760**" in everything(app)


@pytest.mark.parametrize("fields", [{"query": "1,-1", "sharing": "sum"}, {"query": "0,0", "scaling": "cosine"}])
def test_a_link_to_what_cannot_be_computed_opens_and_says_why(fields):
    app = open_with("01_by_hand", **fields)
    assert len(app.warning) == 2  # at the control and at the picture


def test_a_way_that_a_page_does_not_have_is_named_and_its_first_way_taken():
    app = open_with("02_matrix_lab", sharing="sum", scaling="cosine")
    assert "`sharing`" in warnings(app)
    assert "`scaling`" in warnings(app)
    assert app.session_state["matrix_lab_sharing"] == "rows"


def test_the_wrong_axis_is_written_out_down_the_column():
    app = open_with("02_matrix_lab", sharing="columns")
    text = everything(app)
    assert "sum of the column: 1 + 0.4931 + 1 = 2.4931" in text
    assert "add to 0.847" in warnings(app)


def test_a_key_that_nobody_may_read_is_no_error_on_the_wrong_axis():
    app = open_with("02_matrix_lab", sharing="columns", rule="padding", length="2", column="2")
    assert not app.exception


def test_an_example_brings_attention_as_defined_back():
    app = open_with("02_matrix_lab", sharing="columns")
    app.button(key="matrix_lab_reset").click()
    app.run()
    assert app.session_state["matrix_lab_sharing"] == "rows"
