"""Who may look at whom: boolean masks, True where a query (row) may look at a key (column).

Combine them with ``&``, ``|`` and ``~``.
"""

from collections.abc import Mapping

import numpy as np

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
        if reach is not None and reach < 0:
            raise InputError(
                "negative_window", f"{name} must be 0 or more, or None, got {reach}", name=name, value=reach
            )
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
    _check_length(length, n_key)
    return causal(n_query, n_key, offset) | (np.arange(n_key) < length)


def padding(n_query: int, n_key: int, length: int, side: str = "right") -> np.ndarray:
    """Only the ``length`` real keys may be looked at; the padding is to their ``side``, "right" or "left".

    Padding blocks columns (keys). The rows of padding queries stay: blocking them too would only leave them
    blind.
    """
    _check_length(length, n_key)
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


def dilated(n_query: int, n_key: int, step: int, offset: int = 0) -> np.ndarray:
    """Every ``step``-th key before and after the query's own position (Child et al. 2019)."""
    if step < 1:
        raise InputError("step_too_small", f"step must be 1 or more, got {step}", value=step)
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


def _check_length(length: int, n_key: int) -> None:
    if not 0 <= length <= n_key:
        raise InputError(
            "length_out_of_range",
            f"length must be between 0 and the {n_key} keys, got {length}",
            value=length,
            n_key=n_key,
        )
