"""What a mask is for: nobody hears a later token, nobody reads padding; and softmax without ever seeing a whole row."""

import numpy as np
import pandas as pd
import streamlit as st

from attention_core import InputError, masks
from attention_core.insight import row_sums
from attention_core.online import TileStep, trace_online
from pages.ui.lessons.masks import STILL, draw, traced
from pages.ui.lessons.scene import Scene
from pages.ui.pictures.bars import bars_figure
from pages.ui.pictures.heatmaps import matrix_figure
from pages.ui.pictures.numbers import number
from pages.ui.pictures.panel import Panel, symmetric_limit
from pages.ui.state.matrices import SEEN
from pages.ui.state.matrix_fields import limits_here
from pages.ui.state.session import keep, kept
from pages.ui.text import as_markdown
from pages.ui.widgets.controls import set_number
from pages.ui.widgets.errors import error_words
from pages.ui.widgets.lesson import Lesson

CHANGES = [round(-3 + 0.1 * i, 1) for i in range(61)]


def show_change(lesson: Lesson, scene: Scene) -> None:
    """The last token changes: which outputs move without a mask, with a causal one, with this one?"""
    trace = scene.trace
    n_query, n_key = trace.allowed.shape
    amount = set_number(lesson, "change", stops=CHANGES, box_label=lesson.text("change_box"), slider_width=240)
    changed = {name: getattr(trace, name).copy() for name in SEEN}
    for name, matrix in changed.items():
        if name != "query" or n_query == n_key:
            matrix[-1] += amount
    ways = {
        "none": masks.full(n_query, n_key),
        "causal": masks.causal(n_query, n_key, n_key - n_query),
        "yours": trace.allowed,
    }
    moves = {
        name: traced(lesson, scene, mask, **changed).output - traced(lesson, scene, mask).output
        for name, mask in ways.items()
    }
    limit = symmetric_limit(*moves.values())
    features = [str(j + 1) for j in range(trace.value.shape[1])]
    with st.container(horizontal=True, vertical_alignment="top", gap="medium"):
        for name, move in moves.items():
            panel = Panel(
                move,
                scene.queries,
                features,
                "change",
                limit=limit,
                title=lesson.text(f"change_{name}"),
                role="output",
            )
            largest = max(1.0, float(np.abs(trace.output).max()))
            moved = [q for q, m in zip(scene.queries, np.abs(move).max(axis=1), strict=True) if m > STILL * largest]
            words = "moved" if moved else "moved_none"
            said = lesson.text(words, who=", ".join(moved))
            figure = matrix_figure(panel, "beside")
            with st.container(width=max(230, figure["layout"]["meta"]["width"])):
                draw(lesson, f"change_{name}", figure, f"{lesson.text(f'change_{name}')}: {said}", scene.source)
                lesson.say(words, who=", ".join(moved))
    lesson.say("change_note", last=scene.keys[-1])


def show_padding(lesson: Lesson, scene: Scene) -> None:
    """Padding blocked on columns (keys), on rows (queries) and on both, on the same numbers."""
    n_query, n_key = scene.trace.allowed.shape
    real = set_number(lesson, "real", limits_here({}, n_key)["real"], n_key - 1)
    columns = masks.padding(n_query, n_key, real)
    rows = np.broadcast_to((np.arange(n_query) < real)[:, None], columns.shape)
    with st.container(horizontal=True, vertical_alignment="top", gap="medium"):
        for name, mask in (("columns", columns), ("rows", rows), ("both", columns & rows)):
            trace = traced(lesson, scene, np.array(mask))
            sums = row_sums(trace.weights)
            panel = Panel(
                trace.weights, scene.queries, scene.keys, "padding", "weight", blocked=~trace.allowed,
                beside=[f"Σ {total:.3f}" if total else lesson.text("row_empty") for total in sums],
                title=lesson.text(f"padding_{name}"), role="weight",
            )  # fmt: skip
            leaked = float(trace.weights[:real, real:].sum(axis=1).max(initial=0))
            said = lesson.text("padding_says", leak=number(100 * leaked, 1), empty=len(trace.blind_queries))
            figure = matrix_figure(panel, "beside")
            with st.container(width=max(250, figure["layout"]["meta"]["width"])):
                alt = f"{lesson.text(f'padding_{name}')}: {said}"
                draw(lesson, f"padding_{name}", figure, alt, scene.source, "sides")
                means = {0: "all", n_key: "none"}.get(real, name)
                st.markdown(f"{said} {lesson.text(f'padding_{means}_means')}")


def show_tiles(lesson: Lesson, scene: Scene, row: int) -> TileStep | None:
    """Softmax one tile of keys at a time: what is carried along, and what it amounts to after each tile."""
    trace, n_key = scene.trace, len(scene.keys)
    seen_key = lesson.key("tiles_seen")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        size = set_number(lesson, "tile", limits_here({}, n_key)["tile"])
        controls = st.container(width="content")
    try:
        steps = trace_online(trace.masked, trace.value, size)
    except InputError as error:
        st.warning(as_markdown(error_words(lesson, error)), icon="⚠️")
        return None
    keep(seen_key, min(max(kept(seen_key, 1) or 1, 1), len(steps)))
    names = [_tile_name(scene.keys, step) for step in steps]
    with controls:
        seen = st.segmented_control(
            lesson.text("tiles_seen"), range(1, len(steps) + 1), key=seen_key, required=True,
            persist_state="session",
            format_func=lambda i: f"{i}: {as_markdown(names[i - 1])}",
        )  # fmt: skip
    step = steps[seen - 1]
    table, picture = st.columns([0.6, 0.4], gap="medium")
    with table:
        lines = [
            [
                number(s.largest[row], 6),
                number(s.shrink[row], 4),
                number(s.total[row], 6),
                _point6(s.output[row]),
            ]
            for s in steps[:seen]
        ]
        columns = [lesson.text(f"tile_{name}") for name in ("largest", "shrink", "total", "output")]
        index = [as_markdown(f"{i}: {name}") for i, name in enumerate(names[:seen], start=1)]
        st.table(pd.DataFrame(lines, columns=columns, index=index), alt=lesson.text("alt_tiles"))
        if step.stop < n_key:
            hiding = trace.allowed & (np.arange(n_key) < step.stop)
            hidden = traced(lesson, scene, hiding).output[row]
            unseen = ", ".join(scene.keys[step.stop :])
            lesson.say("so_far", output=_point6(step.output[row]), unseen=unseen, hidden=_point6(hidden))
        else:
            lesson.say("all_seen", output=_point6(step.output[row]), whole=_point6(trace.output[row]))
    with picture:
        unseen = (np.arange(n_key) >= step.stop) | ~trace.allowed[row]
        bars = Panel(step.weights[[row]], [""], scene.keys, "tiles", "weight", blocked=unseen[None], role="weight")
        facts = ", ".join(f"{k} {number(w, 3)}" for k, w in zip(scene.keys, step.weights[row], strict=True))
        st.markdown(f"**{lesson.text('seen_so_far')}**")
        draw(lesson, "tiles", bars_figure(bars), lesson.text("alt_bars", weights=facts), scene.source)
    return step


def _tile_name(keys: list[str], step: TileStep) -> str:
    first, last = keys[step.start], keys[step.stop - 1]
    return first if step.stop == step.start + 1 else f"{first} – {last}"


def _point6(output: np.ndarray) -> str:
    return f"({', '.join(number(x, 6) for x in output)})"
