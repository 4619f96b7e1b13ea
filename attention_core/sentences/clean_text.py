"""The text as it is cut into tokens: normalised, without what nobody can see, one grapheme at a time.

A grapheme is what is read as one character: é with its accent, a flag, a family emoji. The rules are
those of Unicode annex 29 as far as they are needed here; no table of character properties is shipped.
"""

import re
import unicodedata
from dataclasses import dataclass
from itertools import accumulate

READ_AT_MOST = 10_000  #: characters of a text that are read
_DECOMPOSED = 4  # no character takes more than four code points to write out in NFD


@dataclass(frozen=True)
class CleanText:
    """A text ready to be cut, and what was done to it. The spans of tokens count characters of ``text``."""

    text: str  #: NFC-normalised, nothing invisible in it, no white space around it
    invisible: int  #: how many invisible characters were taken out
    surrogates: int  #: how many halves of a broken character became U+FFFD
    unread: int  #: how many characters at the end were not read


def clean(text: str) -> CleanText:
    """Read up to ``READ_AT_MOST`` characters of a text.

    Lone surrogates become U+FFFD. Then the text is NFC-normalised, so that é is the same however it was typed
    (UAX 15). Zero-width characters, soft hyphens and control characters are taken out; joiners and variation
    selectors stay where they hold an emoji together.
    """
    readable = text[: _DECOMPOSED * READ_AT_MOST]
    unread = len(text) - len(readable)
    whole, surrogates = _SURROGATE.subn("\ufffd", readable)
    normal = unicodedata.normalize("NFC", whole)
    seen = visible(normal)
    clean = unicodedata.normalize("NFC", seen).strip()  # what an invisible one kept apart may now compose
    cut = clean[:READ_AT_MOST]
    if len(clean) > READ_AT_MOST:  # no grapheme is cut in two
        near = graphemes(clean[READ_AT_MOST - 100 : READ_AT_MOST + 100])
        ends = [READ_AT_MOST - 100 + end for end in accumulate(map(len, near))]
        cut = clean[: max([end for end in ends if end <= READ_AT_MOST], default=READ_AT_MOST)]
    unread += len(clean) - len(cut)
    return CleanText(cut.rstrip(), len(normal) - len(seen), surrogates, unread)


def visible(text: str) -> str:
    """The text without what nobody can see, but for what holds an emoji together."""
    return _EMOJI_OR_INVISIBLE.sub(lambda found: found["emoji"] or "", text)


def graphemes(text: str) -> list[str]:
    """The graphemes of a text; white space stays a piece of its own."""
    pieces: list[str] = []
    for character in text:
        if pieces and _joins(pieces[-1], character):
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces


def is_mark(character: str) -> bool:
    """Whether the character is drawn onto the one before it: an accent, a vowel sign, a square, a skin tone."""
    return unicodedata.category(character)[0] == "M" or "\U0001f3fb" <= character <= "\U0001f3ff"


def on_its_own(label: str) -> str:
    """A label that can be seen wherever it stands: a mark at its beginning gets a circle to stand on."""
    return f"◌{label}" if is_mark(label[0]) else label


def _joins(piece: str, character: str) -> bool:
    if character.isascii() or piece.isspace():
        return False
    if is_mark(character) or _EXTENDS.match(character) or piece[-1] == _JOINER:
        return True
    if _FLAG_LETTER.match(character):
        return bool(_FLAG_LETTER.fullmatch(piece))
    return _hangul(piece[-1]) + _hangul(character) in _SYLLABLE


def _hangul(character: str) -> str:
    """L, V, T for a leading, vowel, trailing letter; S for a syllable, W for one with a final consonant."""
    if "가" <= character <= "힣":
        return "W" if has_final(character) else "S"
    return next((letter for letter, pattern in _JAMO.items() if pattern.match(character)), "")


def has_final(syllable: str) -> bool:
    """Whether a Korean syllable (가 ... 힣) ends in a consonant."""
    return final_consonant(syllable) > 0


def final_consonant(syllable: str) -> int:
    """The number of a Korean syllable's final consonant, 0 for none; 8 is ㄹ (Unicode 3.12)."""
    return (ord(syllable) - ord("가")) % 28


_SURROGATE = re.compile("[\ud800-\udfff]")
_JOINER = "\u200d"
_EXTENDS = re.compile("[\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")  # joiner, skin tones, flag tags
_FLAG_LETTER = re.compile("[\U0001f1e6-\U0001f1ff]")
_JAMO = {
    "L": re.compile("[\u1100-\u115e\ua960-\ua97c]"),
    "V": re.compile("[\u1161-\u11a7\ud7b0-\ud7c6]"),
    "T": re.compile("[\u11a8-\u11ff\ud7cb-\ud7fb]"),
}
_SYLLABLE = {"LL", "LV", "LS", "LW", "SV", "ST", "VV", "VT", "WT", "TT"}

# Unicode's Default_Ignorable_Code_Point, control characters that are no white space, the marks of ruby text, and
# what is drawn as nothing: the blank Braille cell, fillers, blanks among hieroglyphs and what only arranges them.
_INVISIBLE = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U00013430-\U0001343f\U00013441\U00013442\U00016fe4\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_PICTURE = (
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_DRAWN = f"{_PICTURE}\ufe0f?[\U0001f3fb-\U0001f3ff]?\ufe0f?\u20e3?(?:[\U000e0020-\U000e007e]+\U000e007f)?"
_EMOJI_OR_INVISIBLE = re.compile(f"(?P<emoji>{_DRAWN}(?:{_JOINER}{_DRAWN})*|[0-9#*]\ufe0f?\u20e3)|[{_INVISIBLE}]+")
