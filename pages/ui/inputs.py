"""Widgets that return core values: a page never sees a data frame, a cell's text or an error."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial

import numpy as np
import pandas as pd
import streamlit as st

from attention_core import InputError, default_scale, masks
from attention_core.examples import example
from attention_core.matrix_text import read_matrix, read_number

from .grid_typing import guard_typing
from .mask_grid import mask_grid
from .shell import Lesson, is_kept, keep, kept
from .text import as_markdown, clean_label, numbered

MOST = 16  #: rows or columns of a matrix on a page
MOST_NAMES = 600  #: characters of the names of all tokens
SEEN = {"query": "Q", "key": "K", "value": "V"}


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


# ------------------------------------------------------------------------------------------------ matrices
#
# What is kept of a matrix: "base" and "base_numbers" are what the grid was given, "texts" and "numbers" what stands
# in it now. The grid's base changes only when something other than typing changes the matrix, and then the version,
# and with it the widget's key, goes up: a value written back into the base would lose every second edit.


def seen_name(lesson: Lesson, name: str) -> str:
    """What a matrix is called: Q, K, V, or the lesson's own word."""
    return SEEN[name] if name in SEEN else lesson.text(f"seen_{name}")


def put_matrix(key: str, matrix, is_new: bool = True) -> None:
    """Replace a matrix by something other than typing: an example, a paste, another size, a link, an undo.

    Of a new one nothing was cut off yet.
    """
    if is_new:
        keep("whole", {name: whole for name, whole in kept("whole", {}).items() if name != key})
    numbers = np.asarray(matrix, dtype=float).tolist()
    _rebase(key, [[_cell_text(number) for number in row] for row in numbers], numbers)


def matrix_of(key: str) -> np.ndarray:
    """The last good numbers of a matrix."""
    return np.array(kept(key, None)["numbers"])


def edit_matrices(lesson: Lesson, prefix: str, labels_of: dict[str, list[str]]) -> dict[str, np.ndarray]:
    """A grid with its tools for each of "query", "key", "value" that has labels; the matrices by these names."""
    matrices = {}
    with st.container(horizontal=True, gap="small"):
        for name, labels in labels_of.items():
            matrix_key = f"{prefix}_{name}"
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
        entry = _rebase(key, entry["texts"], entry["numbers"])
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
            number=_cell_text(entry["numbers"][i][j]),
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
            if text == _cell_text(entry["base_numbers"][i][j]):
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


def _rebase(key: str, texts: list[list[str]], numbers: list[list[float]]) -> dict:
    version = kept(key, {"version": 0})["version"] + 1
    entry = {"base": texts, "base_numbers": numbers, "texts": texts, "numbers": numbers, "labels": None, "visit": None}
    keep(key, entry | {"version": version})
    return entry | {"version": version}


def _cell_text(number: float) -> str:
    """A number as a grid shows it: six digits. The whole number stays behind the text until it is edited."""
    return f"{number + 0.0:.6g}"


def edit_query(lesson: Lesson, prefix: str) -> np.ndarray:
    """One query, a slider and a box for each of its numbers; returns it as a matrix of one row."""
    key = f"{prefix}_query"
    for place, number in enumerate(matrix_of(key)[0].tolist()):
        label = lesson.text("query_number", number=place + 1)
        number_box(lesson, label, f"{key}_{place}", number, partial(_put_query, key, place), stops=QUERY_STOPS)
    return matrix_of(key)


def edit_length(lesson: Lesson, prefix: str, keys: list[str]) -> None:
    """A slider and a box for how long the query or one of the keys is; one of zeros has no direction to keep."""
    names = ["**q**", *map(as_markdown, numbered(keys))]  # a key may be called q as well
    chosen = f"{prefix}_long"
    keep(chosen, min(kept(chosen, 0) or 0, len(keys)))
    whose = st.segmented_control(
        lesson.text("whose_length"), range(len(names)), format_func=lambda i: names[i],
        key=chosen, required=True, wrap=True, persist_state="session",
    )  # fmt: skip
    key, row = (f"{prefix}_key", whose - 1) if whose else (f"{prefix}_query", 0)
    vector = matrix_of(key)[row]
    length = _length(vector)
    if not 0 < length < np.inf:
        return
    asked = kept(f"{chosen}_asked", {"vector": None})
    if asked["vector"] == vector.tolist():
        length = asked["length"]  # as it was typed; the vector's own may differ in the last digit
    number_box(
        lesson, lesson.text("length_of", name=names[whose]), f"{prefix}_length_{whose}", length,
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


def matrix_tools(lesson: Lesson, key: str, name: str) -> None:
    """Beside a grid: paste from anywhere, zeros, identity, random, transposed."""
    with st.popover(
        lesson.text("tools", name=seen_name(lesson, name)), key=f"{key}_tools", type="tertiary", on_change="rerun"
    ) as tools:
        if not tools.open:
            return
        with st.container(horizontal=True):
            for fill in ("zeros", "identity", "random", "transpose"):
                st.button(lesson.text(f"fill_{fill}"), key=f"{key}_{fill}", on_click=_fill, args=(key, fill))
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
    st.table(pd.DataFrame(reading.matrix, columns=range(1, columns + 1), index=range(1, rows + 1)).map(_cell_text))
    for part in reading.skipped:
        st.caption(lesson.text(f"skipped_{part}"))
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


def check_size(matrix: np.ndarray) -> np.ndarray:
    if max(matrix.shape) > MOST:
        rows, columns = matrix.shape
        raise InputError(
            "matrix_too_large",
            f"a matrix has at most {MOST} rows and columns here, got {rows} x {columns}",
            most=MOST,
            rows=rows,
            columns=columns,
        )
    return matrix


def _fill(key: str, fill: str) -> None:
    rows, columns = matrix_of(key).shape
    if fill == "random":
        seed = kept(f"{key}_seed", 0) + 1
        keep(f"{key}_seed", seed)
        put_matrix(key, _random(key, seed, (rows, columns)))
    else:
        put_matrix(
            key,
            {
                "zeros": np.zeros((rows, columns)),
                "identity": np.eye(rows, columns),
                "transpose": matrix_of(key).T,
            }[fill],
        )


# ------------------------------------------------------------------------------------------------- sizes


def choose_tokens(
    lesson: Lesson, prefix: str, adjustable: tuple[str, ...] = ("n_query", "n_key", "d_k", "d_v")
) -> tuple[list[str], list[str]]:
    """How many queries, keys and features there are, and the tokens' names: (queries, keys)."""
    query, key, value = (matrix_of(f"{prefix}_{name}") for name in SEEN)
    sizes = {"n_query": len(query), "n_key": len(key), "d_k": key.shape[1], "d_v": value.shape[1]}
    with st.popover(lesson.text("tokens"), key=f"{prefix}_tokens", on_change="rerun") as box:
        if box.open:
            with st.container(horizontal=True):
                for name in adjustable:
                    number_box(
                        lesson, lesson.text(f"size_{name}"), f"{prefix}_{name}", sizes[name],
                        partial(_resize, prefix, name), within(1, MOST), whole=True,
                    )  # fmt: skip
            for side in ("query", "key"):
                st.text_input(
                    lesson.text(f"labels_{side}"),
                    key=f"{prefix}_{side}_tokens",
                    help=lesson.text("labels_help"),
                    persist_state="session",
                )
                names, count = _names(prefix, side), len(query if side == "query" else key)
                if len(names) > count:
                    lesson.warn(
                        "too_many_labels",
                        given=len(names),
                        count=count,
                        dropped=clean_label(" ".join(names[count:]), 60),
                    )
    return _labels(prefix, "query", len(query)), _labels(prefix, "key", len(key))


def _resize(prefix: str, size: str, count: int) -> None:
    parts = {"n_query": ["query"], "n_key": ["key", "value"], "d_k": ["query", "key"], "d_v": ["value"]}[size]
    for name in parts:
        key = f"{prefix}_{name}"
        rows, columns = matrix_of(key).shape
        rows, columns = (count, columns) if size[0] == "n" else (rows, count)
        put_matrix(key, resized(key, matrix_of(key), rows, columns), is_new=False)


def resized(key: str, matrix: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """A matrix in another size: what was cut off before comes back where there is room again, the rest is zeros."""
    before = np.array(kept("whole", {}).get(key, np.zeros((1, 1))))
    whole = np.zeros(np.max([before.shape, matrix.shape, (rows, columns)], axis=0))
    for part in (before, matrix):
        whole[: part.shape[0], : part.shape[1]] = part
    keep("whole", kept("whole", {}) | {key: whole.tolist()})
    return whole[:rows, :columns]


def was_resized(key: str) -> bool:
    return key in kept("whole", {})


def start_anew(prefix: str) -> None:
    """Before an example or a reset: what boxes refused is forgotten, and what was cut off from matrices."""
    typed, whole = kept("typed", {}), kept("whole", {})
    ours = f"{prefix}_"
    keep("typed", typed | {key: typed[key] | {"number": None} for key in typed if key.startswith(ours)})
    keep("whole", {key: whole[key] for key in whole if not key.startswith(ours)})


# ---------------------------------------------------------------------------------------------- examples


def choose_example(lesson: Lesson, prefix: str, names: tuple[str, ...]) -> None:
    """A button for each example, with what there is to see in it; a press replaces matrices, labels and mask."""
    with st.popover(lesson.text("examples"), key=f"{prefix}_examples", on_change="rerun") as shelf:
        if shelf.open:
            for name in names:
                st.button(
                    f"**{lesson.text(f'example_{name}')}** · {lesson.text(f'example_{name}_look')}",
                    key=f"{prefix}_example_{name}",
                    width="stretch",
                    on_click=load_example,
                    args=(lesson, prefix, name),
                )


#: The cell that an example's words speak of, where it is not the first: "it" reads "cat".
LOOK_AT = {"cat_toy": (7, 1)}


def load_example(lesson: Lesson, prefix: str, name: str) -> None:
    chosen = example(name)
    start_anew(prefix)
    keep(f"{prefix}_examples", False)  # the shelf closes: what it covered is what there is to see now
    for part in SEEN:
        put_matrix(f"{prefix}_{part}", getattr(chosen, part))
    keep(f"{prefix}_query_tokens", lesson.text(f"example_{name}_queries"))
    keep(f"{prefix}_key_tokens", lesson.text(f"example_{name}_keys"))
    keep(f"{prefix}_example", name)
    put_mask(prefix, "full", chosen.allowed)
    row, column = LOOK_AT.get(name, (0, 0))
    first = {
        "scaling": "sqrt",
        "sharing": "rows",
        "temperature": 1.0,
        "combine": "alone",
        "row": row,
        "column": column,
    }
    for setting, value in first.items():
        keep(f"{prefix}_{setting}", value)


def source_of(prefix: str) -> str:
    """Where the matrices come from: which badge the pictures wear."""
    matrices = {part: matrix_of(f"{prefix}_{part}") for part in SEEN}
    name = kept(f"{prefix}_example", None)
    chosen = example(name)
    if all(np.array_equal(matrices[part], getattr(chosen, part)) for part in SEEN):
        return "toy" if name == "cat_toy" else "example"
    seeds = {part: kept(f"{prefix}_{part}_seed", 0) for part in SEEN}
    if all(seeds[p] and np.array_equal(m, _random(f"{prefix}_{p}", seeds[p], m.shape)) for p, m in matrices.items()):
        return "random"
    return "typed"


def _random(key: str, seed: int, shape: tuple[int, int]) -> np.ndarray:
    """Other numbers for each matrix: with those of one seed, query and key would be the same."""
    return np.random.default_rng([seed, *key.encode()]).normal(size=shape).round(2)


def _names(prefix: str, side: str) -> list[str]:
    """The typed names of the tokens, separated by spaces."""
    return [clean_label(name) for name in (kept(f"{prefix}_{side}_tokens", "") or "").split()]


def _labels(prefix: str, side: str, count: int) -> list[str]:
    """A name for each token; one without a name gets its number."""
    names = _names(prefix, side)[:count]
    return names + [str(i + 1) for i in range(len(names), count)]


# ------------------------------------------------------------------------------------------------- masks
#
# What is kept of a mask: the rules with their settings it was last drawn from, and the cells as they are now.

RULES = (*masks.RULES, "custom")  #: "custom" is painted by hand
#: A second rule can be combined with any but these: one hides nothing, the other is what was painted.
ALONE = ("full", "custom")


def put_mask(prefix: str, rule: str, allowed: np.ndarray | None = None) -> None:
    """Replace the mask: choose the rule, or cells as if painted by hand, whatever rule they were painted over."""
    if allowed is not None:
        rule = "full" if np.all(allowed) else "custom"
    version = kept(f"{prefix}_mask", {"version": 0})["version"] + 1
    keep(f"{prefix}_rule", rule)
    cells = None if allowed is None else np.asarray(allowed).tolist()
    keep(f"{prefix}_mask", {"version": version, "drawn_from": None, "allowed": cells})


def edit_mask(
    lesson: Lesson,
    prefix: str,
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
    rule = _choose_rule(lesson, prefix, "rule", "mask", rules) if len(rules) > 1 else rules[0]
    if own and rule in own:
        settings, first = {}, own[rule]
    else:
        settings = _rule_settings(lesson, prefix, rule, n_query, n_key)
        first = _rule_mask(rule, n_query, n_key, settings)
    made = [(rule, first)]
    drawn_from = [rule, settings, n_query, n_key]
    ruled = made[0][1]
    if combined and rule not in ALONE:
        how = choice(lesson, f"{prefix}_combine", "combine", ("alone", "and", "or"))
        if how != "alone":
            others = tuple(other for other in rules if other not in ALONE)
            kept(f"{prefix}_second", next(other for other in ("padding", *others) if other != rule))
            second = _choose_rule(lesson, prefix, "second", "second", others)
            more = _rule_settings(lesson, f"{prefix}_second", second, n_query, n_key)
            made.append((second, _rule_mask(second, n_query, n_key, more)))
            ruled = ruled & made[1][1] if how == "and" else ruled | made[1][1]
            drawn_from += [how, second, more]
    if max(n_query, n_key) > MOST:
        return dict(made), ruled
    entry = kept(f"{prefix}_mask", {"version": 0, "drawn_from": None, "allowed": None})
    if entry["drawn_from"] != drawn_from:
        allowed = ruled
        if entry["allowed"] is not None and (entry["drawn_from"] is None or rule == "custom"):
            painted = np.array(entry["allowed"])
            allowed = painted if painted.shape == ruled.shape else ruled
        entry = {"version": entry["version"] + 1, "drawn_from": drawn_from, "allowed": allowed.tolist()}
    with grid_in or st.container():
        allowed = mask_grid(
            np.array(entry["allowed"]),
            key=f"{prefix}_mask_grid",
            version=entry["version"],
            query_labels=query_labels,
            key_labels=key_labels,
            label=lesson.text("mask_grid"),
            words={
                w: lesson.text(f"mask_{w}") for w in ("allowed", "blocked", "row", "column", "queries", "keys", "hint")
            },
            notes=_rule_notes(lesson, made, ruled),
            on_change=partial(_painted, prefix, n_query, n_key) if "custom" in rules else None,
        )
    keep(f"{prefix}_mask", entry | {"allowed": allowed.tolist(), "painted": bool((allowed != ruled).any())})
    named: dict[str, np.ndarray] = {}
    for name, mask in made:  # with "or" a rule blocks only what the other blocks too
        named[name] = (mask | ruled | allowed) & named.get(name, True)
    return named | {"painted": allowed | ~ruled}, allowed


def _painted(prefix: str, n_query: int, n_key: int) -> None:
    """A cell was painted: the mask is by hand now. Its version stays, so that no cell painted meanwhile is lost."""
    keep(f"{prefix}_rule", "custom")
    keep(f"{prefix}_mask", kept(f"{prefix}_mask", None) | {"drawn_from": ["custom", {}, n_query, n_key]})


def _choose_rule(lesson: Lesson, prefix: str, name: str, words: str, rules: tuple[str, ...]) -> str:
    return st.pills(
        lesson.text(words),
        rules,
        format_func=lambda code: lesson.text(f"rule_{code}"),
        key=f"{prefix}_{name}",
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


def painted_mask(prefix: str) -> list[list[bool]] | None:
    """The mask's cells when something else than the rule made them, else None."""
    entry = kept(f"{prefix}_mask", {})
    return entry.get("allowed") if entry.get("painted") or entry.get("drawn_from") is None else None


def settings_of(rule: str | None) -> dict[str, masks.Number | masks.Choice | None]:
    """The settings of a rule by name; what was painted by hand has none."""
    return masks.RULES[rule].settings if rule in masks.RULES else {}


def _rule_settings(lesson: Lesson, prefix: str, rule: str, n_query: int, n_key: int) -> dict:
    """What the visitor has set of the rule, within what the matrices allow."""
    settings = {}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for name, setting in settings_of(rule).items():
            key = f"{prefix}_{name}"
            if isinstance(setting, masks.Number):
                label = lesson.text("mask_prefix" if rule == "prefix" else f"mask_{name}")
                high = setting.high(n_query, n_key)
                first = min(setting.first, high) if setting.first >= 0 else high + setting.first
                settings[name] = kept_number(lesson, label, key, first, setting.low, high, setting.reason)
            elif setting is None:
                settings[name] = _token_numbers(lesson, key, f"mask_{name}", max(n_query, n_key))
            elif name != "corner" or n_query != n_key:
                settings[name] = choice(lesson, key, f"mask_{name}", setting.options)
    if rule == "window":
        st.caption(lesson.text("window_note", left=settings["left"], own=settings["left"] + 1))
    return settings


def _token_numbers(lesson: Lesson, key: str, words: str, count: int) -> list[int]:
    """A number for each token, typed as "1 1 2"."""
    kept(key, " ".join(str(1 + i * 2 // count) for i in range(count)))
    text = st.text_input(lesson.text(words, count=count), key=key, persist_state="session")
    try:
        numbers = document_numbers(text)
    except InputError as error:
        lesson.warn("documents_kept", why=error_words(lesson, error))
        numbers = None
    if numbers is not None and len(numbers) != count:
        lesson.warn("bad_documents", count=count, given=len(numbers))
        numbers = None
    if numbers is None:
        return (kept(f"{key}_good", [1]) + [1] * count)[:count]
    keep(f"{key}_good", numbers)
    return numbers


def document_numbers(text: str) -> list[int]:
    """The numbers in "1 1 2" or "1, 1, 2"; which numbers they are does not matter, only which are equal."""
    numbers = text.replace(",", " ").split()
    for number in numbers:
        if not number.isdecimal() or len(number) > 9:
            raise InputError("not_a_document", f"{number!r} is not a whole number of at most 9 digits", text=number)
    return [int(number) for number in numbers]


def switch(lesson: Lesson, prefix: str, name: str, on_change: Callable[[], None] | None = None) -> bool:
    """A translated on/off switch."""
    return st.toggle(
        lesson.text(name), key=f"{prefix}_{name}", help=lesson.text(f"{name}_help"), persist_state="session",
        on_change=on_change,
    )  # fmt: skip


def choose_precision(lesson: Lesson, prefix: str) -> int:
    """How many decimals are shown; it never changes what is computed."""
    kept(f"{prefix}_precision", "4")
    return int(choice(lesson, f"{prefix}_precision", "precision", ("2", "4", "6"), label_visibility="collapsed"))


def choice(lesson: Lesson, key: str, words: str, options: tuple[str, ...], **more) -> str:
    """A few translated choices side by side; the words of option o are under ``{words}_{o}``."""
    return st.segmented_control(
        lesson.text(words),
        options,
        default=None if is_kept(key) else options[0],
        format_func=lambda option: lesson.text(f"{words}_{option}"),
        key=key,
        required=True,
        persist_state="session",
        **more,
    )


def _rule_mask(rule: str, n_query: int, n_key: int, settings: dict) -> np.ndarray:
    """Whatever is painted by hand is painted on a mask that hides nothing."""
    return masks.build_mask("full" if rule == "custom" else rule, n_query, n_key, **settings)


# ------------------------------------------------------------------------------------------------- scale

TEMPERATURES = [m * 10.0**e for e in (-2, -1, 0, 1) for m in (1, 1.5, 2, 3, 4, 5, 7)] + [100.0]


MOST_SCALE = 1_000_000  #: an own scale at most, and a temperature; at least it is 1 divided by this


def choose_scale(lesson: Lesson, prefix: str, d_k: int, ways: tuple[str, ...] = ("sqrt", "off", "own")) -> float | str:
    """What the scores are multiplied by: 1/√d_k, nothing or one's own number; or "cosine", where that is a way."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        way = _one_of(lesson, prefix, "scaling", ways)
        if way == "cosine":
            return way
        if way != "own":
            return default_scale(d_k) if way == "sqrt" else 1.0
        return kept_number(
            lesson, lesson.text("own_scale"), f"{prefix}_own_scale", 1.0, -MOST_SCALE, MOST_SCALE, width=150
        )


def choose_sharing(lesson: Lesson, prefix: str, ways: tuple[str, ...]) -> str:
    """How scores become weights: softmax over the keys ("rows"), as defined, or another of comparisons.SHARINGS."""
    return _one_of(lesson, prefix, "sharing", ways)


def _one_of(lesson: Lesson, prefix: str, setting: str, ways: tuple[str, ...]) -> str:
    if kept(f"{prefix}_{setting}", ways[0]) not in ways:  # a link may ask for what only another page has
        keep(f"{prefix}_{setting}", ways[0])
    return choice(lesson, f"{prefix}_{setting}", setting, ways)


def choose_temperature(lesson: Lesson, prefix: str) -> float:
    """Any number above 0."""
    key = f"{prefix}_temperature"
    number_box(
        lesson, lesson.text("temperature"), key, kept(key, 1.0), partial(keep, key), _check_temperature,
        stops=TEMPERATURES, box_label=lesson.text("temperature_box"),
    )  # fmt: skip
    return kept(key, 1.0)


def _check_temperature(number: float) -> float:
    if number <= 0:
        raise InputError("temperature_not_positive", f"a temperature must be above 0, got {number}")
    return within(1 / MOST_SCALE, MOST_SCALE, "temperature_too_far")(number)


# ---------------------------------------------------------------------------------------------- number boxes
#
# A box is a text input, because the browser's own number input reads 0,5 as 5 and 1/3 as 13 and rounds what it shows.
# What is kept under "typed" of each box: the text in it, the number that counts, and the turns of its widgets' keys.


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


def kept_number(
    lesson: Lesson, label: str, key: str, first: float, low: float, high: float, reason: str = "out_of_range", **more
) -> float:
    """A box for the number kept under ``key``. Other settings may move the limits: the nearest possible one counts."""
    check = within(low, high, reason)
    number_box(
        lesson, label, key, kept(key, first), partial(keep, key), check, whole=isinstance(first, int),
        used=min(max(kept(key, first), low), high), **more,
    )  # fmt: skip
    return min(max(kept(key, first), low), high)


def within(low: float, high: float, reason: str = "out_of_range") -> Callable[[float], float]:
    """A check that a number is in low ... high."""

    def check(number: float) -> float:
        if not low <= number <= high:
            raise InputError(reason, f"{number} is not in {low} ... {high}", value=number, low=low, high=high)
        return number

    return check


def written(number: float) -> str:
    """A number with every digit that counts, as a visitor may type it."""
    return repr(float(number)).removesuffix(".0")


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
