"""Time of the √d experiment against a plain Python loop, as a ratio.

Run: python tests/bench/bench_scaling.py
"""

import math
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))

from curves import saturation_curves

from attention_core.scaling import random_dot_products, rescale, saturation

N_FEATURES, N_KEYS, N_SAMPLES = 512, 10, 1500
LOOP_SHARE = 50  # the loop does one draw in 50; its time is multiplied


def experiment():
    drawn = random_dot_products(N_FEATURES, N_KEYS, N_SAMPLES)
    return [saturation(rescale(drawn, scaling)).largest_weight for scaling in ("none", "sqrt")]


def loop():
    normal = random.Random(0).gauss
    largest = {"none": [], "sqrt": []}
    for _ in range(N_SAMPLES // LOOP_SHARE):
        query = [normal(0, 1) for _ in range(N_FEATURES)]
        products = []
        for _ in range(N_KEYS):
            key = [normal(0, 1) for _ in range(N_FEATURES)]
            products.append(sum(a * b for a, b in zip(query, key, strict=True)))
        for scaling, divisor in (("none", 1), ("sqrt", math.sqrt(N_FEATURES))):
            scores = [product / divisor for product in products]
            exponentials = [math.exp(score - max(scores)) for score in scores]
            largest[scaling].append(1 / sum(exponentials))
    return [sum(weights) / len(weights) for weights in largest.values()]


def best_seconds(function, rounds):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    ours, python = best_seconds(experiment, 5), best_seconds(loop, 3) * LOOP_SHARE
    print(f"{N_KEYS} keys x {N_SAMPLES} draws x d = {N_FEATURES}")
    print("average largest weight, unscaled and scaled: ", *(f"{weight:.3f}" for weight in experiment()))
    print(f"the same by a loop over 1/{LOOP_SHARE} of the draws:", *(f"{weight:.3f}" for weight in loop()))
    print(f"experiment / Python loop: {ours / python:.4f} ({python / ours:.0f} times faster)")
    print(f"the experiment took {ours * 1000:.0f} ms")
    curves = best_seconds(saturation_curves, 3)
    print(f"both curves up to d = 1024 / one experiment: {curves / ours:.1f}")
