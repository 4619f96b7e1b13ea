"""Numbers added to the scores before softmax, so that near keys weigh more than far ones.

Give them to ``trace_attention(..., bias=...)``.
"""

import numpy as np

from .checks import as_number, as_whole_number
from .errors import InputError


def distance_slope(n_query: int, n_key: int, slope: float, offset: int = 0) -> np.ndarray:
    """(L, S) minus ``slope`` for every position between query and key, before or after.

    Query i stands at position i + offset, as in ``masks.causal``. A slope of 0 changes nothing; a negative
    one favours far keys.
    """
    slope = as_number("slope", slope)
    distance = np.arange(n_key)[None, :] - np.arange(n_query)[:, None] - offset
    with np.errstate(over="ignore"):
        # 0 - x and not -x: a distance of 0 gives 0, never -0.
        bias = 0 - slope * np.abs(distance)
    if not np.isfinite(bias).all():
        raise InputError("not_finite_number", f"slope must be smaller here, got {slope}", name="slope")
    return bias


def alibi_slopes(n_heads: int) -> np.ndarray:
    """(n_heads,) how steeply each head prefers near keys (Press et al. 2022, ALiBi, section 3).

    For a power of two the slopes are 2^(-8/n), 2^(-16/n) ... 2^-8. For any other number of heads they are
    those of the next lower power of two, followed by every other slope of twice that power, as in the
    authors' code and in BLOOM.
    """
    n_heads = as_whole_number("n_heads", n_heads, 1, reason="too_few_heads")
    power = 2 ** (n_heads.bit_length() - 1)
    between = _geometric_slopes(2 * power)[::2]
    return np.concatenate([_geometric_slopes(power), between[: n_heads - power]])


def _geometric_slopes(n_heads: int) -> np.ndarray:
    return 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)
