"""Every known answer passes its check, every near miss fails, every number in the texts is true."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from curves import saturation_curves

from attention_core import masks, softmax, trace_attention
from attention_core.biases import distance_slope
from attention_core.comparisons import (
    FULLY_MASKED_ROWS,
    add_penalty,
    cosine_attention,
    multiply_by_minus_1e9,
    scores_before_mask,
    share_out,
)
from attention_core.cost import fidelity_left
from attention_core.examples import EXAMPLE_NAMES, example
from attention_core.head_examples import HEAD_EXAMPLE_NAMES, head_example
from attention_core.heads import multi_head_attention
from attention_core.insight import effective_number, leave_one_out, received
from attention_core.scaling import (
    random_dot_products,
    random_scores,
    rescale,
    saturation,
    sensitivity,
)
from attention_core.sentences import kinds, model
from attention_core.sentences.tokenise import characters, korean, words
from pages.ui.exercises.by_lesson import EXERCISES
from pages.ui.exercises.exercise import changed, reached, watched
from pages.ui.exercises.limits import STATEMENTS
from pages.ui.text import sections, slots_of

ALL = {exercise.code: exercise for lesson in EXERCISES.values() for exercise in lesson}
ABC, P112, LOVE = example("abc"), example("one_two_one"), example("love")
HIDE_C = np.array([[True, True, False]])


def attend(name, query=None, key=None, value=None, allowed=None, **more):
    """The example's trace with some of its parts replaced."""
    start = example(name)
    parts = (new if new is not None else old for new, old in ((query, start.query), (key, start.key)))
    value = start.value if value is None else value
    return trace_attention(*parts, value, start.allowed if allowed is None else allowed, **more)


def put(matrix, row, new):
    copy = np.array(matrix, dtype=float)
    copy[row] = new
    return copy


def edited(matrix, **cells):
    """A copy with cells replaced: edited(key, r1c0=1)."""
    copy = np.array(matrix, dtype=float)
    for place, number in cells.items():
        row, column = re.fullmatch(r"r(\d+)c(\d+)", place).groups()
        copy[int(row), int(column)] = number
    return copy


def stretched(name, row, factor):
    key = example(name).key
    return attend(name, key=put(key, row, key[row] * factor))


def identity(c, n=3):
    return trace_attention(c * np.eye(n), c * np.eye(n), np.eye(n))


def ten(allowed):
    rng = np.random.default_rng(0)
    return trace_attention(rng.normal(size=(10, 2)), rng.normal(size=(10, 2)), rng.normal(size=(10, 2)), allowed)


def on_the_curve(q1):
    """1b: the q₂ that brings the output to (5, 5)."""
    e = math.exp(q1 / math.sqrt(2))
    return math.sqrt(2) * math.log(5 * e / (e + 5))


REPAIRED = edited(LOVE.key, r1c0=1.0, r2c3=0.8)
TURNED = put(put(example("abc_self").query, 0, (-4, 4)), 1, (-4, 4))
PADDED = masks.padding(10, 10, 8)
CAUSAL = masks.causal(10, 10)
WINDOW = masks.sliding_window(10, 10, 2, 0)
DIALS = {"scaling": "sqrt", "temperature": 1.0, "aligned": False}


def spread(sigma, **dials):
    scores = rescale(random_dot_products(64, spread=sigma), "sqrt")
    return DIALS | {"largest_weight": saturation(scores).largest_weight} | dials


def seeking(cells, bias=None):
    """The cat sentence of hand-built kinds with these cells of the seek table changed."""
    seeks = kinds.seek_table()
    for cell, number in cells.items():
        seeks[cell] = number
    return {"trace": kinds.sentence(CAT_KINDS, seeks, bias=bias)[0][0], "seeks": seeks}


def pointing(adjective, language="en", animal="cat", mask=None):
    """The pointer layer of the trained model on the cat sentence that ends so."""
    english = f"The {animal} sat on the mat because it was {adjective}"
    text = english if language == "en" else f"그 고양이가 매트 위에서 잠을 잤는데, 그것은 매우 {adjective} 보였다"
    tokens = tuple(token.label for token in (words if language == "en" else korean)(text).tokens)
    trace = model.sentence(tokens, language, mask)[1][0]
    return {"trace": trace, "source": "trained", "tokens": tokens}


CAT_KINDS = [kinds.KINDS[kind] for kind in example("cat_toy").key.argmax(axis=1)]
TABLE, TOY = example("cat_table"), example("cat_toy")

# 6: tokens and projections, as the page hands them over.


def xw(row_two=None, **edited_cells):
    """Head 1 of P-XW, with another second row of W_Q and with cells of X replaced."""
    start = head_example("xw")
    x, w_query = edited(start.x, **edited_cells), start.w_query[0]
    w_query = w_query if row_two is None else put(w_query, 1, row_two)
    trace = multi_head_attention(x, [w_query], start.w_key[:1], start.w_value[:1]).heads[0]
    return {"x": x, "w_query": w_query, "trace": trace}


def cat_heads(*strengths, n_heads=2, name="cat"):
    """The cat sentence; how strongly "it" seeks in each head what that head seeks."""
    start = head_example(name)
    w_query = [w * strength / 5 for w, strength in zip(start.w_query, strengths, strict=True)][:n_heads]
    heads = multi_head_attention(start.x, w_query, start.w_key[:n_heads], start.w_value[:n_heads]).heads
    return {"x": start.x, "heads": heads}


def pairs(now, before):
    """Two tokens: the heads of one example, and those of another kept for comparison; "swapped" turns them."""
    found = []
    for name in (now, before):
        start = head_example(name.removeprefix("swapped "))
        heads = multi_head_attention(start.x, start.w_query, start.w_key, start.w_value).heads
        found.append(heads[::-1] if name.startswith("swapped") else heads)
    return {"heads": found[0], "kept": np.array([head.weights for head in found[1]])}


# 7 and 8: costs, the line on which the output stays (4, 6), and a fourth key whose value is 0.


def on_line(s, **more):
    return attend("abc", [[s, s + math.sqrt(2) * math.log(1.5)]], **more)


def with_sink(score, value=(0, 0)):
    start = example("abc")
    key, values = np.vstack([start.key, [0, 0]]), np.vstack([start.value, value])
    return {"sink": trace_attention(start.query, key, values, bias=[[0.0, 0.0, 0.0, score]])}


ONES = np.ones((3, 2))

# What is on screen: (what passes, what just fails).
STATES = {
    "7d": (
        [{"fidelity": r} for r in (0.9884, 0.99)],
        [{"fidelity": r} for r in (0.988, 1.0, 0.9, 0.91)],
    ),
    "7f": (
        [{"window": 2, "layers": 5}],
        [{"window": 2, "layers": 4}, {"window": 2, "layers": 6}, {"window": 9, "layers": 1}],
    ),
    "8a": (
        [on_line(6, value=ONES), attend("abc", [[-3.3, 3.3]], value=ONES)],
        [on_line(0, value=ONES), on_line(6), on_line(6, value=put(ONES, 0, (1, 2)))],
    ),
    "8b": (
        [on_line(6), attend("abc", [[5.6, 6.0]])],
        [on_line(3), attend("abc", [[5.0, 5.0]]), on_line(6, value=put(ABC.value, 2, (4, 7)))],
    ),
    "8b2": (
        [on_line(6, allowed=HIDE_C), attend("abc", [[0, 0.57]], allowed=HIDE_C)],
        [on_line(6), attend("abc", allowed=HIDE_C), on_line(6, allowed=np.array([[True, False, True]]))],
    ),
    "8f": ([with_sink(4), with_sink(10)], [with_sink(3), with_sink(4, (1, 0))]),
    "8g": (
        [{"sorted_as": dict(STATEMENTS)}],
        [{"sorted_as": {}}, {"sorted_as": STATEMENTS | {"average": "untested"}}],
    ),
    "1a": (
        [attend("abc", [[-3.3, 3.3]])],
        [attend("abc", [[0, 5]]), attend("abc", [[0, 500]]), attend("abc", [[-3.1, 3.1]])],
    ),
    "1b": (
        [attend("abc", [[1, 0.5]]), *(attend("abc", [[q1, on_the_curve(q1)]]) for q1 in (0, 1, 2, 5))],
        [attend("abc"), attend("abc", [[0, 0]]), attend("abc", [[-1, -1.2]])],
    ),
    "1d": (
        [attend("abc", [[0, 0]], value=[[10, 0], [0, 10], [8, 8]])],
        [
            attend("abc", [[0, 0]], value=[[10, 0], [0, 10], [7.8, 8]]),
            attend("abc", [[0, 0]], value=[[12, 0], [0, 12], [6, 6]]),  # two rows too many
            attend("abc", [[0, 0]], value=[[6, 6], [6, 6], [6, 6]]),
        ],
    ),
    "1e": ([attend("abc", [[0, 0]])], [attend("abc", [[0.1, 0.1]]), attend("abc", [[0.05, -0.05]])]),
    "1f": (
        [attend("one_two_one", [[4.09, 4.09]]), attend("one_two_one", [[math.sqrt(2) * math.log(18)] * 2])],
        [
            attend("one_two_one", [[4.2, 4.2]]),
            attend("one_two_one", [[4, 4]]),
            attend("one_two_one", [[4.1, 4.0]]),
        ],
    ),
    "1g": (
        [stretched("one_two_one", 0, 2.1), stretched("one_two_one", 2, 2.1)],
        [
            stretched("one_two_one", 0, 2),  # a tie
            stretched("one_two_one", 0, 1.9),
            attend("one_two_one", key=[[2.1, 0.1], [1, 1], [0, 1]]),  # another direction
            attend("one_two_one", key=[[2.1, 0], [0.5, 0.5], [0, 1]]),  # the other was shortened as well
        ],
    ),
    "1i": (
        [
            attend("love", key=REPAIRED),
            attend("love", key=edited(LOVE.key, r1c1=1 + 0.1 / 1.2, r2c0=1.1 - 0.16 / 0.5)),
        ],
        [
            attend("love"),
            attend("love", key=edited(LOVE.key, r1c0=1.0)),  # love alone
            attend("love", key=edited(REPAIRED, r2c3=0.79)),
            attend("love", key=edited(LOVE.key, r1c0=0.9, r1c1=1 + 0.05 / 1.2, r2c3=0.8)),  # two numbers of love
        ],
    ),
    "2b": (
        [identity(2.3), identity(2.239), identity(-2.3)],
        [identity(2.237), identity(1), identity(3, 4), trace_attention(9 * np.eye(3), np.eye(3), np.eye(3))],
    ),
    "2c": (
        [
            attend("abc_self", key=example("abc_self").key + 1),
            attend("abc_self", key=example("abc_self").key + np.array([3, -1.5])),
        ],
        [
            attend("abc_self"),
            attend("abc_self", key=example("abc_self").key + np.array([1, 0])),  # B's scores stay
            attend("abc_self", key=2 * example("abc_self").key),
        ],
    ),
    "2d": (
        [attend("abc_self", TURNED)],
        [
            attend("abc_self"),
            attend("abc_self", put(example("abc_self").query, 0, (-4, 4))),
            attend("abc_self", TURNED / 1.3),
        ],
    ),
    "3d": (
        [spread(1.5), spread(2)],
        [
            spread(1),
            spread(1.3),
            spread(2, scaling="none"),
            spread(2, temperature=0.5),
            spread(2, aligned=True),
        ],
    ),
    "3e": (
        [{"source": "abc_self", "scaling": "sqrt", "temperature": 1.744}],
        [
            {"source": "abc_self", "scaling": "sqrt", "temperature": 1.65},
            {"source": "abc_self", "scaling": "sqrt", "temperature": 1.85},
            {"source": "one_two_one", "scaling": "sqrt", "temperature": 1.744},
            {"source": "abc_self", "scaling": "none", "temperature": 1.744},
        ],
    ),
    "3f": (
        [{"source": "one_two_one", "scaling": "sqrt", "temperature": 0.2446}],
        [
            {"source": "one_two_one", "scaling": "sqrt", "temperature": 0.25},
            {"source": "one_two_one", "scaling": "sqrt", "temperature": 0.24},
            {"source": "abc_self", "scaling": "sqrt", "temperature": 0.2446},
        ],
    ),
    "3h": ([{"gap": 8}, {"gap": 7.5}], [{"gap": 7}, {"gap": 4}]),
    "3i": (
        [{"score_spread": 4, "seed": seed} for seed in range(3)],
        [{"score_spread": 3, "seed": 0}, {"score_spread": 3.5, "seed": 0}, {"score_spread": 1, "seed": 0}],
    ),
    "4b": (
        [
            attend("abc_self", allowed=np.array([[1, 1, 1], [1, 1, 1], [1, 1, 0]], bool)),
            attend("abc_self", allowed=np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0]], bool)),
        ],
        [
            attend("abc_self"),
            attend("abc", [[1, 1]], allowed=HIDE_C),
            attend("abc_self", [[1, 0], [0, 1], [1, 0.9]], allowed=np.array([[1, 1, 1], [1, 1, 1], [1, 1, 0]], bool)),
            attend("abc_self", allowed=np.array([[1, 1, 0], [1, 1, 1], [1, 1, 1]], bool)),
        ],
    ),
    "4d": (
        [attend("abc_self", allowed=masks.only_self(3, 3)), ten(masks.only_self(10, 10))],
        [
            attend("abc_self"),
            attend("abc_self", allowed=masks.only_self(3, 3)[::-1]),
            trace_attention(40 * np.eye(3), 40 * np.eye(3), np.eye(3)),  # nearly, and not by the mask
        ],
    ),
    "4e": (
        [ten(CAUSAL), ten(CAUSAL.T)],
        [
            ten(WINDOW),
            ten(CAUSAL & ~masks.only_self(10, 10)),
            trace_attention(*[np.eye(11)] * 3, masks.causal(11, 11)),
        ],
    ),
    "4e2": ([ten(WINDOW), ten(CAUSAL & WINDOW)], [ten(masks.sliding_window(10, 10, 1, 1)), ten(CAUSAL)]),
    "4f": (
        [ten(PADDED), ten(PADDED & CAUSAL)],
        [
            ten(PADDED.T),
            ten(PADDED & PADDED.T),
            ten(masks.padding(10, 10, 9)),
            ten(masks.padding(10, 10, 8, "left")),
        ],
    ),
    "4g": (
        [attend("abc", allowed=np.zeros((1, 3), bool)), ten(PADDED & PADDED.T)],
        [attend("abc"), attend("abc", allowed=np.array([[False, False, True]]))],
    ),
    "4i": (
        [attend("abc", [[-1, 0]], allowed=HIDE_C), attend("abc", [[1, -1.5]], allowed=HIDE_C)],
        [
            attend("abc", [[1, 0]], allowed=HIDE_C),
            attend("abc", [[-1, 0]]),  # nothing is hidden
            attend("abc", [[-1, 1]], allowed=HIDE_C),  # C's score is 0
        ],
    ),
    "5e": (
        [seeking({(4, 1): 9}), seeking({(4, 1): 9.5})],
        [
            seeking({}),
            seeking({(4, 1): 8.9}),
            seeking({(4, 1): 9, (4, 0): 5}),  # two numbers
            seeking({(1, 4): 20}),  # the wrong way round
            seeking({(4, 1): 9}) | {"seeks": kinds.seek_table()},
        ],
    ),
    "5f": (
        [pointing("soft"), pointing("wooden"), pointing("푹신해", "ko")],
        [
            pointing("tired"),
            pointing("comfortable"),
            pointing("soft") | {"source": "kinds"},
            pointing("soft", mask=~np.eye(10, dtype=bool)),
            pointing("soft", "en", "dog"),  # no cat
        ],
    ),
    "6c": (
        [xw((-2, 2)), xw((-1.9, 2))],
        [
            xw(),
            xw((5, 0)),  # long, in another direction
            xw((-1, 1)),
            xw((-2, 2), r1c1=3),  # X was changed as well
        ],
    ),
    "6e": (
        [cat_heads(10.8, 10.8), cat_heads(15, 15)],
        [
            cat_heads(10.7, 10.8),
            cat_heads(15, 10.7),
            cat_heads(15, 15, n_heads=1),
            {"x": np.eye(10), "heads": cat_heads(15, 15)["heads"]},  # another sentence
            cat_heads(5, 5, name="crossed"),
        ],
    ),
    "6g": (
        [pairs("even", "crossed"), pairs("crossed", "even")],
        [
            pairs("crossed", "crossed"),
            pairs("swapped crossed", "crossed"),  # the same pair
            pairs("xw", "crossed"),
            {"heads": pairs("crossed", "even")["heads"][:1], "kept": pairs("crossed", "even")["kept"][:1]},
        ],
    ),
}

NUMBERS = {
    "7b": ({"n": 1000}, {"n": 1001}),
    "7c": ({"recurrent": 6, "attention": 1}, {"recurrent": 5, "attention": 6}),
    "7e": ({"n": 512}, {"n": 513}),
    "8d": ({"change": 0}, {"change": 0.05}),
    "6a": ({"first": 1, "second": 1}, {"first": 2, "second": 0}),
    "6d": ({"rows": 2, "columns": 3}, {"rows": 3, "columns": 2}),
    "6h": (
        {"d_k": 64, "divisor": 8, "parameters": 786_432},
        {"d_k": 512, "divisor": 64, "parameters": 262_144},
    ),
    "1h": ({"i": 1.77, "love": 1.96, "ai": 2.37}, {"i": 1.78, "love": 2.06, "ai": 2.21}),
    "2a": (
        {"weights_rows": 2, "weights_columns": 4, "output_rows": 2, "output_columns": 5},
        {"weights_rows": 4, "weights_columns": 2, "output_rows": 4, "output_columns": 3},
    ),
    "3a": ({"deviation": 8}, {"deviation": 64}),
    "3b": ({"d": 64}, {"d": 32}),
    "4c": ({"penalty": -7}, {"penalty": -6}),
    "5i": ({"words": 36, "syllables": 256}, {"words": 12, "syllables": 441}),
}


def facts(state):
    return state if isinstance(state, dict) else {"trace": state}


def is_reached(code, state):
    return reached(ALL[code], facts(state))


def test_every_state_and_every_number_has_a_known_answer_and_a_near_miss():
    assert set(STATES) == {code for code, exercise in ALL.items() if exercise.kind == "state"}
    assert set(NUMBERS) == {code for code, exercise in ALL.items() if exercise.numbers}


@pytest.mark.parametrize("code", STATES)
def test_known_states_pass(code):
    for state in STATES[code][0]:
        assert is_reached(code, state)


@pytest.mark.parametrize("code", STATES)
def test_near_misses_fail(code):
    for state in STATES[code][1]:
        assert not is_reached(code, state)


@pytest.mark.parametrize("code", STATES)
def test_what_is_watched_is_told_by_name_in_any_state(code):
    slots = slots_of(sections("en", "exercises")[f"{code}_now"])
    for state in (*STATES[code][0], *STATES[code][1]):
        assert set(watched(ALL[code], facts(state))) in (slots, set())
    assert set(watched(ALL[code], facts(STATES[code][0][0]))) == slots
    assert {code for code, exercise in ALL.items() if exercise.watch} == set(STATES)
    assert watched(ALL[code], {}) == {}


@pytest.mark.parametrize("code", NUMBERS)
def test_known_numbers_pass_and_near_misses_fail(code):
    right, wrong = NUMBERS[code]
    assert set(right) == set(wrong) == set(ALL[code].numbers)
    for name, check in ALL[code].numbers.items():
        assert check(right[name])
        assert not check(wrong[name])


@pytest.mark.parametrize("code", ALL)
def test_options_and_reasons_hold_the_right_one_once(code):
    exercise = ALL[code]
    assert exercise.kind in ("guess", "choice", "state", "numbers")
    for chosen, offered in ((exercise.right, exercise.options), (exercise.reason, exercise.reasons)):
        assert offered.count(chosen) == (1 if offered else 0)
        assert chosen or not offered
    assert len({*exercise.options, *exercise.reasons}) == len(exercise.options) + len(exercise.reasons)
    assert bool(exercise.check) == (exercise.kind == "state")
    assert exercise.example in ("", *EXAMPLE_NAMES, *HEAD_EXAMPLE_NAMES, "trained", "kinds")
    assert exercise.example in EXAMPLE_NAMES or not set(exercise.fixed) & {"query", "key", "value"}


def test_the_right_choice_is_not_always_in_the_same_place():
    places = [e.reasons.index(e.reason) for e in ALL.values() if e.reasons]
    assert max(places.count(place) for place in set(places)) < 0.6 * len(places)


def test_a_state_with_a_fact_missing_is_not_reached():
    assert not reached(ALL["1a"], {})
    assert not reached(ALL["3d"], {"scaling": "sqrt"})


# Winning another way than by what the exercise is about is told from winning.


@pytest.mark.parametrize(
    ("trace", "parts"),
    [
        (attend("abc", [[-3.3, 3.3]]), ()),
        (attend("abc", key=[[0, 0], [9, 9], [0, 0]]), ("key",)),
        (attend("abc", allowed=np.array([[False, True, False]])), ("allowed",)),
        (attend("abc", [[-3.3, 3.3]], scale=1), ("scale",)),
        (share_out(attend("abc", [[0.01, 5]]), "sum"), ("softmax",)),
        (cosine_attention([[-3, 3]], ABC.key, ABC.value), ("key", "scale")),
    ],
)
def test_what_may_not_change_is_named(trace, parts):
    assert changed(ALL["1a"], trace) == parts
    if parts:
        assert not is_reached("1a", trace)


def test_a_query_or_value_of_another_size_is_only_not_the_example():
    assert changed(ALL["1i"], attend("abc")) == ("query",)
    assert not is_reached("1b", attend("abc", value=[[1], [2], [3]]))


# What is impossible, and what polls ask, is so.


def test_1c_no_query_reaches_six_six():
    queries = np.random.default_rng(0).normal(scale=4, size=(300, 2))
    output = trace_attention(queries, ABC.key, ABC.value).output
    np.testing.assert_allclose(output.sum(axis=1), 10)


def test_2e_and_2f_are_what_the_matrix_lab_shows():
    trace = attend("abc_self")
    assert received(trace.weights).argmax() == 2
    wrong = share_out(trace, "columns")
    np.testing.assert_allclose(wrong.weights.sum(axis=1), [0.847, 0.847, 1.306], atol=5e-4)
    np.testing.assert_allclose(wrong.weights.sum(axis=0), 1)
    np.testing.assert_allclose(wrong.output, wrong.weights @ wrong.value)


def test_2p_a_row_that_is_raised_keeps_its_weights():
    scores = attend("abc_self").masked
    np.testing.assert_allclose(softmax(scores + np.array([[5], [0], [0]])), softmax(scores))


def test_3b_64_is_the_smallest_and_3c_no_d_passes_a_half():
    curves = saturation_curves(("none", "sqrt"), n_samples=1500)
    unscaled = [point.largest_weight for point in curves["none"]]
    assert next(2**i for i, largest in enumerate(unscaled) if largest > 0.85) == 64
    assert max(point.largest_weight for point in curves["sqrt"]) < 0.35


def test_3g_no_temperature_takes_a_above_a_half():
    for temperature in (0.01, 0.1, 1, 10, 100):
        assert attend("abc", scale=1 / math.sqrt(2) / temperature).weights[0, 0] <= 0.5 + 1e-12


def test_6b_what_the_poll_says_of_tied_matrices():
    np.testing.assert_array_equal(TIED.scores, TIED.scores.T)
    assert TIED.scores[2].tolist() == [2, 2, 2]
    assert (TIED.weights[0, 2].round(3), TIED.weights[2, 0].round(3)) == (0.187, 0.333)


def test_6c_the_keys_stay_and_the_third_query_moves():
    before, after = xw()["trace"], xw((-2, 2))["trace"]
    assert after.query[1].tolist() == [-4, 4]
    assert after.scores[1].tolist() == [4, -8, 0]
    np.testing.assert_array_equal(before.key, after.key)
    assert (before.query != after.query).any(axis=1).tolist() == [False, True, True]


def test_4c_minus_seven_is_the_mildest():
    def leak(penalty):
        return add_penalty(scores_before_mask(attend("abc")), HIDE_C, ABC.value, penalty).weights[0, 2]

    assert [p for p in range(-20, 1) if leak(p) < 0.001][-1] == -7


def test_4h_only_the_last_row_moves_under_the_causal_mask():
    rng = np.random.default_rng(3)
    query, key, value = (rng.normal(size=(5, 3)) for _ in range(3))
    changed_last = [put(matrix, 4, rng.normal(size=3)) for matrix in (query, key, value)]
    for allowed, moved in ((masks.causal(5, 5), [4]), (masks.full(5, 5), [0, 1, 2, 3, 4])):
        before = trace_attention(query, key, value, allowed).output
        after = trace_attention(*changed_last, allowed).output
        assert np.flatnonzero((before != after).any(axis=1)).tolist() == moved


def in_table(row, hidden=()):
    """A row of the article's table with these keys hidden."""
    allowed = np.array([[j not in hidden for j in range(8)]] * 3)
    return trace_attention(TABLE.query, TABLE.key, TABLE.value, allowed).weights[row]


def test_5a_and_5c_the_rows_are_full_and_it_comes_second():
    np.testing.assert_allclose(TABLE.query.shape[0], 3)
    np.testing.assert_allclose(in_table(0).sum(), 1)
    assert in_table(0, hidden=[1]).argmax() == 5  # "it" itself
    assert in_table(0, hidden=[1])[5] == pytest.approx(0.345, abs=5e-4)


def test_5b_cat_gets_494_in_the_row_of_it_and_648_in_that_of_sat():
    assert in_table(0, hidden=[6, 7])[1] == pytest.approx(0.494, abs=5e-4)
    assert in_table(2, hidden=[3, 4, 5, 6, 7])[1] == pytest.approx(0.648, abs=5e-4)


def test_5d_the_function_words_columns_are_alike_until_distance_counts():
    columns = seeking({})["trace"].weights[:, [0, 3, 4, 6]]
    np.testing.assert_allclose(columns, columns[:, :1] @ np.ones((1, 4)))
    nouns = seeking({})["trace"].weights[:, [1, 5, 7]]
    assert not np.allclose(nouns, nouns[:, :1] @ np.ones((1, 3)))
    pushed = seeking({}, distance_slope(10, 10, 0.2))["trace"].weights
    assert not np.isclose(pushed[7, 0], pushed[7, 4])


def test_5f2_under_the_causal_mask_the_adjective_does_not_reach_it():
    causal = {a: pointing(a, mask=CAUSAL)["trace"].weights[7] for a in ("tired", "soft")}
    np.testing.assert_array_equal(causal["tired"], causal["soft"])


def test_5g_one_layer_cannot_change_who_of_cat_and_mat_is_ahead():
    for kind in kinds.KINDS:
        row = kinds.sentence([*CAT_KINDS[:9], kind], kinds.seek_table())[0][0].weights[7]
        np.testing.assert_allclose(row[1] / row[5], TWO_TO_ONE)


TWO_TO_ONE = math.exp(3 / math.sqrt(6))  # seek 7 against 4, divided by the root of six kinds


def test_5h_shuffled_words_only_reorder_the_map():
    order = np.random.default_rng(1).permutation(10)
    shuffled = kinds.sentence([CAT_KINDS[i] for i in order], kinds.seek_table())[0][0].weights
    np.testing.assert_allclose(shuffled, seeking({})["trace"].weights[np.ix_(order, order)])


def test_5i_six_words_and_with_spaces_21_characters():
    text = "나는 어제 친구와 공원에서 축구를 했다"
    assert len(words(text).tokens) == 6
    assert len(characters(text).tokens) == 21
    assert len(text.replace(" ", "")) == 16


def two_hops(adjective, mask=None):
    """Row "it" of a hand-built second layer: the first brings the adjective's kind to "it" (no positions)."""
    animate, thing, pronoun, adj_a, adj_t, want_a, want_t, other = range(8)
    places = [
        other,
        animate,
        other,
        other,
        other,
        thing,
        other,
        pronoun,
        other,
        {"tired": adj_a, "soft": adj_t}[adjective],
    ]
    x = np.eye(8)[places]
    seeks, copies = np.zeros((8, 8)), np.zeros((8, 8))
    seeks[pronoun, [adj_a, adj_t]] = 10
    copies[adj_a, want_a] = copies[adj_t, want_t] = 1
    x = x + trace_attention(x @ seeks, x, x @ copies, mask, scale=0.5).output
    points = np.zeros((8, 8))
    points[want_a, animate] = points[want_t, thing] = 12
    return trace_attention(x @ points, x, x, mask, scale=0.5).weights[7]


def test_5f2_the_two_layers_written_by_hand_move_too_and_tie_under_the_causal_mask():
    assert two_hops("tired")[[1, 5]] == pytest.approx([0.970, 0.003], abs=5e-4)
    assert two_hops("soft")[[1, 5]] == pytest.approx([0.003, 0.970], abs=5e-4)
    for adjective in ("tired", "soft"):
        assert two_hops(adjective, CAUSAL)[[1, 5]] == pytest.approx([0.125, 0.125])


# Every decimal number in the texts comes out of the core.


def decimals(text: str) -> set[str]:
    return set(re.findall(r"\d+\.\d+", text))


def rounded(*numbers) -> set[str]:
    """Each number as a text might print it: 1 to 4 decimals, as a share or as a percentage."""
    flat = np.abs(np.concatenate([np.ravel(number) for number in numbers]))
    return {f"{x:.{p}f}" for x in [*flat, *(100 * flat)] for p in (1, 2, 3, 4)}


def penalised(number):
    return add_penalty(scores_before_mask(attend("abc")), HIDE_C, ABC.value, number).weights


def books(spread):
    return effective_number(softmax(random_scores(100, spread=spread))).mean()


def one_ahead(gap):
    return sensitivity(softmax(np.array([[gap] + [0.0] * 9])))


def largest(d, scaling, **more):
    return saturation(rescale(random_dot_products(d, **more), scaling)).largest_weight


BUG = multiply_by_minus_1e9(scores_before_mask(attend("abc", [[-1, 0]])), HIDE_C, ABC.value)
LN18 = math.sqrt(2) * math.log(18)
XW = head_example("xw")
TIED = multi_head_attention(XW.x, XW.w_query[:1], XW.w_query[:1], XW.w_value[:1]).heads[0]
CROSS = multi_head_attention(XW.y, XW.w_query[:1], XW.w_key[:1], XW.w_value[:1], source=XW.x).heads[0]
TRUE = {
    "7d": (0.9, 0.9 ** (1 / 9), 0.9884, 0.988, fidelity_left(0.988, 9), fidelity_left(0.9, 9)),
    "8b": (0.05, attend("abc", [[5.6, 6]]).query, attend("abc", [[5.6, 6]]).weights, attend("abc", [[5.6, 6]]).output),
    "8b2": (
        (0.05, 0.4, 0.6, 0.57),
        attend("abc", [[0, 0.57]], allowed=HIDE_C).output,
        attend("abc", [[5.6, 6]]).weights[0, 2],
    ),
    "8c": (on_line(0).query, on_line(0, allowed=HIDE_C).weights),
    "8d": (on_line(6).weights,),
    "8e": (attend("abc").weights, np.linalg.norm(leave_one_out(attend("abc"), 0), axis=1)),
    "8f": (
        with_sink(4)["sink"].weights[0, 3],
        with_sink(4)["sink"].output,
        attend("abc").output,
        attend("abc").output[0, 0] / attend("abc").output[0, 1],
    ),
    "6b": (TIED.weights,),
    "6c": (xw((-2, 2))["trace"].weights,),
    "6d": (CROSS.weights,),
    "6e": (0.9, math.sqrt(6) * math.log(81), 10.8, cat_heads(15, 15)["heads"][0].weights.max()),
    "6f": (0.5,),
    "6g": (pairs("even", "crossed")["kept"].mean(axis=0), pairs("even", "crossed")["heads"][0].weights),
    "1p": (attend("abc").weights, attend("abc", [[2, 0]]).weights),
    "1a": (
        attend("abc", [[-3.3, 3.3]]).weights,
        attend("abc", [[0, 5]]).weights,
        3.3,
        math.sqrt(2) * math.log(9),
    ),
    "1b": (
        attend("abc", [[1, 0.5]]).output,
        0.5,
        on_the_curve(1),
    ),
    "1e": (attend("abc", [[0, 0]]).weights, attend("abc", [[0, 0]]).output),
    "1f": (LN18, attend("one_two_one", [[4.09, 4.09]]).weights),
    "1g": (2.1, stretched("one_two_one", 0, 2).weights, stretched("one_two_one", 0, 2.1).weights),
    "1h": (LOVE.query, LOVE.key, LOVE.printed["scores"], LOVE.query * LOVE.key, attend("love").scores),
    "1i": (
        LOVE.query,
        LOVE.key,
        REPAIRED,
        LOVE.printed["scores"],
        attend("love").scores,
        REPAIRED - LOVE.key,
        attend("love").scores - LOVE.printed["scores"],
    ),
    "2b": (2.3, identity(2.3).weights, identity(1).weights, math.sqrt(math.sqrt(3) * math.log(18))),
    "2d": (attend("abc_self", TURNED).weights,),
    "2e": (received(attend("abc_self").weights),),
    "2f": (share_out(attend("abc_self"), "columns").weights.sum(axis=1),),
    "3p": (0.1, attend("abc", scale=1 / math.sqrt(2) / 0.1).weights),
    "3b": (0.85, largest(32, "none"), largest(64, "none")),
    "3c": (0.5, largest(64, "sqrt"), largest(1024, "sqrt"), largest(1, "sqrt")),
    "3d": (0.5, 1.5, largest(64, "sqrt", spread=1.5), largest(64, "sqrt", spread=2), 1.5**4),
    "3e": (0.25, 0.375, 1.5, 1 / (math.sqrt(2) * math.log(1.5)), attend("abc").weights, 1 / 3),
    "3f": (attend("one_two_one", scale=1 / math.sqrt(2) / 0.2446).weights, 1 / LN18, LN18),
    "3g": (attend("abc").weights, attend("abc", scale=1000).weights),
    "3h": (0.01, one_ahead(8), one_ahead(7)),
    "3i": (5.5, books(4)),
    "4a": (
        attend("abc").weights,
        attend("abc", allowed=HIDE_C).weights,
        attend("abc").weights[0, :2].sum(),
        math.exp(2**-0.5),
    ),
    "4b": (attend("abc", [[1, 1]]).output,),
    "4c": (0.1, penalised(-5), penalised(-6), penalised(-7), 6.506),
    "4g": (
        FULLY_MASKED_ROWS["uniform"](np.zeros((1, 3)), np.zeros((1, 3), bool), ABC.value).weights,
        attend("abc", [[0, 0]]).output,
    ),
    "4i": (BUG.scores[0, 2] / 1e8 / 100, BUG.scores[0, 2] / 1e8),
    "5b": (
        in_table(0),
        in_table(2),
        in_table(0, [6, 7]),
        in_table(2, [3, 4, 5, 6, 7]),
        in_table(0)[:6].sum(),
        in_table(2)[:3].sum(),
    ),
    "5c": (in_table(0), in_table(0, [1]), 1 - in_table(0)[1]),
    "5d": (0.2, seeking({}, distance_slope(10, 10, 0.2))["trace"].weights[7]),
    "5e": (seeking({(4, 1): 9})["trace"].weights[7],),
    "5f": (pointing("tired")["trace"].weights[7], pointing("soft")["trace"].weights[7]),
    "5f2": (pointing("soft", mask=CAUSAL)["trace"].weights[7], two_hops("soft"), two_hops("soft", CAUSAL)),
    "5i": (16 / 6,),
}


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("code", ALL)
def test_every_number_in_question_hint_and_explanation_is_true(code, language):
    texts = sections(language, "exercises")
    told = set().union(*(decimals(texts.get(f"{code}_{part}", "")) for part in ("question", "hint", "why")))
    wrong_on_purpose = {"1.77", "2.06", "2.21"} if code in ("1h", "1i") else set()
    assert told - wrong_on_purpose <= rounded(*TRUE.get(code, ((),)))


def test_the_hint_of_4c_leads_to_its_answer():
    """e to C's score times e^p, shared out anew; not the share itself times e^p, which would be enough at -6."""
    exponentials = np.exp(attend("abc").scaled[0])

    def share(p):
        lowered = exponentials * [1, 1, math.exp(p)]
        return lowered[2] / lowered.sum()

    assert f"{share(-5):.2%}" == "0.45%"
    assert [p for p in range(-20, 1) if share(p) < 0.001][-1] == -7
    for language, promised in (("en", "shared out anew"), ("ko", "다시 나눠요")):
        assert promised in sections(language, "exercises")["4c_hint"]


def test_no_wrong_reason_of_7d_leads_to_an_r_that_is_enough():
    """Losses that add up would leave 1 - 9·(1 - r), less than r^9: that reason would lead to a right answer."""
    for r in np.linspace(0.9, 0.999, 100):
        assert 1 - 9 * (1 - r) <= fidelity_left(r, 9)
    assert "adds" not in ALL["7d"].reasons
    assert not is_reached("7d", {"fidelity": 0.91})  # "just above 0.9", which both wrong reasons come to


def test_the_bound_of_4c_is_where_a_thousandth_leaks():
    np.testing.assert_allclose(penalised(-6.506)[0, 2], 0.001, rtol=1e-3)


def test_a_wrong_number_in_a_text_would_be_seen():
    assert not decimals("B has 0.905") <= rounded(*TRUE["1a"])


# Words.


def expected_keys(exercise) -> set[str]:
    parts = {"question", "why", *exercise.options, *exercise.reasons, *exercise.numbers}
    if exercise.kind != "guess":
        parts.add("hint")
    elif exercise.numbers:
        parts.add("truth")
    if exercise.kind == "state":
        parts.add("now")
    return {f"{exercise.code}_{part}" for part in parts}


@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_exercise_has_its_words_and_no_others(language):
    code = r"\d(?:p|[a-z]\d?)_"
    theirs = {key for key in sections(language, "exercises") if re.match(code, key)}
    assert theirs == set().union(*map(expected_keys, ALL.values()))


@pytest.mark.parametrize("code", ALL)
def test_both_languages_tell_the_same_numbers(code):
    keys = expected_keys(ALL[code])
    english, korean = (sections(language, "exercises") for language in ("en", "ko"))
    assert {key: decimals(english[key]) for key in keys} == {key: decimals(korean[key]) for key in keys}


def test_the_frame_of_exercises_uses_all_its_own_words():
    source = (Path(__file__).parent.parent / "pages/ui/exercises/challenges.py").read_text(encoding="utf-8")
    frame = [key for key in sections("en", "exercises") if not re.match(r"\d", key)]
    unused = [key for key in frame if f'"{key}"' not in source and not key.startswith("part_")]
    assert unused == []
