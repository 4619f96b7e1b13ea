"""Every page in every language, driven through Streamlit's AppTest; what only a browser can do is in browser/."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from streamlit import config
from streamlit.testing.v1 import AppTest
from visit import APP, linked, number_box, pictures, run

from attention_core import trace_attention
from attention_core.examples import example

ROOT = Path(__file__).parent.parent
PAGES = ["app.py", *(f"pages/{path.name}" for path in sorted((ROOT / "pages").glob("[0-9]*.py")))]
LAB, HAND = "pages/02_matrix_lab.py", "pages/01_by_hand.py"


def open_page(page: str, **query_params: str) -> AppTest:
    at = AppTest.from_file(APP, default_timeout=60)
    at.query_params.update(query_params)
    if page != "app.py":
        at.switch_page(page)
    return at.run()


def warnings(at: AppTest) -> str:
    """What the messages say when Markdown has been read."""
    return re.sub(r"\\(.)", r"\1", " ".join(warning.value for warning in at.warning))


def badges(at: AppTest) -> str:
    """Where the page says that its numbers come from."""
    return " ".join(element.value for element in at.markdown if "-badge[" in element.value)


def scene(at: AppTest, prefix: str = "matrix_lab"):
    return at.session_state[f"{prefix}_scene"]


def button(at: AppTest, key: str):
    return next(b for b in at.button if b.key == key)


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_in_every_language(page, language):
    at = open_page(page, lang=language)
    assert not at.exception
    assert not at.warning
    assert not at.error
    hangul = re.search("[가-힣]", " ".join(m.value for m in at.main.markdown))
    assert bool(hangul) == (language == "ko")


@pytest.mark.parametrize("page", PAGES)
def test_no_page_shows_a_key_or_an_unfilled_slot(page):
    for language in ("en", "ko"):
        at = open_page(page, lang=language)
        shown = " ".join(element.value for kind in (at.markdown, at.caption) for element in kind)
        assert "[[" not in shown
        assert not re.search(r"\b(step|picture|badge|rule)_[a-z]+\b", shown)


def test_an_unknown_language_in_the_link_is_the_browsers_or_english():
    assert open_page("app.py", lang="xx").session_state["language"] == "en"


def test_the_first_example_stands_on_screen_with_its_right_numbers():
    for page, prefix, name in ((LAB, "matrix_lab", "abc_self"), (HAND, "by_hand", "abc")):
        trace = scene(open_page(page), prefix).trace
        chosen = example(name)
        assert np.array_equal(trace.weights, trace_attention(chosen.query, chosen.key, chosen.value).weights)


@pytest.mark.parametrize(
    ("name", "weights", "output"),
    [
        ("abc", [0.401112, 0.197776, 0.401112], [5.615569, 4.384431]),
        ("abc_hide_c", [0.669762, 0.330238, 0], [6.697615, 3.302385]),
        ("abc_zero", [1 / 3, 1 / 3, 1 / 3], [4.666667, 5.333333]),
        ("one_two_one", [0.248255, 0.503490, 0.248255], None),
        ("love", [0.289896, 0.318786, 0.391318], None),
        ("negative", [0.576, 0.140, 0.284], None),
    ],
)
def test_every_example_of_page_1_shows_the_corrected_numbers(name, weights, output):
    at = open_page(HAND)
    at.session_state["by_hand_examples"] = True
    at.run()
    button(at, f"by_hand_example_{name}").click()
    trace = scene(run(at), "by_hand").trace
    places = 3 if name == "negative" else 6
    assert np.round(trace.weights[0], places) == pytest.approx(np.round(weights, places))
    if output:
        assert trace.output[0] == pytest.approx(output, abs=5e-7)


@pytest.mark.parametrize("precision", ["2", "4", "6"])
def test_precision_changes_what_is_written_and_never_what_is_computed(precision):
    at = open_page(HAND)
    before = scene(at, "by_hand").trace.output.copy()
    at.session_state["by_hand_precision"] = precision
    run(at)
    assert np.array_equal(scene(at, "by_hand").trace.output, before)
    sheet = next(m.value for m in at.markdown if m.value.startswith("| key"))
    assert {"2": "**0.40**", "4": "**0.4011**", "6": "**0.401112**"}[precision] in sheet


# ------------------------------------------------------------------------------------------ links and files


def test_a_link_sets_everything_it_names():
    at = open_page(
        LAB, query="1,0;0,1", key="1,0;0,1;1,1", value="1;2;3", query_tokens="x y", key_tokens="a b c",
        rule="causal", corner="bottom", scaling="own", own_scale="0.5", temperature="2", row="1", column="2",
        stage="output",
    )  # fmt: skip
    assert not at.exception
    assert not at.warning
    shown = scene(at)
    assert shown.queries == ["x", "y"]
    assert shown.trace.scale == 0.25
    assert shown.trace.allowed.tolist() == [[True, True, False], [True, True, True]]
    assert at.session_state["matrix_lab_stage"] == "output"


def test_a_painted_mask_comes_back_from_its_link():
    at = open_page(LAB, mask="111;101;001")
    assert scene(at).trace.allowed.tolist() == [[True] * 3, [True, False, True], [False, False, True]]


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("query", "1,x;0,1", "not a number"),
        ("query", "1,0;1", "equally long"),
        ("query", "", "empty|nothing to read"),
        ("query", "1,nan;0,1", "finite"),
        ("query", "1e999,0;0,1", "larger than a computer"),
        ("key", ";".join(["1,2"] * 17), "at most 16"),
        ("mask", "11;11", "one cell for each"),
        ("mask", "1a1;111;111", "not a mask"),
        ("rule", "sideways", "not one of"),
        ("left", "99", "not between"),
        ("left", "1.5", "whole number"),
        ("temperature", "0", "above 0"),
        ("temperature", "hot", "not a number"),
        ("row", "-1", "not between"),
        ("stage", "<script>", "not one of"),
    ],
)
def test_a_broken_link_names_the_field_and_leaves_the_rest(field, text, said):
    at = open_page(LAB, **{"stage": "scaled", field: text})
    assert not at.exception
    assert f"(`{field}`)" in warnings(at)
    assert re.search(said, warnings(at))
    chosen = example("abc_self")
    assert np.array_equal(scene(at).trace.query, chosen.query)
    assert field == "stage" or at.session_state["matrix_lab_stage"] == "scaled"
    button(at, "matrix_lab_dismiss").click()
    assert not run(at).warning


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [("query", "1,2,3;4,5,6", "Q has 3 columns and K has 2"), ("value", "1;2", "K has 3 rows and V has 2")],
)
def test_matrices_that_do_not_fit_come_with_a_link_as_they_are_and_it_is_said(field, text, said):
    at = open_page(LAB, **{"stage": "scaled", field: text})
    assert said in warnings(at)
    assert linked(at).items() >= {"example": "abc_self", field: text, "stage": "scaled"}.items()
    for _ in range(2):  # as long as nothing fits
        assert "show the example" in warnings(at)
        assert "illustrative numbers" in badges(at)
        run(at)
    assert np.array_equal(scene(at).trace.query, example("abc_self").query)  # nothing that fitted was there before


def test_dot_products_that_overflow_are_reported_and_not_drawn():
    at = open_page(LAB, query="1e200", key="1e200", value="1")
    assert "1.8e308" in warnings(at)
    assert np.isfinite(scene(at).trace.scores).all()


def open_file(at: AppTest, content: bytes) -> AppTest:
    at.session_state["matrix_lab_share"] = True
    at.run()
    at.file_uploader[0].set_value(("saved.json", content, "application/json"))
    at.run()
    assert not at.exception
    return at


def test_a_file_brings_back_the_state():
    state = {"query": "1,0;0,1;0.125,1", "temperature": "0.5", "rule": "window", "left": "2", "right": "1"}
    at = open_file(open_page(LAB), json.dumps({"attention_lab": "matrix_lab"} | state).encode())
    assert not at.warning
    assert np.array_equal(scene(at).trace.masked, scene(open_page(LAB, **state)).trace.masked)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"\xff\xfe\x00", ["file"]),
        (b"[1]", ["file"]),
        (b"[" * 100_000, ["file"]),
        (
            b'{"attention_lab": "matrix_lab", "query": [[1]], "colour": "red", "rule": "causal"}',
            ["query", "colour"],
        ),
        (b'{"attention_lab": "matrix_lab", "query": "1,2", "mask": "10;11", "rule": "causal"}', ["mask"]),
    ],
    ids=["no text", "not ours", "too deep", "wrong fields", "mask of another shape"],
)
def test_a_broken_file_is_named_and_the_rest_of_it_used(content, named):
    at = open_file(open_page(LAB), content)
    for name in named:
        assert f"**{name}**" in warnings(at) or f"(`{name}`)" in warnings(at)
    if b"causal" in content:
        assert at.session_state["matrix_lab_rule"] == "causal"


# ---------------------------------------------------------------------------------- masks, scale, blind rows


def test_a_blind_row_is_zero_everywhere_and_said_in_words():
    at = open_page(LAB, mask="111;000;111", row="1", stage="output")
    trace = scene(at).trace
    assert not trace.weights[1].any()
    assert not trace.output[1].any()
    assert "may look at nothing" in " ".join(m.value for m in at.markdown)


@pytest.mark.parametrize(
    ("rule", "settings", "allowed"),
    [
        ("causal", {}, "100;110;111"),
        ("window", {"left": "1", "right": "0"}, "100;110;011"),
        ("padding", {"length": "2"}, "110;110;110"),
        ("padding", {"length": "2", "side": "left"}, "011;011;011"),
        ("prefix", {"length": "2"}, "110;110;111"),
        ("dilated", {"step": "2"}, "101;010;101"),
        ("only_self", {}, "100;010;001"),
        ("documents", {"documents": "1 1 2"}, "110;110;001"),
    ],
)
def test_every_rule_paints_its_mask(rule, settings, allowed):
    at = open_page(LAB, rule=rule, **settings)
    assert not at.warning
    expected = [[cell == "1" for cell in row] for row in allowed.split(";")]
    assert scene(at).trace.allowed.tolist() == expected


@pytest.mark.parametrize(("temperature", "why"), [("0", "above 0"), ("-1", "above 0"), ("", "nothing to read")])
def test_a_temperature_that_is_no_temperature_is_refused_and_the_last_one_stays(temperature, why):
    at = open_page(LAB, temperature="2")
    number_box(at, "matrix_lab_temperature").set_value(temperature)
    run(at)
    assert why in warnings(at)
    assert "Until then 2 is used" in warnings(at)
    assert scene(at).trace.scale == pytest.approx(1 / np.sqrt(2) / 2)


def test_a_typed_scale_of_0_is_honoured():
    at = open_page(LAB, scaling="own", own_scale="0")
    assert scene(at).trace.weights == pytest.approx(1 / 3)


def test_too_many_names_are_said_and_a_missing_one_is_its_number():
    at = open_page(LAB, key_tokens="a b c d")
    at.session_state["matrix_lab_tokens"] = True
    assert "4 names for 3 tokens" in warnings(run(at))
    assert scene(open_page(LAB, key_tokens="a")).keys == ["a", "2", "3"]


@pytest.mark.parametrize(
    "names",
    [
        "the cat the",
        "2020-01-01 2020-01-05 met",
        "<b>x</b> </s> <a\xa0href='x'>hi</a>",
        "$x$ **b** :red[x]",
        "\u200b a é",
    ],
)
def test_any_token_names_are_shown_literally(names):
    at = open_page(LAB, key_tokens=names, query_tokens=names, row="1", column="2")
    assert not at.exception
    assert len(scene(at).keys) == 3
    assert all(label.strip() for label in scene(at).keys)


def test_b58_one_visitors_edit_is_not_another_visitors_example():
    first = open_page(LAB, query="99,0;0,1;1,1")
    assert scene(first).trace.query[0, 0] == 99
    assert scene(open_page(LAB)).trace.query[0, 0] == 1
    assert example("abc_self").query[0, 0] == 1


def test_the_largest_shape_and_the_smallest_open():
    big = ";".join([",".join(["1"] * 16)] * 16)
    for numbers, shape in ((big, (16, 16)), ("1", (1, 1))):
        at = open_page(LAB, query=numbers, key=numbers, value=numbers)
        assert not at.exception
        assert not at.warning
        assert scene(at).trace.weights.shape == shape


@pytest.mark.parametrize("view", ["all", "one"])
@pytest.mark.parametrize("stage", ["scores", "scaled", "masked", "weights", "output"])
@pytest.mark.parametrize("transposed", ["0", "1"])
def test_every_way_to_look_opens_in_the_room_and_on_the_projector(view, stage, transposed):
    at = open_page(
        LAB, query="1,2;3,4", key="1,0;0,1;1,1", value="1;2;3", view=view, stage=stage, transposed=transposed
    )
    assert not at.exception
    assert not at.warning
    at.session_state["projector"] = True
    run(at)


def test_a_lone_surrogate_is_shown_as_a_broken_character():
    at = open_file(open_page(LAB), b'{"attention_lab": "matrix_lab", "key_tokens": "a\\ud800b c d"}')
    assert scene(at).keys == ["a\ufffdb", "c", "d"]


# --------------------------------------------------------------------------------------------- configuration


def test_streamlit_still_knows_the_options_that_keep_a_class_fast_and_private():
    assert config.get_option("runner.postScriptGC") is False
    assert config.get_option("client.showErrorDetails") == "none"
    assert config.get_option("browser.gatherUsageStats") is False


def test_only_the_frame_and_the_components_touch_the_session():
    touching = {
        path.name
        for path in (ROOT / "pages").rglob("*.py")
        if re.search(r"st\.(session_state|query_params)", path.read_text(encoding="utf-8"))
    }
    assert touching <= {"session.py", "drawing.py"}


def test_pages_are_short_stories():
    for page in PAGES:
        source = (ROOT / page).read_text(encoding="utf-8")
        assert len(source.splitlines()) <= 110, page
        assert not re.search(r"^\s*(def|try|class)\b", source, flags=re.MULTILINE), page


def test_a_longer_query_keeps_its_direction_and_sharpens_the_weights():
    at = open_page(HAND, query="0.6,0.8", key="1,0;0,1", value="1,0;0,1")
    before = scene(at, "by_hand").trace
    number_box(at, "by_hand_length_0").set_value("5")
    after = scene(run(at), "by_hand").trace
    np.testing.assert_allclose(after.query, [[3, 4]])
    assert after.weights.max() > before.weights.max()
    number_box(at, "by_hand_length_0").set_value("0")  # no direction is left at length 0: the last good query stays
    np.testing.assert_allclose(scene(run(at), "by_hand").trace.query, [[3, 4]])
    assert "length must be above 0: an arrow" in warnings(at)


def test_a_longer_key_keeps_its_direction_and_can_beat_one_that_points_better():
    at = open_page(HAND, query="1,0", key="1,0;0.6,0.8", value="1,0;0,1")
    assert scene(at, "by_hand").trace.weights[0].argmax() == 0
    at.session_state["by_hand_long"] = 2
    number_box(run(at), "by_hand_length_2").set_value("5")
    trace = scene(run(at), "by_hand").trace
    np.testing.assert_allclose(trace.key, [[1, 0], [3, 4]])
    assert trace.weights[0].argmax() == 1
    number_box(at, "by_hand_length_2").set_value("-1")
    np.testing.assert_allclose(scene(run(at), "by_hand").trace.key, [[1, 0], [3, 4]])
    assert "length must be above 0: an arrow" in warnings(at)


@pytest.mark.parametrize("query", ["1e200,1e200", "1e-200,0", "0,0"])
def test_a_query_of_any_size_has_a_length_or_none(query):
    at = open_page(HAND, query=query, key="1,0;0,1", value="1,0;0,1")
    assert not at.exception
    assert any(box.key.startswith("by_hand_length_0") for box in at.text_input) == (query != "0,0")


def paste(at: AppTest, key: str, text: str) -> AppTest:
    at.session_state[f"{key}_tools"] = True
    run(at).text_area(key=f"{key}_paste").set_value(text)
    button(run(at), f"{key}_use").click()
    return run(at)


def test_undo_brings_back_matrices_that_do_not_fit_and_the_next_one_those_that_did():
    at = open_page(LAB)
    paste(at, "matrix_lab_query", "1 2 3\n4 5 6")
    assert "columns" in warnings(at)
    paste(at, "matrix_lab_key", "1 1 1\n2 2 2\n3 3 3")
    for press, shape in (("undo", (3, 2)), ("redo", (3, 3)), ("undo", (3, 2))):
        at.button(key=f"matrix_lab_{press}").click()
        assert np.shape(run(at).session_state["matrix_lab_key"]["numbers"]) == shape
        assert np.shape(at.session_state["matrix_lab_query"]["numbers"]) == (2, 3)


def test_random_matrices_are_not_copies_of_each_other():
    at = open_page(LAB)
    for name in ("query", "key", "value"):
        at.session_state[f"matrix_lab_{name}_tools"] = True
        next(button for button in run(at).button if button.key == f"matrix_lab_{name}_random").click()
        run(at)
    query, key, value = (
        np.array(at.session_state[f"matrix_lab_{name}"]["numbers"]) for name in ("query", "key", "value")
    )
    assert not np.array_equal(query, key)
    assert not np.array_equal(key, value)
    assert any("random vectors" in m.value for m in at.markdown)


@pytest.mark.parametrize("number", [1e305, -1e200])
def test_numbers_too_large_for_a_plane_are_said_and_reset_draws_again(number):
    at = open_page(HAND)
    number_box(at, "by_hand_query_0").set_value(str(number))
    assert "too large to be drawn" in warnings(run(at))
    turn = at.session_state["typed"]["by_hand_query_0"]["slider"]
    assert at.session_state[f"by_hand_query_0_slider_{turn}"] == (6 if number > 0 else -6)
    assert "arrows" not in pictures(at)
    at.button(key="by_hand_reset").click()
    assert "too large" not in warnings(run(at))
    assert at.session_state["by_hand_arrow_limit"] == 1.5


@pytest.mark.parametrize(("setting", "number"), [("temperature", 1e9), ("temperature", 1e-9), ("own_scale", 1e308)])
def test_what_a_link_could_not_carry_is_refused_where_it_is_typed(setting, number):
    at = open_page(LAB, scaling="own")
    before = scene(at, "matrix_lab").trace.scale
    number_box(at, f"matrix_lab_{setting}").set_value(str(number))
    assert scene(run(at), "matrix_lab").trace.scale == before
    assert "Until then 1 is used" in warnings(at)


@pytest.mark.parametrize(("scale", "head"), [("sqrt", "÷ √d_k"), ("off", "× scale"), ("own", "× scale")])
def test_the_sheet_names_the_scaling_that_was_done(scale, head):
    at = open_page(HAND, scaling=scale, own_scale="-2")
    sheet = next(m.value for m in at.markdown if m.value.startswith("| "))
    assert head in sheet.splitlines()[0]
    assert any("**In short:**" in m.value for m in at.markdown) == (scale == "sqrt")


def test_a_size_beyond_what_is_possible_is_named_and_nothing_is_resized():
    at = open_page(LAB)
    at.session_state["matrix_lab_tokens"] = True
    number_box(run(at), "matrix_lab_n_query").set_value("17")
    assert "17 is not between 1 and 16. Until then 3 is used" in warnings(run(at))
    assert number_box(at, "matrix_lab_n_query").value == "17"
    assert len(at.session_state["matrix_lab_query"]["numbers"]) == 3
    number_box(at, "matrix_lab_n_query").set_value("4")
    assert not warnings(run(at))
    assert len(at.session_state["matrix_lab_query"]["numbers"]) == 4


@pytest.mark.parametrize("page", [HAND, LAB])
def test_what_a_link_asks_for_and_nobody_knows_is_named(page):
    at = open_page(page, q="1,0", utm_source="mail")
    assert "**q**" in warnings(at)
    assert "utm" not in warnings(at)


@pytest.mark.parametrize("change", ["nothing", "scale", "mask", "query"])
def test_what_an_article_printed_is_compared_at_its_own_settings_only(change):
    at = open_page(HAND)
    at.session_state["by_hand_examples"] = True
    button(run(at), "by_hand_example_one_two_one").click()
    run(at)
    if change == "scale":
        at.button_group(key="by_hand_scaling").set_value("off")
    elif change == "mask":
        mask = at.session_state["by_hand_mask"]
        cells = {"version": f"{mask['version']} 1x3", "seq": 1, "allowed": [[True, True, False]]}
        at.session_state["by_hand_mask_grid"] = {"mask": cells}
    elif change == "query":
        at.session_state["by_hand_query"] = at.session_state["by_hand_query"] | {"numbers": [[1.0, 2.0]]}
    compared = any("rounded too early" in text.value for text in run(at).markdown)
    assert compared == (change == "nothing")


def test_after_painting_the_mask_is_by_hand_and_the_next_cell_counts_on_the_same_version():
    at = open_page(LAB, rule="causal")
    stamp = f"{at.session_state['matrix_lab_mask']['version']} 3x3"
    for seq, cell in enumerate(((0, 2), (1, 2)), start=1):
        cells = [list(row) for row in at.session_state["matrix_lab_mask"]["allowed"]]
        cells[cell[0]][cell[1]] = True
        at.session_state["matrix_lab_mask_grid"] = {"mask": {"version": stamp, "seq": seq, "allowed": cells}}
        run(at)
    assert np.array(at.session_state["matrix_lab_mask"]["allowed"]).sum() == 8


def test_a_query_that_no_key_gives_anything_has_weights_of_0_and_it_is_said():
    at = open_page(LAB, query="0;30", key="30;30", value="1;1", sharing="columns")
    assert not at.exception
    assert not scene(at).trace.weights[0].any()
    assert "gets no share of any key" in warnings(at)


@pytest.mark.parametrize("value", ["1e308,0;-1e308,0;0,0", "1e300,0;0,1;1,1", "1e50,0;0,1;1,1"])
@pytest.mark.parametrize("page", [HAND, "pages/04_masks.py"])
def test_numbers_too_large_to_draw_are_said_to_be_and_everything_else_stays(page, value):
    at = open_page(page, value=value)
    assert not at.exception
    assert "too large to be drawn" in warnings(at)
    assert len(at.markdown) > 10


@pytest.mark.parametrize("name", ["token12", "token1234567890"])
def test_bars_over_a_single_row_have_room_however_long_the_name_is(name):
    at = open_page(LAB, query="1", key="1", value=",".join(["1"] * 16), query_tokens=name)
    assert not at.exception
    low, high = pictures(at)["output"]["figure"]["layout"]["yaxis9"]["domain"]
    assert low < high


def test_document_numbers_of_any_length_are_refused_by_name():
    at = open_page(LAB, rule="documents", documents="1 1 " + "9" * 4301)
    assert not at.exception
    assert "(`documents`)" in warnings(at)
    at.text_input(key="matrix_lab_documents_typed").set_value("1 1 " + "9" * 4301)
    assert "at most 600 can be read" in warnings(run(at))
    at.text_input(key="matrix_lab_documents_typed").set_value("1 1 " + "9" * 99)
    assert "not a whole number" in warnings(run(at))


def test_an_example_of_several_queries_is_none_of_the_page_of_one():
    at = open_page(HAND, example="cat_toy")
    assert "(`example`)" in warnings(at)
    assert len(scene(at, "by_hand").trace.query) == 1


def test_a_second_query_on_the_page_of_one_is_named():
    at = open_page(HAND, query="1,0;0,1")
    assert "(`query`)" in warnings(at)
    assert len(scene(at, "by_hand").trace.query) == 1
