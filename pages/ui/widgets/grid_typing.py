"""Let no key, no unfinished cell and no pasted block be lost between a visitor and st.data_editor."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from pages.ui.state.session import kept

_component = st.components.v2.component(
    "attention_lab.grid_typing",
    js=(Path(__file__).parent / "grid_typing.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def guard_typing(key: str, grid: str, shape: tuple[int, int], on_paste: Callable[[str], None]) -> None:
    """Watch over the grid with the widget key ``grid``; ``on_paste`` is called with what it cannot take as it is."""

    def pasted():
        text = kept(key, {}).get("pasted")
        if isinstance(text, str):
            on_paste(text)

    rows, columns = shape
    _component(key=key, data={"grid": grid, "rows": rows, "columns": columns}, on_pasted_change=pasted)
