"""Grids of numbers: type, paste, fill."""

from functools import lru_cache, partial

import numpy as np
import pandas as pd
import streamlit as st

from attention_core import InputError
from attention_core.matrix_text import read_matrix, read_number
from pages.ui.state.fields import check_size
from pages.ui.state.matrices import SEEN, cell_text, matrix_of, put_matrix, random_matrix, rebase
from pages.ui.state.session import is_kept, keep, kept
from pages.ui.text import as_markdown, clean_label
from pages.ui.widgets.errors import error_words
from pages.ui.widgets.grid_typing import guard_typing
from pages.ui.widgets.lesson import Lesson


def seen_name(lesson: Lesson, name: str) -> str:
    """What a matrix is called: Q, K, V, or the lesson's own word."""
    return SEEN[name] if name in SEEN else lesson.text(f"seen_{name}")


def edit_matrices(lesson: Lesson, labels_of: dict[str, list[str]]) -> dict[str, np.ndarray]:
    """A grid with its tools for each of "query", "key", "value" that has labels; the matrices by these names."""
    matrices = {}
    with st.container(horizontal=True, gap="small"):
        for name, labels in labels_of.items():
            matrix_key = lesson.key(name)
            rows, columns = matrix_of(matrix_key).shape
            wide = max(166, 60 + 53 * columns) if columns <= 3 else 60 + 46 * columns
            with st.container(width=wide, gap="xsmall", key=f"{matrix_key}_editor"):
                with st.container(horizontal=True, vertical_alignment="center"):
                    st.markdown(lesson.text(f"grid_{name}", rows=rows, columns=columns), width="content")
                    matrix_tools(lesson, matrix_key, name)
                matrices[name] = edit_matrix(lesson, matrix_key, name, (labels + ["?"] * rows)[:rows])
    return matrices


def edit_matrix(
    lesson: Lesson, key: str, name: str, labels: list[str], widths: tuple[int, int] = (58, 46)
) -> np.ndarray:
    """A grid of numbers; returns them, and for a cell that cannot be read its last good number.

    ``widths`` are the pixels of the labels and of a number, where there are more than three of them.
    """
    entry = kept(key, None)
    grid = f"{key}_grid_{entry['version']}"
    entry, refused = _with_typed(entry, grid)
    # A browser that comes back to a page, or to a grid that was not drawn for a while, has forgotten what was typed.
    knows = is_kept(grid) and entry["visit"] == lesson.visit
    if (entry["texts"] != entry["base"] and not knows) or entry["labels"] not in (None, labels):
        entry = rebase(key, entry["texts"], entry["numbers"])
        grid = f"{key}_grid_{entry['version']}"
    columns = [str(j) for j in range(len(entry["base"][0]))]
    labels_width, wide = widths[0], 53 if len(columns) <= 3 else widths[1]
    seen = seen_name(lesson, name)
    # Before the grid: whichever of the two listens first for what is pasted gets it.
    shape = (len(entry["base"]), len(columns))
    guard_typing(f"{key}_grid_typing", grid, shape, partial(_into_paste_box, key))
    st.data_editor(
        _frame(tuple(map(tuple, entry["base"])), tuple(labels)),
        key=grid,
        width=labels_width + 2 + wide * len(columns),
        row_height=32,
        disabled=["_index"],
        alt=lesson.text("grid_alt", name=seen),
        column_config={
            "_index": st.column_config.Column(lesson.text(f"index_{name}"), width=labels_width),
            **{c: st.column_config.TextColumn(str(int(c) + 1), width=wide) for c in columns},
        },
    )
    if kept(f"{key}_unpasted", None) == entry["texts"]:  # until a cell changes
        lesson.warn("paste_refused", name=seen, rows=shape[0], columns=shape[1])
    for i, j, error in refused:
        lesson.warn(
            "cell_kept",
            cell=f"{seen}[{i + 1}, {j + 1}]",
            number=cell_text(entry["numbers"][i][j]),
            why=error_words(lesson, error),
        )
    keep(key, entry | {"labels": labels, "visit": lesson.visit})
    return np.array(entry["numbers"])


def _with_typed(entry: dict, grid: str) -> tuple[dict, list[tuple[int, int, InputError]]]:
    """A matrix with the cells that stand in its grid now, and those that cannot be read: (row, column, why)."""
    texts, numbers, refused = entry["texts"], [list(row) for row in entry["numbers"]], []
    if is_kept(grid):
        edits = kept(grid, None)["edited_rows"]
        texts = [[_edit(edits, i, j, text) for j, text in enumerate(row)] for i, row in enumerate(entry["base"])]
    for i, row in enumerate(texts):
        for j, text in enumerate(row):
            if text == cell_text(entry["base_numbers"][i][j]):
                numbers[i][j] = entry["base_numbers"][i][j]  # more digits than the text shows, perhaps
                continue
            try:
                numbers[i][j] = read_number(text)
            except InputError as error:
                refused.append((i, j, error))
    return entry | {"texts": texts, "numbers": numbers}, refused


def _edit(edits: dict, row: int, column: int, text: str) -> str:
    """A cell's text as it was typed, or as it was before; a cleared cell is empty."""
    edited = edits.get(row, {}).get(str(column), text)
    return "" if edited is None else str(edited)


def _into_paste_box(key: str, text: str) -> None:
    """Show how a block is read that the grid cannot take as it is: the paste box grows the matrix, and asks."""
    keep(f"{key}_paste", text)
    keep(f"{key}_tools", True)
    keep(f"{key}_unpasted", kept(key, None)["texts"])


@lru_cache(maxsize=256)
def _frame(texts: tuple[tuple[str, ...], ...], labels: tuple[str, ...]) -> pd.DataFrame:
    """What a grid is given. Kept, since it changes seldom and takes a fifth of a grid's time; the grid copies it."""
    return pd.DataFrame(texts, columns=[str(j) for j in range(len(texts[0]))], index=labels, dtype=str)


def matrix_tools(lesson: Lesson, key: str, name: str) -> None:
    """Beside a grid: paste from anywhere, zeros, identity, random, transposed."""
    with st.popover(
        lesson.text("tools", name=seen_name(lesson, name)), key=f"{key}_tools", type="tertiary", on_change="rerun"
    ) as tools:
        if not tools.open:
            return
        with st.container(horizontal=True):
            for fill in ("zeros", "identity", "random", "transpose"):
                st.button(lesson.text(f"fill_{fill}"), key=f"{key}_{fill}", on_click=_fill, args=(lesson, key, fill))
        if kept(f"{key}_seed", 0):
            st.caption(lesson.text("seed", seed=kept(f"{key}_seed", 0)))
        text = st.text_area(
            lesson.text("paste", name=seen_name(lesson, name)),
            key=f"{key}_paste",
            placeholder="1 0\n0 1",
            help=lesson.text("paste_help"),
            persist_state="session",
        )
        if text and text.strip():
            _show_reading(lesson, key, text)


def _show_reading(lesson: Lesson, key: str, text: str) -> None:
    """What was understood of the pasted text; nothing is replaced before the visitor says so."""
    decimal = kept(f"{key}_decimal", None)
    try:
        reading = read_matrix(text, decimal=decimal)
        check_size(reading.matrix)
    except InputError as error:
        st.warning(as_markdown(error_words(lesson, error)), icon="⚠️")
        return
    rows, columns = reading.matrix.shape
    st.markdown(lesson.text("read_as", rows=rows, columns=columns, form=lesson.text(f"form_{reading.form}")))
    st.table(pd.DataFrame(reading.matrix, columns=range(1, columns + 1), index=range(1, rows + 1)).map(cell_text))
    for side, names in (("columns", reading.columns), ("rows", reading.rows)):
        if names:
            st.caption(lesson.markdown(f"names_of_{side}", names=", ".join(map(clean_label, names))))
    if reading.other_decimal:
        st.segmented_control(
            lesson.text("decimal"),
            ["point", "comma"],
            default=reading.decimal,
            format_func=lambda mark: lesson.text(f"decimal_{mark}"),
            key=f"{key}_decimal",
            required=True,
        )
    st.button(
        lesson.text("paste_use"),
        key=f"{key}_use",
        type="primary",
        on_click=put_matrix,
        args=(key, reading.matrix),
    )


def _fill(lesson: Lesson, key: str, fill: str) -> None:
    rows, columns = matrix_of(key).shape
    if fill == "random":
        seed = kept(f"{key}_seed", 0) + 1
        keep(f"{key}_seed", seed)
        put_matrix(key, random_matrix(key.removeprefix(lesson.key("")), seed, (rows, columns)))
    else:
        put_matrix(
            key,
            {
                "zeros": np.zeros((rows, columns)),
                "identity": np.eye(rows, columns),
                "transpose": matrix_of(key).T,
            }[fill],
        )
