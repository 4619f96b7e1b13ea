"""What a visitor has set on the sentence page, as a link and back, with undo.

State is only what was put in; the tokens and all numbers follow from it.
"""

import numpy as np
import streamlit as st

from attention_core import InputError
from attention_core.sentences.clean_text import READ_AT_MOST
from attention_core.sentences.kinds import KINDS, seek_table
from attention_core.sentences.recorded import recorded_sentences
from attention_core.sentences.tokenise import DRAW_AT_MOST
from pages.ui.state.fields import MOST_SEED, Choice, Field, Flag, Matrix, Number, Table, Text, Whole
from pages.ui.state.mask_rules import fit_rules, rule_fields, rules_in_use
from pages.ui.state.matrices import painted_mask, put_mask
from pages.ui.state.matrix_fields import STAGE, TEMPERATURE
from pages.ui.state.session import keep, kept
from pages.ui.state.settings import Page, Problems, Values, too_high, values_of, wrong_mask
from pages.ui.state.settings import put as put_all
from pages.ui.widgets.lesson import Lesson

SOURCES = ("trained", "kinds", "table", "recorded", "live", "random")
TOKENISERS = ("words", "korean", "characters", "bytes", "bpe")
MOST_MERGES = 200
RULES = ("full", "causal", "window", "only_self", "custom")
RULES_OF_TABLE = ("full", "causal", "custom")  #: its queries are no part of its keys
#: Where a source has several heads, the one to begin with: (layer, head).
FIRST_HEAD = {"trained": (1, 0), "recorded": (5, 11), "live": (5, 11)}
#: Heads in each layer of a source; any other has one.
HEADS = {"trained": (2, 1), "recorded": (12,) * 6, "live": (12,) * 6}
#: name -> (sentence, how it is cut)
PRESETS = {
    "tired": ("The cat sat on the mat because it was tired", "words"),
    "soft": ("The cat sat on the mat because it was soft", "words"),
    "love": ("I love AI", "words"),
    "merges": ("low low low low low lower lower newest newest newest newest newest newest widest widest widest", "bpe"),
    "ko_cat": ("그 고양이가 매트 위에서 잠을 잤는데, 그것은 매우 편안해 보였다", "korean"),
    "ko_tired": ("그 고양이가 매트 위에서 잠을 잤는데, 그것은 매우 피곤해 보였다", "korean"),
    "ko_soft": ("그 고양이가 매트 위에서 잠을 잤는데, 그것은 매우 푹신해 보였다", "korean"),
    "ko_apple": ("민지는 사과를 깎아서 그것을 친구에게 주었다", "korean"),
    "ko_soccer": ("나는 어제 친구와 공원에서 축구를 했다", "words"),
    "ko_deadline": ("신청 기한은 연장됐지만 지원 자격은 그대로다", "korean"),
}
#: Those whose words the trained models know; the others are read with the hand-built kinds at first.
PRESETS_OF_GRAMMAR = ("tired", "soft", "ko_cat", "ko_tired", "ko_soft")


def _six_kinds(seeks: np.ndarray) -> None:
    if seeks.shape != (len(KINDS), len(KINDS)):
        raise InputError("seek_table_shape", f"the table must be 6 x 6, got {seeks.shape}", shape=seeks.shape)


def _start(words, values: Values) -> Values:
    """The cat sentence in the visitor's language, read by the trained model; each source has a head to begin with."""
    text, tokeniser = PRESETS[words("opens_with")]
    layer, head = FIRST_HEAD.get(values["source"], (0, 0))
    return {"text": text, "tokeniser": tokeniser, "seeks": seek_table(), "layer": layer, "head": head}


def _fit(values: Values, asked: set[str]) -> Problems:
    """Layers, heads and rules that the source does not have."""
    heads = HEADS.get(values["source"], (1,))
    problems = too_high(values, "layer", len(heads))
    problems += too_high(values, "head", heads[min(values.get("layer") or 0, len(heads) - 1)])
    for name in ("layer", "head"):
        values.setdefault(name, FIRST_HEAD.get(values["source"], (0, 0))[name == "head"])
    if values["source"] == "table" and values["rule"] not in RULES_OF_TABLE:
        options = ", ".join(RULES_OF_TABLE)
        message = f"the table has only the rules {options}"
        problems.append(("rule", InputError("unknown_choice", message, text=values["rule"], options=options)))
        values["rule"] = "full"
    return problems


def _on_put(before: Values, values: Values) -> None:
    """The mask belongs to the sentence that came with it; the chosen words stay when [CLS] comes or goes."""
    if "row" not in values and "special_hidden" in values and before.get("special_hidden") != values["special_hidden"]:
        follow_words(mask=False)
    put(painted_for=None)


def _in_use(values: Values) -> Values:
    return rules_in_use(values, *(of("shape") or (DRAW_AT_MOST, DRAW_AT_MOST)))


PAGE = Page(
    "sentences",
    (
        Field("source", Choice(SOURCES, "source"), "trained"),
        Field("text", Text(READ_AT_MOST, is_cut=True), "", is_always=True),
        Field("tokeniser", Choice(TOKENISERS, "tokeniser"), "words"),
        Field("merges", Whole(0, MOST_MERGES), 10),
        Field("free_layer", Flag(), True),
        Field("positions", Flag(), True),
        Field("kinds", Table(KINDS), {}),
        Field("seeks", Matrix(_six_kinds), label="seen_seeks"),
        Field("recorded", Whole(0, len(recorded_sentences()) - 1), 0),
        Field("special_hidden", Flag(), False),
        Field("seed", Whole(0, MOST_SEED), 1, label="seed_box"),
        Field("slope", Number(-100, 100), 0.0),
        TEMPERATURE,
        *rule_fields(*RULES),
        Field("layer", Whole(0, 99), 1, is_always=True),
        Field("head", Whole(0, 99), 0, is_always=True),
        Field("row", Whole(0, DRAW_AT_MOST - 1), label="choose_row", is_view=True),
        Field("column", Whole(0, DRAW_AT_MOST - 1), 0, label="choose_column", is_view=True),
        STAGE,
        Field("transposed", Flag(), False, is_view=True),
    ),
    _start,
    fit=_fit,
    in_use=_in_use,
    on_put=_on_put,
)


def of(name: str):
    """What the visitor has set under this name."""
    return kept(PAGE.key(name), None)


def put(**values) -> None:
    """Set things by something other than their own widgets."""
    for name, value in values.items():
        keep(PAGE.key(name), value)


def begin(lesson: Lesson, source: str) -> None:
    """Where an exercise starts from: the page as it opens; hand-built kinds read the English cat sentence."""
    values = PAGE.first(lesson.text, {"source": source}) | {"source": source}
    if source == "kinds":
        values |= dict(zip(("text", "tokeniser"), PRESETS["tired"], strict=True))
    put_all(PAGE, values, is_new=True)


def follow_words(mask: bool = True) -> None:
    """Keep the chosen words, and what was painted between words, when [CLS] before them comes or goes."""
    is_hidden = bool(of("special_hidden"))
    if mask and (painted := painted_mask(PAGE.name)) is not None:
        cells = np.array(painted)
        put_mask(PAGE.name, of("rule"), cells[1:-1, 1:-1] if is_hidden else np.pad(cells, 1, constant_values=True))
        put(painted_for=None)
    step = -1 if is_hidden else 1
    put(**{side: max(0, of(side) + step) for side in ("row", "column") if of(side) is not None})


def judge_link(n_query: int, n_key: int) -> None:
    """What a link asks for of the mask, its rule, row and column can be judged only when its text is cut."""
    put(shape=(n_query, n_key))
    asked = of("asked")
    if not asked or not n_query:
        return
    values = values_of(PAGE)
    wrong = fit_rules(values, set(asked), n_query, n_key)
    places = {name: value for name, value in values.items() if name in asked}
    wrong += wrong_mask(places, n_query, n_key) + too_high(places, "row", n_query) + too_high(places, "column", n_key)
    for name, _ in wrong:
        if name == "mask":
            put_mask(PAGE.name, "full" if of("rule") == "custom" else of("rule"))
        else:
            put_all(PAGE, {name: None})
    put(asked=[name for name in asked if name == "column"] if "row" not in places else [])
    if wrong:
        put(problems=of("problems") + wrong)
        st.rerun()  # they are said above the page
