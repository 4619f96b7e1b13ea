"""The steps of attention in writing: arithmetic, the sheet, sentences."""

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from attention_core import (
    AttentionTrace,
    default_scale,
    trace_attention,
)
from attention_core.arithmetic import output_terms, score_terms, softmax_terms
from attention_core.examples import example
from attention_core.insight import contributions, effective_number, ranks, row_sums, winners
from attention_core.masks import blocked_by
from pages.ui.lessons.scene import MOST_NAMED, Scene, are_shares, hover_texts, plot_words
from pages.ui.pictures import vectors as vector_figures
from pages.ui.pictures.bars import bars_figure
from pages.ui.pictures.numbers import number
from pages.ui.pictures.panel import Panel
from pages.ui.pictures.plane import enlarged
from pages.ui.state.matrix_fields import STAGES
from pages.ui.text import as_markdown
from pages.ui.widgets.drawing import MOST_ON_AXES, plot
from pages.ui.widgets.lesson import Lesson


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
    hover = hover_texts(lesson, scene)
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
        "bars": bars_figure(row, order["weights"]),
    }
    inside = "values" if are_shares(trace.weights) else "values_no_shares"
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
        drawn = {name: enlarged(figure, 1.7) for name, figure in drawn.items()}
    with st.container(horizontal=True, key=lesson.key("vectors")):
        for name, figure in drawn.items():
            with st.container(width=figure["layout"]["meta"]["width"], gap="xsmall"):
                st.markdown(f"**{lesson.text(f'picture_{name}')}**")
                plot(
                    figure,
                    key=lesson.key(f"{name}_picture"),
                    alt=lesson.text(f"alt_{inside if name == 'values' else name}", **facts),
                    words=plot_words(lesson, name, scene.source),
                )
    if not allowed.any():
        return
    places = [place for _, place in sorted(zip(order["scaled"], order["weights"], strict=True))]
    st.caption(lesson.text("order_kept" if places == sorted(places) else "order_lost"))
    if are_shares(trace.weights):
        mean = ", ".join(number(x, 3) for x in trace.value[allowed].mean(axis=0))
        st.caption(lesson.text("plain_mean", mean=mean, output=facts["output"]))
    if trace.query.shape[1] != 2:
        st.caption(lesson.text("not_a_plane", d_k=trace.query.shape[1]))


def show_printed(lesson: Lesson, scene: Scene) -> None:
    """Where an article printed other numbers than come out: both, while all is as it computed them."""
    name = lesson.kept("example", "")
    given, printed = example(name), example(name).printed
    if not printed or scene.other or scene.source == "typed":
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
    if not are_shares(trace.weights[[row]]):
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
