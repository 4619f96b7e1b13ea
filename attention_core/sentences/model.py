"""A small model that has learned which noun each word of a sentence is about.

Two layers. The free layer has two heads that were never told where to look; what they read is added to the
words. The pointer layer has one head, and its weights *are* the answer (a pointer network, Vinyals et al.
2015): they were trained to lie on the right noun. ``train`` made the weights from sentences of ``grammar``,
which is all the model knows. Positions are learned too; there are ``LONGEST`` of them.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from ..attention import AttentionTrace, trace_attention
from ..errors import InputError
from .grammar import LANGUAGES, UNKNOWN, vocabulary

LONGEST = 24  #: tokens in a sentence
WIDTH = 32  #: numbers that stand for a word
HEADS = 2  #: in the free layer
HEAD_WIDTH = WIDTH // HEADS


@cache
def load(language: str) -> dict[str, np.ndarray]:
    """The trained weights, read-only float64.

    word (vocabulary, 32), position (24, 32); of the free layer query, key, value, output (32, 32), whose
    columns 0-15 belong to head 0 and 16-31 to head 1 (in output, the rows); of the pointer layer point_query,
    point_key (32, 32).
    """
    if language not in LANGUAGES:
        raise InputError(
            "unknown_language", f"language must be one of {LANGUAGES}, got {language!r}", language=language
        )
    with np.load(weights_file(language)) as stored:
        weights = {name: stored[name].astype(np.float64) for name in stored.files}
    for array in weights.values():
        array.setflags(write=False)
    return weights


def weights_file(language: str) -> Path:
    """Where the trained weights of a language are stored, as float16."""
    return Path(__file__).with_name(f"trained_{language}.npz")


def numbers(words: Sequence[str], language: str) -> list[int]:
    """The row of each word in the vocabulary; 0 for a word that the model has never seen."""
    return [_numbering(language).get(word.casefold(), 0) for word in words]


def sentence(
    words: Sequence[str],
    language: str,
    attn_mask=None,
    *,
    free_layer: bool = True,
    positions: bool = True,
    weights: dict[str, np.ndarray] | None = None,
) -> list[tuple[AttentionTrace, ...]]:
    """Layers of heads for a sentence: [(free head 0, free head 1), (pointer,)].

    The pointer's value is what it reads, so its output is a mix of the words after the free layer.

    Parameters
    ----------
    words : 1 ... LONGEST labels of tokens, of ``tokenise.words`` (English) or ``tokenise.korean``
        An unknown one is read as [unk].
    attn_mask : (n, n) bool, optional
        True where a word may look at another, in both layers.
    free_layer : bool
        False leaves the free layer out: its tuple is empty, and the pointer reads the bare words.
    positions : bool
        False leaves the positions out: the words become a bag.
    weights : optional
        Others than the stored ones.
    """
    if not 1 <= len(words) <= LONGEST:
        raise InputError(
            "sentence_length",
            f"the model reads sentences of 1 to {LONGEST} tokens, got {len(words)}",
            length=len(words),
            longest=LONGEST,
        )
    weights = load(language) if weights is None else weights
    x = weights["word"][numbers(words, language)]
    if positions:
        x = x + weights["position"][: len(words)]
    heads = ()
    if free_layer:
        heads = tuple(
            trace_attention(
                *(x @ weights[name][:, head : head + HEAD_WIDTH] for name in ("query", "key", "value")),
                attn_mask,
            )
            for head in range(0, WIDTH, HEAD_WIDTH)
        )
        x = x + np.hstack([head.output for head in heads]) @ weights["output"]
    pointer = trace_attention(x @ weights["point_query"], x @ weights["point_key"], x, attn_mask)
    return [heads, (pointer,)]


@cache
def _numbering(language: str) -> dict[str, int]:
    return {word: number for number, word in enumerate(vocabulary(language)) if word != UNKNOWN}
