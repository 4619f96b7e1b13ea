"""Every number of one cell written out: what was multiplied, added, shifted and divided.

The results (``total``, ``scaled``, ``weights`` ...) are the trace's own numbers, not computed a second time.
A sum of the terms may differ from them in the last digits, because a matrix product adds in another order.
"""

from dataclasses import dataclass

import numpy as np

from .attention import AttentionTrace


@dataclass(frozen=True)
class DotProduct:
    """left[0]·right[0] + left[1]·right[1] + ... = total."""

    left: tuple[float, ...]
    right: tuple[float, ...]
    products: tuple[float, ...]
    total: float


@dataclass(frozen=True)
class Softmax:
    """One row: masked - largest = shifted, exp(shifted) = exponentials, exponentials / total = weights.

    A blocked key has shifted -inf and exponential 0. In a fully masked row largest is None and total 0.
    """

    masked: tuple[float, ...]
    allowed: tuple[bool, ...]
    largest: float | None
    shifted: tuple[float, ...]
    exponentials: tuple[float, ...]
    total: float
    weights: tuple[float, ...]


def score_terms(trace: AttentionTrace, query: int, key: int) -> DotProduct:
    """How trace.scores[query, key] came about: the query's row times the key's row."""
    return dot_product(trace.query[query], trace.key[key], trace.scores[query, key])


def softmax_terms(trace: AttentionTrace, query: int) -> Softmax:
    """How the whole row trace.weights[query] came about: each weight depends on all scores of its row."""
    masked = trace.masked[query]
    empty = not trace.allowed[query].any()
    largest = None if empty else masked.max()
    # Two scores may lie further apart than a float64 can hold: then the difference is -inf, and exp gives 0.
    with np.errstate(over="ignore"):
        shifted = masked if empty else masked - largest
    exponentials = np.exp(shifted)
    return Softmax(
        masked=tuple(masked.tolist()),
        allowed=tuple(trace.allowed[query].tolist()),
        largest=None if empty else float(largest),
        shifted=tuple(shifted.tolist()),
        exponentials=tuple(exponentials.tolist()),
        total=float(np.add.reduce(exponentials)),
        weights=tuple(trace.weights[query].tolist()),
    )


def output_terms(trace: AttentionTrace, query: int, feature: int) -> DotProduct:
    """How trace.output[query, feature] came about: the query's weights times that column of the values."""
    return dot_product(trace.weights[query], trace.value[:, feature], trace.output[query, feature])


def dot_product(left: np.ndarray, right: np.ndarray, total: float) -> DotProduct:
    """The terms of left @ right, two vectors of one length; ``total`` is the sum as it was computed."""
    products = left * right
    return DotProduct(tuple(left.tolist()), tuple(right.tolist()), tuple(products.tolist()), float(total))
