"""The core against the 93 test cases of ONNX's Attention operator (onnx 1.23.2).

The operator works on batches of heads, caches and lengths; the core on one head. So each case is taken apart
here: loop over batch and heads, join the cache, turn lengths and windows into masks.
"""

import warnings

import numpy as np
import pytest

import attention_core

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # onnx divides by zero while it builds the cases of other operators
    from onnx.backend.test.case.node import collect_testcases

    CASES = {
        case.name.removeprefix("test_attention_"): case
        for case in collect_testcases("Attention")
        if "_expanded" not in case.name
    }

# Half precisions round their inputs' products; the core does not.
TOLERANCE = {"float32": 2e-6, "float16": 2e-3, "bfloat16": 1.6e-2}
SIDES = ("left", "right")
STAGES = ("scaled", "capped", "masked", "weights")  # what qk_matmul_output_mode 0, 1, 2, 3 shows


@pytest.fixture(scope="module")
def core():
    return attention_core


def test_there_are_93_cases_of_the_known_kinds():
    assert len(CASES) == 93
    settings = [attributes(case) for case in CASES.values()]
    assert sum(any(given.get(f"{side}_window_size", -1) >= 0 for side in SIDES) for given in settings) == 10
    assert sum("softcap" in given for given in settings) == 11
    assert sum(bool(given.get("is_causal")) for given in settings) == 32
    assert sum("qk_matmul_output" in case.model.graph.node[0].output for case in CASES.values()) == 18
    assert {given.get("qk_matmul_output_mode", 0) for given in settings} == {0, 1, 2, 3}


@pytest.mark.parametrize("name", CASES)
def test_the_core_computes_what_onnx_expects(core, name):
    check_case(core, CASES[name])


def test_a_few_onnx_cases_of_every_kind(core):
    """A short selection that can stand for the whole where time is short."""
    for name in (
        "4d_diff_heads_sizes_causal",
        "3d_gqa_scaled",
        "4d_softcap_neginf_mask",
        "4d_with_qk_matmul_softcap",
        "23_boolmask_fullymasked_row_nan_robustness",
        "4d_causal_nonpad_attn_mask_composition",
        "bidirectional_window",
    ):
        check_case(core, CASES[name])


def key_head(head, n_head, n_key_head):
    """The key and value head that a query head uses: neighbours share one (repeated, not tiled)."""
    return head // (n_head // n_key_head)


def test_tiled_heads_would_be_noticed(core, monkeypatch):
    monkeypatch.setitem(globals(), "key_head", lambda head, n_head, n_key_head: head % n_key_head)
    with pytest.raises(AssertionError, match="Mismatched elements"):
        check_case(core, CASES["4d_gqa"])


def check_case(core, case):
    node = case.model.graph.node[0]
    given = attributes(case)
    inputs, expected = case.data_sets[0]
    inputs = named(node.input, inputs)
    expected = named(node.output, expected)
    tolerance = TOLERANCE[inputs["Q"].dtype.name]

    query = heads(inputs["Q"], given.get("q_num_heads"))
    key = heads(inputs["K"], given.get("kv_num_heads"))
    value = heads(inputs["V"], given.get("kv_num_heads"))
    n_past = 0
    if "past_key" in inputs:
        n_past = inputs["past_key"].shape[2]
        key = np.concatenate([as_float64(inputs["past_key"]), key], axis=2)
        value = np.concatenate([as_float64(inputs["past_value"]), value], axis=2)
    n_batch, n_head, n_query, _ = query.shape
    n_key = key.shape[2]
    mask = whole_mask(inputs.get("attn_mask"), (n_batch, n_head, n_query, n_key))
    lengths = inputs.get("nonpad_kv_seqlen")
    traces = []
    for b in range(n_batch):
        length = n_key if lengths is None else int(lengths[b])
        offset = n_past if lengths is None else length - n_query
        allowed = core.masks.padding(n_query, n_key, length)
        if given.get("is_causal"):
            allowed &= core.masks.causal(n_query, n_key, offset)
        left, right = (given.get(f"{side}_window_size", -1) for side in SIDES)
        allowed &= core.masks.sliding_window(
            n_query, n_key, None if left < 0 else left, None if right < 0 else right, offset
        )
        for h in range(n_head):
            trace = core.trace_attention(
                query[b, h],
                key[b, key_head(h, n_head, key.shape[1])],
                value[b, key_head(h, n_head, key.shape[1])],
                allowed if mask is None or mask.dtype != bool else allowed & mask[b, h],
                bias=None if mask is None or mask.dtype == bool else mask[b, h],
                is_causal=bool(given.get("is_causal")) and offset == 0,
                scale=given.get("scale"),
                softcap=given.get("softcap"),
            )
            traces.append(trace)

    def stacked(stage):
        return np.stack([getattr(trace, stage) for trace in traces]).reshape(n_batch, n_head, n_query, -1)

    output = stacked("output")
    if inputs["Q"].ndim == 3:
        output = output.swapaxes(1, 2).reshape(n_batch, n_query, -1)
    np.testing.assert_allclose(output, as_float64(expected["Y"]), rtol=tolerance, atol=tolerance)
    if "qk_matmul_output" in expected:
        shown = stacked(STAGES[given.get("qk_matmul_output_mode", 0)])
        answer = as_float64(expected["qk_matmul_output"])
        np.testing.assert_allclose(shown, answer, rtol=tolerance, atol=tolerance)


def as_float64(array):
    return array.astype(np.float64)


def heads(packed, n_head):
    """(batch, heads, tokens, features) in float64; (batch, tokens, heads * features) is taken apart."""
    packed = as_float64(packed)
    if packed.ndim == 4:
        return packed
    n_batch, n_token, _ = packed.shape
    return packed.reshape(n_batch, n_token, n_head, -1).swapaxes(1, 2)


def whole_mask(mask, shape):
    """The mask for every batch, head, query and key; keys that it does not reach are blocked."""
    if mask is None:
        return None
    blocked = False if mask.dtype == bool else -np.inf
    mask = mask if mask.dtype == bool else as_float64(mask)
    missing = [(0, 0)] * (mask.ndim - 1) + [(0, shape[-1] - mask.shape[-1])]
    return np.broadcast_to(np.pad(mask, missing, constant_values=blocked), shape)


def named(names, arrays):
    """The arrays under their names; ONNX leaves out what has an empty name."""
    return dict(zip([name for name in names if name], arrays, strict=True))


def attributes(case):
    """The settings of the operator as a dict of plain values."""
    return {
        attribute.name: attribute.i if attribute.type == attribute.INT else attribute.f
        for attribute in case.model.graph.node[0].attribute
    }
