"""A mask as a grid of buttons: click, drag or use the arrow keys to say who may look at whom."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import streamlit as st

from pages.ui.state.session import is_kept, kept

_HERE = Path(__file__).parent
_component = st.components.v2.component(
    "mask_grid",
    html='<div class="grid"><div class="frame"><table role="grid"></table></div><p></p></div>',
    css=(_HERE / "mask_grid.css").read_text(encoding="utf-8"),
    js=(_HERE / "mask_grid.js").read_text(encoding="utf-8"),
)
WORDS = ("allowed", "blocked", "row", "column", "queries", "keys", "hint")


def mask_grid(
    allowed: np.ndarray,
    *,
    key: str,
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    words: Mapping[str, str],
    label: str,
    version: int = 0,
    notes: Sequence[Sequence[str]] | None = None,
    on_change: Callable[[], None] | None = None,
) -> np.ndarray:
    """Draw the mask and return it as the visitor has it now: boolean (L, S), True = may look.

    ``allowed`` is the mask as it stands: give back what the last call returned. ``version`` must grow
    whenever something other than this grid changes the mask (a rule, undo, a link); the grid then follows,
    and clicks made on the older mask no longer count. A new shape counts as a new version by itself.

    ``words`` are templates with {query} and {key}: "allowed" and "blocked" say it of one cell, "row" and
    "column" of the button that paints a whole one; "queries" and "keys" name the axes, "hint" stands below
    until a cell is pointed at. ``label`` names the grid for screen readers. ``notes`` (L, S) add a text to
    single cells ("" for none), for instance the rule that blocks them. ``on_change`` is called before the
    run that follows a change.
    """
    allowed = np.array(allowed, dtype=bool)
    if allowed.shape != (len(query_labels), len(key_labels)):
        raise ValueError(
            f"the mask is {allowed.shape}, with {len(query_labels)} query and {len(key_labels)} key labels"
        )
    stamp = f"{version} {allowed.shape[0]}x{allowed.shape[1]}"
    seq = 0
    reported = checked_report(kept(key, None), stamp, allowed.shape) if is_kept(key) else None
    if reported:
        seq, allowed = reported
    _component(
        key=key,
        data={
            "version": stamp,
            "seq": seq,
            "allowed": allowed.tolist(),
            "query_labels": list(query_labels),
            "key_labels": list(key_labels),
            "words": {name: words[name] for name in WORDS},
            "label": label,
            "notes": [list(row) for row in notes] if notes is not None else [],
        },
        on_mask_change=on_change or _nothing,
    )
    return allowed


def checked_report(state, stamp: str, shape: tuple[int, int]) -> tuple[int, np.ndarray] | None:
    """What the browser says of this very mask: (number of the click, mask), or None if it cannot be that.

    A browser can send anything, so nothing but a list of lists of booleans of the right shape is believed.
    """
    match state:
        case {"mask": {"version": str(version), "seq": int(seq), "allowed": list(rows)}}:
            fits = (
                version == stamp
                and type(seq) is int
                and seq >= 0
                and len(rows) == shape[0]
                and all(isinstance(row, list) and len(row) == shape[1] for row in rows)
                and all(type(cell) is bool for row in rows for cell in row)
            )
            return (seq, np.array(rows, dtype=bool).reshape(shape)) if fits else None
    return None


def _nothing() -> None:
    """Streamlit keeps a component's value only where a callback is named."""
