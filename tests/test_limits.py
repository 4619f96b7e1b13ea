"""What weights do not tell: the law of removing a key, and every number of lesson 8, through the core."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core import masks, softmax, trace_attention
from attention_core.examples import example
from attention_core.insight import contributions, leave_one_out, weighted_lengths, winners
from pages.ui.exercises.limits import AGENTS, CLAIMS, DOCUMENTS, STATEMENTS, exposing

ABC = example("abc")
OFF = math.sqrt(2) * math.log(1.5)
finite = st.floats(-20, 20)


def attend(query=((1, 0),), value=ABC.value, allowed=None):
    return trace_attention(query, ABC.key, value, allowed)


def line(s, **more):
    return attend([[s, s + OFF]], **more)


@st.composite
def traces(draw):
    n_query, n_key, n_feature, n_value = (draw(st.integers(1, 6)) for _ in range(4))
    shapes = (n_query, n_feature), (n_key, n_feature), (n_key, n_value)
    query, key, value = (draw(arrays(np.float64, shape, elements=finite)) for shape in shapes)
    return trace_attention(query, key, value, draw(arrays(bool, (n_query, n_key))))


# Removing.


@given(traces(), st.data())
def test_leave_one_out_is_attention_over_the_other_keys(trace, data):
    query = data.draw(st.integers(0, len(trace.weights) - 1))
    moves = leave_one_out(trace, query)
    for j in range(trace.weights.shape[1]):
        allowed = trace.allowed.copy()
        allowed[query, j] = False
        without = trace_attention(trace.query, trace.key, trace.value, allowed)
        np.testing.assert_allclose(moves[j], without.output[query] - trace.output[query], rtol=0, atol=1e-12)


@given(traces(), st.data())
def test_the_law_of_removing_a_key(trace, data):
    query = data.draw(st.integers(0, len(trace.weights) - 1))
    moves = leave_one_out(trace, query)
    for j, weight in enumerate(trace.weights[query]):
        if weight < 0.999:  # nearer to 1 the difference 1 - w keeps too few digits for the law, not for the move
            law = weight / (1 - weight) * (trace.output[query] - trace.value[j])
            np.testing.assert_allclose(moves[j], law, rtol=1e-9, atol=1e-9)


@given(traces(), st.data())
def test_a_key_without_weight_is_removed_without_a_trace(trace, data):
    query = data.draw(st.integers(0, len(trace.weights) - 1))
    moves = leave_one_out(trace, query)
    hidden = ~trace.allowed[query]
    assume(hidden.any())
    assert not moves[hidden].any()


def test_removing_a_key_that_took_nearly_everything_keeps_its_digits():
    # w rounds to 1, so the law divides by 0; hiding does not.
    trace = trace_attention([[1.0]], [[50.0], [0.0], [0.0]], [[0.0], [3.0], [5.0]])
    assert trace.weights[0, 0] == 1
    assert leave_one_out(trace, 0)[0, 0] == pytest.approx(4, rel=1e-12)


def test_removing_the_only_key_leaves_a_blind_query_and_0():
    trace = attend(allowed=np.array([[True, False, False]]))
    assert leave_one_out(trace, 0)[0].tolist() == [-10, 0]


@given(traces(), st.data())
def test_weighted_lengths_are_the_lengths_of_the_contributions(trace, data):
    query = data.draw(st.integers(0, len(trace.weights) - 1))
    found = weighted_lengths(trace, query)
    expected = [math.hypot(*row) for row in contributions(trace, query).tolist()]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-150)  # squares of less are 0


# The numbers of lesson 8.


@pytest.mark.parametrize("s", [-6, -2.5, 0, 1, 3.75, 6])
def test_8c_on_the_line_the_output_stays_4_6(s):
    np.testing.assert_allclose(line(s).output, [[4, 6]], rtol=0, atol=1e-14)
    np.testing.assert_allclose(line(s, allowed=np.array([[True, True, False]])).output, [[4, 6]], atol=1e-14)


def test_8c_the_weight_of_c_runs_from_1_to_98_percent():
    assert line(-6).weights[0, 2] == pytest.approx(0.009, abs=5e-4)
    assert line(6).weights[0, 2] == pytest.approx(0.977, abs=5e-4)
    assert pytest.approx(0.5734, abs=5e-5) == OFF
    weights = [line(s).weights[0, 2] for s in np.linspace(-6, 6, 49)]
    assert (np.diff(weights) > 0).all()


def test_8a_equal_values_give_themselves_whatever_the_query():
    for query in ([[1, 0]], [[0, 0]], [[-3.3, 3.3]], [[6, 6]]):
        np.testing.assert_allclose(attend(query, np.ones((3, 2))).output, [[1, 1]], rtol=0, atol=1e-15)
    hidden = attend(value=np.ones((3, 2)), allowed=np.array([[True, True, False]]))
    np.testing.assert_allclose(hidden.output, [[1, 1]], rtol=0, atol=1e-15)


def test_8b_the_same_output_with_and_without_c():
    with_c = attend([[5.6, 6.0]])
    assert with_c.weights[0, 2] == pytest.approx(0.968, abs=5e-4)
    np.testing.assert_allclose(with_c.output, [[4.01, 5.99]], atol=5e-3)
    without = attend([[0, 0.57]], allowed=np.array([[True, True, False]]))
    np.testing.assert_allclose(without.output, [[4.006, 5.994]], atol=5e-4)


def test_8d_removing_c_at_s_6_moves_nothing():
    assert np.linalg.norm(leave_one_out(line(6), 0)[2]) < 1e-14


def test_8e_weight_arriving_length_and_effect_are_three_orders():
    trace = attend()
    np.testing.assert_allclose(trace.weights, [[0.401112, 0.197776, 0.401112]], atol=5e-7)
    effects = np.linalg.norm(leave_one_out(trace, 0), axis=1)
    np.testing.assert_allclose(effects, [4.15, 1.96, 1.53], atol=5e-3)
    arrives = weighted_lengths(trace, 0)
    assert effects.argsort()[::-1].tolist() == [0, 1, 2]
    assert arrives.argsort()[::-1].tolist() == [0, 2, 1]
    assert winners(trace.weights, 0) == (0, 2)


def test_8f_a_sink_takes_its_share_and_the_direction_stays():
    key, value = np.vstack([ABC.key, [0, 0]]), np.vstack([ABC.value, [0, 0]])
    for score in (-4, 0, 4, 8):
        sink = trace_attention(ABC.query, key, value, bias=[[0.0, 0.0, 0.0, score]])
        assert sink.output[0, 0] / sink.output[0, 1] == pytest.approx(1.281, abs=5e-4)
    sink = trace_attention(ABC.query, key, value, bias=[[0.0, 0.0, 0.0, 4.0]])
    assert sink.weights[0, 3] == pytest.approx(0.915, abs=5e-4)
    np.testing.assert_allclose(sink.output, [[0.476, 0.372]], atol=5e-4)


def test_8g_what_is_called_shown_is_shown():
    assert sorted(STATEMENTS.values()) == ["false"] * 5 + ["true"] * 4 + ["untested"] * 3
    trace, hidden = attend(), attend(allowed=np.array([[True, True, False]]))
    assert (trace.weights >= 0).all()
    assert trace.weights.sum() == pytest.approx(1)  # average
    for run in (trace, hidden):
        assert run.weights[0, 0] / run.weights[0, 1] == pytest.approx(2.028, abs=5e-4)  # ratio
    np.testing.assert_allclose(attend([[0, 0]]).output[0], ABC.value.mean(axis=0), rtol=1e-14)  # plain_mean
    causal = trace_attention(ABC.key, ABC.key, ABC.value, masks.causal(3, 3))
    assert causal.weights[0].tolist() == [1, 0, 0]  # first_row


def test_8g_what_is_called_false_is_contradicted():
    trace = attend()
    assert trace.weights.min() > 0  # ignored
    effects = np.linalg.norm(leave_one_out(trace, 0), axis=1)
    assert trace.weights[0, 0] == pytest.approx(trace.weights[0, 2])
    assert effects[0] > 2 * effects[2]  # equal_effect
    assert np.abs(line(-6).weights - line(6).weights).max() > 0.9  # same_weights
    assert trace.weights[0, :2].sum() == pytest.approx(0.599, abs=5e-4)  # deleting


def test_8h_only_the_two_documents_with_one_change_expose_the_agent_that_mixes():
    assert exposing("mixes") == ("deadline_only", "eligibility_only")
    assert exposing("careful") == ()
    assert exposing("always_both") == tuple(DOCUMENTS)
    assert exposing("always_none") == ("deadline_only", "eligibility_only")
    assert all(
        agent(changed) <= {"deadline", "eligibility"} for agent in AGENTS.values() for changed in DOCUMENTS.values()
    )


# The articles' claims: verdicts that arithmetic can give.


def holds(printed, computed, digits) -> bool:
    return bool((np.round(computed, digits) == np.array(printed)).all())


def test_verdicts_on_printed_numbers_are_what_the_core_finds():
    one_two_one, love = example("one_two_one"), example("love")
    weights = trace_attention(one_two_one.query, one_two_one.key, one_two_one.value).weights[0]
    assert holds((0.2483, 0.5035, 0.2483), weights, 4)
    assert not holds((0.2485, 0.5030, 0.2485), weights, 4)
    powers = np.round(np.exp([2**-0.5, 2**0.5, 2**-0.5]), 2)
    assert holds((0.2485, 0.5031, 0.2485), powers / powers.sum(), 4)  # rounded first, as printed but for a digit
    run = trace_attention(love.query, love.key, love.value)
    assert holds((1.77, 1.96, 2.37), run.scores[0], 2)
    assert not holds((1.77, 2.06, 2.21), run.scores[0], 2)
    assert holds((0.290, 0.319, 0.391), run.weights[0], 3)
    assert sum((0.28, 0.33, 0.36)) == pytest.approx(0.97)
    assert holds((0.294, 0.340, 0.366), softmax(np.array([[1.77, 2.06, 2.21]]) / 2)[0], 3)
    assert run.weights[0].argsort()[::-1].tolist() == [2, 1, 0]
    assert math.sqrt(64) == 8
    table = example("cat_table")
    shares = trace_attention(table.query, table.key, table.value).weights
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert shares[2, 3:].sum() == pytest.approx(0.46)  # "sat", on later words
    assert {code: CLAIMS[code] for code in ("one_two_one", "love_scores", "love_weights")} == dict.fromkeys(
        ("one_two_one", "love_scores", "love_weights"), "wrong"
    )
    assert CLAIMS["love_order"] == CLAIMS["root_64"] == CLAIMS["table_sums"] == "holds"


def test_verdicts_on_article_3_are_what_the_core_finds():
    runs = attend(), attend(allowed=np.array([[True, True, False]])), attend([[0, 0]])
    printed = (5.615569, 4.384431), (6.697615, 3.302385), (4.666667, 5.333333)
    for run, numbers in zip(runs, printed, strict=True):
        assert holds(numbers, run.output[0], 6)
    assert CLAIMS["three_runs"] == CLAIMS["ones"] == "holds"
    before, after = runs[0].weights[0], runs[1].weights[0]
    assert holds((0.401, 0.198), before[:2], 3)
    assert holds((0.670, 0.330), after[:2], 3)
    assert before[0] / before[1] == pytest.approx(after[0] / after[1])
    assert CLAIMS["shares_change"] == "soften"


def test_a_penalty_of_minus_5_leaks():
    leak = trace_attention(ABC.query, ABC.key, ABC.value, bias=[[0.0, 0.0, -5.0]]).weights[0, 2]
    assert leak == pytest.approx(0.0045, abs=5e-5)
