"""Online softmax against whole-row attention on the keys seen so far, and against plain loops."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core import InputError, trace_attention
from attention_core.online import trace_online

numbers = st.floats(-30, 30)


@st.composite
def scores_mask_values(draw):
    n_query, n_key, n_value = draw(st.integers(1, 4)), draw(st.integers(1, 9)), draw(st.integers(1, 3))
    scores = draw(arrays(float, (n_query, n_key), elements=numbers))
    allowed = draw(arrays(bool, (n_query, n_key)))
    value = draw(arrays(float, (n_key, n_value), elements=numbers))
    return np.where(allowed, scores, -np.inf), value


def loop_attention(masked, value):
    """Weights and output of one query over the keys given, without subtracting the largest score."""
    exponentials = [math.exp(score) for score in masked]
    total = sum(exponentials)
    if total == 0:
        return [0.0] * len(masked), [0.0] * value.shape[1]
    weights = [e / total for e in exponentials]
    output = [sum(w * value[j, c] for j, w in enumerate(weights)) for c in range(value.shape[1])]
    return weights, output


@given(scores_mask_values(), st.integers(1, 10))
def test_after_each_tile_weights_and_output_are_attention_over_the_keys_seen_so_far(given_, tile_size):
    masked, value = given_
    steps = trace_online(masked, value, tile_size)
    for step in steps:
        for i, row in enumerate(masked):
            weights, output = loop_attention(row[: step.stop], value[: step.stop])
            np.testing.assert_allclose(step.weights[i, : step.stop], weights, rtol=1e-12, atol=1e-300)
            assert not step.weights[i, step.stop :].any()
            np.testing.assert_allclose(step.output[i], output, rtol=1e-9, atol=1e-11)


@given(scores_mask_values(), st.integers(1, 10))
def test_running_values_are_what_their_names_say(given_, tile_size):
    masked, value = given_
    before = None
    for step in trace_online(masked, value, tile_size):
        for i, row in enumerate(masked[:, : step.stop]):
            largest = max(row)
            assert step.largest[i] == largest
            shares = [0.0 if largest == -math.inf else math.exp(score - largest) for score in row]
            assert step.total[i] == pytest.approx(sum(shares), rel=1e-12)
            for c in range(value.shape[1]):
                mix = sum(share * value[j, c] for j, share in enumerate(shares))
                assert step.mix[i, c] == pytest.approx(mix, rel=1e-9, abs=1e-10)
            if before is not None and before.total[i] > 0:
                assert step.shrink[i] == pytest.approx(math.exp(before.largest[i] - largest), rel=1e-12)
            else:
                assert step.shrink[i] == 0
        before = step


@given(st.integers(1, 20), st.integers(1, 25))
def test_tiles_cover_every_key_once_and_only_the_last_is_shorter(n_key, tile_size):
    steps = trace_online(np.zeros((1, n_key)), np.zeros((n_key, 1)), tile_size)
    assert [key for step in steps for key in range(step.start, step.stop)] == list(range(n_key))
    assert all(step.stop - step.start == tile_size for step in steps[:-1])


@pytest.mark.parametrize("tile_size", [1, 7, 64, 1000])
def test_the_last_step_equals_whole_row_attention_within_a_few_ulp(tile_size):
    random = np.random.default_rng(1)
    query, key, value = (
        random.normal(size=(5, 16)),
        random.normal(size=(300, 16)),
        random.normal(size=(300, 4)),
    )
    trace = trace_attention(query, key, value, random.random((5, 300)) < 0.7, softcap=3.0)
    last = trace_online(trace.masked, trace.value, tile_size)[-1]
    np.testing.assert_array_max_ulp(last.weights, trace.weights, maxulp=16)
    np.testing.assert_allclose(last.output, trace.output, rtol=0, atol=1e-14)


def article_3(query):
    return trace_attention([query], [[1, 0], [0, 1], [1, 1]], [[10, 0], [0, 10], [4, 6]])


def test_article_3_one_key_at_a_time():
    trace = article_3([1, 0])
    steps = trace_online(trace.masked, trace.value, 1)
    np.testing.assert_allclose([step.largest[0] for step in steps], [0.707107] * 3, atol=5e-7)
    np.testing.assert_allclose([step.total[0] for step in steps], [1, 1.493069, 2.493069], atol=5e-7)
    np.testing.assert_allclose(
        [step.output[0] for step in steps],
        [(10, 0), (6.697615, 3.302385), (5.615569, 4.384431)],
        atol=5e-7,
    )


def test_article_3_after_two_keys_is_the_answer_with_c_hidden():
    trace = article_3([1, 0])
    hidden = trace_attention(trace.query, trace.key, trace.value, np.array([[True, True, False]]))
    second = trace_online(trace.masked, trace.value, 1)[1]
    np.testing.assert_allclose(second.weights, hidden.weights, rtol=1e-12)
    np.testing.assert_allclose(second.output, hidden.output, rtol=1e-12)


def test_a_larger_score_shrinks_what_was_summed_before():
    first, second = trace_online([[0.0, 2.0]], [[1.0], [5.0]], 1)
    assert (first.total[0], first.mix[0, 0]) == (1, 1)
    assert second.shrink[0] == pytest.approx(math.exp(-2))
    assert second.total[0] == pytest.approx(1 + math.exp(-2))
    assert second.mix[0, 0] == pytest.approx(5 + math.exp(-2))


def test_a_hidden_tile_changes_nothing():
    masked = [[1.0, 0.5, -np.inf, -np.inf, 2.0]]
    steps = trace_online(masked, np.arange(5.0)[:, None], 2)
    for name in ("largest", "total", "mix", "output", "weights"):
        np.testing.assert_array_equal(getattr(steps[0], name), getattr(steps[1], name))
    assert steps[1].shrink[0] == 1


def test_hidden_tiles_at_the_start_leave_zeros_until_the_first_allowed_key():
    steps = trace_online([[-np.inf, -np.inf, 3.0]], [[7.0], [8.0], [9.0]], 1)
    assert [step.largest[0] for step in steps] == [-np.inf, -np.inf, 3]
    assert [step.total[0] for step in steps] == [0, 0, 1]
    assert [step.output[0, 0] for step in steps] == [0, 0, 9]


def test_a_blind_query_ends_with_zeros_beside_one_that_sees():
    last = trace_online([[-np.inf, -np.inf], [0.0, 0.0]], [[2.0], [4.0]], 1)[-1]
    assert last.weights.tolist() == [[0, 0], [0.5, 0.5]]
    assert last.output.tolist() == [[0], [3]]


def test_large_scores_do_not_overflow_in_either_order():
    for row in ([1000.0, 999.0], [-1e300, 1e300], [1e308, -1e308], [-10000.0, -10000.0]):
        trace = trace_attention([[1.0]], [[row[0]], [row[1]]], np.eye(2), scale=1.0)
        np.testing.assert_allclose(trace_online([row], np.eye(2), 1)[-1].output, trace.output, rtol=1e-12)


def test_inputs_are_left_as_they_were():
    masked, value = np.array([[1.0, 2.0]]), np.array([[1.0], [2.0]])
    trace_online(masked, value, 1)
    assert (masked.tolist(), value.tolist()) == ([[1, 2]], [[1], [2]])


@pytest.mark.parametrize(
    ("masked", "value", "tile_size", "reason"),
    [
        ([[0.0]], [[1.0]], 0, "tile_too_small"),
        ([[0.0]], [[1.0]], -2, "tile_too_small"),
        ([[0.0, 1.0]], [[1.0]], 1, "rows_differ"),
        ([[np.nan]], [[1.0]], 1, "not_finite"),
        ([[np.inf]], [[1.0]], 1, "not_finite"),
        ([[0.0]], [[np.inf]], 1, "not_finite"),
        ([0.0], [[1.0]], 1, "not_a_matrix"),
        ([[0.0, 0.0]], [[1.7e308], [1.7e308]], 1, "overflow"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_reason(masked, value, tile_size, reason):
    with pytest.raises(InputError) as error:
        trace_online(masked, value, tile_size)
    assert error.value.reason == reason
