"""Pictures of the sentence page: the head on screen and its row, all heads at once, what a token now carries."""

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

from . import figures, panels, sentence_figures, spread_figures
from .drawing import plot
from .figures import Panel, Series
from .inputs import (
    MOST,
    SEEN,
    choose_temperature,
    edit_mask,
    error_words,
    last_good,
    load_example,
    put_mask,
    put_matrix,
    switch,
)
from .panels import Scene, number
from .sentence_sources import TABLE_KEYS, TABLE_QUERIES, Sentence, random_layers
from .sentence_state import PREFIX, follow_words, of, put
from .shell import Lesson, go_to, is_kept, keep, kept
from .text import as_markdown

#: Which recorded head and which random vectors stand side by side in the lineup.
#: The random map is like the real one in all that can be counted, and no word stands there twice:
#: random vectors of one word give two equal rows, by which they could be told.
LINEUP_SENTENCE, LINEUP_HEAD, LINEUP_SEED = 4, (2, 7), 2


def _draw(lesson: Lesson, key: str, figure, alt: str, **more) -> None:
    with st.container(width=figure["layout"]["meta"]["width"]):
        words = {name: lesson.text(f"save_{name}") for name in ("png", "svg")}
        words |= {"cells": lesson.text("picture_keys"), "file": f"attention-{key}"}
        plot(figure, key=f"{PREFIX}_{key}_picture", alt=alt, words=words, **more)


# ------------------------------------------------------------------------------------- the head on screen


def edit_rules(lesson: Lesson, sentence: Sentence) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Who may read whom: named masks and the mask they make, for the tokens that are shown."""
    queries, keys = _shown(sentence, sentence.queries), _shown(sentence, sentence.keys)
    rules = ("full", "causal", "custom")
    if sentence.source != "table":
        rules = ("full", "causal", "window", "only_self", "custom")
    elif of("rule") not in rules:
        put(rule="full")
    choices = st.container()
    words = "paint" if sentence.source == "trained" else "paint_head"
    cells = None if max(len(queries), len(keys)) > MOST else st.expander(lesson.text(words), key=f"{PREFIX}_cells")
    with choices:
        return edit_mask(lesson, PREFIX, queries, keys, rules, own=sentence.own_masks, grid_in=cells)


def edit_pushes(lesson: Lesson) -> None:
    """What changes the scores of the head on screen: the temperature, and what near tokens gain."""
    choose_temperature(lesson, PREFIX)
    st.number_input(
        lesson.text("slope"), key=f"{PREFIX}_slope", step=0.1, format="%.4g", width=200, help=lesson.text("slope_help"),
        persist_state="session",
    )  # fmt: skip


def choose_head(lesson: Lesson, sentence: Sentence, layers) -> tuple[int, int]:
    """Which layer and head is on screen: "you are looking at 1 of ..."."""
    there = [layer for layer, heads in enumerate(layers) if heads]
    put(layer=of("layer") if of("layer") in there else there[-1])
    put(head=min(of("head") or 0, len(layers[of("layer")]) - 1))
    with st.container(horizontal=True):
        for name, options in (("layer", there), ("head", range(len(layers[of("layer")])))):
            if len(there) > 1:
                st.segmented_control(
                    lesson.text(name), options, key=f"{PREFIX}_{name}", required=True, wrap=True,
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
    slope = last_good(lesson, f"{PREFIX}_slope", "slope_refused", -100, 100, 0.0)
    temperature = kept(f"{PREFIX}_temperature_good", 1.0)
    bias = _bias(sentence, allowed.shape, slope) if slope else None
    try:
        trace = trace_attention(
            chosen.query, chosen.key, chosen.value, allowed, bias=bias, scale=chosen.scale / temperature
        )
    except InputError as error:
        st.warning(as_markdown(f"{error_words(lesson, error)} {lesson.text('pushed_too_far')}"), icon="⚠️")
        trace = trace_attention(chosen.query, chosen.key, chosen.value, allowed, scale=chosen.scale)
    queries, keys = _shown(sentence, sentence.queries), _shown(sentence, sentence.keys)
    scene = Scene(trace, queries, keys, rules)
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


def show_matrix(lesson: Lesson, scene: Scene, stage: str, row: int, column: int) -> None:
    """The chosen step as a heatmap, with the selected row as bars over the same columns."""
    panels.show_stages(lesson, PREFIX, scene, stage, row, column, "one")


def choose_cell(lesson: Lesson, scene: Scene) -> tuple[int, int]:
    """The query that asks and the key that is read; of many tokens by their numbers."""
    if of("row") is None:
        row = _pronoun(scene.queries)
        put(row=row, column=int(scene.trace.weights[row].argmax()))
    if not panels.is_large(scene):
        return panels.choose_cell(lesson, PREFIX, scene)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for side, labels in (("row", scene.queries), ("column", scene.keys)):
            put(**{f"{side}_number": min(of(side) or 0, len(labels) - 1) + 1})
            st.number_input(
                lesson.text(f"choose_{side}"), 1, len(labels), key=f"{PREFIX}_{side}_number", width=190,
                on_change=_take_number, args=(side,),
            )  # fmt: skip
    return of("row_number") - 1, of("column_number") - 1


def _take_number(side: str) -> None:
    put(**{side: (of(f"{side}_number") or 1) - 1})


def _pronoun(labels: list[str]) -> int:
    """The first pronoun, which is what most of these sentences are about; else the first token."""
    bare = (label.rstrip("⁰¹²³⁴⁵⁶⁷⁸⁹*") for label in labels)
    return next((i for i, label in enumerate(bare) if kinds.guess_kind(label) == "pronoun"), 0)


def show_strip(lesson: Lesson, scene: Scene, row: int) -> None:
    """The sentence itself, each token as dark as its weight in the selected row, with the number."""
    weights, allowed = scene.trace.weights[row], scene.trace.allowed[row]
    same = scene.queries == scene.keys
    facts = ", ".join(f"{key} {number(w, 2)}" for key, w in zip(scene.keys, weights, strict=True))
    font, width = (22, 700) if lesson.projector else (14, 560)
    figure = sentence_figures.strip_figure(scene.keys, weights, allowed, row if same else None, font, width)
    narrow = sentence_figures.strip_figure(scene.keys, weights, allowed, row if same else None, 13, figures.PHONE)
    alt = lesson.text("alt_strip", query=scene.queries[row], facts=facts)
    _draw(lesson, "strip", figure, alt, narrow=narrow)


def choose_stage(lesson: Lesson, sentence: Sentence) -> str:
    """The step to draw; where its numbers come from, what they are not, and what was left out of them."""
    with st.container(horizontal=True, vertical_alignment="center"):
        stage = panels.choose_stage(lesson, PREFIX)
        panels.badge(lesson, sentence.badge)
    st.caption(lesson.text(f"caution_{sentence.source}"))
    if hides_special(sentence):
        lesson.say("renormalised")
    return stage


# ------------------------------------------------------------------------------------------- all the heads


def show_heads(lesson: Lesson, sentence: Sentence, layers, chosen: tuple[int, int]) -> None:
    """Every head of every layer as a small map; a click shows it large. Below them, heads with a name."""
    if not sentence.special:
        return
    switch(lesson, PREFIX, "special_hidden", follow_words)
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
        lesson, "overview", figure, lesson.text("alt_overview", layer=chosen[0], head=chosen[1]),
        narrow=sentence_figures.overview_figure(weights, chosen, hover, 10, figures.PHONE),
        on_click=lambda panel, layer, head: put(layer=layer, head=head),
    )  # fmt: skip
    _name_heads(lesson, sentence, layers, chosen)
    if hides_special(sentence):
        st.caption(lesson.text("named_with_special"))


def _name_heads(lesson: Lesson, sentence: Sentence, layers, chosen: tuple[int, int]) -> None:
    """Heads that mostly do one thing, with how much of a row that is on this sentence."""
    full = np.array([[head.weights for head in heads] for heads in layers])
    measured = RecordedSentence("", sentence.words, full, np.zeros(0))
    with st.container(horizontal=True, gap="small", key=f"{PREFIX}_named"):
        for name, (layer, head) in NAMED_HEADS.items():
            share = named_weight(name, measured)
            shown = "–" if share is None else number(share, 2)
            st.button(
                f"{lesson.text(f'head_{name}')} · L{layer}H{head} · {shown}", key=f"{PREFIX}_head_{name}",
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
            shares = np.array([weights[[kind == k for k in sentence.kinds]].sum() for kind in kinds.KINDS])
            names = [lesson.text(f"kind_{kind}") for kind in kinds.KINDS]
            facts = ", ".join(f"{name} {number(s, 3)}" for name, s in zip(names, shares, strict=True))
            with st.container(width=360, gap="xsmall"):
                lesson.say("carried", query=query)
                font, width = (20, 560) if lesson.projector else (13, 340)
                _draw(
                    lesson,
                    "carried",
                    sentence_figures.shares_figure(names, shares, font, width),
                    lesson.text("alt_carried", query=query, facts=facts),
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
        narrow = spread_figures.bars_beside_figure(sets, scene.keys, 11, figures.PHONE)
        _draw(lesson, "sizes", figure, lesson.text("alt_sizes", query=query, facts=facts), narrow=narrow)


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
    with st.expander(lesson.text("written_out"), key=f"{PREFIX}_written", on_change="rerun") as box:
        if box.open:
            panels.show_arithmetic(lesson, scene, stage, row, column, only=panels.is_wide(scene))
    panels.show_tables(lesson, PREFIX, scene)
    panels.show_export(lesson, PREFIX, scene)
    panels.show_code(lesson, PREFIX, scene)


# ------------------------------------------------------------------------------------------------- the lab


def open_in_lab(lesson: Lesson, scene: Scene) -> None:
    """A button that takes Q, K, V, the labels and the mask to the matrix lab."""
    if panels.is_large(scene):
        st.caption(lesson.text("lab_too_many", most=MOST))
        return
    if st.button(lesson.text("open_lab"), key=f"{PREFIX}_open_lab", help=lesson.text("open_lab_help")):
        carry_to_lab(lesson, scene)
        go_to(lesson, "matrix_lab")
    if panels.is_wide(scene):
        st.caption(lesson.text("lab_turned"))
    if scene.trace.bias is not None:
        st.caption(lesson.text("lab_no_bias"))


def carry_to_lab(lesson: Lesson, scene: Scene) -> None:
    """Write the head on screen into the state of the matrix lab: the same scores, weights and mask there.

    Vectors with more numbers than a grid has columns are first turned into fewer: at most one for each token
    is needed, and no dot product changes.
    """
    trace = scene.trace
    if not is_kept("lab_example"):
        load_example(lesson, "lab", "abc_self")
    query, key, value = trace.query, trace.key, trace.value
    if query.shape[1] > MOST:
        basis = np.linalg.svd(key, full_matrices=False)[2].T  # spans all keys: what lies outside scores 0
        query, key = query @ basis, key @ basis
    if value.shape[1] > MOST:
        value = value @ np.linalg.svd(value, full_matrices=False)[2].T
    for name, matrix in zip(SEEN, (query, key, value), strict=True):
        put_matrix(f"lab_{name}", matrix)
    keep("lab_query_tokens", " ".join(scene.queries))
    keep("lab_key_tokens", " ".join(scene.keys))
    put_mask("lab", "custom" if not trace.allowed.all() else "full", trace.allowed)
    usual = np.isclose(trace.scale, default_scale(query.shape[1]), rtol=1e-12)
    settings = {"scaling": "sqrt" if usual else "own", "own_scale": trace.scale, "temperature": 1.0, "sharing": "rows"}
    for name, setting in (settings | {"row": of("row") or 0, "column": of("column") or 0, "problems": []}).items():
        keep(f"lab_{name}", setting)


# ---------------------------------------------------------------------------------------------- the lineup


def show_lineup(lesson: Lesson) -> None:
    """Two maps of one sentence, one from a real model and one random; exercise 5j tells which, after a guess."""
    recorded = recorded_sentences()[LINEUP_SENTENCE]
    labels = [token.label for token in recorded.tokens][1:-1]
    real = hide_special(recorded.weights[LINEUP_HEAD]).weights
    noise = random_layers(labels, LINEUP_SEED)[0][0].weights
    told = "locked" in kept("exercise_5j", {})
    with st.container(horizontal=True, gap="medium"):
        for name, source, weights in (("left", "random", noise), ("right", "recorded", real)):
            panel = Panel(weights, labels, labels, name, "weight", title=lesson.text(f"lineup_{name}"), role="weight")
            figure = figures.matrix_figure(panel, "beside")
            with st.container(width=max(260, figure["layout"]["meta"]["width"])):
                panels.badge(lesson, source if told else "lineup")
                _draw(lesson, f"lineup_{name}", figure, lesson.text("alt_lineup", name=lesson.text(f"lineup_{name}")))


def facts(sentence: Sentence, scene: Scene | None) -> dict[str, object]:
    """What is on screen, for the exercises."""
    return {
        "trace": scene and scene.trace,
        "source": sentence.source,
        "tokens": tuple(sentence.keys),
        "seeks": np.array(of("seeks")["numbers"]),
    }
