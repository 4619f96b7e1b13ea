"""Masks: who may read whom, and what goes wrong when a mask is written in another way."""

import numpy as np

from attention_core import AttentionTrace
from attention_core.comparisons import multiply_by_minus_1e9, scores_before_mask
from pages.ui.exercises.exercise import Exercise, near, output_near


def mask_gives_five_five(trace: AttentionTrace) -> bool:
    """4b: the third query, (1, 1), gives output (5, 5) within 0.01."""
    return len(trace.query) > 2 and output_near(trace, 2, (5, 5), 0.01)


def output_is_value(trace: AttentionTrace) -> bool:
    """4d: row by row the output is the value, because each query may look at its own key alone."""
    n_query, n_key = trace.weights.shape
    only_one = n_query == n_key and trace.allowed.sum() == n_query
    return bool(only_one and np.array_equal(trace.output, trace.value))


def _distance_to_value(trace: AttentionTrace) -> float | None:
    """4d: the largest difference between an output and its token's value."""
    if trace.output.shape != trace.value.shape:
        return None
    return float(np.abs(trace.output - trace.value).max())


def allows_55_of_10(trace: AttentionTrace) -> bool:
    """4e: ten tokens, 55 cells allowed, and no query is blind."""
    return _allows(trace.allowed, 55)


def allows_27_of_10(trace: AttentionTrace) -> bool:
    """4e, second part: ten tokens, 27 cells allowed, and no query is blind."""
    return _allows(trace.allowed, 27)


def _allows(allowed: np.ndarray, cells: int) -> bool:
    return bool(allowed.shape == (10, 10) and allowed.sum() == cells and allowed.any(axis=1).all())


def _mask_counts(trace: AttentionTrace) -> dict[str, int]:
    """How many queries, keys, allowed cells and queries that may read nothing there are."""
    queries, keys = trace.allowed.shape
    blind = int((~trace.allowed.any(axis=1)).sum())
    return {"queries": queries, "keys": keys, "cells": int(trace.allowed.sum()), "blind": blind}


def hides_two_pads(trace: AttentionTrace) -> bool:
    """4f: of ten tokens nobody reads the last two, and nobody is blind."""
    allowed = trace.allowed
    return bool(allowed.shape == (10, 10) and not allowed[:, 8:].any() and allowed.any(axis=1).all())


def someone_is_blind(trace: AttentionTrace) -> bool:
    """4g: a query that may look at nothing, where a softmax without care gives NaN."""
    return trace.blind_queries.size > 0


def bug_hands_all_to_hidden_key(trace: AttentionTrace) -> bool:
    """4i: times -1e9 instead of -inf gives C, although it is hidden, more than 0.99."""
    given = _given_to_hidden_c(trace)
    return given.size > 0 and bool(given.max() > 0.99)


def _given_to_hidden_c(trace: AttentionTrace) -> np.ndarray:
    """4i: what times -1e9 gives C in the rows from which it is hidden."""
    if trace.weights.shape[1] < 3:
        return np.zeros(0)
    wrong = multiply_by_minus_1e9(scores_before_mask(trace), trace.allowed, trace.value)
    return wrong.weights[~trace.allowed[:, 2], 2]


EXERCISES = (
    Exercise(
        "4a", "guess", ("w401", "w500", "w602", "w670"), "w670",
        ("c_to_a", "ratio", "half_each"), "ratio", example="abc",
    ),
    Exercise(
        "4b", "state", reasons=("tie_of_two", "c_repels", "mask_moves_v"), reason="tie_of_two",
        example="abc_self", fixed=("query", "key", "value", "scale", "softmax"), check=mask_gives_five_five,
        watch=lambda trace: {"output": trace.output[2] if len(trace.output) > 2 else None},
    ),
    Exercise("4c", "numbers", numbers={"penalty": near(-7)}),
    Exercise(
        "4d", "state", reasons=("score_largest", "one_left", "v_small"), reason="one_left",
        example="abc_self", fixed=("softmax",), check=output_is_value,
        watch=lambda trace: {
            "far": _distance_to_value(trace), "alone": int((trace.allowed.sum(axis=1) == 1).sum()),
            "queries": len(trace.query),
        },
    ),
    Exercise(
        "4e", "state", reasons=("half", "one_to_ten", "minus_ten"), reason="one_to_ten",
        example="cat_toy", check=allows_55_of_10,
        watch=_mask_counts,
    ),
    Exercise(
        "4e2", "state", reasons=("three_each", "two_short", "window"), reason="two_short",
        example="cat_toy", check=allows_27_of_10,
        watch=_mask_counts,
    ),
    Exercise(
        "4f", "state", reasons=("columns", "rows", "both"), reason="columns",
        example="cat_toy", check=hides_two_pads,
        watch=lambda trace: _mask_counts(trace) | {"pads": int(trace.allowed[:, 8:10].sum())},
    ),
    Exercise(
        "4g", "state", reasons=("nan_leaks", "zeros_leak", "finite_leaks"), reason="finite_leaks",
        example="abc_self", check=someone_is_blind,
        watch=lambda trace: {"blind": _mask_counts(trace)["blind"]},
    ),
    Exercise(
        "4h", "guess", ("all", "last", "none", "last_two"), "last",
        ("may_not_look", "too_far", "weights_only"), "may_not_look",
    ),
    Exercise(
        "4i", "state", reasons=("large", "sign", "rounding"), reason="sign",
        example="abc", fixed=("key", "softmax"), check=bug_hands_all_to_hidden_key,
        watch=lambda trace: {
            "hidden": _given_to_hidden_c(trace).size, "wrong": max(_given_to_hidden_c(trace), default=None)
        },
    ),
)  # fmt: skip
