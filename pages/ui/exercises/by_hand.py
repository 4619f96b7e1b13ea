"""By hand. One query; article 3's keys A, B, C, or article 1's, whose scores are 1, 2, 1."""

import numpy as np

from attention_core import AttentionTrace
from attention_core.examples import example
from attention_core.insight import winners
from pages.ui.exercises.exercise import AS_DEFINED, Exercise, near, output_near


def b_weighs_most_of_it(trace: AttentionTrace) -> bool:
    """1a: the second key has more than 0.9."""
    return trace.weights.shape[1] > 1 and trace.weights[0, 1] > 0.9


def output_is_five_five(trace: AttentionTrace) -> bool:
    """1b: output (5, 5) within 0.05, and the query does not point to the left."""
    return trace.query[0, 0] >= 0 and output_near(trace, 0, (5, 5), 0.05)


def output_is_six_six(trace: AttentionTrace) -> bool:
    """1d: output (6, 6) within 0.05 after exactly one value of article 3 was changed."""
    return _rows_changed(trace.value, example("abc").value) == 1 and output_near(trace, 0, (6, 6), 0.05)


def _rows_changed(matrix: np.ndarray, start: np.ndarray) -> int | None:
    return int((matrix != start).any(axis=1).sum()) if matrix.shape == start.shape else None


def all_weights_equal(trace: AttentionTrace) -> bool:
    """1e: the largest and the smallest weight differ by less than 0.005."""
    return bool(np.ptp(trace.weights[0]) < 0.005)


def middle_key_weighs_nine_tenths(trace: AttentionTrace) -> bool:
    """1f: the query is (t, t) and the second key has 0.9 within 0.005."""
    query = trace.query[0]
    return query.size == 2 and query[0] == query[1] and abs(trace.weights[0, 1] - 0.9) < 0.005


def longer_key_wins(trace: AttentionTrace) -> bool:
    """1g: the first or third key of article 1 wins alone, and only its length was changed."""
    row = _stretched_row(trace.key)
    return row is not None and winners(trace.weights, 0) == (row,)


def _stretched_row(key: np.ndarray) -> int | None:
    """1g: the one row, the first or the third, of which nothing but the length is another than in article 1."""
    start = example("one_two_one").key
    if key.shape != start.shape:
        return None
    edited = np.flatnonzero((key != start).any(axis=1))
    if len(edited) != 1 or edited[0] == 1:
        return None
    row = int(edited[0])
    stretch = key[row].sum()  # both keys hold one 1 and one 0
    return row if stretch > 0 and np.array_equal(key[row], stretch * start[row]) else None


def printed_scores_hold(trace: AttentionTrace) -> bool:
    """1i: article 2's printed scores come out, and no key had more than one number changed."""
    love = example("love")
    if trace.key.shape != love.key.shape:
        return False
    edits = (trace.key != love.key).sum(axis=1)
    return bool(edits.max() <= 1 and np.abs(trace.scores[0] - love.printed["scores"]).max() <= 0.005)


EXERCISES = (
    Exercise(
        "1p", "guess", ("same", "sharper", "flatter", "half"), "sharper",
        ("length_counts", "direction_only", "share_of_sum"), "length_counts",
    ),
    Exercise(
        "1a", "state", reasons=("q2_large", "away_from_c", "longer"), reason="away_from_c",
        example="abc", fixed=("key", *AS_DEFINED), check=b_weighs_most_of_it,
        watch=lambda trace: {"b": trace.weights[0, 1]},
    ),
    Exercise(
        "1b", "state", reasons=("equal_parts", "balance", "c_half"), reason="balance",
        example="abc", fixed=("key", "value", *AS_DEFINED), check=output_is_five_five,
        watch=lambda trace: {"output": trace.output[0], "q1": trace.query[0, 0]},
    ),
    Exercise(
        "1c", "choice", ("large_q", "only_c", "impossible"), "impossible",
        ("not_linear", "hull", "too_small"), "hull", example="abc",
    ),
    Exercise(
        "1d", "state", reasons=("hull_moves", "weights_move", "sum_grows"), reason="hull_moves",
        example="abc", fixed=("key", *AS_DEFINED), check=output_is_six_six,
        watch=lambda trace: {"output": trace.output[0], "rows": _rows_changed(trace.value, example("abc").value)},
    ),
    Exercise(
        "1e", "state", reasons=("any_diagonal", "short", "zero_only"), reason="zero_only",
        example="abc", fixed=("key", *AS_DEFINED), check=all_weights_equal,
        watch=lambda trace: {"gap": np.ptp(trace.weights[0])},
    ),
    Exercise(
        "1f", "state", reasons=("gap_grows", "ratio_stays", "norm_one"), reason="gap_grows",
        example="one_two_one", fixed=("key", *AS_DEFINED), check=middle_key_weighs_nine_tenths,
        watch=lambda trace: {"same": bool(np.ptp(trace.query[0]) == 0), "weight": trace.weights[0, 1]},
    ),
    Exercise(
        "1g", "state", reasons=("angle_only", "softmax_longest", "length_too"), reason="length_too",
        example="one_two_one", fixed=("query", *AS_DEFINED), check=longer_key_wins,
        watch=lambda trace: {"weights": trace.weights[0], "length": _stretched_row(trace.key) is not None},
    ),
    Exercise(
        "1h", "numbers", example="love",
        numbers={"i": near(1.77, 0.005), "love": near(1.96, 0.005), "ai": near(2.37, 0.005)},
    ),
    Exercise(
        "1i", "state", reasons=("divide", "factor", "any_entry"), reason="divide",
        example="love", fixed=("query", *AS_DEFINED), check=printed_scores_hold,
        watch=lambda trace: {
            "scores": trace.scores[0],
            "edits": int((trace.key != example("love").key).sum(axis=1).max()) if trace.key.shape == (3, 4) else None,
        },
    ),
)  # fmt: skip
