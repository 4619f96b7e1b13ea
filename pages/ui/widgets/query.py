"""One query by dials: its numbers, its length."""

from functools import partial

import numpy as np
import streamlit as st

from attention_core import InputError
from pages.ui.state.fields import written
from pages.ui.state.matrices import matrix_of, put_matrix
from pages.ui.state.session import keep, kept
from pages.ui.text import as_markdown, numbered
from pages.ui.widgets.lesson import Lesson
from pages.ui.widgets.number_box import number_box


def edit_query(lesson: Lesson) -> np.ndarray:
    """One query, a slider and a box for each of its numbers; returns it as a matrix of one row."""
    key = lesson.key("query")
    for place, number in enumerate(matrix_of(key)[0].tolist()):
        label = lesson.text("query_number", number=place + 1)
        number_box(lesson, label, f"{key}_{place}", number, partial(_put_query, key, place), stops=QUERY_STOPS)
    return matrix_of(key)


def edit_length(lesson: Lesson, keys: list[str]) -> None:
    """A slider and a box for how long the query or one of the keys is; one of zeros has no direction to keep."""
    names = ["**q**", *map(as_markdown, numbered(keys))]  # a key may be called q as well
    chosen = lesson.key("long")
    keep(chosen, min(kept(chosen, 0) or 0, len(keys)))
    whose = st.segmented_control(
        lesson.text("whose_length"), range(len(names)), format_func=lambda i: names[i],
        key=chosen, required=True, wrap=True, persist_state="session",
    )  # fmt: skip
    key, row = (lesson.key("key"), whose - 1) if whose else (lesson.key("query"), 0)
    vector = matrix_of(key)[row]
    length = _length(vector)
    if not 0 < length < np.inf:
        return
    asked = kept(f"{chosen}_asked", {"vector": None})
    if asked["vector"] == vector.tolist():
        length = asked["length"]  # as it was typed; the vector's own may differ in the last digit
    number_box(
        lesson, lesson.text("length_of", name=names[whose]), lesson.key(f"length_{whose}"), length,
        partial(_put_length, key, row, f"{chosen}_asked"), partial(_check_length, vector), stops=LENGTH_STOPS,
    )  # fmt: skip


def _length(vector: np.ndarray) -> float:
    """Without squares, which overflow or vanish long before the length does."""
    with np.errstate(over="ignore"):
        return float(np.hypot.reduce(vector))


def _stretched(vector: np.ndarray, length: float) -> np.ndarray:
    """This long, in the same direction."""
    with np.errstate(over="ignore", invalid="ignore"):
        return vector * (length / _length(vector))


def _check_length(vector: np.ndarray, length: float) -> float:
    longer = _stretched(vector, length)
    if not length > 0 or not longer.any():
        raise InputError("no_length", f"a length must be above 0, got {length}")
    if not np.isfinite(longer).all():
        raise InputError("too_large", f"a vector cannot be {length} long", text=written(length))
    return length


def _put_length(key: str, row: int, asked: str, length: float) -> None:
    matrix = matrix_of(key)
    matrix[row] = _stretched(matrix[row], length)
    keep(asked, {"vector": matrix[row].tolist(), "length": length})
    put_matrix(key, matrix, is_new=False)


LENGTH_STOPS = [round(0.1 * i, 1) for i in range(1, 101)]


QUERY_STOPS = [round(-6 + 0.1 * i, 1) for i in range(121)]


def _put_query(key: str, place: int, number: float) -> None:
    matrix = matrix_of(key)
    matrix[0, place] = number
    put_matrix(key, matrix, is_new=False)
