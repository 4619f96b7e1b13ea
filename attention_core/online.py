"""Softmax and weighted sum one tile of keys at a time, without ever seeing a whole row."""

from dataclasses import dataclass

import numpy as np

from .attention import LOWEST, TINY
from .checks import as_matrix, as_whole_number, check_finite, check_overflow, check_values


@dataclass(frozen=True, eq=False)
class TileStep:
    """What is known after one more tile of keys. L queries, S keys, Ev features of values.

    ``weights`` and ``output`` are attention over the keys seen so far, not a part of the final answer.
    """

    start: int  #: the first key of this tile
    stop: int  #: the key after its last: keys 0 ... stop - 1 have been seen
    largest: np.ndarray  #: (L,) m, the largest score so far; -inf while every key seen was hidden
    shrink: np.ndarray  #: (L,) exp(old m - new m): what the old total and mix were multiplied by; 0 at first
    total: np.ndarray  #: (L,) l, the sum of exp(score - m) so far
    mix: np.ndarray  #: (L, Ev) the sum of exp(score - m) * value so far, not yet divided by l
    weights: np.ndarray  #: (L, S) softmax over the keys seen so far; 0 for the rest
    output: np.ndarray  #: (L, Ev) mix / l


def trace_online(masked, value, tile_size: int) -> tuple[TileStep, ...]:
    """Attention from scores that arrive ``tile_size`` keys at a time (Milakov & Gimelshein 2018).

    Only m, l and the mix are carried from tile to tile. When a larger score turns up, what was summed with
    the old m is shrunk to the new one. The last step's output is the output of ``trace_attention``.
    FlashAttention (Dao et al. 2022) works in this way.

    Parameters
    ----------
    masked : (L, S)
        Scores ready for softmax, ``trace.masked``: -inf where a query may not look.
    value : (S, Ev)
    tile_size : int
        Keys per tile, 1 or more. The last tile may be shorter.

    Raises
    ------
    InputError
        for shapes that do not fit, NaN or +inf, and a mix that overflows.

    A query that has met no allowed key yet has m = -inf, l = 0, weights 0 and output 0.
    """
    masked, value = as_matrix("masked", masked), as_matrix("value", value)
    tile_size = as_whole_number("tile_size", tile_size, 1, reason="tile_too_small")
    check_values("masked", masked.shape[1], value)
    check_finite("masked", masked, allow_negative_infinity=True)
    check_finite("value", value)
    n_query, n_key = masked.shape
    largest = np.full(n_query, -np.inf)
    total = np.zeros(n_query)
    mix = np.zeros((n_query, value.shape[1]))
    steps = []
    for start in range(0, n_key, tile_size):
        stop = min(start + tile_size, n_key)
        with np.errstate(over="ignore", invalid="ignore"):
            old, largest = largest, np.maximum(largest, masked[:, start:stop].max(axis=1))
            shrink = np.exp(old - np.maximum(largest, LOWEST))
            exponentials = np.exp(masked[:, start:stop] - np.maximum(largest, LOWEST)[:, None])
            total = total * shrink + exponentials.sum(axis=1)
            mix = mix * shrink[:, None] + exponentials @ value[start:stop]
        check_overflow("output", mix)
        steps.append(
            TileStep(
                start=start,
                stop=stop,
                largest=largest,
                shrink=shrink,
                total=total,
                mix=mix,
                weights=_weights_so_far(masked, stop, largest, total),
                output=mix / np.maximum(total, TINY)[:, None],
            )
        )
    return tuple(steps)


def _weights_so_far(masked, stop, largest, total) -> np.ndarray:
    # Only to be looked at: a real tiled kernel keeps no scores of earlier tiles and so has no weights.
    weights = np.zeros(masked.shape)
    with np.errstate(over="ignore"):
        weights[:, :stop] = np.exp(masked[:, :stop] - np.maximum(largest, LOWEST)[:, None])
    return weights / np.maximum(total, TINY)[:, None]
