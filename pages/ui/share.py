"""The state of a page as a link or a file, both ways, and undo.

State is what the visitor put in, nothing computed. A link is readable (query=1,0;0,1&mask=10;11) and untrusted: every
field is checked, and one that cannot be used is named and left at what it was.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import streamlit as st

from attention_core import InputError, masks, trace_attention
from attention_core.matrix_text import read_matrix, read_number

from .address import CHECK, checksum
from .history import History
from .inputs import (
    ALONE,
    MOST,
    MOST_NAMES,
    MOST_SCALE,
    RULES,
    SEEN,
    check_size,
    document_numbers,
    error_words,
    load_example,
    matrix_of,
    painted_mask,
    put_mask,
    put_matrix,
    settings_of,
    start_anew,
    within,
    written,
)
from .panels import STAGES
from .shell import Lesson, asked_in_link, is_kept, keep, kept, link_with, show_address
from .text import as_markdown, clean_label, whole


@dataclass(frozen=True)
class Field:
    """One thing that a visitor can set: its name in links and files, how its text is read, what it is at first."""

    name: str
    read: Callable[[str], object]
    first: object = None
    is_view: bool = False  #: which part is looked at; undo leaves it alone
    label: str = ""  #: the text that labels its control, where that has another name than the field
    options: str = ""  #: its choices are worded as {options}_{code}


def read_cells(text: str) -> np.ndarray:
    text = text.strip()
    return check_size(read_matrix(text if text.startswith("[") else f"[{text}]", decimal="point").matrix)


def read_mask(text: str) -> np.ndarray:
    rows = text.split(";")
    if len({len(row) for row in rows}) != 1 or not rows[0] or not set(text) <= set("01;"):
        raise InputError("mask_text", "a mask is rows of 0 and 1 of one length, as in 10;11", text=clean_label(text))
    return check_size(np.array([[cell == "1" for cell in row] for row in rows]))


def number_in(low: float, high: float) -> Callable[[str], float]:
    return lambda text: within(low, high)(read_number(text, decimal="point"))


def integer_in(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        number = number_in(low, high)(text)
        if number != int(number):
            raise InputError("not_whole", f"{number} is not a whole number", value=number)
        return int(number)

    return read


def one_of(*options: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in options:
            expected = ", ".join(options)
            raise InputError("unknown_choice", f"expected one of {expected}", text=clean_label(text), options=expected)
        return text

    return read


def read_flag(text: str) -> bool:
    return one_of("0", "1")(text) == "1"


def read_words(text: str) -> str:
    if len(text) > MOST_NAMES:
        message = f"at most {MOST_NAMES} characters can be read, got {len(text)}"
        raise InputError("too_long", message, length=len(text), limit=MOST_NAMES)
    return whole(text)


def read_documents(text: str) -> str:
    document_numbers(text)
    return text


def _rule_field(name: str, setting: masks.Number | masks.Choice | None) -> Field:
    if isinstance(setting, masks.Number):
        return Field(name, integer_in(setting.low, MOST), label=f"mask_{name}")
    if setting is None:
        return Field(name, read_documents, label="documents")
    return Field(name, one_of(*setting.options), label=f"mask_{name}", options=f"mask_{name}")


#: One for each setting that a rule has, numbers first: this is their order in links.
RULE_FIELDS = tuple(
    _rule_field(name, setting)
    for is_number in (True, False)
    for name, setting in {name: kind for rule in RULES for name, kind in settings_of(rule).items()}.items()
    if isinstance(setting, masks.Number) == is_number
)


def rule_fields(*rules: str) -> tuple[Field, ...]:
    """Which of these rules makes the mask, their settings, and the mask where something else made it."""
    return (
        Field("rule", one_of(*rules), "full", label="mask", options="rule"),
        *RULE_FIELDS,
        Field("mask", read_mask, label="mask_grid"),
    )


def read_query(text: str) -> np.ndarray:
    query = read_cells(text)
    if len(query) > 1:
        raise InputError("one_query", f"there is one query here, got {len(query)}", given=len(query))
    return query


def _scaling(*ways: str) -> Field:
    return Field("scaling", one_of(*ways), "sqrt", options="scaling")


def _sharing(*ways: str) -> Field:
    return Field("sharing", one_of(*ways), "rows", options="sharing")


QUERY = Field("query", read_cells)
KEYS_AND_NAMES = (
    Field("key", read_cells),
    Field("value", read_cells),
    Field("query_tokens", read_words, label="labels_query"),
    Field("key_tokens", read_words, label="labels_key"),
)
OWN_SCALE = Field("own_scale", number_in(-MOST_SCALE, MOST_SCALE), 1.0)
STAGE = Field("stage", one_of(*STAGES), "weights", is_view=True, label="flow", options="step")
CELL = (
    Field("row", integer_in(0, MOST - 1), 0, is_view=True, label="choose_row"),
    Field("column", integer_in(0, MOST - 1), 0, is_view=True, label="choose_column"),
    Field("transposed", read_flag, False, is_view=True),
)
#: What each page of matrices has controls for. What stands in a link beyond that is named, never taken in silence.
FIELDS = {
    "hand": (
        replace(QUERY, read=read_query),
        *KEYS_AND_NAMES,
        Field("mask", read_mask, label="mask_grid"),
        _scaling("sqrt", "off", "cosine", "own"),
        OWN_SCALE,
        _sharing("rows", "sum"),
        STAGE,
    ),
    "lab": (
        QUERY,
        *KEYS_AND_NAMES,
        *rule_fields(*RULES),
        _scaling("sqrt", "off", "own"),
        OWN_SCALE,
        Field("temperature", number_in(1 / MOST_SCALE, MOST_SCALE), 1.0),
        _sharing("rows", "columns"),
        STAGE,
        Field("view", one_of("all", "one"), "all", is_view=True, options="view"),
        *CELL,
    ),
    "masks": (
        QUERY,
        *KEYS_AND_NAMES,
        *rule_fields(*RULES),
        Field("combine", one_of("alone", "and", "or"), "alone", options="combine"),
        Field("second", one_of(*(rule for rule in RULES if rule not in ALONE)), options="rule"),
        *(replace(field, name=f"second_{field.name}") for field in RULE_FIELDS),
        Field("hiding", one_of("penalty", "block"), "penalty", options="hiding"),
        Field("penalty", number_in(-1e12, 0), -2.0),
        Field("bias", one_of("none", "distance", "alibi"), "none", options="bias"),
        Field("slope", number_in(-100, 100), 0.5),
        Field("heads", integer_in(1, MOST), 8),
        Field("head", integer_in(1, MOST), 1),
        Field("capped", read_flag, False),
        Field("softcap", number_in(1e-3, 1e6), 1.0),
        Field("tile", integer_in(1, MOST), 1),
        Field("tiles_seen", integer_in(1, MOST), is_view=True),
        Field("change", number_in(-1e6, 1e6), 1.0),
        Field("real", integer_in(0, MOST)),
        STAGE,
        *CELL,
        Field("polarity", one_of("keep", "hide", "add"), "keep", is_view=True, options="polarity"),
    ),
}
#: How each of them opens: the example, and what is set otherwise.
BEGINNINGS = {
    "hand": {"example": "abc"},
    "lab": {"example": "abc_self"},
    "masks": {"example": "abc_self", "rule": "causal", "row": 1, "column": 2},
}
Problems = list[tuple[str, InputError]]  #: by the name of a field, of a file, or of what is no field


def snapshot(prefix: str, views: bool = True) -> dict[str, str]:
    """The state as texts by field name; what stands at its first value is left out."""
    rule = kept(f"{prefix}_rule", "full")
    used = set(settings_of(rule))
    if rule not in ALONE and kept(f"{prefix}_combine", "alone") != "alone" and is_kept(f"{prefix}_second"):
        second = kept(f"{prefix}_second", None)
        used |= {"second", *(f"second_{name}" for name in settings_of(second))}
    settings = {"second", *(name for field in RULE_FIELDS for name in (field.name, f"second_{field.name}"))}
    texts = {}
    for field in FIELDS[prefix]:
        if field.name in SEEN:
            texts[field.name] = written_matrix(matrix_of(f"{prefix}_{field.name}"))
        elif field.name == "mask":
            if (painted := painted_mask(prefix)) is not None:
                texts["mask"] = ";".join("".join("01"[cell] for cell in row) for row in painted)
        elif field.name in settings and field.name not in used:
            continue
        elif (views or not field.is_view) and is_kept(f"{prefix}_{field.name}"):
            value = kept(f"{prefix}_{field.name}", None)
            if value is not None and value != field.first:
                texts[field.name] = field_text(value)
    return texts


def field_text(value) -> str:
    return value if isinstance(value, str) else written(value)


def written_matrix(matrix: np.ndarray) -> str:
    return ";".join(",".join(map(field_text, row)) for row in matrix.tolist())


def apply(prefix: str, texts: dict[str, str], must_fit: bool = True) -> Problems:
    """Set the state from texts. Returns the fields that cannot be used; they keep what they had.

    ``must_fit`` refuses matrices that do not fit each other. An undo brings back what the visitor had, and says so
    beside the grids.
    """
    values, problems = _read(FIELDS[prefix], texts)
    before = {name: matrix_of(f"{prefix}_{name}") for name in SEEN}
    parts = {name: values.get(name, matrix) for name, matrix in before.items()}
    try:
        if must_fit:
            trace_attention(**parts)
    except InputError as error:
        problems += [(name, error) for name in SEEN if name in values]
        parts = before
    for name, matrix in parts.items():
        put_matrix(f"{prefix}_{name}", matrix, is_new=must_fit)
    for side in ("query", "key"):  # names of other tokens are no names of these
        if len(parts[side]) != len(before[side]):
            values.setdefault(f"{side}_tokens", "")
    problems += beyond(values, *(len(parts[side]) for side in ("query", "key")))
    n_tiles = -(-len(parts["key"]) // min(values.get("tile", 1), len(parts["key"])))
    problems += too_high(values, "tiles_seen", n_tiles, low=1)
    failed = {name for name, _ in problems}
    for field in FIELDS[prefix]:
        if field.name in SEEN or field.name in ("mask", "rule") or field.name in failed:
            continue
        if field.name in values or (field.first is not None and not field.is_view):
            keep(f"{prefix}_{field.name}", values.get(field.name, field.first))
    put_mask(prefix, values.get("rule", "full"), values.get("mask"))
    return problems


def beyond(values: dict, n_query: int, n_key: int) -> Problems:
    """Takes out a mask of another size and a row or column that is not there; returns what was wrong."""
    problems = []
    mask = values.get("mask")
    if mask is not None and np.shape(mask) != (n_query, n_key):
        shape = np.shape(values.pop("mask"))
        message = f"the mask has shape {shape}, expected {(n_query, n_key)}"
        problems.append(("mask", InputError("mask_shape", message, expected=(n_query, n_key), shape=shape)))
    return problems + too_high(values, "row", n_query) + too_high(values, "column", n_key)


def too_high(values: dict, name: str, count: int, low: int = 0) -> Problems:
    """Takes out a place beyond the last of ``count``, which are counted from ``low``; returns what was wrong."""
    high = low + count - 1
    if (values.get(name) or 0) <= high:
        return []
    value = values.pop(name)
    return [(name, InputError("out_of_range", f"{value} is not in {low} ... {high}", value=value, low=low, high=high))]


def _begin(lesson: Lesson, prefix: str) -> None:
    beginning = dict(BEGINNINGS[prefix])
    load_example(lesson, prefix, beginning.pop("example"))
    if "rule" in beginning:
        put_mask(prefix, beginning.pop("rule"))
    for name, value in beginning.items():
        keep(f"{prefix}_{name}", value)


def open_link(lesson: Lesson, prefix: str) -> None:
    """Take over what the address asks for, once in a visit, and say what in it cannot be used."""
    if not is_kept(f"{prefix}_query"):
        _begin(lesson, prefix)
    if not is_kept(f"{prefix}_problems"):
        asked, cut = _asked()
        keep(f"{prefix}_problems", cut + (apply(prefix, asked) if asked else []) + _unknown(asked, FIELDS[prefix]))
    say_problems(lesson, prefix, FIELDS[prefix])


def read_asked(fields: tuple[Field, ...]) -> tuple[dict, Problems]:
    """What the address asks for of these fields, and which of it cannot be used."""
    asked, cut = _asked()
    values, problems = _read(fields, asked)
    return values, cut + problems + _unknown(asked, fields)


def _asked() -> tuple[dict[str, str], Problems]:
    """The fields of the address, and whether they are those it was made with."""
    asked = asked_in_link()
    check = asked.pop(CHECK, None)
    if check in (None, checksum(asked)):
        return asked, []
    return asked, [(CHECK, InputError("link_changed", "the link is not as it was made: cut short, or changed"))]


def _read(fields: tuple[Field, ...], texts: dict[str, str]) -> tuple[dict, Problems]:
    values, problems = {}, []
    for field in fields:
        if field.name in texts:
            try:
                values[field.name] = field.read(texts[field.name])
            except InputError as error:
                problems.append((field.name, error))
    return values, problems


def _unknown(names: Iterable[str], fields: tuple[Field, ...] = ()) -> Problems:
    """Those names in a link or file that are no setting of the page."""
    unknown = sorted(set(names) - {field.name for field in fields})
    return [(clean_label(name), InputError("unknown_field", f"{name} is not a field of this page")) for name in unknown]


def say_problems(lesson: Lesson, prefix: str, fields: tuple[Field, ...]) -> None:
    """What in the link or file cannot be used, until the visitor has read it."""
    problems = kept(f"{prefix}_problems", [])
    if problems:
        named = {field.name: field for field in fields}
        lines = [_problem(lesson, named.get(name), name, error) for name, error in problems]
        st.warning("\n".join([lesson.text("link_problems"), *lines]), icon="⚠️")
        st.button(lesson.text("dismiss"), key=f"{prefix}_dismiss", on_click=keep, args=(f"{prefix}_problems", []))


def _problem(lesson: Lesson, field: Field | None, name: str, error: InputError) -> str:
    """What is wrong with a field, which is called and whose choices are called as on screen, with their codes."""
    if field is None:
        return f"- **{as_markdown(name)}**: {as_markdown(error_words(lesson, error))}"
    if error.reason == "unknown_choice" and field.options:
        codes = error.details["options"].split(", ")
        words = {code: lesson.text(f"{field.options}_{code}") for code in codes}
        options = ", ".join(word if word == code else f"{word} ({code})" for code, word in words.items())
        error = InputError(error.reason, str(error), **error.details | {"options": options})
    label = SEEN[name] if name in SEEN else lesson.text(field.label or name)
    return f"- **{as_markdown(label)}** (`{name}`): {as_markdown(error_words(lesson, error))}"


def show_share(lesson: Lesson, prefix: str) -> None:
    """A link and a file that bring anyone into this very state."""
    with st.popover(lesson.text("share"), key=f"{prefix}_share", on_change="rerun") as box:
        if not box.open:
            return
        texts = snapshot(prefix)
        make_link(lesson, prefix, texts)
        st.download_button(
            lesson.text("save_file"),
            json.dumps({"attention_lab": lesson.name} | texts, ensure_ascii=False, indent=1),
            file_name=f"attention-lab-{lesson.name}.json",
            mime="application/json",
            key=f"{prefix}_save_file",
            on_click="ignore",
        )
        st.file_uploader(
            lesson.text("open_file"),
            type="json",
            key=f"{prefix}_open_file",
            on_change=_open_file,
            args=(prefix,),
        )


def make_link(lesson: Lesson, prefix: str, texts: dict[str, str]) -> None:
    """A button; pressed, the link that brings anyone into this state. The address bar has it anyway."""
    if st.button(lesson.text("make_link"), key=f"{prefix}_make_link", type="primary"):
        link = link_with(texts)
        st.code(link, language=None, wrap_lines=True)
        st.caption(lesson.text("link_length", length=len(link)))


def _open_file(prefix: str) -> None:
    file = kept(f"{prefix}_open_file", None)
    if file is not None:
        keep(f"{prefix}_problems", read_file(prefix, file.getvalue()))


def read_file(prefix: str, content: bytes) -> Problems:
    """Set the state from a saved file's bytes; returns what in it cannot be used."""
    try:
        saved = json.loads(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, ValueError, RecursionError):
        return [("file", InputError("not_json", "the file is not JSON text"))]
    if not isinstance(saved, dict) or "attention_lab" not in saved:
        return [("file", InputError("not_our_file", "the file was not saved by this app"))]
    names = {field.name for field in FIELDS[prefix]}
    texts = {name: text for name, text in saved.items() if name in names and isinstance(text, str)}
    wrong = [name for name in saved if name not in texts and name != "attention_lab"]
    return apply(prefix, texts) + _unknown(wrong)


def remember(prefix: str, now: dict, write: Callable[[dict], object] = dict) -> None:
    """Note the state for undo and redo, if it is a new one. Called when all of a run's changes are in.

    ``write`` turns a state into something that can be compared.
    """
    key = f"{prefix}_history"
    keep(key, kept(key, History((now,))).noted(now, write))


def settle(lesson: Lesson, prefix: str) -> None:
    """At the end of a page of matrices: note the state for undo, and let the address say it."""
    remember(prefix, snapshot(prefix, views=False))
    show_address(lesson, snapshot(prefix))


def undo_and_redo(lesson: Lesson, prefix: str, put: Callable[[dict], object]) -> None:
    """One step back, one forward again. Always there: a fragment that changes something cannot switch them on."""
    for name, by in (("undo", -1), ("redo", 1)):
        st.button(
            lesson.text(name), key=f"{prefix}_{name}", help=lesson.text(f"{name}_help"),
            on_click=_move, args=(lesson, prefix, put, name, by),
        )  # fmt: skip


def _move(lesson: Lesson, prefix: str, put: Callable[[dict], object], name: str, by: int) -> None:
    history = kept(f"{prefix}_history", None)
    moved = history and history.moved(by)
    if moved is None:
        st.toast(lesson.text(f"{name}_nothing"))
    else:
        keep(f"{prefix}_history", moved)
        put(moved.now)


def reset_button(lesson: Lesson, prefix: str, reset: Callable[[], object], words: str = "reset_all_help") -> None:
    """All as at first."""
    st.button(
        lesson.text("reset"), key=f"{prefix}_reset", help=lesson.text(words), on_click=_reset_all, args=(prefix, reset)
    )


def _reset_all(prefix: str, reset: Callable[[], object]) -> None:
    start_anew(prefix)
    reset()


def undo_and_reset(lesson: Lesson, prefix: str) -> None:
    """Steps back and forward, or all as the page opens, on a page of matrices."""
    undo_and_redo(lesson, prefix, partial(apply, prefix, must_fit=False))
    reset_button(lesson, prefix, partial(_reset, lesson, prefix), "reset_help")


def undo_reset_share(
    lesson: Lesson,
    prefix: str,
    put: Callable[[dict], object],
    first: dict,
    texts: Callable[[], dict[str, str]],
    reset_words: str = "reset_all_help",
) -> None:
    """The same on a page of other settings, and a link. ``put`` sets them all; ``texts`` are those of the link."""
    undo_and_redo(lesson, prefix, put)
    reset_button(lesson, prefix, partial(put, first), reset_words)
    with st.popover(lesson.text("share"), key=f"{prefix}_share", on_change="rerun") as box:
        if box.open:
            make_link(lesson, prefix, texts())
    show_address(lesson, texts())


def _reset(lesson: Lesson, prefix: str) -> None:
    for field in FIELDS[prefix]:
        if field.first is not None:
            keep(f"{prefix}_{field.name}", field.first)
    _begin(lesson, prefix)
