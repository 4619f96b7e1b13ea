"""A small grammar that makes sentences and knows, for each word, which noun it is about.

An article, an adjective and a preposition are about their noun, a verb about its subject, *it* about the
noun that the adjective at the end fits: "... because it was tired" the cat, "... because it was soft" the
mat. Some adjectives fit both nouns; then the answer is one half each. A word that is about no noun (because,
and, a comma) is about itself, and so is a noun.

A frame is a sentence with gaps. Each part reads ``what``, ``what=A`` (this is noun A), ``what>A`` (about noun
A) or ``what>?`` (about the noun that the clue fits); ``[...]`` may be left out. ``what`` is a gap if ``GAPS``
has that name, else the word itself. Korean particles are words of their own, written with ##. Of ``a/an`` and
``##이/가`` the spelling is taken that fits the sound beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .clean_text import has_final

LANGUAGES = ("en", "ko")
UNKNOWN = "[unk]"

# A word of "fits_animal" fits animals, and so on; those of "fits_either" fit animals and things.
GAPS = {
    "en": {
        "the": "the a/an",
        "animal": "cat dog horse bird rabbit kitten puppy cow sheep goat fox mouse bear pony lion",
        "thing": "mat sofa box rug bed chair bench blanket cushion pillow table basket shelf carpet stool",
        "man": "boy king uncle man father brother grandfather prince",
        "woman": "girl queen aunt woman mother sister grandmother princess",
        "tint": "big small old little white black brown grey",
        "rested": "sat lay slept rested stood waited jumped played",
        "stayed": "stood lay stayed remained leaned",
        "pushed": "pushed scratched found sniffed liked touched watched",
        "helped": "helped thanked visited called hugged saw met",
        "on": "on under near beside behind by",
        "because": "because since as",
        "was": "was looked seemed",
        "very": "very so quite really too",
        "fits_animal": "tired sleepy hungry thirsty lazy afraid angry happy sad lonely curious bored",
        "fits_thing": "soft flat wooden torn folded sturdy padded empty woollen square cheap washable",
        "fits_man": "kind brave polite late ill busy generous friendly",
        "fits_woman": "kind brave polite late ill busy generous friendly",
        "fits_either": "comfortable warm dirty wet pretty clean",
    },
    "ko": {
        "animal": "고양이 강아지 곰 말 토끼 여우 사자 호랑이 염소 양 새 참새 거북이 다람쥐 소",
        "thing": "매트 소파 상자 침대 의자 담요 방석 베개 책상 바구니 이불 쿠션 카펫 선반 벤치",
        "man": "소년 왕 삼촌 할아버지 왕자 아버지 형",
        "woman": "소녀 여왕 이모 할머니 공주 어머니 누나",
        "rested": "쉬었는데 졸았는데 놀았는데 기다렸는데 앉았는데",
        "rested.": "쉬었다 졸았다 놀았다 기다렸다 앉았다",
        "stayed": "있었는데 놓였는데 남았는데",
        "pushed": "밀었는데 찾았는데 보았는데 건드렸는데 긁었는데",
        "helped": "도왔는데 만났는데 불렀는데 안았는데",
        "on": "위 아래 옆 뒤 앞",
        "very": "매우 아주 무척 꽤",
        "fits_animal": "피곤해 졸려 배고파 목말라 심심해 행복해 슬퍼 외로워 불안해 즐거워 신나 화나",
        "fits_thing": "푹신해 딱딱해 납작해 낡아 두꺼워 얇아 넓어 단단해 매끄러워 비싸 반듯해 폭신해",
        "fits_man": "친절해 착해 용감해 바빠 다정해 아파 멋져 정직해",
        "fits_woman": "친절해 착해 용감해 바빠 다정해 아파 멋져 정직해",
        "fits_either": "편안해 깨끗해 따뜻해 커 작아 예뻐",
    },
}
GAPS = {language: {gap: tuple(words.split()) for gap, words in gaps.items()} for language, gaps in GAPS.items()}

_EN_IT = "because it>? was>? [very>?] clue>? [.]"
_KO_IT = ", 그것>? ##은/는>? [very>?] clue>? 보였다>? [.]"
_PEOPLE = (("man", "woman"), ("woman", "man"))
_SINGLE = ("animal", "thing", "man", "woman")
FRAMES = {
    "en": (
        f"the>A [tint>A] animal=A rested>A on>B the>B [tint>B] thing=B {_EN_IT}",
        f"the>A [tint>A] thing=A stayed>A on>B the>B [tint>B] animal=B {_EN_IT}",
        f"the>A [tint>A] animal=A pushed>A the>B [tint>B] thing=B {_EN_IT}",
        *(
            f"the>A [tint>A] {a}=A helped>A the>B [tint>B] {b}=B "
            f"because {pronoun}>{who} was>{who} [very>{who}] fits_{kind}>{who} [.]"
            for a, b in _PEOPLE
            for who, kind in (("A", a), ("B", b))
            for pronoun in ("he" if kind == "man" else "she",)
        ),
        *(f"the>A [tint>A] {a}=A was>A [very>A] fits_{a}>A [.]" for a in _SINGLE),
        "the>A [tint>A] animal=A rested>A and the>B man=B rested>B on>C the>C [tint>C] thing=C [.]",
        "the>A woman=A rested>A on>B the>B [tint>B] thing=B and the>C [tint>C] animal=C rested>C [.]",
    ),
    "ko": (
        f"[그>A] animal=A ##이/가>A thing=B on>B ##에서>B 잠=C ##을>C 잤는데>A {_KO_IT}",
        f"[그>A] animal=A ##이/가>A thing=B on>B ##에서>B rested>A {_KO_IT}",
        f"[그>A] thing=A ##이/가>A animal=B on>B ##에>B stayed>A {_KO_IT}",
        f"[그>A] animal=A ##이/가>A [그>B] thing=B ##을/를>B pushed>A {_KO_IT}",
        *(
            f"[그>A] {a}=A ##이/가>A [그>B] {b}=B ##을/를>B helped>A , "
            f"{pronoun}>{who} ##은/는>{who} [very>{who}] fits_{kind}>{who} 보였다>{who} [.]"
            for a, b in _PEOPLE
            for who, kind in (("A", a), ("B", b))
            for pronoun in ("그" if kind == "man" else "그녀",)
        ),
        *(f"[그>A] {a}=A ##은/는>A [very>A] fits_{a}>A 보였다>A [.]" for a in _SINGLE),
        "[그>A] animal=A ##은/는>A rested>A , man=B ##은/는>B thing=C on>C ##에서>C rested.>B [.]",
    ),
}


@dataclass(frozen=True)
class Part:
    """One place of a frame."""

    what: str  #: the name of a gap, or the word itself
    noun: str | None  #: its letter if it is a noun
    about: str | None  #: the letter of the noun it is about; "?" for the one the clue fits; None for itself
    optional: bool


@dataclass(frozen=True)
class Sentence:
    """Words, and for each of them which nouns it is about."""

    words: tuple[str, ...]
    about: tuple[tuple[int, ...], ...]  #: positions of the nouns; two where the clue fits both
    clue: int | None  #: the position of the adjective that tells, if there is one
    pronoun: int | None  #: the position of it, he, she, if there is one


def parts(frame: str) -> tuple[Part, ...]:
    """The places of a frame in order."""
    found = []
    for piece in frame.split():
        bare = piece.strip("[]")
        what, _, noun = bare.partition("=")
        what, _, about = what.partition(">")
        found.append(Part(what, noun or None, about or noun or None, piece != bare))
    return tuple(found)


def choices(part: Part, language: str) -> tuple[str, ...]:
    """The words that fit into a place; one, if it is no gap."""
    gaps = GAPS[language]
    if part.what == "clue":
        return gaps["fits_animal"] + gaps["fits_thing"] + gaps["fits_either"]
    return gaps.get(part.what, (part.what,))


def fill(frame: tuple[Part, ...], language: str, chosen: list[str | None]) -> Sentence:
    """The sentence with one chosen word for each place; None leaves an optional place out."""
    places = [(part, word) for part, word in zip(frame, chosen, strict=True) if word is not None]
    noun_at = {part.noun: (position, part.what) for position, (part, _) in enumerate(places) if part.noun}
    words, about, clue, pronoun = [], [], None, None
    for position, (part, word) in enumerate(places):
        if "/" in word:
            beside = words[-1] if word.startswith("##") else places[position + 1][1]
            word = _spelling(word, beside)
        words.append(word)
        if part.what == "clue" or part.what.startswith("fits_"):
            clue = position
        if part.what in _PRONOUNS and not part.optional:  # an optional 그 is the article
            pronoun = position
        about.append(() if part.about == "?" else (noun_at[part.about][0] if part.about else position,))
    if () in about:
        fits = tuple(at for at, kind in noun_at.values() if words[clue] in _fitting(kind, language))
        about = [nouns or fits for nouns in about]
    return Sentence(tuple(words), tuple(about), clue, pronoun)


def read_frame(frame: tuple[Part, ...], language: str, words: Sequence[str]) -> list[str | None] | None:
    """What ``fill`` needs to make these words of this frame: a choice for each part; None if it cannot make them."""
    if not frame:
        return None if words else []
    part, rest = frame[0], frame[1:]
    if words:
        for option in choices(part, language):
            if words[0].casefold() in _spellings(option):
                chosen = read_frame(rest, language, words[1:])
                if chosen is not None:
                    return [option, *chosen]
    chosen = read_frame(rest, language, words) if part.optional else None
    return None if chosen is None else [None, *chosen]


def generate(language: str, rng: "np.random.Generator", held_out: bool = False) -> Sentence:
    """A random sentence.

    With ``held_out`` one with a pronoun whose noun and clue never stand together in training; without it one
    that may be trained on.
    """
    while True:
        frame = _PARSED[language][rng.integers(len(FRAMES[language]))]
        chosen = []
        for part in frame:
            options = choices(part, language)
            if part.what == "clue":  # most clues tell the nouns apart
                group = ("fits_animal", "fits_thing", "fits_either")[rng.choice(3, p=(0.45, 0.45, 0.1))]
                options = GAPS[language][group]
            left_out = part.optional and rng.random() < 0.5
            chosen.append(None if left_out else options[rng.integers(len(options))])
        sentence = fill(frame, language, chosen)
        if is_held_out(sentence, language) == held_out and not (held_out and sentence.pronoun is None):
            return sentence


def is_held_out(sentence: Sentence, language: str) -> bool:
    """Whether its clue and the noun that it is about are one of the pairs that are kept from training.

    One pair in eight is, and with them cat + tired, mat + soft and their Korean twins.
    """
    if sentence.clue is None or len(sentence.about[sentence.clue]) > 1:
        return False
    noun, clue = sentence.words[sentence.about[sentence.clue][0]], sentence.words[sentence.clue]
    if (noun, clue) in _SHOWN:
        return True
    return (_NUMBER[language][noun] + 3 * _NUMBER[language][clue]) % 8 == 0


def vocabulary(language: str) -> tuple[str, ...]:
    """All words of the language's sentences in a fixed order; the first one stands for any other word."""
    words = {word for frame in _PARSED[language] for part in frame for word in choices(part, language)}
    spelled = {spelling for word in words for spelling in _spellings(word)}
    return (UNKNOWN, *sorted(spelled))


def as_text(words: tuple[str, ...], language: str) -> str:
    """The sentence as one would type it."""
    text = " ".join(words).replace(" ##", "").replace(" ,", ",").replace(" .", ".")
    return text[0].upper() + text[1:] if language == "en" else text


def _fitting(kind: str, language: str) -> tuple[str, ...]:
    either = GAPS[language]["fits_either"] if kind in ("animal", "thing") else ()
    return GAPS[language].get(f"fits_{kind}", ()) + either


def _spellings(word: str) -> tuple[str, ...]:
    mark = "##" if word.startswith("##") else ""
    return tuple(mark + spelling for spelling in word.removeprefix("##").split("/"))


def _spelling(word: str, beside: str) -> str:
    """이 follows a consonant and 가 a vowel; an stands before a vowel and a before a consonant."""
    first, second = _spellings(word)
    if word.startswith("##"):
        return first if has_final(beside[-1]) else second
    return second if beside[0] in "aeiou" else first


_PARSED = {language: tuple(map(parts, frames)) for language, frames in FRAMES.items()}
_NUMBER = {language: {word: i for i, word in enumerate(vocabulary(language))} for language in LANGUAGES}
_PRONOUNS = ("it", "he", "she", "그것", "그녀", "그")
_SHOWN = (("cat", "tired"), ("mat", "soft"), ("고양이", "피곤해"), ("매트", "푹신해"))
