"""All heads beside each other, what W_O makes of them, what W_Q and W_K are together, and what a layer costs."""

from functools import partial

import numpy as np
import streamlit as st

from attention_core import InputError
from attention_core.heads import comparison_matrix, parameter_counts
from pages.ui.lessons.projection_state import (
    KINDS,
    MOST_HEADS,
    of,
    put,
)
from pages.ui.lessons.projection_state import PAGE as PAGE
from pages.ui.lessons.projections_and_heads import HeadScene, draw, edit_input, features_of, rows_told, source
from pages.ui.pictures.heatmaps import matrix_figure, product_figure
from pages.ui.pictures.numbers import number
from pages.ui.pictures.panel import Panel, symmetric_limit
from pages.ui.state.fields import MOST, Whole
from pages.ui.state.session import keep, kept
from pages.ui.text import as_markdown
from pages.ui.widgets.errors import error_words
from pages.ui.widgets.examples import badge
from pages.ui.widgets.lesson import Lesson
from pages.ui.widgets.number_box import number_box


def show_heads(lesson: Lesson, scene: HeadScene) -> None:
    """Every head as a small map on one colour scale, their average beside them, and heads kept for comparison."""
    traces = scene.plugged.result.heads
    with st.container(horizontal=True, vertical_alignment="center"):
        lesson.say("looking_at", head=scene.head + 1, count=len(traces))
        badge(lesson, source())
    weights = np.array([trace.weights for trace in traces])
    titles = [_head_title(lesson, scene, head) for head in range(len(traces))]
    _show_maps(lesson, scene, "head", weights, titles)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            lesson.text("keep_heads"),
            key=lesson.key("keep"),
            on_click=put,
            kwargs={"kept": weights, "kept_source": source()},
        )
        if of("kept") is not None:
            badge(lesson, of("kept_source"))
            st.button(lesson.text("forget_heads"), key=lesson.key("forget"), on_click=put, kwargs={"kept": None})
            st.caption(lesson.text("kept_here"), width="content")
    if of("kept") is None:
        st.caption(lesson.text("keep_hint"))
        return
    before = of("kept")
    if before.shape[1:] != weights.shape[1:]:
        lesson.say("kept_other_shape")
        return
    titles = [lesson.text("kept_head", head=head + 1) for head in range(len(before))]
    _show_maps(lesson, scene, "kept", before, titles)
    gap = np.abs(before.mean(axis=0) - weights.mean(axis=0)).max()
    lesson.say("averages_differ", gap=number(float(gap), 4))


def _head_title(lesson: Lesson, scene: HeadScene, head: int) -> str:
    shared = len(scene.plugged.weights["key"]) < len(scene.plugged.result.heads)
    slots = {"head": head + 1, "group": scene.group(head) + 1}
    words = lesson.text("head_shares", **slots) if shared else lesson.text("head_own", head=head + 1)
    return f"▸ {words}" if head == scene.head else words


def _show_maps(lesson: Lesson, scene: HeadScene, name: str, weights: np.ndarray, titles: list[str]) -> None:
    with st.container(horizontal=True, gap="small", key=lesson.key(f"{name}_maps")):
        for i, (numbers, title) in enumerate(
            zip([*weights, weights.mean(axis=0)], [*titles, lesson.text("average")], strict=True)
        ):
            is_head = i < len(weights)
            panel = Panel(
                numbers, scene.queries, scene.keys, f"{name}{i}", "weight", row=min(of("row"), len(numbers) - 1),
                title=title, role="weight" if is_head else "score",
            )  # fmt: skip
            alt = lesson.text("alt_map", title=title, facts=rows_told(scene.queries, numbers))
            click = {"on_click": lambda panel, row, column, head=i: put(head=head, row=row, column=column)}
            more = click if is_head and name == "head" else {}
            draw(
                lesson, f"{name}{i}", lambda size, panel=panel: matrix_figure(panel, size), alt, "sides",
                least=150, shown=of("kept_source") if name == "kept" else "", **more,
            )  # fmt: skip


def show_joined(lesson: Lesson, scene: HeadScene) -> None:
    """The heads' outputs side by side, and how W_O mixes them."""
    result, w_output = scene.plugged.result, scene.plugged.w_output
    n_value = result.heads[0].output.shape[1]
    strip = [f"{head + 1}.{i + 1}" for head in range(len(result.heads)) for i in range(n_value)]
    outer = features_of(lesson, w_output.shape[1])
    limit = symmetric_limit(result.concatenated, w_output, result.output)
    row = min(of("row"), len(scene.queries) - 1)
    left = Panel(
        result.concatenated, scene.queries, strip, "joined", limit=limit, row=row,
        title=lesson.text("joined"), role="value",
    )  # fmt: skip
    top = Panel(w_output, strip, outer, "w_output", limit=limit, title="W_O")
    corner = Panel(
        result.output,
        scene.queries,
        outer,
        "combined",
        limit=limit,
        row=row,
        title=lesson.text("combined"),
        role="output",
    )
    told = {
        "joined": rows_told(scene.queries, result.concatenated),
        "output": rows_told(scene.queries, result.output),
    }
    alt = lesson.text("alt_joined", **told)
    with st.container(horizontal=True, gap="large"):
        draw(lesson, "joined", lambda size: product_figure(left, top, corner, size), alt)
        with st.container(width=max(340, 60 + 53 * len(outer)), gap="small"):
            badge(lesson, source())
            edit_input(lesson, "w_output", "w_output", strip + [str(i) for i in range(MOST * MOST_HEADS)])
            parts = "; ".join(
                f"{lesson.text('head_own', head=head + 1)}: ({', '.join(number(x, 2) for x in trace.output[row])})"
                for head, trace in enumerate(result.heads)
            )
            lesson.say("strip_written", token=scene.queries[row], parts=parts)
            before, after = (
                ", ".join(number(x, 2) for x in vector) for vector in (scene.plugged.asking[row], result.output[row])
            )
            lesson.say("before_after", token=scene.queries[row], before=before, after=after)


def show_comparison(lesson: Lesson, scene: HeadScene) -> None:
    """W_Q W_Kᵀ: the one matrix that the scores see, and its rank."""
    w_query, w_key = scene.weight("query"), scene.weight("key")
    try:
        product, rank = comparison_matrix(w_query, w_key)
    except InputError as error:
        st.warning(as_markdown(error_words(lesson, error)), icon="⚠️")
        return
    rows, columns = (features_of(lesson, count) for count in product.shape)
    limit = symmetric_limit(product)
    panel = Panel(product, rows, columns, "comparison", limit=limit, title=lesson.text("picture_comparison"))
    with st.container(horizontal=True, gap="large", vertical_alignment="center"):
        alt = lesson.text("alt_comparison", rank=rank, facts=rows_told(rows, product))
        draw(lesson, "comparison", lambda size: matrix_figure(panel, size), alt, least=230)
        with st.container(width=560):
            badge(lesson, source())
            lesson.say(
                "comparison_says", rank=rank, d_k=w_query.shape[1], most=min(*product.shape, w_query.shape[1]),
                two=w_query.size + w_key.size, one=product.size,
            )  # fmt: skip


def count_parameters(lesson: Lesson) -> None:
    """How many learned numbers one layer has, at any width and number of heads."""
    first = {"width": 512, "counted_heads": 8, "counted_groups": 8}
    asked = {name: lesson.kept(name, at_first) for name, at_first in first.items()}
    refused = None
    try:
        counts = parameter_counts(*asked.values())
        lesson.keep(counted=asked)
    except InputError as error:
        refused, asked = error, lesson.kept("counted", first)
        counts = parameter_counts(*asked.values())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for name, used in asked.items():
            key = lesson.key(name)
            number_box(
                lesson, lesson.text(f"count_{name}"), key, kept(key, used), partial(keep, key), Whole(1, 65_536).check,
                whole=True, used=used, width=190,
            )  # fmt: skip
    if refused:
        st.warning(f"{error_words(lesson, refused)} {lesson.text('count_last', **asked)}", icon="⚠️")
    three = counts.query + counts.key + counts.value
    lesson.say(
        "count_says", width=asked["width"], heads=asked["counted_heads"], groups=asked["counted_groups"],
        d_k=counts.head_width, root=number(counts.head_width**0.5, 2), query=f"{counts.query:,}",
        key=f"{counts.key:,}", value=f"{counts.value:,}", three=f"{three:,}", output=f"{counts.output:,}",
        total=f"{counts.total:,}",
    )  # fmt: skip
    say = {"two": 2 * asked["width"] * counts.head_width, "one": asked["width"] ** 2}
    lesson.say("count_low_rank", d_k=counts.head_width, **{name: f"{count:,}" for name, count in say.items()})


def show_roles(lesson: Lesson) -> None:
    """What each of the three is like, and where the likeness breaks."""
    with st.container(horizontal=True):
        for role in KINDS:
            with st.container(border=True, width=310, key=lesson.key(f"role_{role}")):
                lesson.say(f"role_{role}")
                with st.expander(lesson.text("breaks")):
                    lesson.say(f"role_{role}_breaks")
