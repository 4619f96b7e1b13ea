"""Each mask rule against plain loops, and what it refuses."""

from functools import partial

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import InputError, masks

settings.register_profile("lab", deadline=None, max_examples=60)  # shared machines stall
settings.load_profile("lab")

sizes = st.integers(1, 7)
offsets = st.integers(-8, 8)
reaches = st.none() | st.integers(0, 8)
documents = st.lists(st.integers(0, 3), min_size=1, max_size=6)


def assert_mask(mask, rule):
    n_query, n_key = mask.shape
    assert mask.dtype == bool
    assert mask.flags.writeable
    assert mask.tolist() == oracle.mask(n_query, n_key, rule)


@given(sizes, sizes)
def test_full_lets_everyone_look_everywhere(n_query, n_key):
    assert masks.full(n_query, n_key).shape == (n_query, n_key)
    assert_mask(masks.full(n_query, n_key), lambda i, j: True)


@given(sizes, sizes, offsets)
def test_causal_lets_no_one_see_what_comes_later(n_query, n_key, offset):
    assert_mask(masks.causal(n_query, n_key, offset), oracle.causal(offset))


def test_causal_starts_in_the_top_left_corner_unless_told_otherwise():
    assert masks.causal(2, 4).tolist() == [[True, False, False, False], [True, True, False, False]]
    assert masks.causal(2, 4, offset=2).tolist() == [[True, True, True, False], [True, True, True, True]]


@given(sizes, sizes, reaches, reaches, offsets)
def test_sliding_window_counts_neighbours_but_not_the_position_itself(n_query, n_key, left, right, offset):
    mask = masks.sliding_window(n_query, n_key, left, right, offset)
    assert_mask(mask, oracle.sliding_window(left, right, offset))


def test_a_window_with_no_right_side_and_no_left_limit_is_causal():
    assert np.array_equal(masks.sliding_window(4, 6, None, 0), masks.causal(4, 6))


@given(sizes, sizes, st.integers(0, 7), offsets)
def test_prefix_is_causal_after_the_first_keys(n_query, n_key, length, offset):
    length = min(length, n_key)
    assert_mask(masks.prefix(n_query, n_key, length, offset), oracle.prefix(length, offset))


@given(sizes, sizes, st.integers(0, 7), st.sampled_from(["left", "right"]))
def test_padding_blocks_columns_and_no_row(n_query, n_key, length, side):
    length = min(length, n_key)
    assert_mask(masks.padding(n_query, n_key, length, side), oracle.padding(n_key, length, side))


@given(documents, documents)
def test_same_document_compares_the_numbers_of_query_and_key(queries, keys):
    assert_mask(masks.same_document(queries, keys), oracle.same_document(queries, keys))
    assert_mask(masks.same_document(queries), oracle.same_document(queries, queries))


@given(sizes, sizes, st.integers(1, 5), offsets)
def test_dilated_takes_every_nth_key_before_and_after(n_query, n_key, step, offset):
    assert_mask(masks.dilated(n_query, n_key, step, offset), oracle.dilated(step, offset))


@given(sizes, sizes, offsets)
def test_only_self_allows_one_key_at_most(n_query, n_key, offset):
    assert_mask(masks.only_self(n_query, n_key, offset), oracle.only_self(offset))


def test_blocked_by_names_the_masks_that_say_no():
    named = {"causal": masks.causal(3, 3), "padding": masks.padding(3, 3, 2), "full": masks.full(3, 3)}
    assert masks.blocked_by(named, 0, 2) == ("causal", "padding")
    assert masks.blocked_by(named, 0, 1) == ("causal",)
    assert masks.blocked_by(named, 2, 2) == ("padding",)
    assert masks.blocked_by(named, 1, 0) == ()


def test_masks_combine_with_the_operators_of_booleans():
    both = masks.causal(3, 3) & masks.padding(3, 3, 2, "left")
    assert both.tolist() == [[False, False, False], [False, True, False], [False, True, True]]


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (lambda: masks.sliding_window(3, 3, -1, 0), "negative_window"),
        (lambda: masks.sliding_window(3, 3, None, -2), "negative_window"),
        (lambda: masks.padding(2, 3, 4), "length_out_of_range"),
        (lambda: masks.padding(2, 3, -1), "length_out_of_range"),
        (lambda: masks.padding(2, 3, float("nan")), "not_a_whole_number"),
        (lambda: masks.prefix(2, 3, 4), "length_out_of_range"),
        (lambda: masks.padding(2, 3, 1, "top"), "unknown_side"),
        (lambda: masks.dilated(3, 3, 0), "step_too_small"),
        (lambda: masks.same_document([[0, 1]]), "not_a_list"),
        (lambda: masks.same_document(5), "not_a_list"),
        (lambda: masks.same_document([0, 1], [[0], [1]]), "not_a_list"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused_with_its_reason(build, reason):
    with pytest.raises(InputError) as refused:
        build()
    assert refused.value.reason == reason
    assert str(refused.value)


SETTINGS = {
    "full": {}, "causal": {}, "window": {"left": 1, "right": 0}, "padding": {"length": 2, "side": "left"},
    "prefix": {"length": 1}, "dilated": {"step": 2}, "only_self": {}, "documents": {"documents": [1, 1, 2, 2]},
}  # fmt: skip


@pytest.mark.parametrize("rule", masks.RULES)
@pytest.mark.parametrize(("n_query", "n_key"), [(3, 3), (2, 4), (4, 2)])
def test_a_rule_of_the_table_is_its_function(rule, n_query, n_key):
    given = SETTINGS[rule]
    same = {
        "full": lambda **offset: masks.full(n_query, n_key),
        "causal": partial(masks.causal, n_query, n_key),
        "window": partial(masks.sliding_window, n_query, n_key, 1, 0),
        "padding": lambda **offset: masks.padding(n_query, n_key, 2, "left"),
        "prefix": partial(masks.prefix, n_query, n_key, 1),
        "dilated": partial(masks.dilated, n_query, n_key, 2),
        "only_self": partial(masks.only_self, n_query, n_key),
        "documents": lambda **offset: masks.same_document([1, 1, 2, 2][:n_query], [1, 1, 2, 2][:n_key]),
    }[rule]
    np.testing.assert_array_equal(masks.build_mask(rule, n_query, n_key, **given), same())
    for corner, offset in (("top", 0), ("bottom", n_key - n_query)):
        if "corner" in masks.RULES[rule].settings:
            mask = masks.build_mask(rule, n_query, n_key, corner=corner, **given)
            np.testing.assert_array_equal(mask, same(offset=offset))


@pytest.mark.parametrize("rule", masks.RULES)
def test_every_setting_of_the_table_begins_and_ends_within_its_limits(rule):
    for n_query, n_key in ((1, 1), (1, 5), (5, 1), (4, 4)):
        for name, setting in masks.RULES[rule].settings.items():
            if isinstance(setting, masks.Number):
                high = setting.high(n_query, n_key)
                for number in (setting.low, high):
                    mask = masks.build_mask(rule, n_query, n_key, **SETTINGS[rule] | rooms(rule) | {name: number})
                    assert mask.shape == (n_query, n_key)
                with pytest.raises(InputError) as refused:
                    masks.build_mask(rule, n_query, n_key, **SETTINGS[rule] | rooms(rule) | {name: high + 1})
                assert (refused.value.reason, refused.value.details["high"]) == (setting.reason, high)


def rooms(rule):
    """Every number of the rule as low as it may be."""
    settings = masks.RULES[rule].settings.items()
    return {name: setting.low for name, setting in settings if isinstance(setting, masks.Number)}


@pytest.mark.parametrize(
    ("rule", "settings", "reason"),
    [
        ("causla", {}, "unknown_rule"),
        ("custom", {}, "unknown_rule"),
        ("", {}, "unknown_rule"),
        ("causal", {"corner": "left"}, "unknown_choice"),
        ("padding", {"length": 1, "side": "top"}, "unknown_choice"),
        ("window", {"left": -1, "right": 0}, "left_too_far"),
        ("dilated", {"step": 1.5}, "not_a_whole_number"),
    ],
)
def test_an_unknown_rule_or_setting_is_refused_and_never_a_full_mask(rule, settings, reason):
    with pytest.raises(InputError) as refused:
        masks.build_mask(rule, 3, 3, **settings)
    assert refused.value.reason == reason
