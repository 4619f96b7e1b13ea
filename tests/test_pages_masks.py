"""The page on masks: rules combined and painted, other ways to hide, empty rows, tiles, links, bad input."""

from functools import partial

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest
from visit import linked, number_box, open_page, run

from attention_core import InputError, masks, trace_attention
from attention_core.comparisons import WAYS_TO_HIDE, scores_before_mask
from attention_core.examples import example
from pages.ui.lessons import masks as mask_panels
from pages.ui.lessons.masks import PAGE
from pages.ui.pictures import vectors as vector_figures
from pages.ui.pictures.heatmaps import matrix_figure
from pages.ui.pictures.panel import Panel
from pages.ui.text import as_markdown, words

PARTS = ("query", "key", "value")
FIVE_BY_TWO = {"query": "1,0;0,1;1,1;1,0;0,1", "key": "1,0;0,1", "value": "10,0;0,10"}


opened = partial(open_page, "04_masks")


def scene(at):
    return at.session_state["masks_scene"]


def allowed(at) -> list[str]:
    return ["".join("01"[int(cell)] for cell in row) for row in scene(at).trace.allowed]


def said(at) -> str:
    return "\n".join(element.value for element in [*at.markdown, *at.caption])


def shown(key: str, language: str = "en", **slots) -> str:
    """The lesson's words under a key as Markdown, with slots escaped."""
    return words(language, "masks", key, **{name: as_markdown(value) for name, value in slots.items()})


def warnings(at) -> list[str]:
    return [warning.value for warning in at.warning]


def table(at, corner: str) -> list[list[str]]:
    """The rows of the first table in which this row name or column name stands, as texts."""
    for element in at.table:
        frame = element.value
        if corner in [*frame.columns, *frame.index]:
            return [[str(name), *map(str, row)] for name, row in zip(frame.index, frame.to_numpy(), strict=True)]
    raise AssertionError(f"no table has {corner}")


def choose(at, key: str, value) -> AppTest:
    at.session_state[f"masks_{key}"] = value
    return run(at)


def type_in(at, key: str, text: str) -> AppTest:
    number_box(at, f"masks_{key}").set_value(text)
    return run(at)


# ------------------------------------------------------------------------------------------------ the rules


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_page_opens_with_a_causal_mask_and_says_which_rule_blocks_the_selected_cell(language):
    at = opened(lang=language)
    assert allowed(at) == ["100", "110", "111"]
    causal = words(language, "masks", "rule_causal")
    assert words(language, "masks", "cell_blocked", query="B", key="C", rules=causal) in said(at)
    assert not at.warning


@pytest.mark.parametrize(
    ("rule", "settings", "expected"),
    [
        ("full", {}, ["111", "111", "111"]),
        ("causal", {}, ["100", "110", "111"]),
        ("window", {"left": "1", "right": "0"}, ["100", "110", "011"]),
        ("padding", {"length": "2"}, ["110", "110", "110"]),
        ("padding", {"length": "2", "side": "left"}, ["011", "011", "011"]),
        ("prefix", {"length": "2"}, ["110", "110", "111"]),
        ("documents", {"documents": "1 1 2"}, ["110", "110", "001"]),
        ("dilated", {"step": "2"}, ["101", "010", "101"]),
        ("only_self", {}, ["100", "010", "001"]),
        ("custom", {"mask": "010;111;001"}, ["010", "111", "001"]),
    ],
)
def test_every_preset_draws_its_mask(rule, settings, expected):
    assert allowed(opened(rule=rule, **settings)) == expected


def test_two_rules_combine_with_and_and_with_or():
    at = opened(rule="causal", combine="and", second="padding", second_length="2")
    assert allowed(at) == ["100", "110", "110"]
    assert allowed(choose(at, "combine", "or")) == ["110", "110", "111"]
    assert allowed(choose(at, "combine", "alone")) == ["100", "110", "111"]


def test_a_cell_blocked_by_two_rules_names_both_and_with_or_only_if_both_block():
    at = opened(rule="causal", combine="and", second="padding", second_length="2", row="0", column="2")
    assert masks.blocked_by(scene(at).rules, 0, 2) == ("causal", "padding")
    assert masks.blocked_by(scene(at).rules, 2, 2) == ("padding",)
    at = choose(at, "combine", "or")
    assert masks.blocked_by(scene(at).rules, 0, 2) == ("causal", "padding")
    assert masks.blocked_by(scene(at).rules, 0, 1) == ()


def test_a_rule_may_be_combined_with_itself():
    at = opened(rule="window", left="2", right="0", combine="or", second="window", second_left="0", second_right="1")
    assert allowed(at) == ["110", "111", "111"]
    assert masks.blocked_by(scene(at).rules, 0, 2) == ("window",)


def test_painted_cells_are_blocked_by_hand_and_by_no_rule():
    at = opened(rule="causal", mask="110;010;111")
    assert masks.blocked_by(scene(at).rules, 1, 0) == ("painted",)
    assert masks.blocked_by(scene(at).rules, 0, 1) == ()
    assert masks.blocked_by(scene(at).rules, 0, 2) == ("painted",)


def test_by_hand_keeps_the_cells_and_forgets_the_rule():
    at = choose(opened(rule="causal"), "rule", "custom")
    assert allowed(at) == ["100", "110", "111"]
    assert masks.blocked_by(scene(at).rules, 0, 2) == ("painted",)


def test_both_corners_are_shown_and_named_when_the_lengths_differ():
    two_by_five = {"query": "1,0;0,1", "key": "0,0;0,0;0,0;0,0;0,0", "value": "1;2;3;4;5", "rule": "causal"}
    at = opened(**two_by_five)
    assert "FlashAttention" in said(at)
    np.testing.assert_allclose(scene(at).trace.output.ravel(), [1.0, 1.5])
    at = choose(at, "corner", "bottom")
    np.testing.assert_allclose(scene(at).trace.output.ravel(), [2.5, 3.0])
    assert "FlashAttention" not in said(opened(rule="causal")).split("###")[0]


def test_a_bottom_right_corner_with_more_queries_than_keys_names_the_rows_that_may_read_nothing():
    at = opened(rule="causal", corner="bottom", query_tokens="a b c d e", **FIVE_BY_TWO)
    assert allowed(at) == ["00", "00", "00", "10", "11"]
    assert any("a, b, c" in warning for warning in warnings(at))
    np.testing.assert_array_equal(scene(at).trace.output[:3], 0)


# --------------------------------------------------------------------------------------- other ways to hide


def test_the_articles_case_shows_the_comparison_table_of_all_ways():
    at = opened()
    at.button(key="masks_ways_case").click()
    run(at)
    rows = [row[1:] for row in table(at, "1 · mask forgotten")]
    assert rows == [
        ["0.4011", "0.1978", "0.4011", "1", "(5.616, 4.384)"],
        ["0.5035", "0.2483", "0.2483", "1", "(6.028, 3.972)"],
        ["0.4011", "0.1978", "0", "⚠ 0.5989", "(4.011, 1.978)"],
        ["0.6698", "0.3302", "0", "1", "(6.698, 3.302)"],
        ["0.6698", "0.3302", "0", "1", "(6.698, 3.302)"],
        ["0.6698", "0.3302", "0", "1", "(6.698, 3.302)"],
        ["0.6698", "0.3302", "0", "1", "(6.698, 3.302)"],
        ["0", "0", "1", "1", "(4, 6)"],
    ]


def test_the_query_turned_round_in_the_last_line_is_the_query_minus_one_zero():
    article = example("abc_hide_c")
    trace = trace_attention([[-1.0, 0.0]], article.key, article.value, article.allowed)
    bug = WAYS_TO_HIDE["multiply_by_minus_1e9"](scores_before_mask(trace), trace.allowed, trace.value)
    np.testing.assert_allclose(bug.weights, [[0, 0, 1]])


def test_with_nothing_hidden_the_page_says_that_there_is_nothing_to_compare():
    assert shown("ways_nothing_hidden", query="A") in said(opened(rule="full", row="0", query_tokens="A"))


def test_values_with_other_than_two_numbers_are_not_drawn_but_still_listed():
    at = opened(value="1;2;3")
    assert shown("ways_no_plane", d_v=1) in said(at)
    assert len(table(at, "1 · mask forgotten")) == 8


# ----------------------------------------------------------------------------------- a push instead of a ban


@pytest.mark.parametrize(("penalty", "share"), [("-6", "0.1657"), ("-7", "0.0610"), ("0", "40.1112"), ("-1e9", "0")])
def test_the_leak_of_a_penalty_is_the_hidden_keys_share(penalty, share):
    at = opened(rule="padding", length="2", row="0", penalty=penalty)
    assert shown("leak", query="A", count=1, share=share) in said(at)


def test_blocking_leaks_nothing():
    at = opened(rule="padding", length="2", row="0", hiding="block")
    assert shown("leak", query="A", count=1, share="0") in said(at)


def test_alibi_names_the_slopes_of_all_heads_and_uses_the_chosen_one():
    at = opened(bias="alibi", heads="3", head="3", hiding="block")
    assert "0.0625, 0.00390625, 0.25" in said(at)
    assert words("en", "masks", "alibi_slopes", slopes="0.0625, 0.00390625, 0.25", slope="0.25") in said(at)


# --------------------------------------------------------------------- polarity, empty rows, changes, padding


@pytest.mark.parametrize(("polarity", "call"), [("keep", "=allowed"), ("hide", "Multihead"), ("add", "=additions")])
def test_each_polarity_stands_beside_the_torch_call_that_takes_it(polarity, call):
    assert any(call in element.value for element in opened(polarity=polarity).markdown)


def test_an_empty_row_shows_what_each_convention_makes_of_it():
    at = opened(rule="full", row="0")
    rows = {name: rest for name, *rest in table(at, "NaN")}
    assert rows["zeros \\(this app\\)"][:5] == ["0", "0", "0", "⚠ 0", "(0, 0)"]
    assert rows["NaN"][:4] == ["NaN", "NaN", "NaN", "⚠ NaN"]
    assert rows["a large negative number instead of each score"][:5] == [
        *["0.3333"] * 3,
        "1",
        "(4.667, 5.333)",
    ]
    assert rows["−10⁹ added, in float32"][:3] == ["0.3333"] * 3
    assert rows["−10⁹ added, in float64"][:3] == ["0.4011", "0.1978", "0.4011"]
    assert rows["an error"][4] == as_markdown(words("en", "masks", "error_blind_query"))
    assert "PyTorch SDPA" in rows["zeros \\(this app\\)"][5]


def test_hiding_every_key_from_a_row_on_purpose_gives_zeros_and_says_so():
    at = opened()
    at.button(key="masks_blind_button").click()
    run(at)
    assert allowed(at) == ["100", "000", "111"]
    np.testing.assert_array_equal(scene(at).trace.weights[1], 0)
    assert shown("blind_rows", who="B") in warnings(at)


def test_a_change_of_the_last_token_is_heard_by_all_rows_without_a_mask_and_by_the_last_alone_under_causal():
    at = opened(rule="causal", query_tokens="A B C", key_tokens="A B C")
    moved = [element.value for element in at.markdown if element.value.startswith("Output moves")]
    assert moved == [shown("moved", who="A, B, C"), *[shown("moved", who="C")] * 2]


def test_padding_on_rows_alone_still_lets_real_rows_read_padding():
    at = opened(real="2")
    padding = [element.value for element in at.markdown if "empty rows" in element.value]
    assert [text.split(" % ")[0].split()[-1] for text in padding] == ["0", "40.1", "0"]
    assert [text.split("empty rows: ")[1][0] for text in padding] == ["0", "1", "1"]


# -------------------------------------------------------------------------------------------- tile by tile


def test_after_two_tiles_the_output_is_that_of_c_hidden_and_after_three_the_whole():
    at = opened(rule="full", row="0", tiles_seen="2")
    assert [row[1:] for row in table(at, "sum l")] == [
        ["0.707107", "0", "1", "(10, 0)"],
        ["0.707107", "1", "1.493069", "(6.697615, 3.302385)"],
    ]
    hidden = "(6.697615, 3.302385)"
    assert shown("so_far", output=hidden, unseen="C", hidden=hidden) in said(at)
    at = choose(at, "tiles_seen", 3)
    assert table(at, "sum l")[-1][1:] == ["0.707107", "1", "2.493069", "(5.615569, 4.384431)"]


# ------------------------------------------------------------------------------------------------ pictures


def test_a_picture_of_a_mask_prints_words_and_a_blocked_score_stands_behind_its_minus_infinity():
    mask = np.array([[True, False]])
    named = Panel(np.zeros((1, 2)), ["a"], ["b", "c"], "mask", "weight", blocked=~mask, texts=[["True", "False"]])
    assert printed(named) == ["True", "False"]
    score = np.array([[0.5, 2.25]])
    masked = Panel(score, ["a"], ["b", "c"], "masked", blocked=~mask, blocked_text="−∞", behind=score)
    plain, blocked = printed(masked)
    assert plain == "0.5"
    assert blocked.startswith("−∞<br>")
    assert "2.25" in blocked


def printed(panel: Panel) -> list[str]:
    figure = go.Figure(matrix_figure(panel, "alone"))
    return next(list(trace.text) for trace in figure.data if trace.type == "scatter" and trace.mode == "text")


@pytest.mark.parametrize(
    ("lines", "written"), [([3], "3"), ([1, 2], "1–2"), ([3, 4, 5, 7], "3–5, 7"), ([1, 3], "1, 3")]
)
def test_lines_with_one_output_are_written_as_ranges(lines, written):
    assert mask_panels._line_numbers(lines) == written


def test_names_of_close_outputs_stand_on_different_sides():
    values = np.array([[10.0, 0.0], [0.0, 10.0]])
    outputs = np.array([[5.0, 5.0], [5.3, 4.7], [1.0, 1.0]])
    both = np.array([True, True])
    figure = go.Figure(vector_figures.outputs_figure(values, ["a", "b"], both, outputs, ["1", "2", "3"]))
    assert figure.data[-1].textposition == ("middle left", "top right", "middle left")
    assert min(figure.layout.xaxis.range) < 0 < 10 < max(figure.layout.xaxis.range)


# ------------------------------------------------------------------------------------ bad input and links


@pytest.mark.parametrize(
    ("setting", "field", "number", "why", "slots", "used"),
    [
        ({"rule": "window"}, "left", "9", "left_too_far", {"low": 0, "high": 2}, 1),
        ({"rule": "window"}, "right", "3", "right_too_far", {"low": 0, "high": 2}, 0),
        ({"rule": "padding"}, "length", "7", "too_many_real", {"low": 0, "high": 3}, 2),
        ({"rule": "dilated"}, "step", "5", "out_of_range", {"value": 5, "low": 1, "high": 3}, 2),
        ({}, "tile", "4", "out_of_range", {"value": 4, "low": 1, "high": 3}, 1),
        ({}, "real", "4", "too_many_real", {"low": 0, "high": 3}, 2),
        ({"bias": "alibi", "heads": "2"}, "head", "3", "out_of_range", {"value": 3, "low": 1, "high": 2}, 1),
    ],
)
def test_a_number_that_does_not_fit_the_sentence_is_refused_by_its_control_and_by_a_link(
    setting, field, number, why, slots, used
):
    why = as_markdown(words("en", "masks", f"error_{why}", **slots))
    label = words("en", "masks", PAGE.field(field).label or field)
    typed = type_in(opened(**setting), field, number)
    assert words("en", "masks", "cell_kept", cell=label, why=why, number=used) in warnings(typed)
    (said,) = warnings(opened(**setting, **{field: number}))
    assert f"(`{field}`): {why}" in said


def test_a_window_typed_too_wide_leaves_the_last_good_mask():
    at = type_in(opened(rule="window", left="0", right="0"), "left", "9")
    assert allowed(at) == ["100", "010", "001"]
    assert len(warnings(at)) == 1
    assert not warnings(type_in(at, "left", "2"))


def test_a_positive_penalty_is_refused_and_the_last_good_one_stays():
    at = type_in(opened(rule="padding", length="2", row="0", penalty="-7"), "penalty", "3")
    assert len(warnings(at)) == 1
    assert "penalty" in warnings(at)[0]
    assert shown("leak", query="A", count=1, share="0.0610") in said(at)


@pytest.mark.parametrize(
    ("address", "field"),
    [
        ({"mask": "10;11"}, "mask"),
        ({"mask": "1x1;111;111"}, "mask"),
        ({"penalty": "3"}, "penalty"),
        ({"combine": "xor"}, "combine"),
        ({"second": "custom"}, "second"),
        ({"softcap": "0"}, "softcap"),
        ({"left": "-1"}, "left"),
    ],
)
def test_what_a_link_cannot_mean_is_named_and_the_rest_is_taken(address, field):
    at = opened(rule="padding", length="1", **address)
    assert any(f"`{field}`" in warning for warning in warnings(at))
    assert allowed(at) == ["100"] * 3


def test_a_saved_mask_of_another_shape_is_refused_and_the_rest_stays():
    def script():
        from pages.ui.lessons.masks import PAGE
        from pages.ui.state.settings import take_file

        file = b'{"attention_lab": "masks", "query": "1,0", "mask": "111;111", "rule": "causal"}'
        problems = take_file(PAGE, str, file)
        assert [(field, error.reason) for field, error in problems] == [("mask", "mask_shape")]

    assert not AppTest.from_function(script, default_timeout=30).run().exception


@pytest.mark.parametrize(
    ("mask", "drawn"),
    [
        (
            {"rule": "causal", "combine": "or", "second": "window", "second_left": "2", "second_right": "1"},
            ["110", "111", "111"],
        ),
        ({"rule": "custom", "mask": "110;111;011"}, ["110", "111", "011"]),
    ],
)
def test_the_whole_state_survives_a_link(mask, drawn):
    first = mask | {
        "penalty": "-7", "bias": "distance", "slope": "0.25", "capped": "1",
        "softcap": "3", "polarity": "hide", "tile": "2", "tiles_seen": "2", "real": "1", "change": "2",
        "row": "2", "column": "1",
    }  # fmt: skip
    at = opened(**first)
    state = at.session_state
    assert (state["masks_softcap"], state["masks_tile"]) == (3.0, 2)
    written = linked(at)
    assert {name: written.get(name) for name in first} == first
    again = opened(**written)
    assert allowed(again) == allowed(at) == drawn
    assert said(again) == said(at)


def test_a_rule_that_is_not_combined_leaves_the_second_rule_out_of_the_link():
    at = choose(opened(rule="causal", combine="and", second="padding", second_length="1"), "combine", "alone")
    assert not {name for name in linked(at) if name.startswith("second")}


def test_fields_of_the_second_rule_read_what_those_of_the_first_read():
    fields = {field.name: field for field in PAGE.fields}
    assert fields["second_left"].read("3") == fields["left"].read("3") == 3
    with pytest.raises(InputError):
        fields["second_left"].read("99")


def test_reset_takes_the_penalty_and_the_second_rule_back():
    at = opened(rule="causal", combine="and", second="padding", penalty="-9", bias="alibi")
    at.button(key="masks_reset").click()
    run(at)
    state = at.session_state
    assert (state["masks_penalty"], state["masks_bias"], state["masks_combine"]) == (-2.0, "none", "alone")
    assert allowed(at) == ["100", "110", "111"]  # as the page opens


@pytest.mark.parametrize("name", ["abc", "abc_hide_c", "negative", "love", "cat_toy"])
def test_every_example_of_the_page_can_be_worked_with(name):
    given = example(name)
    texts = {part: ";".join(",".join(map(repr, row)) for row in getattr(given, part).tolist()) for part in PARTS}
    at = opened(rule="causal", **texts)
    assert scene(at).trace.allowed.shape == (len(given.query), len(given.key))
    assert len(table(at, "NaN")) == 6


def test_a_second_rule_can_be_chosen_while_the_link_is_open():
    at = opened(rule="causal")
    at.session_state["masks_share"] = True
    at = choose(run(at), "combine", "and")
    assert at.session_state["masks_second"] == "padding"
