"""Weights from a table that says which kind of word seeks which: hand-built, nothing learned.

Each token has one kind. Its key is that kind as a one-hot vector, its query is the kind's row of the table,
its value the kind again, so the output says how much of each kind a token has read. Two tokens of one kind
are the same to everyone, wherever they stand.
"""

import unicodedata
from collections.abc import Sequence

import numpy as np

from ..attention import AttentionTrace, trace_attention
from ..errors import InputError
from ..examples import example
from .grammar import GAPS
from .tokenise import PARTICLES

KINDS = ("animate", "thing", "verb", "function", "pronoun", "adjective")


def seek_table() -> np.ndarray:
    """(6, 6) how strongly each kind (row) seeks each kind (column): that of the example "cat_toy"."""
    toy = example("cat_toy")
    # Each kind occurs there, and its query is its row of the table.
    return np.array([toy.query[toy.key[:, kind].argmax()] for kind in range(len(KINDS))])


def sentence(kinds: Sequence[str], seeks, attn_mask=None, bias=None) -> list[tuple[AttentionTrace, ...]]:
    """One layer of one head: [(head,)], for the kind of each token and a (6, 6) table of who seeks whom."""
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise InputError("unknown_kind", f"each kind must be one of {KINDS}, got {unknown[0]!r}", kind=unknown[0])
    one_hot = np.eye(len(KINDS))[[KINDS.index(kind) for kind in kinds]].reshape(-1, len(KINDS))
    seeks = np.asarray(seeks)
    if seeks.shape != (len(KINDS), len(KINDS)):
        raise InputError("seek_table_shape", f"the table must be 6 x 6, got shape {seeks.shape}", shape=seeks.shape)
    return [(trace_attention(one_hot @ seeks, one_hot, one_hot, attn_mask, bias=bias),)]


def known_kind(label: str) -> str | None:
    """The kind of a token that is a word of the toy grammar, one listed here, or a common function word; else None."""
    is_mark = all(unicodedata.category(character).startswith("P") for character in label)
    return "function" if is_mark else _KIND_OF.get(label.casefold())


def guess_kind(label: str) -> str:
    """The kind of a token; "function" where nothing is known."""
    return known_kind(label) or "function"


_GAPS_OF = {
    "animate": ("animal", "man", "woman"),
    "thing": ("thing",),
    "verb": ("rested", "rested.", "stayed", "pushed", "helped", "was"),
    "adjective": ("tint", "fits_animal", "fits_thing", "fits_man", "fits_woman", "fits_either"),
}
_FUNCTION = (
    "a an the and or but if of in into to at by as on off up down out over with from for that than then so not no "
    "because since while when after before about near under beside behind very too quite really also only "
    "그 이 저 또 그리고 하지만 위 아래 옆 뒤 앞 매우 아주 무척 꽤 어제 오늘"
)
_PRONOUNS = (
    "it",
    "he",
    "she",
    "they",
    "him",
    "her",
    "them",
    "i",
    "you",
    "we",
    "그것",
    "그녀",
    "나",
    "너",
    "우리",
)
_KIND_OF = {
    word: kind
    for kind, gaps in _GAPS_OF.items()
    for language in GAPS.values()
    for gap in gaps
    for word in language.get(gap, ())
}
_KIND_OF = dict.fromkeys([*_FUNCTION.split(), *(f"##{particle}" for particle in PARTICLES)], "function") | _KIND_OF
_KIND_OF |= dict.fromkeys(_PRONOUNS, "pronoun") | {"잤는데": "verb", "보였다": "verb"}
# Words of sentences that the toy grammar cannot make.
_KIND_OF |= {
    word: kind
    for kind, found in {
        "animate": "민지 친구 친구와",
        "thing": "ai 사과 공원 공원에서 축구 축구를 신청 기한 지원 자격",
        "verb": "love 깎아서 주었다 했다 연장됐지만 그대로다",
        "pronoun": "나는",
    }.items()
    for word in found.split()
}
