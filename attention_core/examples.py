"""Worked examples: small numbers to check by hand, without words. Whoever shows them names the tokens.

None of the numbers comes from a trained model. Some were published in introductions to attention, not all of
them computed right: ``Example.printed`` has what stood there.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from .errors import InputError


@dataclass(frozen=True, eq=False)
class Example:
    """The input of one attention head, and where other numbers were published than come out of it.

    The arrays are read-only; those of ``example()`` are new at each call.
    """

    name: str
    query: np.ndarray  #: (L, E)
    key: np.ndarray  #: (S, E)
    value: np.ndarray  #: (S, Ev)
    allowed: np.ndarray  #: (L, S) True where the query may look at the key
    printed: dict[str, tuple[float, ...]]  #: step -> the published row, only where it is not the true one


def example(name: str) -> Example:
    """The example of that name (one of ``EXAMPLE_NAMES``).

    abc, abc_hide_c, abc_zero
        Three keys, q = (1, 0); the same with the third key hidden; a query of zeros.
    one_two_one
        Scores 1, 2, 1. Published without values; these are ours.
    love
        Four features, the second of three words asks. Published without values; these are ours.
    negative
        q = (1, -1) on the keys of abc: scores 1, -1, 0 add to 0, so "divide by the sum" has no answer.
    abc_self
        The keys of abc as queries too: three rows, three columns.
    cat_table
        A published table of made-up weights, three queries by eight keys, as the softmax of scores. The
        values are the identity, so the output is the row of weights itself: how much of each word is in it.
    cat_toy
        Ten words of six kinds, one-hot; a 6 x 6 table says which kind seeks which. Keys and values are the
        kinds, so the output is how much of each kind is in it.
    xw
        Queries, keys and values made from integers by three projections; the scores are not symmetric.
    """
    if name not in _EXAMPLES:
        raise InputError("unknown_example", f"name must be one of {EXAMPLE_NAMES}, got {name!r}", name=name)
    given = {"allowed": None, "printed": {}} | _EXAMPLES[name]
    query, key, value = (np.array(given[part], dtype=np.float64) for part in ("query", "key", "value"))
    allowed = np.ones((len(query), len(key)), dtype=bool)
    if given["allowed"] is not None:
        allowed[:] = given["allowed"]
    for array in (query, key, value, allowed):
        array.setflags(write=False)
    return Example(name, query, key, value, allowed, dict(given["printed"]))


_ABC_KEY = [[1, 0], [0, 1], [1, 1]]
_ABC_VALUE = [[10, 0], [0, 10], [4, 6]]

_CAT_TABLE = np.array(
    [
        [0.03, 0.42, 0.08, 0.02, 0.10, 0.20, 0.05, 0.10],
        [0.02, 0.30, 0.12, 0.03, 0.05, 0.20, 0.10, 0.18],
        [0.04, 0.35, 0.15, 0.16, 0.20, 0.02, 0.03, 0.05],
    ]
)


def _key_for(weights: np.ndarray) -> np.ndarray:
    """(S, L) the keys with which softmax(identity @ key.T / sqrt(L)) gives these (L, S) weights.

    The softmax of ln(w) is w when a row adds to 1, and a constant added to a row changes nothing.
    """
    logarithms = np.log(weights)
    return sqrt(len(weights)) * (logarithms - logarithms.mean(axis=1, keepdims=True)).T


# Kinds: 0 animate, 1 thing, 2 verb, 3 function word, 4 pronoun, 5 adjective. Rows seek, columns are sought.
_SEEKS = np.array(
    [
        [5, 2, 4, 3, 3, 4],
        [2, 5, 3, 4, 1, 1],
        [6, 4, 3, 2, 1, 1],
        [3, 4, 3, 2, 1, 1],
        [7, 4, 2, 0, 5, 4],
        [6, 2, 3, 0, 5, 5],
    ]
)
_CAT_KINDS = np.eye(6)[[3, 0, 2, 3, 3, 1, 3, 4, 2, 5]]

_EXAMPLES = {
    "abc": {"query": [[1, 0]], "key": _ABC_KEY, "value": _ABC_VALUE},
    "abc_hide_c": {
        "query": [[1, 0]],
        "key": _ABC_KEY,
        "value": _ABC_VALUE,
        "allowed": [[True, True, False]],
    },
    "abc_zero": {"query": [[0, 0]], "key": _ABC_KEY, "value": _ABC_VALUE},
    "one_two_one": {
        "query": [[1, 1]],
        "key": [[1, 0], [1, 1], [0, 1]],
        "value": [[10, 0], [4, 6], [0, 10]],
        "printed": {"weights": (0.2485, 0.5030, 0.2485)},
    },
    "love": {
        "query": [[0.5, 1.2, 0.3, 0.8]],
        "key": [[0.2, 0.9, 0.1, 0.7], [0.8, 1.0, 0.4, 0.3], [1.1, 0.7, 0.6, 1.0]],
        "value": [[10, 0], [0, 10], [4, 6]],
        "printed": {
            "scores": (1.77, 2.06, 2.21),
            "scaled": (0.89, 1.03, 1.11),
            "weights": (0.28, 0.33, 0.36),
        },
    },
    "negative": {"query": [[1, -1]], "key": _ABC_KEY, "value": _ABC_VALUE},
    "abc_self": {"query": _ABC_KEY, "key": _ABC_KEY, "value": _ABC_VALUE},
    "cat_table": {"query": np.eye(3), "key": _key_for(_CAT_TABLE), "value": np.eye(8)},
    "cat_toy": {"query": _CAT_KINDS @ _SEEKS, "key": _CAT_KINDS, "value": _CAT_KINDS},
    "xw": {
        "query": [[2, 0], [0, 2], [1, 1]],
        "key": [[1, 2], [2, 0], [1, 1]],
        "value": [[3, 1], [0, 6], [2, 3]],
    },
}

EXAMPLE_NAMES = tuple(_EXAMPLES)
