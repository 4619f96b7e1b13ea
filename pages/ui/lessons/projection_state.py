"""What a visitor has set on the page of projections and heads, as a link and back, with undo.

State is only what was put in: tokens X and Y, the matrices of up to four heads, W_O, and how they are plugged
together. Head h has w_query_h; w_key_g and w_value_g belong to a group of heads, which may be one head.
"""

from dataclasses import dataclass

import numpy as np

from attention_core import InputError
from attention_core.head_examples import HEAD_EXAMPLE_NAMES, head_example
from attention_core.heads import MultiHead, key_head, multi_head_attention
from pages.ui.state.fields import MOST, MOST_SEED, Choice, Field, Flag, Matrix, Text, Whole
from pages.ui.state.matrices import matrix_of, put_matrix, resized, start_anew, was_resized
from pages.ui.state.session import keep, kept
from pages.ui.state.settings import Page, Problems, Values, too_high, values_of
from pages.ui.state.settings import put as put_all
from pages.ui.widgets.lesson import Lesson

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
MATRICES = ("x", "y", *(f"w_{kind}_{head}" for kind in KINDS for head in range(1, MOST_HEADS + 1)), "w_output")


def of(name: str):
    """What the visitor has set under this name."""
    return kept(PAGE.key(name), None)


def put(**values) -> None:
    """Set things by something other than their own widgets."""
    for name, value in values.items():
        keep(PAGE.key(name), value)


def matrix(name: str) -> np.ndarray:
    """The last good numbers of a matrix of the page."""
    return matrix_of(PAGE.key(name))


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


def _start(words, values: Values) -> Values:
    """Every setting as the example that is asked for has it."""
    name = values["start"]
    start = head_example(name)
    begun = {"row": 7 if name == "cat" else 0, "column": 1 if name == "cat" else 0}
    begun |= {f"{side}_tokens": words(key) for side, key in zip("xy", TOKENS[name], strict=True)}
    begun |= {"x": start.x, "y": start.y, "w_output": start.w_output}
    for kind in KINDS:
        weights = getattr(start, f"w_{kind}")
        for head in range(MOST_HEADS):  # heads that are not in use yet wait as copies
            begun[f"w_{kind}_{head + 1}"] = weights[head % len(weights)]
    return begun


def _fit(values: Values, asked: set[str]) -> Problems:
    """What does not fit together goes; names and views stay."""
    start = head_example(values["start"])
    if "heads" in asked and "key_heads" not in asked:
        values["key_heads"] = values["heads"]
    if "heads" in asked and "w_output" not in asked:
        values["w_output"] = fit_output(values, len(start.w_query), values["w_output"].shape[1])
    problems: Problems = []
    try:
        plugged = plug(values)
    except InputError as error:
        unfit = (*MATRICES, *PLUGS)
        problems += [(name, error) for name in unfit if name in asked]
        first = PAGE.first(lambda key: "", {"start": values["start"]})
        values |= {name: first[name] for name in unfit}
        plugged = plug(values)
    for side in "xy":  # names of other tokens are no names of these
        if f"{side}_tokens" not in asked and len(values[side]) != len(getattr(start, side)):
            values[f"{side}_tokens"] = ""
    n_features = plugged.weights[values["projected"]][0].shape[1]
    places = {"row": len(plugged.asking), "column": len(plugged.read), "feature": n_features, "head": values["heads"]}
    for name, count in places.items():
        problems += too_high(values, name, count) if name in asked else []
        values[name] = min(values.get(name) or 0, count - 1)
    return problems


def _in_use(values: Values) -> Values:
    """Without the matrices of heads that are not in use, and their seeds."""
    numbered = {name: name.removesuffix("_seed").rpartition("_")[2] for name in values}
    waiting = {name for name, number in numbered.items() if number.isdigit() and int(number) > values["heads"]}
    return {name: value for name, value in values.items() if name not in waiting}


def _label(name: str) -> str:
    return f"seen_{name.rstrip('_1234')}"


PAGE = Page(
    "projections_and_heads",
    (
        Field("start", Choice(HEAD_EXAMPLE_NAMES, "start"), "xw", label="examples", is_always=True),
        Field("x_tokens", Text(), "", label="names_x"),
        Field("y_tokens", Text(), "", label="names_y"),
        Field("heads", Whole(1, MOST_HEADS), 2, is_always=True),
        Field("key_heads", Whole(1, MOST_HEADS), 2, is_always=True),
        *(Field(name, Matrix(), label=_label(name)) for name in MATRICES),
        *(Field(f"{name}_seed", Whole(0, MOST_SEED), 0, label=_label(name)) for name in MATRICES),
        Field("query_from", Choice(("x", "y"), "query_from"), "x"),
        Field("key_from", Choice(("x", "y"), "key_from"), "x"),
        Field("tie_query", Flag(), False),
        Field("tie_value", Flag(), False),
        Field("head", Whole(0, MOST_HEADS - 1), 0, is_view=True),
        Field("projected", Choice(KINDS), "query", is_view=True),
        Field("row", Whole(0, MOST - 1), 0, label="choose_row", is_view=True),
        Field("column", Whole(0, MOST - 1), 0, label="choose_column", is_view=True),
        Field("feature", Whole(0, MOST - 1), 0, label="choose_feature", is_view=True),
    ),
    _start,
    fit=_fit,
    in_use=_in_use,
)


def settings() -> Values:
    """The value of every setting."""
    return values_of(PAGE)


def load(lesson: Lesson, name: str) -> None:
    """An example from the shelf; the shelf closes."""
    start_anew(PAGE.name)
    put(examples=False)
    put_all(PAGE, PAGE.first(lesson.text, {"start": name}) | {"start": name}, is_new=True)


# ------------------------------------------------------------------------------------------------- sizes


def fit_output(values: dict, n_before: int, columns: int) -> np.ndarray:
    """W_O for the heads there are now, a block of rows for each: a head that comes back finds its own again, what a
    new one has found is passed on as it is."""
    rows, blocks = values["w_value_1"].shape[1], []
    parts = np.array_split(values["w_output"], n_before)
    for head in range(max(n_before, values["heads"])):
        key = PAGE.key(f"w_output_{head + 1}")
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
            values[name] = resized(PAGE.key(name), values[name], rows, columns)
    if size in ("d_v", "d_model"):
        columns = count if size == "d_model" else values["w_output"].shape[1]
        values["w_output"] = fit_output(values, values["heads"], columns)
    put_all(PAGE, {name: values[name] for name in MATRICES if not np.array_equal(values[name], matrix(name))})


def set_heads(n_before: int) -> None:
    """As many heads as were asked for: each with keys of its own, W_O with a block for each."""
    put(key_heads=of("heads"), head=min(of("head") or 0, of("heads") - 1))
    output = fit_output(settings(), n_before, matrix("w_output").shape[1])
    put_matrix(PAGE.key("w_output"), output, is_new=False)
