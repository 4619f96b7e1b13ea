"""Trains the model of ``model``: ``python -m attention_core.sentences.train en`` (or ``ko``).

It takes some seconds and writes the weights beside this file, or into a file named after the language. The
same seed gives the same weights, but perhaps for the last digits, which depend on how a machine adds. The
gradient is written out by hand.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..attention import softmax
from .grammar import LANGUAGES, generate, vocabulary
from .model import HEAD_WIDTH, HEADS, LONGEST, WIDTH, numbers, weights_file

STEPS = 1000
BATCH = 32
SENTENCES = 6000  # made once, then drawn from
LEARNING_RATE = 0.02
SMOOTHING = 0.1  # of each answer is spread over all words, or the weights would all become 0 or 1
SKIPPED = 0.1  # of the sentences skip the free layer, so that the pointer knows how to do without it
FORGOTTEN = 0.05  # of the words are read as unknown, so that the model learns what to do with one


def train(
    language: str,
    steps: int = STEPS,
    seed: int = 0,
    report: Callable[[int, float, float], None] | None = None,
) -> dict[str, np.ndarray]:
    """Weights trained on random sentences of the grammar.

    ``report(step, loss, accuracy)`` is called at every step; accuracy is the share of the words of that step
    whose largest weight lies on a right noun.
    """
    rng = np.random.default_rng(seed)
    weights = start(language, rng)
    words, answers = sentences(language, rng)
    mean = {name: np.zeros_like(array) for name, array in weights.items()}
    square = {name: np.zeros_like(array) for name, array in weights.items()}
    for step in range(1, steps + 1):
        drawn = rng.integers(SENTENCES, size=BATCH)
        read = words[drawn]
        read[(rng.random(read.shape) < FORGOTTEN) & (read >= 0)] = 0
        first = rng.integers(LONGEST - (read >= 0).sum(1) + 1)  # so that no position stays untrained
        skip = rng.random(BATCH) < SKIPPED
        loss, pointed, gradient = loss_and_gradient(weights, read, first, skip, answers[drawn])
        rate = LEARNING_RATE * (1 - step / (steps + 1))
        for name in weights:  # Adam (Kingma and Ba 2015, algorithm 1)
            mean[name] += 0.1 * (gradient[name] - mean[name])
            square[name] += 0.01 * (gradient[name] ** 2 - square[name])
            slope = mean[name] / (1 - 0.9**step)
            weights[name] -= rate * slope / (np.sqrt(square[name] / (1 - 0.99**step)) + 1e-8)
        if report:
            report(step, loss, accuracy(pointed, answers[drawn]))
    return weights


def start(language: str, rng: "np.random.Generator") -> dict[str, np.ndarray]:
    """Random weights to begin with."""
    weights = {
        "word": rng.normal(size=(len(vocabulary(language)), WIDTH)),
        "position": rng.normal(size=(LONGEST, WIDTH)),
    }
    for name in ("query", "key", "value", "output", "point_query", "point_key"):
        weights[name] = rng.normal(size=(WIDTH, WIDTH)) / np.sqrt(WIDTH)
    return weights


def sentences(language: str, rng: "np.random.Generator", held_out: bool = False, count: int = SENTENCES):
    """(words, answers) of random sentences, padded to the longest one.

    words (count, n) are numbers of the vocabulary, -1 after the end. answers (count, n, n) say how the
    weights of each word should lie: each row adds to 1, and is all 0 after the end.
    """
    made = [generate(language, rng, held_out) for _ in range(count)]
    n = max(len(sentence.words) for sentence in made)
    words = np.full((count, n), -1)
    answers = np.zeros((count, n, n))
    for i, sentence in enumerate(made):
        length = len(sentence.words)
        words[i, :length] = numbers(sentence.words, language)
        answers[i, :length, :length] = SMOOTHING / length
        for row, nouns in enumerate(sentence.about):
            answers[i, row, list(nouns)] += (1 - SMOOTHING) / len(nouns)
    return words, answers


def loss_and_gradient(weights, words, first, skip, answers):
    """(loss, pointer weights, gradient) of a batch: how far the pointer's weights are from the answers.

    words (B, n) with -1 for no word; first (B,) the position at which each sentence begins; skip (B,) True
    where the free layer is left out; answers (B, n, n). The loss is the cross-entropy, averaged over all
    words; the gradient has an array for each of the weights.
    """
    batch, n = words.shape
    places = (first[:, None] + np.arange(n)) % LONGEST
    hidden = np.where(words < 0, -np.inf, 0.0)[:, None, :]  # no one looks at a place without a word
    rows = (words >= 0).sum()

    def split(x):  # (B, n, 32) -> (B, heads, n, 16)
        return x.reshape(batch, n, HEADS, HEAD_WIDTH).transpose(0, 2, 1, 3)

    def join(x):
        return x.transpose(0, 2, 1, 3).reshape(batch, n, WIDTH)

    # Forward, as in model.sentence, but for many sentences at once.
    x = weights["word"][words] + weights["position"][places]
    query, key, value = (split(x @ weights[name]) for name in ("query", "key", "value"))
    free = softmax(query @ key.swapaxes(-1, -2) / np.sqrt(HEAD_WIDTH) + hidden[:, None])
    read = join(free @ value) * ~skip[:, None, None]
    h = x + read @ weights["output"]
    point_query, point_key = h @ weights["point_query"], h @ weights["point_key"]
    pointer = softmax(point_query @ point_key.swapaxes(-1, -2) / np.sqrt(WIDTH) + hidden)
    loss = -(answers * np.log(np.maximum(pointer, 1e-30))).sum() / rows

    # Backward, in the opposite order. d_x is how the loss changes with x.
    d_scores = (answers.sum(-1, keepdims=True) * pointer - answers) / rows / np.sqrt(WIDTH)
    d_point_query, d_point_key = d_scores @ point_key, d_scores.swapaxes(-1, -2) @ point_query
    d_h = d_point_query @ weights["point_query"].T + d_point_key @ weights["point_key"].T
    d_read = split(d_h @ weights["output"].T * ~skip[:, None, None])
    d_free = d_read @ value.swapaxes(-1, -2)
    d_scores = free * (d_free - (free * d_free).sum(-1, keepdims=True)) / np.sqrt(HEAD_WIDTH)
    d_query, d_key = join(d_scores @ key), join(d_scores.swapaxes(-1, -2) @ query)
    d_value = join(free.swapaxes(-1, -2) @ d_read)
    d_x = d_h + d_query @ weights["query"].T + d_key @ weights["key"].T + d_value @ weights["value"].T

    gradient = {
        name: np.tensordot(before, change, axes=((0, 1), (0, 1)))
        for name, before, change in (
            ("query", x, d_query),
            ("key", x, d_key),
            ("value", x, d_value),
            ("output", read, d_h),
            ("point_query", h, d_point_query),
            ("point_key", h, d_point_key),
        )
    }
    for name, rows_used in (("word", words), ("position", places)):
        gradient[name] = np.zeros_like(weights[name])
        np.add.at(gradient[name], rows_used[words >= 0], d_x[words >= 0])
    return loss, pointer, gradient


def accuracy(pointer, answers) -> float:
    """The share of the words whose largest weight lies on a right noun."""
    chosen = np.take_along_axis(answers, pointer.argmax(-1)[..., None], axis=-1)[..., 0]
    real = answers.sum(-1) > 0
    return float((chosen == answers.max(-1))[real].mean())


def main(arguments: list[str]) -> int:
    """Train one language, show how it goes, store the weights and say how they do on held-out sentences."""
    if len(arguments) not in (1, 2) or arguments[0] not in LANGUAGES:
        print(
            f"usage: python -m attention_core.sentences.train {'|'.join(LANGUAGES)} [file.npz]",
            file=sys.stderr,
        )
        return 2
    language = arguments[0]
    file = Path(arguments[1]) if len(arguments) == 2 else weights_file(language)
    weights = train(language, report=show_progress)
    words, answers = sentences(language, np.random.default_rng(1), held_out=True, count=500)
    all_from_0, no_skip = np.zeros(500, dtype=int), np.zeros(500, dtype=bool)
    pointed = loss_and_gradient(weights, words, all_from_0, no_skip, answers)[1]
    print(f"\nheld-out noun and clue pairs: {accuracy(pointed, answers):.2%} of the words right")
    np.savez_compressed(file, **{name: array.astype(np.float16) for name, array in weights.items()})
    print(f"{file.name}: {file.stat().st_size / 1000:.1f} kB")
    return 0


def show_progress(step: int, loss: float, right: float) -> None:
    """One line that fills up."""
    done = 30 * step // STEPS
    print(f"\r[{'#' * done:30}] {step}/{STEPS}  loss {loss:.3f}  right {right:.1%}", end="", flush=True)


if __name__ == "__main__":
    if os.environ.get("OPENBLAS_NUM_THREADS") == "1":
        sys.exit(main(sys.argv[1:]))
    # On matrices this small several threads wait for each other. NumPy, already loaded here, asks only once.
    sys.exit(
        subprocess.call(
            [sys.executable, "-m", "attention_core.sentences.train", *sys.argv[1:]],
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        )
    )
