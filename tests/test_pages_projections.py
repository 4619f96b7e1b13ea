"""The page of projections and heads: what it shows, what it refuses, what its link carries."""

from functools import partial

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from visit import linked, made_link, number_box, open_page, pictures, run

from attention_core.head_examples import HEAD_EXAMPLE_NAMES, head_example
from attention_core.heads import multi_head_attention
from pages.ui.text import LANGUAGES, words

opened = partial(open_page, "06_projections_and_heads")


def press(at: AppTest, key: str) -> AppTest:
    next(button for button in at.button if button.key == f"projections_and_heads_{key}").click()
    return run(at)


def choose(at: AppTest, key: str, value) -> AppTest:
    at.button_group(key=f"projections_and_heads_{key}").set_value(value)
    return run(at)


def type_cell(at: AppTest, name: str, row: int, column: int, text: str) -> AppTest:
    """An edit as the browser's grid sends it."""
    entry = at.session_state[f"projections_and_heads_{name}"]
    grid = f"projections_and_heads_{name}_grid_{entry['version']}"
    at.session_state[grid] = {"edited_rows": {row: {str(column): text}}, "added_rows": [], "deleted_rows": []}
    return run(at)


def scene(at: AppTest):
    return at.session_state["projections_and_heads_scene"]


def said(at: AppTest) -> str:
    return "\n".join(e.value for kind in (at.markdown, at.caption, at.warning) for e in kind).replace("\\", "")


# What it shows


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", HEAD_EXAMPLE_NAMES)
@pytest.mark.parametrize("asking", ["x", "y"])
def test_every_example_opens_for_itself_and_across(language, name, asking):
    at = opened(lang=language, start=name, query_from=asking)
    assert not at.warning
    drawn = pictures(at)
    assert {"projection", "scores", "weights", "head0", "head1", "joined", "comparison"} <= set(drawn)
    assert all(picture["alt"] for picture in drawn.values())
    start = head_example(name)
    x = getattr(start, asking)
    right = multi_head_attention(x, start.w_query, start.w_key, start.w_value, start.w_output, source=start.x)
    np.testing.assert_array_equal(scene(at).plugged.result.output, right.output)


def test_the_lessons_numbers_stand_on_the_first_screen():
    at = opened()
    assert "number 1 = 1×1 + 0×0 + 1×1 = **2**" in said(at)
    assert "a → c: 2, c → a: 3" in said(at)
    assert pictures(at)["scores"]["alt"].endswith("a: 2, 4, 2. b: 4, 0, 2. c: 3, 2, 2.")
    assert "Rows of Q: a: 2, 0; b: 0, 2; c: 1, 1" in pictures(at)["projection"]["alt"]
    for kind, rows in (("key", "Rows of K: a: 1, 2; b: 2, 0; c: 1, 1"), ("value", "Rows of V: a: 3, 1; b: 0, 6")):
        assert rows in pictures(choose(at, "projected", kind))["projection"]["alt"]


def test_the_chosen_tokens_vector_stands_there_before_and_after_attention():
    at = choose(opened(), "row", 1)
    plugged = scene(at).plugged
    after = ", ".join(f"{number:.2f}".replace("-", "−") for number in plugged.result.output[1])
    assert plugged.asking[1].tolist() == [0, 2, 0]
    assert f"**b** before attention: (0, 2, 0). What attention brings it from all that it reads: ({after})." in said(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_token_of_an_example_is_called_by_a_number(language):
    for name in HEAD_EXAMPLE_NAMES:
        shown = scene(opened(lang=language, start=name))
        assert not any(label.isdecimal() for label in [*shown.queries, *shown.keys])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_features_of_the_cat_sentence_have_names(language):
    names = words(language, "projections_and_heads", "features_cat").split()
    at = opened(lang=language, start="cat")
    assert " · ".join(f"{i} {name}" for i, name in enumerate(names, start=1)) in said(at)
    drawn = pictures(at)["projection"]["figure"]["layout"]
    assert drawn["yaxis2"]["ticktext"] == names  # rows of W_Q
    assert [label.replace("<br>", "") for label in drawn["xaxis2"]["ticktext"]] == names  # what is sought
    assert at.session_state["projections_and_heads_w_query_1"]["labels"] == names
    # Keys that are something else than the kinds are numbered, the features of the tokens are not.
    drawn = pictures(type_cell(at, "w_key_1", 0, 1, "3"))["projection"]["figure"]["layout"]
    assert drawn["yaxis2"]["ticktext"] == names
    assert drawn["xaxis2"]["ticktext"] == list("123456")
    assert all(
        label.isdecimal() for label in pictures(opened())["projection"]["figure"]["layout"]["yaxis2"]["ticktext"]
    )


def test_a_link_carries_the_seed_of_random_numbers_and_says_that_kept_heads_stay():
    at = opened()
    at.session_state["projections_and_heads_w_query_1_tools"] = True
    at = press(press(run(at), "w_query_1_random"), "keep")
    assert words("en", "projections_and_heads", "kept_here") in said(at)
    at.session_state["projections_and_heads_share"] = True
    press(run(at), "make_link")
    link = made_link(at)
    other = opened(**link)
    assert not other.warning
    assert other.session_state["projections_and_heads_w_query_1_seed"] == 1
    assert words("en", "projections_and_heads", "kept_here") not in said(other)


def test_a_tie_makes_the_scores_symmetric_and_not_the_weights():
    at = opened()
    at.toggle(key="projections_and_heads_tie_query").set_value(True)
    text = said(run(at))
    assert "Scores: **symmetric**" in text
    assert "Weights: **not symmetric**: a → c: 0.187, c → a: 0.333" in text
    assert not any(m.value.startswith(":red-background") for m in at.markdown)  # nothing to edit there now
    np.testing.assert_array_equal(scene(at).plugged.weights["key"][1], head_example("xw").w_query[1])


def test_tied_values_are_the_keys():
    at = opened(tie_value=1)
    trace = scene(at).plugged.result.heads[0]
    np.testing.assert_array_equal(trace.key, trace.value)


def test_the_plug_board_makes_the_weights_rectangular():
    at = choose(opened(), "query_from", "y")
    assert scene(at).one.trace.weights.shape == (2, 3)
    text = said(at)
    assert "Queries: 2, keys: 3; so the weights are 2×3" in text
    assert "cross-attention" in text
    at = choose(at, "key_from", "y")
    assert scene(at).one.trace.weights.shape == (2, 2)
    assert "**self-attention**" in said(at)


def test_an_edit_of_w_q_moves_the_queries_and_no_key():
    at = opened()
    before = scene(at).one.trace
    at = type_cell(type_cell(at, "w_query_1", 1, 0, "-2"), "w_query_1", 1, 0, "-2")
    after = scene(at).one.trace
    np.testing.assert_array_equal(after.key, before.key)
    assert after.query[1].tolist() == [-4, 2]
    assert any("your numbers" in m.value for m in at.markdown)


def test_a_cell_that_is_no_number_is_named_and_the_last_good_one_stays():
    at = type_cell(opened(), "w_query_1", 1, 0, "two")
    assert "W_Q[2, 1]" in said(at)
    assert "not a number" in said(at)
    assert scene(at).one.trace.query[1].tolist() == [0, 2]


def test_another_head_shows_its_own_matrices():
    at = choose(opened(), "head", 1)
    assert any(m.value == ":blue-background[**W_Q2**] 3×2" for m in at.markdown)
    assert scene(at).one.trace.query.tolist() == [[0, 3], [4, 0], [2, 1]]
    assert "You are looking at head 2 of 2" in said(at)


def test_more_heads_and_fewer_again():
    at = choose(opened(), "heads", 4)
    assert scene(at).plugged.w_output.shape == (8, 3)
    assert len(scene(at).plugged.result.heads) == 4
    assert {"head3", "head4"} <= set(pictures(at))  # the last is the average
    np.testing.assert_array_equal(scene(at).plugged.w_output[:4], head_example("xw").w_output)
    at = choose(choose(at, "head", 3), "heads", 2)
    np.testing.assert_array_equal(scene(at).plugged.w_output, head_example("xw").w_output)
    assert scene(at).head == 1


def test_grouped_heads_share_neighbouring_keys():
    at = choose(choose(opened(), "heads", 4), "key_heads", 2)
    heads = scene(at).plugged.result.heads
    np.testing.assert_array_equal(heads[0].key, heads[1].key)
    np.testing.assert_array_equal(heads[2].key, heads[3].key)
    assert not np.array_equal(heads[1].key, heads[2].key)
    assert [scene(at).group(head) for head in range(4)] == [0, 0, 1, 1]
    at = choose(at, "head", 2)
    assert any(m.value.startswith(":red-background[**W_K2**]") for m in at.markdown)


def test_kept_heads_stay_beside_others_with_the_same_average():
    at = press(opened(start="crossed"), "keep")
    kept = at.session_state["projections_and_heads_kept"]
    at.session_state["projections_and_heads_examples"] = True
    at = press(run(at), "start_even")
    assert "differ by at most **0**" in said(at)
    np.testing.assert_array_equal(at.session_state["projections_and_heads_kept"], kept)
    assert {"kept0", "kept1", "kept2", "head0", "head1", "head2"} <= set(pictures(at))
    at.session_state["projections_and_heads_examples"] = True
    at = press(run(at), "start_xw")
    assert "cannot be compared" in said(at)
    assert "kept0" not in pictures(press(at, "forget"))


def test_the_counter_knows_the_first_transformers_numbers():
    text = said(opened())
    for number in ("d_k = 64", "√64 = **8**", "**786,432**", "W_O **262,144**", "1,048,576", "65,536"):
        assert number in text


@pytest.mark.parametrize(
    ("heads", "sets", "message"), [(7, 7, "7 heads"), (8, 3, "sets of K and V: 3"), (0, 8, "Until then")]
)
def test_counts_that_do_not_divide_are_refused_and_the_last_stay(heads, sets, message):
    at = opened()
    number_box(at, "projections_and_heads_counted_heads").set_value(str(heads))
    number_box(at, "projections_and_heads_counted_groups").set_value(str(sets))
    run(at)
    assert message in " ".join(warning.value for warning in at.warning)
    assert "**d_k = 64**" in said(at)


def test_fewer_sets_of_keys_need_fewer_numbers():
    at = opened()
    number_box(at, "projections_and_heads_counted_groups").set_value("2")
    assert "W_K 65,536 + W_V 65,536" in said(run(at))


@pytest.mark.parametrize(("size", "shape"), [("n_x", (5, 3)), ("d_model", (3, 5)), ("d_k", (3, 3)), ("d_v", (3, 3))])
def test_another_size_fits_every_matrix_that_has_it(size, shape):
    at = opened()
    at.session_state["projections_and_heads_sizes"] = True
    run(at)
    number_box(at, f"projections_and_heads_size_{size}").set_value("5")
    run(at)
    assert not at.warning
    assert scene(at).plugged.asking.shape == shape
    trace = scene(at).plugged.result.heads[1]
    assert (len(trace.query), trace.query.shape[1], trace.value.shape[1]) == (
        5 if size == "n_x" else 3,
        5 if size == "d_k" else 2,
        5 if size == "d_v" else 2,
    )


def test_what_does_not_fit_together_is_said_and_the_last_picture_stays():
    at = opened()
    before = pictures(at)["weights"]["alt"]
    projections_and_heads_key = at.session_state["projections_and_heads_w_query_1"]
    at.session_state["projections_and_heads_w_query_1"] = projections_and_heads_key | {
        "base": [["1", "0"]] * 2, "texts": [["1", "0"]] * 2, "base_numbers": [[1, 0]] * 2, "numbers": [[1, 0]] * 2,
        "version": projections_and_heads_key["version"] + 1, "labels": None,
    }  # fmt: skip
    run(at)
    assert "(columns): 3, rows of W_Q1: 2" in said(at)
    assert pictures(at)["weights"]["alt"] == before


def test_the_same_word_has_the_same_query_key_and_value():
    trace = scene(opened(start="cat")).one.trace
    for name in ("query", "key", "value"):
        np.testing.assert_array_equal(getattr(trace, name)[0], getattr(trace, name)[4])


# The link


def test_a_link_brings_another_visitor_into_the_same_state():
    at = opened(start="xw")
    at = choose(choose(at, "heads", 4), "key_heads", 2)
    at = type_cell(at, "w_query_1", 1, 0, "-2.5")
    at = choose(choose(at, "query_from", "y"), "head", 3)
    link = linked(at)
    assert link["w_query_1"] == "1,0;-2.5,1;1,0"
    assert not {"x", "w_value_1", "tie_query"} & set(link)
    other = opened(**link)
    assert not other.warning
    np.testing.assert_array_equal(scene(other).plugged.result.output, scene(at).plugged.result.output)
    assert scene(other).head == 3


@pytest.mark.parametrize(
    ("field", "text", "message"),
    [
        ("x", "1,x,0", "not a number"),
        ("heads", "9", "not between 1 and 4"),
        ("key_heads", "1.5", "not a whole number"),
        ("start", "cats", "is not one of"),
        ("tie_query", "yes", "is not one of"),
        ("w_query_1", "1,2;3,4", "rows of W_Q1: 2"),
        ("w_output", "1;2;3", "rows of W_O: 3"),
        ("w_value_2", "1e308,0;1e308,0;1e308,0", "larger than a computer can hold"),
        ("x", ";".join(["1,0,0"] * 17), "at most 16"),
    ],
)
def test_a_bad_field_of_a_link_is_named_and_the_rest_is_in_place(field, text, message):
    at = opened(**{field: text, "head": 1})
    assert message in " ".join(warning.value for warning in at.warning).replace("\\", "")
    assert len(scene(at).plugged.result.heads) == 2


def test_undo_takes_back_an_edit_and_reset_everything():
    at = type_cell(opened(), "x", 0, 0, "7")
    run(at)
    assert scene(at).plugged.asking[0, 0] == 7
    at = press(at, "undo")
    assert scene(at).plugged.asking[0, 0] == 1
    at = choose(type_cell(at, "x", 0, 0, "7"), "heads", 3)
    at = press(at, "reset")
    assert scene(at).plugged.asking[0, 0] == 1
    assert len(scene(at).plugged.result.heads) == 2


def test_the_language_changes_no_number():
    at = opened(start="cat")
    before = scene(at).plugged.result.output
    at.session_state["language"] = "ko"
    np.testing.assert_array_equal(scene(run(at)).plugged.result.output, before)


@pytest.mark.parametrize(
    "token", ["<b>x</b>", "$x$", "[x](http://x)", "**x**", "a:cat:"], ids=["tag", "formula", "link", "bold", "emoji"]
)
def test_a_name_is_shown_as_it_is_typed(token):
    at = opened(x_tokens=f"{token} b c")
    assert scene(at).queries[0] == token[:15] + "…" if len(token) > 16 else token
    for markdown in at.main.markdown:
        assert "<b>" not in markdown.value
        assert "](http" not in markdown.value


# Exercises: what the page shows reaches their checks.


def test_6g_is_solved_with_kept_heads():
    at = press(opened(start="crossed"), "keep")
    at = choose(at, "exercise", "6g")
    assert words("en", "exercises", "state_not_yet") in said(at)
    at.session_state["projections_and_heads_examples"] = True
    at = press(run(at), "start_even")
    at.button(key="exercise_6g_reason_average_hides").click()
    assert "6g" in run(at).session_state["solved"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", ["6a", "6b", "6c", "6d", "6e", "6f", "6g", "6h"])
def test_every_exercise_opens_with_its_question(code, language):
    at = choose(opened(lang=language), "exercise", code)
    assert words(language, "exercises", f"{code}_question") in "\n".join(m.value for m in at.markdown)
