"""Tokens and projections to begin with: small whole numbers, without words. No trained model made them."""

from dataclasses import dataclass

import numpy as np

from .errors import InputError
from .examples import example


@dataclass(frozen=True, eq=False)
class HeadExample:
    """Tokens X, other tokens Y, the matrices of each head, and the one that mixes their outputs."""

    x: np.ndarray  #: (n, D)
    y: np.ndarray  #: (m, D)
    w_query: tuple[np.ndarray, ...]  #: H matrices (D, E)
    w_key: tuple[np.ndarray, ...]
    w_value: tuple[np.ndarray, ...]  #: H matrices (D, Ev)
    w_output: np.ndarray  #: (H * Ev, D)


def head_example(name: str) -> HeadExample:
    """The example of that name (one of ``HEAD_EXAMPLE_NAMES``); the arrays are new at each call.

    xw
        The integers that examples.py's "xw" is made from, and a second head for the same tokens.
    cat
        Ten words of six kinds, one-hot; only the pronoun asks: head 1 seeks what is animate, head 2 adjectives.
    crossed
        Two tokens, two heads: in one each token reads itself, in the other each reads the other one.
    even
        The same tokens with queries of zero: in both heads each token reads both alike. The average is as before.
    """
    if name not in _EXAMPLES:
        raise InputError("unknown_example", f"name must be one of {HEAD_EXAMPLE_NAMES}, got {name!r}", name=name)
    parts = _EXAMPLES[name]()
    heads = (tuple(np.array(w, dtype=float) for w in part) for part in parts[2:5])
    x, y, w_output = (np.array(part, dtype=float) for part in (*parts[:2], parts[5]))
    return HeadExample(x, y, *heads, w_output)


def _xw():
    return (
        [[1, 0, 1], [0, 2, 0], [1, 1, 0]],
        [[1, 0, 0], [0, 1, 1]],
        ([[1, 0], [0, 1], [1, 0]], [[0, 1], [2, 0], [0, 2]]),
        ([[0, 1], [1, 0], [1, 1]], [[1, 0], [0, 1], [0, 1]]),
        ([[2, 0], [0, 3], [1, 1]], [[0, 1], [1, 0], [2, 0]]),
        [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]],
    )


def _cat():
    kinds = example("cat_toy").key  # animate, thing, verb, function word, pronoun, adjective
    seeks = np.zeros((2, 6, 6))
    seeks[0, 4, 0] = seeks[1, 4, 5] = 5
    both = np.vstack([np.eye(6), np.eye(6)])
    return kinds, np.eye(6)[[0, 4, 5]], tuple(seeks), (np.eye(6),) * 2, (np.eye(6),) * 2, both


def _two_tokens(first, second):
    values = [[10, 0], [0, 10]]
    return (
        np.eye(2), [[1, 1]], (first, second), (np.eye(2),) * 2, (values, values),
        [[1, 0], [0, 1], [0, 0], [0, 0]],
    )  # fmt: skip


_EXAMPLES = {
    "xw": _xw,
    "cat": _cat,
    "crossed": lambda: _two_tokens([[12, 0], [0, 12]], [[0, 12], [12, 0]]),
    "even": lambda: _two_tokens(np.zeros((2, 2)), np.zeros((2, 2))),
}

HEAD_EXAMPLE_NAMES = tuple(_EXAMPLES)
