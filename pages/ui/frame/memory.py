"""What a visitor answered comes back from their browser's own memory; nothing of it leaves the browser's computer.

The server has it for as long as the visit lasts, under "answers": a text for each exercise. Whoever keeps more there
finds it in the browser after the run; what the browser remembers arrives under "recalled" after a visit's first run.
"""

import json
import secrets
from pathlib import Path

import streamlit as st

from pages.ui.state.session import forget_all, forget_link, keep, kept

MOST = 200_000  #: characters that are stored at most
_component = st.components.v2.component(
    "memory",
    js=(Path(__file__).parent / "memory.js").read_text(encoding="utf-8"),
    css=".st-key-memory_of_browser { display: none; }",  # an empty element would still take a line's gap
    isolate_styles=False,
)


def remember() -> None:
    """Let the browser store the answers there are, and tell once in a visit what it has stored."""
    data = {
        "answers": kept("answers", {}),
        "most": MOST,
        "session": kept("session", secrets.token_hex(8)),
        "forget": kept("forgotten", 0),
    }
    _component(key="memory_of_browser", data=data, on_recalled_change=_recalled)


def _recalled() -> None:
    """What a browser sends is not trusted: texts by name, or nothing."""
    try:
        answers = json.loads(kept("memory_of_browser")["recalled"])
    except (TypeError, KeyError, ValueError, RecursionError):
        return
    if isinstance(answers, dict):
        keep("recalled", {code: text for code, text in answers.items() if isinstance(text, str) and len(text) < MOST})


def forget_everything() -> None:
    """As if this computer had never been here: what is set, what was answered, what the browser remembers."""
    times = kept("forgotten", 0) + 1
    forget_all("language", "projector")
    keep("forgotten", times)
    forget_link()
