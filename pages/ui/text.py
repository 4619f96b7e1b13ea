"""The words of the app: one Markdown file per lesson and language, ``## key`` sections, [[slots]] for values.

[[count|token|tokens]] is the value with the word that goes with it: 1 token, 2 tokens.
"""

import re
from collections import Counter
from functools import cache, partial
from pathlib import Path

LANGUAGES = {"en": "English", "ko": "한국어"}
FOLDER = Path(__file__).parent.parent / "text"
COMMON = "common"

_HIGH = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SLOT = re.compile(r"\[\[(\w+)(?:\|([^|\]]+)\|([^|\]]+))?\]\]")
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\ufeff\ufff9-\ufffb]")


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
    visible = _INVISIBLE.sub("", whole(label))
    visible = " ".join(visible.split()) or "␣"
    return visible if len(visible) <= longest else visible[: longest - 1] + "…"


def numbered(labels: list[str]) -> list[str]:
    """The labels, with its position on each that stands there more than once: the¹ … the⁵.

    Of choices with one and the same name Streamlit takes the last, whichever was chosen.
    """
    times = Counter(label.casefold() for label in labels)
    return [
        f"{label}{str(i).translate(_HIGH)}" if times[label.casefold()] > 1 else label
        for i, label in enumerate(labels, start=1)
    ]


def as_markdown(text: str) -> str:
    """A visitor's text as Markdown that shows it literally: no emphasis, link, formula, colour or emoji code."""
    escaped = re.sub(r"([\\`*_{}\[\]()#+\-.!|~<>$&\"'^=/])", r"\\\1", str(text))
    # A word joiner after the colon: :cat: would become an emoji even when escaped.
    return re.sub(r":(?=\S)", ":\u2060", escaped)
