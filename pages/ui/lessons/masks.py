"""Pieces of the lesson on masks: other ways to hide, pushes instead of bans, names, empty rows, tiles."""

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from attention_core import AttentionTrace, InputError, masks, trace_attention
from attention_core.biases import alibi_slopes, distance_slope
from attention_core.comparisons import FULLY_MASKED_ROWS, WAYS_TO_HIDE, Outcome, add_penalty, scores_before_mask
from pages.ui.lessons.scene import Scene, plot_words
from pages.ui.lessons.stages import show_stages
from pages.ui.pictures import vectors as vector_figures
from pages.ui.pictures.heatmaps import matrix_figure
from pages.ui.pictures.numbers import number
from pages.ui.pictures.panel import Panel
from pages.ui.state.fields import MOST, Choice, Field, Flag, Number, Whole
from pages.ui.state.mask_rules import ALONE, RULES, rule_fields
from pages.ui.state.matrices import SEEN, matrix_of, put_mask
from pages.ui.state.matrix_fields import CELL, SECOND, STAGE, fit, in_use, limits_here, numbers, start
from pages.ui.state.settings import Page, put
from pages.ui.text import as_markdown
from pages.ui.widgets.controls import choice, set_number, switch
from pages.ui.widgets.drawing import plot
from pages.ui.widgets.errors import error_words
from pages.ui.widgets.examples import load_example, source_of
from pages.ui.widgets.lesson import Lesson
from pages.ui.widgets.matrices import edit_matrices

PAGE = Page(
    "masks",
    (
        *numbers("abc_self"),
        *rule_fields(*RULES),
        Field("combine", Choice(("alone", "and", "or"), "combine"), "alone"),
        Field("second", Choice(tuple(rule for rule in RULES if rule not in ALONE), "rule")),
        *SECOND,
        Field("hiding", Choice(("penalty", "block"), "hiding"), "penalty"),
        Field("penalty", Number(-1e12, 0, "no_penalty"), -2.0),
        Field("bias", Choice(("none", "distance", "alibi"), "bias"), "none"),
        Field("slope", Number(-100, 100), 0.5),
        Field("heads", Whole(1, MOST), 8),
        Field("head", Whole(1, MOST), 1),
        Field("capped", Flag(), False),
        Field("softcap", Number(1e-3, 1e6), 1.0),
        Field("tile", Whole(1, MOST), 1),
        Field("tiles_seen", Whole(1, MOST), is_view=True),
        Field("change", Number(-1e6, 1e6), 1.0),
        Field("real", Whole(0, MOST)),
        STAGE,
        replace(CELL[0], first=1),
        replace(CELL[1], first=2),
        CELL[2],
        Field("polarity", Choice(("keep", "hide", "add"), "polarity"), "keep", is_view=True),
    ),
    start,
    {"rule": "causal"},
    fit,
    in_use,
)
STILL = 1e-12  #: an output that moves less has not moved
PENALTIES = [-1e9, -1e4, *(float(p) for p in range(-20, 1))]
TORCH_CALLS = {
    "keep": "F.scaled_dot_product_attention(query, key, value, attn_mask=allowed)",
    "hide": "torch.nn.MultiheadAttention(...)(query, key, value, attn_mask=hidden)",
    "add": "F.scaled_dot_product_attention(query, key, value, attn_mask=additions)",
}


# ------------------------------------------------------------------------------------------- the mask itself


def edit_in_drawer(lesson: Lesson, queries: list[str], keys: list[str]) -> dict[str, np.ndarray]:
    """Q, K and V as grids while the drawer is open; what they are while it is closed."""
    with st.expander(lesson.text("matrices"), key=lesson.key("matrices"), on_change="rerun") as drawer:
        if drawer.open:
            return edit_matrices(lesson, {"query": queries, "key": keys, "value": keys})
    return {name: matrix_of(lesson.key(name)) for name in SEEN}


def say_mask(lesson: Lesson, rules, allowed: np.ndarray, queries: list[str], keys: list[str]) -> None:
    """How many cells are allowed, who may read nothing, and for unequal lengths both corners."""
    counter = lesson.text("counter", count=int(allowed.sum()), all=allowed.size)
    n_query, n_key = allowed.shape
    equal = "causal" in rules and n_query == n_key
    st.caption(f"{counter} {lesson.text('corners_equal')}" if equal else counter)
    blind = np.flatnonzero(~allowed.any(axis=1))
    if blind.size:
        lesson.warn("blind_rows", who=", ".join(queries[i] for i in blind))
    if "causal" in rules and not equal:
        lesson.say("corners", n_query=n_query, n_key=n_key)
        with st.container(horizontal=True):
            for corner, offset in (("top", 0), ("bottom", n_key - n_query)):
                mask = masks.causal(n_query, n_key, offset)
                _show_mask(lesson, f"corner_{corner}", f"corner_{corner}", mask, queries, keys)


def say_cell(lesson: Lesson, scene: Scene, row: int, column: int) -> None:
    """Whether the selected query may look at the selected key, and if not, which rules forbid it."""
    names = {"query": scene.queries[row], "key": scene.keys[column]}
    if scene.trace.allowed[row, column]:
        lesson.say("cell_allowed", **names)
    else:
        rules = ", ".join(lesson.text(f"rule_{rule}") for rule in masks.blocked_by(scene.rules, row, column))
        lesson.say("cell_blocked", rules=rules, **names)


def _show_mask(lesson: Lesson, name: str, title: str, mask: np.ndarray, queries, keys, words=("", "")) -> None:
    """A mask as a picture; ``words`` is what a blocked and an allowed cell are called."""
    panel = Panel(
        np.zeros(mask.shape), queries, keys, "mask", "weight", blocked=~mask,
        texts=[[words[int(cell)] for cell in row] for row in mask], title=lesson.text(title),
    )  # fmt: skip
    facts = "; ".join(
        f"{query}: {', '.join(k for k, cell in zip(keys, row, strict=True) if cell) or '–'}"
        for query, row in zip(queries, mask, strict=True)
    )
    alt = lesson.text("alt_mask", facts=facts)
    draw(lesson, name, matrix_figure(panel, "beside"), alt, source_of(lesson), "sides")


def draw(lesson: Lesson, name: str, figure, alt: str, source: str, sides: str = "") -> None:
    with st.container(width=figure["layout"]["meta"]["width"]):
        words = plot_words(lesson, f"masks-{name}", source, sides)
        plot(figure, key=lesson.key(f"{name}_picture"), alt=alt, words=words)


# --------------------------------------------------------------------------------------- other ways to hide


def show_ways(lesson: Lesson, scene: Scene, row: int) -> None:
    """The selected query's hidden keys, hidden in seven ways, one bug twice: weights, sum, output."""
    st.button(lesson.text("ways_case"), key=lesson.key("ways_case"), on_click=_article_case, args=(lesson,))
    trace, query = scene.trace, scene.queries[row]
    if trace.allowed[row].all():
        lesson.say("ways_nothing_hidden", query=query)
    scores, allowed = scores_before_mask(trace)[[row]], trace.allowed[[row]]
    ways = {name: _outcome(way, scores, allowed, trace.value) for name, way in WAYS_TO_HIDE.items()}
    # A query turned round turns the sign of all its scores.
    ways["turned_round"] = _outcome(WAYS_TO_HIDE["multiply_by_minus_1e9"], -scores, allowed, trace.value)
    names = [f"{i} · {lesson.text(f'way_{name}')}" for i, name in enumerate(ways, start=1)]
    d_v = trace.value.shape[1]
    table, picture = st.columns([0.64, 0.36], gap="medium") if d_v == 2 else (st.container(), st.container())
    with table:
        lesson.say("ways_of", query=query, q=", ".join(number(x, 2) for x in trace.query[row]))
        outcomes = dict(zip(names, ways.values(), strict=True))
        _outcome_table(lesson, scene, outcomes, lesson.text("alt_ways"))
        lesson.say("ways")
    with picture:
        if d_v == 2:
            _show_outputs(lesson, scene, row, list(ways.values()))
        else:
            st.caption(lesson.text("ways_no_plane", d_v=d_v))


def _article_case(lesson: Lesson) -> None:
    """q = (1, 0) with the third key hidden from everyone: article 3's second run, in the first row."""
    load_example(lesson, "abc_self")
    put(lesson.page, {"rule": "padding", "length": 2, "side": "right"})


def _outcome(way, *arguments) -> Outcome | InputError:
    try:
        return way(*arguments)
    except InputError as error:
        return error


def _outcome_table(
    lesson: Lesson,
    scene: Scene,
    outcomes: dict[str, Outcome | InputError],
    alt: str,
    who: list[str] | None = None,
) -> None:
    """One line for each way: weights, Σ (flagged when it is not 1), output, and who does it so."""
    lines = {}
    for place, (name, outcome) in enumerate(outcomes.items()):
        if isinstance(outcome, InputError):
            line = ["–"] * len(scene.keys) + ["–", as_markdown(error_words(lesson, outcome))]
        else:
            total = outcome.row_sums[0]
            flag = "" if np.isclose(total, 1) else "⚠ "
            line = [_written(w) for w in outcome.weights[0]] + [
                flag + _written(total),
                _point(outcome.output[0]),
            ]
        lines[as_markdown(name)] = line + ([who[place]] if who else [])
    columns = [as_markdown(f"{j + 1} {label}") for j, label in enumerate(scene.keys)]
    columns += ["Σ", lesson.text("picture_output")] + ([lesson.text("who_does_it")] if who else [])
    st.table(pd.DataFrame.from_dict(lines, orient="index", columns=columns), alt=alt)


def _written(x: float) -> str:
    return "NaN" if np.isnan(x) else number(x, 4)


def _point(output: np.ndarray) -> str:
    return f"({', '.join('NaN' if np.isnan(x) else number(x, 3) for x in output)})"


def _show_outputs(lesson: Lesson, scene: Scene, row: int, outcomes: list[Outcome | InputError]) -> None:
    """Where each way's output lies among the values; ways with the same output share a ring."""
    rings: dict[tuple, list[int]] = {}
    for i, outcome in enumerate(outcomes, start=1):
        if isinstance(outcome, Outcome) and np.isfinite(outcome.output).all():
            rings.setdefault(tuple((outcome.output[0] + 0.0).round(9)), []).append(i)
    names = [_line_numbers(lines) for lines in rings.values()]
    trace = scene.trace
    figure = vector_figures.outputs_figure(
        trace.value,
        scene.keys,
        trace.allowed[row],
        np.array(list(rings)).reshape(-1, 2),
        names,
    )
    facts = "; ".join(f"{name}: {_point(np.array(at))}" for name, at in zip(names, rings, strict=True))
    draw(lesson, "ways", figure, lesson.text("alt_outputs", facts=facts), scene.source)
    st.caption(lesson.text("outputs"))


def _line_numbers(lines: list[int]) -> str:
    """3, 4, 5 and 7 as "3–5, 7"."""
    runs = [[lines[0], lines[0]]]
    for line in lines[1:]:
        if line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return ", ".join(f"{first}" if first == last else f"{first}–{last}" for first, last in runs)


# ------------------------------------------------------------------------------------ a push instead of a ban


def view_for(scene: Scene) -> str:
    """Two steps beside each other while they fit beside the mask, else the chosen one alone."""
    return "pair" if max(scene.trace.allowed.shape) <= 7 else "one"


def show_push(lesson: Lesson, scene: Scene, row: int, column: int) -> AttentionTrace:
    """What is added to scores instead of hiding them; returns the trace with it."""
    controls, pictures = st.columns([0.4, 0.6], gap="medium")
    with controls:
        penalty = _choose_penalty(lesson)
        bias = _choose_bias(lesson, scene.trace.allowed.shape)
        softcap = _choose_softcap(lesson)
    trace, hidden = scene.trace, ~scene.trace.allowed
    if penalty is not None:
        bias = np.where(hidden, penalty, 0.0) + (0.0 if bias is None else bias)
    pushed = traced(lesson, scene, mask=trace.allowed if penalty is None else None, bias=bias, softcap=softcap)
    leak = float(pushed.weights[row][hidden[row]].sum())
    query = scene.queries[row]
    with pictures:
        if hidden[row].any():
            lesson.say("leak", query=query, count=int(hidden[row].sum()), share=number(100 * leak, 4))
        else:
            lesson.say("leak_none", query=query)
        again = replace(scene, trace=pushed)
        show_stages(lesson, again, "weights", row, column, "pair", place="push_")
    return pushed


def _choose_penalty(lesson: Lesson) -> float | None:
    """What a hidden key's score is lowered by; None blocks it."""
    with st.container(width="content", gap="xsmall"):
        if choice(lesson, "hiding") == "block":
            return None
        return set_number(lesson, "penalty", stops=PENALTIES, box_label=lesson.text("penalty_box"), slider_width=220)


def _choose_bias(lesson: Lesson, shape: tuple[int, int]) -> np.ndarray | None:
    """(L, S) what near keys gain over far ones, or None."""
    with st.container(width="content", gap="xsmall"):
        kind = choice(lesson, "bias")
        if kind == "none":
            return None
        with st.container(horizontal=True, vertical_alignment="bottom"):
            if kind == "distance":
                slope = set_number(lesson, "slope")
            else:
                heads = set_number(lesson, "heads")
                head = set_number(lesson, "head", limits_here({"heads": heads}, 1)["head"])
        if kind == "alibi":
            slopes = alibi_slopes(heads)
            slope = float(slopes[head - 1])
            st.caption(lesson.text("alibi_slopes", slopes=", ".join(f"{s:.6g}" for s in slopes), slope=f"{slope:.6g}"))
    return distance_slope(*shape, slope)


def _choose_softcap(lesson: Lesson) -> float | None:
    with st.container(width="content", gap="xsmall"):
        if not switch(lesson, "capped"):
            return None
        return set_number(lesson, "softcap")


def traced(lesson: Lesson, scene: Scene, mask=None, **more) -> AttentionTrace:
    """The scene's trace with something changed; when that overflows, the scene's own, and says so."""
    trace = scene.trace
    parts = {name: more.pop(name, getattr(trace, name)) for name in SEEN}
    try:
        return trace_attention(**parts, attn_mask=mask, scale=trace.scale, **more)
    except InputError as error:
        st.warning(as_markdown(f"{error_words(lesson, error)} {lesson.text('last_good')}"), icon="⚠️")
        return trace


# ------------------------------------------------------------------------------------- what a mask is called


def show_polarity(lesson: Lesson, scene: Scene) -> None:
    """The same mask as three libraries write it, with the call that takes it."""
    polarity = choice(lesson, "polarity")
    words = {"keep": ("False", "True"), "hide": ("True", "False"), "add": ("−∞", "0")}[polarity]
    picture, said = st.columns([0.4, 0.6], gap="medium")
    with picture:
        mask, title = scene.trace.allowed, f"polarity_{polarity}"
        _show_mask(lesson, "polarity", title, mask, scene.queries, scene.keys, words)
    with said:
        lesson.say(f"polarity_{polarity}_means")
        st.markdown(f"`{TORCH_CALLS[polarity]}`")
        lesson.say("polarity_note")


# ------------------------------------------------------------------------------------------- an empty row


def show_blind(lesson: Lesson, scene: Scene, row: int) -> None:
    """What becomes of the selected query when every key is hidden: zeros, NaN, an average, an error."""
    trace, query = scene.trace, scene.queries[row]
    emptied = trace.allowed.copy()
    emptied[row] = False
    st.button(
        lesson.text("blind_button"), key=lesson.key("blind_button"), disabled=row in trace.blind_queries,
        on_click=put_mask, args=(lesson.name, "custom", emptied),
    )  # fmt: skip
    lesson.say("blind", query=query)
    scores, nothing = scores_before_mask(trace)[[row]], emptied[[row]]
    outcomes = {name: _outcome(way, scores, nothing, trace.value) for name, way in FULLY_MASKED_ROWS.items()}
    for name, dtype in (("add32", np.float32), ("add64", np.float64)):
        outcomes[name] = _outcome(add_penalty, scores, nothing, trace.value, -1e9, dtype)
    named = {lesson.text(f"blind_{name}"): outcome for name, outcome in outcomes.items()}
    who = [lesson.text(f"blind_{name}_who") for name in outcomes]
    _outcome_table(lesson, scene, named, lesson.text("alt_blind_rows"), who)
    lesson.say("blind_note")
