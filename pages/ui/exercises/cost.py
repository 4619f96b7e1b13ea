"""Cost and distance: how much grows with the number of tokens, and how far one word is from another."""

from attention_core.cost import fidelity_left, layers_needed
from pages.ui.exercises.exercise import Exercise, near


def nine_hand_overs_keep_nine_tenths(fidelity: float) -> bool:
    """7d: after nine lossy hand-overs more than 0.9 is left."""
    return fidelity < 1 and fidelity_left(fidelity, 9) > 0.9


def word_ten_hears_word_one(window: int, layers: int) -> bool:
    """7f: a window of two back, and as few layers as carry something across nine words."""
    return window == 2 and layers == layers_needed(9, window)


EXERCISES = (
    Exercise(
        "7a", "guess", ("two", "n_more", "four", "eight"), "four",
        ("one_row", "rows_and_columns", "halves"), "rows_and_columns",
    ),
    Exercise("7b", "numbers", numbers={"n": near(1000)}),
    Exercise("7c", "numbers", numbers={"recurrent": near(6), "attention": near(1)}),
    Exercise(
        "7d", "state", reasons=("evens_out", "last_only", "multiplies"), reason="multiplies",
        facts=("fidelity",), check=nine_hand_overs_keep_nine_tenths,
        watch=lambda fidelity: {"r": fidelity, "left": fidelity_left(fidelity, 9)},
    ),
    Exercise("7e", "numbers", numbers={"n": near(512)}),
    Exercise(
        "7f", "state", reasons=("two_a_layer", "one_layer", "ten_words"), reason="two_a_layer",
        facts=("window", "layers"), check=word_ten_hears_word_one,
        watch=lambda window, layers: {"window": window, "layers": layers, "first": max(1, 10 - window * layers)},
    ),
    Exercise(
        "7g", "choice", ("all", "not_generating", "only_training", "none"), "not_generating",
        ("mask_forbids", "too_small", "next_needs_last"), "next_needs_last",
    ),
)  # fmt: skip
