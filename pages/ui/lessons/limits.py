"""What weights do not tell, on a page: an output that stays, removing, a sink, chance, claims to sort and to check."""

from itertools import pairwise
from math import log, sqrt

import numpy as np
import pandas as pd
import streamlit as st

from attention_core import AttentionTrace, trace_attention
from attention_core.examples import example
from attention_core.insight import leave_one_out, weighted_lengths, winners
from pages.ui.exercises.limits import AGENTS, CLAIMS, DOCUMENTS, STATEMENTS, exposing
from pages.ui.lessons.scene import plot_words
from pages.ui.pictures import limits as limits_figures
from pages.ui.pictures import spread as spread_figures
from pages.ui.pictures import vectors as vector_figures
from pages.ui.pictures.heatmaps import matrix_figure
from pages.ui.pictures.numbers import number
from pages.ui.pictures.panel import Panel
from pages.ui.pictures.plane import Series
from pages.ui.state import settings as engine
from pages.ui.state.fields import MOST_SEED, Choice, Field, Flag, Number, Whole
from pages.ui.state.session import keep, kept
from pages.ui.state.settings import Page, put, values_of
from pages.ui.widgets.controls import choice, choose, set_number, switch
from pages.ui.widgets.drawing import plot
from pages.ui.widgets.examples import badge
from pages.ui.widgets.lesson import Lesson

Q = Number(-20, 20)
PAGE = Page(
    "limits",
    (
        Field("walk", Choice(("line", "free"), "set_walk"), "line", label="set_walk"),
        Field("s", Number(-6, 6), 0.0, label="set_s"),
        Field("q1", Q, 1.0, label="set_q1"),
        Field("q2", Q, 0.0, label="set_q2"),
        Field("values", Choice(("article", "ones"), "set_values"), "article", label="set_values"),
        Field("hide_c", Flag(), False),
        Field("sink", Number(-10, 20), -4.0, label="set_sink"),
        Field("seed", Whole(0, MOST_SEED), 0, label="set_seed"),
    ),
)
NARROW = {"width": 112}
STOPS = tuple(i / 4 for i in range(-24, 25))
OFF_LINE = sqrt(2) * log(1.5)  # q₂ - q₁ on the line: B then weighs 1.5 times as much as A
MOST_DRAWS = 1000
#: The steps of one block, and the one that all lessons are about; detours carry what is added back.
BLOCK = ("tokens", "project", "attention", "combine", "add_1", "ffn", "add_2", "repeat", "logits", "sample")
HERE = BLOCK.index("attention")
DETOURS = ((0, 4), (4, 6))


def _size(lesson: Lesson, width: int) -> dict[str, int]:
    return {"font": 22, "width": round(width * 1.25)} if lesson.projector else {"font": 14, "width": width}


def _show(lesson: Lesson, name: str, figure, alt: str, title: str = "", source: str = "example") -> None:
    with st.container(width=figure["layout"]["meta"]["width"], gap="xsmall"):
        if title:
            st.markdown(f"**{title}**")
        plot(figure, key=f"limits_{name}_picture", alt=alt, words=plot_words(lesson, f"limits-{name}", source))


def _point(numbers: np.ndarray, precision: int = 3) -> str:
    return f"({', '.join(number(x, precision) for x in numbers)})"


def _named(labels: list[str], numbers: np.ndarray, precision: int = 3) -> str:
    return ", ".join(f"{label} {number(x, precision)}" for label, x in zip(labels, numbers, strict=True))


# ------------------------------------------------------------------------------------- the still output


def query_on_line(s: float) -> np.ndarray:
    """(1, 2) the query (s, s + √2·ln 1.5): with article 3's keys A and B weigh 2 to 3, whatever s is."""
    return np.array([[s, s + OFF_LINE]])


def attend(lesson: Lesson) -> AttentionTrace:
    """Article 3's keys with the query, values and mask that the controls say."""
    if choice(lesson, "walk") == "line":
        set_number(lesson, "s", stops=STOPS, **NARROW)
        query = query_on_line(values_of(PAGE)["s"])
    else:
        set_number(lesson, "q1", stops=STOPS, **NARROW)
        set_number(lesson, "q2", stops=STOPS, **NARROW)
        now = values_of(PAGE)
        query = np.array([[now["q1"], now["q2"]]])
    start = example("abc")
    value = start.value if choice(lesson, "values") == "article" else np.ones((3, 2))
    allowed = np.array([[True, True, not switch(lesson, "hide_c")]])
    lesson.say("query_is", query=_point(query[0], 4))
    return trace_attention(query, start.key, value, allowed)


def show_still(lesson: Lesson, trace: AttentionTrace) -> None:
    """The weights, and where the output lies among the values."""
    labels = lesson.text("example_abc_keys").split()
    facts = {"weights": _named(labels, trace.weights[0], 4), "output": _point(trace.output[0])}
    bars = spread_figures.bars_beside_figure(
        [Series(trace.weights[0], "", 1)], labels, **_size(lesson, 280), decimals=3
    )
    plane = vector_figures.values_figure(trace.value, labels, trace.allowed[0], trace.output[0], **_size(lesson, 310))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _show(lesson, "weights", bars, lesson.text("alt_weights_now", **facts), lesson.text("picture_weights_now"))
        _show(lesson, "plane", plane, lesson.text("alt_plane", **facts), lesson.text("picture_plane"))
    lesson.say("still", c=number(100 * trace.weights[0, 2], 2), output=_point(trace.output[0]))
    now = values_of(PAGE)
    if now["values"] == "ones":
        lesson.say("see_ones")
    elif now["walk"] == "line":
        lesson.say("see_hidden" if now["hide_c"] else "see_line" if now["s"] else "guess_line")


# --------------------------------------------------------------------------------------------- removing


def show_effects(lesson: Lesson, trace: AttentionTrace) -> None:
    """Weight, weight times length of the value, and how far the output moves when the key is removed."""
    labels = lesson.text("example_abc_keys").split()
    moves = leave_one_out(trace, 0)
    moves[np.abs(moves) < 1e-12] = 0  # what rounding left of a 0
    names = ("weight", "arrives", "moves")
    measures = np.array([trace.weights[0], weighted_lengths(trace, 0), np.linalg.norm(moves, axis=1)])
    titles = [lesson.text(f"measure_{name}") for name in names]
    facts = "; ".join(f"{title}: {_named(labels, row)}" for title, row in zip(titles, measures, strict=True))
    left, right = st.columns([0.34, 0.66], gap="medium")
    with left:
        st.button(
            lesson.text("try_one_zero"), key="limits_one_zero", on_click=put,
            args=(PAGE, {"walk": "free", "q1": 1.0, "q2": 0.0, "values": "article", "hide_c": False}),
        )  # fmt: skip
        figure = limits_figures.rankings_figure(titles, measures, labels, **_size(lesson, 310))
        _show(lesson, "effects", figure, lesson.text("alt_effects", facts=facts))
    with right:
        orders = {name: _order(labels, row) for name, row in zip(names, measures, strict=True)}
        lesson.say("orders", **orders)
        rows = {
            label: [
                number(trace.weights[0, j]), _point(trace.value[j]), _point(trace.output[0] + moves[j]),
                _point(moves[j]), number(float(measures[2, j]), 3),
            ]
            for j, label in enumerate(labels)
        }  # fmt: skip
        columns = [lesson.text(f"column_{name}") for name in ("weight", "value", "without", "move", "far")]
        st.table(pd.DataFrame.from_dict(rows, orient="index", columns=columns))
        lesson.say("law")


def _order(labels: list[str], numbers: np.ndarray) -> str:
    """A > B = C: what is largest first; equal to nine digits is equal."""
    rounded = [0.0 if abs(x) < 1e-9 else float(f"{x:.9g}") for x in numbers]
    by_size = sorted(range(len(labels)), key=lambda j: -rounded[j])
    text = labels[by_size[0]]
    for before, here in pairwise(by_size):
        text += f" {'=' if rounded[before] == rounded[here] else '>'} {labels[here]}"
    return text


# ------------------------------------------------------------------------------------------------- sink


def with_sink(score: float) -> AttentionTrace:
    """Article 3's first run with a fourth key whose scaled score is ``score`` and whose value is 0."""
    start = example("abc")
    key, value = (np.vstack([matrix, [0, 0]]) for matrix in (start.key, start.value))
    return trace_attention(start.query, key, value, bias=[[0.0, 0.0, 0.0, score]])


def show_sink(lesson: Lesson) -> AttentionTrace:
    """A key that is good for nothing takes what share it is given; the output only shrinks."""
    set_number(lesson, "sink", stops=tuple(i / 2 for i in range(-8, 17)), **NARROW)
    trace = with_sink(values_of(PAGE)["sink"])
    labels = [*lesson.text("example_abc_keys").split(), "S"]
    output = trace.output[0]
    facts = {"weights": _named(labels, trace.weights[0]), "output": _point(output)}
    bars = spread_figures.bars_beside_figure(
        [Series(trace.weights[0], "", 1)], labels, **_size(lesson, 300), decimals=3
    )
    plane = vector_figures.values_figure(trace.value, labels, trace.allowed[0], output, **_size(lesson, 310), ray=True)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _show(lesson, "sink", bars, lesson.text("alt_weights_now", **facts), lesson.text("picture_weights_now"))
        _show(lesson, "ray", plane, lesson.text("alt_ray", **facts), lesson.text("picture_ray"))
    lesson.say(
        "sink_says", share=number(100 * trace.weights[0, -1], 1), output=_point(output),
        ratio=number(output[0] / output[1], 3), length=number(float(np.linalg.norm(output)), 3),
    )  # fmt: skip
    return trace


# ----------------------------------------------------------------------------------------------- chance


def random_map(seed: int, n_query: int = 3, n_key: int = 8) -> AttentionTrace:
    """Queries and keys of four random numbers each: a map that nobody meant anything by."""
    random = np.random.default_rng(seed)
    return trace_attention(random.normal(size=(n_query, 4)), random.normal(size=(n_key, 4)), np.eye(n_key))


def show_chance(lesson: Lesson) -> None:
    """A map with a story beside one that was drawn by lot, with the same words."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        set_number(lesson, "seed", width=112)
        st.button(lesson.text("draw_again"), key="limits_draw", on_click=_draw)
        st.button(lesson.text("draw_until"), key="limits_until", on_click=_draw, args=(True,))
    queries, keys = (lesson.text(f"example_cat_table_{side}").split() for side in ("queries", "keys"))
    table = example("cat_table")
    drawn = {
        "example": trace_attention(table.query, table.key, table.value),
        "random": random_map(values_of(PAGE)["seed"]),
    }
    with st.container(horizontal=True, gap="medium"):
        for source, trace in drawn.items():
            title = lesson.text(f"map_{source}")
            panel = Panel(
                trace.weights, queries, keys, source, "weight", row=0, title=title, role="weight",
                beside=[f"Σ {total:.2f}" for total in trace.weights.sum(axis=1)],
            )  # fmt: skip
            figure = matrix_figure(panel, "projector" if lesson.projector else "half")
            with st.container(width=figure["layout"]["meta"]["width"], gap="xsmall"):
                facts = "; ".join(f"{q}: {_named(keys, row, 2)}" for q, row in zip(queries, trace.weights, strict=True))
                plot(
                    figure,
                    key=f"limits_{source}_picture",
                    alt=lesson.text("alt_map", title=title, facts=facts),
                    words=plot_words(lesson, f"limits-{source}", source, "sides"),
                    narrow=matrix_figure(panel, "phone"),
                )
                badge(lesson, source)
    best = winners(drawn["random"].weights, 0)[0]
    lesson.say(
        "chance_says", query=queries[0], key=keys[best], weight=number(drawn["random"].weights[0, best], 2),
        seed=values_of(PAGE)["seed"],
    )  # fmt: skip
    if kept("limits_draws", 0):
        lesson.say("draws", draws=kept("limits_draws", 0), query=queries[0], key=keys[1])


def _draw(until_cat: bool = False) -> None:
    """The next seed, or the next one whose first row reads the second key most."""
    last = values_of(PAGE)["seed"]
    for draws in range(1, MOST_DRAWS + 1):
        seed = (last + draws) % 1_000_000
        if not until_cat or winners(random_map(seed).weights, 0) == (1,):
            break
    put(PAGE, {"seed": seed})
    keep("limits_draws", draws if until_cat else 0)


# ------------------------------------------------------------------------------- sorting and fact checks


def sort_statements(lesson: Lesson) -> dict[str, str]:
    """Twelve statements, each to be put into one of three drawers; judged when all are asked to be."""
    given = {}
    judged = kept("limits_judged", False)
    columns = st.columns(2, gap="medium")
    for place, code in enumerate(STATEMENTS):
        with columns[place * 2 // len(STATEMENTS)]:
            put_as = st.segmented_control(
                lesson.text(f"statement_{code}"), ("true", "untested", "false"), key=f"limits_sort_{code}",
                format_func=lambda verdict: lesson.text(f"drawer_{verdict}"), persist_state="session",
            )  # fmt: skip
            if put_as:
                given[code] = put_as
            if judged and put_as:
                mark = "✓" if put_as == STATEMENTS[code] else "✗"
                st.markdown(f"{mark} {lesson.text(f'statement_{code}_why')}")
    right = sum(given.get(code) == verdict for code, verdict in STATEMENTS.items())
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(lesson.text("judge"), key="limits_judge", type="primary", on_click=keep, args=("limits_judged", True))
        if judged:
            st.markdown(lesson.text("sorted_so_far", right=right, of=len(STATEMENTS), given=len(given)))
    return given


def check_claims(lesson: Lesson) -> None:
    """The articles' own claims as a deck of cards: judge first, then see."""
    judged = kept("limits_claims", {})
    codes = list(CLAIMS)
    kept("limits_card", 0)
    card = st.segmented_control(
        lesson.text("choose_card"), range(len(codes)), key="limits_card", required=True, wrap=True,
        persist_state="session",
        format_func=lambda i: f"{'✓' if judged[codes[i]] == CLAIMS[codes[i]] else '✗'} {i + 1}"
        if codes[i] in judged
        else str(i + 1),
    )  # fmt: skip
    code = codes[card]
    with st.container(border=True, key="limits_claim"):
        lesson.say(f"claim_{code}")
        with st.container(horizontal=True):
            for verdict in ("holds", "soften", "wrong"):
                dot = "●" if judged.get(code) == verdict else "○"
                st.button(
                    f"{dot} {lesson.text(f'verdict_{verdict}')}", key=f"limits_claim_{verdict}", on_click=keep,
                    args=("limits_claims", judged | {code: verdict}),
                )  # fmt: skip
        if code in judged:
            found = lesson.text(f"verdict_{CLAIMS[code]}")
            mark = "✓" if judged[code] == CLAIMS[code] else "✗"
            st.markdown(f"{mark} **{found}.** {lesson.text(f'claim_{code}_why')}")
        st.button(
            lesson.text("next_card"), key="limits_next_card", type="tertiary", on_click=keep,
            args=("limits_card", (card + 1) % len(codes)),
        )  # fmt: skip
    right = sum(CLAIMS[code] == verdict for code, verdict in judged.items())
    st.caption(lesson.text("claims_so_far", checked=len(judged), of=len(codes), right=right))


# ------------------------------------------------------------------------------------------------ agent


def show_agent(lesson: Lesson) -> None:
    """Invented agents, three documents, and what each report is worth."""
    agent = choose(lesson, lesson.key("agent"), "agent", tuple(AGENTS))
    rows = {
        lesson.text(f"document_{name}"): [
            _changes(lesson, changed), _changes(lesson, AGENTS[agent](changed)),
            lesson.text("exposed" if name in exposing(agent) else "not_exposed"),
        ]
        for name, changed in DOCUMENTS.items()
    }  # fmt: skip
    columns = [lesson.text(f"column_{name}") for name in ("truth", "report", "test")]
    st.table(pd.DataFrame.from_dict(rows, orient="index", columns=columns))
    badge(lesson, "toy")
    lesson.say("agent_says", count=len(exposing(agent)))


def _changes(lesson: Lesson, changed: frozenset) -> str:
    name = "both" if len(changed) == 2 else next(iter(changed), "nothing")
    return lesson.text(f"changed_{name}")


# --------------------------------------------------------------------------------------- papers and map


def show_papers(lesson: Lesson) -> None:
    """Two papers that disagree, side by side, and three more."""
    for side, name in zip(st.columns(2, gap="medium"), ("paper_not", "paper_not_not"), strict=True):
        with side, st.container(border=True):
            lesson.say(name)
    lesson.say("papers_more")


def show_block(lesson: Lesson) -> None:
    """Where in a model all of this happens."""
    boxes = [lesson.text(f"block_{name}") for name in BLOCK]
    figure = limits_figures.block_figure(boxes, HERE, list(DETOURS), **_size(lesson, 330))
    left, right = st.columns([0.4, 0.6], gap="medium")
    with left:
        alt = lesson.text("alt_block", boxes=" → ".join(boxes), here=boxes[HERE])
        _show(lesson, "block", figure, alt, source="")
    with right:
        lesson.say("block_says")


def facts(trace: AttentionTrace, sink: AttentionTrace, sorted_as: dict[str, str]) -> dict[str, object]:
    """What is on screen, for the exercises."""
    return {"trace": trace, "sink": sink, "sorted_as": sorted_as}


def begin(lesson: Lesson, name: str) -> None:
    """Where every exercise starts from: the page as it opens, nothing sorted."""
    engine.begin(PAGE, lesson.text)
    keep("limits_judged", False)
    for code in STATEMENTS:
        keep(f"limits_sort_{code}", None)
