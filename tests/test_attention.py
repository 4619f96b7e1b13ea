"""trace_attention: as plain loops, its properties, the articles' numbers, known faults, and what it refuses.

Most tests take the core as an argument, so that test_mutants.py can hand them a wrong one.
"""

from fractions import Fraction
from math import exp, fsum, inf, nan, sqrt, tanh

import numpy as np
import oracle
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import attention_core
from attention_core import InputError

settings.register_profile("lab", deadline=None, max_examples=60)  # shared machines stall
settings.load_profile("lab")
pytestmark = pytest.mark.filterwarnings("error")
EPS = np.finfo(np.float64).eps
STEPS = ("scores", "scaled", "capped", "masked", "weights", "output")


@pytest.fixture(scope="module")
def core():
    return attention_core


def close(found, expected, atol=5e-7):
    """Equal to six decimals (or closer, where atol says so)."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=atol)


def from_scores(core, scores, value=None, **settings):
    """The trace whose scores are exactly these: the queries are the identity."""
    scores = np.asarray(scores, dtype=float)
    value = np.zeros((scores.shape[1], 1)) if value is None else value
    return core.trace_attention(np.eye(len(scores)), scores.T, value, **{"scale": 1, **settings})


def attempt(core, *arguments, **settings):
    """(trace, None), or (None, error) if the arguments were refused."""
    try:
        return core.trace_attention(*arguments, **settings), None
    except InputError as error:
        return None, error


def numbers(largest):
    return st.floats(-largest, largest, allow_subnormal=False)


def matrices(n_row, n_column, largest=10):
    return arrays(np.float64, (n_row, n_column), elements=numbers(largest))


@st.composite
def problems(draw):
    """Arguments of trace_attention: any shape; mask, bias, causal, scale, softcap each present or not."""
    n_query, n_key, n_feature, n_value = (draw(st.integers(1, 5)) for _ in range(4))
    problem = {
        "query": draw(matrices(n_query, n_feature)),
        "key": draw(matrices(n_key, n_feature)),
        "value": draw(matrices(n_key, n_value)),
    }
    if draw(st.booleans()):
        problem["attn_mask"] = draw(arrays(bool, (n_query, n_key)))
    if draw(st.booleans()):
        problem["bias"] = draw(arrays(np.float64, (n_query, n_key), elements=numbers(10) | st.just(-inf)))
    problem["is_causal"] = draw(st.booleans())
    problem["scale"] = draw(st.none() | numbers(2))
    problem["softcap"] = draw(st.none() | st.floats(0.1, 50))
    return problem


# ---- the same numbers as plain loops ----


@given(problem=problems())
@settings(max_examples=200)
def test_every_step_is_what_plain_loops_find(core, problem):
    trace = core.trace_attention(**problem)
    lists = {name: given.tolist() if hasattr(given, "tolist") else given for name, given in problem.items()}
    lists["allowed"] = lists.pop("attn_mask", None)
    expected = oracle.attention(**lists)
    for step in STEPS:
        np.testing.assert_allclose(getattr(trace, step), expected[step], rtol=1e-11, atol=1e-11, err_msg=step)
    assert trace.blind_queries.tolist() == expected["blind_queries"]
    assert not trace.weights[trace.masked == -inf].any()
    assert np.array_equal(trace.allowed, trace.masked > -inf)


@given(problem=problems())
def test_a_float_mask_is_a_bias_and_the_two_add_up(core, problem):
    bias = problem.pop("bias", np.zeros((len(problem["query"]), len(problem["key"]))))
    problem.pop("attn_mask", None)
    as_bias = core.trace_attention(**problem, bias=bias)
    as_mask = core.trace_attention(**problem, attn_mask=bias)
    in_two = core.trace_attention(**problem, attn_mask=bias / 2, bias=bias / 2)
    for step in STEPS:
        assert np.array_equal(getattr(as_bias, step), getattr(as_mask, step))
        assert np.array_equal(getattr(as_bias, step), getattr(in_two, step))
    assert np.array_equal(as_bias.allowed, in_two.allowed)


def test_the_softcap_comes_after_the_scale_and_before_the_bias(core):
    trace = from_scores(core, [[4, -2]], scale=0.5, softcap=3, bias=[[1, 5]])
    close(trace.capped, [[3 * tanh(2 / 3), -3 * tanh(1 / 3)]], atol=1e-14)
    close(trace.masked, [[3 * tanh(2 / 3) + 1, -3 * tanh(1 / 3) + 5]], atol=1e-14)


def test_float32_has_no_part_in_it(core):
    trace = core.trace_attention([[1 / 3]], [[0.1], [0.2]], [[1 / 7], [2 / 7]])
    weights = oracle.softmax([0.1 / 3, 0.2 / 3])
    close(trace.weights, [weights], atol=1e-15)
    close(trace.output, [[weights[0] / 7 + weights[1] * 2 / 7]], atol=1e-15)
    assert {getattr(trace, step).dtype for step in STEPS} == {np.dtype(np.float64)}


# ---- properties ----


@given(problem=problems())
def test_rows_add_to_one_within_8_ulp_or_to_exactly_0(core, problem):
    trace = core.trace_attention(**problem)
    for i, row in enumerate(trace.weights):
        if i in trace.blind_queries:
            assert not row.any()
            assert not trace.output[i].any()
        else:
            assert abs(fsum(row) - 1) <= 8 * EPS
        assert (row >= 0).all()


def test_a_row_of_65536_weights_still_adds_to_one_within_8_ulp(core):
    scores = np.random.default_rng(1).normal(size=(1, 65_536)) * 3
    assert abs(fsum(core.softmax(scores)[0]) - 1) <= 8 * EPS


@given(problem=problems(), data=st.data())
def test_weights_do_not_depend_on_the_values_at_all(core, problem, data):
    other = dict(problem, value=data.draw(matrices(len(problem["key"]), 3, largest=1e6)))
    assert np.array_equal(core.trace_attention(**problem).weights, core.trace_attention(**other).weights)


@given(problem=problems(), data=st.data(), a=numbers(5), b=numbers(5))
def test_output_is_linear_in_the_values(core, problem, data, a, b):
    first = problem["value"]
    second = data.draw(matrices(*first.shape))
    outputs = [
        core.trace_attention(**dict(problem, value=value)).output for value in (first, second, a * first + b * second)
    ]
    close(a * outputs[0] + b * outputs[1], outputs[2], atol=1e-12)


@given(problem=problems())
def test_output_lies_between_the_smallest_and_the_largest_allowed_value(core, problem):
    trace = core.trace_attention(**problem)
    slack = 16 * EPS * np.abs(trace.value).max()
    for i in set(range(len(trace.query))) - set(trace.blind_queries.tolist()):
        seen = trace.value[trace.allowed[i]]
        assert (trace.output[i] >= seen.min(axis=0) - slack).all()
        assert (trace.output[i] <= seen.max(axis=0) + slack).all()


@given(problem=problems(), shift=numbers(1e6))
def test_adding_a_constant_to_a_row_changes_no_weight(core, problem, shift):
    bias = problem.pop("bias", np.zeros((len(problem["query"]), len(problem["key"]))))
    before = core.trace_attention(**problem, bias=bias)
    after = core.trace_attention(**problem, bias=bias + shift)
    largest = np.abs(before.masked[before.allowed]).max(initial=0)
    close(after.weights, before.weights, atol=4 * EPS * (abs(shift) + largest + 1))


@given(problem=problems(), data=st.data())
def test_permuting_keys_with_their_values_changes_no_output(core, problem, data):
    order = data.draw(st.permutations(range(len(problem["key"]))))
    problem["is_causal"] = False
    moved = {
        **problem,
        "key": problem["key"][order],
        "value": problem["value"][order],
        **{name: problem[name][:, order] for name in ("attn_mask", "bias") if name in problem},
    }
    before, after = core.trace_attention(**problem), core.trace_attention(**moved)
    close(after.weights, before.weights[:, order], atol=1e-12)
    close(after.output, before.output, atol=1e-11)


@given(problem=problems(), data=st.data())
def test_permuting_queries_permutes_the_rows(core, problem, data):
    order = data.draw(st.permutations(range(len(problem["query"]))))
    problem["is_causal"] = False
    moved = {
        **problem,
        "query": problem["query"][order],
        **{name: problem[name][order] for name in ("attn_mask", "bias") if name in problem},
    }
    before, after = core.trace_attention(**problem), core.trace_attention(**moved)
    close(after.weights, before.weights[order], atol=1e-12)
    close(after.output, before.output[order], atol=1e-11)


@given(problem=problems(), data=st.data())
def test_hiding_a_key_shares_its_weight_out_in_proportion(core, problem, data):
    hidden = data.draw(st.integers(0, len(problem["key"]) - 1))
    before = core.trace_attention(**problem)
    mask = problem.pop("attn_mask", np.ones(before.weights.shape, dtype=bool)).copy()
    mask[:, hidden] = False
    after = core.trace_attention(**problem, attn_mask=mask)
    assert not after.weights[:, hidden].any()
    for old, new in zip(before.weights, after.weights, strict=True):
        if old[hidden] < 0.999:
            rest = old / (1 - old[hidden])
            rest[hidden] = 0
            close(new, rest, atol=1e-11)


@given(scores=matrices(3, 4, largest=300))
def test_ratios_of_the_weights_are_exponentials_of_the_gaps(core, scores):
    weights = from_scores(core, scores).weights
    assume((weights > 1e-300).all())
    close(np.log(weights) - np.log(weights[:, :1]), scores - scores[:, :1], atol=1e-11)


@given(scores=matrices(4, 3))
def test_softmax_works_along_any_axis(core, scores):
    along_rows = np.array([oracle.softmax(row) for row in scores.tolist()])
    close(core.softmax(scores), along_rows, atol=1e-14)
    close(core.softmax(scores.T, axis=0), along_rows.T, atol=1e-14)


@pytest.mark.parametrize("n_feature", [1, 2, 3, 4, 64, 512])
def test_the_default_scale_is_one_over_the_root_of_the_features_of_the_keys(core, n_feature):
    ones = np.ones((1, n_feature))
    trace = core.trace_attention(ones, ones, [[1.0]])
    assert trace.scale == 1 / sqrt(n_feature)
    close(trace.scaled, [[sqrt(n_feature)]], atol=1e-12)


def test_extreme_scores_are_exact(core):
    close(from_scores(core, [[1000, 999]]).weights, [[0.731059, 0.268941]])
    close(from_scores(core, [[-1000, -1001]]).weights, [[0.731059, 0.268941]])
    assert from_scores(core, [[1e308, -1e308]]).weights.tolist() == [[1, 0]]
    assert from_scores(core, [[1e154, 1e154]]).weights.tolist() == [[0.5, 0.5]]


# ---- what a trace is ----


def test_the_inputs_are_copied_and_the_arrays_are_read_only(core):
    query, key, value = np.eye(2), np.eye(2), np.eye(2)
    mask, bias = np.ones((2, 2), dtype=bool), np.zeros((2, 2))
    trace = core.trace_attention(query, key, value, mask, bias=bias)
    for name, mine in (("query", query), ("key", key), ("value", value), ("allowed", mask), ("bias", bias)):
        assert not np.shares_memory(getattr(trace, name), mine)
        assert mine.flags.writeable
    for name in ("query", "key", "value", "allowed", "bias", *STEPS):
        with pytest.raises(ValueError, match="read-only"):
            getattr(trace, name)[0, 0] = 1


def test_what_was_asked_for_stands_in_the_trace(core):
    trace = core.trace_attention(np.eye(2), np.eye(2), np.eye(2), scale=np.float32(0.5), softcap=3)
    assert (trace.scale, trace.softcap, trace.bias) == (0.5, 3.0, None)
    assert type(trace.scale) is type(trace.softcap) is float
    with pytest.raises(AttributeError):
        trace.scale = 1


def test_each_blind_query_is_named(core):
    mask = [[False, False], [True, False], [False, False]]
    trace = core.trace_attention(np.eye(3), np.ones((2, 3)), np.ones((2, 1)), mask)
    assert trace.blind_queries.tolist() == [0, 2]
    assert trace.output.tolist() == [[0], [1], [0]]


def test_a_query_blinded_by_mask_and_bias_together_is_named(core):
    eye = np.eye(2)
    trace = core.trace_attention(eye, eye, eye, [[True, False], [True, True]], bias=[[-inf, 0], [0, 0]])
    assert trace.blind_queries.tolist() == [0]
    assert trace.weights[0].tolist() == [0, 0]


# ---- the numbers of the articles ----

A3_KEY, A3_VALUE = [[1, 0], [0, 1], [1, 1]], [[10, 0], [0, 10], [4, 6]]


def test_article_1(core):
    trace = core.trace_attention([[1, 1]], [[1, 0], [1, 1], [0, 1]], np.eye(3))
    assert trace.scores.tolist() == [[1, 2, 1]]
    close(trace.scaled, [[0.707107, 1.414214, 0.707107]])
    close(trace.weights, [[0.248255, 0.503490, 0.248255]])


def test_article_2(core):
    key = [[0.2, 0.9, 0.1, 0.7], [0.8, 1, 0.4, 0.3], [1.1, 0.7, 0.6, 1]]
    trace = core.trace_attention([[0.5, 1.2, 0.3, 0.8]], key, np.eye(3))
    close(trace.scores, [[1.77, 1.96, 2.37]])
    close(trace.scaled, [[0.885, 0.980, 1.185]])
    close(trace.weights, [[0.289896, 0.318786, 0.391318]])


def test_article_3(core):
    trace = core.trace_attention([[1, 0]], A3_KEY, A3_VALUE)
    close(trace.weights, [[0.401112, 0.197776, 0.401112]])
    close(trace.output, [[5.615569, 4.384431]])


def test_article_3_with_the_third_token_hidden(core):
    trace = core.trace_attention([[1, 0]], A3_KEY, A3_VALUE, [[True, True, False]])
    close(trace.weights, [[0.669762, 0.330238, 0]])
    close(trace.output, [[6.697615, 3.302385]])


def test_article_3_with_a_query_of_zeros(core):
    trace = core.trace_attention([[0, 0]], A3_KEY, A3_VALUE)
    close(trace.weights, [[1 / 3, 1 / 3, 1 / 3]])
    close(trace.output, [[4.666667, 5.333333]])


@pytest.mark.parametrize(("query", "mask"), [([1, 0], None), ([1, 0], [[True, True, False]]), ([0, 0], None)])
def test_article_3_with_all_values_one(core, query, mask):
    close(core.trace_attention([query], A3_KEY, np.ones((3, 2)), mask).output, [[1, 1]])


ARTICLE_2_TABLE = [
    [0.03, 0.42, 0.08, 0.02, 0.10, 0.20, 0.05, 0.10],
    [0.02, 0.30, 0.12, 0.03, 0.05, 0.20, 0.10, 0.18],
    [0.04, 0.35, 0.15, 0.16, 0.20, 0.02, 0.03, 0.05],
]


def test_article_2s_table_comes_from_three_features_exactly(core):
    logs = np.log(ARTICLE_2_TABLE)
    key = sqrt(3) * (logs - logs.mean(axis=1, keepdims=True)).T
    close(core.trace_attention(np.eye(3), key, np.eye(8)).weights, ARTICLE_2_TABLE)


def test_article_2s_table_comes_from_one_decimal_keys_to_two_decimals(core):
    key = [
        *([-1.7, -2.6, -1.3], [2.9, 2.1, 2.5], [0, 0.5, 1.0], [-2.4, -1.9, 1.1]),
        *([0.4, -1.0, 1.5], [1.6, 1.4, -2.5], [-0.8, 0.2, -1.7], [0.4, 1.2, -0.9]),
    ]
    weights = core.trace_attention(np.eye(3), key, np.eye(8)).weights
    assert weights.round(2).tolist() == ARTICLE_2_TABLE


# ---- known faults of attention code, by their number ----

THREE = np.array([[1, 0], [0, 1], [1, 1]])
CAUSAL_WEIGHTS = [[1, 0, 0], [0.330238, 0.669762, 0], [0.248255, 0.248255, 0.503490]]


def test_b01_a_row_with_nothing_allowed_is_zeros_and_named(core):
    mask = [[True, True], [False, False]]
    trace = core.trace_attention(np.eye(2), np.eye(2), [[1, 2], [3, 4]], mask, scale=1 / sqrt(2))
    close(trace.weights, [[0.669762, 0.330238], [0, 0]])
    close(trace.output, [[1.660477, 2.660477], [0, 0]])
    assert trace.weights[1].tolist() == trace.output[1].tolist() == [0, 0]
    assert trace.blind_queries.tolist() == [1]


def test_b02_a_blind_row_is_not_uniform(core):
    trace = from_scores(core, [[2, 1, 0]], np.ones((3, 1)), attn_mask=[[False] * 3])
    assert trace.weights.tolist() == [[0, 0, 0]]
    assert trace.output.tolist() == [[0]]
    assert trace.blind_queries.tolist() == [0]


def test_b04_no_score_is_low_enough_to_lose_to_a_blocked_key(core):
    for low in (-200_000, -1e9, -1e15, -1e300):
        trace = from_scores(core, [[low, 1.5 * low]], attn_mask=[[True, False]])
        assert trace.weights.tolist() == [[1, 0]]


def test_b05_true_means_may_look(core):
    lower = np.tri(3, dtype=bool)
    trace = core.trace_attention(THREE, THREE, THREE, lower)
    close(trace.weights, CAUSAL_WEIGHTS)
    close(trace.output, [[1, 0], [0.330238, 0.669762], [0.751745, 0.751745]])
    other = core.trace_attention(THREE, THREE, THREE, ~lower)
    close(other.weights, [[0, 0.330238, 0.669762], [0, 0, 1], [0, 0, 0]])


def test_b07_and_b08_blocked_cells_are_0_and_the_rest_is_shared_out(core):
    trace = core.trace_attention(THREE, THREE, THREE, is_causal=True)
    close(trace.weights, CAUSAL_WEIGHTS)
    assert not np.triu(trace.weights, 1).any()
    close(trace.weights.sum(axis=1), [1, 1, 1], atol=8 * EPS)


def test_b10_causal_with_more_keys_than_queries_starts_top_left_and_can_end_bottom_right(core):
    query, key, value = np.zeros((2, 1)), np.zeros((5, 1)), [[1], [2], [3], [4], [5]]
    top_left = core.trace_attention(query, key, value, is_causal=True)
    assert top_left.allowed.astype(int).tolist() == [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0]]
    close(top_left.weights, [[1, 0, 0, 0, 0], [0.5, 0.5, 0, 0, 0]])
    close(top_left.output, [[1], [1.5]])
    bottom_right = core.trace_attention(query, key, value, core.masks.causal(2, 5, offset=3))
    close(bottom_right.weights, [[0.25, 0.25, 0.25, 0.25, 0], [0.2] * 5])
    close(bottom_right.output, [[2.5], [3]])


def test_b11_bottom_right_with_more_queries_than_keys_leaves_the_first_rows_blind(core):
    query, key, value = np.zeros((5, 1)), np.zeros((2, 1)), [[1], [2]]
    close(core.trace_attention(query, key, value, is_causal=True).output, [[1], [1.5], [1.5], [1.5], [1.5]])
    trace = core.trace_attention(query, key, value, core.masks.causal(5, 2, offset=-3))
    close(trace.output, [[0], [0], [0], [1], [1.5]])
    assert trace.blind_queries.tolist() == [0, 1, 2]


def test_b13_the_softcap_comes_before_the_mask(core):
    trace = from_scores(core, [[1, 2, 3]], attn_mask=[[True, True, False]], softcap=5)
    close(trace.weights, [[0.286413, 0.713587, 0]])
    assert trace.weights[0, 2] == 0


def test_b14_a_scale_of_0_is_honoured(core):
    blank = core.trace_attention([[1, 2]], np.eye(2), [[10], [20]])
    close(blank.weights, [[0.330238, 0.669762]])
    close(blank.output, [[16.697615]])
    typed = core.trace_attention([[1, 2]], np.eye(2), [[10], [20]], scale=0)
    assert typed.weights.tolist() == [[0.5, 0.5]]
    assert typed.output.tolist() == [[15]]


def test_b16_both_ways_to_scale_agree(core):
    query, key, value = np.ones((1, 4)), np.array([[1.0] * 4, [0.0] * 4]), np.eye(2)
    root = 4**-0.25
    close(core.trace_attention(query, key, value).weights, [[0.880797, 0.119203]])
    close(core.trace_attention(query * root, key * root, value, scale=1).weights, [[0.880797, 0.119203]])
    close(core.trace_attention(query, key, value, scale=root).weights, [[0.944193, 0.055807]])


def test_b17_softmax_is_over_the_keys(core):
    trace = from_scores(core, [[1, 2, 3], [1, 0, 0]])
    close(trace.weights, [[0.090031, 0.244728, 0.665241], [0.576117, 0.211942, 0.211942]])


def test_b19_equal_very_low_scores_share_evenly(core):
    assert from_scores(core, [[-10_000, -10_000]]).weights.tolist() == [[0.5, 0.5]]


def test_b20_infinite_scores_are_refused(core):
    with pytest.raises(InputError) as refused:
        core.trace_attention([[1.0]], [[inf], [1]], [[1], [1]])
    assert (refused.value.reason, refused.value.details["row"]) == ("not_finite", 0)
    with pytest.raises(InputError) as refused:
        core.trace_attention([[1e200, 1e200]], [[1e200, 1e200]], [[1.0]])
    assert (refused.value.reason, refused.value.details["step"]) == ("overflow", "scores")


def test_b22_half_precision_with_a_boolean_mask_matches_float64(core):
    with np.errstate(over="ignore"):
        assert np.float16(-1e9) == -inf
        assert np.float16(70_000) == inf
    exact = core.trace_attention(THREE / 3, THREE / 3, THREE / 3, is_causal=True)
    half = (THREE / 3).astype(np.float16)
    close(core.trace_attention(half, half, half, is_causal=True).weights, exact.weights, atol=1e-3)


def test_b23_a_product_too_large_for_half_precision_is_right(core):
    half = np.full((1, 64), 40, dtype=np.float16)
    with np.errstate(over="ignore"):
        assert (half @ half.T).item() == inf
    trace = core.trace_attention(half, half, [[1.0]])
    assert (trace.scores.item(), trace.scaled.item(), trace.weights.item()) == (102_400, 12_800, 1)


def test_b25_causal_with_padding_on_the_left_leaves_the_first_row_blind(core):
    mask = core.masks.padding(3, 3, 2, side="left")
    trace = core.trace_attention(THREE, THREE, THREE, mask, is_causal=True)
    assert trace.allowed.astype(int).tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 1]]
    close(trace.weights, [[0, 0, 0], [0, 1, 0], [0, 0.330238, 0.669762]])
    close(trace.output, [[0, 0], [0, 1], [0.669762, 1]])
    assert trace.blind_queries.tolist() == [0]


def test_b26_padding_blocks_a_column_and_leaves_the_row(core):
    trace = core.trace_attention(THREE, THREE, THREE, core.masks.padding(3, 3, 2))
    close(trace.weights, [[0.669762, 0.330238, 0], [0.330238, 0.669762, 0], [0.5, 0.5, 0]])


def test_b28_no_option_switches_the_causal_mask_off(core):
    everything = np.ones((3, 3), dtype=bool)
    for options in (
        {"attn_mask": everything},
        {"bias": np.zeros((3, 3))},
        {"attn_mask": np.zeros((3, 3))},
        {"scale": 1 / sqrt(2)},
        {"softcap": 1e6},
        {"attn_mask": everything, "bias": np.zeros((3, 3)), "softcap": 1e6},
    ):
        trace = core.trace_attention(THREE, THREE, THREE, is_causal=True, **options)
        close(trace.weights, CAUSAL_WEIGHTS)
        assert not np.triu(trace.weights, 1).any()


def test_b29_every_step_of_a_blind_row_agrees(core):
    for blocking in ({"attn_mask": [[False, False]]}, {"bias": [[-inf, -inf]]}):
        trace = core.trace_attention([[1, 2]], np.eye(2), np.eye(2), **blocking)
        assert trace.allowed.tolist() == [[False, False]]
        assert trace.masked.tolist() == [[-inf, -inf]]
        assert trace.weights.tolist() == trace.output.tolist() == [[0, 0]]
        assert trace.blind_queries.tolist() == [0]


def test_b34_values_may_have_another_width_than_keys(core):
    key = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
    trace = core.trace_attention([[1, 0, 1], [0, 1, 0]], key, [[1, 0], [0, 1], [1, 1], [2, 2]])
    close(trace.scaled, [[0.577350, 0, 0.577350, 1.154701], [0, 0.577350, 0, 0.577350]])
    close(trace.weights, [[0.230272, 0.129271, 0.230272, 0.410186], [0.179771, 0.320229, 0.179771, 0.320229]])
    close(trace.output, [[1.280915, 1.179914], [1, 1.140457]])


def test_b35_a_temperature_near_0_picks_one_and_0_is_refused(core):
    assert from_scores(core, [[2, 1]], scale=1 / 0.01).weights.round(6).tolist() == [[1, 0]]
    for scale in (inf, nan):
        with pytest.raises(InputError) as refused:
            from_scores(core, [[2, 1]], scale=scale)
        assert refused.value.reason == "not_finite_number"


# ---- what may come in ----


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64, np.float16, np.float32, ">f8"])
def test_real_numbers_of_any_type_are_taken_as_float64(core, dtype):
    given = np.array([[3, 100], [2, 1]], dtype=dtype)
    trace = core.trace_attention(given, given, given)
    assert trace.scores.tolist() == [[10_009, 106], [106, 5]]
    assert trace.query.dtype == np.dtype(np.float64)


def test_integers_do_not_wrap_around(core):
    trace = core.trace_attention([[2**62]], [[2**62]], [[2**63 - 1]])
    assert trace.scores.item() == 2.0**124
    assert core.trace_attention(np.array([[200]], np.uint8), [[-1]], [[1]]).scores.item() == -200


def test_any_memory_order_and_nested_lists_give_the_same_numbers(core):
    rng = np.random.default_rng(3)
    query, key, value = rng.normal(size=(3, 4, 4))
    mask = rng.random((4, 4)) < 0.6
    mask[:, 0] = True
    expected = core.trace_attention(query, key, value, mask)
    big = np.zeros((8, 8))
    big[::2, ::2] = query
    for same in (np.asfortranarray(query), big[::2, ::2], query.tolist(), tuple(map(tuple, query.tolist()))):
        trace = core.trace_attention(same, key.tolist(), np.asfortranarray(value), mask.tolist())
        assert np.array_equal(trace.output, expected.output)
    assert np.array_equal(query, big[::2, ::2])


def test_scale_and_softcap_may_be_any_real_scalar(core):
    eye = np.eye(2)
    expected = core.trace_attention(eye, eye, eye, scale=2.0, softcap=2.0).weights
    for two in (2, np.int8(2), np.float32(2), np.array(2.0)):
        assert np.array_equal(core.trace_attention(eye, eye, eye, scale=two, softcap=two).weights, expected)
    assert core.trace_attention(eye, eye, eye, scale=-1).scaled.tolist() == [[-1, 0], [0, -1]]


def test_integers_are_a_bias_but_no_mask(core):
    eye = np.eye(2)
    assert core.trace_attention(eye, eye, eye, bias=[[0, 1], [1, 0]], scale=1).masked.tolist() == [[1, 1]] * 2
    with pytest.raises(InputError) as refused:
        core.trace_attention(eye, eye, eye, [[0, 1], [1, 0]])
    assert refused.value.reason == "mask_not_boolean"
    assert "boolean" in str(refused.value)
    assert "bias" in str(refused.value)


def test_large_numbers_that_fit_are_taken(core):
    largest = np.finfo(np.float64).max
    trace = core.trace_attention([[1e154], [1e-154]], [[1e154], [-1e154]], [[largest], [-largest]], scale=1)
    assert trace.weights[0].tolist() == [1, 0]
    assert trace.output[0].item() == largest
    assert core.trace_attention([[1e-200]], [[1e-200]], [[5e-324]]).output.item() == 5e-324
    assert core.trace_attention([[1.0]], [[largest], [largest]], [[1], [3]], scale=1).output.item() == 2


@given(
    query=arrays(np.float64, (2, 2), elements=st.floats(allow_nan=False, allow_infinity=False)),
    key=arrays(np.float64, (2, 2), elements=st.floats(allow_nan=False, allow_infinity=False)),
    bias=st.none()
    | arrays(np.float64, (2, 2), elements=st.floats(allow_nan=False, max_value=np.finfo(np.float64).max)),
    scale=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    softcap=st.none() | st.floats(min_value=0, exclude_min=True, allow_infinity=False),
)
@example(np.full((2, 2), -1e153), np.full((2, 2), 1e154), np.full((2, 2), -1.79e308), 0.5, None)
@settings(max_examples=200)
def test_finite_input_gives_finite_weights_or_a_named_overflow(core, query, key, bias, scale, softcap):
    trace, error = attempt(core, query, key, np.eye(2), bias=bias, scale=scale, softcap=softcap)
    if error:
        assert error.reason == "overflow"
        assert error.details["step"] in ("scores", "scaled", "masked")
        return
    for step in ("scores", "scaled", "capped", "weights", "output"):
        assert np.isfinite(getattr(trace, step)).all()
    assert np.array_equal(trace.masked == -inf, ~trace.allowed)
    sums = trace.weights.sum(axis=1)
    close(sums, trace.allowed.any(axis=1), atol=8 * EPS)


# ---- what is refused, and how ----

EYE = np.eye(2)
BAD_MATRICES = {
    "nothing": ([None], "not_numbers"),
    "booleans": ([[True, False]], "not_numbers"),
    "complex numbers": (EYE * 1j, "not_numbers"),
    "texts": ([["1", "2"]], "not_numbers"),
    "a hole": ([[1, None]], "not_numbers"),
    "objects": (np.array([[1, Fraction(1, 2)]], dtype=object), "not_numbers"),
    "integers beyond 64 bits": ([[2**70, 1]], "not_numbers"),
    "dates": (np.zeros((2, 2), dtype="M8[s]"), "not_numbers"),
    "records": (np.zeros((2, 2), dtype=[("a", int)]), "not_numbers"),
    "hidden cells": (np.ma.array(EYE, mask=[[1, 0], [0, 0]]), "not_numbers"),
    "deeply ragged": ([[[1], 2], [3, 4]], "not_numbers"),
    "ragged": ([[1, 2], [3]], "ragged"),
    "ragged with a bare number": ([[1, 2], 3], "ragged"),
    "no rows": ([], "not_a_matrix"),
    "no columns": ([[]], "not_a_matrix"),
    "0 x 2": (np.zeros((0, 2)), "not_a_matrix"),
    "a number": (3.0, "not_a_matrix"),
    "a row": ([1.0, 2.0], "not_a_matrix"),
    "a stack": (np.zeros((1, 2, 2)), "not_a_matrix"),
}


@pytest.mark.parametrize("place", ["query", "key", "value", "bias"])
@pytest.mark.parametrize("kind", BAD_MATRICES)
def test_what_is_no_matrix_of_real_numbers_is_refused_by_name(core, place, kind):
    given, reason = BAD_MATRICES[kind]
    with pytest.raises(InputError) as refused:
        core.trace_attention(**{"query": EYE, "key": EYE, "value": EYE, place: given})
    assert refused.value.reason == reason
    assert refused.value.details["name"] == place
    assert place in str(refused.value)


def test_a_ragged_matrix_names_the_row_that_differs(core):
    with pytest.raises(InputError) as refused:
        core.trace_attention(EYE, EYE, [[1, 2], [3, 4], [5]])
    assert refused.value.details == {"name": "value", "row": 2}


@pytest.mark.parametrize("bad", [nan, inf, -inf])
@pytest.mark.parametrize("place", ["query", "key", "value"])
def test_nan_and_infinity_are_refused_by_cell_even_where_nothing_looks(core, place, bad):
    matrices = {"query": np.zeros((3, 2)), "key": np.zeros((3, 2)), "value": np.zeros((3, 2))}
    matrices[place][2, 1] = bad
    for mask in (None, np.zeros((3, 3), dtype=bool), np.tri(3, dtype=bool)):
        with pytest.raises(InputError) as refused:
            core.trace_attention(**matrices, attn_mask=mask, scale=0)
        assert refused.value.reason == "not_finite"
        details = refused.value.details
        assert (details["name"], details["row"], details["column"]) == (place, 2, 1)
        assert f"{place}[2, 1]" in str(refused.value)


@pytest.mark.parametrize("bad", [nan, inf])
@pytest.mark.parametrize("place", ["attn_mask", "bias"])
def test_a_bias_may_hold_minus_infinity_but_not_infinity_or_nan(core, place, bad):
    with pytest.raises(InputError) as refused:
        core.trace_attention(EYE, EYE, EYE, **{place: [[0, -inf], [bad, 0]]})
    assert refused.value.reason == "not_finite"
    assert (refused.value.details["name"], refused.value.details["row"]) == (place, 1)
    assert "-inf" in str(refused.value)


@pytest.mark.parametrize(
    ("arguments", "step"),
    [
        ({"query": [[1e200]], "key": [[1e200]]}, "scores"),
        ({"query": [[1e200]], "key": [[1e200]], "scale": 0}, "scores"),
        ({"query": [[1e200]], "key": [[1e200]], "attn_mask": [[False]]}, "scores"),
        ({"query": [[1e200]], "key": [[-1e200]]}, "scores"),
        ({"query": [[1e300]], "key": [[1]], "scale": 1e300}, "scaled"),
        ({"query": [[1e154]], "key": [[1e154]], "scale": 1, "bias": [[1.79e308]]}, "masked"),
        ({"query": [[1e154]], "key": [[-1e154]], "scale": 1, "bias": [[-1.79e308]]}, "masked"),
        ({"query": [[1]], "key": [[1]], "attn_mask": [[1e308]], "bias": [[1e308]]}, "masked"),
        ({"query": [[1]], "key": [[1]], "attn_mask": [[-1e308]], "bias": [[-1e308]]}, "masked"),
    ],
)
def test_an_overflow_is_named_and_neither_nan_nor_a_silent_zero(core, arguments, step):
    with pytest.raises(InputError) as refused:
        core.trace_attention(**arguments, value=[[1]])
    assert refused.value.reason == "overflow"
    assert refused.value.details == {"step": step, "row": 0, "column": 0}


def test_an_overflow_of_the_output_by_rounding_is_named(core):
    largest = np.finfo(np.float64).max
    for n_key in range(2, 60):  # for some n the n rounded shares of the largest number add to more than it
        trace, error = attempt(core, [[0]], np.zeros((n_key, 1)), np.full((n_key, 1), largest))
        if error:
            assert (error.reason, error.details["step"]) == ("overflow", "output")
        else:
            assert np.isfinite(trace.output).all()


@pytest.mark.parametrize("place", ["scale", "softcap"])
@pytest.mark.parametrize("bad", [nan, inf, -inf, "1", "x", 1j, True, [1.0], [1, 2], np.ones(1), 10**400])
def test_scale_and_softcap_must_be_one_finite_number(core, place, bad):
    with pytest.raises(InputError) as refused:
        core.trace_attention(EYE, EYE, EYE, **{place: bad})
    assert refused.value.reason == "not_finite_number"
    assert refused.value.details["name"] == place


@pytest.mark.parametrize("bad", [0, -1, -0.0])
def test_a_softcap_must_be_above_0(core, bad):
    with pytest.raises(InputError) as refused:
        core.trace_attention(EYE, EYE, EYE, softcap=bad)
    assert refused.value.reason == "softcap_not_positive"


@pytest.mark.parametrize(
    ("shapes", "reason"),
    [
        (((2, 3), (2, 2), (2, 2)), "features_differ"),
        (((2, 1), (2, 2), (2, 2)), "features_differ"),
        (((2, 2), (3, 2), (2, 2)), "rows_differ"),
        (((2, 2), (3, 2), (1, 2)), "rows_differ"),
    ],
)
def test_shapes_that_do_not_fit_are_refused_and_never_stretched(core, shapes, reason):
    with pytest.raises(InputError) as refused:
        core.trace_attention(*map(np.ones, shapes))
    assert refused.value.reason == reason


@pytest.mark.parametrize("shape", [(1, 3), (2, 1), (1, 1), (3, 2), (3,), (1, 2, 3)])
@pytest.mark.parametrize("dtype", [bool, float])
def test_a_mask_of_another_shape_is_refused_and_never_stretched(core, shape, dtype):
    with pytest.raises(InputError) as refused:
        core.trace_attention(np.ones((2, 2)), np.ones((3, 2)), np.ones((3, 1)), np.ones(shape, dtype))
    flat_numbers = dtype is float and len(shape) != 2
    assert refused.value.reason == ("not_a_matrix" if flat_numbers else "mask_shape")
    assert str(shape) in str(refused.value)


@pytest.mark.parametrize(
    ("mask", "reason"),
    [
        ([[True, None], [True, True]], "mask_not_boolean"),
        ([["a", "b"], ["c", "d"]], "mask_not_boolean"),
        (EYE * 1j, "mask_not_boolean"),
        ([[True, False], [True]], "ragged"),
        (np.ma.array([[True, True], [True, True]], mask=[[0, 1], [0, 0]]), "not_numbers"),
    ],
)
def test_a_mask_of_something_else_is_refused(core, mask, reason):
    with pytest.raises(InputError) as refused:
        core.trace_attention(EYE, EYE, EYE, mask)
    assert refused.value.reason == reason


def test_a_masked_array_without_hidden_cells_is_an_array(core):
    trace = core.trace_attention(np.ma.array(EYE), EYE, EYE)
    assert type(trace.query) is np.ndarray
    close(trace.weights[0, 0], exp(sqrt(0.5)) / (1 + exp(sqrt(0.5))), atol=1e-15)


def test_an_error_is_a_value_error(core):
    with pytest.raises(ValueError, match=r"query has 1 features .* key has 2"):
        core.trace_attention([[1]], EYE, EYE)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64])
def test_softmax_takes_numbers_of_any_type_and_blind_lines_become_zeros(core, dtype):
    np.testing.assert_allclose(core.softmax(np.array([1, 2, 3], dtype)), [0.0900, 0.2447, 0.6652], atol=5e-5)
    assert core.softmax(np.array([1, 2, 3], dtype)).dtype == np.float64
    if np.dtype(dtype).kind == "f":
        np.testing.assert_array_equal(core.softmax(np.array([-np.inf, -np.inf], dtype)), [0, 0])


def test_additions_that_overflow_in_a_hidden_cell_are_refused_too(core):
    eye = np.eye(2)
    with pytest.raises(InputError) as refused:
        core.trace_attention(eye, eye, eye, [[0, 1e308], [0, 0]], bias=[[0, 1e308], [0, 0]], is_causal=True)
    assert (refused.value.details["row"], refused.value.details["column"]) == (0, 1)
