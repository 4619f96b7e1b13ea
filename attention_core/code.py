"""A trace as a short program that computes it again, in NumPy or PyTorch.

Numbers are written with repr, so the program starts from the very same floats. A mask, a bias, a softcap and
the care for blind queries stand in the program only if this trace needs them. What a program says about itself
comes from the caller, in any language: ``comments`` has a text for each of COMMENTS that is wanted.
"""

import textwrap
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from .attention import AttentionTrace, default_scale

#: Places in a program that may carry a comment, in the order in which they come.
COMMENTS = (
    "rows", "allowed", "bias", "temperature", "cosine", "cosine_first", "scores", "softcap", "nothing_blocked",
    "largest", "blind", "blind_total", "blind_torch", "no_softcap", "one_call",
)  # fmt: skip
_NONE = MappingProxyType({})


def numpy_source(
    trace: AttentionTrace,
    comments: Mapping[str, str] = _NONE,
    names: Mapping[str, Sequence[str]] = _NONE,
    temperature: float = 1.0,
    before_cosine: tuple[np.ndarray, np.ndarray] | None = None,
) -> str:
    """A complete NumPy program that computes this trace's steps and prints weights and output.

    ``names`` are those of the tokens, by what they name; they stand above the program. ``temperature`` is the part of
    the trace's scale that stands in a line of its own: scale = 1/√d_k ÷ temperature. ``before_cosine`` is the query
    and the key that cosine attention was given: the program starts from these and brings them to length 1 itself.
    """
    lines = [
        *names_in_comments("#", names),
        *_inputs(trace, "np", comments, temperature, before_cosine),
        *_scores_to_masked(trace, "np", comments),
        "",
        _said("largest = masked.max(axis=1, keepdims=True)", comments, "largest"),
    ]
    if trace.blind_queries.size:
        lines += [_said("largest[largest == -np.inf] = 0", comments, "blind")]
    lines += ["exponentials = np.exp(masked - largest)", "total = exponentials.sum(axis=1, keepdims=True)"]
    if trace.blind_queries.size:
        lines += [_said("total[total == 0] = 1", comments, "blind_total")]
    lines += ["weights = exponentials / total", *_OUTPUT]
    return "\n".join(lines) + "\n"


def torch_source(
    trace: AttentionTrace,
    comments: Mapping[str, str] = _NONE,
    names: Mapping[str, Sequence[str]] = _NONE,
    temperature: float = 1.0,
    before_cosine: tuple[np.ndarray, np.ndarray] | None = None,
) -> str:
    """A complete PyTorch program: the same steps, then PyTorch's own function beside them.

    Parameters as in ``numpy_source``. With a softcap the steps stand alone, because scaled_dot_product_attention has
    none.
    """
    lines = [
        *names_in_comments("#", names),
        *_inputs(trace, "torch", comments, temperature, before_cosine),
        *_scores_to_masked(trace, "torch", comments),
        "",
        "weights = torch.softmax(masked, dim=1)",
    ]
    if trace.blind_queries.size:
        lines += [*_above(comments, "blind_torch"), "weights = torch.where(masked == -torch.inf, 0.0, weights)"]
    lines += _OUTPUT
    if trace.softcap is not None:
        lines += ["", *_above(comments, "no_softcap")] if "no_softcap" in comments else []
    else:
        lines += [
            "",
            *_above(comments, "one_call"),
            "in_one_call = torch.nn.functional.scaled_dot_product_attention(",
            f"    query, key, value, {_torch_mask(trace)}scale=scale",
            ")",
            'print("in_one_call == output:", torch.allclose(in_one_call, output))',
        ]
    return "\n".join(lines) + "\n"


def names_in_comments(sign: str, names: Mapping[str, Sequence[str]]) -> list[str]:
    """Lists of names as lines of comments, which begin with ``sign``.

    They are written as Python writes them, with escapes for line breaks and whatever else nobody sees: no name can
    end its comment, or turn what stands behind it.
    """
    lines = []
    for what, these in names.items():
        lines += textwrap.wrap(
            f"{what}: {list(these)}", 100, initial_indent=f"{sign} ", subsequent_indent=f"{sign}     ",
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
    return lines


_OUTPUT = (
    "output = weights @ value",
    "",
    'print("weights", weights, sep="\\n")',
    'print("output", output, sep="\\n")',
)


def _said(line: str, comments: Mapping[str, str], place: str) -> str:
    """The line with its comment behind it, if there is one."""
    return f"{line}  # {comments[place]}" if place in comments else line


def _above(comments: Mapping[str, str], place: str) -> list[str]:
    """The comment in a line of its own, if there is one."""
    return [f"# {comments[place]}"] if place in comments else []


def _inputs(trace: AttentionTrace, library: str, comments, temperature: float, before_cosine) -> list[str]:
    """The imports and everything that is put in."""
    imports, opening, closing = {
        "np": ("import numpy as np", "np.array([", "])"),
        "torch": ("import torch", "torch.tensor([", "], dtype=torch.float64)"),
    }[library]
    infinity = f"{library}.inf"
    query, key = before_cosine or (trace.query, trace.key)
    scale = _scale_lines(trace, temperature, comments)
    lines = ["from math import sqrt", ""] if "sqrt" in scale[0] else []
    lines += [imports, "", *_above(comments, "rows")]
    for name, matrix in (("query", query), ("key", key), ("value", trace.value)):
        lines += [f"{name} = {opening}", *_rows(matrix, infinity), closing]
    if _needs_allowed(trace):
        lines += _above(comments, "allowed")
        lines += [f"allowed = {opening}", *_rows(trace.allowed.astype(int), infinity), "]) == 1"]
    if trace.bias is not None:
        lines += _above(comments, "bias")
        lines += [f"bias = {opening}", *_rows(trace.bias, infinity), closing]
    lines += scale
    if trace.softcap is not None:
        lines += [f"softcap = {trace.softcap!r}"]
    if before_cosine is not None:
        lines += ["", *_above(comments, "cosine")]
        lines += [*_to_length_1("query", query, library, comments), *_to_length_1("key", key, library, comments)]
    return [*lines, ""]


def _to_length_1(name: str, vectors: np.ndarray, library: str, comments) -> list[str]:
    """The lines that divide each row by its length; by its largest entry first where the squares would not fit."""
    largest, length = {
        "np": ("np.abs({}).max(axis=1, keepdims=True)", "np.linalg.norm({}, axis=1, keepdims=True)"),
        "torch": ("torch.amax(torch.abs({}), dim=1, keepdim=True)", "torch.linalg.norm({}, dim=1, keepdim=True)"),
    }[library]
    sizes = np.abs(vectors).max(axis=1)
    first = [] if sizes.min() > 1e-140 and sizes.max() < 1e140 else [f"{name} = {name} / {largest.format(name)}"]
    return [*(_said(line, comments, "cosine_first") for line in first), f"{name} = {name} / {length.format(name)}"]


def _scale_lines(trace: AttentionTrace, temperature: float, comments) -> list[str]:
    """The scale, and what a temperature divides it by; in one number where that would not be the same to the bit."""
    default = default_scale(trace.query.shape[1])
    if trace.scale == default / temperature:
        lines = ["scale = 1 / sqrt(query.shape[1])"]
    elif trace.scale == (own := float(f"{trace.scale * temperature:.12g}")) / temperature:
        lines = [f"scale = {own!r}"]
    else:
        return [f"scale = {trace.scale!r}"]
    if temperature != 1:
        lines += [f"temperature = {temperature!r}", _said("scale = scale / temperature", comments, "temperature")]
    return lines


def _scores_to_masked(trace: AttentionTrace, library: str, comments) -> list[str]:
    lines = [_said("scores = query @ key.T", comments, "scores"), "scaled = scores * scale"]
    masked = "scaled"
    if trace.softcap is not None:
        masked = "capped"
        lines += [_said(f"capped = softcap * {library}.tanh(scaled / softcap)", comments, "softcap")]
    if trace.bias is not None:
        masked += " + bias"
    if _needs_allowed(trace):
        masked = f"{library}.where(allowed, {masked}, -{library}.inf)"
    line = f"masked = {masked}"
    return [*lines, _said(line, comments, "nothing_blocked") if trace.allowed.all() else line]


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
