"""Byte-pair encoding learned from one text, one merge at a time.

(Sennrich et al. 2016, section 3.2. Here the smallest piece is a grapheme, not a byte.)
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from .clean_text import clean, graphemes
from .tokenise import Tokenised, token, tokenised, word_spans


@dataclass(frozen=True)
class Merge:
    """One learned step: wherever ``left`` stands before ``right`` in a word, they become one piece."""

    left: str
    right: str
    count: int  #: how often the pair stood in the text when it was chosen


@lru_cache(maxsize=64)
def learn_merges(text: str, n_merges: int) -> tuple[Merge, ...]:
    """Up to ``n_merges`` merges, each of the pair that is then most frequent inside the words of the text.

    Of equally frequent pairs the shortest one is taken, and of those the first in the text. A pair that
    stands there only once is not worth a piece: then learning ends. A text is learned from once, and after a merge
    only the words that hold the pair are counted again.
    """
    source = clean(text)
    count_of = Counter(source.text[start:end] for start, end in word_spans(source.text))
    words = [graphemes(word) for word in count_of]
    times = list(count_of.values())
    totals, holders = Counter(), defaultdict(set)  # of each pair: how often it stands there, and in which words
    for i, pieces in enumerate(words):
        _tally(i, pieces, times[i], totals, holders)
    merges = []
    while len(merges) < n_merges and totals:
        most = max((count, -_length(pair)) for pair, count in totals.items())
        if most[0] < 2:
            break
        tied = (pair for pair, count in totals.items() if (count, -_length(pair)) == most)
        left, right = min(tied, key=lambda pair: _first_place(pair, words, holders))
        merges.append(Merge(left, right, most[0]))
        for i in sorted(holders[left, right]):
            _tally(i, words[i], -times[i], totals, holders)
            words[i] = _merge(words[i], left, right)
            _tally(i, words[i], times[i], totals, holders)
    return tuple(merges)


def _length(pair: tuple[str, str]) -> int:
    return len(pair[0]) + len(pair[1])


def _tally(i: int, pieces: list[str], times: int, totals: Counter, holders: dict[tuple[str, str], set[int]]) -> None:
    """Count word ``i`` into the totals, or with ``times`` below 0 out of them."""
    for pair, count in _count_pairs(pieces).items():
        totals[pair] += count * times
        if times > 0:
            holders[pair].add(i)
        else:
            holders[pair].discard(i)
        if not totals[pair]:
            del totals[pair]


def _first_place(pair: tuple[str, str], words: list[list[str]], holders: dict) -> tuple[int, int]:
    """The first word that holds the pair, and where in it."""
    first = min(holders[pair])
    return first, list(_count_pairs(words[first])).index(pair)


@lru_cache(maxsize=64)
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
