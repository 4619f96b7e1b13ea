"""What is on screen: one trace with the names of its tokens."""

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from attention_core import (
    HeadTrace,
    InputError,
    trace_attention,
)
from attention_core.comparisons import cosine_attention, share_out
from attention_core.insight import row_sums
from pages.ui.pictures.numbers import number
from pages.ui.state.fields import MOST
from pages.ui.state.matrices import SEEN
from pages.ui.text import as_markdown
from pages.ui.widgets.errors import error_words
from pages.ui.widgets.examples import badge_of_example, source_of
from pages.ui.widgets.lesson import Lesson

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
    source: str = ""  #: where its numbers come from: the name of the badge that its pictures wear
    is_stand_in: bool = False  #: an example, shown because what the page was opened with does not fit together
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
        made = share_out(trace, sharing)
        scene = Scene(made, queries, keys, rules, other, source=source_of(lesson), before_cosine=before_cosine)
    except InputError as error:
        way = {"zero_vector": "cosine", "sum_is_zero": "sum"}.get(error.reason)
        last = lesson.kept("scene") or _stand_in(lesson)
        good = "example_until_good" if last.is_stand_in else "last_good"
        used = lesson.text(f"instead_of_{way}" if way else good)
        st.warning(as_markdown(f"{error_words(lesson, error)} {used}"), icon="⚠️")
        if way:
            scale, sharing = (None, sharing) if way == "cosine" else (scale, "rows")
            scene = attend(lesson, matrices, allowed, scale, queries, keys, rules, sharing)
            return replace(scene, refused=(way, *scene.refused))
        scene = last
    lesson.keep(scene=scene)
    return scene


def _stand_in(lesson: Lesson) -> Scene:
    """The page's example: before there was anything good to see, a link may ask for what does not fit together."""
    first = lesson.page.first(lesson.text)
    trace = trace_attention(*(first[part] for part in SEEN))
    queries, keys = (first[f"{side}_tokens"].split() for side in ("query", "key"))
    source = badge_of_example(first["example"])
    return Scene(trace, queries, keys, {"full": trace.allowed}, source=source, is_stand_in=True)


def is_large(scene: Scene) -> bool:
    """Whether it has too many tokens for numbers in the cells and a text for each of them."""
    return max(scene.trace.weights.shape) > MOST


def is_wide(scene: Scene) -> bool:
    """Whether Q, K and V have too many numbers to stand beside the scores and the output."""
    return is_large(scene) or max(scene.trace.query.shape[1], scene.trace.value.shape[1]) > MOST


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


def are_shares(weights: np.ndarray) -> bool:
    """Whether each row shares out 1, or nothing at all."""
    sums = row_sums(weights)
    return bool((weights >= 0).all() and (np.isclose(sums, 1) | (sums == 0)).all())


def hover_texts(lesson: Lesson, scene: Scene) -> list[list[str]]:
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
