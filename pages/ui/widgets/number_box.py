"""A box for a number, with a slider or with buttons for one more and one less.

A box is a text input, because the browser's own number input reads 0,5 as 5 and 1/3 as 13 and rounds what it shows.
What is kept under "typed" of each box: the text in it, the number that counts, and the turns of its widgets' keys.
"""

import re
from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from attention_core import InputError
from attention_core.matrix_text import read_number
from pages.ui.state.fields import written
from pages.ui.state.session import is_kept, keep, kept
from pages.ui.text import as_markdown
from pages.ui.widgets.errors import error_words
from pages.ui.widgets.lesson import Lesson


def number_box(
    lesson: Lesson,
    label: str,
    key: str,
    number: float,
    put: Callable[[float], None],
    check: Callable[[float], float] = float,
    *,
    whole: bool = False,
    used: float | None = None,
    stops: Sequence[float] = (),
    box_label: str = "",
    width: int = 120,
    slider_width: int = 190,
    hint: str | None = None,
) -> None:
    """A box for a number, with a slider over ``stops``, or buttons for one more and one less of a whole number.

    ``put`` is called with what the visitor makes of ``number``, once ``check`` lets it pass. What is refused
    stays in the box, and it is said why and that ``used`` counts until then, ``number`` if not given.

    When something else than the box changes the number, the box gets a new widget key, and so does the slider. With
    the old one the browser would send its old number along with the next move, as if the visitor had typed it, and a
    quick hand would lose steps.
    """
    entry = kept("typed", {}).get(key) or {"box": -1, "slider": -1, "number": None}
    if entry["number"] != number:
        entry = {"box": entry["box"] + 1, "slider": entry["slider"] + 1, "number": number, "text": written(number)}
        _note(key, entry)
    used = number if used is None else used
    box, slider = f"{key}_box_{entry['box']}", f"{key}_slider_{entry['slider']}"
    if not is_kept(box):
        keep(box, entry["text"])
    with st.container(
        horizontal=True, vertical_alignment="bottom", key=f"{key}_dial", width="stretch" if stops else "content",
        gap="small" if stops else "xxsmall",
    ):  # fmt: skip
        if stops:
            if not is_kept(slider):
                near = np.clip(number, min(stops), max(stops))  # else every stop is as far from a huge number
                keep(slider, min(stops, key=lambda stop: abs(stop - near)))
            st.select_slider(
                label, stops, key=slider, width=slider_width, on_change=_slid, args=(key, slider, put),
                format_func=lambda stop: f"{stop:g}".replace("-", "−").replace("e+0", "e"),
            )  # fmt: skip
        st.text_input(
            box_label or label, key=box, width=width, label_visibility="collapsed" if stops else "visible",
            help=hint, on_change=_typed, args=(key, box, whole, put, check),
        )  # fmt: skip
        if whole and not stops:
            for step, sign in ((-1, "−"), (1, "\\+")):
                st.button(
                    sign, key=f"{key}_step_{step}", type="tertiary", disabled=not _passes(check, used + step),
                    on_click=_stepped, args=(key, step, used, put, check),
                )  # fmt: skip
    try:
        reading = check(_read(entry["text"], whole))
        if reading != number:  # refused when it was typed; now there is room for it
            _note(key, entry | {"number": reading, "slider": entry["slider"] + 1})
            put(reading)
    except InputError as error:
        why = as_markdown(error_words(lesson, error))
        said = lesson.text("cell_kept", cell=label, why=why, number=as_markdown(written(used)))
        st.warning(said, icon="⚠️")


#: A whole number 786,432 is no 786.432; but 1,000 may be 1.000.
_CERTAIN_THOUSANDS = re.compile(r"[1-9]\d{0,2}(,(?!000$)\d{3}|(,\d{3}){2,})")


def _read(text: str, whole: bool) -> float:
    """The number that was typed, as the grids would read it."""
    if not text.strip():
        raise InputError("empty_text", "there is nothing to read")
    try:
        number = read_number(text)
    except InputError as error:
        if not (whole and error.reason == "thousands" and _CERTAIN_THOUSANDS.fullmatch(text.strip())):
            raise
        number = read_number(text.replace(",", ""))
    if whole and number != int(number):
        raise InputError("not_whole", f"{number} is not a whole number", value=number)
    return int(number) if whole else number


def _passes(check: Callable[[float], float], number: float) -> bool:
    try:
        check(number)
    except InputError:
        return False
    return True


def _note(key: str, entry: dict) -> None:
    keep("typed", kept("typed", {}) | {key: entry})


def _typed(key: str, box: str, whole: bool, put: Callable[[float], None], check: Callable[[float], float]) -> None:
    entry = kept("typed", {})[key]
    if box != f"{key}_box_{entry['box']}":
        return  # a message that was on its way when the box was replaced
    entry = entry | {"text": kept(box, "") or ""}
    _note(key, entry)
    try:
        number = check(_read(entry["text"], whole))
    except InputError:
        return
    _note(key, entry | {"number": number, "slider": entry["slider"] + 1})
    put(number)


def _slid(key: str, slider: str, put: Callable[[float], None]) -> None:
    entry = kept("typed", {})[key]
    if slider != f"{key}_slider_{entry['slider']}":
        return
    _set(key, kept(slider, None), put)


def _stepped(key: str, step: int, used: int, put: Callable[[float], None], check: Callable[[float], float]) -> None:
    """From where the last press left it, which a quick hand does not wait to see."""
    now = kept("typed", {})[key]["number"]
    number = (now if _passes(check, now) else used) + step
    if _passes(check, number):
        _set(key, number, put)


def _set(key: str, number: float, put: Callable[[float], None]) -> None:
    entry = kept("typed", {})[key]
    _note(key, entry | {"number": number, "text": written(number), "box": entry["box"] + 1})
    put(number)
