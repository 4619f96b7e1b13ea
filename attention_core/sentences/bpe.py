"""Byte-pair encoding learned from the visitor's own text, one merge at a time.

(Sennrich et al. 2016, section 3.2. Here the smallest piece is a character as a reader sees it, not a byte.)
"""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from .clean_text import clean, graphemes
from .tokenise import Tokenised, token, tokenised, word_spans


@dataclass(frozen=True)
class Merge:
    """One learned step: wherever ``left`` stands before ``right`` in a word, they become one piece."""

    left: str
    right: str
    count: int  #: how often the pair stood in the text when it was chosen


def learn_merges(text: str, n_merges: int) -> tuple[Merge, ...]:
    """Up to ``n_merges`` merges, each of the pair that is then most frequent inside the words of the text.

    Of equally frequent pairs the shortest one is taken, and of those the first in the text. A pair that
    stands there only once is not worth a piece: then learning ends.
    """
    source = clean(text)
    count_of = Counter(source.text[start:end] for start, end in word_spans(source.text))
    pieces_of = {word: graphemes(word) for word in count_of}
    merges = []
    while len(merges) < n_merges:
        pairs = Counter()
        for word, pieces in pieces_of.items():
            for pair, times in _count_pairs(pieces).items():
                pairs[pair] += times * count_of[word]
        if not pairs:
            break
        (left, right), count = max(pairs.items(), key=lambda item: (item[1], -len("".join(item[0]))))
        if count < 2:
            break
        merges.append(Merge(left, right, count))
        pieces_of = {word: _merge(pieces, left, right) for word, pieces in pieces_of.items()}
    return tuple(merges)


def bpe(text: str, merges: tuple[Merge, ...]) -> Tokenised:
    """The words of the text in pieces: characters, joined by the merges in the order they were learned.

    ``merges[:k]`` shows the text after k steps.
    """
    source = clean(text)
    spans = word_spans(source.text)
    pieces_of = {}
    for word in dict.fromkeys(source.text[start:end] for start, end in spans):
        pieces = graphemes(word)
        for merge in merges:
            pieces = _merge(pieces, merge.left, merge.right)
        pieces_of[word] = pieces
    tokens = []
    for start, end in spans:
        place = start
        for piece in pieces_of[source.text[start:end]]:
            tokens.append(token(source.text, place, place + len(piece), continues=place > start))
            place += len(piece)
    return tokenised(source, tokens)


def _count_pairs(pieces: list[str]) -> Counter:
    """How often each pair could be merged: in a a a, the pair a a only once."""
    pairs = Counter()
    previous = None
    for pair in pairwise(pieces):
        if pair == previous:
            previous = None  # its left half is already taken
        else:
            pairs[pair] += 1
            previous = pair
    return pairs


def _merge(pieces: list[str], left: str, right: str) -> list[str]:
    if left not in pieces:
        return pieces
    merged, place = [], 0
    while place < len(pieces):
        if pieces[place] == left and pieces[place + 1 : place + 2] == [right]:
            merged.append(left + right)
            place += 2
        else:
            merged.append(pieces[place])
            place += 1
    return merged
