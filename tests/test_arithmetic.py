"""The terms of each cell, against plain loops, and their agreement with the trace."""

from math import exp, inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core import trace_attention
from attention_core.arithmetic import DotProduct, Softmax, output_terms, score_terms, softmax_terms
from attention_core.examples import example

ULP = np.finfo(np.float64).eps


@st.composite
def traces(draw):
    """Traces of all kinds: masks, biases with -inf, causal, softcaps, own scales, blind queries."""
    n_query, n_key, n_feature, n_value = (draw(st.integers(1, 6)) for _ in range(4))

    def matrix(*shape, elements=st.floats(-20, 20)):  # noqa: B008
        return draw(arrays(np.float64, shape, elements=elements))

    biases = st.one_of(st.floats(-20, 20), st.just(-inf))
    return trace_attention(
        matrix(n_query, n_feature),
        matrix(n_key, n_feature),
        matrix(n_key, n_value),
        draw(st.none() | arrays(bool, (n_query, n_key))),
        bias=matrix(n_query, n_key, elements=biases) if draw(st.booleans()) else None,
        is_causal=draw(st.booleans()),
        scale=draw(st.none() | st.floats(-2, 2)),
        softcap=draw(st.none() | st.floats(0.5, 30)),
    )


def cells(matrix):
    return np.ndindex(matrix.shape)


@given(traces())
def test_score_terms_add_up_to_the_score(trace):
    for i, j in cells(trace.scores):
        terms = score_terms(trace, i, j)
        assert terms.left == tuple(trace.query[i])
        assert terms.right == tuple(trace.key[j])
        assert_reconciles(terms)
        assert terms.total == trace.scores[i, j]


@given(traces())
def test_output_terms_add_up_to_the_output(trace):
    for i, e in cells(trace.output):
        terms = output_terms(trace, i, e)
        assert terms.left == tuple(trace.weights[i])
        assert terms.right == tuple(trace.value[:, e])
        assert_reconciles(terms)
        assert terms.total == trace.output[i, e]


def assert_reconciles(terms):
    assert terms.products == tuple(a * b for a, b in zip(terms.left, terms.right, strict=True))
    size = sum(abs(product) for product in terms.products)
    assert abs(sum(terms.products) - terms.total) <= 8 * ULP * size


@given(traces())
def test_softmax_terms_lead_from_the_masked_scores_to_the_weights(trace):
    for i, row in enumerate(trace.masked.tolist()):
        terms = softmax_terms(trace, i)
        seen = [score for score, allowed in zip(row, trace.allowed[i], strict=True) if allowed]
        assert terms.masked == tuple(row)
        assert terms.allowed == tuple(trace.allowed[i])
        assert terms.largest == (max(seen) if seen else None)
        assert terms.shifted == tuple(score - max(seen) if score > -inf else -inf for score in row)
        assert terms.exponentials == pytest.approx([exp(shifted) for shifted in terms.shifted], rel=1e-14)
        assert terms.total == pytest.approx(sum(terms.exponentials), rel=8 * ULP)
        assert terms.weights == tuple(trace.weights[i])
        if seen:
            shares = [exponential / terms.total for exponential in terms.exponentials]
            assert terms.weights == pytest.approx(shares, rel=8 * ULP)


@given(traces())
def test_a_blocked_key_has_exponential_0_and_a_blind_query_total_0(trace):
    for i in range(len(trace.query)):
        terms = softmax_terms(trace, i)
        for j in np.flatnonzero(~trace.allowed[i]):
            assert (terms.shifted[j], terms.exponentials[j], terms.weights[j]) == (-inf, 0, 0)
        blind = i in trace.blind_queries
        assert (terms.total == 0) == (terms.largest is None) == blind
        if not blind:
            assert terms.total >= 1  # the largest score itself has exponential 1


@given(traces())
def test_terms_are_plain_python_numbers(trace):
    for terms in (score_terms(trace, 0, 0), softmax_terms(trace, 0), output_terms(trace, 0, 0)):
        for number in numbers_in(terms):
            assert type(number) in (float, bool, type(None))


def numbers_in(terms):
    for value in vars(terms).values():
        yield from value if isinstance(value, tuple) else (value,)


def test_scores_too_far_apart_for_their_difference_still_have_terms():
    trace = trace_attention([[1.0]], [[1.5e308], [-1.5e308]], [[1.0], [2.0]])
    terms = softmax_terms(trace, 0)
    assert terms.shifted == (0, -inf)
    assert terms.exponentials == (1, 0)
    assert terms.allowed == (True, True)


def test_article_3_reads_line_by_line_as_on_the_arithmetic_sheet():
    given = example("abc")
    trace = trace_attention(given.query, given.key, given.value)
    assert score_terms(trace, 0, 2) == DotProduct((1, 0), (1, 1), (1, 0), 1)
    # Without the shift the sheet has e^0.7071 = 2.0281, 1, 2.0281, together 5.0562; the shares are the same.
    terms = softmax_terms(trace, 0)
    assert terms.exponentials == pytest.approx((1, 0.493069, 1), abs=1e-6)
    assert terms.total == pytest.approx(2.493069, abs=1e-6)
    unshifted = [exp(score) for score in terms.masked]
    assert unshifted == pytest.approx([2.0281, 1, 2.0281], abs=5e-5)
    assert sum(unshifted) == pytest.approx(5.0562, abs=5e-5)
    assert terms.weights == pytest.approx([e / sum(unshifted) for e in unshifted], rel=1e-14)
    first, second = output_terms(trace, 0, 0), output_terms(trace, 0, 1)
    assert first.products == pytest.approx((4.011, 0, 1.604), abs=5e-4)
    assert (first.total, second.total) == pytest.approx((5.6156, 4.3844), abs=5e-5)


def test_article_2_reads_line_by_line_as_on_the_arithmetic_sheet():
    given = example("love")
    terms = score_terms(trace_attention(given.query, given.key, given.value), 0, 1)
    assert terms.products == pytest.approx((0.40, 1.20, 0.12, 0.24), abs=1e-12)
    assert terms.total == pytest.approx(1.96, abs=1e-12)


def test_a_hidden_key_and_a_blind_query_in_article_3():
    given = example("abc_hide_c")
    hidden = trace_attention(given.query, given.key, given.value, given.allowed)
    assert softmax_terms(hidden, 0).total == pytest.approx(1.493069, abs=1e-6)
    blind = trace_attention(given.query, given.key, given.value, np.zeros((1, 3), dtype=bool))
    nothing = (0.0, 0.0, 0.0)
    assert softmax_terms(blind, 0) == Softmax(
        masked=(-inf,) * 3,
        allowed=(False,) * 3,
        largest=None,
        shifted=(-inf,) * 3,
        exponentials=nothing,
        total=0.0,
        weights=nothing,
    )
    assert output_terms(blind, 0, 0) == DotProduct(nothing, (10, 0, 4), nothing, 0.0)
