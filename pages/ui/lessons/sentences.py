"""Pictures of the sentence page: the head on screen and its row, all heads at once, what a token now carries."""

from functools import partial

import numpy as np
import streamlit as st

from attention_core import AttentionTrace, InputError, default_scale, trace_attention
from attention_core.biases import distance_slope
from attention_core.sentences import kinds
from attention_core.sentences.recorded import (
    NAMED_HEADS,
    RecordedSentence,
    hide_special,
    named_weight,
    recorded_sentences,
)
from pages.ui.frame.shell import go_to
from pages.ui.lessons import stages
from pages.ui.lessons.matrix_lab import PAGE as LAB
from pages.ui.lessons.scene import Scene, is_large, is_wide, plot_words
from pages.ui.lessons.sentence_sources import TABLE_KEYS, TABLE_QUERIES, Sentence, random_layers
from pages.ui.lessons.sentence_state import PAGE, PRESETS, RULES, RULES_OF_TABLE, follow_words, judge_link, of, put
from pages.ui.lessons.take_away import show_code, show_export, show_tables
from pages.ui.lessons.written import show_arithmetic
from pages.ui.pictures import sentences as sentence_figures
from pages.ui.pictures import spread as spread_figures
from pages.ui.pictures.heatmaps import PHONE, matrix_figure
from pages.ui.pictures.numbers import number
from pages.ui.pictures.panel import Panel
from pages.ui.pictures.plane import Series
from pages.ui.state.fields import MOST, Whole
from pages.ui.state.matrices import matrix_of, painted_mask, put_mask
from pages.ui.state.matrix_fields import origin_text
from pages.ui.state.session import is_kept, keep, kept
from pages.ui.state.settings import put as put_all
from pages.ui.text import as_markdown
from pages.ui.widgets import examples
from pages.ui.widgets.controls import choose_temperature, set_number, switch
from pages.ui.widgets.drawing import plot
from pages.ui.widgets.errors import error_words
from pages.ui.widgets.lesson import Lesson
from pages.ui.widgets.mask_editor import edit_mask
from pages.ui.widgets.number_box import number_box

SPECIAL = ("[CLS]", "[SEP]")
TIRED_AND_SOFT = tuple(PRESETS[name][0].casefold() for name in ("tired", "soft"))
#: Which recorded head and which random vectors stand side by side in the lineup.
#: The random map is like the real one in all that can be counted, and no word stands there twice:
#: random vectors of one word give two equal rows, by which they could be told.
LINEUP_SENTENCE, LINEUP_HEAD, LINEUP_SEED = 4, (2, 7), 2


def _draw(lesson: Lesson, key: str, figure, alt: str, source: str, sides: str = "", **more) -> None:
    with st.container(width=figure["layout"]["meta"]["width"]):
        words = plot_words(lesson, key, source, sides)
        plot(figure, key=lesson.key(f"{key}_picture"), alt=alt, words=words, **more)


# ------------------------------------------------------------------------------------- the head on screen


def edit_rules(lesson: Lesson, sentence: Sentence) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Who may read whom: named masks and the mask they make, for the tokens that are shown."""
    queries, keys = _shown(sentence, sentence.queries), _shown(sentence, sentence.keys)
    rules = RULES_OF_TABLE if sentence.source == "table" else RULES
    if of("rule") not in rules:
        put(rule="full")
    choices = st.container()
    _begin_with_rule([sentence.source] if sentence.source == "table" else [*queries, "", *keys])
    if of("rule") == "custom" and of("rule_before") != "custom":
        put(cells=True)
    put(rule_before=of("rule"))
    words = "paint" if sentence.source == "trained" else "paint_head"
    if max(len(queries), len(keys)) > MOST:
        cells = None
        st.caption(lesson.text("too_many_to_paint", most=MOST, count=max(len(queries), len(keys))))
    else:
        cells = st.expander(lesson.text(words), key=lesson.key("cells"), on_change="rerun")
    with choices:
        return edit_mask(lesson, queries, keys, rules, own=sentence.own_masks, grid_in=cells)


def judge(sentence: Sentence) -> None:
    """What in the link cannot be used, when it is known how many tokens there are."""
    judge_link(*(len(_shown(sentence, labels)) for labels in (sentence.queries, sentence.keys)))


def _begin_with_rule(tokens: list[str]) -> None:
    """What was painted belongs to the tokens it was painted for: other tokens begin with the rule alone."""
    if of("painted_for") not in (None, tokens) and painted_mask(PAGE.name) is not None:
        put_mask(PAGE.name, "full" if of("rule") == "custom" else of("rule"))
    put(painted_for=tokens)


def edit_pushes(lesson: Lesson) -> None:
    """What changes the scores of the head on screen: the temperature, and what near tokens gain."""
    choose_temperature(lesson)
    set_number(lesson, "slope", width=200, hint=lesson.text("slope_help"))


def choose_head(lesson: Lesson, sentence: Sentence, layers) -> tuple[int, int]:
    """Which layer and head is on screen: "you are looking at 1 of ..."."""
    there = [layer for layer, heads in enumerate(layers) if heads]
    put(layer=of("layer") if of("layer") in there else there[-1])
    put(head=min(of("head") or 0, len(layers[of("layer")]) - 1))
    with st.container(horizontal=True):
        for name, options in (("layer", there), ("head", range(len(layers[of("layer")])))):
            if len(there) > 1:
                st.segmented_control(
                    lesson.text(name), options, key=lesson.key(name), required=True, wrap=True,
                    persist_state="session", format_func=lambda i, name=name: _head_name(lesson, sentence, name, i),
                )  # fmt: skip
    return of("layer"), min(of("head"), len(layers[of("layer")]) - 1)


def _head_name(lesson: Lesson, sentence: Sentence, name: str, i: int) -> str:
    if name == "layer" and sentence.source == "trained":
        return lesson.text(f"layer_{('free', 'pointer')[i]}")
    return str(i)


def attend(lesson: Lesson, sentence: Sentence, layers, head: tuple[int, int], allowed, rules) -> Scene:
    """The chosen head with the mask, the distance bias and the temperature that are set."""
    chosen = _without_special(sentence, layers[head[0]][head[1]])
    slope, temperature = lesson.kept("slope", 0.0), lesson.kept("temperature", 1.0)
    bias = _bias(sentence, allowed.shape, slope) if slope else None
    try:
        trace = trace_attention(
            chosen.query, chosen.key, chosen.value, allowed, bias=bias, scale=chosen.scale / temperature
        )
    except InputError as error:
        st.warning(as_markdown(f"{error_words(lesson, error)} {lesson.text('pushed_too_far')}"), icon="⚠️")
        trace = trace_attention(chosen.query, chosen.key, chosen.value, allowed, scale=chosen.scale)
    queries, keys = _shown(sentence, sentence.queries), _shown(sentence, sentence.keys)
    scene = Scene(trace, queries, keys, rules, source=sentence.badge)
    put(scene=scene)
    return scene


def _bias(sentence: Sentence, shape: tuple[int, int], slope: float) -> np.ndarray:
    if sentence.source == "table":
        return -slope * np.abs(np.array(TABLE_QUERIES)[:, None] - np.array(TABLE_KEYS)).astype(float)
    return distance_slope(*shape, slope)


def hides_special(sentence: Sentence) -> bool:
    return sentence.special and bool(of("special_hidden"))


def _shown(sentence: Sentence, labels: list[str]) -> list[str]:
    return labels[1:-1] if hides_special(sentence) else labels


def _without_special(sentence: Sentence, trace: AttentionTrace) -> AttentionTrace:
    if not hides_special(sentence):
        return trace
    # Leaving keys out shares their weights among the others, as renormalising the rows does.
    parts = (matrix[1:-1] for matrix in (trace.query, trace.key, trace.value))
    return trace_attention(*parts, scale=trace.scale)


def layers_of(lesson: Lesson, sentence: Sentence, allowed: np.ndarray):
    """The sentence's heads. The trained model obeys the mask in both layers, others in the head on screen."""
    try:
        return sentence.layers(None if sentence.special else allowed)
    except InputError as error:
        st.warning(as_markdown(f"{error_words(lesson, error)} {lesson.text('seeks_too_large')}"), icon="⚠️")
        return kinds.sentence(sentence.kinds, kinds.seek_table(), allowed)


def choose_cell(lesson: Lesson, scene: Scene) -> tuple[int, int]:
    """The query that asks and the key that is read; of many tokens by their numbers."""
    if of("row") is None:
        row = _first_row(scene.queries)
        is_asked = "column" in (of("asked") or []) and of("column") is not None
        put(row=row, column=of("column") if is_asked else int(scene.trace.weights[row].argmax()), asked=[])
    if not is_large(scene):
        return stages.choose_cell(lesson, scene)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for side, labels in (("row", scene.queries), ("column", scene.keys)):
            put(**{side: min(of(side) or 0, len(labels) - 1)})
            number_box(
                lesson, lesson.text(f"choose_{side}"), lesson.key(f"{side}_number"), of(side) + 1,
                partial(_put_number, side), Whole(1, len(labels)).check, whole=True, width=190,
            )  # fmt: skip
    return of("row"), of("column")


def _put_number(side: str, number: int) -> None:
    put(**{side: number - 1})


def _first_row(labels: list[str]) -> int:
    """The first pronoun, which is what most of these sentences are about; else the first word with a content."""
    bare = [label.rstrip("⁰¹²³⁴⁵⁶⁷⁸⁹*") for label in labels]
    kind_of = [kinds.known_kind(label) for label in bare]
    if "pronoun" in kind_of:
        return kind_of.index("pronoun")
    is_word = [kind != "function" and label not in SPECIAL for label, kind in zip(bare, kind_of, strict=True)]
    return is_word.index(True) if any(is_word) else 0


def show_strip(lesson: Lesson, sentence: Sentence, scene: Scene, row: int) -> None:
    """The sentence itself, each token as dark as its weight in the selected row, with the number."""
    weights, allowed = scene.trace.weights[row], scene.trace.allowed[row]
    same = scene.queries == scene.keys
    facts = ", ".join(f"{key} {number(w, 2)}" for key, w in zip(scene.keys, weights, strict=True))
    font, width = (22, 700) if lesson.projector else (14, 560)
    figure = sentence_figures.strip_figure(scene.keys, weights, allowed, row if same else None, font, width)
    narrow = sentence_figures.strip_figure(scene.keys, weights, allowed, row if same else None, 13, PHONE)
    alt = lesson.text("alt_strip", query=scene.queries[row], facts=facts)
    _draw(lesson, "strip", figure, alt, sentence.badge, narrow=narrow)


def choose_stage(lesson: Lesson, sentence: Sentence) -> str:
    """The step to draw; where its numbers come from, what they are not, and what was left out of them."""
    with st.container(horizontal=True, vertical_alignment="center"):
        stage = stages.choose_stage(lesson)
        examples.badge(lesson, sentence.badge)
    st.caption(lesson.text(f"caution_{sentence.source}"))
    if sentence.special and sentence.text.casefold().rstrip(". ") in TIRED_AND_SOFT:
        st.caption(lesson.text("caution_tired"))
    if any(label.startswith("##") for label in sentence.keys):
        st.caption(lesson.text("pieces"))
    if hides_special(sentence):
        lesson.say("renormalised")
    return stage


# ------------------------------------------------------------------------------------------- all the heads


def show_heads(lesson: Lesson, sentence: Sentence, layers, chosen: tuple[int, int]) -> None:
    """Every head of every layer as a small map; a click shows it large. Below them, heads with a name."""
    if not sentence.special:
        return
    switch(lesson, "special_hidden", follow_words)
    weights = np.array([[head.weights for head in heads] for heads in layers])
    if hides_special(sentence):
        weights = hide_special(weights).weights
    hover = [
        [lesson.text("hover_head", layer=i, head=j) for j in range(weights.shape[1])] for i in range(weights.shape[0])
    ]
    font, width = (18, 760) if lesson.projector else (11, 400)
    figure = sentence_figures.overview_figure(weights, chosen, hover, font, width)
    st.markdown(lesson.text("overview"))
    _draw(
        lesson, "overview", figure, lesson.text("alt_overview", layer=chosen[0], head=chosen[1]), sentence.badge,
        "sides", narrow=sentence_figures.overview_figure(weights, chosen, hover, 10, PHONE),
        on_click=lambda panel, layer, head: put(layer=layer, head=head),
    )  # fmt: skip
    _name_heads(lesson, sentence, layers, chosen)
    if hides_special(sentence):
        st.caption(lesson.text("named_with_special"))


def _name_heads(lesson: Lesson, sentence: Sentence, layers, chosen: tuple[int, int]) -> None:
    """Heads that mostly do one thing, with how much of a row that is on this sentence."""
    full = np.array([[head.weights for head in heads] for heads in layers])
    measured = RecordedSentence("", sentence.words, full, np.zeros(0))
    with st.container(horizontal=True, gap="small", key=lesson.key("named")):
        for name, (layer, head) in NAMED_HEADS.items():
            share = named_weight(name, measured)
            shown = "–" if share is None else number(share, 2)
            st.button(
                f"{lesson.text(f'head_{name}')} · L{layer}H{head} · {shown}", key=lesson.key(f"head_{name}"),
                type="primary" if (layer, head) == chosen else "secondary",
                on_click=put, kwargs={"layer": layer, "head": head},
            )  # fmt: skip


# ------------------------------------------------------------------------------------ what the token carries


def show_carried(lesson: Lesson, sentence: Sentence, scene: Scene, row: int, head: tuple[int, int]) -> None:
    """What the selected token has taken in: a mix of kinds, and weights beside weight times length of the value."""
    weights = scene.trace.weights[row]
    query = scene.queries[row]
    with st.container(horizontal=True, gap="large"):
        if sentence.kinds:
            unknown = np.array(sentence.guessed)
            shares = np.array([weights[(np.array(sentence.kinds) == kind) & ~unknown].sum() for kind in kinds.KINDS])
            names = [lesson.text(f"kind_{kind}") for kind in kinds.KINDS]
            if unknown.any():
                shares, names = np.append(shares, weights[unknown].sum()), [*names, lesson.text("kind_unknown")]
            facts = ", ".join(f"{name} {number(s, 3)}" for name, s in zip(names, shares, strict=True))
            with st.container(width=360, gap="xsmall"):
                lesson.say("carried", query=query)
                font, width = (20, 560) if lesson.projector else (13, 340)
                _draw(
                    lesson,
                    "carried",
                    sentence_figures.shares_figure(names, shares, font, width),
                    lesson.text("alt_carried", query=query, facts=facts),
                    sentence.badge,
                )
        if sentence.source != "table":
            _show_norms(lesson, sentence, scene, row, head)


def _show_norms(lesson: Lesson, sentence: Sentence, scene: Scene, row: int, head: tuple[int, int]) -> None:
    weights, query = scene.trace.weights[row], scene.queries[row]
    if sentence.value_norms is None:
        norms = np.linalg.norm(scene.trace.value, axis=1)
    else:
        norms = sentence.value_norms[head]
        norms = norms[1:-1] if hides_special(sentence) else norms
    sizes = weights * norms
    sizes = sizes / sizes.sum() if sizes.sum() else sizes
    sets = [Series(weights, lesson.text("set_weight"), 1), Series(sizes, lesson.text("set_size"), 0)]
    facts = ", ".join(
        f"{key} {number(w, 2)} / {number(s, 2)}" for key, w, s in zip(scene.keys, weights, sizes, strict=True)
    )
    font, width = (20, 900) if lesson.projector else (12, 560)
    figure = spread_figures.bars_beside_figure(sets, scene.keys, font, width)
    with st.container(width=width, gap="xsmall"):
        lesson.say("sizes", query=query)
        narrow = spread_figures.bars_beside_figure(sets, scene.keys, 11, PHONE)
        alt = lesson.text("alt_sizes", query=query, facts=facts)
        _draw(lesson, "sizes", figure, alt, sentence.badge, narrow=narrow)


def say_cost(lesson: Lesson, scene: Scene, layers) -> None:
    """How many cells there are: in this map, and in all heads."""
    heads = sum(map(len, layers))
    n_query, n_key = scene.trace.weights.shape
    cells = n_query * n_key
    st.caption(
        lesson.text("cost", n_query=n_query, n_key=n_key, cells=f"{cells:,}", heads=heads, all=f"{cells * heads:,}")
    )


def show_numbers(lesson: Lesson, scene: Scene, stage: str, row: int, column: int) -> None:
    """The selected cell written out, and everything as tables, texts and programs."""
    with st.expander(lesson.text("written_out"), key=lesson.key("written"), on_change="rerun") as box:
        if box.open:
            show_arithmetic(lesson, scene, stage, row, column, only=is_wide(scene))
    show_tables(lesson, scene)
    show_export(lesson, scene)
    show_code(lesson, scene, lesson.kept("temperature", 1.0))


# ------------------------------------------------------------------------------------------------- the lab


def open_in_lab(lesson: Lesson, scene: Scene) -> None:
    """A button that takes Q, K, V, the labels and the mask to the matrix lab."""
    if is_large(scene):
        st.caption(lesson.text("lab_too_many", most=MOST))
        return
    if st.button(lesson.text("open_lab"), key=lesson.key("open_lab"), help=lesson.text("open_lab_help")):
        carry_to_lab(lesson, scene)
        go_to(lesson, "matrix_lab")
    if is_wide(scene):
        st.caption(lesson.text("lab_turned"))
    if scene.trace.bias is not None:
        st.caption(lesson.text("lab_no_bias"))


def carry_to_lab(lesson: Lesson, scene: Scene) -> None:
    """Write the head on screen into the state of the matrix lab: the same scores, weights, mask and badge there.

    Vectors with more numbers than a grid has columns are first turned into fewer: at most one for each token
    is needed, and no dot product changes.
    """
    trace = scene.trace
    query, key, value = trace.query, trace.key, trace.value
    if query.shape[1] > MOST:
        basis = np.linalg.svd(key, full_matrices=False)[2].T  # spans all keys: what lies outside scores 0
        query, key = query @ basis, key @ basis
    if value.shape[1] > MOST:
        value = value @ np.linalg.svd(value, full_matrices=False)[2].T
    parts = {"query": query, "key": key, "value": value}
    usual = np.isclose(trace.scale, default_scale(query.shape[1]), rtol=1e-12)
    values = LAB.first(lesson.text) if not is_kept(LAB.key("query")) else {}
    values |= parts | {"origin": origin_text(scene.source, parts), "rule": "full", "mask": trace.allowed}
    values |= {"query_tokens": " ".join(scene.queries), "key_tokens": " ".join(scene.keys)}
    values |= {"scaling": "sqrt" if usual else "own", "own_scale": trace.scale, "temperature": 1.0, "sharing": "rows"}
    put_all(LAB, values | {"row": of("row") or 0, "column": of("column") or 0}, is_new=True)
    keep(LAB.key("problems"), [])


# ---------------------------------------------------------------------------------------------- the lineup


def show_lineup(lesson: Lesson) -> None:
    """Two maps of one sentence, one from a real model and one random; exercise 5j tells which, after a guess."""
    recorded = recorded_sentences()[LINEUP_SENTENCE]
    labels = [token.label for token in recorded.tokens][1:-1]
    real = hide_special(recorded.weights[LINEUP_HEAD]).weights
    # Each place has vectors of its own: equal rows of a repeated word would give the map away.
    noise = random_layers([f"{i} {label}" for i, label in enumerate(labels)], LINEUP_SEED)[0][0].weights
    told = "locked" in kept("exercise_5j", {})
    with st.container(horizontal=True, gap="medium"):
        for name, source, weights in (("left", "random", noise), ("right", "recorded", real)):
            panel = Panel(weights, labels, labels, name, "weight", title=lesson.text(f"lineup_{name}"), role="weight")
            figure = matrix_figure(panel, "beside")
            with st.container(width=max(260, figure["layout"]["meta"]["width"])):
                shown = source if told else "lineup"
                examples.badge(lesson, shown)
                alt = lesson.text("alt_lineup", name=lesson.text(f"lineup_{name}"))
                _draw(lesson, f"lineup_{name}", figure, alt, shown, "sides")


def facts(sentence: Sentence, scene: Scene | None) -> dict[str, object]:
    """What is on screen, for the exercises."""
    return {
        "trace": scene and scene.trace,
        "source": sentence.source,
        "tokens": tuple(sentence.keys),
        "seeks": matrix_of(PAGE.key("seeks")),
    }
