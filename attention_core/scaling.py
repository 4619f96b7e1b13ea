"""Why the scores are divided by √d: random queries and keys, and what their dot products do to softmax."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from .attention import softmax
from .checks import as_number, as_whole_number
from .errors import InputError
from .insight import effective_number, largest_weight

WIDTHS = tuple(2**i for i in range(11))  #: the numbers of features to choose from: 1, 2, 4 ... 1024
N_KEYS = (1, 100)  #: fewest and most keys of one query
N_SAMPLES = (4, 10_000)  #: fewest and most queries drawn
TEMPERATURES = (0.01, 100.0)  #: lowest and highest temperature
HIGHEST_SPREAD = 100.0  #: largest standard deviation of an entry or a score
SCALINGS = ("none", "sqrt", "d", "cosine")  #: ways to turn a dot product into a score


@dataclass(frozen=True, eq=False)
class DotProducts:
    """N random queries, each with K random keys of its own. Arrays are read-only."""

    n_features: int  #: d, how many entries each vector has
    products: np.ndarray  #: (N, K) query . key
    cosines: np.ndarray  #: (N, K) query . key / (length of query * length of key)


@dataclass(frozen=True)
class Saturation:
    """How close softmax is to putting everything on one key: averages over all rows of scores."""

    variance: float  #: of the scores themselves
    largest_weight: float  #: 1/K when even, 1 when saturated
    effective_number: float  #: K when even, 1 when saturated
    sensitivity: float  #: 1 - 1/K when even, 0 when saturated


def random_dot_products(
    n_features: int,
    n_keys: int = 10,
    n_samples: int = 1500,
    *,
    spread: float = 1.0,
    aligned: bool = False,
    seed: int = 0,
) -> DotProducts:
    """Draw vectors with independent normal entries (mean 0) and multiply them.

    With the default spread the variance of a product is d (Vaswani et al. 2017, footnote 4); in general it is
    d * spread^4. The same seed gives the same vectors: more features lengthen them, more samples add to them.

    Parameters
    ----------
    n_features : one of ``WIDTHS``
    n_keys, n_samples : whole numbers within ``N_KEYS`` and ``N_SAMPLES``
    spread : above 0 and at most ``HIGHEST_SPREAD``
        Standard deviation of each entry.
    aligned : bool
        The first key of each query is the query itself; its product is about d * spread^2.
    seed : whole number, 0 or more

    Raises
    ------
    InputError
        for a number that is none or out of its range.
    """
    *_, longest = growing_dot_products(n_features, n_keys, n_samples, spread=spread, aligned=aligned, seed=seed)
    return longest


def growing_dot_products(
    n_features: int = WIDTHS[-1],
    n_keys: int = 10,
    n_samples: int = 1500,
    *,
    spread: float = 1.0,
    aligned: bool = False,
    seed: int = 0,
) -> Iterator[DotProducts]:
    """The same vectors cut to their first 1, 2, 4 ... n_features entries, one after the other.

    Parameters and errors as in ``random_dot_products``.
    """
    if n_features not in WIDTHS:
        raise InputError(
            "width_unknown",
            f"the number of features must be a power of two from 1 to {WIDTHS[-1]}, got {n_features}",
            value=n_features,
            widths=WIDTHS,
        )
    n_keys = as_whole_number("n_keys", n_keys, *N_KEYS)
    n_samples = as_whole_number("n_samples", n_samples, *N_SAMPLES)
    seed = as_whole_number("seed", seed, 0)
    spread = check_spread(spread)
    return _grow(n_features, n_keys, n_samples, spread, aligned, seed)


def _grow(n_features, n_keys, n_samples, spread, aligned, seed):
    products = np.zeros((n_samples, n_keys))
    query_squares = np.zeros((n_samples, 1))
    key_squares = np.zeros((n_samples, n_keys))
    start = 0
    for segment, stop in enumerate(WIDTHS[: WIDTHS.index(n_features) + 1]):
        width = stop - start
        # Each stretch of entries has its own stream: a shorter vector is the start of a longer one.
        random = np.random.default_rng([seed, segment])
        for rows in _batches(n_samples, (n_keys + 1) * width):
            # Single precision is drawn twice as fast, and no one needs more digits of a random number.
            shape = rows.stop - rows.start, n_keys + 1, width
            vectors = random.standard_normal(shape, dtype=np.float32).astype(np.float64)
            query, keys = vectors[:, 0], vectors[:, 1:]
            if aligned:
                keys[:, 0] = query
            products[rows] += (keys @ query[:, :, None])[:, :, 0]
            query_squares[rows] += np.vecdot(query, query)[:, None]
            key_squares[rows] += np.vecdot(keys, keys)
        # A vector of one entry may be exactly 0; then 0 / tiny keeps its cosine 0.
        lengths = np.sqrt(query_squares * key_squares)
        cosines = products / np.maximum(lengths, np.finfo(np.float64).tiny)
        drawn = DotProducts(stop, products * spread**2, cosines)
        drawn.products.setflags(write=False)
        drawn.cosines.setflags(write=False)
        yield drawn
        start = stop


def random_scores(n_keys: int = 100, n_samples: int = 1500, *, spread: float = 1.0, seed: int = 0) -> np.ndarray:
    """(N, K) normal scores with this standard deviation and no vectors behind them: many keys, one dial.

    Limits and errors as in ``random_dot_products``.
    """
    n_keys = as_whole_number("n_keys", n_keys, *N_KEYS)
    n_samples = as_whole_number("n_samples", n_samples, *N_SAMPLES)
    random = np.random.default_rng(as_whole_number("seed", seed, 0))
    return check_spread(spread) * random.standard_normal((n_samples, n_keys))


def _batches(n_samples: int, entries_per_sample: int) -> Iterator[slice]:
    """Slices of samples whose vectors together stay within a few megabytes, whatever was asked for."""
    size = max(1, 300_000 // entries_per_sample)
    for start in range(0, n_samples, size):
        yield slice(start, min(start + size, n_samples))


def rescale(drawn: DotProducts, scaling: str = "sqrt", temperature: float = 1.0) -> np.ndarray:
    """(N, K) the scores that go into softmax: products, or cosines, after the two dials."""
    if scaling == "cosine":
        return drawn.cosines / check_temperature(temperature)
    return drawn.products * combined_scale(scaling, drawn.n_features, temperature)


def combined_scale(scaling: str, n_features: int, temperature: float = 1.0) -> float:
    """What to multiply dot products by: 1 ("none"), 1/√d ("sqrt") or 1/d ("d"), divided by the temperature.

    It is the ``scale`` of ``trace_attention``. Cosine is no such number: each product has its own divisor.
    """
    if scaling not in SCALINGS[:3]:
        raise InputError(
            "unknown_scaling",
            f"scaling must be one of {SCALINGS[:3]}, got {scaling!r}",
            value=scaling,
            known=SCALINGS[:3],
        )
    divisor = {"none": 1.0, "sqrt": sqrt(n_features), "d": float(n_features)}[scaling]
    return 1 / (divisor * check_temperature(temperature))


def check_temperature(temperature: float) -> float:
    """The temperature as a number within ``TEMPERATURES``, or an InputError that says why not."""
    if as_number("temperature", temperature) == 0:
        raise InputError(
            "temperature_zero",
            "temperature 0 would divide by zero. As it falls towards 0 the weights become one-hot: "
            "all weight goes to the largest score, shared equally if several are largest. "
            f"Take a small one instead, down to {TEMPERATURES[0]}",
            lowest=TEMPERATURES[0],
        )
    return as_number("temperature", temperature, *TEMPERATURES)


def saturation(scores) -> Saturation:
    """Softmax of each row of ``scores`` (N, K), and how peaked the rows are on average."""
    weights = softmax(scores)
    return Saturation(
        variance=float(np.var(scores)),
        largest_weight=float(largest_weight(weights).mean()),
        effective_number=float(effective_number(weights).mean()),
        sensitivity=float(sensitivity(weights).mean()),
    )


def sensitivity(weights: np.ndarray) -> np.ndarray:
    """(L,) 1 - Σp²: how much each row still reacts when its scores move, the trace of softmax's Jacobian.

    The Jacobian is diag(p) - p pᵀ. A row of zeros (fully masked) does not react at all.
    """
    return (weights * (1 - weights)).sum(axis=1)


def check_spread(spread) -> float:
    """The spread as a number above 0 and at most ``HIGHEST_SPREAD``, or an InputError that says why not."""
    if as_number("spread", spread) <= 0:
        raise InputError(
            "spread_not_positive",
            f"the spread must be above 0, got {spread}; with 0 all numbers would be the same",
            value=spread,
        )
    return as_number("spread", spread, 0, HIGHEST_SPREAD)
