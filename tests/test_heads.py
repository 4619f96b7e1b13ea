"""Projections and heads against plain loops, PyTorch's MultiheadAttention, ONNX's cases and lesson 6's numbers."""

from pathlib import Path

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_onnx import CASES, STAGES, TOLERANCE, as_float64, attributes, named, whole_mask
from test_onnx import heads as unpacked

import attention_core
import attention_core.heads
from attention_core import InputError
from attention_core.examples import example
from attention_core.head_examples import HEAD_EXAMPLE_NAMES, head_example

heads = attention_core.heads
XW = head_example("xw")


@pytest.fixture(scope="module")
def core():
    return attention_core


def first_head(**replaced):
    """The trace of P-XW's first head, with parts replaced."""
    parts = {"x": XW.x, "w_query": XW.w_query[0], "w_key": XW.w_key[0], "w_value": XW.w_value[0]} | replaced
    weights = ([parts.pop(name)] for name in ("w_query", "w_key", "w_value"))
    return heads.multi_head_attention(parts.pop("x"), *weights, **parts).heads[0]


# Against loops that share no line with the core.


def times(left, right):
    """left @ right in plain Python."""
    return [[sum(a * row[j] for a, row in zip(x, right, strict=True)) for j in range(len(right[0]))] for x in left]


def oracle_heads(x, source, w_query, w_key, w_value, w_output):
    """Every head's steps, and the combined output, as lists; a key head serves as many query heads as there are."""
    share = len(w_query) // len(w_key)
    steps = []
    for group in range(len(w_key)):
        for head in range(group * share, (group + 1) * share):
            parts = times(x, w_query[head]), times(source, w_key[group]), times(source, w_value[group])
            steps.append(oracle.attention(*parts))
    joined = [[number for one in steps for number in one["output"][i]] for i in range(len(x))]
    return steps, joined, times(joined, w_output)


@pytest.mark.parametrize(("n_heads", "n_key_heads"), [(1, 1), (2, 2), (4, 2), (4, 1), (6, 3), (3, 3)])
@pytest.mark.parametrize("is_cross", [False, True])
def test_every_head_and_their_combination_agree_with_plain_loops(n_heads, n_key_heads, is_cross):
    rng = np.random.default_rng(n_heads * 10 + n_key_heads + is_cross)
    x = rng.normal(size=(4, 5))
    source = rng.normal(size=(6, 3)) if is_cross else x
    w_query = rng.normal(size=(n_heads, 5, 2))
    w_key, w_value = (rng.normal(size=(n_key_heads, source.shape[1], width)) for width in (2, 3))
    w_output = rng.normal(size=(n_heads * 3, 5))
    steps, joined, output = oracle_heads(*(m.tolist() for m in (x, source, w_query, w_key, w_value, w_output)))
    given_source = source if is_cross else None
    ours = heads.multi_head_attention(x, w_query, w_key, w_value, w_output, source=given_source)
    assert len(ours.heads) == n_heads
    for trace, theirs in zip(ours.heads, steps, strict=True):
        for name in ("scores", "scaled", "weights", "output"):
            np.testing.assert_allclose(getattr(trace, name), theirs[name], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(ours.concatenated, joined, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(ours.output, output, rtol=1e-12, atol=1e-13)


# Against PyTorch's answers (goldens/make_mha_goldens.py says how).


def stored_cases():
    """Yield (arguments of multi_head_attention, weights of each head, output) for each stored case."""
    with np.load(Path(__file__).parent / "goldens" / "torch_mha.npz") as stored:
        cases, inputs, answers = stored["cases"], stored["inputs"], stored["answers"]
    taken = [0, 0]

    def take(which, numbers, *shape):
        start = taken[which]
        taken[which] += int(np.prod(shape))
        return numbers[start : taken[which]].reshape(shape)

    for n_query, n_key, n_heads, head_width, source_width, is_cross, is_masked in cases.tolist():
        width = n_heads * head_width
        x = take(0, inputs, n_query, width) / 64
        source = take(0, inputs, n_key, source_width) / 64
        shapes = (width, width), (source_width, width), (source_width, width), (width, width)
        w_query, w_key, w_value, w_output = (take(0, inputs, *shape) / 64 for shape in shapes)
        allowed = take(0, inputs, n_query, n_key) == 1
        arguments = {
            "x": x,
            "w_query": np.split(w_query, n_heads, axis=1),
            "w_key": np.split(w_key, n_heads, axis=1),
            "w_value": np.split(w_value, n_heads, axis=1),
            "w_output": w_output,
            "attn_mask": allowed if is_masked else None,
            "source": source if is_cross else None,
        }
        yield arguments, take(1, answers, n_heads, n_query, n_key), take(1, answers, n_query, width)
    assert taken == [inputs.size, answers.size]


def test_every_stored_case_agrees_with_pytorchs_multihead_attention(core):
    for arguments, weights, output in stored_cases():
        ours = core.heads.multi_head_attention(**arguments)
        np.testing.assert_allclose([trace.weights for trace in ours.heads], weights, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(ours.output, output, rtol=1e-12, atol=1e-12)


def test_the_stored_cases_are_of_every_kind():
    cases = list(stored_cases())
    assert len(cases) >= 20
    assert sum(len(weights) > 1 for _, weights, _ in cases) >= 12
    assert sum(arguments["source"] is not None for arguments, _, _ in cases) >= 6
    assert sum(arguments["attn_mask"] is not None for arguments, _, _ in cases) >= 6
    assert all(np.isfinite(output).all() for _, _, output in cases)


# Against ONNX: every case with several heads, and those whose heads are grouped.

SEVERAL = [
    name
    for name, case in CASES.items()
    if (case.data_sets[0][0][0].ndim == 4 and case.data_sets[0][0][0].shape[1] > 1) or name.startswith("3d")
]
GROUPED = [name for name in SEVERAL if "gqa" in name or "mqa" in name]


def check_onnx_case(core, case):
    """All heads of a batch in one call; the cache is joined, lengths and windows become a mask."""
    given = attributes(case)
    inputs, expected = case.data_sets[0]
    node = case.model.graph.node[0]
    inputs, expected = named(node.input, inputs), named(node.output, expected)
    tolerance = TOLERANCE[inputs["Q"].dtype.name]
    query = unpacked(inputs["Q"], given.get("q_num_heads"))
    key, value = (unpacked(inputs[name], given.get("kv_num_heads")) for name in "KV")
    n_past = 0
    if "past_key" in inputs:
        n_past = inputs["past_key"].shape[2]
        key = np.concatenate([as_float64(inputs["past_key"]), key], axis=2)
        value = np.concatenate([as_float64(inputs["past_value"]), value], axis=2)
    n_batch, n_head, n_query, _ = query.shape
    n_key = key.shape[2]
    mask = whole_mask(inputs.get("attn_mask"), (n_batch, n_head, n_query, n_key))
    lengths = inputs.get("nonpad_kv_seqlen")
    left, right = (given.get(f"{side}_window_size", -1) for side in ("left", "right"))
    results = []
    for b in range(n_batch):
        length = n_key if lengths is None else int(lengths[b])
        offset = n_past if lengths is None else length - n_query
        allowed = core.masks.padding(n_query, n_key, length)
        allowed &= core.masks.sliding_window(
            n_query, n_key, None if left < 0 else left, None if right < 0 else right, offset
        )
        if given.get("is_causal"):
            allowed &= core.masks.causal(n_query, n_key, offset)
        is_boolean = mask is not None and mask.dtype == bool
        results.append(
            core.heads.attend_heads(
                query[b],
                key[b],
                value[b],
                attn_mask=allowed & mask[b] if is_boolean else allowed,
                bias=None if mask is None or is_boolean else mask[b],
                scale=given.get("scale"),
                softcap=given.get("softcap"),
            )
        )
    if inputs["Q"].ndim == 3:
        output = np.stack([result.concatenated for result in results])
    else:
        output = np.array([[trace.output for trace in result.heads] for result in results])
    np.testing.assert_allclose(output, as_float64(expected["Y"]), rtol=tolerance, atol=tolerance)
    if "qk_matmul_output" in expected:
        stage = STAGES[given.get("qk_matmul_output_mode", 0)]
        shown = np.array([[getattr(trace, stage) for trace in result.heads] for result in results])
        np.testing.assert_allclose(shown, as_float64(expected["qk_matmul_output"]), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", SEVERAL)
def test_several_heads_give_what_onnx_expects(core, name):
    check_onnx_case(core, CASES[name])


def test_grouped_heads_give_what_onnx_expects(core):
    assert len(GROUPED) >= 10
    for name in GROUPED:
        check_onnx_case(core, CASES[name])


# Facts.


def test_neighbours_share_a_key_head():
    assert [heads.key_head(head, 8, 2) for head in range(8)] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert [heads.key_head(head, 4, 4) for head in range(4)] == [0, 1, 2, 3]
    assert [heads.key_head(head, 4, 1) for head in range(4)] == [0, 0, 0, 0]


def test_a_head_with_its_own_mask_and_bias():
    tokens = np.eye(3)
    masks = np.array([np.eye(3, dtype=bool), np.tri(3, dtype=bool)])
    first, second = heads.attend_heads([tokens] * 2, [tokens] * 2, [tokens] * 2, attn_mask=masks).heads
    np.testing.assert_array_equal(first.allowed, masks[0])
    np.testing.assert_array_equal(second.allowed, masks[1])
    biases = np.stack([np.zeros((3, 3)), np.ones((3, 3))])
    assert heads.attend_heads([tokens] * 2, [tokens] * 2, [tokens] * 2, bias=biases).heads[1].bias[0, 0] == 1


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_scores_are_x_m_xt_and_the_rank_is_at_most_d_k(width, d_k, seed):
    rng = np.random.default_rng(seed)
    x, w_query, w_key = rng.normal(size=(4, width)), rng.normal(size=(width, d_k)), rng.normal(size=(width, d_k))
    product, rank = heads.comparison_matrix(w_query, w_key)
    scores = heads.project(x, w_query) @ heads.project(x, w_key).T
    np.testing.assert_allclose(x @ product @ x.T, scores, atol=1e-10)
    assert rank <= min(width, d_k)


@given(st.integers(0, 2**32 - 1))
def test_tied_queries_and_keys_give_symmetric_scores(seed):
    rng = np.random.default_rng(seed)
    weight = rng.normal(size=(3, 2))
    trace = first_head(x=rng.normal(size=(4, 3)), w_query=weight, w_key=weight)
    np.testing.assert_allclose(trace.scores, trace.scores.T, atol=1e-12)


def test_equal_rows_of_x_get_equal_queries_keys_and_values_wherever_they_stand():
    cat = head_example("cat")
    trace = heads.multi_head_attention(cat.x, cat.w_query, cat.w_key, cat.w_value).heads[0]
    the, later_the = 0, 4
    for name in ("query", "key", "value", "output"):
        np.testing.assert_array_equal(getattr(trace, name)[the], getattr(trace, name)[later_the])


def test_arrays_are_read_only():
    ours = heads.multi_head_attention(XW.x, XW.w_query, XW.w_key, XW.w_value, XW.w_output)
    for array in (ours.concatenated, ours.output):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1


@pytest.mark.parametrize("name", HEAD_EXAMPLE_NAMES)
def test_every_example_fits_together_for_itself_and_across(name):
    parts = head_example(name)
    projections = parts.w_query, parts.w_key, parts.w_value, parts.w_output
    heads.multi_head_attention(parts.x, *projections)
    heads.multi_head_attention(parts.y, *projections, source=parts.x)


# What cannot be used is named.


@pytest.mark.parametrize(
    ("reason", "call"),
    [
        ("projection_differs", lambda: heads.project(np.ones((2, 3)), np.ones((2, 2)))),
        ("projection_overflow", lambda: heads.project([[1e200, 0]], [[1e200], [0]])),
        ("not_finite", lambda: first_head(x=[[np.nan, 0, 0]])),
        ("not_numbers", lambda: heads.project([["a"]], [[1]])),
        ("heads_do_not_divide", lambda: heads.parameter_counts(10, 3)),
        ("groups_do_not_divide", lambda: heads.key_head(0, 4, 3)),
        ("groups_do_not_divide", lambda: heads.parameter_counts(8, 4, 3)),
        ("groups_do_not_divide", lambda: heads.attend_heads([np.eye(2)] * 3, [np.eye(2)] * 2, [np.eye(2)] * 2)),
        ("key_heads_differ", lambda: heads.attend_heads([np.eye(2)], [np.eye(2)], [np.eye(2)] * 2)),
        ("no_heads", lambda: heads.attend_heads([], [], [])),
        ("query_rows_differ", lambda: heads.attend_heads([np.eye(2), np.ones((1, 2))], [np.eye(2)], [np.eye(2)])),
        *(
            (
                "mask_heads",
                lambda n=n: heads.attend_heads(
                    [np.eye(2)] * 2, [np.eye(2)], [np.eye(2)], attn_mask=np.ones((n, 2, 2), bool)
                ),
            )
            for n in (1, 3)
        ),
        ("mask_heads", lambda: heads.attend_heads([np.eye(2)] * 2, [np.eye(2)], [np.eye(2)], bias=np.zeros((1, 2, 2)))),
        (
            "ragged",
            lambda: heads.attend_heads([np.eye(2)], [np.eye(2)], [np.eye(2)], attn_mask=[[True], [True, False]]),
        ),
        ("not_a_matrix", lambda: heads.project([1, 2], [[1]])),
        ("features_differ", lambda: heads.comparison_matrix(np.eye(3), np.eye(2))),
        ("output_rows_differ", lambda: heads.attend_heads([np.eye(2)], [np.eye(2)], [np.eye(2)], np.eye(3))),
        ("features_differ", lambda: first_head(w_query=np.ones((3, 3)))),
        ("unknown_example", lambda: head_example("none")),
    ],
)
def test_what_does_not_fit_is_refused_with_its_reason(reason, call):
    with pytest.raises(InputError) as refused:
        call()
    assert refused.value.reason == reason


# Lesson 6's numbers.


def test_p_xw_gives_the_lessons_queries_keys_values_and_steps():
    trace = first_head()
    assert trace.query.tolist() == [[2, 0], [0, 2], [1, 1]]
    assert trace.key.tolist() == [[1, 2], [2, 0], [1, 1]]
    assert trace.value.tolist() == [[3, 1], [0, 6], [2, 3]]
    assert trace.scores.tolist() == [[2, 4, 2], [4, 0, 2], [3, 2, 2]]
    weights = [[0.1636, 0.6728, 0.1636], [0.7679, 0.0454, 0.1867], [0.5035, 0.2483, 0.2483]]
    np.testing.assert_allclose(trace.weights, weights, atol=5e-5)
    np.testing.assert_allclose(trace.output, [[0.818, 4.691], [2.677, 1.600], [2.007, 2.738]], atol=5e-4)
    xw = example("xw")
    for name in ("query", "key", "value"):
        np.testing.assert_array_equal(getattr(trace, name), getattr(xw, name))


def test_6a_the_third_query_written_out():
    terms = heads.projection_terms(XW.x, XW.w_query[0], 2, 0)
    assert (terms.left, terms.right, terms.products, terms.total) == ((1, 1, 0), (1, 0, 1), (1, 0, 0), 1)
    assert heads.projection_terms(XW.x, XW.w_query[0], 2, 1).total == 1


def test_6b_tied_scores_are_symmetric_and_the_weights_are_not():
    trace = first_head(w_key=XW.w_query[0])
    np.testing.assert_array_equal(trace.scores, trace.scores.T)
    assert np.abs(trace.weights - trace.weights.T).max() > 0.1
    np.testing.assert_allclose(trace.weights[2], 1 / 3)


def test_6c_minus_two_two_is_enough():
    weight = XW.w_query[0].copy()
    weight[1] = [-2, 2]
    assert first_head(w_query=weight).weights[1, 0] == pytest.approx(0.944, abs=5e-4)


def test_6d_two_queries_of_y_on_three_keys_of_x():
    weights = first_head(x=XW.y, source=XW.x).weights
    np.testing.assert_allclose(weights, [[0.248, 0.503, 0.248], [0.503, 0.248, 0.248]], atol=5e-4)


@pytest.mark.parametrize(("strength", "weight"), [(15, 0.98), (10.8, 0.9013), (10.7, 0.8976)])
def test_6e_how_strongly_a_head_must_seek(strength, weight):
    cat = head_example("cat")
    asked = [matrix * strength / 5 for matrix in cat.w_query]
    first, second = heads.multi_head_attention(cat.x, asked, cat.w_key, cat.w_value).heads
    it, cat_token, tired = 7, 1, 9
    assert first.weights[it, cat_token] == pytest.approx(weight, abs=1e-3)
    assert second.weights[it, tired] == pytest.approx(weight, abs=1e-3)


def test_6f_one_head_cannot_tell_a_mixture_from_another_value_and_two_heads_can():
    mixed = first_head(x=np.eye(2), w_query=np.zeros((2, 1)), w_key=np.zeros((2, 1)), w_value=[[10, 0], [0, 10]])
    assert mixed.output[0].tolist() == [5, 5]
    alone = first_head(x=[[1]], w_query=[[0]], w_key=[[0]], w_value=[[5, 5]])
    assert alone.output[0].tolist() == [5, 5]
    parts = head_example("crossed")
    crossed = heads.multi_head_attention(parts.x, parts.w_query, parts.w_key, parts.w_value)
    np.testing.assert_allclose(crossed.concatenated[0], [10, 0, 0, 10], atol=0.003)


def test_6g_two_different_pairs_of_heads_have_one_average():
    averages = []
    for name, nearly in (("crossed", [np.eye(2), 1 - np.eye(2)]), ("even", [np.full((2, 2), 0.5)] * 2)):
        parts = head_example(name)
        both = heads.multi_head_attention(parts.x, parts.w_query, parts.w_key, parts.w_value).heads
        np.testing.assert_allclose([trace.weights for trace in both], nearly, atol=3e-4)
        averages.append(np.mean([trace.weights for trace in both], axis=0))
    np.testing.assert_allclose(averages, 0.5)


def test_6h_eight_heads_of_64_have_as_many_parameters_as_one_of_512():
    eight, one = heads.parameter_counts(512, 8), heads.parameter_counts(512, 1)
    assert (eight.head_width, eight.head_width**0.5) == (64, 8)
    assert eight.query + eight.key + eight.value == 786_432
    assert eight.output == 262_144
    assert eight.total == one.total == 1_048_576
    assert heads.parameter_counts(512, 8, 2).key == 512 * 64 * 2


def test_two_narrow_matrices_are_fewer_numbers_than_their_product():
    assert 2 * 512 * 64 == 65_536  # W_Q and W_K of one head
    counts = heads.parameter_counts(512, 8)
    assert (counts.query + counts.key) // 8 == 65_536
    assert counts.output == 512**2 == 262_144  # what one free 512 x 512 comparison would need


@pytest.mark.parametrize("size", [1e-200, 1e160, 1e200])
def test_a_rank_that_is_lost_on_the_way_is_refused(size):
    with pytest.raises(InputError) as error:
        heads.comparison_matrix(np.eye(2) * size, np.eye(2) * size)
    assert error.value.reason == "comparison_lost"
    assert heads.comparison_matrix(np.eye(2) * 1e150, np.eye(2) * 1e150)[1] == 2
    assert heads.comparison_matrix(np.zeros((2, 2)), np.eye(2))[1] == 0
