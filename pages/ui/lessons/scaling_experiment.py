"""The √d experiment: what can be set, and the random vectors that come of it."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import streamlit as st

from attention_core.scaling import (
    HIGHEST_SPREAD,
    N_KEYS,
    N_SAMPLES,
    SCALINGS,
    WIDTHS,
    DotProducts,
    Saturation,
    check_spread,
    check_temperature,
    growing_dot_products,
    random_dot_products,
    rescale,
    saturation,
)
from attention_core.scaling import TEMPERATURES as CORE_TEMPERATURES
from pages.ui.state.fields import MOST_SEED, Choice, Field, Flag, Number, Whole
from pages.ui.state.settings import Page, values_of
from pages.ui.widgets.lesson import Lesson

SPREAD = Number(0, HIGHEST_SPREAD, first_check=check_spread)


PAGE = Page(
    "scaling",
    (
        Field("d", Choice(WIDTHS), 64, label="set_d"),
        Field("scaling", Choice(SCALINGS, "set_scaling"), "sqrt", label="set_scaling"),
        Field("temperature", Number(*CORE_TEMPERATURES, first_check=check_temperature), 1.0, label="set_temperature"),
        Field("keys", Whole(*N_KEYS), 10, label="set_keys"),
        Field("samples", Whole(*N_SAMPLES), 1500, label="set_samples"),
        Field("spread", SPREAD, 1.0, label="set_spread"),
        Field("aligned", Flag(), False),
        Field("seed", Whole(0, MOST_SEED), 0, label="set_seed"),
        Field("draw", Whole(1, 10_000), 1, label="set_draw"),
        Field("source", Choice(("random", "abc_self", "one_two_one"), "set_source"), "random", label="set_source"),
        Field("stage", Choice(("weights", "scores"), "set_stage"), "weights", label="set_stage"),
        Field("gap", Number(0, 20), 4.0, label="set_gap"),
        Field("score_spread", SPREAD, 1.0, label="set_score_spread"),
    ),
)


# A visitor's move may cost this much: more would keep everybody else waiting.
MOST_ENTRIES = 20_000_000  # random numbers, about a quarter of a second


MOST_PRODUCTS = 100_000


MOST_DRAWN = 6, 10  # rows and columns of the matrices


@dataclass(frozen=True, eq=False)
class Experiment:
    """What is on screen: the settings that were used and what came out of them."""

    settings: dict
    drawn: DotProducts
    before: np.ndarray  #: (N, K) the products as they are
    after: np.ndarray  #: (N, K) the scores after both dials
    curves: dict[str, tuple[Saturation, ...]]  #: for each scaling, at every width, at this temperature
    reach: float  #: how far from 0 the numbers before and after go, at any width

    @property
    def name(self) -> str:
        return self.settings["scaling"]


#
# The same for all who ask the same, so a class shares what one of them started. The dials draw nothing new.


@lru_cache(maxsize=16)
def _draw(d: int, keys: int, samples: int, spread: float, aligned: bool, seed: int) -> DotProducts:
    return random_dot_products(d, keys, samples, spread=spread, aligned=aligned, seed=seed)


@lru_cache(maxsize=8)
def _draw_all(keys: int, samples: int, spread: float, aligned: bool, seed: int) -> tuple[DotProducts, ...]:
    """At every width, for the curves."""
    return tuple(growing_dot_products(n_keys=keys, n_samples=samples, spread=spread, aligned=aligned, seed=seed))


@lru_cache(maxsize=512)
def _curves(temperature: float, *experiment) -> dict[str, tuple[Saturation, ...]]:
    return {
        scaling: tuple(saturation(rescale(drawn, scaling, temperature)) for drawn in _draw_all(*experiment))
        for scaling in SCALINGS
    }


@lru_cache(maxsize=512)
def _reach(scaling: str, temperature: float, *experiment) -> float:
    """How far the products and the scores after the dials go from 0 at any width, rounded up.

    Pictures of scores keep this range when d moves: with a range for each d, the products would seem to stay as
    they are and the scores to shrink, the opposite of what happens.
    """
    everywhere = [
        np.abs(scores).max()
        for drawn in _draw_all(*experiment)
        for scores in (drawn.products, rescale(drawn, scaling, temperature))
    ]
    largest = max(*everywhere, WIDTHS[-1] ** 0.5)  # the marks at ±√d stand on the axis too
    power = 10.0 ** np.floor(np.log10(largest))
    return next(step * power for step in (1, 1.5, 2, 3, 5, 7, 10) if largest <= step * power)


def affordable(samples: int, keys: int, d: int) -> int:
    """How many of the queries asked for are drawn."""
    return min(samples, MOST_ENTRIES // (keys * d), MOST_PRODUCTS // keys)


def run_experiment(lesson: Lesson) -> Experiment:
    """Draw what the controls ask for; where that would take too long, fewer queries, and say so."""
    now = values_of(PAGE)
    how = now["spread"], now["aligned"], now["seed"]
    used, used_for_curves = (affordable(now["samples"], now["keys"], d) for d in (now["d"], WIDTHS[-1]))
    curves = _curves(now["temperature"], now["keys"], used_for_curves, *how)
    if used == used_for_curves:
        drawn = _draw_all(now["keys"], used, *how)[WIDTHS.index(now["d"])]
    else:
        drawn = _draw(now["d"], now["keys"], used, *how)
    if used_for_curves < now["samples"]:
        words = "capped" if used < now["samples"] else "capped_curves"
        st.caption(lesson.text(words, asked=now["samples"], used=used, curves=used_for_curves))
    after = rescale(drawn, now["scaling"], now["temperature"])
    reach = _reach(now["scaling"], now["temperature"], now["keys"], used_for_curves, *how)
    return Experiment(now, drawn, drawn.products, after, curves, reach)
