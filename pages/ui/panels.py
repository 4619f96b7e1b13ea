"""Pieces that several pages show: badge, flow strip, stages, arithmetic, tables, code."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st

from attention_core import (
    AttentionTrace,
    HeadTrace,
    InputError,
    attention_steps,
    default_scale,
    softmax,
    trace_attention,
)
from attention_core.arithmetic import output_terms, score_terms, softmax_terms
from attention_core.code import COMMENTS, numpy_source, torch_source
from attention_core.comparisons import cosine_attention, share_out
from attention_core.examples import example
from attention_core.export import FORMS, export_matrix
from attention_core.insight import contributions, effective_number, ranks, received, row_sums, winners
from attention_core.masks import blocked_by

from . import figures, vector_figures
from .controls import choice, switch
from .drawing import MOST_ON_AXES, plot
from .errors import SEEN, error_words
from .fields import MOST
from .figures import Panel
from .lesson import Lesson
from .matrix_fields import STAGES, source_of
from .session import is_kept, keep, kept
from .text import as_markdown, numbered

MOST_NAMED = 6  #: keys that a sentence lists


@dataclass(frozen=True, eq=False)
class Scene:
    """What is on screen: one trace, the names of its tokens, and the named masks that made its mask."""

    trace: HeadTrace
    queries: list[str]
    keys: list[str]
    rules: dict[str, np.ndarray]
    other: tuple[str, ...] = ()  #: in what it is not attention as defined: "cosine", "sum", "columns"
    refused: tuple[str, ...] = ()  #: which of these was asked for, but these numbers do not allow it
    before_cosine: tuple[np.ndarray, np.ndarray] | None = None  #: query and key before cosine brought them to length 1

    def matrix(self, stage: str) -> np.ndarray:
        return getattr(self.trace, stage)


def attend(lesson, matrices, allowed, scale, queries, keys, rules, sharing="rows") -> Scene:
    """The trace of what the visitor put in; when that does not fit together, of the last that did, and says so.

    ``scale`` may be "cosine", ``sharing`` one of comparisons.SHARINGS.
    """
    other = tuple(way for way in (scale, sharing) if way in ("cosine", "sum", "columns"))
    before_cosine = (matrices["query"], matrices["key"]) if scale == "cosine" else None
    try:
        if scale == "cosine":
            trace = cosine_attention(**matrices, attn_mask=allowed)
        else:
            trace = trace_attention(**matrices, attn_mask=allowed, scale=scale)
        scene = Scene(share_out(trace, sharing), queries, keys, rules, other, before_cosine=before_cosine)
    except InputError as error:
        way = {"zero_vector": "cosine", "sum_is_zero": "sum"}.get(error.reason)
        used = lesson.text(f"instead_of_{way}" if way else "last_good")
        st.warning(as_markdown(f"{error_words(lesson, error)} {used}"), icon="⚠️")
        if way:
            scale, sharing = (None, sharing) if way == "cosine" else (scale, "rows")
            scene = attend(lesson, matrices, allowed, scale, queries, keys, rules, sharing)
            return replace(scene, refused=(way, *scene.refused))
        return lesson.kept("scene") or _first_scene(lesson)
    lesson.keep(scene=scene)
    return scene


def _first_scene(lesson: Lesson) -> Scene:
    """What the page's example looks like: before there was anything good to see, a link may ask for what is not."""
    first = lesson.page.first(lesson.text)
    trace = trace_attention(*(first[part] for part in SEEN))
    queries, keys = (first[f"{side}_tokens"].split() for side in ("query", "key"))
    return Scene(trace, queries, keys, {"full": trace.allowed})


def badge(lesson: Lesson, source: str) -> None:
    """Where the numbers of the picture come from."""
    st.badge(lesson.text(f"badge_{source}"), color="gray", help=lesson.text(f"badge_{source}_help"))


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


# ------------------------------------------------------------------------------------------------ stages


@st.fragment
def explore(lesson: Lesson, scene: Scene, source: str, settle: Callable[[], None]) -> None:
    """All steps of a scene, and the selected cell of them by hand. Looking around reruns this part alone.

    ``settle`` is called when all changes of the run are in.
    """
    with st.container(horizontal=True, vertical_alignment="center"):
        stage, view = choose_stage(lesson), choose_view(lesson)
        badge(lesson, source)
    say_other(lesson, scene)
    pictures = st.container()
    row, column = choose_cell(lesson, scene)
    say_reading(lesson, scene, row)
    with pictures:
        show_stages(lesson, scene, stage, row, column, view, source)
    show_arithmetic(lesson, scene, stage, row, column)
    settle()


def show_stages(
    lesson: Lesson,
    scene: Scene,
    stage: str,
    row: int,
    column: int,
    view: str,
    source: str,
    place: str = "",
) -> None:
    """The steps as heatmaps: "all" of them, or the chosen one alone ("one", or "wide" where the page gives it room).

    "pair" is the chosen step and the one before it; on a projector it is always these two. ``source`` is their badge's.
    ``place`` tells pictures apart where a page shows the steps a second time.
    """
    turned = lesson.kept("transposed", False)
    panels = panels_of(lesson, scene, row, column)
    if turned:
        panels = {name: _transposed(panel) for name, panel in panels.items()}
    left, top = ("key", "query") if turned else ("query", "key")
    room = "projector" if lesson.projector else {"all": "beside", "one": "alone"}.get(view, view)

    def product(size: str, first: str, second: str, result: str, bars: Panel | None = None):
        return figures.product_figure(panels[first], panels[second], panels[result], size, bars)

    def matrix(size: str, name: str, bars: Panel | None = None):
        return figures.matrix_figure(panels[name], size, bars)

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
                    words=plot_words(lesson, name, source, "sides_transposed" if turned else "sides"),
                    on_click=lambda panel, i, j: _choose(lesson, turned, panel, i, j),
                    narrow=drawn[name]("phone") if figure["layout"]["meta"]["width"] > figures.PHONE else None,
                )
    said = convention(lesson, scene, turned)
    if bars and panels["weights"].below and {"weights", "output"} & set(names):
        said += f" {lesson.text('bars_and_totals')}"
    st.caption(said)


def convention(lesson: Lesson, scene: Scene, turned: bool = False) -> str:
    """Which side asks, what adds to 1 or need not, what the colours mean."""
    way = "_transposed" if turned else ""
    sums = lesson.text(f"sums_{'one' if _are_shares(scene.trace.weights) else 'free'}{way}")
    return lesson.text(f"convention{way}", sums=sums)


def is_large(scene: Scene) -> bool:
    """Whether it has too many tokens for numbers in the cells and a text for each of them."""
    return max(scene.trace.weights.shape) > MOST


def is_wide(scene: Scene) -> bool:
    """Whether Q, K and V have too many numbers to stand beside the scores and the output."""
    return is_large(scene) or max(scene.trace.query.shape[1], scene.trace.value.shape[1]) > MOST


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


def plot_words(lesson: Lesson, name: str, source: str, sides: str = "") -> dict[str, str]:
    """What a picture says on its buttons, to the keyboard, and below itself once it is saved and leaves the page.

    ``source`` is its badge's, or "" where there are no numbers; ``sides`` are the words for which side asks.
    """
    below = [f"badge_{source}" if source else "", sides]
    return {
        "below": "\n".join(lesson.text(key) for key in below if key),
        "png": lesson.text("save_png"),
        "svg": lesson.text("save_svg"),
        "cells": lesson.text("picture_keys"),
        "too_large": lesson.text("picture_too_large"),
        "file": f"attention-{name}",
    }


def panels_of(lesson: Lesson, scene: Scene, row: int, column: int) -> dict[str, Panel]:
    """Every matrix of the scene as a panel; the same cell and colours mean the same in all of them."""
    trace = scene.trace
    blocked = ~trace.allowed
    large = is_large(scene)
    hover = None if large else _hover(lesson, scene)
    score_limit = figures.symmetric_limit(trace.scores, trace.scaled)
    factor_limit = figures.symmetric_limit(trace.query, trace.key)
    value_limit = figures.symmetric_limit(trace.value)
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
            below=None if large else [figures.shown(total, 2, True) for total in received(trace.weights)],
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


def _are_shares(weights: np.ndarray) -> bool:
    """Whether each row shares out 1, or nothing at all."""
    sums = row_sums(weights)
    return bool((weights >= 0).all() and (np.isclose(sums, 1) | (sums == 0)).all())


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


def _hover(lesson: Lesson, scene: Scene) -> list[list[str]]:
    trace = scene.trace
    return [
        [
            lesson.text(
                "hover_cell" if trace.allowed[i, j] else "hover_blocked",
                query=query,
                key=key,
                i=i + 1,
                j=j + 1,
                score=number(trace.scores[i, j], 3),
                scaled=number(trace.scaled[i, j], 3),
                weight=number(trace.weights[i, j], 4),
            )
            for j, key in enumerate(scene.keys)
        ]
        for i, query in enumerate(scene.queries)
    ]


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
    if name == "weights" and not _are_shares(trace.weights):
        name = "weights_no_shares"
    return lesson.text(f"alt_{name}", rows=len(scene.queries), columns=len(scene.keys)) + " " + " ".join(facts)


# -------------------------------------------------------------------------------------------- arithmetic


def number(x: float, precision: int = 4) -> str:
    """A number for reading, with ``precision`` decimals where it needs them, and never a false 0."""
    if x == -np.inf:
        return "−∞"
    if (x and round(x, precision) == 0) or abs(x) >= 1e9:
        text = f"{x:.{max(1, precision - 2)}e}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")
        return text.replace("-", "−")
    return figures.rounded(x, precision)


def _factor(x: float, precision: int) -> str:
    """A number inside a product or sum: in brackets when negative."""
    text = number(x, precision)
    return f"({text})" if text.startswith("−") else text


def products(terms, precision: int) -> str:
    """A dot product written out: each product, the sum."""
    pairs = zip(terms.left, terms.right, strict=True)
    written = " + ".join(f"{_factor(a, precision)}×{_factor(b, precision)}" for a, b in pairs)
    return f"{written} = **{number(terms.total, precision)}**"


def scale_written(trace: AttentionTrace, precision: int) -> str:
    """What was done to the scores, as one reads it: ÷ √d_k, or × the number."""
    n_features = trace.query.shape[1]
    root = default_scale(n_features)
    if np.isclose(trace.scale, root, rtol=1e-12):
        return f"÷ √{n_features}"
    if trace.scale == 1:
        return "× 1"
    return f"× {number(trace.scale, max(4, precision))}"


def show_arithmetic(
    lesson: Lesson, scene: Scene, stage: str, row: int, column: int, precision: int = 4, only: bool = False
) -> None:
    """Every number of the selected cell written out, step by step; the lit step stands out."""
    trace, p = scene.trace, precision
    query, key = as_markdown(scene.queries[row]), as_markdown(scene.keys[column])
    lines = {
        "scores": f"q({query}) · k({key}) = {products(score_terms(trace, row, column), p)}",
        "scaled": f"{number(trace.scores[row, column], p)} {scale_written(trace, p)}"
        f" = **{number(trace.scaled[row, column], p)}**",
        "masked": _mask_line(lesson, scene, row, column, p),
        "weights": _softmax_line(lesson, scene, row, column, p),
        "output": "<br>".join(
            f"{lesson.text('coordinate', number=feature + 1)}: {products(output_terms(trace, row, feature), p)}"
            for feature in range(trace.value.shape[1])
        ),
    }
    written = [lesson.markdown("arithmetic_of", query=scene.queries[row], key=scene.keys[column])]
    for name, line in lines.items():
        if name == stage or not only:
            mark = "▸ " if name == stage else ""
            written.append(f"{mark}**{_step_words(lesson, trace, name)}** &ensp; {line}")
    st.markdown("\n\n".join(written), unsafe_allow_html=True)


def _step_words(lesson: Lesson, trace: AttentionTrace, name: str) -> str:
    is_other = name == "scaled" and "√" not in scale_written(trace, 4)
    return lesson.text("step_scaled_other" if is_other else f"step_{name}")


def _mask_line(lesson: Lesson, scene: Scene, row: int, column: int, p: int) -> str:
    trace = scene.trace
    slots = {"query": scene.queries[row], "key": scene.keys[column]}
    if trace.allowed[row, column]:
        return lesson.markdown("mask_lets", score=number(trace.masked[row, column], p), **slots)
    rules = blocked_by(scene.rules, row, column)
    names = ", ".join(lesson.text(f"rule_{rule}") for rule in rules)
    return lesson.markdown("mask_blocks", rules=names, **slots)


def _softmax_line(lesson: Lesson, scene: Scene, row: int, column: int, p: int) -> str:
    trace, down = scene.trace, ""
    if "columns" in scene.other:  # the same sum, down the column: as if keys asked queries
        trace = replace(trace, masked=trace.masked.T, allowed=trace.allowed.T, weights=trace.weights.T)
        down, row, column = "_column", column, row
    terms = softmax_terms(trace, row)
    if terms.largest is None:
        return lesson.markdown(f"row_blind{down}", query=(scene.keys if down else scene.queries)[row])
    powers = " + ".join(
        number(e, p) if allowed else "0" for e, allowed in zip(terms.exponentials, terms.allowed, strict=True)
    )
    lines = [lesson.text(f"softmax_largest{down}", largest=number(terms.largest, p))]
    if terms.allowed[column]:
        shift = f"{number(terms.masked[column], p)} − {_factor(terms.largest, p)}"
        power = number(terms.shifted[column], p)
        lines.append(f"e<sup>{shift}</sup> = e<sup>{power}</sup> = {number(terms.exponentials[column], p)}")
    else:
        lines.append("e<sup>−∞</sup> = 0")
    lines.append(lesson.text(f"softmax_sum{down}", sum=f"{powers} = {number(terms.total, p)}"))
    lines.append(
        f"{number(terms.exponentials[column], p)} ÷ {number(terms.total, p)} = **{number(terms.weights[column], p)}**"
    )
    return " · ".join(lines)


def show_sheet(lesson: Lesson, scene: Scene, stage: str, precision: int) -> None:
    """One query on paper: a line for each key, a column for each step up to the lit one, then the mixture."""
    trace, p = scene.trace, precision
    terms = softmax_terms(trace, 0)
    # On paper one writes e^score; the computer takes the largest off first. Both give the same shares, but e^score
    # of a large score does not fit any more, so then the paper follows the computer.
    shift = terms.largest if terms.largest is not None and abs(terms.largest) > 20 else 0.0
    by_sum = "sum" in scene.other
    parts = np.where(trace.allowed[0], trace.masked[0], 0.0) if by_sum else np.exp(trace.masked[0] - shift)
    shift_written = f" − {_factor(shift, p)}" if shift else ""
    steps = {
        "scores": [products(score_terms(trace, 0, j), p) for j in range(len(scene.keys))],
        "scaled": [
            f"{number(score, p)} {scale_written(trace, p)} = **{number(scaled, p)}**"
            for score, scaled in zip(trace.scores[0], trace.scaled[0], strict=True)
        ],
        "masked": [number(masked, p) for masked in trace.masked[0]],
        "weights": [
            f"e<sup>{number(m, p)}{shift_written}</sup> = {number(e, p)}"
            for m, e in zip(trace.masked[0], parts, strict=True)
        ],
        "shares": [
            f"{number(e, p)} ÷ {_factor(parts.sum(), p)} = **{number(w, p)}**" if parts.sum() else "0"
            for e, w in zip(parts, trace.weights[0], strict=True)
        ],
    }
    names = list(STAGES[: STAGES.index(stage) + 1])
    if trace.allowed.all() and "masked" in names:
        names.remove("masked")
    if "output" in names:
        names.remove("output")
    if "weights" in names:
        names[-1:] = ["shares"] if by_sum else ["weights", "shares"]
    head = [lesson.text("sheet_key"), *(_step_words(lesson, trace, name) for name in names)]
    rows = [[as_markdown(key), *(steps[name][j] for name in names)] for j, key in enumerate(scene.keys)]
    if "shares" in names:
        sums = {names[-2]: number(parts.sum(), p), "shares": f"**{number(trace.weights.sum(), p)}**"}
        rows.append(["Σ", *(sums.get(name, "") for name in names)])
    table = [head, ["---"] * len(head), *rows]
    with st.container(key="sheet_projector" if lesson.projector else "sheet"):
        st.markdown("\n".join(f"| {' | '.join(row)} |" for row in table), unsafe_allow_html=True)
        if stage == "output":
            for feature in range(trace.value.shape[1]):
                written = products(output_terms(trace, 0, feature), p)
                st.markdown(f"{lesson.text('coordinate', number=feature + 1)}: {written}")
    st.caption(lesson.text("rounding"))


def show_vectors(lesson: Lesson, scene: Scene) -> None:
    """One query in pictures: arrows, weights, what each key puts in, and where the output lies among the values."""
    trace = scene.trace
    if max(np.abs(m).max() for m in (trace.query, trace.key, trace.value, trace.scaled)) > MOST_ON_AXES:
        lesson.warn("too_large_to_draw")
        return
    limit = lesson.kept("arrow_limit", 1.5)
    largest = max(np.abs(trace.query).max(), np.abs(trace.key).max())
    if limit > 100 * max(largest, 1.5):
        limit = 1.5
    while limit < largest:  # grows, never shrinks: the axes must not jump to and fro while the query is dragged
        limit *= 2
    lesson.keep(arrow_limit=limit)
    hover = _hover(lesson, scene)
    row = Panel(
        trace.weights,
        [""],
        scene.keys,
        "weights",
        "weight",
        blocked=~trace.allowed,
        hover=hover,
        role="weight",
    )
    mixed = contributions(trace, 0)
    allowed = trace.allowed[0]
    order = {name: ranks(scene.matrix(name)[0], allowed) for name in ("scaled", "weights")}
    drawn = {
        "score_bars": vector_figures.score_bars_figure(trace.scaled[0], scene.keys, allowed, order["scaled"]),
        "bars": figures.bars_figure(row, order["weights"]),
    }
    inside = "values" if _are_shares(trace.weights) else "values_no_shares"
    if trace.query.shape[1] == 2:
        drawn = {"arrows": vector_figures.arrows_figure(trace.query[0], trace.key, scene.keys, limit)} | drawn
    features = [str(i + 1) for i in range(trace.value.shape[1])]
    drawn["mixture"] = vector_figures.contributions_figure(mixed, scene.keys, features)
    if trace.value.shape[1] == 2:
        drawn["values"] = vector_figures.values_figure(trace.value, scene.keys, allowed, trace.output[0])
    facts = {
        "query": ", ".join(number(x, 2) for x in trace.query[0]),
        "weights": ", ".join(f"{k} {number(w, 3)}" for k, w in zip(scene.keys, trace.weights[0], strict=True)),
        "scores": ", ".join(f"{k} {number(s, 3)}" for k, s in zip(scene.keys, trace.masked[0], strict=True)),
        "output": ", ".join(number(x, 3) for x in trace.output[0]),
    }
    if lesson.projector:
        drawn = {name: figures.enlarged(figure, 1.7) for name, figure in drawn.items()}
    with st.container(horizontal=True, key=lesson.key("vectors")):
        for name, figure in drawn.items():
            with st.container(width=figure["layout"]["meta"]["width"], gap="xsmall"):
                st.markdown(f"**{lesson.text(f'picture_{name}')}**")
                plot(
                    figure,
                    key=lesson.key(f"{name}_picture"),
                    alt=lesson.text(f"alt_{inside if name == 'values' else name}", **facts),
                    words=plot_words(lesson, name, source_of(lesson)),
                )
    if not allowed.any():
        return
    places = [place for _, place in sorted(zip(order["scaled"], order["weights"], strict=True))]
    st.caption(lesson.text("order_kept" if places == sorted(places) else "order_lost"))
    if _are_shares(trace.weights):
        mean = ", ".join(number(x, 3) for x in trace.value[allowed].mean(axis=0))
        st.caption(lesson.text("plain_mean", mean=mean, output=facts["output"]))
    if trace.query.shape[1] != 2:
        st.caption(lesson.text("not_a_plane", d_k=trace.query.shape[1]))


def show_printed(lesson: Lesson, scene: Scene) -> None:
    """Where an article printed other numbers than come out: both, while all is as it computed them."""
    name = lesson.kept("example", "")
    given, printed = example(name), example(name).printed
    if not printed or scene.other or source_of(lesson) == "typed":
        return
    own = trace_attention(given.query, given.key, given.value, given.allowed)
    if not (scene.trace.scale == own.scale and np.array_equal(scene.trace.masked, own.masked)):
        return
    lesson.say(f"printed_{name}")
    table = {}
    for step, numbers in printed.items():
        table[f"{lesson.text(f'picture_{step}')}: {lesson.text('printed')}"] = [number(x, 6) for x in numbers]
        computed = [number(x, 4) for x in scene.matrix(step)[0]]
        table[f"{lesson.text(f'picture_{step}')}: {lesson.text('computed')}"] = computed
    st.table(pd.DataFrame.from_dict(table, orient="index", columns=list(map(as_markdown, scene.keys))))


def say_reading(lesson: Lesson, scene: Scene, row: int) -> None:
    """What the selected row says, in words: whom it reads most, and about how many keys."""
    trace = scene.trace
    if row in trace.blind_queries:
        lesson.say("row_blind", query=scene.queries[row])
        return
    if not trace.weights[row].any():
        lesson.warn("row_nothing", query=scene.queries[row])
        return
    if not _are_shares(trace.weights[[row]]):
        weights = ", ".join(number(w, 3) for w in trace.weights[row])
        lesson.warn("row_no_shares", query=scene.queries[row], weights=weights, sum=f"{trace.weights[row].sum():.3f}")
        return
    first, count = winners(trace.weights, row), int(trace.allowed[row].sum())
    lesson.say(
        "row_alike" if len(first) == count > 3 else "row_reads",
        query=scene.queries[row],
        keys=", ".join(scene.keys[j] for j in first[:MOST_NAMED]) + " …" * (len(first) > MOST_NAMED),
        weight=number(trace.weights[row].max(), 3),
        effective=number(float(effective_number(trace.weights)[row]), 1),
        count=count,
        sum=f"{row_sums(trace.weights)[row]:.3f}",
    )


def say_recap(lesson: Lesson, scene: Scene) -> None:
    """The four steps in one breath, with the divisor and the smallest share on screen, where those were done."""
    if scene.other or "√" not in scale_written(scene.trace, 4):
        return
    n_features = scene.trace.query.shape[1]
    shares = scene.trace.weights[0][scene.trace.allowed[0]]
    smallest = number(float(shares.min(initial=1)), 4) if len(shares) else "0"
    lesson.say("recap", d_k=n_features, root=f"{np.sqrt(n_features):.4f}", smallest=smallest)


def show_ladder(lesson: Lesson, scene: Scene) -> None:
    """The shapes that must fit: (n_q×d_k)·(d_k×n_k) → n_q×n_k, then ·(n_k×d_v) → n_q×d_v."""
    (n_q, d_k), (n_k, d_v) = scene.trace.query.shape, scene.trace.value.shape
    st.caption(lesson.text("ladder", n_q=n_q, d_k=d_k, n_k=n_k, d_v=d_v))


# ---------------------------------------------------------------------------------- tables, export, code


def show_tables(lesson: Lesson, scene: Scene) -> None:
    """The same numbers as the pictures, as real tables."""
    with st.expander(lesson.text("tables"), key=lesson.key("tables"), on_change="rerun") as box:
        if not box.open:
            return
        keys = [f"{j + 1} {key}" for j, key in enumerate(scene.keys)]
        for name in STAGES:
            columns = keys if name != "output" else [str(j + 1) for j in range(scene.trace.value.shape[1])]
            st.markdown(f"**{lesson.text(f'picture_{name}')}**")
            rows = [f"{i + 1} {query}" for i, query in enumerate(scene.queries)]
            table = pd.DataFrame(scene.matrix(name), index=rows, columns=columns).map(lambda x: number(x, 6))
            if name == "weights":
                table["Σ"] = [number(total, 6) for total in row_sums(scene.trace.weights)]
            st.table(table.rename(index=as_markdown, columns=as_markdown), alt=lesson.text(f"picture_{name}"))


def show_export(lesson: Lesson, scene: Scene) -> None:
    """Any matrix with its names, in any of the forms that other programs read."""
    with st.expander(lesson.text("export"), key=lesson.key("export"), on_change="rerun") as box:
        if not box.open:
            return
        name = st.pills(
            lesson.text("export_matrix"),
            ("query", "key", "value", "allowed", *STAGES),
            default="weights",
            format_func=lambda name: SEEN.get(name) or lesson.text(f"picture_{name}"),
            key=lesson.key("export_matrix"),
            required=True,
        )
        form = st.pills(
            lesson.text("export_form"),
            tuple(FORMS),
            default="csv",
            format_func=lambda name: lesson.text(f"form_{name}"),
            key=lesson.key("export_form"),
            required=True,
        )
        matrix = scene.matrix(name)
        rows = scene.keys if name in ("key", "value") else scene.queries
        has_features = name in ("query", "key", "value", "output")
        columns = [str(j + 1) for j in range(matrix.shape[1])] if has_features else scene.keys
        text = export_matrix(matrix, form, rows, columns, (lesson.text("export_rows"), lesson.text("export_columns")))
        st.code(text, language=None)
        for note in ("latex", "json"):
            if form == note:
                lesson.say(f"export_{note}")
        st.download_button(
            lesson.text("download"),
            text,
            file_name=f"{name}.{FORMS[form].ending}",
            key=lesson.key("export_download"),
            on_click="ignore",
        )


def show_code(lesson: Lesson, scene: Scene, temperature: float = 1.0) -> None:
    """Programs that compute what is on screen, and the lines of this app that did."""
    with st.expander(lesson.text("code"), key=lesson.key("code"), on_change="rerun") as box:
        if not box.open:
            return
        source = st.segmented_control(
            lesson.text("code_choice"),
            ("numpy", "torch", "app"),
            default="numpy",
            format_func=lambda name: lesson.text(f"code_{name}"),
            key=lesson.key("code_choice"),
            required=True,
        )
        if set(scene.other) & {"sum", "columns"}:
            lesson.say("code_as_defined")
        if source == "app":
            st.code(inspect.getsource(attention_steps) + "\n\n" + inspect.getsource(softmax), language="python")
            return
        program = {"numpy": numpy_source, "torch": torch_source}[source](
            scene.trace,
            {place: lesson.text(f"comment_{place}") for place in COMMENTS},
            {lesson.text("code_queries"): scene.queries, lesson.text("code_keys"): scene.keys},
            temperature,
            scene.before_cosine,
        )
        st.code(program, language="python")
