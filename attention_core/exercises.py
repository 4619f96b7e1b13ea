"""The exercises of the lessons, without words: what is asked for, and how to see whether it is there.

Every check is a function of plain facts, so it can be tried on any answer. Options and reasons are codes;
their words, like the questions, hints and explanations, belong to whoever shows them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import permutations

import numpy as np

from .attention import AttentionTrace, default_scale, softmax
from .comparisons import multiply_by_minus_1e9, scores_before_mask
from .cost import fidelity_left, layers_needed
from .examples import example
from .head_examples import head_example
from .insight import effective_number, winners
from .scaling import random_scores, sensitivity
from .sentences import kinds, model


@dataclass(frozen=True)
class Exercise:
    """One question.

    kind
        "guess": an option (or a number) is chosen, then locked, and only then shown. "choice": an option and
        a reason, both right; "impossible" may be the right option. "state": what is on screen has to pass
        ``check``, and the reason has to be right. "numbers": each number has to pass its own check.
    """

    code: str  #: lesson and letter, as in "1a"; "1p" is the poll of lesson 1
    kind: str
    options: tuple[str, ...] = ()
    right: str = ""  #: the right option
    reasons: tuple[str, ...] = ()
    reason: str = ""  #: the right reason
    numbers: Mapping[str, Callable[[float], bool]] = field(default_factory=dict)
    example: str = ""  #: a state's own start, by its name on the lesson's page; "" is the page as it opens
    fixed: tuple[str, ...] = ()  #: what has to stay as in the example; see ``changed``
    facts: tuple[str, ...] = ("trace",)  #: the names of what ``check`` looks at
    check: Callable[..., bool] | None = None


def changed(exercise: Exercise, trace: AttentionTrace) -> tuple[str, ...]:
    """Which fixed parts are not as the exercise has them.

    "query", "key" and "value" have to be the example's. "allowed" means that nothing may be masked, "scale"
    that scores are divided by √d, "softmax" that each row of weights is the softmax of its scores.
    """
    start = example(exercise.example) if {"query", "key", "value"} & set(exercise.fixed) else None
    same = {
        "query": lambda: np.array_equal(trace.query, start.query),
        "key": lambda: np.array_equal(trace.key, start.key),
        "value": lambda: np.array_equal(trace.value, start.value),
        "allowed": lambda: bool(trace.allowed.all()),
        "scale": lambda: bool(np.isclose(trace.scale, default_scale(trace.query.shape[1]), rtol=1e-9)),
        "softmax": lambda: bool(np.allclose(trace.weights, softmax(trace.masked))),
    }
    return tuple(part for part in exercise.fixed if not same[part]())


def reached(exercise: Exercise, facts: Mapping[str, object]) -> bool:
    """Whether what is on screen is what the exercise asks for, with all its fixed parts in place."""
    if any(facts.get(name) is None for name in exercise.facts):
        return False
    if exercise.fixed and changed(exercise, facts["trace"]):
        return False
    return bool(exercise.check(*(facts[name] for name in exercise.facts)))


def watched(exercise: Exercise, facts: Mapping[str, object]) -> dict[str, object]:
    """What of a state is told beside what is needed: numbers, points, whether a condition holds.

    None stands for what is not on screen. Empty where nothing can be told, and where a fixed part was changed.
    """
    if any(facts.get(name) is None for name in exercise.facts):
        return {}
    if exercise.fixed and changed(exercise, facts["trace"]):
        return {}
    return WATCHED[exercise.code](*(facts[name] for name in exercise.facts))


# 1. By hand. One query; article 3's keys A, B, C, or article 1's, whose scores are 1, 2, 1.


def b_weighs_most_of_it(trace: AttentionTrace) -> bool:
    """1a: the second key has more than 0.9."""
    return trace.weights.shape[1] > 1 and trace.weights[0, 1] > 0.9


def output_is_five_five(trace: AttentionTrace) -> bool:
    """1b: output (5, 5) within 0.05, and the query does not point to the left."""
    return trace.query[0, 0] >= 0 and _output_near(trace, 0, (5, 5), 0.05)


def output_is_six_six(trace: AttentionTrace) -> bool:
    """1d: output (6, 6) within 0.05 after exactly one value of article 3 was changed."""
    return _rows_changed(trace.value, example("abc").value) == 1 and _output_near(trace, 0, (6, 6), 0.05)


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


# 2. The matrix lab.


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


# 3. Scaling.


def spread_beats_scaling(scaling: str, temperature: float, aligned: bool, largest_weight: float) -> bool:
    """3d: divided by √d, no other dial touched, and still the average largest weight is above 0.5."""
    return scaling == "sqrt" and temperature == 1 and not aligned and largest_weight > 0.5


def temperature_gives_b_a_quarter(source: str, scaling: str, temperature: float) -> bool:
    """3e: article 3's keys, divided by √d; at this temperature the first row's B weighs 0.25 within 0.003."""
    return source == "abc_self" and scaling == "sqrt" and abs(_weights_at(source, temperature)[1] - 0.25) < 0.003


def temperature_gives_middle_key_nine_tenths(source: str, scaling: str, temperature: float) -> bool:
    """3f: article 1's keys, divided by √d; at this temperature the second weighs 0.9 within 0.003."""
    return source == "one_two_one" and scaling == "sqrt" and abs(_weights_at(source, temperature)[1] - 0.9) < 0.003


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


# 4. Masks.


def mask_gives_five_five(trace: AttentionTrace) -> bool:
    """4b: the third query, (1, 1), gives output (5, 5) within 0.01."""
    return len(trace.query) > 2 and _output_near(trace, 2, (5, 5), 0.01)


def output_is_value(trace: AttentionTrace) -> bool:
    """4d: row by row the output is the value, because each query may look at its own key alone."""
    n_query, n_key = trace.weights.shape
    only_one = n_query == n_key and trace.allowed.sum() == n_query
    return bool(only_one and np.array_equal(trace.output, trace.value))


def allows_55_of_10(trace: AttentionTrace) -> bool:
    """4e: ten tokens, 55 cells allowed, and no query is blind."""
    return _allows(trace.allowed, 55)


def allows_27_of_10(trace: AttentionTrace) -> bool:
    """4e, second part: ten tokens, 27 cells allowed, and no query is blind."""
    return _allows(trace.allowed, 27)


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


# 5. Sentences.


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


# 6. Projections and heads.


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


# 7. Cost and distance.


def nine_hand_overs_keep_nine_tenths(fidelity: float) -> bool:
    """7d: after nine lossy hand-overs more than 0.9 is left."""
    return fidelity < 1 and fidelity_left(fidelity, 9) > 0.9


def word_ten_hears_word_one(window: int, layers: int) -> bool:
    """7f: a window of two back, and as few layers as carry something across nine words."""
    return window == 2 and layers == layers_needed(9, window)


# 8. What weights do not tell.

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
    return trace.weights.shape[1] > 2 and trace.weights[0, 2] > 0.9 and _output_near(trace, 0, (4, 6), 0.05)


def four_six_without_c(trace: AttentionTrace) -> bool:
    """8b, second part: output (4, 6) within 0.05 with C hidden."""
    hidden = trace.allowed.shape[1] > 2 and trace.allowed[0].tolist() == [True, True, False]
    return hidden and _output_near(trace, 0, (4, 6), 0.05)


def sink_takes_most(sink: AttentionTrace) -> bool:
    """8f: the last key, whose value is 0, weighs more than 0.9; the output points where it did without it."""
    with_it, without_it = sink.output[0], sink.weights[0, :-1] @ sink.value[:-1]
    return bool(sink.weights[0, -1] > 0.9 and not sink.value[-1].any() and np.allclose(with_it, without_it))


def all_statements_sorted(sorted_as: Mapping[str, str]) -> bool:
    """8g: every statement has its verdict."""
    return dict(sorted_as) == STATEMENTS


def _rows_changed(matrix: np.ndarray, start: np.ndarray) -> int | None:
    return int((matrix != start).any(axis=1).sum()) if matrix.shape == start.shape else None


def _allows(allowed: np.ndarray, cells: int) -> bool:
    return bool(allowed.shape == (10, 10) and allowed.sum() == cells and allowed.any(axis=1).all())


def _output_near(trace: AttentionTrace, row: int, point: tuple[float, float], within: float) -> bool:
    output = trace.output[row]
    return output.size == 2 and bool(np.abs(output - point).max() < within)


def _weights_at(name: str, temperature: float) -> np.ndarray:
    start = example(name)
    scaled = start.query @ start.key.T * default_scale(start.query.shape[1])
    return softmax(scaled / temperature)[0]


def _near(answer: float, within: float = 0) -> Callable[[float], bool]:
    return lambda number: abs(number - answer) <= within + 1e-12


def _mask_counts(trace: AttentionTrace) -> dict[str, int]:
    """How many queries, keys, allowed cells and queries that may read nothing there are."""
    queries, keys = trace.allowed.shape
    blind = int((~trace.allowed.any(axis=1)).sum())
    return {"queries": queries, "keys": keys, "cells": int(trace.allowed.sum()), "blind": blind}


def _distance_to_value(trace: AttentionTrace) -> float | None:
    """4d: the largest difference between an output and its token's value."""
    if trace.output.shape != trace.value.shape:
        return None
    return float(np.abs(trace.output - trace.value).max())


def _watch_5e(trace: AttentionTrace, seeks: np.ndarray) -> dict[str, object]:
    reads = _it_reads_mat(trace, seeks)
    return {"mat": reads, "edits": _numbers_changed(seeks), "shown": reads is not None}


def _watch_5f(trace: AttentionTrace, source: str, tokens: tuple[str, ...]) -> dict[str, object]:
    reads = _pronoun_reads_mat(trace, source, tokens)
    return {"mat": reads, "shown": reads is not None}


def _watch_6g(heads: tuple[AttentionTrace, ...], kept: np.ndarray) -> dict[str, object]:
    apart = _apart(heads, kept)
    return {"kept": bool(apart), "average": apart.get("average"), "heads": apart.get("heads")}


def _watch_temperature(name: str, key: str) -> Callable[..., dict[str, object]]:
    """3e and 3f: the second key's weight in the first row, where the asked numbers are shown and divided by √d."""

    def watch(source: str, scaling: str, temperature: float) -> dict[str, object]:
        is_asked = source == name and scaling == "sqrt"
        return {key: float(_weights_at(name, temperature)[1]) if is_asked else None, "shown": is_asked}

    return watch


#: What of a state is told, by the exercise's code; see ``watched``.
WATCHED: dict[str, Callable[..., dict[str, object]]] = {
    "1a": lambda trace: {"b": trace.weights[0, 1]},
    "1b": lambda trace: {"output": trace.output[0], "q1": trace.query[0, 0]},
    "1d": lambda trace: {"output": trace.output[0], "rows": _rows_changed(trace.value, example("abc").value)},
    "1e": lambda trace: {"gap": np.ptp(trace.weights[0])},
    "1f": lambda trace: {"same": bool(np.ptp(trace.query[0]) == 0), "weight": trace.weights[0, 1]},
    "1g": lambda trace: {"weights": trace.weights[0], "length": _stretched_row(trace.key) is not None},
    "1i": lambda trace: {
        "scores": trace.scores[0],
        "edits": int((trace.key != example("love").key).sum(axis=1).max()) if trace.key.shape == (3, 4) else None,
    },
    "2b": lambda trace: {"least": np.diag(trace.weights).min(), "identity": _are_identities(trace)},
    "2c": _moved_since_abc_self,
    "2d": lambda trace: {"a_b": trace.weights[0, 1], "b_a": trace.weights[1, 0] if len(trace.query) > 1 else None},
    "3d": lambda scaling, temperature, aligned, largest: {
        "largest": largest, "dials": scaling == "sqrt" and temperature == 1 and not aligned
    },
    "3e": _watch_temperature("abc_self", "b"),
    "3f": _watch_temperature("one_two_one", "second"),
    "3h": lambda gap: {"reacts": _reacts(gap)},
    "3i": lambda score_spread, seed: {"books": _books_left(score_spread, seed)},
    "4b": lambda trace: {"output": trace.output[2] if len(trace.output) > 2 else None},
    "4d": lambda trace: {
        "far": _distance_to_value(trace), "alone": int((trace.allowed.sum(axis=1) == 1).sum()),
        "queries": len(trace.query),
    },
    "4e": _mask_counts,
    "4e2": _mask_counts,
    "4f": lambda trace: _mask_counts(trace) | {"pads": int(trace.allowed[:, 8:10].sum())},
    "4g": lambda trace: {"blind": _mask_counts(trace)["blind"]},
    "4i": lambda trace: {
        "hidden": _given_to_hidden_c(trace).size, "wrong": max(_given_to_hidden_c(trace), default=None)
    },
    "5e": _watch_5e,
    "5f": _watch_5f,
    "6c": lambda x, w_query, trace: {
        "weight": trace.weights[1, 0] if len(trace.weights) > 1 else None, "others": _changed_beside_row_two(x, w_query)
    },
    "6e": _most_in_a_head,
    "6g": _watch_6g,
    "7d": lambda fidelity: {"r": fidelity, "left": fidelity_left(fidelity, 9)},
    "7f": lambda window, layers: {"window": window, "layers": layers, "first": max(1, 10 - window * layers)},
    "8a": lambda trace: {"largest": trace.weights[0].max(), "ones": bool((trace.value == 1).all())},
    "8b": lambda trace: {"c": trace.weights[0, 2], "output": trace.output[0]},
    "8b2": lambda trace: {"hidden": trace.allowed[0].tolist() == [True, True, False], "output": trace.output[0]},
    "8f": lambda sink: {"s": sink.weights[0, -1]},
    "8g": lambda sorted_as: {"sorted": len(sorted_as)},
}  # fmt: skip

_AS_DEFINED = ("allowed", "scale", "softmax")

BY_HAND = (
    Exercise(
        "1p", "guess", ("same", "sharper", "flatter", "half"), "sharper",
        ("length_counts", "direction_only", "share_of_sum"), "length_counts",
    ),
    Exercise(
        "1a", "state", reasons=("q2_large", "away_from_c", "longer"), reason="away_from_c",
        example="abc", fixed=("key", *_AS_DEFINED), check=b_weighs_most_of_it,
    ),
    Exercise(
        "1b", "state", reasons=("equal_parts", "balance", "c_half"), reason="balance",
        example="abc", fixed=("key", "value", *_AS_DEFINED), check=output_is_five_five,
    ),
    Exercise(
        "1c", "choice", ("large_q", "only_c", "impossible"), "impossible",
        ("not_linear", "hull", "too_small"), "hull", example="abc",
    ),
    Exercise(
        "1d", "state", reasons=("hull_moves", "weights_move", "sum_grows"), reason="hull_moves",
        example="abc", fixed=("key", *_AS_DEFINED), check=output_is_six_six,
    ),
    Exercise(
        "1e", "state", reasons=("any_diagonal", "short", "zero_only"), reason="zero_only",
        example="abc", fixed=("key", *_AS_DEFINED), check=all_weights_equal,
    ),
    Exercise(
        "1f", "state", reasons=("gap_grows", "ratio_stays", "norm_one"), reason="gap_grows",
        example="one_two_one", fixed=("key", *_AS_DEFINED), check=middle_key_weighs_nine_tenths,
    ),
    Exercise(
        "1g", "state", reasons=("angle_only", "softmax_longest", "length_too"), reason="length_too",
        example="one_two_one", fixed=("query", *_AS_DEFINED), check=longer_key_wins,
    ),
    Exercise(
        "1h", "numbers", example="love",
        numbers={"i": _near(1.77, 0.005), "love": _near(1.96, 0.005), "ai": _near(2.37, 0.005)},
    ),
    Exercise(
        "1i", "state", reasons=("divide", "factor", "any_entry"), reason="divide",
        example="love", fixed=("query", *_AS_DEFINED), check=printed_scores_hold,
    ),
)  # fmt: skip

MATRIX_LAB = (
    Exercise(
        "2p", "guess", ("all_grow", "same", "flatter", "sharper"), "same",
        ("sum_rule", "differences", "too_small"), "differences",
    ),
    Exercise(
        "2a", "numbers",
        numbers={
            "weights_rows": _near(2), "weights_columns": _near(4), "output_rows": _near(2),
            "output_columns": _near(5),
        },
    ),
    Exercise(
        "2b", "state", reasons=("squared", "identity", "sum"), reason="squared",
        example="abc_self", fixed=_AS_DEFINED, check=weights_near_identity,
    ),
    Exercise(
        "2c", "state", reasons=("doubled", "order", "row_constant"), reason="row_constant",
        example="abc_self", fixed=_AS_DEFINED, check=scores_move_but_no_weight,
    ),
    Exercise(
        "2d", "state", reasons=("symmetric", "own_query", "budget"), reason="own_query",
        example="abc_self", fixed=("key", *_AS_DEFINED), check=a_reads_b_but_not_back,
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

SCALING = (
    Exercise(
        "3p", "guess", ("first_wins", "half_half", "third", "error"), "half_half",
        ("nan", "ratio_one", "order"), "ratio_one",
    ),
    Exercise(
        "3a", "guess", numbers={"deviation": _near(8, 0.5)},
        reasons=("adds_up", "bound", "mean"), reason="adds_up",
    ),
    Exercise("3b", "numbers", numbers={"d": _near(64)}),
    Exercise(
        "3c", "choice", ("d_512", "d_1", "impossible"), "impossible",
        ("few_samples", "same_spread", "softmax_even"), "same_spread",
    ),
    Exercise(
        "3d", "state", reasons=("more_keys", "unit_entries", "d_large"), reason="unit_entries",
        facts=("scaling", "temperature", "aligned", "largest_weight"), check=spread_beats_scaling,
    ),
    Exercise(
        "3e", "state", reasons=("below_third", "above_one", "halves"), reason="above_one",
        facts=("source", "scaling", "temperature"), check=temperature_gives_b_a_quarter,
    ),
    Exercise(
        "3f", "state", reasons=("divides_gap", "adds", "like_longer_k2"), reason="divides_gap",
        facts=("source", "scaling", "temperature"), check=temperature_gives_middle_key_nine_tenths,
    ),
    Exercise(
        "3g", "choice", ("low", "high", "impossible"), "impossible", ("tie", "b_stays", "rounding"), "tie",
    ),
    Exercise(
        "3h", "state", reasons=("wrong_winner", "flat", "sum_broken"), reason="flat",
        facts=("gap",), check=gap_saturates,
    ),
    Exercise(
        "3i", "state", reasons=("differences", "books_removed", "level"), reason="differences",
        facts=("score_spread", "seed"), check=few_books_are_left,
    ),
)  # fmt: skip

MASKS = (
    Exercise(
        "4a", "guess", ("w401", "w500", "w602", "w670"), "w670",
        ("c_to_a", "ratio", "half_each"), "ratio", example="abc",
    ),
    Exercise(
        "4b", "state", reasons=("tie_of_two", "c_repels", "mask_moves_v"), reason="tie_of_two",
        example="abc_self", fixed=("query", "key", "value", "scale", "softmax"), check=mask_gives_five_five,
    ),
    Exercise("4c", "numbers", numbers={"penalty": _near(-7)}),
    Exercise(
        "4d", "state", reasons=("score_largest", "one_left", "v_small"), reason="one_left",
        example="abc_self", fixed=("softmax",), check=output_is_value,
    ),
    Exercise(
        "4e", "state", reasons=("half", "one_to_ten", "minus_ten"), reason="one_to_ten",
        example="cat_toy", check=allows_55_of_10,
    ),
    Exercise(
        "4e2", "state", reasons=("three_each", "two_short", "window"), reason="two_short",
        example="cat_toy", check=allows_27_of_10,
    ),
    Exercise(
        "4f", "state", reasons=("columns", "rows", "both"), reason="columns",
        example="cat_toy", check=hides_two_pads,
    ),
    Exercise(
        "4g", "state", reasons=("nan_leaks", "zeros_leak", "finite_leaks"), reason="finite_leaks",
        example="abc_self", check=someone_is_blind,
    ),
    Exercise(
        "4h", "guess", ("all", "last", "none", "last_two"), "last",
        ("may_not_look", "too_far", "weights_only"), "may_not_look",
    ),
    Exercise(
        "4i", "state", reasons=("large", "sign", "rounding"), reason="sign",
        example="abc", fixed=("key", "softmax"), check=bug_hands_all_to_hidden_key,
    ),
)  # fmt: skip

SENTENCES = (
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
    ),
    Exercise(
        "5f", "state", reasons=("nearer", "understood", "clue"), reason="clue",
        example="trained", facts=("trace", "source", "tokens"), check=pronoun_moved_to_mat,
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
    Exercise("5i", "numbers", numbers={"words": _near(36), "syllables": _near(256)}),
    Exercise(
        "5j", "guess", ("left", "right"), "left", ("looks", "columns", "source"), "source",
    ),
)  # fmt: skip

PROJECTIONS = (
    Exercise(
        "6b", "guess", ("both", "scores_only", "weights_only", "neither"), "scores_only",
        ("masked", "own_sums", "w_v_differs"), "own_sums",
    ),
    Exercise("6a", "numbers", numbers={"first": _near(1), "second": _near(1)}),
    Exercise(
        "6c", "state", reasons=("query_two_moves", "key_one_moves", "longer_wins"), reason="query_two_moves",
        example="xw", fixed=("key", *_AS_DEFINED), facts=("x", "w_query", "trace"), check=two_reads_one,
    ),
    Exercise("6d", "numbers", numbers={"rows": _near(2), "columns": _near(3)}),
    Exercise(
        "6e", "state", reasons=("share_one_budget", "order_of_heads", "own_budgets"), reason="own_budgets",
        example="cat", facts=("x", "heads"), check=one_head_finds_cat_one_finds_tired,
    ),
    Exercise(
        "6f", "choice", ("ten_ten", "five_five", "impossible"), "five_five",
        ("average_forgets", "weights_tell", "values_add"), "average_forgets",
    ),
    Exercise(
        "6g", "state", reasons=("means_are_unique", "average_hides", "w_o_repairs"), reason="average_hides",
        example="crossed", facts=("heads", "kept"), check=same_average_of_other_heads,
    ),
    Exercise(
        "6h", "numbers",
        numbers={"d_k": _near(64), "divisor": _near(8), "parameters": _near(786_432)},
    ),
)  # fmt: skip

COST = (
    Exercise(
        "7a", "guess", ("two", "n_more", "four", "eight"), "four",
        ("one_row", "rows_and_columns", "halves"), "rows_and_columns",
    ),
    Exercise("7b", "numbers", numbers={"n": _near(1000)}),
    Exercise("7c", "numbers", numbers={"recurrent": _near(6), "attention": _near(1)}),
    Exercise(
        "7d", "state", reasons=("evens_out", "last_only", "multiplies"), reason="multiplies",
        facts=("fidelity",), check=nine_hand_overs_keep_nine_tenths,
    ),
    Exercise("7e", "numbers", numbers={"n": _near(512)}),
    Exercise(
        "7f", "state", reasons=("two_a_layer", "one_layer", "ten_words"), reason="two_a_layer",
        facts=("window", "layers"), check=word_ten_hears_word_one,
    ),
    Exercise(
        "7g", "choice", ("all", "not_generating", "only_training", "none"), "not_generating",
        ("mask_forbids", "too_small", "next_needs_last"), "next_needs_last",
    ),
)  # fmt: skip

LIMITS = (
    Exercise(
        "8c", "guess", ("to_c", "half_way", "not_at_all", "to_b"), "not_at_all",
        ("too_light", "c_is_a_mix", "softmax_saturates"), "c_is_a_mix", example="abc",
    ),
    Exercise(
        "8a", "state", reasons=("mean_of_equals", "weights_equal", "v_forgotten"), reason="mean_of_equals",
        example="abc", fixed=("key", *_AS_DEFINED), check=equal_values_and_lopsided_weights,
    ),
    Exercise(
        "8b", "state", reasons=("c_wins", "two_to_three", "q_large"), reason="two_to_three",
        example="abc", fixed=("key", "value", *_AS_DEFINED), check=four_six_from_c,
    ),
    Exercise(
        "8b2", "state", reasons=("mask_copies", "c_returns", "a_and_b_make_it"), reason="a_and_b_make_it",
        example="abc", fixed=("key", "value", "scale", "softmax"), check=four_six_without_c,
    ),
    Exercise(
        "8d", "guess", numbers={"change": _near(0, 0.005)},
        reasons=("output_is_v", "small_weight", "order_kept"), reason="output_is_v", example="abc",
    ),
    Exercise(
        "8e", "choice", ("a_c_b", "c_a_b", "a_b_c"), "a_b_c",
        ("weight_alone", "longest_value", "share_and_distance"), "share_and_distance", example="abc",
    ),
    Exercise(
        "8f", "state", reasons=("knows_most", "adds_nothing", "attracts"), reason="adds_nothing",
        facts=("sink",), check=sink_takes_most,
    ),
    Exercise(
        "8g", "state", reasons=("run_shows", "sounds_right", "article_says"), reason="run_shows",
        facts=("sorted_as",), check=all_statements_sorted,
    ),
    Exercise(
        "8h", "choice", ("only_none", "all_three", "the_two", "no_document"), "the_two",
        ("heatmap_decides", "compare_reports", "most_weight"), "compare_reports",
    ),
)  # fmt: skip

#: The exercises of each lesson, in the order in which they teach best.
EXERCISES = {
    "by_hand": BY_HAND,
    "matrix_lab": MATRIX_LAB,
    "scaling": SCALING,
    "masks": MASKS,
    "sentences": SENTENCES,
    "projections_and_heads": PROJECTIONS,
    "cost": COST,
    "limits": LIMITS,
}
