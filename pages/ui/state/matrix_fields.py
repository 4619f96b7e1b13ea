"""What can be set on every page of matrices: three matrices, the tokens' names, a mask, a scale, what is looked at."""

import zlib
from dataclasses import replace

import numpy as np

from attention_core import InputError
from attention_core.examples import EXAMPLE_NAMES, example
from pages.ui.state.fields import (
    MOST,
    MOST_SCALE,
    MOST_SEED,
    Choice,
    Field,
    Flag,
    Matrix,
    Number,
    Text,
    Whole,
    above_zero,
)
from pages.ui.state.mask_rules import RULE_FIELDS, fit_rules, rules_in_use
from pages.ui.state.matrices import SEEN, random_matrix
from pages.ui.state.settings import Problems, Values, wrong_mask

#: Where numbers can come from that are no example and were not typed: the badges of sentences.
SOURCES = ("trained", "recorded", "live", "toy", "example", "random")
#: The cell that an example's words speak of, where it is not the first: "it" reads "cat".
LOOK_AT = {"cat_toy": (7, 1)}


def one_query(query: np.ndarray) -> None:
    if len(query) > 1:
        raise InputError("one_query", f"there is one query here, got {len(query)}", given=len(query))


def origin_of(text: str) -> str:
    """The source that "recorded-1a2b" names, or nothing."""
    source, _, check = text.rpartition("-")
    return source if source in SOURCES and len(check) == 4 else ""


def _origin(text: str) -> None:
    """Where numbers came from, and a check of them: "recorded-1a2b"."""
    if text and not origin_of(text):
        raise InputError("unknown_choice", "expected where numbers come from", text=text, options="random-1a2b")


def scaling(*ways: str) -> Field:
    return Field("scaling", Choice(ways, "scaling"), "sqrt")


def sharing(*ways: str) -> Field:
    return Field("sharing", Choice(ways, "sharing"), "rows")


def numbers(first: str, is_one_query: bool = False) -> tuple[Field, ...]:
    """Q, K and V with the tokens' names, and where they come from; a page opens with the example ``first``."""
    names = tuple(name for name in EXAMPLE_NAMES if not is_one_query or len(example(name).query) == 1)
    return (
        Field("example", Choice(names, "example"), first, label="examples", is_always=True),
        Field("query", Matrix(one_query) if is_one_query else Matrix()),
        Field("key", Matrix()),
        Field("value", Matrix()),
        Field("query_tokens", Text(), label="labels_query"),
        Field("key_tokens", Text(), label="labels_key"),
        *(Field(f"{part}_seed", Whole(0, MOST_SEED), 0, label="seed_of") for part in SEEN),
        Field("origin", Text(40, _origin), ""),
    )


OWN_SCALE = Field("own_scale", Number(-MOST_SCALE, MOST_SCALE), 1.0)
TEMPERATURE = Field("temperature", Number(1 / MOST_SCALE, MOST_SCALE, "temperature_too_far", above_zero), 1.0)
STAGES = ("scores", "scaled", "masked", "weights", "output")
STAGE = Field("stage", Choice(STAGES, "step"), "weights", label="flow", is_view=True)
CELL = (
    Field("row", Whole(0, MOST - 1), 0, label="choose_row", is_view=True),
    Field("column", Whole(0, MOST - 1), 0, label="choose_column", is_view=True),
    Field("transposed", Flag(), False, is_view=True),
)
SECOND = tuple(replace(field, name=f"second_{field.name}") for field in RULE_FIELDS)


def start(words, values: Values) -> Values:
    """What the example that is asked for has: its numbers, its tokens' names, the cell it speaks of."""
    name = values["example"]
    chosen = example(name)
    names = {
        f"{side}_tokens": words(f"example_{name}_{rest}") for side, rest in (("query", "queries"), ("key", "keys"))
    }
    look = dict(zip(("row", "column"), LOOK_AT[name], strict=True)) if name in LOOK_AT else {}
    return {part: getattr(chosen, part) for part in SEEN} | names | look


def fit(values: Values, asked: set[str]) -> Problems:
    """What does not go together with the shapes. Matrices that do not fit each other stay: it is said beside them."""
    shapes = {part: np.shape(values[part]) for part in SEEN}
    n_query, n_key = shapes["query"][0], shapes["key"][0]
    chosen = example(values["example"])
    for side, count in (("query", n_query), ("key", n_key)):  # names of other tokens are no names of these
        if f"{side}_tokens" not in asked and count != len(getattr(chosen, side)):
            values[f"{side}_tokens"] = ""
    problems = wrong_mask(values, n_query, n_key) + fit_rules(values, asked, n_query, n_key)
    limits = {"row": Whole(0, n_query - 1), "column": Whole(0, n_key - 1)} | limits_here(values, n_key)
    for name, allowed in limits.items():
        try:
            allowed.check(values.get(name) or allowed.low)
        except InputError as error:
            values[name] = None
            problems += [(name, error)] if name in asked else []
    return problems


def limits_here(values: Values, n_key: int) -> dict[str, Whole]:
    """Of the numbers of page 4 that depend on how many keys there are, or on each other."""
    tile = min(values.get("tile") or 1, n_key)
    return {
        "tile": Whole(1, n_key),
        "tiles_seen": Whole(1, -(-n_key // tile)),
        "real": Whole(0, n_key, "too_many_real"),
        "head": Whole(1, values.get("heads") or MOST),
    }


def in_use(values: Values) -> Values:
    """Without the settings of rules that are not chosen and the seeds and origins of numbers that are others by now;
    a number that the shapes do not allow counts as the nearest one they do."""
    parts = {part: np.asarray(values[part]) for part in SEEN}
    n_query, n_key = len(parts["query"]), len(parts["key"])
    used = rules_in_use(values, n_query, n_key)
    for part, matrix in parts.items():
        if not is_random(values, part, matrix):
            used.pop(f"{part}_seed", None)
    if used.get("origin") and used["origin"] != origin_text(origin_of(used["origin"]), parts):
        del used["origin"]
    for name, limits in limits_here(values, n_key).items():
        if name in used:
            used[name] = limits.nearest(used[name])
    return used


def is_random(values: Values, part: str, matrix: np.ndarray) -> bool:
    """Whether a matrix holds the random numbers of the seed that is kept of it."""
    seed = values.get(f"{part}_seed")
    return bool(seed) and np.array_equal(matrix, random_matrix(part, seed, matrix.shape))


def origin_text(source: str, parts: Values) -> str:
    """Where Q, K and V came from as a link says it, with a check that they are still those."""
    numbers = "|".join(Matrix().write(parts[part]) for part in SEEN)
    return f"{source}-{zlib.crc32(numbers.encode()) & 0xFFFF:04x}"
