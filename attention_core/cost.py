"""What a layer costs, and the path length between two tokens (Vaswani et al. 2017, section 4, Table 1).

Work, steps and path length are three measures, not one: a layer can be good at one and bad at another. Work counts
multiplications as the table does, without constant factors.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from .attention import trace_attention
from .checks import as_number, as_whole_number
from .errors import InputError

KINDS = ("recurrent", "attention", "window")
LONGEST = 131_072  #: most tokens that costs are told for
WIDEST = 16_384  #: most numbers per token
TIMED = (64, 128, 256, 512, 1024, 2048)  #: lengths for ``timings``


@dataclass(frozen=True)
class Cost:
    """Three measures of one layer over a text."""

    work: int  #: multiplications, without constant factors
    steps: int  #: sequential operations, which have to wait for each other
    path_length: int  #: operations that a signal passes between the two tokens farthest apart


def cells(n: int, window: int | None = None) -> int:
    """How many scores n tokens need: n², or with a window only itself and at most ``window`` tokens before."""
    n = as_whole_number("n", n, 1, LONGEST)
    if window is None:
        return n * n
    back = min(as_whole_number("window", window, 1, LONGEST), n - 1)
    return n * (back + 1) - back * (back + 1) // 2


def layer_cost(kind: str, n: int, d: int, window: int = 1) -> Cost:
    """The cost of one layer over n tokens of d numbers each; ``kind`` is one of ``KINDS``.

    recurrent
        n·d²: one d x d matrix at each token, each token after the one before.
    attention
        n²·d: every token reads every token, all at the same time.
    window
        each token reads itself and ``window`` tokens before it; whoever is farther away is reached
        through several layers.
    """
    n, d = as_whole_number("n", n, 1, LONGEST), as_whole_number("d", d, 1, WIDEST)
    far = n - 1
    match kind:
        case "recurrent":
            return Cost(n * d * d, n, far)
        case "attention":
            return Cost(cells(n) * d, 1, min(far, 1))
        case "window":
            return Cost(cells(n, window) * d, 1, layers_needed(far, window))
    raise InputError("unknown_kind", f"kind must be one of {KINDS}, got {kind!r}", value=kind)


def projection_work(n: int, d: int) -> int:
    """4·n·d²: what attention's four d x d matrices (for Q, K, V and the output) multiply on top."""
    return 4 * layer_cost("recurrent", n, d).work


def layers_needed(distance: int, window: int) -> int:
    """How many layers until a token hears one that lies ``distance`` before it; each layer reaches ``window``."""
    distance = as_whole_number("distance", distance, 0, LONGEST)
    return -(-distance // as_whole_number("window", window, 1, LONGEST))


def path_length(kind: str, distance: int, window: int = 1) -> int:
    """How many operations a signal passes between two tokens this far apart."""
    return layer_cost(kind, as_whole_number("distance", distance, 0, LONGEST - 1) + 1, 1, window).path_length


def fidelity_left(fidelity: float, times: int) -> float:
    """fidelity^times: what is left when each operation on the path keeps this share of what it got, 0 ... 1."""
    return as_number("fidelity", fidelity, 0, 1) ** as_whole_number("times", times, 0)


def receptive_field(allowed: np.ndarray, layers: int) -> np.ndarray:
    """(n, n) bool: whose content can be in each token's vector after so many layers under this mask.

    After no layer that is each token's own; each layer adds what the tokens it may read had before.
    """
    reach = np.eye(len(allowed), dtype=bool)
    for _ in range(as_whole_number("layers", layers, 0)):
        reach = reach | (allowed @ reach)
    return reach


def memory(n: int, bytes_each: int = 2) -> int:
    """Bytes that the n x n weights of one head take in one layer, if they are stored."""
    return cells(n) * as_whole_number("bytes_each", bytes_each, 1, 16)


def timings(lengths=TIMED, d: int = 64, seconds: float = 4.0, seed: int = 0) -> Iterator[tuple[int, float, float]]:
    """(n, best, median) seconds of ``trace_attention`` on n random queries, keys and values, over a few tries each.

    A median far above the best time says that the machine had other things to do.

    Stops before a length that, at four times the last one's time for twice its length, would not fit into the
    ``seconds`` left. One length is in memory at a time: about 200 MB at n = 2048.
    """
    end = perf_counter() + seconds
    random = np.random.default_rng(seed)
    last = None
    for n in lengths:
        if last and perf_counter() + last[1] * (n / last[0]) ** 2 > end:
            return
        query, key, value = random.standard_normal((3, n, d))
        times, began = [], perf_counter()
        while len(times) < 5 or (len(times) < 50 and perf_counter() < began + 0.2):
            start = perf_counter()
            trace_attention(query, key, value)
            times.append(perf_counter() - start)
            if perf_counter() > end:
                break
        last = n, min(times)
        yield n, min(times), float(np.median(times))
