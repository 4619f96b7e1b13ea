"""Other ways to do a step of attention, right ones and wrong ones, each really carried out.

``attention.py`` has the definition. Here stands what is often tried instead, what other libraries do and what
goes wrong, so that it can be seen side by side.
"""

from dataclasses import dataclass

import numpy as np

from .attention import AttentionTrace, HeadTrace, softmax, trace_attention
from .checks import as_finite_matrix, as_mask, check_overflow, check_values
from .errors import InputError


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one way of hiding keys led to. L queries, S keys, Ev features of values."""

    scores: np.ndarray  #: (L, S) what softmax was given
    weights: np.ndarray  #: (L, S)
    row_sums: np.ndarray  #: (L,) 1 where the weights are shares of a whole
    output: np.ndarray  #: (L, Ev) weights @ value


# 1. Comparing a query and a key, and turning scores into shares.


def divide_by_sum(scores, axis: int = -1) -> np.ndarray:
    """Each score divided by the sum of its line: adds to 1 too, but may be negative, above 1, or impossible.

    A line that adds to 0, or misses it only by rounding, is refused. For softmax over the other axis there is
    ``softmax(scores, axis=0)``.
    """
    scores = as_finite_matrix("scores", scores)
    # Halved until no sum can overflow, by a power of 2, which changes no digit.
    scores = np.ldexp(scores, -np.frexp(np.abs(scores).max(axis=axis, keepdims=True))[1])
    total = scores.sum(axis=axis, keepdims=True)
    rounding = scores.shape[axis] * np.finfo(np.float64).eps * np.abs(scores).sum(axis=axis, keepdims=True)
    zero = np.abs(total).ravel() <= rounding.ravel()
    if zero.any():
        line = int(zero.argmax())
        raise InputError(
            "sum_is_zero",
            f"the scores of line {line} add to 0, so they cannot be divided by their sum",
            line=line,
            axis=axis,
        )
    return scores / total


def cosine_attention(query, key, value, attn_mask=None) -> AttentionTrace:
    """Attention that compares directions only: queries and keys are brought to length 1, nothing is scaled.

    Its scores are cosines, its ``query`` and ``key`` the vectors of length 1. It is not √d scaling: that divides
    all products by one number, this each by its own two lengths. A vector of zeros has no direction and is refused.
    """
    query, key = (_directions(name, as_finite_matrix(name, m)) for name, m in (("query", query), ("key", key)))
    return trace_attention(query, key, value, attn_mask, scale=1)


SHARINGS = ("rows", "columns", "sum")  #: ways to turn scores into weights; "rows" is attention as defined


def share_out(trace: AttentionTrace, sharing: str) -> HeadTrace:
    """The same steps with weights made in another way, and the output that follows from them.

    "rows" is softmax over the keys, as it is. "columns" is softmax over the queries: columns add to 1, rows
    need not. "sum" divides each score by the sum of its row, blocked keys getting 0; see ``divide_by_sum``. Such
    weights are no shares of a whole, so an output may be larger than any value: one that overflows is refused.
    """
    match sharing:
        case "rows":
            return trace
        case "columns":
            weights = softmax(trace.masked, axis=0)
        case "sum":
            weights = divide_by_sum(np.where(trace.allowed, trace.masked, 0.0))
        case _:
            raise InputError(
                "unknown_choice",
                f"sharing must be one of {SHARINGS}, got {sharing!r}",
                options=SHARINGS,
                text=sharing,
            )
    with np.errstate(all="ignore"):  # what overflows is refused by name
        output = weights @ trace.value
    check_overflow("output", output)
    for array in (weights, output):
        array.setflags(write=False)
    return HeadTrace(**vars(trace) | {"weights": weights, "output": output})


# 2. Hiding keys. ``scores`` (L, S) come after scaling and before the mask; ``allowed`` (L, S) is True where
# the query may look; ``value`` is (S, Ev).


def scores_before_mask(trace: AttentionTrace) -> np.ndarray:
    """(L, S) the trace's scores with its bias but without any hiding, for the functions below.

    A bias of -inf hides; it stands in ``trace.allowed`` and is not added here.
    """
    if trace.bias is None:
        return trace.capped
    return trace.capped + np.where(trace.bias == -np.inf, 0.0, trace.bias)


def hide_nothing(scores, allowed, value) -> Outcome:
    """The mask is forgotten."""
    scores, allowed, value = _checked(scores, allowed, value)
    return _outcome(scores, softmax(scores), value)


def score_becomes_zero(scores, allowed, value) -> Outcome:
    """A hidden key's score is set to 0: wrong, because exp(0) = 1 is a share like any other."""
    scores, allowed, value = _checked(scores, allowed, value)
    changed = np.where(allowed, scores, 0.0)
    return _outcome(changed, softmax(changed), value)


def zero_after(scores, allowed, value) -> Outcome:
    """A hidden key's weight is set to 0 after softmax: its share is lost, the row no longer adds to 1."""
    scores, allowed, value = _checked(scores, allowed, value)
    return _outcome(scores, np.where(allowed, softmax(scores), 0.0), value)


def zero_after_and_renormalise(scores, allowed, value) -> Outcome:
    """As ``zero_after``, then each row is divided by its sum: right, unless nothing is left to divide.

    A row whose weights are all 0 becomes NaN (0/0): a query that may look nowhere, and also one whose hidden
    scores were so high that the allowed weights had vanished.
    """
    scores, allowed, value = _checked(scores, allowed, value)
    weights = np.where(allowed, softmax(scores), 0.0)
    with np.errstate(invalid="ignore"):
        return _outcome(scores, weights / weights.sum(axis=1, keepdims=True), value)


def minus_infinity_before(scores, allowed, value) -> Outcome:
    """A hidden key's score is set to -inf before softmax: right, and what ``trace_attention`` does."""
    scores, allowed, value = _checked(scores, allowed, value)
    changed = np.where(allowed, scores, -np.inf)
    return _outcome(changed, softmax(changed), value)


def exponential_becomes_zero(scores, allowed, value) -> Outcome:
    """A hidden key's exponential is set to 0 before the sum: the same as -inf before softmax, as e^-inf = 0.

    The largest allowed score is taken off before, so that the allowed exponentials cannot all vanish. A query
    that may look nowhere gets 0 everywhere.
    """
    scores, allowed, value = _checked(scores, allowed, value)
    top = scores.max(axis=1, keepdims=True, where=allowed, initial=-np.inf)
    with np.errstate(over="ignore"):
        exponentials = np.exp(scores - top, where=allowed, out=np.zeros(scores.shape))
    sums = exponentials.sum(axis=1, keepdims=True)
    weights = np.divide(exponentials, sums, where=sums > 0, out=exponentials)
    return _outcome(scores, weights, value)


def multiply_by_minus_1e9(scores, allowed, value) -> Outcome:
    """A hidden key's score is multiplied by -1e9: a bug, a negative score becomes huge and takes all."""
    scores, allowed, value = _checked(scores, allowed, value)
    with np.errstate(over="ignore"):
        changed = np.where(allowed, scores, scores * -1e9)
    return _outcome(changed, softmax(check_overflow("scores", changed, changed != -np.inf)), value)


def add_penalty(scores, allowed, value, penalty: float, dtype=np.float64) -> Outcome:
    """``penalty`` (0 or below, -inf too) is added to a hidden key's score: e^penalty of its share remains.

    The sum is stored as ``dtype`` (np.float32 or np.float64); softmax is done in float64 either way. In
    float32 a penalty of -1e9 wipes out the score that it is added to.
    """
    scores, allowed, value = _checked(scores, allowed, value)
    if not penalty <= 0:  # so that NaN is refused too
        raise InputError(
            "penalty_positive",
            f"penalty must be 0 or below, got {penalty}; a positive number would favour the hidden keys",
            value=penalty,
        )
    with np.errstate(over="ignore"):
        stored = scores.astype(dtype)
        changed = np.where(allowed, stored, stored + dtype(penalty)).astype(np.float64)
    return _outcome(changed, softmax(check_overflow("scores", changed, changed != -np.inf)), value)


#: The ways without a number to choose, from doing nothing to a bug that is hard to see.
WAYS_TO_HIDE = {
    "nothing": hide_nothing,
    "score_becomes_zero": score_becomes_zero,
    "zero_after": zero_after,
    "zero_after_and_renormalise": zero_after_and_renormalise,
    "minus_infinity_before": minus_infinity_before,
    "exponential_becomes_zero": exponential_becomes_zero,
    "multiply_by_minus_1e9": multiply_by_minus_1e9,
}


# 3. A fully masked row: a query that may look nowhere. Other rows come out the same under all four conventions.


def fully_masked_nan(scores, allowed, value) -> Outcome:
    """Softmax as the formula says: -inf - -inf is NaN, and NaN spreads to the output."""
    scores, allowed, value = _checked(scores, allowed, value)
    changed = np.where(allowed, scores, -np.inf)
    with np.errstate(invalid="ignore", over="ignore"):
        exponentials = np.exp(changed - changed.max(axis=1, keepdims=True))
        return _outcome(changed, exponentials / exponentials.sum(axis=1, keepdims=True), value)


def fully_masked_uniform(scores, allowed, value) -> Outcome:
    """Hidden scores are replaced by the lowest finite number: a fully masked row averages all that was forbidden."""
    scores, allowed, value = _checked(scores, allowed, value)
    changed = np.where(allowed, scores, np.finfo(np.float64).min)
    return _outcome(changed, softmax(changed), value)


def fully_masked_refused(scores, allowed, value) -> Outcome:
    """A fully masked row is an error that names the query."""
    scores, allowed, value = _checked(scores, allowed, value)
    empty = ~allowed.any(axis=1)
    if empty.any():
        query = int(empty.argmax())
        raise InputError("blind_query", f"query {query} may look at no key", query=query)
    return minus_infinity_before(scores, allowed, value)


#: What becomes of a fully masked row. "zeros" is what ``trace_attention`` does.
FULLY_MASKED_ROWS = {
    "zeros": minus_infinity_before,
    "nan": fully_masked_nan,
    "uniform": fully_masked_uniform,
    "error": fully_masked_refused,
}


def _outcome(scores, weights, value) -> Outcome:
    with np.errstate(invalid="ignore", over="ignore"):
        outcome = Outcome(scores, weights, weights.sum(axis=1), weights @ value)
    for array in (outcome.scores, outcome.weights, outcome.row_sums, outcome.output):
        array.setflags(write=False)
    return outcome


def _checked(scores, allowed, value):
    """Float copies of scores and value and a boolean mask, which fit together."""
    scores, value = as_finite_matrix("scores", scores), as_finite_matrix("value", value)
    check_values("scores", scores.shape[1], value)
    return scores, as_mask("allowed", allowed, scores.shape), value


def _directions(name: str, vectors) -> np.ndarray:
    # Dividing by the largest entry first keeps the squares of very long and very short vectors within range.
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    zero = (largest == 0).ravel()
    if zero.any():
        row = int(zero.argmax())
        raise InputError("zero_vector", f"{name} {row} is all zeros and so has no direction", name=name, row=row)
    shrunk = vectors / largest
    return shrunk / np.sqrt(np.vecdot(shrunk, shrunk))[:, None]
