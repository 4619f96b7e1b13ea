"""What attention costs and what it buys, on a page: hand-overs, cells, three measures, a measurement."""

from itertools import pairwise
from threading import Lock

import numpy as np
import pandas as pd
import streamlit as st

from attention_core import InputError, masks
from attention_core.cost import (
    KINDS,
    LONGEST,
    TIMED,
    WIDEST,
    cells,
    fidelity_left,
    layer_cost,
    layers_needed,
    memory,
    path_length,
    projection_work,
    receptive_field,
    timings,
)
from pages.ui.lessons.scene import plot_words
from pages.ui.pictures import cost as cost_figures
from pages.ui.pictures.heatmaps import matrix_figure
from pages.ui.pictures.numbers import number
from pages.ui.pictures.panel import Panel
from pages.ui.pictures.plane import Series
from pages.ui.state import settings as engine
from pages.ui.state.fields import Field, Number, Text, Whole
from pages.ui.state.session import keep, kept
from pages.ui.state.settings import Page, Problems, Values, put, too_high, values_of
from pages.ui.text import as_markdown, clean_label, numbered
from pages.ui.widgets.controls import set_number, typed
from pages.ui.widgets.drawing import plot
from pages.ui.widgets.examples import badge
from pages.ui.widgets.lesson import Lesson

MOST_WORDS = 16
SENTENCES = {
    "cat": "The cat sat on the mat because it was tired",
    "soccer": "나는 어제 친구와 공원에서 축구를 했다",
    "people": "1 2 3 4 5 6 7 8 9 10",
}
POWERS = tuple(2**i for i in range(1, 18))  # 2 ... 131 072
WIDTHS = (1, 8, 64, 128, 256, 512, 1024, 2048, 4096, 8192, WIDEST)
FRAMES = (32, 128, 512, 2048, 8192, 32_768, LONGEST)  # sides of the frame around the square
SIZES = {"width": 112, "slider_width": 160}
MEASURES = ("work", "steps", "path_length")  # of one layer
POSITIONS = 10  # in the picture of windows and layers


LONGEST_SENTENCE = 10_000  # characters; what is not used of them is said


def _words(text: str) -> list[str]:
    return [clean_label(word) for word in text.split()]


def _check_sentence(text: str) -> None:
    if len(_words(text)) < 2:
        raise InputError("too_few_words", "at least two words are needed")


def _start(words, values: Values) -> Values:
    return {"text": SENTENCES[words("opens_with")]}


def _fit(values: Values, asked: set[str]) -> Problems:
    """A place after the last word is named."""
    n_words = min(len(_words(values["text"])), MOST_WORDS)
    problems = [too_high(values, name, n_words, low=1) for name in ("start", "end") if name in asked]
    return [problem for found in problems for problem in found]


PAGE = Page(
    "cost",
    (
        Field("text", Text(LONGEST_SENTENCE, _check_sentence, is_cut=True), label="set_text"),
        Field("start", Whole(1, MOST_WORDS), 1, label="set_start"),
        Field("end", Whole(1, MOST_WORDS), MOST_WORDS, label="set_end"),
        Field("fidelity", Number(0, 1), 0.9, label="set_fidelity"),
        Field("n", Whole(2, LONGEST), 16, label="set_n"),
        Field("d", Whole(1, WIDEST), 512, label="set_d"),
        Field("back", Whole(1, LONGEST), 256, label="set_back"),
        Field("bytes", Whole(1, 16), 2, label="set_bytes"),
        Field("window", Whole(1, POSITIONS - 1), 2, label="set_window"),
        Field("layers", Whole(0, POSITIONS), 1, label="set_layers"),
    ),
    _start,
    fit=_fit,
)


def _size(lesson: Lesson, width: int, wider: float = 1.75) -> dict[str, int]:
    return {"font": 22, "width": round(width * wider)} if lesson.projector else {"font": 14, "width": width}


def _show(lesson: Lesson, name: str, figure, alt: str, title: str = "", source: str = "typed") -> None:
    with st.container(width=figure["layout"]["meta"]["width"], gap="xsmall"):
        if title:
            st.markdown(f"**{title}**")
        plot(figure, key=f"cost_{name}_picture", alt=alt, words=plot_words(lesson, f"cost-{name}", source))


# ------------------------------------------------------------------------------------------- hand-overs


def edit_sentence(lesson: Lesson) -> list[str]:
    """Words to pass something on along: three ready sentences, or the visitor's own."""
    with st.container(horizontal=True, gap="xsmall"):
        for name, sentence in SENTENCES.items():
            st.button(
                lesson.text(f"sentence_{name}_name"), key=f"cost_sentence_{name}",
                on_click=_use_sentence, args=(sentence,),
            )  # fmt: skip
    typed(lesson, "text", on_change=_whole_sentence, args=(lesson,))
    words = _words(values_of(PAGE)["text"])
    if len(words) > MOST_WORDS:
        st.caption(lesson.text("words_cut", count=len(words), most=MOST_WORDS))
    return words[:MOST_WORDS]


def _whole_sentence(lesson: Lesson) -> None:
    """Another sentence: something is passed on from its first word to its last again."""
    words = _words(lesson.kept("text") or "")
    if len(words) > 1:
        put(PAGE, {"start": 1, "end": min(len(words), MOST_WORDS)})
        st.toast(lesson.text("pair_moved"))


def _use_sentence(sentence: str) -> None:
    put(PAGE, {"text": sentence, "start": 1, "end": len(_words(sentence))})


def choose_pair(lesson: Lesson, words: list[str]) -> tuple[int, int]:
    """From which word to which, counted from 0."""
    names = numbered(words)
    for name in ("start", "end"):
        key = lesson.key(name)
        keep(key, min(kept(key) or MOST_WORDS, len(words)))
        st.segmented_control(
            lesson.text(f"set_{name}"), range(1, len(words) + 1), key=key, required=True, wrap=True,
            format_func=lambda i: as_markdown(names[i - 1]), persist_state="session",
        )  # fmt: skip
    now = values_of(PAGE)
    return now["start"] - 1, now["end"] - 1


def set_fidelity(lesson: Lesson) -> float:
    """How much each hand-over keeps."""
    return set_number(lesson, "fidelity", stops=[i / 100 for i in range(50, 101)], width=112)


def show_hops(lesson: Lesson, words: list[str], start: int, end: int, fidelity: float) -> None:
    """The same two words in a chain and in a star, with the hand-overs between them counted."""
    n, apart = len(words), abs(end - start)
    size = _size(lesson, 290, wider=1.25)  # the two stand side by side on a projector too
    stride = 1 if end >= start else -1
    passed = list(range(start, end + stride, stride))
    chain = [(k, k + 1) for k in range(n - 1)] if stride == 1 else [(k + 1, k) for k in range(n - 1)]
    drawn = {
        "recurrent": (chain, list(pairwise(passed)), passed),
        "attention": ([(k, end) for k in range(n) if k != end], [(start, end)] if apart else [], [start, end]),
    }
    with st.container(horizontal=True, gap="medium"):
        for kind, (arcs, path, places) in drawn.items():
            strengths = np.full(n, np.nan)
            for k, place in enumerate(dict.fromkeys(places)):
                strengths[place] = fidelity_left(fidelity, k)
            hops = path_length(kind, apart)
            slots = {"hops": hops, "left": number(fidelity_left(fidelity, hops), 3)}
            figure = cost_figures.hops_figure(words, strengths, arcs, path, **size)
            alt = lesson.text(f"alt_hops_{kind}", start=words[start], end=words[end], **slots)
            _show(lesson, kind, figure, alt, lesson.text(f"picture_{kind}", **slots))
    if stride == -1:
        st.caption(lesson.text("backwards"))


def say_hops(lesson: Lesson, words: list[str], start: int, end: int, fidelity: float) -> None:
    """What the two pictures say, in words."""
    hops = path_length("recurrent", abs(end - start))
    lesson.say(
        "hops_say", start=words[start], end=words[end], hops=hops, direct=path_length("attention", abs(end - start)),
        fidelity=number(fidelity), left=number(fidelity_left(fidelity, hops), 3),
        nine=number(fidelity_left(fidelity, 9), 3),
    )  # fmt: skip


# ------------------------------------------------------------------------------- cells and three measures


def big(x: int) -> str:
    """A whole number for reading: all digits up to a million, then a power of ten."""
    if x < 1_000_000:
        return f"{x:,}"
    power = len(str(x)) - 1
    mantissa = f"{x / 10**power:.2f}"
    if mantissa == "10.00":
        mantissa, power = "1.00", power + 1
    return f"{mantissa} × 10{str(power).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def size_of(count: int) -> str:
    """Bytes for reading: 32 GiB."""
    units = ("B", "KiB", "MiB", "GiB")
    step = min((count.bit_length() - 1) // 10, len(units) - 1)
    return f"{number(count / 1024**step, 1)} {units[step]}"


def set_sizes(lesson: Lesson) -> dict:
    """How many tokens, how many numbers each, how far a window reaches back, how many bytes a number takes."""
    set_number(lesson, "n", stops=POWERS, **SIZES)
    set_number(lesson, "d", stops=WIDTHS, **SIZES)
    set_number(lesson, "back", stops=POWERS, **SIZES)
    set_number(lesson, "bytes", width=112)
    return values_of(PAGE)


def show_square(lesson: Lesson, now: dict) -> None:
    """One row of cells and all n rows of them, to scale."""
    n = now["n"]
    at = next(i for i, frame in enumerate(FRAMES) if n <= frame)
    inner = FRAMES[at - 1] if at else 0
    size = _size(lesson, 255)
    label = lesson.text("square_label", n=f"{n:,}", cells=big(cells(n)))
    figure = cost_figures.square_figure(n, FRAMES[at], inner, label, f"{inner:,} × {inner:,}", **size)
    alt = lesson.text("alt_square", n=f"{n:,}", cells=big(cells(n)), more=f"{2 * n + 1:,}", frame=f"{FRAMES[at]:,}")
    _show(lesson, "square", figure, alt, lesson.text("picture_square"))


def say_square(lesson: Lesson, now: dict) -> None:
    """How n² grows and what it takes to store."""
    n = now["n"]
    lesson.say(
        "square_says", n=f"{n:,}", cells=big(cells(n)), twice=big(4 * cells(n)), more=f"{2 * n + 1:,}",
        bytes=now["bytes"], memory=size_of(memory(n, now["bytes"])), longest=f"{LONGEST:,}",
        most=size_of(memory(LONGEST, 2)),
    )  # fmt: skip


def show_measures(lesson: Lesson, now: dict) -> None:
    """Work, steps and longest path of the three kinds of layers: three measures, each on a scale of its own."""
    costs = [layer_cost(kind, now["n"], now["d"], now["back"]) for kind in KINDS]
    measured = np.array([[getattr(cost, name) for cost in costs] for name in MEASURES], dtype=float)
    texts = [[big(getattr(cost, name)) for cost in costs] for name in MEASURES]
    most = np.array([cells(LONGEST) * float(WIDEST), LONGEST, LONGEST - 1])
    names = [lesson.text(f"kind_{kind}") for kind in KINDS]
    titles = [lesson.text(f"measure_{name}") for name in MEASURES]
    figure = cost_figures.long_bars_figure(titles, names, measured, texts, most, **_size(lesson, 350))
    facts = "; ".join(
        f"{title}: " + ", ".join(f"{name} {text}" for name, text in zip(names, row, strict=True))
        for title, row in zip(titles, texts, strict=True)
    )
    _show(lesson, "measures", figure, lesson.text("alt_measures", facts=facts), lesson.text("picture_measures"))


def show_table(lesson: Lesson, now: dict) -> None:
    """The comparison, with one line for each measure."""
    n, d, back = now["n"], now["d"], now["back"]
    costs = {kind: layer_cost(kind, n, d, back) for kind in KINDS}
    formulas = {
        "work": ("n·d²", "n²·d", "(n·(w+1) − w·(w+1)÷2)·d" if back < n else "n·(n+1)÷2·d"),
        "steps": ("n", "1", "1"),
        "path_length": ("n − 1", "1", "⌈(n − 1) ÷ w⌉"),
    }
    rows = {
        lesson.text(f"measure_{name}"): [
            formula if formula == "1" else f"{formula} = {big(getattr(cost, name))}"
            for formula, cost in zip(formulas[name], costs.values(), strict=True)
        ]
        for name in formulas
    }
    rows[lesson.text("row_projections")] = [
        big(costs["recurrent"].work),
        *(big(costs[kind].work + projection_work(n, d)) for kind in ("attention", "window")),
    ]
    for name in ("training", "prompt", "generating"):
        attention = lesson.text("one_by_one" if name == "generating" else "at_once")
        rows[lesson.text(f"row_{name}")] = [lesson.text("one_by_one"), attention, attention]
    columns = [lesson.text(f"kind_{kind}") for kind in KINDS]
    st.table(pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename(index=as_markdown).map(as_markdown))
    which = "less" if n < d else "same" if n == d else "more"
    lesson.say(f"work_{which}", n=f"{n:,}", d=f"{d:,}")
    lesson.say("table_note")


# ------------------------------------------------------------------------------------ window and layers


def show_window(lesson: Lesson) -> None:
    """How far the last of ten words hears when every layer reaches only a window back."""
    with st.container(horizontal=True):
        set_number(lesson, "window", stops=tuple(range(1, POSITIONS)), width=112)
        set_number(lesson, "layers", stops=tuple(range(POSITIONS + 1)), width=112)
    now = values_of(PAGE)
    window, layers = now["window"], now["layers"]
    allowed = masks.sliding_window(POSITIONS, POSITIONS, window, 0)
    rows = np.array([receptive_field(allowed, layer)[-1] for layer in range(layers + 1)])
    positions = [str(i + 1) for i in range(POSITIONS)]
    panel = Panel(
        rows.astype(float), [lesson.text("layer", number=layer) for layer in range(layers + 1)], positions, "heard",
        "weight", texts=[["●" if cell else "–" for cell in row] for row in rows], title=lesson.text("picture_heard"),
        role="weight",
    )  # fmt: skip
    figure = matrix_figure(panel, "projector" if lesson.projector else "alone")
    first = int(np.flatnonzero(rows[-1])[0]) + 1
    heard_of = lesson.text("heard_some" if first < POSITIONS else "heard_itself", first=first)
    slots = {"window": window, "layers": layers, "heard": heard_of, "needed": layers_needed(POSITIONS - 1, window)}
    narrow = matrix_figure(panel, "phone")
    with st.container(width=figure["layout"]["meta"]["width"]):
        plot(
            figure,
            key="cost_window_picture",
            alt=lesson.text("alt_window", **slots),
            words=plot_words(lesson, "cost-window", "typed"),
            narrow=narrow,
        )
    lesson.say("window_says", **slots)


# --------------------------------------------------------------------------------------- measured here

WAIT_FOR_MEASURING = 5  # seconds
UNSTEADY = 1.5  # how far the median of the tries may lie above the best of them before a time is marked
_measuring = Lock()  # one measurement at a time in this process: two would slow each other and share the memory


def measure(lesson: Lesson) -> None:
    """Time the core at growing lengths, on a button, and draw it against the n² line."""
    if st.button(lesson.text("measure"), key="cost_measure", type="primary"):
        _measure(lesson)
    rows = kept("cost_timings", None)
    if rows:
        badge(lesson, "measured")
        _show_timings(lesson, rows)


def _measure(lesson: Lesson) -> None:
    # After a double click the first run ends at its next step; somebody else's measurement may take longer.
    if not _measuring.acquire(timeout=WAIT_FOR_MEASURING):
        lesson.warn("measure_busy")
        return
    try:
        rows = []
        bar = st.progress(0.0, text=lesson.text("measuring", n=TIMED[0]))
        for n, best, median in timings():
            rows.append((n, best, median > UNSTEADY * best))
            bar.progress(len(rows) / len(TIMED), text=lesson.text("measuring", n=n))
        bar.empty()
        keep("cost_timings", rows)
    finally:
        _measuring.release()


def _show_timings(lesson: Lesson, rows: list[tuple[int, float, bool]]) -> None:
    lengths = np.array(TIMED, dtype=float)
    last_n, last, _ = rows[-1]
    times = [lesson.text("milliseconds", time=number(s * 1000, 2)) + " ⚠" * unsteady for _, s, unsteady in rows]
    lines = [
        Series(last * (lengths / last_n) ** power, lesson.text(f"line_{name}"), style)
        for name, power, style in (("square", 2, 0), ("straight", 1, 2))
    ]
    measured = Series(np.array([seconds for _, seconds, _ in rows]), lesson.text("measured"), 1)
    figure = cost_figures.growth_figure(list(TIMED), measured, lines, times, **_size(lesson, 480))
    facts = ", ".join(f"n = {n}: {time}" for (n, _, _), time in zip(rows, times, strict=True))
    alt = lesson.text("alt_timings", facts=facts)
    _show(lesson, "timings", figure, alt, lesson.text("picture_timings"), "measured")
    if len(rows) > 1:
        (before, earlier, _), (n, seconds, _) = rows[-2:]
        lesson.say("timings_say", before=before, n=n, factor=number(seconds / earlier, 1))
    if any(unsteady for _, _, unsteady in rows):
        st.caption(lesson.text("timings_unsteady"))
    if len(rows) < len(TIMED):
        st.caption(lesson.text("timings_cut", n=last_n))


def facts() -> dict[str, object]:
    """What is on screen, for the exercises."""
    return values_of(PAGE)


def begin(lesson: Lesson, name: str) -> None:
    """Where every exercise starts from: the page as it opens."""
    engine.begin(PAGE, lesson.text)
