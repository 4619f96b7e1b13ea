"""Projections and heads: where Q, K and V come from, and what an average of heads hides."""

from itertools import permutations

import numpy as np

from attention_core import AttentionTrace
from attention_core.head_examples import head_example
from pages.ui.exercises.exercise import AS_DEFINED, Exercise, near


def two_reads_one(x: np.ndarray, w_query: np.ndarray, trace: AttentionTrace) -> bool:
    """6c: token 2 reads token 1 with more than 0.9, and of X and W_Q only W_Q's second row was changed."""
    others = _changed_beside_row_two(x, w_query)
    return bool(others == 0 and trace.weights.shape == (3, 3) and trace.weights[1, 0] > 0.9)


def _changed_beside_row_two(x: np.ndarray, w_query: np.ndarray) -> int | None:
    """6c: how many numbers of X and of the other rows of W_Q are others; None when they have another size."""
    start = head_example("xw")
    if x.shape != start.x.shape or w_query.shape != start.w_query[0].shape:
        return None
    return int((x != start.x).sum() + (w_query != start.w_query[0])[[0, 2]].sum())


def one_head_finds_cat_one_finds_tired(x: np.ndarray, heads: tuple[AttentionTrace, ...]) -> bool:
    """6e: "it" of the cat sentence reads "cat" with more than 0.9 in one head and "tired" in another."""
    most = _most_in_a_head(x, heads)
    return bool(most) and min(most.values()) > 0.9


def _most_in_a_head(x: np.ndarray, heads: tuple[AttentionTrace, ...]) -> dict[str, float]:
    """6e: the most that "it" of the cat sentence gives "cat" in a head, and "tired"."""
    if not np.array_equal(x, head_example("cat").x) or any(head.weights.shape != (10, 10) for head in heads):
        return {}
    it = 7
    return {word: max(float(head.weights[it, key]) for head in heads) for word, key in (("cat", 1), ("tired", 9))}


def same_average_of_other_heads(heads: tuple[AttentionTrace, ...], kept: np.ndarray) -> bool:
    """6g: the average of the heads is that of the kept ones within 0.005, and no order makes the heads the same."""
    apart = _apart(heads, kept)
    return bool(apart) and apart["average"] < 0.005 and apart["heads"] > 0.1


def _apart(heads: tuple[AttentionTrace, ...], kept: np.ndarray) -> dict[str, float]:
    """6g: by how much at most the averages differ, and the heads themselves in the order that suits them best."""
    now = np.array([head.weights for head in heads])
    if now.shape != kept.shape or len(now) < 2:
        return {}
    orders = permutations(range(len(now)))
    return {
        "average": float(np.abs(now.mean(axis=0) - kept.mean(axis=0)).max()),
        "heads": min(float(np.abs(now[list(order)] - kept).max()) for order in orders),
    }


def _watch_6g(heads: tuple[AttentionTrace, ...], kept: np.ndarray) -> dict[str, object]:
    apart = _apart(heads, kept)
    return {"kept": bool(apart), "average": apart.get("average"), "heads": apart.get("heads")}


EXERCISES = (
    Exercise(
        "6b", "guess", ("both", "scores_only", "weights_only", "neither"), "scores_only",
        ("masked", "own_sums", "w_v_differs"), "own_sums",
    ),
    Exercise("6a", "numbers", numbers={"first": near(1), "second": near(1)}),
    Exercise(
        "6c", "state", reasons=("query_two_moves", "key_one_moves", "longer_wins"), reason="query_two_moves",
        example="xw", fixed=("key", *AS_DEFINED), facts=("x", "w_query", "trace"), check=two_reads_one,
        watch=lambda x, w_query, trace: {
            "weight": trace.weights[1, 0] if len(trace.weights) > 1 else None,
            "others": _changed_beside_row_two(x, w_query),
        },
    ),
    Exercise("6d", "numbers", numbers={"rows": near(2), "columns": near(3)}),
    Exercise(
        "6e", "state", reasons=("share_one_budget", "order_of_heads", "own_budgets"), reason="own_budgets",
        example="cat", facts=("x", "heads"), check=one_head_finds_cat_one_finds_tired,
        watch=_most_in_a_head,
    ),
    Exercise(
        "6f", "choice", ("ten_ten", "five_five", "impossible"), "five_five",
        ("average_forgets", "weights_tell", "values_add"), "average_forgets",
    ),
    Exercise(
        "6g", "state", reasons=("means_are_unique", "average_hides", "w_o_repairs"), reason="average_hides",
        example="crossed", facts=("heads", "kept"), check=same_average_of_other_heads,
        watch=_watch_6g,
    ),
    Exercise(
        "6h", "numbers",
        numbers={"d_k": near(64), "divisor": near(8), "parameters": near(786_432)},
    ),
)  # fmt: skip
