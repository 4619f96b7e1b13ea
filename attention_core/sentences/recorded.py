"""Attention of all-MiniLM-L6-v2, recorded for a dozen sentences: all 72 heads, with nothing to install.

``record`` made the recording; recorded_minilm.md names the model and its licence.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..attention import AttentionTrace, trace_attention
from .tokenise import Token

FILE = Path(__file__).with_name("recorded_minilm.npz")
STEPS = 65535  #: a stored weight is a whole number of 65535ths (uint16)

#: (layer, head) of heads that mostly do one thing here; ``named_cells`` says in which cells it shows.
NAMED_HEADS = {
    "previous_word": (0, 2),
    "next_word": (1, 8),
    "same_word": (2, 9),
    "parking": (4, 5),
    "it_to_cat": (5, 11),
}


@dataclass(frozen=True, eq=False)
class RecordedSentence:
    """A sentence of n tokens, [CLS] first and [SEP] last, and what every head did on it. Read-only."""

    text: str
    tokens: tuple[Token, ...]
    weights: np.ndarray  #: (layers, heads, n, n) float64, within 2e-5 of the model's; a 0 is less than that
    value_norms: np.ndarray  #: (layers, heads, n) float64, the length of each value vector, to 0.1 %


class Hidden(NamedTuple):
    """What is left of weights when [CLS] and [SEP] are not shown."""

    weights: np.ndarray  #: (..., n - 2, n - 2), each row divided by what was left of it, so that it adds to 1
    share: np.ndarray  #: (..., n - 2) how much of each row lay on [CLS] and [SEP] and is not shown


@cache
def recorded_sentences() -> tuple[RecordedSentence, ...]:
    """All recorded sentences."""
    with np.load(FILE) as stored:
        return tuple(_sentence(stored, number) for number in range(len(stored["texts"])))


def recorded_layers(sentence: RecordedSentence) -> list[tuple[AttentionTrace, ...]]:
    """The sentence's heads as traces, layers of heads, for whatever shows one head.

    Queries, keys and values were not recorded. Scores that differ by one number along a row give the same
    weights, so ln(weight) stands for the score: the trace's softmax, and any mask on it, gives what the model
    would give. Queries and values are the identity, so the output is the row of weights itself. 0 has no
    logarithm, so a weight too small for the recording counts as a hundredth of the smallest one in it; a mask
    that leaves a row nothing else shows the rest as equal, which nobody has measured.
    """
    basis = np.eye(len(sentence.tokens))
    scores = np.log(np.maximum(sentence.weights, 0.01 / STEPS))
    return [tuple(trace_attention(basis, head.T, basis, scale=1) for head in heads) for heads in scores]


def hide_special(weights: np.ndarray) -> Hidden:
    """Weights (..., n, n) without the first and the last token, [CLS] and [SEP], renormalised.

    A row that had nothing else stays 0. Whoever shows this must say that the rows were renormalised.
    """
    left = weights[..., 1:-1, 1:-1]
    total = left.sum(axis=-1, keepdims=True)
    renormalised = np.divide(left, total, out=np.zeros_like(left), where=total > 0)
    return Hidden(renormalised, 1 - total[..., 0])


def named_cells(name: str, tokens: tuple[Token, ...]) -> list[tuple[int, int]]:
    """The (query, key) cells in which the named head shows what it is known for; [CLS] and [SEP] do not ask.

    parking: every word on [CLS]. it_to_cat: "it" on "cat". same_word: a word on the other places of itself;
    "the" is left out, because this head passes over it (another one, layer 0 head 8, does not).
    """
    labels = [token.label for token in tokens]
    words = range(1, len(tokens) - 1)
    belongs = {
        "previous_word": lambda query, key: key == query - 1 and key in words,
        "next_word": lambda query, key: key == query + 1 and key in words,
        "same_word": lambda query, key: key != query and labels[key] == labels[query] != "the",
        "parking": lambda query, key: key == 0,
        "it_to_cat": lambda query, key: (labels[query], labels[key]) == ("it", "cat"),
    }[name]
    return [(query, key) for query in words for key in range(len(tokens)) if belongs(query, key)]


def named_weight(name: str, sentence: RecordedSentence) -> float | None:
    """How much of its row a word gives to the named head's cells, on average; None where there are none."""
    cells = named_cells(name, sentence.tokens)
    if not cells:
        return None
    weights = sentence.weights[NAMED_HEADS[name]]
    return float(sum(weights[cell] for cell in cells) / len({query for query, _ in cells}))


def _sentence(stored, number: int) -> RecordedSentence:
    text = str(stored["texts"][number])
    tokens = tuple(
        Token(text[start:end] or str(label), int(start), int(end), str(label))
        for label, (start, end) in zip(stored[f"labels_{number}"], stored[f"spans_{number}"], strict=True)
    )
    weights = stored[f"weights_{number}"] / STEPS
    value_norms = stored[f"value_norms_{number}"].astype(np.float64)
    for array in weights, value_norms:
        array.setflags(write=False)
    return RecordedSentence(text, tokens, weights, value_norms)
