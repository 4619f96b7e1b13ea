"""The steps of attention as pictures, and how to choose one of their cells."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import streamlit as st

from attention_core.insight import received, row_sums, winners
from pages.ui.lessons.scene import Scene, are_shares, hover_texts, is_large, is_wide, plot_words
from pages.ui.lessons.written import say_reading, show_arithmetic
from pages.ui.pictures import numbers
from pages.ui.pictures.heatmaps import PHONE, matrix_figure, product_figure
from pages.ui.pictures.numbers import number
from pages.ui.pictures.panel import Panel, symmetric_limit
from pages.ui.state.matrix_fields import STAGES
from pages.ui.state.session import is_kept, keep, kept
from pages.ui.text import as_markdown, numbered
from pages.ui.widgets.controls import choice, switch
from pages.ui.widgets.drawing import plot
from pages.ui.widgets.examples import badge
from pages.ui.widgets.lesson import Lesson


def say_other(lesson: Lesson, scene: Scene) -> None:
    """In what the pictures below are not attention as defined."""
    for way in scene.other:
        lesson.warn(f"other_{way}")
    for way in scene.refused:
        lesson.warn(f"refused_{way}")


def choose_stage(lesson: Lesson) -> str:
    """The flow strip: the steps in their order, the chosen one lit."""
    if not is_kept(lesson.key("stage")):
        lesson.keep(stage="weights")
    return choice(lesson, "stage", label_visibility="collapsed")


def choose_view(lesson: Lesson) -> str:
    """All steps beside each other, or the chosen one alone."""
    return choice(lesson, "view", label_visibility="collapsed")


def choose_cell(lesson: Lesson, scene: Scene) -> tuple[int, int]:
    """Which query asks and which key is read; a click on a picture does the same."""
    chosen = []
    with st.container(horizontal=True, vertical_alignment="bottom", key=lesson.key("cell")):
        for side, labels in (("row", numbered(scene.queries)), ("column", numbered(scene.keys))):
            key = lesson.key(side)
            keep(key, min(kept(key, 0) or 0, len(labels) - 1))
            chosen.append(
                st.segmented_control(
                    lesson.text(f"choose_{side}"),
                    range(len(labels)),
                    format_func=lambda i, labels=labels: as_markdown(labels[i]),
                    key=key,
                    required=True,
                    wrap=True,
                    persist_state="session",
                )
            )
        switch(lesson, "transposed")
    return chosen[0], chosen[1]


@st.fragment
def explore(lesson: Lesson, scene: Scene, settle: Callable[[], None]) -> None:
    """All steps of a scene, and the selected cell of them by hand. Looking around reruns this part alone.

    ``settle`` is called when all changes of the run are in.
    """
    with st.container(horizontal=True, vertical_alignment="center"):
        stage, view = choose_stage(lesson), choose_view(lesson)
        badge(lesson, scene.source)
    say_other(lesson, scene)
    pictures = st.container()
    row, column = choose_cell(lesson, scene)
    say_reading(lesson, scene, row)
    with pictures:
        show_stages(lesson, scene, stage, row, column, view)
    show_arithmetic(lesson, scene, stage, row, column)
    settle()


def show_stages(
    lesson: Lesson,
    scene: Scene,
    stage: str,
    row: int,
    column: int,
    view: str,
    place: str = "",
) -> None:
    """The steps as heatmaps: "all" of them, or the chosen one alone ("one", or "wide" where the page gives it room).

    "pair" is the chosen step and the one before it; on a projector it is always these two.
    ``place`` tells pictures apart where a page shows the steps a second time.
    """
    turned = lesson.kept("transposed", False)
    panels = panels_of(lesson, scene, row, column)
    if turned:
        panels = {name: _transposed(panel) for name, panel in panels.items()}
    left, top = ("key", "query") if turned else ("query", "key")
    room = "projector" if lesson.projector else {"all": "beside", "one": "alone"}.get(view, view)

    def product(size: str, first: str, second: str, result: str, bars: Panel | None = None):
        return product_figure(panels[first], panels[second], panels[result], size, bars)

    def matrix(size: str, name: str, bars: Panel | None = None):
        return matrix_figure(panels[name], size, bars)

    bars = None if turned else panels["bars"]
    drawn = {
        "scores": lambda size: product(size, left, top, "scores"),
        "scaled": lambda size: matrix(size, "scaled"),
        "masked": lambda size: matrix(size, "masked"),
        "weights": lambda size: matrix(size, "weights", bars),
        "output": lambda size: (
            product(size, "value", "weights", "output") if turned else product(size, "weights", "value", "output", bars)
        ),
    }
    names = ("scores", "scaled", "masked", "output") if view == "all" else (stage,)
    if lesson.projector or view == "pair" or is_wide(scene):
        drawn |= {s: lambda size, s=s: matrix(size, s) for s in ("scores", "output")}
    if lesson.projector or view == "pair":
        at = STAGES.index(stage)
        names = STAGES[max(0, at - 1) : at + 1]
        if any(panels[name].below for name in names):  # then both leave room for it: their rows stand side by side
            panels |= {name: replace(panels[name], below=panels[name].below or [""]) for name in names}
    # Two that do not fit beside each other stand with the later one, which was asked for, on top (shell.css).
    key = lesson.key(f"{place}stages{'_pair' if len(names) == 2 else ''}")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key=key):
        for name in names:
            figure = drawn[name](room)
            with st.container(width=figure["layout"]["meta"]["width"]):
                plot(
                    figure,
                    key=lesson.key(f"{place}{name}_picture"),
                    alt=alternative(lesson, scene, name),
                    words=plot_words(lesson, name, scene.source, "sides_transposed" if turned else "sides"),
                    on_click=lambda panel, i, j: _choose(lesson, turned, panel, i, j),
                    narrow=drawn[name]("phone") if figure["layout"]["meta"]["width"] > PHONE else None,
                )
    said = convention(lesson, scene, turned)
    if bars and panels["weights"].below and {"weights", "output"} & set(names):
        said += f" {lesson.text('bars_and_totals')}"
    st.caption(said)


def convention(lesson: Lesson, scene: Scene, turned: bool = False) -> str:
    """Which side asks, what adds to 1 or need not, what the colours mean."""
    way = "_transposed" if turned else ""
    sums = lesson.text(f"sums_{'one' if are_shares(scene.trace.weights) else 'free'}{way}")
    return lesson.text(f"convention{way}", sums=sums)


def _choose(lesson: Lesson, turned: bool, panel: str, row: int, column: int) -> None:
    """A click on a cell chooses the query and the key it belongs to, and the step it was made on."""
    if turned:
        row, column = column, row
    match panel:
        case "query" | "output":
            lesson.keep(row=row)
        case "key":
            lesson.keep(column=column)
        case "value":
            lesson.keep(column=row)
        case _:
            lesson.keep(row=row)
            lesson.keep(column=column)
    if panel in STAGES:
        lesson.keep(stage=panel)


def panels_of(lesson: Lesson, scene: Scene, row: int, column: int) -> dict[str, Panel]:
    """Every matrix of the scene as a panel; the same cell and colours mean the same in all of them."""
    trace = scene.trace
    blocked = ~trace.allowed
    large = is_large(scene)
    hover = None if large else hover_texts(lesson, scene)
    score_limit = symmetric_limit(trace.scores, trace.scaled)
    factor_limit = symmetric_limit(trace.query, trace.key)
    value_limit = symmetric_limit(trace.value)
    features = [str(i + 1) for i in range(trace.query.shape[1])]
    value_features = [str(i + 1) for i in range(trace.value.shape[1])]

    def title(name: str) -> str:
        return lesson.text(f"picture_{name}")

    def square(name: str, **more) -> Panel:
        return Panel(
            scene.matrix(name), scene.queries, scene.keys, name, row=row, column=column, hover=hover,
            title=title(name), named_hover=large, **more,
        )  # fmt: skip

    sums = row_sums(trace.weights)
    bars = Panel(
        trace.weights[[row]],
        [""],
        scene.keys,
        "bars",
        "weight",
        blocked=blocked[[row]],
        hover=hover and [hover[row]],
    )
    return {
        "query": Panel(
            trace.query, scene.queries, features, "query", limit=factor_limit, row=row,
            title=title("query"), role="query",
        ),
        "key": Panel(
            trace.key.T, features, scene.keys, "key", limit=factor_limit, column=column,
            title=title("key"), role="key",
        ),
        "scores": square("scores", limit=score_limit),
        "scaled": square("scaled", limit=score_limit),
        "masked": square("masked", limit=score_limit, blocked=blocked, blocked_text="−∞", behind=trace.capped),
        "weights": square(
            "weights", colours="weight", blocked=blocked, role="weight",
            beside=None if large else [_sum_written(lesson, total) for total in sums],
            below=None if large else [numbers.shown(total, 2, True) for total in received(trace.weights)],
        ),
        "value": Panel(
            trace.value, scene.keys, value_features, "value", limit=value_limit, row=column,
            title=title("value"), role="value",
        ),
        "output": Panel(
            trace.output, scene.queries, value_features, "output", limit=value_limit, row=row,
            title=title("output"), role="output",
        ),
        "bars": bars,
    }  # fmt: skip


def _sum_written(lesson: Lesson, total: float) -> str:
    """The sum of a row of weights, with a mark where it should be 1 and is not."""
    if not total:
        return lesson.text("row_empty")
    return f"Σ {total:.3f}" if np.isclose(total, 1) else f"Σ {total:.3f} ⚠"


def _transposed(panel: Panel) -> Panel:
    def turn(matrix):
        return None if matrix is None else np.asarray(matrix).T

    hover = None if panel.hover is None else [list(texts) for texts in zip(*panel.hover, strict=True)]
    return Panel(
        panel.numbers.T, panel.columns, panel.rows, panel.code, panel.colours, panel.limit, turn(panel.blocked),
        panel.blocked_text, hover, panel.column, panel.row, panel.below, panel.beside, panel.title, panel.role,
        turn(panel.behind), panel.texts and [list(texts) for texts in zip(*panel.texts, strict=True)],
        panel.named_hover,
    )  # fmt: skip


def alternative(lesson: Lesson, scene: Scene, name: str) -> str:
    """The facts of a picture in words: its shape, and for each query what the picture shows of it."""
    trace = scene.trace
    facts = []
    for i, query in enumerate(scene.queries):
        if name in ("weights", "output") and i not in trace.blind_queries and not trace.weights[i].any():
            facts.append(lesson.text("alt_nothing", query=query))
        elif is_wide(scene) and (name != "weights" or i not in trace.blind_queries):
            if name == "weights":
                best = winners(trace.weights, i)
                reads = ", ".join(scene.keys[j] for j in best)
                most = number(trace.weights[i, best[0]], 2)
                facts.append(lesson.text("alt_reads_most", query=query, keys=reads, weight=most))
        elif i in trace.blind_queries:
            facts.append(lesson.text("alt_blind", query=query))
        elif name in ("weights", "output"):
            best = winners(trace.weights, i)
            facts.append(
                lesson.text(
                    "alt_reads",
                    query=query,
                    keys=", ".join(scene.keys[j] for j in best),
                    weight=number(trace.weights[i, best[0]], 2),
                    output=", ".join(number(x, 2) for x in trace.output[i]),
                )
            )
        else:
            shown = ", ".join(number(x, 2) for x in scene.matrix(name)[i])
            facts.append(lesson.text("alt_row", query=query, numbers=shown))
    if name == "weights" and not are_shares(trace.weights):
        name = "weights_no_shares"
    return lesson.text(f"alt_{name}", rows=len(scene.queries), columns=len(scene.keys)) + " " + " ".join(facts)
