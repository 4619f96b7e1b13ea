"""Scaled dot-product attention that returns every step."""

from dataclasses import dataclass
from functools import lru_cache
from math import isfinite, sqrt

import numpy as np

from .checks import (
    as_array,
    as_matrix,
    as_number,
    check_features,
    check_finite,
    check_overflow,
    check_shape,
    check_values,
)
from .errors import InputError
from .masks import causal, full


@dataclass(frozen=True, eq=False)
class HeadTrace:
    """The inputs of one head and every step that came out of it, whichever way its weights were made.

    L queries, S keys, E features of queries and keys, Ev features of values. All arrays are float64
    (``allowed`` is bool) and read-only. Rows belong to queries, columns of the (L, S) arrays to keys.
    """

    query: np.ndarray  #: (L, E)
    key: np.ndarray  #: (S, E)
    value: np.ndarray  #: (S, Ev)
    allowed: np.ndarray  #: (L, S) True where the query may look at the key: attn_mask, is_causal, bias
    bias: np.ndarray | None  #: (L, S) what was added to the scores, or None
    scale: float  #: what the scores were multiplied by
    softcap: float | None  #: the bound of tanh, or None

    scores: np.ndarray  #: (L, S) query @ key.T
    scaled: np.ndarray  #: (L, S) scores * scale
    capped: np.ndarray  #: (L, S) softcap * tanh(scaled / softcap), or scaled
    masked: np.ndarray  #: (L, S) capped + bias, -inf where not allowed
    weights: np.ndarray  #: (L, S) what each value is multiplied by
    output: np.ndarray  #: (L, Ev) weights @ value

    @property
    def blind_queries(self) -> np.ndarray:
        """(B,) the queries that may look at no key: the fully masked rows."""
        return np.flatnonzero(~self.allowed.any(axis=1))


class AttentionTrace(HeadTrace):
    """Attention as defined: ``weights`` are the softmax of each row of ``masked``.

    Each row of them adds to 1, or is all 0 where it is fully masked; then its output is 0 too.
    """


def trace_attention(
    query, key, value, attn_mask=None, *, bias=None, is_causal=False, scale=None, softcap=None
) -> AttentionTrace:
    """Compute softmax(query @ key.T * scale + bias) @ value and return every step.

    The order is scores, scale, softcap, bias, mask, softmax, output (Vaswani et al. 2017, section 3.2.1; the
    softcap of Gemma 2, 2024, comes before bias and mask, so that a blocked key stays blocked).

    Parameters
    ----------
    query : (L, E), key : (S, E), value : (S, Ev)
        Matrices of finite numbers, at least 1 x 1. They are copied.
    attn_mask : (L, S) bool, optional
        True where the query may look at the key. A matrix of floats is added to the scores, as ``bias`` is.
        Integers are refused, because 0/1 could mean either.
    bias : (L, S) float, optional
        Added to the scaled scores. -inf blocks a key.
    is_causal : bool
        Query i may look at keys 0 ... i only, on top of ``attn_mask``. ``masks.causal`` has other corners.
    scale : float, optional
        1/sqrt(E) if None. A 0 is honoured: all scores become 0.
    softcap : float > 0, optional
        Bends the scaled scores smoothly into (-softcap, softcap). None leaves them alone.

    Raises
    ------
    InputError
        (a ValueError) for shapes that do not fit, cells that are not finite, and dot products that overflow.
        It names the cell.

    A fully masked row, a query with no key to look at, gets weights 0 and output 0; see ``blind_queries``.
    """
    query, key, value = as_matrix("query", query), as_matrix("key", key), as_matrix("value", value)
    check_features(query, key)
    check_values("key", len(key), value)
    shape = query.shape[0], key.shape[0]
    allowed, bias = _mask_and_bias(attn_mask, bias, is_causal, shape)
    hidden = None if allowed is _rule(False, *shape) else ~allowed
    scale = default_scale(query.shape[1]) if scale is None else as_number("scale", scale)
    if softcap is not None:
        softcap = as_number("softcap", softcap)
        if softcap <= 0:
            raise InputError("softcap_not_positive", f"softcap must be above 0, got {softcap}", value=softcap)

    if bias is None and softcap is None and _surely_fits(query, key, value, scale):
        steps = attention_steps(query, key, value, hidden, bias, scale, softcap)
    else:
        with np.errstate(all="ignore"):  # what overflows is refused by name, so NumPy need not warn
            steps = attention_steps(query, key, value, hidden, bias, scale, softcap)
        _refuse_what_is_not_finite(query, key, value, allowed, steps)
    for array in (query, key, value, allowed, *steps):
        array.setflags(False)  # read-only
    if bias is not None:
        bias.setflags(False)
    return AttentionTrace(query, key, value, allowed, bias, scale, softcap, *steps)


def attention_steps(query, key, value, hidden, bias, scale, softcap):
    """The six steps themselves, on arrays that fit: (scores, scaled, capped, masked, weights, output).

    ``hidden`` is True where a query may not look at a key, or None when nothing is hidden.
    """
    scores = query @ key.T
    scaled = scores * scale
    capped = scaled if softcap is None else softcap * np.tanh(scaled / softcap)
    masked = capped if bias is None else capped + bias
    masked = masked if hidden is None else np.where(hidden, -np.inf, masked)
    weights = softmax(masked)
    output = weights @ value
    return scores, scaled, capped, masked, weights, output


def softmax(scores, axis: int = -1) -> np.ndarray:
    """exp(scores) shared out so that each line along ``axis`` adds to 1.

    The largest score is subtracted first, so exp never overflows. A line of nothing but -inf becomes zeros.
    """
    scores = np.asarray(scores, dtype=_FLOAT)
    largest = np.maximum.reduce(scores, axis=axis, keepdims=True, initial=LOWEST)
    exponentials = np.exp(scores - largest)
    total = np.add.reduce(exponentials, axis=axis, keepdims=True, initial=TINY)
    return exponentials / total


# Where the largest and the total begin. In a line of only -inf they stay so: no -inf - -inf and no 0/0.
# No other line feels them: no finite number is lower, and with a largest entry the total is at least 1.
LOWEST = np.finfo(np.float64).min
TINY = np.finfo(np.float64).tiny
_FLOAT = np.dtype(np.float64)


def default_scale(n_features: int) -> float:
    """1/sqrt(n_features): keeps the spread of dot products the same at any number of features."""
    return 1 / sqrt(n_features)


def _mask_and_bias(attn_mask, bias, is_causal, shape):
    """One boolean matrix and one matrix of additions (or None) out of the ways to say who may look where."""
    allowed = _rule(bool(is_causal), *shape)
    biases = []
    if attn_mask is not None:
        attn_mask = as_array("attn_mask", attn_mask)
        if attn_mask.dtype.kind == "b":
            allowed = allowed & check_shape("attn_mask", attn_mask, shape)
        elif attn_mask.dtype.kind == "f":
            biases.append(_bias("attn_mask", attn_mask, shape))
        else:
            raise InputError(
                "mask_not_boolean",
                f"attn_mask must be booleans (True = may look), got {attn_mask.dtype}; "
                "numbers to add to the scores go into bias",
            )
    if bias is not None:
        biases.append(_bias("bias", bias, shape))
    if not biases:
        return allowed, None
    for matrix in biases:
        allowed = allowed & (matrix != -np.inf)
    with np.errstate(over="ignore"):
        total = sum(biases)
    if len(biases) > 1:  # where the query may look, the sum with the score is what gets too large, and is named later
        check_finite("bias", np.where(allowed, 0.0, total), allow_negative_infinity=True)
    return allowed, total


@lru_cache(maxsize=8)
def _rule(is_causal: bool, n_query: int, n_key: int) -> np.ndarray:
    """The mask before anything is said of single cells, read-only. Kept, since most calls ask for the same."""
    allowed = causal(n_query, n_key) if is_causal else full(n_query, n_key)
    allowed.setflags(write=False)
    return allowed


def _bias(name: str, numbers, shape) -> np.ndarray:
    bias = check_shape(name, as_matrix(name, numbers), shape)
    return check_finite(name, bias, allow_negative_infinity=True)


def _surely_fits(query, key, value, scale) -> bool:
    """Whether squared lengths alone prove that no number is NaN or inf and that no step can overflow.

    A dot product is at most the product of its two vectors' lengths (Cauchy-Schwarz), and an output lies
    between the values. False proves nothing: numbers may be huge and fit all the same.
    """
    scores = np.vdot(query, query).item() * np.vdot(key, key).item() * (scale * scale)
    return isfinite(scores) and isfinite(np.vdot(value, value))


def _refuse_what_is_not_finite(query, key, value, allowed, steps):
    for name, matrix in (("query", query), ("key", key), ("value", value)):
        check_finite(name, matrix)
    scores, scaled, _, masked, _, output = steps
    for name, step, finite in (
        ("scores", scores, True),
        ("scaled", scaled, True),
        ("masked", masked, allowed),
        ("output", output, True),
    ):
        check_overflow(name, step, finite)
