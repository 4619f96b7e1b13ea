"""What a visitor has set on the page of projections and heads, as a link and back, with undo.

State is only what was put in: tokens X and Y, the matrices of up to four heads, W_O, and how they are plugged
together. Head h has w_query_h; w_key_g and w_value_g belong to a group of heads, which may be one head.
"""

from dataclasses import dataclass

import numpy as np

from attention_core import InputError
from attention_core.head_examples import HEAD_EXAMPLE_NAMES, head_example
from attention_core.heads import MultiHead, key_head, multi_head_attention

from . import share
from .inputs import MOST, matrix_of, put_matrix, resized, start_anew, was_resized
from .share import Field, field_text, integer_in, one_of, read_cells, read_flag, read_words, written_matrix
from .shell import Lesson, is_kept, keep, kept

PREFIX = "projection"
MOST_HEADS = 4
KINDS = ("query", "key", "value")
#: Texts that hold the tokens' names of an example: (of X, of Y).
TOKENS = {
    "xw": ("tokens_abc", "tokens_de"),
    "cat": ("example_cat_toy_keys", "tokens_cat"),
    "crossed": ("tokens_ab", "tokens_c"),
    "even": ("tokens_ab", "tokens_c"),
}
PLUGS = ("heads", "key_heads", "query_from", "key_from", "tie_query", "tie_value")
ALWAYS = ("start", "heads", "key_heads")  # in a link
MATRICES = ("x", "y", *(f"w_{kind}_{head}" for kind in KINDS for head in range(1, MOST_HEADS + 1)), "w_output")
FIELDS = (
    Field("start", one_of(*HEAD_EXAMPLE_NAMES), "xw", label="examples", options="start"),
    Field("x_tokens", read_words, "", label="names_x"),
    Field("y_tokens", read_words, "", label="names_y"),
    Field("heads", integer_in(1, MOST_HEADS), 2),
    Field("key_heads", integer_in(1, MOST_HEADS), 2),
    *(Field(name, read_cells, label=f"seen_{name.rstrip('_1234')}") for name in MATRICES),
    *(Field(f"{name}_seed", integer_in(0, 999_999), 0, label=f"seen_{name.rstrip('_1234')}") for name in MATRICES),
    Field("query_from", one_of("x", "y"), "x", options="query_from"),
    Field("key_from", one_of("x", "y"), "x", options="key_from"),
    Field("tie_query", read_flag, False),
    Field("tie_value", read_flag, False),
    Field("head", integer_in(0, MOST_HEADS - 1), 0, is_view=True),
    Field("projected", one_of(*KINDS), "query", is_view=True),
    Field("row", integer_in(0, MOST - 1), 0, is_view=True, label="choose_row"),
    Field("column", integer_in(0, MOST - 1), 0, is_view=True, label="choose_column"),
    Field("feature", integer_in(0, MOST - 1), 0, is_view=True, label="choose_feature"),
)


def of(name: str):
    """What the visitor has set under this name."""
    return kept(f"{PREFIX}_{name}", None)


def put(**values) -> None:
    """Set things by something other than their own widgets."""
    for name, value in values.items():
        keep(f"{PREFIX}_{name}", value)


def matrix(name: str) -> np.ndarray:
    """The last good numbers of a matrix of the page."""
    return matrix_of(f"{PREFIX}_{name}")


@dataclass(frozen=True, eq=False)
class Plugged:
    """Tokens and projections as the switches connect them, and what comes out."""

    asking: np.ndarray  #: the tokens that Q is made from
    read: np.ndarray  #: the tokens that K and V are made from
    weights: dict[str, list[np.ndarray]]  #: "query", "key", "value": a matrix for each head or group
    w_output: np.ndarray
    result: MultiHead


def plug(values: dict) -> Plugged:
    """Connect everything; an InputError says what does not fit."""
    n_heads = values["heads"]
    n_groups = n_heads if values["tie_query"] else values["key_heads"]
    key_head(0, n_heads, n_groups)  # refuses groups that do not divide
    queries = [values[f"w_query_{head}"] for head in range(1, n_heads + 1)]
    keys = queries if values["tie_query"] else [values[f"w_key_{group}"] for group in range(1, n_groups + 1)]
    own = [values[f"w_value_{group}"] for group in range(1, n_groups + 1)]
    weights = {"query": queries, "key": keys, "value": keys if values["tie_value"] else own}
    asking, read = values[values["query_from"]], values[values["key_from"]]
    result = multi_head_attention(asking, *weights.values(), values["w_output"], source=read)
    return Plugged(asking, read, weights, values["w_output"], result)


def begin(lesson: Lesson, name: str) -> dict:
    """Every setting as this example has it."""
    start = head_example(name)
    values = {field.name: field.first for field in FIELDS} | {"start": name, "column": 1 if name == "cat" else 0}
    values |= {"row": 7 if name == "cat" else 0, "feature": 0}
    values |= {f"{side}_tokens": lesson.text(key) for side, key in zip("xy", TOKENS[name], strict=True)}
    values |= {"x": start.x, "y": start.y, "w_output": start.w_output}
    for kind in KINDS:
        weights = getattr(start, f"w_{kind}")
        for head in range(MOST_HEADS):  # heads that are not in use yet wait as copies
            values[f"w_{kind}_{head + 1}"] = weights[head % len(weights)]
    return values


def settings() -> dict:
    """The value of every setting."""
    return {field.name: matrix(field.name) if field.name in MATRICES else of(field.name) for field in FIELDS}


def apply(values: dict) -> None:
    """Set everything at once: at first, from a link, by undo."""
    for name, value in values.items():
        if name in MATRICES:
            put_matrix(f"{PREFIX}_{name}", value, is_new=False)
        else:
            keep(f"{PREFIX}_{name}", value)


def load(lesson: Lesson, name: str) -> None:
    """An example from the shelf; the shelf closes."""
    start_anew(PREFIX)
    put(examples=False)
    apply(begin(lesson, name))


def open_link(lesson: Lesson) -> None:
    """Take over what the address asks for, once in a visit, and say what in it cannot be used."""
    if not is_kept(f"{PREFIX}_problems"):
        values, problems = _asked(lesson)
        apply(values)
        put(problems=problems)
    share.say_problems(lesson, PREFIX, FIELDS)


def _asked(lesson: Lesson) -> tuple[dict, share.Problems]:
    read, problems = share.read_asked(FIELDS)
    start = begin(lesson, read.get("start", FIELDS[0].first))
    values = start | read
    if "heads" in read and "key_heads" not in read:
        values["key_heads"] = read["heads"]
    if "heads" in read and "w_output" not in read:
        values["w_output"] = fit_output(values, start["heads"], values["w_output"].shape[1])
    try:
        plugged = plug(values)
    except InputError as error:  # what does not fit together goes; names and views stay
        unfit = {name for name in read if name in (*MATRICES, *PLUGS)}
        problems += [(name, error) for name in read if name in unfit]
        values |= {name: start[name] for name in (*MATRICES, *PLUGS)}
        plugged = plug(values)
    for side in "xy":  # names of other tokens are no names of these
        if f"{side}_tokens" not in read and len(values[side]) != len(start[side]):
            values[f"{side}_tokens"] = ""
    n_features = plugged.weights[values["projected"]][0].shape[1]
    places = {"row": len(plugged.asking), "column": len(plugged.read), "feature": n_features, "head": values["heads"]}
    for name, count in places.items():
        problems += share.too_high(values, name, count) if name in read else []
        values[name] = min(values.get(name, start[name]), count - 1)
    return values, problems


def snapshot(views: bool = True) -> dict:
    return {field.name: settings()[field.name] for field in FIELDS if views or not field.is_view}


def texts(values: dict, start: dict) -> dict[str, str]:
    """Settings as a link writes them; what the example has anyway is left out, and so are heads not in use."""
    written = {}
    for field in FIELDS:
        value = values.get(field.name)
        number = field.name.rpartition("_")[2]
        if number.isdigit() and int(number) > values["heads"]:
            continue
        if field.name in MATRICES:
            if not np.array_equal(value, start[field.name]):
                written[field.name] = written_matrix(value)
        elif value is not None and (field.name in ALWAYS or value != start[field.name]):
            written[field.name] = field_text(value)
    return written


def undo_reset_share(lesson: Lesson) -> None:
    """Undo and redo, all as the page opens, a link. Stands at the page's end, when this run's changes are in."""
    start, opening = begin(lesson, of("start")), begin(lesson, FIELDS[0].first)
    share.remember(PREFIX, snapshot(views=False), lambda values: texts(values, start))
    share.undo_reset_share(lesson, PREFIX, apply, opening, lambda: texts(snapshot(), start), "reset_help")


# ------------------------------------------------------------------------------------------------- sizes


def fit_output(values: dict, n_before: int, columns: int) -> np.ndarray:
    """W_O for the heads there are now, a block of rows for each: a head that comes back finds its own again, what a
    new one has found is passed on as it is."""
    rows, blocks = values["w_value_1"].shape[1], []
    parts = np.array_split(values["w_output"], n_before)
    for head in range(max(n_before, values["heads"])):
        key = f"{PREFIX}_w_output_{head + 1}"
        new = np.zeros((0, 0)) if was_resized(key) else np.eye(rows, columns)
        blocks.append(resized(key, parts[head] if head < n_before else new, rows, columns))
    return np.vstack(blocks[: values["heads"]])


def resize(size: str, count: int) -> None:
    """Another number of tokens or features: every matrix that has them follows and keeps what there is room for."""
    values = settings()
    for name in MATRICES:
        rows, columns = values[name].shape
        kind = name.split("_")[1] if name.startswith("w_") else ""
        match size:
            case "n_x" | "n_y" if size == f"n_{name}":
                rows = count
            case "d_model" if name in ("x", "y"):
                columns = count
            case "d_model" if kind != "output":
                rows = count
            case "d_k" if kind in ("query", "key"):
                columns = count
            case "d_v" if kind == "value":
                columns = count
        if (rows, columns) != values[name].shape:
            values[name] = resized(f"{PREFIX}_{name}", values[name], rows, columns)
    if size in ("d_v", "d_model"):
        columns = count if size == "d_model" else values["w_output"].shape[1]
        values["w_output"] = fit_output(values, values["heads"], columns)
    apply({name: values[name] for name in MATRICES if not np.array_equal(values[name], matrix(name))})


def set_heads(n_before: int) -> None:
    """As many heads as were asked for: each with keys of its own, W_O with a block for each."""
    put(key_heads=of("heads"), head=min(of("head") or 0, of("heads") - 1))
    output = fit_output(settings(), n_before, matrix("w_output").shape[1])
    put_matrix(f"{PREFIX}_w_output", output, is_new=False)
