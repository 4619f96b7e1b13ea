"""The matrix lab: shapes, and what the scores of tokens that read each other can and cannot be."""

import numpy as np

from attention_core import AttentionTrace, default_scale, softmax
from attention_core.examples import example
from pages.ui.exercises.exercise import AS_DEFINED, Exercise, near


def weights_near_identity(trace: AttentionTrace) -> bool:
    """2b: Q = K = c times the 3 x 3 identity, and every token reads itself with more than 0.9."""
    return _are_identities(trace) and bool(np.diag(trace.weights).min() > 0.9)


def _are_identities(trace: AttentionTrace) -> bool:
    """2b: Q = K = c times the 3 x 3 identity."""
    query = trace.query
    return query.shape == (3, 3) and np.array_equal(query, trace.key) and np.array_equal(query, query[0, 0] * np.eye(3))


def scores_move_but_no_weight(trace: AttentionTrace) -> bool:
    """2c: every score of A, B, C reading each other is another one, every weight the same within 1e-6."""
    return _moved_since_abc_self(trace) == {"scores": 9, "weights": 0}


def _moved_since_abc_self(trace: AttentionTrace) -> dict[str, float]:
    """2c: how many scores are others, and by how much a weight is at most; less than 1e-6 is nothing."""
    start = example("abc_self")
    scores = start.query @ start.key.T
    if trace.scores.shape != scores.shape:
        return {}
    weights = softmax(scores * default_scale(start.query.shape[1]))
    most = float(np.abs(trace.weights - weights).max())
    return {"scores": int((np.abs(trace.scores - scores) > 1e-6).sum()), "weights": most if most > 1e-6 else 0}


def a_reads_b_but_not_back(trace: AttentionTrace) -> bool:
    """2d: A reads B with more than 0.9, B reads A with less than 0.01."""
    weights = trace.weights
    return min(weights.shape) > 1 and weights[0, 1] > 0.9 and weights[1, 0] < 0.01


EXERCISES = (
    Exercise(
        "2p", "guess", ("all_grow", "same", "flatter", "sharper"), "same",
        ("sum_rule", "differences", "too_small"), "differences",
    ),
    Exercise(
        "2a", "numbers",
        numbers={
            "weights_rows": near(2), "weights_columns": near(4), "output_rows": near(2),
            "output_columns": near(5),
        },
    ),
    Exercise(
        "2b", "state", reasons=("squared", "identity", "sum"), reason="squared",
        example="abc_self", fixed=AS_DEFINED, check=weights_near_identity,
        watch=lambda trace: {"least": np.diag(trace.weights).min(), "identity": _are_identities(trace)},
    ),
    Exercise(
        "2c", "state", reasons=("doubled", "order", "row_constant"), reason="row_constant",
        example="abc_self", fixed=AS_DEFINED, check=scores_move_but_no_weight,
        watch=_moved_since_abc_self,
    ),
    Exercise(
        "2d", "state", reasons=("symmetric", "own_query", "budget"), reason="own_query",
        example="abc_self", fixed=("key", *AS_DEFINED), check=a_reads_b_but_not_back,
        watch=lambda trace: {
            "a_b": trace.weights[0, 1], "b_a": trace.weights[1, 0] if len(trace.query) > 1 else None
        },
    ),
    Exercise(
        "2e", "guess", ("a", "b", "c", "equal"), "c", ("rows_and_columns", "longest", "last"), "longest",
        example="abc_self",
    ),
    Exercise(
        "2f", "choice", ("nothing", "negative", "rows"), "rows", ("budget_of_key", "transposed", "rounding"),
        "budget_of_key", example="abc_self",
    ),
)  # fmt: skip
