"""Right and wrong ways to hide a key, against plain loops, the lesson's table and the reported faults."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core import InputError, masks, softmax, trace_attention
from attention_core.comparisons import (
    FULLY_MASKED_ROWS,
    WAYS_TO_HIDE,
    add_penalty,
    cosine_attention,
    divide_by_sum,
    exponential_becomes_zero,
    fully_masked_nan,
    fully_masked_refused,
    fully_masked_uniform,
    hide_nothing,
    minus_infinity_before,
    multiply_by_minus_1e9,
    score_becomes_zero,
    scores_before_mask,
    share_out,
    zero_after,
    zero_after_and_renormalise,
)

KEY = [[1, 0], [0, 1], [1, 1]]
VALUE = [[10, 0], [0, 10], [4, 6]]
HIDE_C = np.array([[True, True, False]])
HIDE_ALL = np.array([[False, False, False]])

numbers = st.floats(-8, 8)


def scaled(query):
    return scores_before_mask(trace_attention([query], KEY, VALUE))


def mix(weights, value):
    return [sum(w * v[c] for w, v in zip(weights, value, strict=True)) for c in range(len(value[0]))]


def loop_softmax(row):
    """A score of None is hidden. No largest score is subtracted."""
    exponentials = [0.0 if score is None else math.exp(score) for score in row]
    return [e / sum(exponentials) for e in exponentials]


@st.composite
def problems(draw):
    """Scores, a mask and values; every query may look at something."""
    n_query, n_key, n_value = draw(st.integers(1, 4)), draw(st.integers(1, 5)), draw(st.integers(1, 3))
    scores = draw(arrays(float, (n_query, n_key), elements=numbers))
    allowed = draw(arrays(bool, (n_query, n_key)))
    allowed[:, 0] |= ~allowed.any(axis=1)
    return scores, allowed, draw(arrays(float, (n_key, n_value), elements=numbers))


def loop_weights(way, row, allowed):
    pairs = list(zip(row, allowed, strict=True))
    if way == "nothing":
        return loop_softmax(row)
    if way == "score_becomes_zero":
        return loop_softmax([score if may else 0 for score, may in pairs])
    if way in ("minus_infinity_before", "exponential_becomes_zero"):
        return loop_softmax([score if may else None for score, may in pairs])
    if way == "multiply_by_minus_1e9":
        changed = [score if may else score * -1e9 for score, may in pairs]
        return loop_softmax([score - max(changed) for score in changed])
    kept = [weight if may else 0 for weight, may in zip(loop_softmax(row), allowed, strict=True)]
    return kept if way == "zero_after" else [weight / sum(kept) for weight in kept]


@pytest.mark.parametrize("way", WAYS_TO_HIDE)
@given(problem=problems())
def test_each_way_does_what_its_name_says(way, problem):
    scores, allowed, value = problem
    outcome = WAYS_TO_HIDE[way](scores, allowed, value)
    for i, row in enumerate(scores.tolist()):
        weights = loop_weights(way, row, allowed[i].tolist())
        np.testing.assert_allclose(outcome.weights[i], weights, rtol=1e-9, atol=1e-13)
        assert outcome.row_sums[i] == pytest.approx(sum(weights), rel=1e-9)
        np.testing.assert_allclose(outcome.output[i], mix(weights, value.tolist()), rtol=1e-9, atol=1e-11)


# The lesson's table


@pytest.mark.parametrize(
    ("way", "query", "weights", "row_sum", "output"),
    [
        ("nothing", [1, 0], [0.4011, 0.1978, 0.4011], 1, (5.616, 4.384)),
        ("score_becomes_zero", [1, 0], [0.5035, 0.2483, 0.2483], 1, (6.028, 3.972)),
        ("zero_after", [1, 0], [0.4011, 0.1978, 0], 0.5989, (4.011, 1.978)),
        ("zero_after_and_renormalise", [1, 0], [0.6698, 0.3302, 0], 1, (6.698, 3.302)),
        ("minus_infinity_before", [1, 0], [0.6698, 0.3302, 0], 1, (6.698, 3.302)),
        ("exponential_becomes_zero", [1, 0], [0.6698, 0.3302, 0], 1, (6.698, 3.302)),
        ("multiply_by_minus_1e9", [-1, 0], [0, 0, 1], 1, (4, 6)),
    ],
)
def test_the_lessons_comparison_table(way, query, weights, row_sum, output):
    outcome = WAYS_TO_HIDE[way](scaled(query), HIDE_C, VALUE)
    np.testing.assert_allclose(outcome.weights[0], weights, atol=5.1e-5)
    assert outcome.row_sums[0] == pytest.approx(row_sum, abs=5e-5)
    np.testing.assert_allclose(outcome.output[0], output, atol=5.1e-4)


@pytest.mark.parametrize("way", WAYS_TO_HIDE)
def test_only_a_row_that_adds_to_1_keeps_the_output_on_the_segment_of_the_values(way):
    output = WAYS_TO_HIDE[way](scaled([1, 0]), HIDE_C, VALUE).output[0]
    assert (abs(output.sum() - 10) < 1e-9) == (way != "zero_after")


def test_setting_the_score_to_zero_leaves_the_hidden_key_24_8_percent():
    assert score_becomes_zero(scaled([1, 0]), HIDE_C, VALUE).weights[0, 2] == pytest.approx(0.248, abs=5e-4)


@pytest.mark.parametrize(("penalty", "share"), [(0, 0.401), (-2, 0.083), (-5, 0.0045), (-10, 0.00003), (-np.inf, 0.0)])
def test_what_a_penalty_leaves_the_hidden_key(penalty, share):
    left = add_penalty(scaled([1, 0]), HIDE_C, VALUE, penalty).weights[0, 2]
    assert left == pytest.approx(share, rel=0.02, abs=1e-12)


# What holds for any scores


@given(problems())
def test_minus_infinity_before_is_what_the_app_computes(problem):
    scores, allowed, value = problem
    n_query = len(scores)
    trace = trace_attention(np.eye(n_query), scores.T, value, allowed, scale=1.0)
    outcome = minus_infinity_before(scores_before_mask(trace), allowed, value)
    np.testing.assert_array_equal(outcome.scores, trace.masked)
    np.testing.assert_array_equal(outcome.weights, trace.weights)
    np.testing.assert_allclose(outcome.output, trace.output, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("row", [[0.0, 1.0, 2.0], [1000.0, 1.0, 2.0], [-800.0, 1e307, -1e307]])
@pytest.mark.parametrize("hidden", [[True, False, False], [False, True, True], [True, True, True]])
def test_an_exponential_of_0_is_a_score_of_minus_infinity(row, hidden):
    problem = [row], ~np.array([hidden]), VALUE
    zero, before = exponential_becomes_zero(*problem), minus_infinity_before(*problem)
    np.testing.assert_allclose(zero.weights, before.weights, rtol=1e-12)


@given(problems())
def test_renormalising_afterwards_equals_hiding_before(problem):
    after, before = zero_after_and_renormalise(*problem), minus_infinity_before(*problem)
    np.testing.assert_allclose(after.weights, before.weights, rtol=1e-12, atol=1e-15)


def test_renormalising_afterwards_fails_where_the_hidden_score_towers_over_the_rest():
    problem = [[1000.0, 1.0, 2.0]], np.array([[False, True, True]]), VALUE
    assert np.isnan(zero_after_and_renormalise(*problem).weights).all()
    np.testing.assert_allclose(minus_infinity_before(*problem).weights, [[0, 0.268941, 0.731059]], atol=5e-7)


@given(problems(), st.data())
def test_hiding_one_key_divides_the_others_by_what_it_leaves(problem, data):
    scores, _, value = problem
    assume(scores.shape[1] > 1)
    hidden = data.draw(st.integers(0, scores.shape[1] - 1))
    allowed = np.ones(scores.shape, dtype=bool)
    allowed[:, hidden] = False
    before = hide_nothing(scores, allowed, value).weights
    after = minus_infinity_before(scores, allowed, value).weights
    others = np.delete(np.arange(scores.shape[1]), hidden)
    assume((before[:, hidden] < 0.999).all())
    np.testing.assert_allclose(after[:, others], before[:, others] / (1 - before[:, [hidden]]), rtol=1e-9, atol=1e-15)


def test_with_c_hidden_the_shares_change_and_their_ratio_stays_2_028():
    for way in ("nothing", "minus_infinity_before"):
        a, b, _ = WAYS_TO_HIDE[way](scaled([1, 0]), HIDE_C, VALUE).weights[0]
        assert a / b == pytest.approx(2.028, abs=5e-4)


@given(problems(), st.floats(-20, 0))
def test_a_penalty_multiplies_a_hidden_keys_odds_by_its_exponential(problem, penalty):
    scores, allowed, value = problem
    weights = add_penalty(scores, allowed, value, penalty).weights
    for i, row in enumerate(scores.tolist()):
        shares = [math.exp(s) * (1 if allowed[i, j] else math.exp(penalty)) for j, s in enumerate(row)]
        np.testing.assert_allclose(weights[i], np.array(shares) / sum(shares), rtol=1e-9)


@given(problems())
def test_an_infinite_penalty_hides_as_minus_infinity_does(problem):
    expected = minus_infinity_before(*problem).weights
    np.testing.assert_array_equal(add_penalty(*problem, -np.inf).weights, expected)


@given(problems())
def test_a_penalty_of_0_hides_nothing(problem):
    np.testing.assert_array_equal(add_penalty(*problem, 0).weights, hide_nothing(*problem).weights)


@given(problems())
def test_scores_before_mask_carry_a_finite_bias_and_leave_out_an_infinite_one(problem):
    scores, allowed, value = problem
    bias = np.where(allowed, 0.5, -np.inf)
    trace = trace_attention(np.eye(len(scores)), scores.T, value, bias=bias, scale=1.0)
    expected = np.where(allowed, scores + 0.5, scores)
    np.testing.assert_allclose(scores_before_mask(trace), expected, rtol=1e-12)
    np.testing.assert_allclose(
        minus_infinity_before(scores_before_mask(trace), trace.allowed, value).weights,
        trace.weights,
        rtol=1e-12,
    )


# Reported faults


def test_filling_a_fully_masked_row_leaks_its_plain_average_and_minus_infinity_gives_zeros():  # B02
    problem = [[2.0, 1.0, 0.0]], HIDE_ALL, VALUE
    np.testing.assert_allclose(FULLY_MASKED_ROWS["uniform"](*problem).weights, [[1 / 3] * 3], rtol=1e-12)
    assert minus_infinity_before(*problem).weights.tolist() == [[0, 0, 0]]


def test_a_causal_mask_multiplied_before_or_after_softmax():  # B07
    trace = trace_attention(KEY, KEY, KEY, masks.causal(3, 3))
    problem = scores_before_mask(trace), trace.allowed, trace.value
    last = [0.248255, 0.248255, 0.50349]
    right = [[1, 0, 0], [0.330238, 0.669762, 0], last]
    before = [[0.50349, 0.248255, 0.248255], [0.248255, 0.50349, 0.248255], last]
    after = [[0.401112, 0, 0], [0.197776, 0.401112, 0], last]
    np.testing.assert_allclose(minus_infinity_before(*problem).weights, right, atol=5e-7)
    np.testing.assert_allclose(trace.weights, right, atol=5e-7)
    np.testing.assert_allclose(score_becomes_zero(*problem).weights, before, atol=5e-7)
    np.testing.assert_allclose(zero_after(*problem).weights, after, atol=5e-7)
    np.testing.assert_allclose(zero_after(*problem).row_sums, [0.401112, 0.598888, 1], atol=5e-7)


def test_softcap_comes_before_the_mask_and_so_nothing_leaks():  # B13
    allowed = np.array([[True, True, False]])
    trace = trace_attention([[1.0]], [[1.0], [2.0], [3.0]], np.eye(3), allowed, scale=1.0, softcap=5.0)
    np.testing.assert_allclose(trace.weights, [[0.286413, 0.713587, 0]], atol=5e-7)
    capped = [5 * math.tanh(score / 5) for score in (1, 2, -math.inf)]
    np.testing.assert_allclose(loop_softmax(capped), [0.286207, 0.713074, 0.000719], atol=5e-7)
    assert trace.weights[0, 2] == 0


# A query that may look nowhere


def test_the_four_conventions_for_a_blind_row():
    problem = scaled([1, 0]), HIDE_ALL, VALUE
    zeros, nan, uniform = (FULLY_MASKED_ROWS[name](*problem) for name in ("zeros", "nan", "uniform"))
    assert (zeros.weights.tolist(), zeros.output.tolist()) == ([[0, 0, 0]], [[0, 0]])
    assert np.isnan(nan.weights).all()
    assert np.isnan(nan.output).all()
    np.testing.assert_allclose(uniform.weights, [[1 / 3] * 3])
    np.testing.assert_allclose(uniform.output, [[4.667, 5.333]], atol=5e-4)
    with pytest.raises(InputError, match="query 0") as error:
        FULLY_MASKED_ROWS["error"](*problem)
    assert (error.value.reason, error.value.details) == ("blind_query", {"query": 0})


@given(problems())
def test_the_four_conventions_agree_where_no_row_is_blind(problem):
    expected = minus_infinity_before(*problem).weights
    for convention in FULLY_MASKED_ROWS.values():
        np.testing.assert_allclose(convention(*problem).weights, expected, rtol=1e-12, atol=1e-300)


@given(problems(), st.data())
def test_a_blind_row_does_not_touch_its_neighbours(problem, data):
    scores, allowed, value = problem
    assume(len(scores) > 1)
    blind = data.draw(st.integers(0, len(scores) - 1))
    seeing = np.delete(np.arange(len(scores)), blind)
    expected = minus_infinity_before(scores, allowed, value).weights[seeing]
    allowed = allowed.copy()
    allowed[blind] = False
    for convention in (minus_infinity_before, fully_masked_nan, fully_masked_uniform):
        weights = convention(scores, allowed, value).weights
        np.testing.assert_allclose(weights[seeing], expected, rtol=1e-12, atol=1e-300)
    with pytest.raises(InputError, match=f"query {blind} "):
        fully_masked_refused(scores, allowed, value)


def test_adding_minus_1e9_to_a_whole_row_gives_thirds_in_float32_and_the_unmasked_weights_in_float64():
    problem = scaled([1, 0]), HIDE_ALL, VALUE
    single = add_penalty(*problem, -1e9, np.float32).weights
    double = add_penalty(*problem, -1e9, np.float64).weights
    np.testing.assert_allclose(single, [[1 / 3] * 3], rtol=1e-12)
    np.testing.assert_allclose(double, [[0.401112, 0.197776, 0.401112]], atol=1e-6)


def test_padding_blocks_columns_and_blocking_rows_too_only_makes_blind_queries():
    columns = masks.padding(4, 4, 3)
    scores, value = np.zeros((4, 4)), np.eye(4)
    assert np.isfinite(fully_masked_nan(scores, columns, value).weights).all()
    both = fully_masked_nan(scores, columns & columns.T, value)
    assert np.isnan(both.output).any(axis=1).tolist() == [False, False, False, True]
    rows = fully_masked_nan(scores, columns.T, value)
    assert rows.weights[0, 3] == 0.25  # rows alone do not keep anyone from reading the padding


# The exercises


def test_4a_with_c_hidden_a_weighs_0_670_and_the_distractors_are_other_numbers():
    a, b, c = hide_nothing(scaled([1, 0]), HIDE_C, VALUE).weights[0]
    answer = minus_infinity_before(scaled([1, 0]), HIDE_C, VALUE).weights[0, 0]
    assert answer == pytest.approx(0.670, abs=0.0005)
    distractors = {"unchanged": a, "halves": 0.5, "c split equally": a + c / 2}
    np.testing.assert_allclose(list(distractors.values()), [0.401, 0.5, 0.602], atol=5e-4)
    assert all(abs(answer - wrong) > 0.005 for wrong in distractors.values())
    assert answer == pytest.approx(a / (a + b))


def test_4b_only_hiding_c_brings_the_query_1_1_to_5_5():
    solutions = []
    for pattern in range(1, 8):
        allowed = np.array([[bool(pattern >> j & 1) for j in range(3)]])
        output = minus_infinity_before(scaled([1, 1]), allowed, VALUE).output[0]
        if np.abs(output - 5).max() <= 0.01:
            solutions.append(allowed.tolist())
    assert solutions == [HIDE_C.tolist()]


def test_4c_minus_7_is_the_mildest_whole_penalty_that_leaks_less_than_a_thousandth():
    leaks = [add_penalty(scaled([1, 0]), HIDE_C, VALUE, -p).weights[0, 2] for p in range(21)]
    assert leaks.index(next(leak for leak in leaks if leak < 0.001)) == 7
    assert add_penalty(scaled([1, 0]), HIDE_C, VALUE, -6.505).weights[0, 2] > 0.001
    assert add_penalty(scaled([1, 0]), HIDE_C, VALUE, -6.507).weights[0, 2] < 0.001


def test_4d_the_only_self_mask_makes_the_output_the_values():
    trace = trace_attention(KEY, KEY, VALUE, masks.only_self(3, 3))
    np.testing.assert_array_equal(trace.weights, np.eye(3))
    np.testing.assert_array_equal(trace.output, VALUE)


def test_4e_55_cells_are_causal_and_27_causal_with_a_window_of_2():
    causal = masks.causal(10, 10)
    assert causal.sum() == 55
    assert (causal & masks.sliding_window(10, 10, 2, None)).sum() == 27


def test_4f_eight_words_and_two_pads():
    allowed = masks.padding(10, 10, 8)
    assert allowed.sum() == 80
    assert not allowed[:, 8:].any()
    assert allowed.any(axis=1).all()
    with_causal = allowed & masks.causal(10, 10)
    assert with_causal.sum() == 52
    assert with_causal.any(axis=1).all()


def test_4g_an_empty_row_gives_nan_and_the_finite_filler_leaks():
    problem = scaled([1, 0]), HIDE_ALL, VALUE
    assert np.isnan(fully_masked_nan(*problem).output).all()
    leaking = FULLY_MASKED_ROWS["uniform"](*problem).output
    np.testing.assert_allclose(leaking[0], np.mean(VALUE, axis=0))
    assert leaking.any()


@pytest.mark.parametrize(("is_causal", "moved"), [(True, [2]), (False, [0, 1, 2])])
def test_4h_which_rows_move_when_the_last_token_changes(is_causal, moved):
    key, value = np.array(KEY, dtype=float), np.array(VALUE, dtype=float)
    before = trace_attention(key, key, value, is_causal=is_causal).output
    key[2], value[2] = [2, -1], [0, 3]
    after = trace_attention(key, key, value, is_causal=is_causal).output
    assert np.flatnonzero((before != after).any(axis=1)).tolist() == moved


@pytest.mark.parametrize(
    ("query", "takes_all"), [([-1, 0], True), ([0.5, -0.6], True), ([1, 0], False), ([1, -0.9], False)]
)
def test_4i_times_minus_1e9_gives_c_everything_when_its_score_is_negative(query, takes_all):
    weight = multiply_by_minus_1e9(scaled(query), HIDE_C, VALUE).weights[0, 2]
    assert (weight > 0.99) == takes_all
    assert takes_all or weight == 0


# Cosine, dividing by the sum, the other axis


@given(arrays(float, (3, 4), elements=numbers), arrays(float, (2, 4), elements=numbers))
def test_cosines_are_dot_products_over_both_lengths(query, key):
    lengths = [math.hypot(*row) for row in (*query, *key)]
    assume(min(lengths) > 1e-3)
    found = cosine_attention(query, key, np.eye(len(key))).scores
    for i, q in enumerate(query):
        for j, k in enumerate(key):
            dot = sum(a * b for a, b in zip(q, k, strict=True))
            assert found[i, j] == pytest.approx(dot / lengths[i] / lengths[3 + j], abs=1e-12)


@given(st.floats(1e-300, 1e300), st.floats(1e-300, 1e300))
def test_cosines_forget_all_lengths(stretch_query, stretch_key):
    found = cosine_attention(
        [[3 * stretch_query, 4 * stretch_query]], [[stretch_key, 0], [0, 2 * stretch_key]], np.eye(2)
    ).scores
    np.testing.assert_allclose(found, [[0.6, 0.8]], rtol=1e-12)


def test_in_article_1_cosines_and_scaled_scores_agree_on_two_of_three_keys():
    query, key = [[1, 1]], [[1, 0], [1, 1], [0, 1]]
    np.testing.assert_allclose(cosine_attention(query, key, np.eye(len(key))).scores, [[0.707, 1, 0.707]], atol=5e-4)
    trace = trace_attention(query, key, np.eye(3))
    np.testing.assert_allclose(trace.scaled, [[0.707, 1.414, 0.707]], atol=5e-4)


@pytest.mark.parametrize(("name", "query", "key"), [("query", [[0, 0]], KEY), ("key", [[1, 0]], [[1, 1], [0, 0]])])
def test_a_vector_of_zeros_has_no_cosine(name, query, key):
    with pytest.raises(InputError) as error:
        cosine_attention(query, key, np.eye(len(key)))
    assert error.value.reason == "zero_vector"
    assert error.value.details == {"name": name, "row": len(key) - 1 if name == "key" else 0}


def test_cosines_need_as_many_features_on_both_sides():
    with pytest.raises(InputError) as error:
        cosine_attention([[1, 2]], [[1, 2, 3]], [[1]])
    assert error.value.reason == "features_differ"


def test_dividing_by_the_sum_known_values():
    np.testing.assert_allclose(divide_by_sum([[-0.5, 0.2, 0.4]]), [[-5, 2, 4]])
    assert divide_by_sum([[1, 2, 1]]).tolist() == [[0.25, 0.5, 0.25]]
    assert divide_by_sum([[1, 2], [3, 2]], axis=0).tolist() == [[0.25, 0.5], [0.75, 0.5]]


@pytest.mark.parametrize(
    ("scores", "axis", "line"),
    [
        ([[1, -1, 0]], -1, 0),
        ([[1, 2, 1], [0.1, 0.2, -0.3]], -1, 1),
        ([[0, 0]], -1, 0),
        ([[1, 2, 0.5], [1, -2, 3]], 0, 1),
    ],
)
def test_scores_that_add_to_zero_cannot_be_divided_by_their_sum(scores, axis, line):
    with pytest.raises(InputError) as error:
        divide_by_sum(scores, axis)
    assert error.value.reason == "sum_is_zero"
    assert error.value.details == {"line": line, "axis": axis}


def test_softmax_needs_no_sum_above_zero():
    weights = softmax(scaled([1, -1]))
    np.testing.assert_allclose(weights, [[0.576, 0.140, 0.284]], atol=5e-4)


@given(arrays(float, (2, 3), elements=st.floats(0.01, 9)), st.sampled_from([0, 1]))
def test_positive_scores_divided_by_their_sum_add_to_1(scores, axis):
    found = divide_by_sum(scores, axis)
    np.testing.assert_allclose(found.sum(axis=axis), 1)
    np.testing.assert_allclose(found * scores.sum(axis=axis, keepdims=True), scores)


def test_softmax_over_columns_breaks_the_row_sums():
    scores = scores_before_mask(trace_attention(KEY, KEY, VALUE))
    np.testing.assert_allclose(softmax(scores).sum(axis=1), 1)
    columns = softmax(scores, axis=0)
    np.testing.assert_allclose(columns.sum(axis=0), 1)
    np.testing.assert_allclose(columns.sum(axis=1), [0.847, 0.847, 1.306], atol=5e-4)


# What is refused


@pytest.mark.parametrize("way", [*WAYS_TO_HIDE.values(), *FULLY_MASKED_ROWS.values()])
@pytest.mark.parametrize(
    ("scores", "allowed", "value", "reason"),
    [
        ([[0.0, np.inf]], np.array([[True, True]]), [[1.0], [2.0]], "not_finite"),
        ([[0.0, np.nan]], np.array([[True, True]]), [[1.0], [2.0]], "not_finite"),
        ([[0.0, 1.0]], np.array([[True, True]]), [[1.0], [np.inf]], "not_finite"),
        ([[0.0, 1.0]], np.array([[1, 0]]), [[1.0], [2.0]], "mask_not_boolean"),
        ([[0.0, 1.0]], np.array([[True]]), [[1.0], [2.0]], "mask_shape"),
        ([[0.0, 1.0]], np.array([[True, True]]), [[1.0]], "rows_differ"),
    ],
)
def test_every_way_refuses_what_does_not_fit(way, scores, allowed, value, reason):
    with pytest.raises(InputError) as error:
        way(scores, allowed, value)
    assert error.value.reason == reason


@pytest.mark.parametrize("penalty", [0.1, 5, np.inf, np.nan])
def test_a_penalty_above_0_is_refused(penalty):
    with pytest.raises(InputError) as error:
        add_penalty([[0.0]], np.array([[True]]), [[1.0]], penalty)
    assert error.value.reason == "penalty_positive"


def test_a_score_that_overflows_on_the_way_is_named():
    with pytest.raises(InputError) as error:
        multiply_by_minus_1e9([[0.0, -1e305]], np.array([[True, False]]), [[1.0], [2.0]])
    assert (error.value.reason, error.value.details["column"]) == ("overflow", 1)


def test_outcomes_are_read_only_and_inputs_untouched():
    scores, value = np.array([[1.0, 2.0]]), np.array([[1.0], [2.0]])
    allowed = np.array([[True, False]])
    for way in (*WAYS_TO_HIDE.values(), *FULLY_MASKED_ROWS.values()):
        outcome = way(scores, allowed, value)
        for array in (outcome.scores, outcome.weights, outcome.row_sums, outcome.output):
            assert not array.flags.writeable
    scores[0, 0] = value[0, 0] = 9  # still ours to change
    assert (scores.tolist(), value.tolist()) == ([[9, 2]], [[9], [2]])


@pytest.mark.parametrize(
    ("trace", "sharing"),
    [
        (trace_attention([[0.0]], [[0.0], [0.0]], [[1e308], [1e308]]), "columns"),
        (trace_attention([[1.0]], [[3.0], [-2.0]], [[1e308], [-1e308]]), "sum"),
        (cosine_attention([[1.0, 0.0]], [[1.0, 0.0], [-0.5, 3.0]], [[1.7e308], [-1e308]]), "sum"),
    ],
)
def test_an_output_of_other_weights_that_overflows_is_named(trace, sharing):
    with pytest.raises(InputError) as error:
        share_out(trace, sharing)
    assert (error.value.reason, error.value.details["step"]) == ("overflow", "output")


def test_scores_whose_sum_overflows_are_shared_out_as_smaller_ones_are():
    assert divide_by_sum([[1e308, 1e308]]).tolist() == [[0.5, 0.5]]
    assert divide_by_sum([[1e308, 1e308, -1e308]]).tolist() == [[1.0, 1.0, -1.0]]
