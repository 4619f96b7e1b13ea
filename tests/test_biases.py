"""Biases against plain loops, the published slopes, and what they do to the weights."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import InputError, masks, softmax, trace_attention
from attention_core.biases import alibi_slopes, distance_slope

sizes = st.integers(1, 7)
slopes = st.floats(0, 4)


def loop_slopes(n_heads):
    """The published recipe, one head after the other."""
    if math.log2(n_heads).is_integer():
        first = 2 ** (-(2 ** -(math.log2(n_heads) - 3)))
        return [first * first**head for head in range(n_heads)]
    lower = 2 ** math.floor(math.log2(n_heads))
    return loop_slopes(lower) + loop_slopes(2 * lower)[0::2][: n_heads - lower]


@given(sizes, sizes, st.floats(-5, 5), st.integers(-3, 3))
def test_distance_slope_takes_the_slope_once_for_every_position_between(n_query, n_key, slope, offset):
    bias = distance_slope(n_query, n_key, slope, offset)
    assert bias.shape == (n_query, n_key)
    for i in range(n_query):
        for j in range(n_key):
            assert bias[i, j] == -slope * abs(i + offset - j)


def test_distance_slope_known_values():
    assert distance_slope(2, 3, 0.5).tolist() == [[0, -0.5, -1], [-0.5, 0, -0.5]]
    assert distance_slope(1, 3, 0.5, offset=2).tolist() == [[-1, -0.5, 0]]


def test_distance_zero_is_a_plain_zero():
    assert not np.signbit(distance_slope(3, 3, 1.0).diagonal()).any()


@pytest.mark.parametrize("slope", [math.nan, math.inf, -math.inf, "steep"])
def test_a_slope_that_is_no_finite_number_is_refused(slope):
    with pytest.raises(InputError) as error:
        distance_slope(2, 2, slope)
    assert (error.value.reason, error.value.details["name"]) == ("not_finite_number", "slope")


def test_alibi_slopes_of_eight_and_three_heads():  # known fault B32
    assert alibi_slopes(8).tolist() == [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625]
    assert alibi_slopes(3).tolist() == [0.0625, 0.00390625, 0.25]
    assert not np.allclose(alibi_slopes(3), [0.15749, 0.024803, 0.003906], atol=1e-3)


@pytest.mark.parametrize("n_heads", range(1, 65))
def test_alibi_slopes_follow_the_published_recipe(n_heads):
    np.testing.assert_allclose(alibi_slopes(n_heads), loop_slopes(n_heads), rtol=1e-12)


@pytest.mark.parametrize("n_heads", range(1, 65))
def test_every_head_has_its_own_slope_above_0_and_below_1(n_heads):
    slopes = alibi_slopes(n_heads)
    assert ((slopes > 0) & (slopes < 1)).all()
    assert len(np.unique(slopes)) == n_heads


@pytest.mark.parametrize("n_heads", [0, -1])
def test_no_heads_are_refused(n_heads):
    with pytest.raises(InputError) as error:
        alibi_slopes(n_heads)
    assert error.value.reason == "too_few_heads"


def test_alibi_with_slope_a_half_on_three_causal_tokens_without_scores():  # known fault B32
    bias = distance_slope(3, 3, alibi_slopes(8)[0])
    trace = trace_attention(np.zeros((3, 1)), np.zeros((3, 1)), np.eye(3), bias=bias, is_causal=True)
    expected = [[1, 0, 0], [0.377541, 0.622459, 0], [0.186324, 0.307196, 0.50648]]
    np.testing.assert_allclose(trace.weights, expected, atol=5e-7)


@given(st.integers(1, 7), slopes)
def test_under_a_causal_mask_slope_times_the_key_position_does_the_same(n, slope):
    """-slope * (i - j) and slope * j differ by a constant in each row, which softmax does not see."""
    hidden = np.where(masks.causal(n, n), 0, -np.inf)
    by_key = np.broadcast_to(slope * np.arange(n), (n, n))
    np.testing.assert_allclose(softmax(hidden + distance_slope(n, n, slope)), softmax(hidden + by_key), atol=1e-12)


@given(st.integers(2, 8), st.floats(0.01, 4))
def test_without_scores_the_nearest_key_weighs_most_and_each_step_costs_the_same_factor(n, slope):
    weights = softmax(distance_slope(n, n, slope))
    for i in range(n):
        assert weights[i].argmax() == i
        for j in range(i):
            assert weights[i, j] / weights[i, j + 1] == pytest.approx(math.exp(-slope), rel=1e-9)


def test_a_slope_of_zero_changes_nothing():
    query, key, value = np.random.default_rng(0).normal(size=(3, 4, 4))
    plain = trace_attention(query, key, value)
    biased = trace_attention(query, key, value, bias=distance_slope(4, 4, 0))
    np.testing.assert_array_equal(plain.output, biased.output)


@pytest.mark.parametrize("slope", [1e308, -1e308])
def test_a_slope_that_overflows_is_refused_instead_of_hiding_keys(slope):
    with pytest.raises(InputError):
        distance_slope(3, 3, slope)
