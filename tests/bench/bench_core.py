"""How long one traced call takes, as ratios: to plain loops, NumPy lines, and PyTorch where it is installed.

    OPENBLAS_NUM_THREADS=1 python tests/bench/bench_core.py

Below 1 means that trace_attention is faster. All rivals compute in float64 and return every stage; the
"checked" ones also look for NaN and infinity in each stage. Ratios hold for one machine.
"""

import sys
from functools import partial
from math import inf, sqrt
from pathlib import Path
from timeit import timeit

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))
import oracle

from attention_core import attention_steps, trace_attention

try:
    import torch
except ImportError:
    torch = None


def numpy_lines(query, key, value, allowed):
    """Every stage in the shortest NumPy, with nothing checked, copied or protected."""
    scores = query @ key.T
    scaled = scores / np.sqrt(query.shape[1])
    masked = np.where(allowed, scaled, -np.inf)
    exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return scores, scaled, masked, weights, weights @ value


def numpy_lines_checked(query, key, value, allowed):
    """The same and a look at each stage."""
    stages = numpy_lines(query, key, value, allowed)
    for stage in (query, key, value, *stages[:2], *stages[3:]):
        if not np.isfinite(stage).all():
            raise ValueError("not finite")
    return stages


def torch_lines(query, key, value, allowed):
    """Every stage in PyTorch."""
    scores = query @ key.T
    scaled = scores / sqrt(query.shape[1])
    masked = scaled.masked_fill(~allowed, -inf)
    weights = torch.softmax(masked, dim=-1)
    return scores, scaled, masked, weights, weights @ value


def torch_lines_checked(query, key, value, allowed):
    """The same and a look at each stage."""
    stages = torch_lines(query, key, value, allowed)
    for stage in (query, key, value, *stages[:2], *stages[3:]):
        if not torch.isfinite(stage).all():
            raise ValueError("not finite")
    return stages


def rivals(n):
    """Calls to time for n tokens with n features, causal; the first is ours."""
    query, key, value = np.random.default_rng(n).normal(size=(3, n, n))
    allowed = np.tri(n, dtype=bool)
    calls = {
        "trace_attention": partial(trace_attention, query, key, value, allowed),
        "its steps alone": partial(attention_steps, query, key, value, ~allowed, None, 1 / sqrt(n), None),
        "NumPy lines": partial(numpy_lines, query, key, value, allowed),
        "NumPy lines, checked": partial(numpy_lines_checked, query, key, value, allowed),
    }
    if n <= 16:
        lists = [matrix.tolist() for matrix in (query, key, value, allowed)]
        calls["plain loops"] = partial(oracle.attention, *lists)
    if torch:
        tensors = [torch.tensor(matrix) for matrix in (query, key, value, allowed)]
        calls["PyTorch lines"] = partial(torch_lines, *tensors)
        calls["PyTorch lines, checked"] = partial(torch_lines_checked, *tensors)
        calls["PyTorch SDPA (output alone)"] = partial(
            torch.nn.functional.scaled_dot_product_attention, *(tensor[None] for tensor in tensors)
        )
    return calls


def best_times(calls, number):
    """Seconds of each call: the best of nine rounds that take turns, so that all meet the same machine."""
    best = dict.fromkeys(calls, inf)
    for _ in range(9):
        for name, call in calls.items():
            best[name] = min(best[name], timeit(call, number=number))
    return {name: seconds / number for name, seconds in best.items()}


def main():
    """Print a table for each size."""
    if torch:
        torch.set_num_threads(1)
        torch.set_grad_enabled(False)
    else:
        print("PyTorch is not installed here; its lines are left out.")
    for n in (4, 8, 16, 512):
        best = best_times(rivals(n), number=2_000 if n < 100 else 3)
        ours = best.pop("trace_attention")
        print(f"\n{n} x {n}, {n} features: trace_attention {ours * 1e6:,.1f} µs")
        for name, seconds in best.items():
            print(f"  {ours / seconds:7.3f}  of {name}")


if __name__ == "__main__":
    main()
