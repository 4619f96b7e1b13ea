"""Sentences with facts in them hold: their numbers come out of the core, and they appear only where they are true."""

import numpy as np
import pytest
from visit import open_page, run

from attention_core import masks, trace_attention
from attention_core.cost import layer_cost, projection_work
from attention_core.examples import example
from attention_core.insight import leave_one_out
from pages.ui.text import LANGUAGES, words

ABC, HIDDEN = example("abc"), example("abc_hide_c")
WEIGHTS, WITHOUT_C = (trace_attention(e.query, e.key, e.value, e.allowed).weights[0] for e in (ABC, HIDDEN))
MOVES = np.linalg.norm(leave_one_out(trace_attention(ABC.query, ABC.key, ABC.value), 0), axis=1)
LEFT_BY_5 = trace_attention(ABC.query, ABC.key, ABC.value, bias=[[0, 0, -5]]).weights[0, 2]
MEAN = trace_attention([[0, 0]], ABC.key, ABC.value).output[0]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("key", "numbers", "decimals"),
    [
        ("statement_ratio", [WITHOUT_C[0] / WITHOUT_C[1]], 3),
        ("statement_ratio_why", [*WEIGHTS[:2], *WITHOUT_C[:2], WEIGHTS[0] / WEIGHTS[1]], 3),
        ("statement_equal_effect_why", [WEIGHTS[0]], 3),
        ("statement_equal_effect_why", [MOVES[0], MOVES[2]], 2),
        ("statement_deleting_why", [1 - WEIGHTS[2]], 3),
        ("claim_large_negative_why", [100 * LEFT_BY_5], 2),
        ("claim_shares_change_why", [*WEIGHTS[:2], *WITHOUT_C[:2], WEIGHTS[0] / WEIGHTS[1]], 3),
        ("statement_plain_mean_why", MEAN, 3),
    ],
)
def test_the_numbers_of_a_judgement_are_computed_ones(language, key, numbers, decimals):
    sentence = words(language, "limits", key)
    assert [f"{x:.{decimals}f}" for x in numbers if f"{x:.{decimals}f}" not in sentence] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "key", ["statement_ratio", "statement_ratio_why", "statement_equal_effect_why", "statement_deleting_why"]
)
def test_what_holds_for_one_query_names_it(language, key):
    assert "q = (1, 0)" in words(language, "limits", key)


def test_about_half_is_not_half():
    ratio = WEIGHTS[1] / WEIGHTS[0]
    assert ratio == pytest.approx(0.5, abs=0.01)
    assert ratio != pytest.approx(0.5, abs=0.005)
    assert "about half" in words("en", "common", "example_abc_look")
    assert "약 절반" in words("ko", "common", "example_abc_look")


@pytest.mark.parametrize(("n", "d"), [(2, 512), (511, 512), (512, 512), (513, 512), (100, 1)])
def test_with_its_projections_attention_multiplies_more_at_every_length(n, d):
    recurrent, attention = (layer_cost(kind, n, d, 1).work for kind in ("recurrent", "attention"))
    assert attention + projection_work(n, d) > recurrent
    assert (attention < recurrent) == (n < d)


def test_masks_combined_allow_what_both_allow():
    both = masks.causal(3, 3) & masks.padding(3, 3, 2)
    assert both.tolist() == [[True, False, False], [True, True, False], [True, True, False]]
    assert "only if both allow it" in words("en", "masks", "section_notes")


# What is said on a page belongs to what is on it.


def said(at) -> str:
    return "\n".join(e.value for kind in (at.markdown, at.caption, at.warning) for e in kind).replace("\\", "")


PRINTED = {"one_two_one": "rounded too early", "love": "two wrong scores"}


def with_example(name: str):
    at = open_page("01_by_hand")
    at.session_state["by_hand_examples"] = True
    run(at).button(key=f"by_hand_example_{name}").click()
    return run(at)


@pytest.mark.parametrize("name", PRINTED)
@pytest.mark.parametrize(
    ("setting", "value"),
    [("scaling", "off"), ("scaling", "cosine"), ("sharing", "sum"), ("own_scale", 0.3), ("mask", None)],
)
def test_what_an_article_printed_is_compared_at_its_own_settings_only(name, setting, value):
    at = with_example(name)
    assert PRINTED[name] in said(at)
    if setting == "mask":
        entry = at.session_state["by_hand_mask"]
        at.session_state["by_hand_mask"] = entry | {"drawn_from": None, "allowed": [[True, True, False]]}
    elif setting == "own_scale":
        at.session_state["by_hand_scaling"], at.session_state["by_hand_own_scale"] = "own", value
    else:
        at.session_state[f"by_hand_{setting}"] = value
    assert PRINTED[name] not in said(run(at))


def test_the_note_names_the_keys_on_screen():
    assert "I, love, AI: these names" in said(with_example("love"))
    assert "A, B, C: these names" in said(open_page("01_by_hand"))


@pytest.mark.parametrize("page", ["02_matrix_lab", "04_masks"])
@pytest.mark.parametrize(
    ("link", "rule"),
    [
        ({"rule": "causal", "mask": "111;110;111"}, "custom"),
        ({"mask": "101;110;111"}, "custom"),
        ({"rule": "causal", "mask": "111;111;111"}, "full"),
        ({"rule": "causal"}, "causal"),
    ],
)
def test_cells_from_a_link_are_by_hand_whatever_rule_it_names(page, link, rule):
    prefix = {"02_matrix_lab": "matrix_lab", "04_masks": "masks"}[page]
    at = open_page(page, **link)
    assert at.session_state[f"{prefix}_rule"] == rule
    cells = [["01"[cell] for cell in row] for row in at.session_state[f"{prefix}_scene"].trace.allowed.astype(int)]
    assert ";".join(map("".join, cells)) == link.get("mask", "100;110;111")


def test_an_example_with_a_hidden_key_is_by_hand():
    at = open_page("02_matrix_lab")
    at.session_state["matrix_lab_examples"] = True
    run(at).button(key="matrix_lab_example_abc_hide_c").click()
    assert run(at).session_state["matrix_lab_rule"] == "custom"
    at.session_state["matrix_lab_examples"] = True
    run(at).button(key="matrix_lab_example_abc_self").click()
    assert run(at).session_state["matrix_lab_rule"] == "full"


@pytest.mark.parametrize(
    ("real", "keys"),
    [(0, {"padding_all_means"}), (3, {"padding_none_means"})]
    + [(real, {f"padding_{name}_means" for name in ("columns", "rows", "both")}) for real in (1, 2)],
)
def test_padding_is_called_right_or_wrong_only_where_there_is_some(real, keys):
    text = said(open_page("04_masks", real=real))
    every = [f"padding_{name}_means" for name in ("columns", "rows", "both", "all", "none")]
    assert {key for key in every if words("en", "masks", key) in text} == keys


def test_an_empty_row_is_spoken_of_as_what_would_be():
    assert "If every key were hidden from **B**" in said(open_page("04_masks"))


def test_where_the_output_goes_is_not_said_before_it_was_tried():
    answer = "the mixture stays (4, 6)"
    assert answer not in said(open_page("08_limits"))
    assert answer in said(open_page("08_limits", s="2"))


def test_the_expected_variance_is_that_of_unrelated_vectors():
    assert "the variance σ⁴" in said(open_page("03_scaling", spread="2"))
    assert "the variance σ⁴" not in said(open_page("03_scaling", spread="2", aligned="1"))


def test_another_sentence_is_passed_on_whole_and_it_is_said():
    at = open_page("07_cost", start="2", end="8")
    at.text_input(key="cost_text").set_value("only three words")
    assert at.run().toast[0].value == words("en", "cost", "pair_moved")
    assert [at.session_state[f"cost_{side}"] for side in ("start", "end")] == [1, 3]


def test_a_word_to_itself_is_not_handed_over_once():
    assert "once at most" in said(open_page("07_cost", start="3", end="3"))
