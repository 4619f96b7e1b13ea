"""Who may look at whom: boolean masks, True where a query (row) may look at a key (column).

Combine them with ``&``, ``|`` and ``~``. ``RULES`` is the table of all rules, for whoever lets people choose.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .checks import as_whole_number
from .errors import InputError


def full(n_query: int, n_key: int) -> np.ndarray:
    """Every query may look at every key."""
    return np.ones((n_query, n_key), dtype=bool)


def causal(n_query: int, n_key: int, offset: int = 0) -> np.ndarray:
    """Query i may look at keys 0 ... i + offset: no one sees what comes later.

    ``offset=0`` starts the triangle in the top-left corner (PyTorch, JAX, Keras, ONNX).
    ``offset=n_key - n_query`` ends it in the bottom-right corner, for queries that are the last n_query
    tokens (FlashAttention 2.1, decoding with a cache). With more queries than keys the bottom-right corner
    leaves the first queries nothing to look at.
    """
    return np.tri(n_query, n_key, offset, dtype=bool)


def sliding_window(n_query: int, n_key: int, left: int | None, right: int | None, offset: int = 0) -> np.ndarray:
    """Query i may look at position i + offset, ``left`` keys before it and ``right`` keys after it.

    The position itself is not counted (ONNX, JAX, FlashAttention). Mistral's ``sliding_window=W`` counts it:
    W = left + 1. None means no limit on that side. (Beltagy et al. 2020, Longformer, section 3.1.)
    """
    for name, reach in (("left", left), ("right", right)):
        if reach is not None:
            as_whole_number(name, reach, 0, reason="negative_window")
    distance = _distance(n_query, n_key, offset)
    allowed = full(n_query, n_key)
    if left is not None:
        allowed &= distance >= -left
    if right is not None:
        allowed &= distance <= right
    return allowed


def prefix(n_query: int, n_key: int, length: int, offset: int = 0) -> np.ndarray:
    """Causal, but everyone may look at the first ``length`` keys.

    (Prefix LM; Raffel et al. 2020, section 3.2.1.)
    """
    as_whole_number("length", length, 0, n_key, "length_out_of_range")
    return causal(n_query, n_key, offset) | (np.arange(n_key) < length)


def padding(n_query: int, n_key: int, length: int, side: str = "right") -> np.ndarray:
    """Only the ``length`` real keys may be looked at; the padding is to their ``side``, "right" or "left".

    Padding blocks columns (keys). The rows of padding queries stay: blocking them too would only make them
    fully masked.
    """
    as_whole_number("length", length, 0, n_key, "length_out_of_range")
    if side not in ("left", "right"):
        raise InputError("unknown_side", f"side must be 'left' or 'right', got {side!r}", side=side)
    position = np.arange(n_key)
    real = position < length if side == "right" else position >= n_key - length
    return np.broadcast_to(real, (n_query, n_key)).copy()


def same_document(query_documents, key_documents=None) -> np.ndarray:
    """Only within one document: allowed where the query's document number equals the key's.

    ``query_documents`` (L,) and ``key_documents`` (S,) hold a number for each token; by default the keys have
    the queries' numbers.
    """
    query_documents = np.asarray(query_documents)
    key_documents = query_documents if key_documents is None else np.asarray(key_documents)
    if query_documents.ndim != 1 or key_documents.ndim != 1:
        raise InputError("not_a_list", "documents must be one number for each token, in a single list")
    return query_documents[:, None] == key_documents[None, :]


def _numbered_documents(n_query: int, n_key: int, documents: Sequence[int]) -> np.ndarray:
    """``same_document`` where query i and key i are the same token."""
    return same_document(documents[:n_query], documents[:n_key])


def dilated(n_query: int, n_key: int, step: int, offset: int = 0) -> np.ndarray:
    """Every ``step``-th key before and after the query's own position (Child et al. 2019)."""
    as_whole_number("step", step, 1, reason="step_too_small")
    return _distance(n_query, n_key, offset) % step == 0


def only_self(n_query: int, n_key: int, offset: int = 0) -> np.ndarray:
    """Query i may look at key i + offset alone."""
    return _distance(n_query, n_key, offset) == 0


def blocked_by(named_masks: Mapping[str, np.ndarray], query: int, key: int) -> tuple[str, ...]:
    """The names of the masks that do not let this query look at this key."""
    return tuple(name for name, mask in named_masks.items() if not mask[query, key])


def _distance(n_query: int, n_key: int, offset: int) -> np.ndarray:
    """(L, S) how many positions the key lies after the query; negative when before."""
    return np.arange(n_key)[None, :] - np.arange(n_query)[:, None] - offset


class Number(NamedTuple):
    """A setting of a rule that is a whole number, and where to begin."""

    low: int
    high: Callable[[int, int], int]  #: by n_query and n_key
    first: int  #: counted back from ``high`` if negative
    reason: str = "out_of_range"  #: of the InputError for any other number


class Choice(NamedTuple):
    """A setting of a rule that is one of these words; the first one to begin with."""

    options: tuple[str, ...]


class Rule(NamedTuple):
    """How to make a mask: settings by name (None is one whole number for each token), and the function of them."""

    settings: Mapping[str, Number | Choice | None]
    build: Callable[..., np.ndarray]  #: of n_query, n_key and the settings; a corner is handed over as its offset


def _last_place(n_query: int, n_key: int) -> int:
    return max(n_query, n_key) - 1


_CORNER = {"corner": Choice(("top", "bottom"))}  # of the diagonal; the same for as many queries as keys
_LENGTH = {"length": Number(0, lambda n_query, n_key: n_key, -1, "too_many_real")}
_LEFT = Number(0, _last_place, 1, "left_too_far")
_RIGHT = Number(0, _last_place, 0, "right_too_far")
_STEP = Number(1, lambda n_query, n_key: max(n_query, n_key), 2)

#: Every rule that can be chosen by its name. A new rule is one entry.
RULES = {
    "full": Rule({}, full),
    "causal": Rule(_CORNER, causal),
    "window": Rule({"left": _LEFT, "right": _RIGHT, **_CORNER}, sliding_window),
    "padding": Rule({**_LENGTH, "side": Choice(("right", "left"))}, padding),
    "prefix": Rule({**_LENGTH, **_CORNER}, prefix),
    "dilated": Rule({"step": _STEP, **_CORNER}, dilated),
    "only_self": Rule(_CORNER, only_self),
    "documents": Rule({"documents": None}, _numbered_documents),
}


def build_mask(rule: str, n_query: int, n_key: int, **settings) -> np.ndarray:
    """(L, S) the mask of a rule of ``RULES``; only a corner may be left out.

    Raises InputError for an unknown rule, and for a setting that is not one of its values.
    """
    if rule not in RULES:
        raise InputError("unknown_rule", f"rule must be one of {', '.join(RULES)}, got {rule!r}", value=rule)
    for name, setting in RULES[rule].settings.items():
        if isinstance(setting, Number):
            as_whole_number(name, settings[name], setting.low, setting.high(n_query, n_key), setting.reason)
        elif isinstance(setting, Choice) and settings.get(name, setting.options[0]) not in setting.options:
            options = ", ".join(setting.options)
            message = f"{name} must be one of {options}, got {settings[name]!r}"
            raise InputError("unknown_choice", message, text=settings[name], options=options)
    if settings.pop("corner", "top") == "bottom":
        settings["offset"] = n_key - n_query
    return RULES[rule].build(n_query, n_key, **settings)
