"""Errors of the core in the visitor's language."""

from attention_core import InputError
from pages.ui.state.matrices import SEEN
from pages.ui.text import clean_label
from pages.ui.widgets.lesson import Lesson


def error_words(lesson: Lesson, error: InputError) -> str:
    """An error of the core in the visitor's language; rows and columns are counted from 1, as the grids show them."""
    details = {k: v + 1 if k in ("row", "column") else as_typed(v) for k, v in error.details.items()}
    details["name"] = SEEN.get(details.get("name"), details.get("name", ""))
    if "text" in details:
        details["text"] = clean_label(details["text"], longest=30)
    if "step" in details:
        details["step"] = lesson.text(f"picture_{details['step']}")
    words = lesson.text(f"error_{error.reason}", **details)
    return f"{lesson.text('at_cell', **details)} {words}" if "column" in details else words


def as_typed(detail):
    """A number that an error quotes as a visitor writes it: 1000, not 1000.0."""
    return int(detail) if isinstance(detail, float) and detail.is_integer() and abs(detail) < 1e15 else detail
