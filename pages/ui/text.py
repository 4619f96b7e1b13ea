"""The words of the app: one Markdown file per lesson and language, ``## key`` sections, [[slots]] for values.

[[count|token|tokens]] is the value with the word that goes with it: 1 token, 2 tokens.
"""

import re
import unicodedata
from collections import Counter
from functools import cache, partial
from pathlib import Path

from attention_core.sentences.clean_text import on_its_own, visible

LANGUAGES = {"en": "English", "ko": "한국어"}
FOLDER = Path(__file__).parent.parent / "text"
COMMON = "common"

_HIGH = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SLOT = re.compile(r"\[\[(\w+)(?:\|([^|\]]+)\|([^|\]]+))?\]\]")


@cache
def sections(language: str, lesson: str) -> dict[str, str]:
    """Every ``## key`` section of one file, by key."""
    source = (FOLDER / language / f"{lesson}.md").read_text(encoding="utf-8")
    parts = re.split(r"^## (\S+)[ ]*$", source, flags=re.MULTILINE)
    return {key: body.strip() for key, body in zip(parts[1::2], parts[2::2], strict=True)}


def words(language: str, lesson: str, key: str, /, **slots) -> str:
    """One section with its slots filled in; what a lesson does not have is looked up in the common file."""
    own = sections(language, lesson)
    template = own[key] if key in own else sections(language, COMMON)[key]
    return _SLOT.sub(partial(_filled, slots), template)


def _filled(slots: dict, slot: re.Match) -> str:
    value, one, many = str(slots[slot[1]]), slot[2], slot[3]
    return f"{value} {one if value == '1' else many}" if many else value


def slots_of(section: str) -> set[str]:
    return {slot[1] for slot in _SLOT.finditer(section)}


def whole(text: str) -> str:
    """The text with half characters (lone surrogates, from a broken file) replaced: nothing can send them on."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def clean_label(label: str, longest: int = 16) -> str:
    """A visitor's text as a label: no invisible or broken characters, never empty, cut with … when long."""
    seen = visible(unicodedata.normalize("NFC", whole(label)))
    seen = on_its_own(" ".join(seen.split()) or "␣")
    return seen if len(seen) <= longest else seen[: longest - 1] + "…"


def numbered(labels: list[str]) -> list[str]:
    """The labels, with its position on each that stands there more than once: the¹ … the⁵. No two names are alike.

    Of choices with one and the same name Streamlit takes the last, whichever was chosen.
    """
    times = Counter(label.casefold() for label in labels)
    repeated = {label for label, count in times.items() if count > 1}
    while True:
        names = [
            _with_position(label, i) if label.casefold() in repeated else label for i, label in enumerate(labels, 1)
        ]
        times = Counter(name.casefold() for name in names)
        alike = {label.casefold() for label, name in zip(labels, names, strict=True) if times[name.casefold()] > 1}
        if alike <= repeated:
            return names
        repeated |= alike  # somebody's token is called the¹


def _with_position(label: str, position: int) -> str:
    raised = str(position).translate(_HIGH)
    return f"{label}⁽{raised}⁾" if label.endswith(tuple("⁰¹²³⁴⁵⁶⁷⁸⁹")) else label + raised


def as_markdown(text: str) -> str:
    """A visitor's text as Markdown that shows it literally: no emphasis, link, formula, colour or emoji code."""
    escaped = re.sub(r"([\\`*_{}\[\]()#+\-.!|~<>$&\"'^=/])", r"\\\1", str(text))
    # A word joiner after the colon: :cat: would become an emoji even when escaped.
    return re.sub(r":(?=\S)", ":\u2060", escaped)
