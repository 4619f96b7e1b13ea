"""What weights tell, against plain loops and known values."""

from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core import softmax, trace_attention
from attention_core.examples import example
from attention_core.insight import (
    contributions,
    effective_number,
    entropy,
    largest_weight,
    ranks,
    received,
    row_sums,
    weighted_lengths,
    winners,
)

sizes = st.integers(1, 8)
finite = st.floats(-50, 50)


@st.composite
def weight_tables(draw):
    """Rows that add to 1, some with zeros, some blind."""
    shape = draw(sizes), draw(sizes)
    scores = draw(arrays(np.float64, shape, elements=st.one_of(finite, st.just(-np.inf))))
    return softmax(scores)


@given(weight_tables())
def test_sums_and_largest_are_what_plain_loops_find(weights):
    rows = weights.tolist()
    n_key = weights.shape[1]
    np.testing.assert_allclose(row_sums(weights), [sum(row) for row in rows], rtol=1e-14)
    np.testing.assert_allclose(received(weights), [sum(row[j] for row in rows) for j in range(n_key)], rtol=1e-14)
    assert largest_weight(weights).tolist() == [max(row) for row in rows]


@given(weight_tables())
def test_entropy_is_what_a_plain_loop_finds_and_never_minus_zero(weights):
    found = entropy(weights)
    expected = [sum(-w * log(w) for w in row if w > 0) for row in weights.tolist()]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)
    assert not np.signbit(found).any()


@given(weight_tables())
def test_effective_number_lies_between_1_and_the_keys_in_use_or_is_0_when_blind(weights):
    for number, row in zip(effective_number(weights), weights, strict=True):
        in_use = np.count_nonzero(row)
        if in_use == 0:
            assert number == 0
        else:
            assert 1 - 1e-12 <= number <= in_use + 1e-12


@pytest.mark.parametrize("n", [1, 2, 3, 7, 100])
def test_effective_number_of_n_equal_weights_is_n(n):
    among_zeros = np.array([[1 / n] * n + [0.0] * 3])
    assert effective_number(among_zeros) == pytest.approx(n, rel=1e-12)
    assert entropy(among_zeros) == pytest.approx(log(n), rel=1e-12, abs=1e-15)


def test_effective_number_of_uneven_weights():
    # -(1/2 ln 1/2 + 2 · 1/4 ln 1/4) = 1.5 ln 2, and exp of it is 2 ** 1.5.
    assert effective_number(np.array([[0.5, 0.25, 0.25]])) == pytest.approx(2**1.5)


def test_the_spread_of_scores_decides_how_many_of_100_books_count():
    # Normal scores of spread s share the weight among about n·exp(-s²/2) keys.
    scores = np.random.default_rng(0).standard_normal((400, 100))
    assert effective_number(softmax(scores)).mean() == pytest.approx(100 * exp(-1 / 2), abs=3)
    assert effective_number(softmax(4 * scores)).mean() == pytest.approx(5, abs=1)


@given(weight_tables(), st.data())
def test_winners_are_the_keys_at_the_top_and_nobody_wins_a_blind_row(weights, data):
    query = data.draw(st.integers(0, len(weights) - 1))
    row = weights[query].tolist()
    expected = tuple(j for j, w in enumerate(row) if w > 0 and w >= max(row) * (1 - 1e-9))
    assert winners(weights, query) == expected
    assert (expected == ()) == (max(row) == 0)


def test_a_tie_survives_the_last_digits_but_not_a_real_difference():
    a_little = 0.3 * (1 + 1e-15)
    assert winners(np.array([[0.3, a_little, 0.1]]), 0) == (0, 1)
    assert winners(np.array([[0.3, 0.300001, 0.1]]), 0) == (1,)
    sums = np.array([[0.1 + 0.2, 0.3, 0.0]])  # 0.30000000000000004 and 0.3
    assert winners(softmax(sums), 0) == (0, 1)


def test_winners_of_the_articles():
    def winners_of(name):
        given = example(name)
        return winners(trace_attention(given.query, given.key, given.value, given.allowed).weights, 0)

    assert winners_of("abc") == (0, 2)
    assert winners_of("abc_hide_c") == (0,)
    assert winners_of("abc_zero") == (0, 1, 2)
    assert winners_of("one_two_one") == (1,)
    assert winners_of("love") == (2,)


@given(st.data())
def test_contributions_are_weight_times_value_and_add_up_to_the_output(data):
    n_query, n_key, n_feature, n_value = (data.draw(sizes) for _ in range(4))
    query, key, value = (
        data.draw(arrays(np.float64, shape, elements=finite))
        for shape in ((n_query, n_feature), (n_key, n_feature), (n_key, n_value))
    )
    allowed = data.draw(arrays(bool, (n_query, n_key)))
    trace = trace_attention(query, key, value, allowed)
    for i in range(n_query):
        found = contributions(trace, i)
        expected = [[trace.weights[i, j] * value[j, e] for e in range(n_value)] for j in range(n_key)]
        assert found.tolist() == expected
        np.testing.assert_allclose(found.sum(axis=0), trace.output[i], rtol=0, atol=1e-13)
        assert not found[~allowed[i]].any()


def test_contributions_of_article_3():
    given = example("abc")
    found = contributions(trace_attention(given.query, given.key, given.value), 0)
    np.testing.assert_allclose(found, [[4.01112, 0], [0, 1.97776], [1.604448, 2.406672]], atol=1e-5)


def test_ranks_share_a_place_in_a_tie_and_skip_hidden_keys():
    numbers = np.array([0.5, 2.0, 0.5, 9.0, -1.0])
    allowed = np.array([True, True, True, False, True])
    assert ranks(numbers, allowed) == [2, 1, 2, 0, 4]
    assert ranks(numbers, np.zeros(5, bool)) == [0] * 5


@given(st.lists(st.floats(-20, 20), min_size=2, max_size=8))
def test_softmax_keeps_the_order_of_the_scores(scores):
    scores = np.array(scores)
    weights = softmax(scores[None])[0]
    everyone = np.ones(len(scores), bool)
    before, after = ranks(scores, everyone), ranks(weights, everyone)
    assert all(after[i] <= after[j] for i in range(len(scores)) for j in range(len(scores)) if before[i] < before[j])


def test_ranks_tell_small_weights_apart_beside_a_large_one():
    weights = trace_attention([[25.0, 1, 0]], np.eye(3), np.eye(3), scale=1).weights[0]
    assert ranks(weights, np.ones(3, bool)) == [1, 2, 3]
    scores = trace_attention([[-5e9, 2, 1]], np.eye(3), np.eye(3), scale=1).scaled[0]
    assert ranks(scores, np.ones(3, bool)) == [3, 1, 2]
    assert ranks(np.array([0.1 + 0.2, 0.3, -np.inf]), np.array([True, True, False])) == [1, 1, 0]


@pytest.mark.parametrize("size", [1e200, 1e-200, 1.0])
def test_lengths_of_any_size_neither_overflow_nor_vanish(size):
    trace = trace_attention([[1.0, 0]], np.eye(2), [[3 * size, 4 * size], [0, 0]])
    np.testing.assert_allclose(weighted_lengths(trace, 0), trace.weights[0] * [5 * size, 0], rtol=1e-12)
