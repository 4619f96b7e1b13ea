"""Controls for the settings of a page: what one can be, its limits and its label stand in its field alone."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from attention_core import InputError, default_scale
from pages.ui.state.fields import Number, Whole
from pages.ui.state.session import is_kept, keep, kept
from pages.ui.widgets.errors import error_words
from pages.ui.widgets.lesson import Lesson
from pages.ui.widgets.number_box import number_box

TEMPERATURES = [m * 10.0**e for e in (-2, -1, 0, 1) for m in (1, 1.5, 2, 3, 4, 5, 7)] + [100.0]


def choice(lesson: Lesson, name: str, **more) -> str:
    """A few translated choices side by side."""
    field = lesson.field(name)
    return choose(lesson, lesson.key(name), field.label or name, field.kind.codes, words=field.kind.words, **more)


def choose(lesson: Lesson, key: str, label: str, options: tuple[str, ...], words: str = "", **more) -> str:
    """The same for what is no setting of the page; the words of option o are under ``{words}_{o}``."""
    return st.segmented_control(
        lesson.text(label),
        options,
        default=None if is_kept(key) else options[0],
        format_func=lambda option: lesson.text(f"{words or label}_{option}"),
        key=key,
        required=True,
        persist_state="session",
        **more,
    )


def switch(lesson: Lesson, name: str, on_change: Callable[[], None] | None = None) -> bool:
    """A translated on/off switch."""
    field = lesson.field(name)
    return st.toggle(
        lesson.text(field.label or name), key=lesson.key(name), help=lesson.text(f"{name}_help"),
        persist_state="session", on_change=on_change,
    )  # fmt: skip


def set_number(
    lesson: Lesson, name: str, limits: Number | None = None, first: float | None = None, *, label: str = "", **more
) -> float:
    """A box for a number. Other settings may give it narrower ``limits``: the nearest possible number counts then."""
    field, key = lesson.field(name), lesson.key(name)
    limits = limits or field.kind
    start = field.first if first is None else first
    if kept(key, start) is None:
        keep(key, start)
    number_box(
        lesson, label or lesson.text(field.label or name), key, kept(key), partial(keep, key), limits.check,
        whole=isinstance(limits, Whole), used=limits.nearest(kept(key)), **more,
    )  # fmt: skip
    return limits.nearest(kept(key))


def typed(lesson: Lesson, name: str, **more) -> str:
    """A line of text; of one that cannot be used it is said why, and the last good one counts."""
    field, key = lesson.field(name), lesson.key(name)
    label = lesson.text(field.label or name)
    kept(key, field.first)
    text = st.text_input(label, key=key, persist_state="session", **more) or ""
    try:
        keep(f"{key}_good", field.read(text))
    except InputError as error:
        lesson.warn("cell_kept", cell=label, why=error_words(lesson, error), number=kept(f"{key}_good", field.first))
    return kept(f"{key}_good")


def choose_scale(lesson: Lesson, d_k: int) -> float | str:
    """What the scores are multiplied by: 1/√d_k, nothing or one's own number; or "cosine", where that is a way."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        way = choice(lesson, "scaling")
        if way == "own":
            return set_number(lesson, "own_scale", width=150)
    return {"sqrt": default_scale(d_k), "off": 1.0}.get(way, way)


def choose_temperature(lesson: Lesson) -> float:
    """Any number above 0."""
    return set_number(lesson, "temperature", stops=TEMPERATURES, box_label=lesson.text("temperature_box"))


def choose_precision(lesson: Lesson) -> int:
    """How many decimals are shown; it never changes what is computed."""
    return int(choice(lesson, "precision", label_visibility="collapsed"))
