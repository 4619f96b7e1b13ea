"""The worked examples give the numbers that the lessons state, to the precision in which they state them."""

from math import exp, sqrt

import numpy as np
import pytest

from attention_core import InputError, masks, softmax, trace_attention
from attention_core.examples import EXAMPLE_NAMES, example
from attention_core.insight import received, winners


def trace_of(name, **options):
    given = example(name)
    return trace_attention(given.query, given.key, given.value, given.allowed, **options)


def assert_reads(numbers, expected, decimals):
    """Each number, rounded to so many decimals, is the expected one."""
    np.testing.assert_allclose(numbers, expected, rtol=0, atol=0.5000001 * 10.0**-decimals)


@pytest.mark.parametrize("name", EXAMPLE_NAMES)
def test_every_example_can_be_traced_and_is_a_fresh_read_only_copy(name):
    first, second = example(name), example(name)
    assert first.name == name
    trace_of(name)
    for part in ("query", "key", "value", "allowed"):
        array = getattr(first, part)
        assert array.dtype == (bool if part == "allowed" else np.float64)
        assert not np.shares_memory(array, getattr(second, part))
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1
    assert first.printed is not second.printed


def test_an_unknown_name_is_refused():
    with pytest.raises(InputError, match="abc_hide_c") as caught:
        example("abd")
    assert caught.value.reason == "unknown_example"


def test_only_abc_hide_c_hides_something():
    hiding = {name: example(name).allowed for name in EXAMPLE_NAMES if not example(name).allowed.all()}
    assert list(hiding) == ["abc_hide_c"]
    assert hiding["abc_hide_c"].tolist() == [[True, True, False]]


@pytest.mark.parametrize(
    ("name", "scores", "scaled", "weights", "output"),
    [
        ("abc", (1, 0, 1), (0.707107, 0, 0.707107), (0.401112, 0.197776, 0.401112), (5.615569, 4.384431)),
        ("abc_hide_c", (1, 0, 1), (0.707107, 0, 0.707107), (0.669762, 0.330238, 0), (6.697615, 3.302385)),
        ("abc_zero", (0, 0, 0), (0, 0, 0), (0.333333, 0.333333, 0.333333), (4.666667, 5.333333)),
    ],
)
def test_the_three_runs_of_article_3_agree_to_six_decimals(name, scores, scaled, weights, output):
    trace = trace_of(name)
    assert trace.scores.tolist() == [list(scores)]
    assert_reads(trace.scaled[0], scaled, 6)
    assert_reads(trace.weights[0], weights, 6)
    assert_reads(trace.output[0], output, 6)


@pytest.mark.parametrize("name", ["abc", "abc_hide_c", "abc_zero"])
def test_with_all_values_1_1_the_output_is_1_1_whatever_the_weights(name):
    given = example(name)
    trace = trace_attention(given.query, given.key, np.ones((3, 2)), given.allowed)
    np.testing.assert_allclose(trace.output, [[1, 1]], rtol=1e-15)


def test_hiding_c_keeps_the_ratio_of_a_to_b():
    for name in ("abc", "abc_hide_c"):
        a, b, _ = trace_of(name).weights[0]
        assert_reads(a / b, 2.028, 3)


def test_negative_has_scores_that_add_to_nothing():
    trace = trace_of("negative")
    assert trace.scores.tolist() == [[1, -1, 0]]
    assert trace.scores.sum() == 0
    assert_reads(trace.weights[0], (0.576, 0.140, 0.284), 3)


def test_one_two_one_gives_the_corrected_numbers_of_article_1():
    trace = trace_of("one_two_one")
    assert trace.scores.tolist() == [[1, 2, 1]]
    assert_reads(trace.scaled[0], (0.707107, 1.414214, 0.707107), 6)
    assert_reads(trace.weights[0], (0.248255, 0.503490, 0.248255), 6)
    assert_reads(trace.weights[0], (0.2483, 0.5035, 0.2483), 4)
    assert_reads(trace.output[0], (4.497, 5.503), 3)
    assert_reads(trace_of("one_two_one", scale=1).weights[0, 1], 0.576, 3)


def test_article_1_printed_its_weights_after_rounding_the_exponentials_to_two_decimals():
    rounded = [round(exp(scaled), 2) for scaled in trace_of("one_two_one").scaled[0]]
    assert rounded == [2.03, 4.11, 2.03]
    shares = [exponential / sum(rounded) for exponential in rounded]
    assert_reads(shares, (0.24847, 0.50306, 0.24847), 5)
    # The article went on with 0.2485 and 0.503.
    assert_reads(shares[0], example("one_two_one").printed["weights"][0], 4)
    assert_reads(shares[1], example("one_two_one").printed["weights"][1], 3)


def test_love_gives_the_corrected_numbers_of_article_2():
    trace = trace_of("love")
    assert trace.scale == 1 / 2
    assert_reads(trace.scores[0], (1.77, 1.96, 2.37), 9)
    assert_reads(trace.scaled[0], (0.885, 0.98, 1.185), 9)
    assert_reads(trace.weights[0], (0.289896, 0.318786, 0.391318), 6)
    # The values are ours: 10·w0 + 4·w2 and 10·w1 + 6·w2.
    assert_reads(trace.output[0], (4.464232, 5.535768), 5)
    assert np.argsort(-trace.weights[0]).tolist() == [2, 1, 0]


def test_article_2_printed_weights_that_neither_add_to_1_nor_follow_from_its_own_scores():
    printed = example("love").printed
    assert_reads(sum(printed["weights"]), 0.97, 9)
    own = softmax(np.array(printed["scores"]) / 2)
    assert_reads(own, (0.294, 0.340, 0.366), 3)
    assert (np.abs(own - printed["weights"]) > 0.005).any()


def test_two_small_repairs_make_the_printed_scores_of_article_2_true():
    given = example("love")
    key = given.key.copy()
    key[1, 0], key[2, 3] = 1.0, 0.8
    trace = trace_attention(given.query, key, given.value)
    assert_reads(trace.scores[0], given.printed["scores"], 9)


def test_what_an_article_printed_is_kept_only_where_it_is_wrong():
    wrong = {name: set(example(name).printed) for name in EXAMPLE_NAMES if example(name).printed}
    assert wrong == {"one_two_one": {"weights"}, "love": {"scores", "scaled", "weights"}}
    assert example("one_two_one").printed["weights"] == (0.2485, 0.5030, 0.2485)
    assert tuple(example("love").printed.values()) == (
        (1.77, 2.06, 2.21),
        (0.89, 1.03, 1.11),
        (0.28, 0.33, 0.36),
    )
    for name, steps in wrong.items():
        for step in steps:
            printed, true = example(name).printed[step], getattr(trace_of(name), step)[0]
            assert len(printed) == len(true)
            decimals = max(len(str(number).partition(".")[2]) for number in printed)
            assert (np.abs(true - printed) > 0.5000001 * 10.0**-decimals).any(), (name, step)


def test_abc_self_reads_like_the_matrix_lab():
    trace = trace_of("abc_self")
    assert trace.scores.tolist() == [[1, 0, 1], [0, 1, 1], [1, 1, 2]]
    assert_reads(received(trace.weights), (0.847, 0.847, 1.306), 3)
    np.testing.assert_array_equal(trace.weights[0], trace_of("abc").weights[0])


CAT_TABLE = [
    [0.03, 0.42, 0.08, 0.02, 0.10, 0.20, 0.05, 0.10],
    [0.02, 0.30, 0.12, 0.03, 0.05, 0.20, 0.10, 0.18],
    [0.04, 0.35, 0.15, 0.16, 0.20, 0.02, 0.03, 0.05],
]


def test_cat_table_gives_the_table_of_article_2_exactly():
    trace = trace_of("cat_table")
    assert trace.query.tolist() == np.eye(3).tolist()
    assert trace.scale == 1 / sqrt(3)
    np.testing.assert_allclose(trace.weights, CAT_TABLE, rtol=1e-14)
    np.testing.assert_array_equal(trace.output, trace.weights)  # the values are the identity
    np.testing.assert_allclose(trace.key.sum(axis=0), 0, atol=1e-14)


def test_a_key_of_one_decimal_gives_the_table_to_two_decimals():
    key = [
        [-1.7, -2.6, -1.3],
        [2.9, 2.1, 2.5],
        [0, 0.5, 1.0],
        [-2.4, -1.9, 1.1],
        [0.4, -1.0, 1.5],
        [1.6, 1.4, -2.5],
        [-0.8, 0.2, -1.7],
        [0.4, 1.2, -0.9],
    ]
    given = example("cat_table")
    np.testing.assert_allclose(given.key, key, atol=0.1)
    assert_reads(trace_attention(given.query, key, given.value).weights, CAT_TABLE, 2)


def test_masks_change_the_cat_table_as_the_lessons_say():
    given = example("cat_table")
    # The queries are the words at places 8, 10 and 3; the keys those at 1, 2, 3, 4, 6, 8, 9 and 10.
    seen = np.array([8, 10, 3])[:, None] >= np.array([1, 2, 3, 4, 6, 8, 9, 10])
    causal = trace_attention(given.query, given.key, given.value, seen).weights
    assert_reads(causal[[0, 2], 1], (0.494, 0.648), 3)
    without_cat = masks.full(3, 8)
    without_cat[:, 1] = False
    hidden = trace_attention(given.query, given.key, given.value, without_cat).weights
    assert winners(hidden, 0) == (5,)
    assert_reads(hidden[0, 5], 0.345, 3)
    np.testing.assert_allclose(1 - np.cumsum(CAT_TABLE[2])[2], 0.46)  # what "sat" gives to later words


IT = 7


def test_cat_toy_row_it_reads_as_in_the_lessons():
    trace = trace_of("cat_toy")
    assert trace.query.shape == (10, 6)
    assert trace.scale == 1 / sqrt(6)
    row = (0.023, 0.397, 0.052, 0.023, 0.023, 0.117, 0.023, 0.175, 0.052, 0.117)
    assert_reads(trace.weights[IT], row, 3)
    # Kinds in the mixture: animate, thing, verb, function word, pronoun, adjective.
    assert_reads(trace.output[IT], (0.40, 0.12, 0.10, 0.09, 0.18, 0.12), 2)


def test_cat_toy_row_it_reads_as_in_the_lessons_when_causal():
    row = (0.027, 0.477, 0.062, 0.027, 0.027, 0.140, 0.027, 0.211, 0, 0)
    assert_reads(trace_of("cat_toy", is_causal=True).weights[IT], row, 3)


def test_cat_toy_words_of_one_kind_are_read_alike():
    weights = trace_of("cat_toy").weights
    for alike in ([0, 3, 4, 6], [2, 8]):
        assert (weights[:, alike] == weights[:, alike[:1]]).all()


def test_cat_toy_is_made_by_the_table_of_who_seeks_whom():
    animate, thing, verb, function, pronoun, adjective = (
        [5, 2, 4, 3, 3, 4],
        [2, 5, 3, 4, 1, 1],
        [6, 4, 3, 2, 1, 1],
        [3, 4, 3, 2, 1, 1],
        [7, 4, 2, 0, 5, 4],
        [6, 2, 3, 0, 5, 5],
    )
    given = example("cat_toy")
    sentence = [
        function,
        animate,
        verb,
        function,
        function,
        thing,
        function,
        pronoun,
        verb,
        adjective,
    ]
    assert given.query.tolist() == sentence
    assert given.key.sum(axis=1).tolist() == [1] * 10
    assert given.key.tolist() == given.value.tolist()


def test_xw_is_what_the_three_projections_make_of_x():
    x = np.array([[1, 0, 1], [0, 2, 0], [1, 1, 0]])
    given = example("xw")
    assert given.query.tolist() == (x @ [[1, 0], [0, 1], [1, 0]]).tolist()
    assert given.key.tolist() == (x @ [[0, 1], [1, 0], [1, 1]]).tolist()
    assert given.value.tolist() == (x @ [[2, 0], [0, 3], [1, 1]]).tolist()


def test_xw_gives_the_numbers_of_the_lessons():
    trace = trace_of("xw")
    assert trace.scores.tolist() == [[2, 4, 2], [4, 0, 2], [3, 2, 2]]
    assert_reads(
        trace.weights,
        [[0.1636, 0.6728, 0.1636], [0.7679, 0.0454, 0.1867], [0.5035, 0.2483, 0.2483]],
        4,
    )
    assert_reads(trace.output, [[0.818, 4.691], [2.677, 1.600], [2.007, 2.738]], 3)
