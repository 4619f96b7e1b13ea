"""Pictures of the page of projections and heads: X·W written out, one head, all heads, what they cost."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from attention_core import InputError
from attention_core.head_examples import HEAD_EXAMPLE_NAMES, head_example
from attention_core.heads import key_head, projection_terms
from pages.ui.lessons.projection_state import (
    KINDS,
    MOST_HEADS,
    Plugged,
    load,
    matrix,
    of,
    plug,
    put,
    resize,
    set_heads,
    settings,
)
from pages.ui.lessons.projection_state import PAGE as PAGE
from pages.ui.lessons.scene import Scene, plot_words
from pages.ui.lessons.stages import alternative, panels_of
from pages.ui.lessons.written import products
from pages.ui.pictures.heatmaps import PHONE, matrix_figure, product_figure
from pages.ui.pictures.numbers import number
from pages.ui.pictures.panel import Panel, symmetric_limit
from pages.ui.state.fields import MOST, Whole
from pages.ui.text import as_markdown, clean_label, numbered
from pages.ui.widgets.controls import choice, switch
from pages.ui.widgets.drawing import plot
from pages.ui.widgets.errors import error_words
from pages.ui.widgets.lesson import Lesson
from pages.ui.widgets.matrices import edit_matrix, matrix_tools
from pages.ui.widgets.number_box import number_box

LETTER = {"query": "Q", "key": "K", "value": "V"}
MOST_SMALL = 6  #: tokens; with more of them what is edited and what moves come first


@dataclass(frozen=True, eq=False)
class HeadScene:
    """What is on screen: everything plugged together, the names of the tokens, and the head that is shown."""

    plugged: Plugged
    queries: list[str]
    keys: list[str]
    head: int
    is_tied: bool  #: W_K is W_Q

    @property
    def one(self) -> Scene:
        """The chosen head."""
        return Scene(self.plugged.result.heads[self.head], self.queries, self.keys, {})

    def group(self, head: int) -> int:
        return key_head(head, len(self.plugged.weights["query"]), len(self.plugged.weights["key"]))

    def weight(self, kind: str) -> np.ndarray:
        """The chosen head's matrix for Q, K or V."""
        return self.plugged.weights[kind][self.head if kind == "query" else self.group(self.head)]


def draw(
    lesson: Lesson,
    key: str,
    build: Callable[[str], dict],
    alt: str,
    sides: str = "",
    least: int = 0,
    shown: str = "",
    **more,
) -> None:
    """One picture, built for the room there is and once more for phones where it is wider than those.

    ``shown`` is its badge's source, where that is not the page's.
    """
    figure = build("projector" if lesson.projector else "beside")
    width = figure["layout"]["meta"]["width"]
    narrow = build("phone") if width > PHONE else None
    with st.container(width=max(least, width)):
        words = plot_words(lesson, key, shown or source(), sides)
        plot(figure, key=lesson.key(f"{key}_picture"), alt=alt, words=words, narrow=narrow, **more)


def rows_told(labels: list[str], numbers: np.ndarray) -> str:
    return "; ".join(
        f"{label}: {', '.join(number(x, 2) for x in row)}" for label, row in zip(labels, numbers, strict=True)
    )


# ------------------------------------------------------------------------------------------ what goes in


def choose_start(lesson: Lesson) -> None:
    """A button for each example; a press replaces tokens, matrices and switches."""
    with st.popover(lesson.text("examples"), key=lesson.key("examples"), on_change="rerun") as shelf:
        if shelf.open:
            for name in HEAD_EXAMPLE_NAMES:
                st.button(
                    f"**{lesson.text(f'start_{name}')}** · {lesson.text(f'start_{name}_look')}",
                    key=lesson.key(f"start_{name}"), width="stretch", on_click=load, args=(lesson, name),
                )  # fmt: skip


def choose_sizes(lesson: Lesson) -> None:
    """How many tokens and features there are, and what the tokens are called."""
    sizes = {
        "n_x": len(matrix("x")),
        "n_y": len(matrix("y")),
        "d_model": matrix("x").shape[1],
        "d_k": matrix("w_query_1").shape[1],
        "d_v": matrix("w_value_1").shape[1],
    }
    with st.popover(lesson.text("sizes"), key=lesson.key("sizes"), on_change="rerun") as box:
        if not box.open:
            return
        with st.container(horizontal=True):
            for name, now in sizes.items():
                number_box(
                    lesson, lesson.text(f"size_of_{name}"), lesson.key(f"size_{name}"), now,
                    partial(resize, name), Whole(1, MOST).check, whole=True,
                )  # fmt: skip
        for side in ("x", "y"):
            st.text_input(
                lesson.text(f"names_{side}"), key=lesson.key(f"{side}_tokens"),
                help=lesson.text("labels_help"), persist_state="session",
            )  # fmt: skip
            names, count = _names(side), len(matrix(side))
            if len(names) > count:
                lesson.warn(
                    "too_many_labels", given=len(names), count=count, dropped=clean_label(" ".join(names[count:]), 60)
                )


def _names(side: str) -> list[str]:
    return [clean_label(name) for name in (of(f"{side}_tokens") or "").split()]


def labels_of(side: str) -> list[str]:
    """A name for each of the tokens "x" or "y"; one without a name gets its number."""
    count = len(matrix(side))
    names = _names(side)[:count]
    return names + [str(i + 1) for i in range(len(names), count)]


def features_of(lesson: Lesson, count: int) -> list[str]:
    """What the numbers of a token say, where the example has a word for it; else which number it is."""
    names = lesson.text("features_cat").split() if of("start") == "cat" else []
    return names[:count] + [str(i + 1) for i in range(min(count, len(names)), count)]


def _made_features(lesson: Lesson, kind: str, scene: HeadScene) -> list[str]:
    """The same for the numbers of Q, K and V: they say what those of a token do where W hands them on as they are."""
    weight = scene.weight("value" if kind == "value" else "key")  # a query speaks of what it seeks in the keys
    count = weight.shape[1]
    kept_as_they_are = np.array_equal(weight, np.eye(len(weight)))
    return features_of(lesson, count) if kept_as_they_are else [str(i + 1) for i in range(count)]


def choose_plugs(lesson: Lesson) -> None:
    """Which tokens ask and which are read: the same (self-attention) or others (cross-attention)."""
    with st.container(horizontal=True, vertical_alignment="bottom", key=lesson.key("plugs")):
        for plugged in ("query_from", "key_from"):
            choice(lesson, plugged)
        st.markdown(lesson.text("is_self" if of("query_from") == of("key_from") else "is_cross"))


def choose_head(lesson: Lesson) -> None:
    """How many heads, how many sets of keys and values they share, and which one is on screen."""
    n_heads = of("heads")
    with st.container(horizontal=True, vertical_alignment="bottom", key=lesson.key("head_row")):
        st.segmented_control(
            lesson.text("heads"), range(1, MOST_HEADS + 1), key=lesson.key("heads"), required=True,
            persist_state="session", on_change=set_heads, args=(n_heads,),
        )  # fmt: skip
        groups = [count for count in range(1, n_heads + 1) if n_heads % count == 0]
        put(key_heads=of("key_heads") if of("key_heads") in groups else n_heads)
        st.segmented_control(
            lesson.text("key_heads"), groups, key=lesson.key("key_heads"), required=True, persist_state="session",
            help=lesson.text("key_heads_help"), disabled=bool(of("tie_query")),
        )  # fmt: skip
        put(head=min(of("head") or 0, n_heads - 1))
        st.segmented_control(
            lesson.text("head"), range(n_heads), format_func=lambda head: str(head + 1), key=lesson.key("head"),
            required=True, persist_state="session",
        )  # fmt: skip


def edit_inputs(lesson: Lesson) -> dict[str, list[str]]:
    """The ties, the tokens that are plugged in, the matrices of the head on screen. Returns the tokens' names."""
    with st.container(horizontal=True):
        for tie in ("tie_query", "tie_value"):
            switch(lesson, tie)
    labels = {side: labels_of(side) for side in ("x", "y")}
    features = features_of(lesson, MOST)
    group = of("head") if of("tie_query") else key_head(of("head"), of("heads"), of("key_heads"))
    edits = [(side, side, labels[side]) for side in ("x", "y") if side in (of("query_from"), of("key_from"))]
    edits.append((f"w_query_{of('head') + 1}", "w_query", features))
    if not of("tie_query"):
        edits.append((f"w_key_{group + 1}", "w_key", features))
    if not of("tie_value"):
        edits.append((f"w_value_{group + 1}", "w_value", features))
    if len(matrix("x")) > MOST_SMALL:  # the tokens of a sentence are seldom edited: the head's matrices come first
        edits.sort(key=lambda edit: edit[1] in ("x", "y"))
    if not features[0].isdecimal():
        named = features_of(lesson, matrix("x").shape[1])
        st.caption(lesson.text("features", names=" · ".join(f"{i} {name}" for i, name in enumerate(named, start=1))))
    with st.container(horizontal=True, gap="small"):
        for edit in edits:
            edit_input(lesson, *edit)
    return labels


def edit_input(lesson: Lesson, name: str, words: str, labels: list[str]) -> None:
    rows, columns = matrix(name).shape
    names = labels[:rows]
    room = 58 if max(map(len, names)) < 8 else 86
    wide = max(186, room + 2 + 53 * columns) if columns <= 3 else room + 2 + 46 * columns
    with st.container(width=wide, gap="xsmall", key=lesson.key(f"{name}_editor")):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            head = name.rpartition("_")[2]
            st.markdown(lesson.text(f"grid_{words}", n=rows, m=columns, head=head), width="content")
            matrix_tools(lesson, lesson.key(name), words)
        edit_matrix(lesson, lesson.key(name), words, names, widths=(room, 46))


def attend(lesson: Lesson, labels: dict[str, list[str]]) -> HeadScene:
    """What comes out of what was put in; when that does not fit together, out of the last that did, and says so."""
    try:
        plugged = plug(settings())
    except InputError as error:
        st.warning(as_markdown(f"{error_words(lesson, error)} {lesson.text('last_good')}"), icon="⚠️")
        return of("scene")
    scene = HeadScene(plugged, labels[of("query_from")], labels[of("key_from")], of("head"), bool(of("tie_query")))
    put(scene=scene)
    return scene


# ------------------------------------------------------------------------------------------ one head of it


def show_projection(lesson: Lesson, scene: HeadScene) -> None:
    """X times one matrix, and one cell of the product written out."""
    kind = of("projected")
    trace, weight = scene.one.trace, scene.weight(kind)
    tokens, labels, row = (
        (scene.plugged.asking, scene.queries, of("row"))
        if kind == "query"
        else (scene.plugged.read, scene.keys, of("column"))
    )
    product = getattr(trace, kind)
    feature = min(of("feature") or 0, product.shape[1] - 1)
    row = min(row or 0, len(labels) - 1)
    inner, outer = features_of(lesson, len(weight)), _made_features(lesson, kind, scene)
    limit = symmetric_limit(tokens, weight, product)
    side = of("query_from" if kind == "query" else "key_from").upper()
    letter = LETTER[kind]
    left = Panel(tokens, labels, inner, "tokens", limit=limit, row=row, title=side)
    top = Panel(weight, inner, outer, "weight_matrix", limit=limit, column=feature, title=f"W_{letter}", role=kind)
    corner = Panel(
        product, labels, outer, "product", limit=limit, row=row, column=feature, title=f"{side}·W_{letter} = {letter}",
        role=kind,
    )  # fmt: skip
    alt = lesson.text("alt_projection", side=side, name=letter, facts=rows_told(labels, product))
    draw(lesson, "projection", lambda size: product_figure(left, top, corner, size), alt, on_click=_choose)


def say_cell(lesson: Lesson, scene: HeadScene) -> None:
    """The chosen number of the drawn product, written out."""
    kind = of("projected")
    is_query = kind == "query"
    tokens, labels = (scene.plugged.asking, scene.queries) if is_query else (scene.plugged.read, scene.keys)
    row = of("row" if is_query else "column")
    terms = projection_terms(tokens, scene.weight(kind), row, of("feature"))
    words = lesson.markdown("cell_written", name=LETTER[kind].lower(), token=labels[row], number=of("feature") + 1)
    st.markdown(f"{words} = {products(terms, 4)}")


def _choose(panel: str, row: int, column: int) -> None:
    """A click: on the tokens or the product of a projection, or on scores and weights."""
    if panel in ("tokens", "product"):
        put(**{"row" if of("projected") == "query" else "column": row})
    if panel in ("weight_matrix", "product"):
        put(feature=column)
    if panel in ("scores", "weights"):
        put(row=row, column=column)


def is_large(scene: HeadScene) -> bool:
    return max(len(scene.queries), len(scene.keys)) > MOST_SMALL


def choose_projection(lesson: Lesson) -> None:
    """Which of the three projections is drawn."""
    st.segmented_control(
        lesson.text("projected"), KINDS, format_func=LETTER.__getitem__, key=lesson.key("projected"), required=True,
        label_visibility="collapsed", persist_state="session",
    )  # fmt: skip


def choose_cell(lesson: Lesson, scene: HeadScene) -> int:
    """Who asks, who is read, and which of a vector's numbers is written out. Returns who asks."""
    chosen = {"row": numbered(scene.queries), "column": numbered(scene.keys)}
    chosen["feature"] = numbered(_made_features(lesson, of("projected"), scene))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key=lesson.key("cell")):
        for name, labels in chosen.items():
            put(**{name: min(of(name) or 0, len(labels) - 1)})
            st.segmented_control(
                lesson.text(f"choose_{name}"), range(len(labels)),
                format_func=lambda i, labels=labels: as_markdown(labels[i]),
                key=lesson.key(name), required=True, wrap=True, persist_state="session",
            )  # fmt: skip
    return of("row")


def show_attention(lesson: Lesson, scene: HeadScene) -> None:
    """Scores and weights of the chosen head, and whether they are symmetric."""
    one = scene.one
    row, column = min(of("row") or 0, len(one.queries) - 1), min(of("column") or 0, len(one.keys) - 1)
    drawn = panels_of(lesson, one, row, column)
    with st.container(horizontal=True, gap="small"):
        for name in ("weights", "scores") if lesson.projector else ("scores", "weights"):
            panel = drawn[name]
            alt = alternative(lesson, one, name)
            draw(
                lesson, name, lambda size, panel=panel: matrix_figure(panel, size), alt, "sides",
                on_click=_choose,
            )  # fmt: skip


def say_symmetry(lesson: Lesson, scene: Scene) -> None:
    """Whether "who reads whom" is the same both ways, before and after the softmax."""
    scores, weights = scene.trace.scores, scene.trace.weights
    if scene.queries != scene.keys or len(scores) != len(scores.T):
        lesson.say("rectangular", rows=len(scene.queries), columns=len(scene.keys))
        return
    words = []
    for name, numbers in (("scores", scores), ("weights", weights)):
        apart = np.abs(numbers - numbers.T)
        i, j = np.unravel_index(apart.argmax(), apart.shape)
        slots = {
            "a": scene.queries[i],
            "b": scene.keys[j],
            "ab": number(numbers[i, j], 3),
            "ba": number(numbers[j, i], 3),
        }
        symmetric = np.allclose(numbers, numbers.T, rtol=1e-9, atol=1e-12)
        words.append(lesson.markdown(f"{name}_symmetric" if symmetric else f"{name}_not_symmetric", **slots))
    st.markdown(" ".join(words))


# ------------------------------------------------------------------------------------------ all heads


def source() -> str:
    """Which badge the pictures wear."""
    start, now = head_example(of("start")), settings()
    same = all(np.array_equal(now[name], getattr(start, name)) for name in ("x", "y"))
    for kind in KINDS:
        for head, own in enumerate(getattr(start, f"w_{kind}")):
            same = same and np.array_equal(now[f"w_{kind}_{head + 1}"], own)
    same = same and of("heads") == len(start.w_query)
    return ("toy" if of("start") == "cat" else "example") if same else "typed"


def facts(scene: HeadScene) -> dict[str, object]:
    """What is on screen, for the exercises."""
    heads, before = scene.plugged.result.heads, of("kept")
    is_self = scene.plugged.asking is scene.plugged.read
    return {
        "x": scene.plugged.asking if is_self else None,
        "w_query": scene.plugged.weights["query"][0],
        "trace": heads[0],
        "heads": heads,
        "kept": np.zeros(0) if before is None else before,
    }


def begin(lesson: Lesson, name: str) -> None:
    """Where an exercise starts from: this example, and no heads kept for comparison."""
    put(kept=None)
    load(lesson, name)
