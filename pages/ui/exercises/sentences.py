"""Sentences: what weights on words can tell, made by hand or trained."""

import numpy as np

from attention_core import AttentionTrace, default_scale
from attention_core.examples import example
from attention_core.sentences import kinds, model
from pages.ui.exercises.exercise import Exercise, near


def it_reads_mat_most(trace: AttentionTrace, seeks: np.ndarray) -> bool:
    """5e: one number of the seek table was changed, and in the cat sentence "it" reads "mat" above 0.5."""
    reads = _it_reads_mat(trace, seeks)
    return _numbers_changed(seeks) == 1 and reads is not None and reads > 0.5


def _it_reads_mat(trace: AttentionTrace, seeks: np.ndarray) -> float | None:
    """5e: the weight, where the cat sentence is read by these kinds with nothing masked or pushed."""
    toy = example("cat_toy")
    weights = kinds.sentence([kinds.KINDS[kind] for kind in toy.key.argmax(axis=1)], seeks)[0][0].weights
    is_shown = trace.weights.shape == weights.shape and np.allclose(trace.weights, weights)
    return float(weights[7, 5]) if is_shown else None


def _numbers_changed(seeks: np.ndarray) -> int:
    """5e: how many numbers of the table are others than at first."""
    return int((seeks != kinds.seek_table()).sum())


def _watch_5e(trace: AttentionTrace, seeks: np.ndarray) -> dict[str, object]:
    reads = _it_reads_mat(trace, seeks)
    return {"mat": reads, "edits": _numbers_changed(seeks), "shown": reads is not None}


def pronoun_moved_to_mat(trace: AttentionTrace, source: str, tokens: tuple[str, ...]) -> bool:
    """5f: in the trained model's last layer, "it" reads "mat" above 0.5 although "cat" stands there too."""
    reads = _pronoun_reads_mat(trace, source, tokens)
    return reads is not None and reads > 0.5


def _pronoun_reads_mat(trace: AttentionTrace, source: str, tokens: tuple[str, ...]) -> float | None:
    """5f: the weight, where the model's last layer reads such a sentence with nothing masked or pushed."""
    for pronoun, cat, mat in (("it", "cat", "mat"), ("그것", "고양이", "매트")):
        if source == "trained" and {pronoun, cat, mat} <= set(tokens):
            usual = trace.allowed.all() and np.isclose(trace.scale, default_scale(model.WIDTH)) and trace.bias is None
            return float(trace.weights[tokens.index(pronoun), tokens.index(mat)]) if usual else None
    return None


def _watch_5f(trace: AttentionTrace, source: str, tokens: tuple[str, ...]) -> dict[str, object]:
    reads = _pronoun_reads_mat(trace, source, tokens)
    return {"mat": reads, "shown": reads is not None}


EXERCISES = (
    Exercise(
        "5a", "choice", ("on_was", "the_because", "it_tired", "nothing"), "the_because",
        ("rounding", "hidden", "sum_is_one"), "sum_is_one",
    ),
    Exercise(
        "5b", "guess", ("w420", "w494", "w570", "w850"), "w494",
        ("cat_takes_all", "divided", "half_each"), "divided",
    ),
    Exercise(
        "5c", "choice", ("mat", "it", "tired", "sat"), "it", ("order_stays", "resembles", "nearest"), "order_stays",
    ),
    Exercise(
        "5d", "choice", ("nouns", "the_sat", "function_words"), "function_words",
        ("same_weight", "same_vector", "short_words"), "same_vector",
    ),
    Exercise(
        "5e", "state", reasons=("mat_seeks", "one_row", "value"), reason="one_row",
        example="kinds", facts=("trace", "seeks"), check=it_reads_mat_most,
        watch=_watch_5e,
    ),
    Exercise(
        "5f", "state", reasons=("nearer", "understood", "clue"), reason="clue",
        example="trained", facts=("trace", "source", "tokens"), check=pronoun_moved_to_mat,
        watch=_watch_5f,
    ),
    Exercise(
        "5f2", "guess", ("to_mat", "nothing_moves", "error"), "nothing_moves",
        ("not_seen", "mask_after", "too_far"), "not_seen",
    ),
    Exercise(
        "5g", "choice", ("yes", "no"), "no", ("small_effect", "adjective_wins", "own_query"), "own_query",
    ),
    Exercise(
        "5h", "guess", ("reordered", "all_new", "unchanged"), "reordered",
        ("sorted", "no_place", "sums"), "no_place",
    ),
    Exercise("5i", "numbers", numbers={"words": near(36), "syllables": near(256)}),
    Exercise(
        "5j", "guess", ("left", "right"), "left", ("looks", "columns", "source"), "source",
    ),
)  # fmt: skip
