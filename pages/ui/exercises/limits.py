"""What weights do not tell: besides the exercises, what is sorted and checked on that page."""

from collections.abc import Mapping

import numpy as np

from attention_core import AttentionTrace
from pages.ui.exercises.exercise import AS_DEFINED, Exercise, near, output_near

#: 8g: what one can say after these pages, and what it is: shown by a run here, untested here, or false.
STATEMENTS = {
    "average": "true", "probability": "false", "antecedents": "untested", "ratio": "true",
    "ignored": "false", "equal_effect": "false", "plain_mean": "true", "training": "untested",
    "same_weights": "false", "first_row": "true", "deleting": "false", "head_matters": "untested",
}  # fmt: skip

#: Lesson 8: what the articles say, and whether it holds, needs a condition or a better word, or is wrong.
CLAIMS = {
    "one_two_one": "wrong", "love_scores": "wrong", "love_weights": "wrong", "love_order": "holds",
    "root_64": "holds", "table_sums": "holds", "three_runs": "holds", "ones": "holds", "first_2017": "wrong",
    "self_attention": "wrong", "score_heatmap": "soften", "recap": "soften", "all_in_one": "soften",
    "same_word": "soften", "variance_one": "soften", "ignores": "wrong", "learned_it": "wrong",
    "shares_change": "soften", "large_negative": "soften", "ambiguous": "soften",
}  # fmt: skip

#: 8h: what changed in each test document, and what invented agents report when that much has changed.
DOCUMENTS = {
    "deadline_only": frozenset({"deadline"}),
    "eligibility_only": frozenset({"eligibility"}),
    "none_changed": frozenset(),
}
AGENTS = {
    "careful": lambda changed: changed,
    "mixes": lambda changed: frozenset({"deadline", "eligibility"}) if changed else changed,
    "always_both": lambda changed: frozenset({"deadline", "eligibility"}),
    "always_none": lambda changed: frozenset(),
}


def exposing(agent: str) -> tuple[str, ...]:
    """The test documents on which this agent's report is not what the document says."""
    return tuple(name for name, changed in DOCUMENTS.items() if AGENTS[agent](changed) != changed)


def equal_values_and_lopsided_weights(trace: AttentionTrace) -> bool:
    """8a: every value is (1, 1), and still one key weighs more than 0.9."""
    return bool((trace.value == 1).all() and trace.weights[0].max() > 0.9)


def four_six_from_c(trace: AttentionTrace) -> bool:
    """8b: output (4, 6) within 0.05, with more than 0.9 on C."""
    return trace.weights.shape[1] > 2 and trace.weights[0, 2] > 0.9 and output_near(trace, 0, (4, 6), 0.05)


def four_six_without_c(trace: AttentionTrace) -> bool:
    """8b, second part: output (4, 6) within 0.05 with C hidden."""
    hidden = trace.allowed.shape[1] > 2 and trace.allowed[0].tolist() == [True, True, False]
    return hidden and output_near(trace, 0, (4, 6), 0.05)


def sink_takes_most(sink: AttentionTrace) -> bool:
    """8f: the last key, whose value is 0, weighs more than 0.9; the output points where it did without it."""
    with_it, without_it = sink.output[0], sink.weights[0, :-1] @ sink.value[:-1]
    return bool(sink.weights[0, -1] > 0.9 and not sink.value[-1].any() and np.allclose(with_it, without_it))


def all_statements_sorted(sorted_as: Mapping[str, str]) -> bool:
    """8g: every statement has its verdict."""
    return dict(sorted_as) == STATEMENTS


EXERCISES = (
    Exercise(
        "8c", "guess", ("to_c", "half_way", "not_at_all", "to_b"), "not_at_all",
        ("too_light", "c_is_a_mix", "softmax_saturates"), "c_is_a_mix", example="abc",
    ),
    Exercise(
        "8a", "state", reasons=("mean_of_equals", "weights_equal", "v_forgotten"), reason="mean_of_equals",
        example="abc", fixed=("key", *AS_DEFINED), check=equal_values_and_lopsided_weights,
        watch=lambda trace: {"largest": trace.weights[0].max(), "ones": bool((trace.value == 1).all())},
    ),
    Exercise(
        "8b", "state", reasons=("c_wins", "two_to_three", "q_large"), reason="two_to_three",
        example="abc", fixed=("key", "value", *AS_DEFINED), check=four_six_from_c,
        watch=lambda trace: {"c": trace.weights[0, 2], "output": trace.output[0]},
    ),
    Exercise(
        "8b2", "state", reasons=("mask_copies", "c_returns", "a_and_b_make_it"), reason="a_and_b_make_it",
        example="abc", fixed=("key", "value", "scale", "softmax"), check=four_six_without_c,
        watch=lambda trace: {"hidden": trace.allowed[0].tolist() == [True, True, False], "output": trace.output[0]},
    ),
    Exercise(
        "8d", "guess", numbers={"change": near(0, 0.005)},
        reasons=("output_is_v", "small_weight", "order_kept"), reason="output_is_v", example="abc",
    ),
    Exercise(
        "8e", "choice", ("a_c_b", "c_a_b", "a_b_c"), "a_b_c",
        ("weight_alone", "longest_value", "share_and_distance"), "share_and_distance", example="abc",
    ),
    Exercise(
        "8f", "state", reasons=("knows_most", "adds_nothing", "attracts"), reason="adds_nothing",
        facts=("sink",), check=sink_takes_most,
        watch=lambda sink: {"s": sink.weights[0, -1]},
    ),
    Exercise(
        "8g", "state", reasons=("run_shows", "sounds_right", "article_says"), reason="run_shows",
        facts=("sorted_as",), check=all_statements_sorted,
        watch=lambda sorted_as: {"sorted": len(sorted_as)},
    ),
    Exercise(
        "8h", "choice", ("only_none", "all_three", "the_two", "no_document"), "the_two",
        ("heatmap_decides", "compare_reports", "most_weight"), "compare_reports",
    ),
)  # fmt: skip
