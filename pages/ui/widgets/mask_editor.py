"""A mask: a rule, a second one, then any cell by hand."""

from collections.abc import Mapping
from functools import partial

import numpy as np
import streamlit as st

from attention_core import InputError, masks
from pages.ui.state.fields import MOST
from pages.ui.state.mask_rules import ALONE, RULES, documents_of, documents_used, limits_of, settings_of
from pages.ui.state.session import keep, kept
from pages.ui.widgets.controls import choice, set_number
from pages.ui.widgets.errors import error_words
from pages.ui.widgets.lesson import Lesson
from pages.ui.widgets.mask_grid import mask_grid


def edit_mask(
    lesson: Lesson,
    query_labels: list[str],
    key_labels: list[str],
    rules: tuple[str, ...] = RULES,
    combined: bool = False,
    own: Mapping[str, np.ndarray] | None = None,
    grid_in=None,
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """A rule, with ``combined`` a second one, then any cell by hand.

    ``own`` has the masks of rules that mean something else here, ``grid_in`` is the container of the grid.
    More than MOST tokens cannot be painted.
    Returns the named masks that together make the mask, and the mask itself.
    """
    n_query, n_key = len(query_labels), len(key_labels)
    rule = _choose_rule(lesson, "rule", "mask", rules) if len(rules) > 1 else rules[0]
    if own and rule in own:
        settings, first = {}, own[rule]
    else:
        settings = _rule_settings(lesson, rule, n_query, n_key)
        first = _rule_mask(rule, n_query, n_key, settings)
    made = [(rule, first)]
    drawn_from = [rule, settings, n_query, n_key]
    ruled = made[0][1]
    if combined and rule not in ALONE:
        how = choice(lesson, "combine")
        if how != "alone":
            others = tuple(other for other in rules if other not in ALONE)
            lesson.kept("second", next(other for other in ("padding", *others) if other != rule))
            second = _choose_rule(lesson, "second", "second", others)
            more = _rule_settings(lesson, second, n_query, n_key, "second_")
            made.append((second, _rule_mask(second, n_query, n_key, more)))
            ruled = ruled & made[1][1] if how == "and" else ruled | made[1][1]
            drawn_from += [how, second, more]
    if max(n_query, n_key) > MOST:
        return dict(made), ruled
    entry = lesson.kept("mask", {"version": 0, "drawn_from": None, "allowed": None})
    if entry["drawn_from"] != drawn_from:
        allowed = ruled
        if entry["allowed"] is not None and (entry["drawn_from"] is None or rule == "custom"):
            painted = np.array(entry["allowed"])
            allowed = painted if painted.shape == ruled.shape else ruled
        entry = {"version": entry["version"] + 1, "drawn_from": drawn_from, "allowed": allowed.tolist()}
    with grid_in or st.container():
        allowed = mask_grid(
            np.array(entry["allowed"]),
            key=lesson.key("mask_grid"),
            version=entry["version"],
            query_labels=query_labels,
            key_labels=key_labels,
            label=lesson.text("mask_grid"),
            words={
                w: lesson.text(f"mask_{w}") for w in ("allowed", "blocked", "row", "column", "queries", "keys", "hint")
            },
            notes=_rule_notes(lesson, made, ruled),
            on_change=partial(_painted, lesson, n_query, n_key) if "custom" in rules else None,
        )
    lesson.keep(mask=entry | {"allowed": allowed.tolist(), "painted": bool((allowed != ruled).any())})
    named: dict[str, np.ndarray] = {}
    for name, mask in made:  # with "or" a rule blocks only what the other blocks too
        named[name] = (mask | ruled | allowed) & named.get(name, True)
    return named | {"painted": allowed | ~ruled}, allowed


def _painted(lesson: Lesson, n_query: int, n_key: int) -> None:
    """A cell was painted: the mask is by hand now. Its version stays, so that no cell painted meanwhile is lost."""
    lesson.keep(rule="custom")
    lesson.keep(mask=lesson.kept("mask", None) | {"drawn_from": ["custom", {}, n_query, n_key]})


def _choose_rule(lesson: Lesson, name: str, words: str, rules: tuple[str, ...]) -> str:
    return st.pills(
        lesson.text(words),
        rules,
        format_func=lambda code: lesson.text(f"rule_{code}"),
        key=lesson.key(name),
        required=True,
        wrap=True,
        persist_state="session",
    )


def _rule_notes(lesson: Lesson, made: list[tuple[str, np.ndarray]], ruled: np.ndarray) -> list[list[str]]:
    """For each cell that the rules block, which of them do."""
    names = {name: lesson.text(f"rule_{name}") for name, _ in made}
    return [
        [
            ""
            if ruled[i, j]
            else lesson.text("mask_note", rules=", ".join(names[name] for name, mask in made if not mask[i, j]))
            for j in range(ruled.shape[1])
        ]
        for i in range(ruled.shape[0])
    ]


def _rule_settings(lesson: Lesson, rule: str, n_query: int, n_key: int, which: str = "") -> dict:
    """What the visitor has set of the rule, within what the matrices allow; ``which`` begins a second rule's fields."""
    settings = {}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for name, setting in settings_of(rule).items():
            if isinstance(setting, masks.Number):
                limits = limits_of(setting, n_query, n_key)
                first = min(setting.first, limits.high) if setting.first >= 0 else limits.high + setting.first
                label = lesson.text("mask_prefix") if rule == "prefix" else ""
                settings[name] = set_number(lesson, which + name, limits, first, label=label)
            elif setting is None:
                settings[name] = _documents(lesson, which + name, max(n_query, n_key))
            elif name != "corner" or n_query != n_key:
                settings[name] = choice(lesson, which + name)
    if rule == "window":
        st.caption(lesson.text("window_note", left=settings["left"], own=settings["left"] + 1))
    return settings


def _documents(lesson: Lesson, name: str, count: int) -> list[int]:
    """A document number for each token, typed as "1 1 2". The setting is the last good text; the box has its own."""
    key = lesson.key(name)
    good = kept(key, " ".join(str(1 + i * 2 // count) for i in range(count)))
    if kept(f"{key}_shown", None) != good:  # set by something else than the box
        keep(f"{key}_typed", good)
    text = st.text_input(lesson.text("mask_documents", count=count), key=f"{key}_typed", persist_state="session") or ""
    try:
        documents_of(lesson.field(name).read(text), count)
        good = text
    except InputError as error:
        lesson.warn("documents_kept", why=error_words(lesson, error))
    keep(key, good)
    keep(f"{key}_shown", good)
    return documents_used(good, count)


def _rule_mask(rule: str, n_query: int, n_key: int, settings: dict) -> np.ndarray:
    return masks.build_mask("full" if rule == "custom" else rule, n_query, n_key, **settings)
