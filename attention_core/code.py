"""A trace as a short program that computes it again, in NumPy or PyTorch.

Numbers are written with repr, so the program starts from the very same floats. A mask, a bias, a softcap and
the care for blind queries stand in the program only if this trace needs them.
"""

import textwrap

import numpy as np

from .attention import AttentionTrace, default_scale


def numpy_source(trace: AttentionTrace, temperature: float = 1.0) -> str:
    """A complete NumPy program that computes this trace's steps and prints weights and output.

    ``temperature`` is the part of the trace's scale that stands in a line of its own: scale = 1/√d_k ÷ temperature.
    """
    lines = [
        *_inputs(trace, temperature, "import numpy as np", "np.array([", "])", "np.inf"),
        *_scores_to_masked(trace, "np"),
        "",
        "largest = masked.max(axis=1, keepdims=True)  # subtracted so that exp never overflows",
    ]
    if trace.blind_queries.size:
        lines += ["largest[largest == -np.inf] = 0  # a query with nothing to look at: avoids -inf - -inf"]
    lines += ["exponentials = np.exp(masked - largest)", "total = exponentials.sum(axis=1, keepdims=True)"]
    if trace.blind_queries.size:
        lines += ["total[total == 0] = 1  # and 0 / 0: its weights stay 0"]
    lines += ["weights = exponentials / total", *_OUTPUT]
    return "\n".join(lines) + "\n"


def torch_source(trace: AttentionTrace, temperature: float = 1.0) -> str:
    """A complete PyTorch program: the same steps, then PyTorch's own function beside them.

    ``temperature`` as in ``numpy_source``.

    With a softcap the steps stand alone, because scaled_dot_product_attention has none.
    """
    lines = [
        *_inputs(trace, temperature, "import torch", "torch.tensor([", "], dtype=torch.float64)", "torch.inf"),
        *_scores_to_masked(trace, "torch"),
        "",
        "weights = torch.softmax(masked, dim=1)",
    ]
    if trace.blind_queries.size:
        lines += [
            "# A query with nothing to look at: softmax gives NaN, but its weights shall be 0.",
            "weights = torch.where(masked == -torch.inf, 0.0, weights)",
        ]
    lines += [*_OUTPUT, ""]
    if trace.softcap is not None:
        lines += ["# PyTorch's scaled_dot_product_attention has no softcap, so there is no one-call form."]
    else:
        lines += [
            "# The same output in one call:",
            "in_one_call = torch.nn.functional.scaled_dot_product_attention(",
            f"    query, key, value, {_torch_mask(trace)}scale=scale",
            ")",
            'print("same output:", torch.allclose(in_one_call, output))',
        ]
    return "\n".join(lines) + "\n"


_OUTPUT = (
    "output = weights @ value",
    "",
    'print("weights", weights, sep="\\n")',
    'print("output", output, sep="\\n")',
)


def _inputs(trace, temperature: float, imports: str, opening: str, closing: str, infinity: str) -> list[str]:
    """The imports and everything that is put in."""
    scale = _scale_lines(trace, temperature)
    lines = ["from math import sqrt", ""] if "sqrt" in scale[0] else []
    lines += [imports, "", "# A row for each query, key or value; a column for each feature."]
    for name in ("query", "key", "value"):
        lines += [f"{name} = {opening}", *_rows(getattr(trace, name), infinity), closing]
    if _needs_allowed(trace):
        lines += ["# 1 where this query (row) may look at this key (column)."]
        lines += [f"allowed = {opening}", *_rows(trace.allowed.astype(int), infinity), "]) == 1"]
    if trace.bias is not None:
        lines += ["# Added to the scaled scores."]
        lines += [f"bias = {opening}", *_rows(trace.bias, infinity), closing]
    lines += scale
    if trace.softcap is not None:
        lines += [f"softcap = {trace.softcap!r}"]
    return [*lines, ""]


def _scale_lines(trace: AttentionTrace, temperature: float) -> list[str]:
    """The scale, and what a temperature divides it by; in one number where that would not be the same to the bit."""
    default = default_scale(trace.query.shape[1])
    if trace.scale == default / temperature:
        lines = ["scale = 1 / sqrt(query.shape[1])"]
    elif trace.scale == (own := float(f"{trace.scale * temperature:.12g}")) / temperature:
        lines = [f"scale = {own!r}"]
    else:
        return [f"scale = {trace.scale!r}"]
    if temperature != 1:
        lines += [f"temperature = {temperature!r}", "scale = scale / temperature"]
    return lines


def _scores_to_masked(trace: AttentionTrace, library: str) -> list[str]:
    lines = ["scores = query @ key.T  # every query with every key", "scaled = scores * scale"]
    masked = "scaled"
    if trace.softcap is not None:
        masked = "capped"
        lines += [f"capped = softcap * {library}.tanh(scaled / softcap)  # between -softcap and softcap"]
    if trace.bias is not None:
        masked += " + bias"
    if _needs_allowed(trace):
        masked = f"{library}.where(allowed, {masked}, -{library}.inf)"
    return [*lines, f"masked = {masked}" + ("  # nothing is blocked" if trace.allowed.all() else "")]


def _torch_mask(trace: AttentionTrace) -> str:
    """The argument of PyTorch's function for what this trace blocks and adds: it takes one mask only."""
    if trace.bias is None:
        return "attn_mask=allowed, " if _needs_allowed(trace) else ""
    return f"attn_mask={'torch.where(allowed, bias, -torch.inf)' if _needs_allowed(trace) else 'bias'}, "


def _needs_allowed(trace: AttentionTrace) -> bool:
    """Whether something is blocked that a -inf in the bias does not block already."""
    open_by_bias = True if trace.bias is None else trace.bias != -np.inf
    return bool((trace.allowed != open_by_bias).any())


def _rows(matrix: np.ndarray, infinity: str) -> list[str]:
    """The rows as Python lists, long ones over several lines."""
    lines = []
    for row in matrix.tolist():
        text = f"[{', '.join(map(repr, row))}],".replace("inf", infinity)
        lines += textwrap.wrap(
            text, width=100, initial_indent="    ", subsequent_indent=" " * 5, break_on_hyphens=False
        )
    return lines
