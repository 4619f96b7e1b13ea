"""Where queries, keys and values come from, and several heads beside each other.

A token's query is its row of X times a learned matrix: Q = X·W_Q, and so K = X·W_K, V = X·W_V. Each head has
matrices of its own; their outputs are concatenated and W_O mixes them (Vaswani et al. 2017, section 3.2.2).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .arithmetic import DotProduct, dot_product
from .attention import AttentionTrace, trace_attention
from .checks import as_array, as_matrix, check_features, check_finite
from .errors import InputError


@dataclass(frozen=True, eq=False)
class MultiHead:
    """Every head, and what they give together. L queries, S keys, H heads with Ev value features each."""

    heads: tuple[AttentionTrace, ...]  #: H traces
    concatenated: np.ndarray  #: (L, H * Ev) the heads' outputs beside each other
    output: np.ndarray  #: (L, D) concatenated @ w_output, or concatenated


@dataclass(frozen=True)
class ParameterCounts:
    """How many learned numbers one layer of attention has (without biases)."""

    head_width: int  #: d_k, features of one head's queries and keys
    query: int
    key: int
    value: int
    output: int

    @property
    def total(self) -> int:
        """All four together."""
        return self.query + self.key + self.value + self.output


def project(x, weight, name: str = "W") -> np.ndarray:
    """x @ weight: (n, D) rows of tokens times a (D, E) matrix gives their (n, E) queries, keys or values.

    Raises InputError for shapes that do not fit and sums that overflow; ``name`` is what it calls the matrix.
    """
    x, weight = as_matrix("X", x), as_matrix(name, weight)
    if x.shape[1] != weight.shape[0]:
        raise InputError(
            "projection_differs",
            f"X has {x.shape[1]} features (columns) and {name} has {weight.shape[0]} rows; they must be equal",
            name=name,
            features=x.shape[1],
            rows=weight.shape[0],
        )
    for given, matrix in (("X", x), (name, weight)):
        check_finite(given, matrix)
    with np.errstate(all="ignore"):  # what overflows is refused by name
        product = x @ weight
    if not np.isfinite(product).all():
        row, column = np.argwhere(~np.isfinite(product))[0].tolist()
        raise InputError(
            "projection_overflow",
            f"X times {name} overflows at row {row}, column {column}",
            name=name,
            row=row,
            column=column,
        )
    return product


def projection_terms(x: np.ndarray, weight: np.ndarray, row: int, column: int) -> DotProduct:
    """How (x @ weight)[row, column] came about: the token's row times that column of the matrix."""
    return dot_product(x[row], weight[:, column], x[row] @ weight[:, column])


def key_head(head: int, n_heads: int, n_key_heads: int) -> int:
    """The key/value head that a query head uses: neighbours share one.

    Repeated, not tiled: with 4 query and 2 key/value heads 0, 0, 1, 1 and not 0, 1, 0, 1 (Ainslie et al. 2023).
    """
    if n_key_heads < 1 or n_heads % n_key_heads:
        raise InputError(
            "groups_do_not_divide",
            f"{n_heads} query heads cannot share {n_key_heads} key/value heads equally",
            heads=n_heads,
            key_heads=n_key_heads,
        )
    return head // (n_heads // n_key_heads)


def attend_heads(
    queries: Sequence, keys: Sequence, values: Sequence, w_output=None, attn_mask=None, *, bias=None, **options
) -> MultiHead:
    """Attention for each head, the concatenation of their outputs, times W_O.

    Parameters
    ----------
    queries : H matrices (L, E)
    keys, values : as many matrices (S, E), (S, Ev), or fewer: then ``key_head`` says which head uses which.
    w_output : (H * Ev, D), optional
        None leaves the outputs concatenated.
    attn_mask, bias : (L, S) for every head, or (H, L, S)
    options : the rest of what ``trace_attention`` takes.
    """
    n_heads = len(queries)
    if len(keys) != len(values):
        raise InputError("key_heads_differ", f"there are {len(keys)} key heads and {len(values)} value heads")
    if not n_heads:
        raise InputError("no_heads", "there must be at least one head")
    traces = []
    masks, biases = _for_each_head("attn_mask", attn_mask, n_heads), _for_each_head("bias", bias, n_heads)
    for head, query in enumerate(queries):
        group = key_head(head, n_heads, len(keys))
        own = {"attn_mask": masks[head], "bias": biases[head]}
        traces.append(trace_attention(query, keys[group], values[group], **own, **options))
        if len(traces[head].query) != len(traces[0].query):
            raise InputError(
                "query_rows_differ",
                f"head {head} has {len(traces[head].query)} queries and head 0 has {len(traces[0].query)}",
            )
    concatenated = np.hstack([trace.output for trace in traces])
    output = concatenated if w_output is None else _combine(concatenated, as_matrix("W_O", w_output))
    for array in (concatenated, output):
        array.setflags(write=False)
    return MultiHead(tuple(traces), concatenated, output)


def _for_each_head(name: str, given, n_heads: int) -> Sequence:
    """One mask or bias for each head out of what is meant for all, or has one for each."""
    if given is None or as_array(name, given).ndim != 3:
        return [given] * n_heads
    if len(given) != n_heads:
        raise InputError("mask_heads", f"{name} has {len(given)} matrices for {n_heads} heads", name=name)
    return given


def _combine(concatenated: np.ndarray, w_output: np.ndarray) -> np.ndarray:
    if concatenated.shape[1] != w_output.shape[0]:
        raise InputError(
            "output_rows_differ",
            f"the heads' outputs have {concatenated.shape[1]} columns and W_O has {w_output.shape[0]} rows; "
            "they must be equal",
            columns=concatenated.shape[1],
            rows=w_output.shape[0],
        )
    return project(concatenated, w_output, "W_O")


def multi_head_attention(
    x, w_query: Sequence, w_key: Sequence, w_value: Sequence, w_output=None, *, source=None, **options
) -> MultiHead:
    """Heads with projections of their own: self-attention of x, or cross-attention of x on ``source``.

    Parameters
    ----------
    x : (L, D)
        The tokens that ask.
    w_query : H matrices (D, E)
    w_key, w_value : H matrices, or fewer that are shared; their rows are as many as the columns of ``source``.
    source : (S, Ds), optional
        The tokens that are read; x itself if None.
    options : ``attn_mask`` and ``bias`` as in ``attend_heads``, and the rest of what ``trace_attention`` takes.
    """
    source = x if source is None else source
    return attend_heads(
        [project(x, weight, f"W_Q{head + 1}") for head, weight in enumerate(w_query)],
        [project(source, weight, f"W_K{head + 1}") for head, weight in enumerate(w_key)],
        [project(source, weight, f"W_V{head + 1}") for head, weight in enumerate(w_value)],
        w_output,
        **options,
    )


def comparison_matrix(w_query: np.ndarray, w_key: np.ndarray) -> tuple[np.ndarray, int]:
    """(D, Ds) W_Q W_Kᵀ and its rank. Scores are X · W_Q W_Kᵀ · Xᵀ, and the rank is at most d_k.

    A product that overflows, or vanishes though its factors do not, is refused: it would have another rank.
    """
    w_query, w_key = as_matrix("W_Q", w_query), as_matrix("W_K", w_key)
    check_features(w_query, w_key)
    with np.errstate(all="ignore"):  # what is lost is refused by name
        product = w_query @ w_key.T
    # What is not 0 can vanish only where factors are tiny; brought to size first, they show it.
    w_query, w_key = (np.ldexp(w, -np.frexp(np.abs(w).max())[1]) for w in (w_query, w_key))
    vanished = np.abs(product).max() < np.finfo(np.float64).tiny and (w_query @ w_key.T).any()
    if vanished or not np.isfinite(product).all():
        raise InputError("comparison_lost", "W_Q times W_K transposed is too large or too small for a float64")
    return product, int(np.linalg.matrix_rank(product))


def parameter_counts(width: int, n_heads: int, n_key_heads: int | None = None) -> ParameterCounts:
    """Learned numbers of one layer ``width`` wide, cut into ``n_heads``; grouped heads need fewer for K and V."""
    n_key_heads = n_heads if n_key_heads is None else n_key_heads
    if width < 1 or n_heads < 1 or width % n_heads:
        raise InputError(
            "heads_do_not_divide",
            f"{width} columns cannot be shared by {n_heads} heads equally",
            columns=width,
            heads=n_heads,
        )
    key_head(0, n_heads, n_key_heads)  # refuses groups that do not divide
    head_width = width // n_heads
    shared = width * head_width * n_key_heads
    return ParameterCounts(head_width, width * width, shared, shared, width * width)
