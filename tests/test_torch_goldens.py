"""The core against answers that PyTorch gave (goldens/make_goldens.py says how)."""

from pathlib import Path

import numpy as np
import pytest

import attention_core

BLOCKED = -32768


@pytest.fixture(scope="module")
def core():
    return attention_core


def stored_cases():
    """Yield (arguments of trace_attention, weights, output, has a blind row) for each stored case."""
    with np.load(Path(__file__).parent / "goldens" / "torch_sdpa.npz") as stored:
        cases, inputs, answers = stored["cases"], stored["inputs"], stored["answers"]
    taken = [0, 0]

    def take(which, numbers, n_row, n_column):
        start = taken[which]
        taken[which] += int(n_row) * int(n_column)
        return numbers[start : taken[which]].reshape(n_row, n_column)

    for n_query, n_key, n_feature, n_value, mask, is_causal, has_scale, scale in cases.tolist():
        arguments = {
            "query": take(0, inputs, n_query, n_feature) / 64,
            "key": take(0, inputs, n_key, n_feature) / 64,
            "value": take(0, inputs, n_key, n_value) / 64,
            "is_causal": bool(is_causal),
            "scale": scale / 64 if has_scale else None,
        }
        if mask == 3:
            bias = take(0, inputs, n_query, n_key)
            arguments["bias"] = np.where(bias == BLOCKED, -np.inf, bias / 64)
        elif mask:
            arguments["attn_mask"] = take(0, inputs, n_query, n_key) == 1
        yield arguments, take(1, answers, n_query, n_key), take(1, answers, n_query, n_value)
    assert taken == [inputs.size, answers.size]


def test_every_stored_case_agrees_with_pytorch(core):
    for arguments, weights, output in stored_cases():
        trace = core.trace_attention(**arguments)
        np.testing.assert_allclose(trace.weights, weights, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(trace.output, output, rtol=1e-12, atol=1e-12)
        assert not trace.weights[weights == 0].any()


def test_the_stored_cases_are_many_and_of_every_kind():
    cases = list(stored_cases())
    assert len(cases) >= 300
    blind = [(weights.sum(axis=1) == 0).any() for _, weights, _ in cases]
    kinds = {
        "boolean mask": ["attn_mask" in arguments for arguments, _, _ in cases],
        "bias": ["bias" in arguments for arguments, _, _ in cases],
        "causal": [arguments["is_causal"] for arguments, _, _ in cases],
        "causal and masked": [a["is_causal"] and ("bias" in a or "attn_mask" in a) for a, _, _ in cases],
        "own scale": [arguments["scale"] is not None for arguments, _, _ in cases],
        "not square": [weights.shape[0] != weights.shape[1] for _, weights, _ in cases],
        "blind row": blind,
    }
    for kind, members in kinds.items():
        assert sum(members) >= 30, kind
    assert any(arguments["scale"] == 0 for arguments, _, _ in cases)


def test_no_answer_is_missing_a_number():
    for _, weights, output in stored_cases():
        assert np.isfinite(weights).all()
        assert np.isfinite(output).all()
