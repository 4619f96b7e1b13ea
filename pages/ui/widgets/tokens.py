"""How many tokens and features there are, and what the tokens are called."""

from functools import partial

import streamlit as st

from pages.ui.state.fields import MOST, Whole
from pages.ui.state.matrices import SEEN, matrix_of, put_matrix, resized
from pages.ui.state.settings import values_of
from pages.ui.text import clean_label
from pages.ui.widgets.controls import typed
from pages.ui.widgets.lesson import Lesson
from pages.ui.widgets.number_box import number_box


def choose_tokens(
    lesson: Lesson, adjustable: tuple[str, ...] = ("n_query", "n_key", "d_k", "d_v")
) -> tuple[list[str], list[str]]:
    """How many queries, keys and features there are, and the tokens' names: (queries, keys)."""
    query, key, value = (matrix_of(lesson.key(name)) for name in SEEN)
    sizes = {"n_query": len(query), "n_key": len(key), "d_k": key.shape[1], "d_v": value.shape[1]}
    with st.popover(lesson.text("tokens"), key=lesson.key("tokens"), on_change="rerun") as box:
        if box.open:
            with st.container(horizontal=True):
                for name in adjustable:
                    number_box(
                        lesson, lesson.text(f"size_{name}"), lesson.key(name), sizes[name],
                        partial(_resize, lesson, name), Whole(1, MOST).check, whole=True,
                    )  # fmt: skip
            for side in ("query", "key"):
                typed(lesson, f"{side}_tokens", help=lesson.text("labels_help"))
                names, count = _names(lesson, side), len(query if side == "query" else key)
                if len(names) > count:
                    lesson.warn(
                        "too_many_labels",
                        given=len(names),
                        count=count,
                        dropped=clean_label(" ".join(names[count:]), 60),
                    )
    return _labels(lesson, "query", len(query)), _labels(lesson, "key", len(key))


def _resize(lesson: Lesson, size: str, count: int) -> None:
    parts = {"n_query": ["query"], "n_key": ["key", "value"], "d_k": ["query", "key"], "d_v": ["value"]}[size]
    for name in parts:
        key = lesson.key(name)
        rows, columns = matrix_of(key).shape
        rows, columns = (count, columns) if size[0] == "n" else (rows, count)
        put_matrix(key, resized(key, matrix_of(key), rows, columns), is_new=False)


def _names(lesson: Lesson, side: str) -> list[str]:
    """The typed names of the tokens, separated by spaces."""
    return [clean_label(name) for name in values_of(lesson.page).get(f"{side}_tokens", "").split()]


def _labels(lesson: Lesson, side: str, count: int) -> list[str]:
    """A name for each token; one without a name gets its number."""
    names = _names(lesson, side)[:count]
    return names + [str(i + 1) for i in range(len(names), count)]
