"""Where a sentence's weights come from: one reading for all sources, with the controls each of them has.

Text goes in; tokens come out, and for each layer and head a trace.
"""

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import streamlit as st

from attention_core import AttentionTrace, InputError, trace_attention
from attention_core.examples import example
from attention_core.sentences import grammar, kinds, minilm, model
from attention_core.sentences.bpe import bpe, learn_merges
from attention_core.sentences.recorded import recorded_layers, recorded_sentences
from attention_core.sentences.tokenise import (
    DRAW_AT_MOST,
    Tokenised,
    characters,
    korean,
    utf8_bytes,
    word_spans,
    words,
)
from pages.ui.lessons.sentence_state import (
    FIRST_HEAD,
    MOST_MERGES,
    PAGE,
    PRESETS,
    PRESETS_OF_GRAMMAR,
    TOKENISERS,
    of,
    put,
)
from pages.ui.state.matrices import matrix_of
from pages.ui.text import as_markdown, numbered
from pages.ui.widgets.controls import choice, set_number, switch
from pages.ui.widgets.errors import error_words
from pages.ui.widgets.lesson import Lesson
from pages.ui.widgets.matrices import edit_matrix

Layers = list[tuple[AttentionTrace, ...]]
#: The article's ten words stand at 1 ... 10; its table has these queries and these keys of them.
TABLE_QUERIES, TABLE_KEYS = (8, 10, 3), (1, 2, 3, 4, 6, 8, 9, 10)
RANDOM_WIDTH = 8
MOST_NAMED = 8  #: words that are listed in a message


@dataclass(frozen=True, eq=False)
class Sentence:
    """A sentence as one source reads it."""

    source: str
    queries: list[str]  #: labels
    keys: list[str]
    layers: Callable[[np.ndarray | None], Layers]  #: from a mask, which a source may leave to the head on screen
    kinds: list[str] = field(default_factory=list)  #: of the keys, where they have some
    guessed: list[bool] = field(default_factory=list)  #: whether a kind is a guess: nothing is known of the key
    text: str = ""  #: what was read
    special: bool = False  #: whether [CLS] and [SEP] stand at the ends
    value_norms: np.ndarray | None = None  #: (layers, heads, n), where the values themselves are not known
    words: tuple = ()  #: the tokens, of a source that has named heads

    @property
    def badge(self) -> str:
        """The name of the badge that says where the numbers come from."""
        return {"table": "example", "kinds": "toy"}.get(self.source, self.source)

    @property
    def own_masks(self) -> dict[str, np.ndarray]:
        """Causal by where words stand in the sentence, where a table leaves some of them out."""
        if self.source != "table":
            return {}
        return {"causal": np.array(TABLE_QUERIES)[:, None] >= np.array(TABLE_KEYS)}


def choose_source(lesson: Lesson) -> None:
    choice(lesson, "source", on_change=_begin, label_visibility="collapsed")


def _begin() -> None:
    layer, head = FIRST_HEAD.get(of("source"), (0, 0))
    put(layer=layer, head=head, row=None)


def read_sentence(lesson: Lesson) -> Sentence:
    """The sentence as the chosen source reads it, with this source's controls."""
    match of("source"):
        case "table":
            return _read_table(lesson)
        case "kinds":
            return _read_kinds(lesson)
        case "trained":
            return _read_trained(lesson)
        case "recorded":
            return _read_recorded(lesson)
        case "live":
            return _read_live(lesson)
    return _read_random(lesson)


def tokenise(text: str, way: str, merges: int) -> Tokenised:
    """The text in tokens, cut in one of TOKENISERS."""
    if way == "bpe":
        return bpe(text, learn_merges(text, merges))
    return {"words": words, "korean": korean, "characters": characters, "bytes": utf8_bytes}[way](text)


def language_of(text: str) -> str:
    """Which of the two trained models reads a text."""
    return "ko" if re.search("[가-힣]", text) else "en"


# ------------------------------------------------------------------------------------------------- typed text


def _choose_text(lesson: Lesson, most: int = DRAW_AT_MOST) -> str:
    """The sentence, typed, from the shelf, or shuffled; the source reads at most so many tokens."""
    text = st.text_area(
        lesson.text("text"), key=lesson.key("text"), height=68, help=lesson.text("text_help", most=most),
        persist_state="session", on_change=put, kwargs={"row": None},
    )  # fmt: skip
    with st.container(horizontal=True, gap="small"):
        with st.popover(lesson.text("presets"), key=lesson.key("presets"), on_change="rerun") as shelf:
            if shelf.open:
                for name, (sentence, _) in PRESETS.items():
                    st.button(
                        f"{as_markdown(sentence)} · {lesson.text(f'preset_{name}')}",
                        key=lesson.key(f"preset_{name}"), width="stretch", on_click=_take, args=(name,),
                    )  # fmt: skip
        st.button(
            lesson.text("shuffle"), key=lesson.key("shuffle"), help=lesson.text("shuffle_help"), on_click=_shuffle
        )
    return text or ""


def _take(name: str) -> None:
    text, tokeniser = PRESETS[name]
    put(text=text, tokeniser=tokeniser, row=None, presets=False)
    if name == "merges" or (name not in PRESETS_OF_GRAMMAR and of("source") == "trained"):
        put(source="kinds", layer=0, head=0)


def _shuffle() -> None:
    """Put the words of the text into another order: each press another one, for everybody the same."""
    text = words(of("text")).source.text
    pieces = [text[start:end] for start, end in word_spans(text)]
    turn = (of("shuffles") or 0) + 1
    order = np.random.default_rng(turn).permutation(len(pieces))
    put(text=" ".join(pieces[i] for i in order), row=None, shuffles=turn)


def _cut(lesson: Lesson) -> Tokenised:
    """The typed text in the tokens that the visitor chose, how many they are, and what was left out."""
    text = _choose_text(lesson)
    way = choice(lesson, "tokeniser", wrap=True)
    if way == "bpe":
        found = _learn(lesson, text)
    else:
        found = tokenise(text, way, 0)
    _say_tokens(lesson, found)
    with st.expander(lesson.text("ways"), key=lesson.key("ways"), on_change="rerun") as box:
        if box.open:
            _compare_ways(lesson, text)
    return found


def _say_tokens(lesson: Lesson, found: Tokenised, cut: int = 0) -> None:
    """How many tokens there are, and everything that was left out."""
    count, cut = len(found.tokens), found.cut + cut
    left = [lesson.text("count", count=count, cells=f"{count * count:,}")]
    left += [lesson.text("cut", cut=cut)] if cut else []
    source = found.source
    for name, number in (("invisible", source.invisible), ("surrogates", source.surrogates), ("unread", source.unread)):
        left += [lesson.text(name, count=number)] if number else []
    st.caption(" ".join(left))
    if not count:
        lesson.say("empty")


def _learn(lesson: Lesson, text: str) -> Tokenised:
    """Pieces learned from the text itself, one merge after the other."""
    merges = learn_merges(text, MOST_MERGES)
    put(merges=min(max(int(of("merges") or 0), 0), len(merges)))
    if merges:
        st.slider(lesson.text("merges"), 0, len(merges), key=lesson.key("merges"), persist_state="session")
        used = of("merges")
        slots = [
            lesson.markdown("merge", step=i + 1, left=m.left, right=m.right, piece=m.left + m.right, count=m.count)
            for i, m in list(enumerate(merges))[max(0, used - 4) : used]
        ]
        st.markdown(" · ".join(slots) or lesson.text("merge_none"))
    else:
        lesson.say("merge_nothing")
    return bpe(text, merges[: of("merges")])


def _compare_ways(lesson: Lesson, text: str) -> None:
    """The same text cut in every way: how many tokens, and the first of them."""
    rows = {}
    for way in TOKENISERS:
        found = tokenise(text, way, MOST_MERGES)
        first = " · ".join(token.label for token in found.tokens[:12])
        more = " …" if len(found.tokens) > 12 else ""
        count = len(found.tokens) + found.cut
        rows[lesson.text(f"tokeniser_{way}")] = [str(count), f"{count * count:,}", as_markdown(first) + more]
    columns = [lesson.text(f"column_{name}") for name in ("tokens", "cells", "pieces")]
    st.table(pd.DataFrame.from_dict(rows, orient="index", columns=columns), alt=lesson.text("ways"))
    lesson.say("ways_note")


# ----------------------------------------------------------------------------------------- made-up numbers


def _read_table(lesson: Lesson) -> Sentence:
    table = example("cat_table")
    lesson.say("table_sentence")
    queries = lesson.text("example_cat_table_queries").split()
    keys = lesson.text("example_cat_table_keys").split()
    return Sentence(
        "table", queries, keys, lambda mask: [(trace_attention(table.query, table.key, table.value, mask),)],
        [kinds.guess_kind(key) for key in keys], [False] * len(keys),
    )  # fmt: skip


def _read_kinds(lesson: Lesson) -> Sentence:
    tokens = _cut(lesson).tokens
    texts = [token.text for token in tokens]
    own = of("kinds") or {}
    kind_of = [
        own.get(text.casefold(), kinds.guess_kind(token.label)) for text, token in zip(texts, tokens, strict=True)
    ]
    guessed = [
        text.casefold() not in own and not kinds.known_kind(t.label) for text, t in zip(texts, tokens, strict=True)
    ]
    _say_guesses(lesson, [token.label for token, is_guess in zip(tokens, guessed, strict=True) if is_guess])
    with st.expander(lesson.text("kinds"), key=lesson.key("kinds_box"), on_change="rerun", expanded=False) as box:
        seeks = matrix_of(PAGE.key("seeks"))
        if box.open:
            names = [f"{i} {lesson.text(f'kind_{kind}')}" for i, kind in enumerate(kinds.KINDS, start=1)]
            lesson.say("seeks_note")
            with st.container(key=lesson.key("seeks_editor")):
                seeks = edit_matrix(lesson, lesson.key("seeks"), "seeks", names, widths=(86, 41))
            with st.container(horizontal=True, gap="small"):
                rows = zip(map(str.casefold, texts), zip(kind_of, guessed, strict=True), strict=True)
                for text, (kind, is_guess) in dict(rows).items():
                    key = lesson.key(f"kind_{lesson.language}_{zlib.crc32(text.encode())}")
                    put(**{key.removeprefix(PAGE.key("")): kind})
                    st.selectbox(
                        as_markdown(text) + "?" * is_guess, kinds.KINDS, key=key, width=125,
                        help=lesson.text("guessed_kind") if is_guess else None,
                        format_func=lambda kind: lesson.text(f"kind_{kind}"), on_change=_set_kind, args=(text, key),
                    )  # fmt: skip
    labels = numbered([token.label for token in tokens])
    return Sentence("kinds", labels, labels, lambda mask: kinds.sentence(kind_of, seeks, mask), kind_of, guessed)


def _say_guesses(lesson: Lesson, labels: list[str]) -> None:
    """Which words nothing is known of, so that they count as function words."""
    different = list(dict.fromkeys(labels))
    if different:
        more = " …" if len(different) > MOST_NAMED else ""
        st.caption(lesson.markdown("guessed", words=", ".join(different[:MOST_NAMED]) + more))


def _set_kind(text: str, key: str) -> None:
    put(kinds=(of("kinds") or {}) | {text: of(key.removeprefix(PAGE.key("")))})


def _read_random(lesson: Lesson) -> Sentence:
    tokens = _cut(lesson).tokens
    with st.container(horizontal=True, vertical_alignment="bottom"):
        seed = set_number(lesson, "seed", width=110)
        st.button(lesson.text("new_seed"), key=lesson.key("new_seed"), on_click=_new_seed)
    labels = numbered([token.label for token in tokens])
    texts = [token.text for token in tokens]
    return Sentence("random", labels, labels, lambda mask: random_layers(texts, seed, mask))


def random_layers(texts: list[str], seed: int, mask: np.ndarray | None = None) -> Layers:
    """One head of random vectors: each word has its own q, k and v, wherever it stands."""
    vectors = np.stack(
        [
            np.random.default_rng([seed, zlib.crc32(text.casefold().encode())]).normal(size=(3, RANDOM_WIDTH))
            for text in texts
        ],
        axis=1,
    )
    return [(trace_attention(*vectors.round(2), mask),)]


def _new_seed() -> None:
    put(seed=(int(of("seed") or 0) + 1) % 1_000_000)


# ------------------------------------------------------------------------------------------ the trained model


def _read_trained(lesson: Lesson) -> Sentence:
    text = _choose_text(lesson, model.LONGEST)
    language = language_of(text)
    found = (korean if language == "ko" else words)(text)
    tokens = found.tokens[: model.LONGEST]
    kept = Tokenised(found.source, tokens, 0)
    _say_tokens(lesson, kept, found.cut + len(found.tokens) - len(tokens))
    labels = [token.label for token in tokens]
    unknown = [not number for number in model.numbers(labels, language)]
    if any(unknown):
        strange = ", ".join(label for label, is_new in zip(labels, unknown, strict=True) if is_new)
        lesson.say("unknown", words=strange)
    with st.container(horizontal=True):
        options = {"free_layer": switch(lesson, "free_layer"), "positions": switch(lesson, "positions")}
    with st.expander(lesson.text("builder"), key=lesson.key("builder"), on_change="rerun") as box:
        if box.open:
            _build(lesson, language, labels)
    marked = [label + "*" * is_new for label, is_new in zip(labels, unknown, strict=True)]
    return Sentence(
        "trained", numbered(marked), numbered(marked), lambda mask: model.sentence(labels, language, mask, **options),
        [kinds.guess_kind(label) for label in labels], [not kinds.known_kind(label) for label in labels],
    )  # fmt: skip


def _build(lesson: Lesson, language: str, labels: list[str]) -> None:
    """One of the grammar's frames, and for each of its gaps a list of words; at first those of the sentence above."""
    lesson.say("builder_note")
    frames = [grammar.parts(frame) for frame in grammar.FRAMES[language]]
    if not _take_apart(frames, language, labels):
        lesson.say("builder_replaces")
    put_in = {"on_change": _put_together, "args": (language,)}
    st.selectbox(
        lesson.text("frame"), range(len(frames)), key=lesson.key(f"frame_{language}"), persist_state="session",
        format_func=lambda i: _written(frames[i], language, [_options(p, language)[0] for p in frames[i]]), **put_in,
    )  # fmt: skip
    number = of(f"frame_{language}") or 0
    with st.container(horizontal=True, gap="small"):
        for place, part in enumerate(frames[number]):
            options = _options(part, language)
            if len(options) > 1:
                st.selectbox(
                    lesson.text("word", number=place + 1), options, key=lesson.key(f"word_{language}_{number}_{place}"),
                    format_func=lambda word: word or "–", width=125, label_visibility="collapsed",
                    persist_state="session", **put_in,
                )  # fmt: skip


def _take_apart(frames: list[tuple[grammar.Part, ...]], language: str, labels: list[str]) -> bool:
    """Put the builder at the sentence as it stands; False if the grammar cannot make it."""
    shown = of(f"frame_{language}") or 0
    for number in sorted(range(len(frames)), key=lambda number: number != shown):
        chosen = grammar.read_frame(frames[number], language, labels)
        if chosen is not None:
            put(**{f"frame_{language}": number})
            put(**{f"word_{language}_{number}_{place}": word or "" for place, word in enumerate(chosen)})
            return True
    return False


def _options(part: grammar.Part, language: str) -> tuple[str, ...]:
    """The words for a place; "" leaves it out."""
    options = grammar.choices(part, language)
    return ("", *options) if part.optional else options


def _written(frame: tuple[grammar.Part, ...], language: str, chosen: list[str]) -> str:
    return grammar.as_text(grammar.fill(frame, language, [word or None for word in chosen]).words, language)


def _put_together(language: str) -> None:
    number = of(f"frame_{language}") or 0
    frame = grammar.parts(grammar.FRAMES[language][number])
    chosen = []
    for place, part in enumerate(frame):
        options = _options(part, language)
        word = of(f"word_{language}_{number}_{place}")
        chosen.append(word if word in options else options[0])
    put(text=_written(frame, language, chosen), row=None)


# ---------------------------------------------------------------------------------------------- a real model


def _read_recorded(lesson: Lesson) -> Sentence:
    sentences = recorded_sentences()
    st.selectbox(
        lesson.text("recorded"), range(len(sentences)), key=lesson.key("recorded"), persist_state="session",
        format_func=lambda i: sentences[i].text, on_change=put, kwargs={"row": None},
    )  # fmt: skip
    number = of("recorded")
    recorded = sentences[number]
    labels = _between_special([token.label for token in recorded.tokens])
    return Sentence(
        "recorded", labels, labels, lambda mask: recorded_layers(recorded), special=True,
        value_norms=recorded.value_norms, words=recorded.tokens, text=recorded.text,
    )  # fmt: skip


def _between_special(labels: list[str]) -> list[str]:
    """Numbered as the words of a text are, whether [CLS] and [SEP] around them are shown or not."""
    return [labels[0], *numbered(labels[1:-1]), labels[-1]]


@st.cache_resource(show_spinner=False)
def load_live() -> minilm.Bert:
    return minilm.load_minilm()


def _read_live(lesson: Lesson) -> Sentence:
    """The real model on any English text; while it cannot be had, the recording, and why."""
    try:
        with st.spinner(lesson.text("loading"), show_time=True):
            bert = load_live()
    except InputError as error:
        st.warning(as_markdown(f"{error_words(lesson, error)} {lesson.text('live_not')}"), icon="⚠️")
        return _read_recorded(lesson)
    text = _choose_text(lesson)
    try:
        read = minilm.read_text(bert, text)
    except InputError as error:
        st.warning(as_markdown(f"{error_words(lesson, error)} {lesson.text('live_not')}"), icon="⚠️")
        return _read_recorded(lesson)
    tokens = read.tokenised.tokens
    _say_tokens(lesson, read.tokenised)
    if read.unknown:
        lesson.say("unknown_pieces", words=", ".join(tokens[i].label for i in read.unknown))
    labels = _between_special([token.label + "*" * (i in read.unknown) for i, token in enumerate(tokens)])
    return Sentence("live", labels, labels, lambda mask: list(read.layers), special=True, words=tokens, text=text)
