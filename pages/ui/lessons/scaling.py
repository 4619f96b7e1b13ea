"""The √d experiment on a page: its controls and its pictures."""

import numpy as np
import pandas as pd
import streamlit as st

from attention_core import softmax
from attention_core.examples import example
from attention_core.insight import effective_number, winners
from attention_core.scaling import (
    SCALINGS,
    WIDTHS,
    DotProducts,
    combined_scale,
    random_scores,
    rescale,
    saturation,
    sensitivity,
)
from pages.ui.lessons.scaling_experiment import MOST_DRAWN, PAGE, Experiment, affordable
from pages.ui.lessons.scene import plot_words
from pages.ui.pictures import spread as spread_figures
from pages.ui.pictures.heatmaps import matrix_figure
from pages.ui.pictures.numbers import number, shown
from pages.ui.pictures.panel import Panel, symmetric_limit
from pages.ui.pictures.plane import Series
from pages.ui.state import settings as engine
from pages.ui.state.fields import MOST_SEED
from pages.ui.state.settings import put, values_of
from pages.ui.text import as_markdown
from pages.ui.widgets.controls import TEMPERATURES, choice, set_number, switch
from pages.ui.widgets.drawing import plot
from pages.ui.widgets.examples import badge
from pages.ui.widgets.lesson import Lesson

NARROW = {"width": 96, "slider_width": 150}
SAMPLE_STOPS = (4, 10, 30, 100, 300, 1000, 1500, 3000, 10_000)
SPREAD_STOPS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)


# ------------------------------------------------------------------------------------------------ controls


def turn_dials(lesson: Lesson) -> None:
    """d, what the products are divided by, and the temperature; the last two multiply."""
    st.select_slider(
        lesson.text("set_d"), WIDTHS, key="scaling_d", help=lesson.text("set_d_help"), persist_state="session"
    )
    choice(lesson, "scaling")
    set_number(lesson, "temperature", stops=TEMPERATURES, **NARROW)
    now = values_of(PAGE)
    if now["scaling"] == "cosine":
        lesson.say("dials_cosine", temperature=number(now["temperature"]))
    else:
        scale = combined_scale(now["scaling"], now["d"], now["temperature"])
        lesson.say(
            f"dials_{now['scaling']}",
            d=now["d"],
            temperature=number(now["temperature"]),
            scale=number(scale, 5),
        )


def edit_experiment(lesson: Lesson) -> None:
    """How many keys and queries are drawn, how widely their entries spread, and from which seed."""
    st.markdown(lesson.text("experiment"))
    set_number(lesson, "samples", stops=SAMPLE_STOPS, **NARROW)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        set_number(lesson, "keys", **NARROW)
        set_number(lesson, "spread", **NARROW)
        set_number(lesson, "seed", **NARROW)
        st.button(
            lesson.text("new_seed"),
            key="scaling_new_seed",
            help=lesson.text("new_seed_help"),
            on_click=_new_seed,
        )
    switch(lesson, "aligned")


def _new_seed() -> None:
    put(PAGE, {"seed": (values_of(PAGE)["seed"] + 1) % (MOST_SEED + 1)})


# ------------------------------------------------------------------------------------------------- pictures


def _size(lesson: Lesson) -> dict[str, int]:
    return {"font": 22, "width": 780} if lesson.projector else {"font": 12, "width": 344}


def _show(lesson: Lesson, name: str, figure, alt: str, title: str, source: str = "random") -> None:
    with st.container(width=figure["layout"]["meta"]["width"], gap="xsmall"):
        st.markdown(f"**{title}**")
        plot(figure, key=f"scaling_{name}_picture", alt=alt, words=plot_words(lesson, f"scaling-{name}", source))


def _names(lesson: Lesson, experiment: Experiment) -> tuple[str, str]:
    """What the two sides of every comparison are called: the products as they are, and after the dials."""
    temperature = experiment.settings["temperature"]
    after = lesson.text(f"after_{experiment.name}", d=experiment.settings["d"])
    return lesson.text("before"), after if temperature == 1 else f"{after} ÷ {number(temperature)}"


def show_curves(lesson: Lesson, experiment: Experiment) -> None:
    """The average largest weight at every d, with and without √d: the one picture to remember."""
    now = experiment.settings
    styles = ["none", "sqrt"] + [experiment.name] * (experiment.name in ("d", "cosine"))
    curves = [
        Series(
            np.array([point.largest_weight for point in experiment.curves[name]]),
            lesson.text(f"curve_{name}"),
            SCALINGS.index(name),
        )
        for name in styles
    ]
    chosen = WIDTHS.index(now["d"])
    figure = spread_figures.curves_figure([str(d) for d in WIDTHS], curves, chosen, 1 / now["keys"], **_size(lesson))
    facts = "; ".join(
        f"{curve.name}: " + ", ".join(f"d={d} {number(y, 2)}" for d, y in zip(WIDTHS, curve.numbers, strict=True))
        for curve in curves
    )
    title = lesson.text("picture_curves", temperature=number(now["temperature"]))
    _show(lesson, "curves", figure, lesson.text("alt_curves", keys=now["keys"], facts=facts), title)


def show_histogram(lesson: Lesson, experiment: Experiment) -> None:
    """The products as they are and the scores after the dials, over one axis for every d, with ±√d marked."""
    d = experiment.settings["d"]
    spreads = [shown(float(scores.std()), 2) for scores in (experiment.before, experiment.after)]
    upper, lower = (
        Series(scores.ravel(), lesson.text("has_spread", name=name, spread=spread), style)
        for style, (scores, name, spread) in enumerate(
            zip((experiment.before, experiment.after), _names(lesson, experiment), spreads, strict=True)
        )
    )
    root = number(d**0.5, 2)
    figure = spread_figures.histogram_figure(upper, lower, d**0.5, f"√d = {root}", experiment.reach, **_size(lesson))
    alt = lesson.text(
        "alt_histogram", count=experiment.before.size, d=d, root=root, before=spreads[0], after=spreads[1],
        variance=number(float(experiment.before.var()), 1),
    )  # fmt: skip
    _show(
        lesson,
        "histogram",
        figure,
        alt,
        lesson.text("picture_histogram", count=f"{experiment.before.size:,}"),
    )


def show_meters(lesson: Lesson, experiment: Experiment) -> None:
    """Three averages before and after the dials: largest weight, effective number of keys, sensitivity."""
    keys = experiment.settings["keys"]
    sets, facts = [], []
    for style, (scores, name) in enumerate(
        zip((experiment.before, experiment.after), _names(lesson, experiment), strict=True)
    ):
        found = saturation(scores)
        numbers = [found.largest_weight, found.effective_number, found.sensitivity]
        sets.append(Series(np.array(numbers), name, style))
        facts.append(f"{name}: " + ", ".join(number(x, 2) for x in numbers))
    most = np.array([1.0, keys, 1 - 1 / keys])
    titles = [
        lesson.text(f"meter_{name}", keys=keys, most=number(most[2], 2)) for name in ("largest", "tokens", "reacts")
    ]
    figure = spread_figures.meters_figure(titles, most, sets, **_size(lesson))
    _show(
        lesson,
        "meters",
        figure,
        lesson.text("alt_meters", facts="; ".join(facts)),
        lesson.text("picture_meters"),
    )


def show_row(lesson: Lesson, experiment: Experiment) -> None:
    """The weights of one of the queries that were drawn, before and after the dials."""
    draw = min(values_of(PAGE)["draw"], len(experiment.before)) - 1
    before, after = (softmax(scores[[draw]])[0] for scores in (experiment.before, experiment.after))
    names = _names(lesson, experiment)
    labels = [str(j + 1) for j in range(len(before))]
    sets = [Series(before, names[0], 0), Series(after, names[1], 1)]
    facts = "; ".join(
        lesson.text(
            "row_fact", name=series.name, weight=shown(series.numbers.max(), 3),
            key=labels[int(series.numbers.argmax())],
            effective=shown(float(effective_number(series.numbers[None])[0]), 1),
        )
        for series in sets
    )  # fmt: skip
    figure = spread_figures.bars_beside_figure(sets, labels, **_size(lesson))
    with st.container(width=figure["layout"]["meta"]["width"], gap="xsmall"):
        title = lesson.text("picture_draw", number=draw + 1)
        _show(lesson, "row", figure, lesson.text("alt_draw", number=draw + 1, facts=facts), title)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            set_number(lesson, "draw", **NARROW)
            st.caption(facts)


def say_spread(lesson: Lesson, experiment: Experiment) -> None:
    """What there is to see at these settings, in words."""
    now = experiment.settings
    before, after = saturation(experiment.before), saturation(experiment.after)
    lesson.say(
        "reading", d=now["d"], keys=now["keys"], expected=number(now["d"] * now["spread"] ** 4, 2),
        spread=shown(before.variance**0.5, 2), variance=shown(before.variance, 1),
        largest=shown(before.largest_weight, 2), tokens=shown(before.effective_number, 1),
        after_spread=shown(after.variance**0.5, 2), after_largest=shown(after.largest_weight, 2),
        after_tokens=shown(after.effective_number, 1),
    )  # fmt: skip
    if now["d"] <= 2 and now["spread"] == 1 and not now["aligned"]:
        small = example_products("one_two_one")
        raw, scaled = (softmax(rescale(small, scaling)).max() for scaling in ("none", "sqrt"))
        with_root = saturation(rescale(experiment.drawn, "sqrt"))
        lesson.say(
            "small_d", d=now["d"], largest=number(before.largest_weight, 3),
            after=number(with_root.largest_weight, 3), raw=number(raw, 3), scaled=number(scaled, 3),
        )  # fmt: skip
    if now["aligned"]:
        own = float(experiment.drawn.products[:, 0].mean())
        lesson.say(
            "see_aligned", d=now["d"], own=number(own, 1), sqrt=number(own / now["d"] ** 0.5, 1),
            by_d=number(own / now["d"], 2),
        )  # fmt: skip
    if now["spread"] != 1 and not now["aligned"]:  # the variance of products with the query itself is another
        lesson.say(
            "see_spread", spread=number(now["spread"]), scaled=number(now["spread"] ** 4, 2),
            variance=number(float(rescale(experiment.drawn, "sqrt").var()), 2),
        )  # fmt: skip
    if now["scaling"] in ("d", "cosine"):
        lesson.say(f"see_{now['scaling']}", d=now["d"], root=number(now["d"] ** 0.5, 1))


# ------------------------------------------------------------------------------------------------- matrices


def example_products(name: str) -> DotProducts:
    """The products and cosines of a worked example's queries and keys."""
    query, key = example(name).query, example(name).key
    products = query @ key.T
    lengths = np.linalg.norm(query, axis=1)[:, None] * np.linalg.norm(key, axis=1)
    return DotProducts(query.shape[1], products, products / lengths)


def show_difference(lesson: Lesson, experiment: Experiment) -> None:
    """A small matrix before and after the dials on one colour scale, and what they changed."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        source, stage = choice(lesson, "source"), choice(lesson, "stage")
        shown = "random" if source == "random" else "example"
        badge(lesson, shown)
    now = experiment.settings
    rows, columns = MOST_DRAWN
    if source == "random":
        before, after = experiment.before[:rows], experiment.after[:rows]
        queries, keys = ([str(i + 1) for i in range(n)] for n in before.shape)
    else:
        products = example_products(source)
        before, after = products.products, rescale(products, now["scaling"], now["temperature"])
        queries, keys = (lesson.text(f"example_{source}_{side}").split() for side in ("queries", "keys"))
    if stage == "weights":
        before, after = softmax(before), softmax(after)
    limit = symmetric_limit(before, after)
    if source == "random":  # the same at every d; the few scores beyond it all have the darkest colour
        limit = experiment.reach / 4
    change = 1.0 if stage == "weights" else limit
    names = _names(lesson, experiment)
    size = "projector" if lesson.projector else "beside" if before.shape[1] > 3 else "alone"
    with st.container(horizontal=True, gap="xsmall"):
        for name, matrix, title in (
            ("before", before, names[0]),
            ("after", after, names[1]),
            ("difference", after - before, lesson.text("difference")),
        ):
            is_weights = stage == "weights" and name != "difference"
            panel = Panel(
                matrix[:, :columns], queries, keys[:columns], name, "weight" if is_weights else "score",
                change if name == "difference" else limit,
                beside=[f"Σ {total:.1f}" for total in matrix.sum(axis=1)] if is_weights else None,
                title=title, role="weight" if is_weights else "score",
            )  # fmt: skip
            figure = matrix_figure(panel, size)
            facts = "; ".join(
                f"{query}: " + ", ".join(number(x, 2) for x in row)
                for query, row in zip(queries, matrix[:, :columns], strict=True)
            )
            with st.container(width=figure["layout"]["meta"]["width"]):
                plot(
                    figure,
                    key=f"scaling_{name}_picture",
                    alt=lesson.text("alt_matrix", title=title, facts=facts),
                    words=plot_words(lesson, f"scaling-{name}", shown, "sides"),
                )
    lesson.say("rows_and_columns")
    if source == "random":
        note = "own_keys" if len(keys) <= columns else "own_keys_cut"
        st.caption(lesson.text(note, rows=len(before), columns=columns, keys=len(keys)))
    else:
        best = [
            keys[j] for j in winners(softmax(rescale(example_products(source), now["scaling"], now["temperature"])), 0)
        ]
        words = "first_row_tie" if len(best) > 1 else "first_row"
        shares = ", ".join(f"{key} {number(w, 4)}" for key, w in zip(keys, _shares(source, now), strict=True))
        lesson.say(words, query=queries[0], keys=", ".join(best), shares=shares)
    if source == "one_two_one":
        lesson.say("coincidence")


def _shares(source: str, now: dict) -> np.ndarray:
    return softmax(rescale(example_products(source), now["scaling"], now["temperature"]))[0]


# -------------------------------------------------------------------------------------- a gap, and a library


def show_gaps(lesson: Lesson) -> None:
    """Only differences between scores count: one score ahead of nine others, and a library of 100 books."""
    size = _size(lesson)
    with st.container(horizontal=True):
        with st.container(width=size["width"]):
            set_number(lesson, "gap", stops=[i / 2 for i in range(25)], **NARROW)
            gap = values_of(PAGE)["gap"]
            weights = softmax(np.array([[gap] + [0.0] * 9]))
            facts = {
                "gap": number(gap),
                "weight": number(weights[0, 0], 4),
                "tokens": number(float(effective_number(weights)[0]), 2),
                "reacts": number(float(sensitivity(weights)[0]), 4),
            }
            _show_weights(lesson, "gap", weights[0], facts)
        with st.container(width=size["width"]):
            set_number(lesson, "score_spread", stops=SPREAD_STOPS, **NARROW)
            spread = values_of(PAGE)["score_spread"]
            scores = random_scores(100, spread=spread, seed=values_of(PAGE)["seed"])
            found = saturation(scores)
            facts = {
                "spread": number(spread),
                "weight": number(found.largest_weight, 2),
                "tokens": number(found.effective_number, 1),
            }
            _show_weights(lesson, "library", np.sort(softmax(scores[:1])[0])[::-1], facts)


def _show_weights(lesson: Lesson, name: str, weights: np.ndarray, facts: dict[str, str]) -> None:
    lesson.say(f"{name}_says", **facts)
    bars = Series(weights, "", 1)
    figure = spread_figures.bars_beside_figure([bars], [str(j + 1) for j in range(len(weights))], **_size(lesson))
    source = "typed" if name == "gap" else "random"
    _show(lesson, name, figure, lesson.text(f"alt_{name}", **facts), lesson.text(f"picture_{name}"), source)


def facts(experiment: Experiment) -> dict[str, object]:
    """What is on screen, for the exercises: every setting, and the average largest weight after the dials."""
    return values_of(PAGE) | {"largest_weight": saturation(experiment.after).largest_weight}


def begin(lesson: Lesson, name: str) -> None:
    """Where every exercise starts from: the page as it opens."""
    engine.begin(PAGE, lesson.text)


# --------------------------------------------------------------------------------------------------- tables


def show_reference(lesson: Lesson, experiment: Experiment) -> None:
    """The measured numbers behind the curves: every d, without and with √d."""
    none, sqrt = (experiment.curves[name] for name in ("none", "sqrt"))
    columns = {lesson.text("column_variance"): [number(point.variance, 1) for point in none]}
    for measure, digits in (("largest_weight", 2), ("effective_number", 1), ("sensitivity", 2)):
        for curve, name in ((none, "none"), (sqrt, "sqrt")):
            heading = f"{lesson.text(f'column_{measure}')}, {lesson.text(f'curve_{name}')}"
            columns[heading] = [number(getattr(point, measure), digits) for point in curve]
    with st.expander(lesson.text("reference"), key="scaling_reference", on_change="rerun") as box:
        if box.open:
            table = pd.DataFrame(columns, index=pd.Index(WIDTHS, name="d"))
            st.table(table.rename(columns=as_markdown), alt=lesson.text("reference"))
            now = experiment.settings
            used = affordable(now["samples"], now["keys"], WIDTHS[-1])
            st.caption(lesson.text("reference_note", keys=now["keys"], samples=used, seed=now["seed"]))
