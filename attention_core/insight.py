"""What attention weights tell. ``weights`` is (L, S): a row for each query, a column for each key."""

import numpy as np

from .attention import AttentionTrace, softmax

# Weights this close are a tie: equal scores may differ in their last digits after a sum in another order.
TIE = 1e-9


def row_sums(weights: np.ndarray) -> np.ndarray:
    """(L,) how much weight each query gives away: 1, or 0 in a fully masked row."""
    return weights.sum(axis=1)


def received(weights: np.ndarray) -> np.ndarray:
    """(S,) how much each key receives from all queries together. Columns need not add to 1."""
    return weights.sum(axis=0)


def entropy(weights: np.ndarray) -> np.ndarray:
    """(L,) -sum of w·ln(w) in nats, with 0·ln(0) = 0 (Shannon 1948).

    0 where one key gets everything (or nobody anything, in a fully masked row), ln(S) where all S keys get the same.
    """
    logarithms = np.log(weights, out=np.zeros(weights.shape), where=weights > 0)
    return 0.0 - (weights * logarithms).sum(axis=1)  # a minus sign alone would turn 0 into -0


def effective_number(weights: np.ndarray) -> np.ndarray:
    """(L,) exp(entropy): how many keys of equal weight would be as spread out; 0 for a fully masked row."""
    return np.where((weights > 0).any(axis=1), np.exp(entropy(weights)), 0.0)


def largest_weight(weights: np.ndarray) -> np.ndarray:
    """(L,) the largest weight of each row."""
    return weights.max(axis=1)


def winners(weights: np.ndarray, query: int) -> tuple[int, ...]:
    """The keys that share the largest weight of this query: one, several in a tie, none in a fully masked row."""
    row = weights[query]
    largest = row.max()
    return tuple(np.flatnonzero((row > 0) & (row >= largest * (1 - TIE))).tolist())


def ranks(numbers: np.ndarray, allowed: np.ndarray) -> list[int]:
    """The place of each number of a row in the order of size, 1 for the largest; ties share one, 0 is for a hidden key.

    Softmax keeps this order: a key with a larger score never gets a smaller weight.
    """
    sizes = np.abs(np.where(allowed, numbers, 0.0))
    # A tie is told from the two numbers alone, but for the last digits of a row that holds far larger ones.
    slack = TIE * np.maximum(sizes[None, :], sizes[:, None]) + 4 * np.finfo(np.float64).eps * sizes.max(initial=0)
    larger = numbers[None, :] > numbers[:, None] + slack
    places = 1 + (larger & allowed).sum(axis=1)
    return np.where(allowed, places, 0).tolist()


def contributions(trace: AttentionTrace, query: int) -> np.ndarray:
    """(S, Ev) what each key contributes to this query's output: weight times value. Their sum is the output."""
    return trace.weights[query][:, None] * trace.value


def weighted_lengths(trace: AttentionTrace, query: int) -> np.ndarray:
    """(S,) weight times length of the value: how much of each key arrives (Kobayashi et al. 2020).

    It is the length of its row of ``contributions``.
    """
    return np.hypot.reduce(contributions(trace, query), axis=1)  # no squares, which overflow or vanish


def leave_one_out(trace: AttentionTrace, query: int) -> np.ndarray:
    """(S, Ev) how far this query's output moves when each key in turn is hidden: output without it - output.

    It is worked out by hiding, not by a formula; the law w/(1 - w) * (output - value) is what comes out. Where
    nothing is left to read the output becomes 0, as in every fully masked row.
    """
    masked = np.tile(trace.masked[query], (trace.masked.shape[1], 1))
    np.fill_diagonal(masked, -np.inf)
    moves = softmax(masked) @ trace.value - trace.output[query]
    moves[~trace.allowed[query]] = 0.0  # the same row again, whose sums may come out in another order
    return moves
