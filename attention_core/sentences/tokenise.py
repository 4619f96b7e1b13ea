"""Ways to cut a text into tokens. Each takes any text whatever and gives tokens, or none.

The rules of ``words``, which ``korean`` and ``bpe`` build on:

* A word is a run of letters, digits and underscores. Marks belong to the letter before them.
* An apostrophe between two letters, straight or curly, belongs to the word: don't is one token.
* A comma or a full stop between two digits belongs to the number: 1,000.5 is one token.
* Every other visible character is a token of its own: punctuation, the Korean dots ㆍ and ·, an emoji.
* [SEP], <s> and the like are plain text here: brackets, and the word between them.
* White space is no token. Scripts without spaces (Chinese, Thai) stay in one piece between punctuation.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from .clean_text import CleanText, clean, final_consonant, graphemes, on_its_own

DRAW_AT_MOST = 64  #: tokens of a text that are taken
LABEL_AT_MOST = 16  #: characters of a token that are written beside a picture


@dataclass(frozen=True)
class Token:
    """One token and where it stands: ``text`` is the characters ``start`` ... ``end`` of the cleaned text.

    (Of a byte, ``text`` is its two hexadecimal digits and the span is that of its character.) Two tokens of
    the same text are two tokens: their positions in the list tell them apart.
    """

    text: str
    start: int
    end: int
    label: str  #: what to write on an axis: visible, short, ## before a piece that continues a word


@dataclass(frozen=True)
class Tokenised:
    """The tokens of a text, and what was left out."""

    source: CleanText
    tokens: tuple[Token, ...]  #: the first DRAW_AT_MOST
    cut: int  #: how many tokens came after them


def words(text: str) -> Tokenised:
    """Words, numbers and punctuation marks, by the rules at the head of this file."""
    source = clean(text)
    return tokenised(source, (token(source.text, *span) for span in word_spans(source.text)))


def korean(text: str) -> Tokenised:
    """Words, with Korean particles cut off by a rough rule.

    A word is cut if it ends like a particle that fits the sound before it (이 follows a consonant, 가 a
    vowel) and is not one of a few everyday words that only look so. There is no dictionary: some cuts are
    wrong.
    """
    source = clean(text)
    tokens = []
    for start, end in word_spans(source.text):
        stem = end - _particle_length(source.text[start:end])
        tokens.append(token(source.text, start, stem))
        if stem < end:
            tokens.append(token(source.text, stem, end, continues=True))
    return tokenised(source, tokens)


def characters(text: str) -> Tokenised:
    """One token for each grapheme, what is read as one character; a space is one too."""
    source = clean(text)
    return tokenised(source, (token(source.text, *span) for span in _spans(graphemes(source.text))))


def utf8_bytes(text: str) -> Tokenised:
    """One token for each byte of the text in UTF-8, written as two hexadecimal digits."""
    source = clean(text)
    return tokenised(
        source,
        (
            Token(f"{byte:02X}", position, position + 1, f"{byte:02X}")
            for position, character in enumerate(source.text)
            for byte in character.encode()
        ),
    )


def word_spans(text: str) -> list[tuple[int, int]]:
    """(start, end) of each word, number and mark of a cleaned text."""
    pieces = graphemes(text)
    places = [start for start, _ in _spans(pieces)] + [len(text)]
    # One letter for each grapheme says what it is, so that the rules are one short pattern.
    sketch = "".join(map(_sketch, pieces))
    return [(places[found.start()], places[found.end()]) for found in _WORD_OR_MARK.finditer(sketch)]


def token(text: str, start: int, end: int, continues: bool = False) -> Token:
    """The token of a span of a cleaned text; ``continues`` if it goes on with the word before it."""
    piece = text[start:end]
    label = _WHITE.get(piece, "␣") if piece.isspace() else piece
    label = on_its_own(label)
    if len(label) > LABEL_AT_MOST:
        label = label[: LABEL_AT_MOST - 1] + "…"
    return Token(piece, start, end, "##" + label if continues else label)


def tokenised(source: CleanText, tokens: Iterable[Token]) -> Tokenised:
    """The first ``DRAW_AT_MOST`` tokens, and how many came after them."""
    tokens = tuple(tokens)
    return Tokenised(source, tokens[:DRAW_AT_MOST], max(0, len(tokens) - DRAW_AT_MOST))


def _spans(pieces: list[str]) -> Iterable[tuple[int, int]]:
    end = 0
    for piece in pieces:
        start, end = end, end + len(piece)
        yield start, end


def _sketch(grapheme: str) -> str:
    """a letter, 0 digit, ' apostrophe, . comma or full stop, blank, or x for anything else."""
    if grapheme.isspace():
        return " "
    if grapheme in _PLAIN:
        return _PLAIN[grapheme]
    if "\ufe0f" in grapheme or "\u20e3" in grapheme:  # a keycap: a picture, not the digit in it
        return "x"
    return {"L": "a", "M": "a", "N": "0"}.get(unicodedata.category(grapheme[0])[0], "x")


def _particle_length(word: str) -> int:
    if word in _NO_PARTICLE or word.endswith(_VERB_ENDINGS):
        return 0
    for particle in PARTICLES:
        stem = word[: -len(particle)]
        if stem and word.endswith(particle) and _fits(stem[-1], particle):
            return len(particle)
    return 0


def _fits(sound: str, particle: str) -> bool:
    if not "가" <= sound <= "힣":
        return sound.isalnum()  # a Latin word or a number: how it sounds is not known
    final = final_consonant(sound)
    if particle in _AFTER_CONSONANT:
        return final > 0
    if particle in ("로", "로는"):
        return final in (0, _RIEUL)
    return particle not in _AFTER_VOWEL or final == 0


_WORD_OR_MARK = re.compile("(?:[a0]|(?<=a)'(?=a)|(?<=0)[.](?=0))+|[^ ]")
_PLAIN = dict.fromkeys("'’‘＇", "'") | dict.fromkeys("ㆍ\u119e", "x") | {".": ".", ",": ".", "_": "a"}
_WHITE = {"\n": "↵", "\t": "⇥"}

_RIEUL = 8
_AFTER_CONSONANT = ("은", "이", "을", "과", "으로", "으로는")
_AFTER_VOWEL = ("는", "가", "를", "와")
PARTICLES = (
    *("에게서", "에서는", "에서도", "으로는"),
    *("에서", "에게", "에는", "에도", "한테", "께서", "으로", "로는", "까지", "부터", "처럼", "보다"),
    *("은", "는", "이", "가", "을", "를", "과", "와", "로", "에", "의", "도", "만"),
)  # longer ones first
_VERB_ENDINGS = ("하는", "되는", "지만", "면서도", "더라도", "어도", "아도", "해도")
_NO_PARTICLE = frozenset(
    [
        "고양이",
        "어린이",
        "호랑이",
        "원숭이",
        "거북이",
        "달팽이",
        "종이",
        "많이",
        "높이",
        "깊이",
        "같이",
        "굳이",
        "깨끗이",
        "좋은",
        "작은",
        "많은",
        "높은",
        "깊은",
        "낮은",
        "젊은",
        "늙은",
        "같은",
        "넓은",
        "좁은",
        "짧은",
        "밝은",
        "검은",
        "붉은",
        "가는",
        "오는",
        "보는",
        "자는",
        "그대로",
        "바로",
        "서로",
        "새로",
        "스스로",
        "지도",
        "파도",
        "온도",
        "속도",
        "포도",
        "정도",
        "제도",
        "태도",
        "회의",
        "주의",
        "강의",
        "정의",
        "동의",
        "거의",
        "결과",
        "평가",
        "화가",
        "휴가",
        "이나마",
        "하나만",
        "왜냐하면",
    ]
)
