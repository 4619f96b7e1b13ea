"""The settings of a page that has no matrices: controls, the last good value of each, a link, undo.

A setting is a `share.Field`. What a control or a link says goes through the field's own reading; what cannot be
used is said beside the control, and the last good value stays. Keys begin with the page's prefix.
"""

from functools import partial

from attention_core import InputError

from . import inputs, share
from .inputs import choice, error_words, switch
from .share import Field, field_text
from .shell import Lesson, is_kept, keep, kept

Fields = tuple[Field, ...]


def settings(prefix: str) -> dict:
    """The last good value of every setting."""
    return kept(f"{prefix}_settings", {})


def put(prefix: str, values: dict) -> None:
    """Set things by something other than their own controls: a link, a button, an undo."""
    for name, value in values.items():
        keep(f"{prefix}_{name}", value)
    keep(f"{prefix}_settings", settings(prefix) | values)


def open_link(lesson: Lesson, prefix: str, fields: Fields, beyond=lambda values: []) -> None:
    """Take over what the address asks for, once in a visit, and say what in it cannot be used.

    ``beyond(values)`` takes out those that other values do not allow, and returns what was wrong.
    """
    if not is_kept(f"{prefix}_problems"):
        values, problems = share.read_asked(fields)
        problems += beyond(values)
        put(prefix, first(fields) | values)
        keep(f"{prefix}_problems", problems)
    share.say_problems(lesson, prefix, fields)


def first(fields: Fields) -> dict:
    """Every setting as the page opens."""
    return {field.name: field.first for field in fields}


def take(lesson: Lesson, prefix: str, field: Field, value) -> None:
    """Take over what a control says, or say beside it why not."""
    good = settings(prefix)
    try:
        if value is None:
            raise InputError("empty_text", f"{field.name} is empty; a value is expected")
        keep(f"{prefix}_settings", good | {field.name: field.read(field_text(value))})
    except InputError as error:
        cell, why = lesson.text(f"set_{field.name}"), error_words(lesson, error)
        lesson.warn("cell_kept", cell=cell, why=why, number=field_text(good[field.name]))


def number_box(lesson: Lesson, prefix: str, field: Field, stops: tuple = (), slider_width: int = 190) -> None:
    """A box for a number and, where there are stops, a slider."""
    inputs.number_box(
        lesson, lesson.text(f"set_{field.name}"), f"{prefix}_{field.name}", settings(prefix)[field.name],
        lambda number: put(prefix, {field.name: number}), lambda number: field.read(field_text(number)),
        whole=isinstance(field.first, int), stops=stops, width=112, slider_width=slider_width,
    )  # fmt: skip


def chosen(lesson: Lesson, prefix: str, field: Field, options: tuple[str, ...]) -> str:
    """A choice between a few codes, which are worded as set_<name>_<code>."""
    take(lesson, prefix, field, choice(lesson, f"{prefix}_{field.name}", f"set_{field.name}", options))
    return settings(prefix)[field.name]


def switched(lesson: Lesson, prefix: str, field: Field) -> bool:
    """A switch, worded as its name."""
    take(lesson, prefix, field, switch(lesson, prefix, field.name))
    return settings(prefix)[field.name]


def undo_reset_share(lesson: Lesson, prefix: str, fields: Fields) -> None:
    """Steps back and forward, all as at first, a link. Stands at a page's end, when this run's changes are in."""
    now = settings(prefix)
    share.remember(prefix, now)
    share.undo_reset_share(
        lesson, prefix, partial(put, prefix), first(fields),
        lambda: {f.name: field_text(now[f.name]) for f in fields if now[f.name] != f.first},
    )  # fmt: skip
