"""Scaling: why scores are divided by √d, and what a temperature does."""

from collections.abc import Callable

import numpy as np

from attention_core import default_scale, softmax
from attention_core.examples import example
from attention_core.insight import effective_number
from attention_core.scaling import random_scores, sensitivity
from pages.ui.exercises.exercise import Exercise, near


def spread_beats_scaling(scaling: str, temperature: float, aligned: bool, largest_weight: float) -> bool:
    """3d: divided by √d, no other dial touched, and still the average largest weight is above 0.5."""
    return scaling == "sqrt" and temperature == 1 and not aligned and largest_weight > 0.5


def temperature_gives_b_a_quarter(source: str, scaling: str, temperature: float) -> bool:
    """3e: article 3's keys, divided by √d; at this temperature the first row's B weighs 0.25 within 0.003."""
    return source == "abc_self" and scaling == "sqrt" and abs(_weights_at(source, temperature)[1] - 0.25) < 0.003


def temperature_gives_middle_key_nine_tenths(source: str, scaling: str, temperature: float) -> bool:
    """3f: article 1's keys, divided by √d; at this temperature the second weighs 0.9 within 0.003."""
    return source == "one_two_one" and scaling == "sqrt" and abs(_weights_at(source, temperature)[1] - 0.9) < 0.003


def _weights_at(name: str, temperature: float) -> np.ndarray:
    start = example(name)
    scaled = start.query @ start.key.T * default_scale(start.query.shape[1])
    return softmax(scaled / temperature)[0]


def _watch_temperature(name: str, key: str) -> Callable[..., dict[str, object]]:
    """3e and 3f: the second key's weight in the first row, where the asked numbers are shown and divided by √d."""

    def watch(source: str, scaling: str, temperature: float) -> dict[str, object]:
        is_asked = source == name and scaling == "sqrt"
        return {key: float(_weights_at(name, temperature)[1]) if is_asked else None, "shown": is_asked}

    return watch


def gap_saturates(gap: float) -> bool:
    """3h: one of ten scores leads so far that 1 - Σp² is below 0.01."""
    return _reacts(gap) < 0.01


def _reacts(gap: float) -> float:
    scores = np.zeros((1, 10))
    scores[0, 0] = gap
    return float(sensitivity(softmax(scores))[0])


def few_books_are_left(score_spread: float, seed: int = 0) -> bool:
    """3i: the effective number of 100 scores with this spread is at most 5.5, averaged over seeded draws."""
    return _books_left(score_spread, seed) <= 5.5


def _books_left(score_spread: float, seed: int) -> float:
    return float(effective_number(softmax(random_scores(100, spread=score_spread, seed=seed))).mean())


EXERCISES = (
    Exercise(
        "3p", "guess", ("first_wins", "half_half", "third", "error"), "half_half",
        ("nan", "ratio_one", "order"), "ratio_one",
    ),
    Exercise(
        "3a", "guess", numbers={"deviation": near(8, 0.5)},
        reasons=("adds_up", "bound", "mean"), reason="adds_up",
    ),
    Exercise("3b", "numbers", numbers={"d": near(64)}),
    Exercise(
        "3c", "choice", ("d_512", "d_1", "impossible"), "impossible",
        ("few_samples", "same_spread", "softmax_even"), "same_spread",
    ),
    Exercise(
        "3d", "state", reasons=("more_keys", "unit_entries", "d_large"), reason="unit_entries",
        facts=("scaling", "temperature", "aligned", "largest_weight"), check=spread_beats_scaling,
        watch=lambda scaling, temperature, aligned, largest: {
            "largest": largest, "dials": scaling == "sqrt" and temperature == 1 and not aligned
        },
    ),
    Exercise(
        "3e", "state", reasons=("below_third", "above_one", "halves"), reason="above_one",
        facts=("source", "scaling", "temperature"), check=temperature_gives_b_a_quarter,
        watch=_watch_temperature("abc_self", "b"),
    ),
    Exercise(
        "3f", "state", reasons=("divides_gap", "adds", "like_longer_k2"), reason="divides_gap",
        facts=("source", "scaling", "temperature"), check=temperature_gives_middle_key_nine_tenths,
        watch=_watch_temperature("one_two_one", "second"),
    ),
    Exercise(
        "3g", "choice", ("low", "high", "impossible"), "impossible", ("tie", "b_stays", "rounding"), "tie",
    ),
    Exercise(
        "3h", "state", reasons=("wrong_winner", "flat", "sum_broken"), reason="flat",
        facts=("gap",), check=gap_saturates,
        watch=lambda gap: {"reacts": _reacts(gap)},
    ),
    Exercise(
        "3i", "state", reasons=("differences", "books_removed", "level"), reason="differences",
        facts=("score_spread", "seed"), check=few_books_are_left,
        watch=lambda score_spread, seed: {"books": _books_left(score_spread, seed)},
    ),
)  # fmt: skip
