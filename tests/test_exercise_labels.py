"""Every label that an exercise quotes is on screen, in its language."""

import re

import pytest
from test_exercise_pages import PAGES
from visit import open_page

from pages.ui.exercises.by_lesson import EXERCISES
from pages.ui.text import LANGUAGES, sections

# Every label that an exercise quotes is on screen. English quotes labels and words of sentences alike; Korean has
# 'labels' and "words".

QUOTED = {"en": r"\"([^\"]+)\"", "ko": r"(?<![A-Za-z])'([^']+)'"}
SENTENCES = (
    *(sections("en", "common")[f"example_{name}_keys"] for name in ("cat_toy", "love")),
    "soft 그것 매트",
    "나는 어제 친구와 공원에서 축구를 했다",
)
SPOKEN = {word.casefold() for sentence in SENTENCES for word in sentence.split()}
#: Where a page has other controls with another source.
OTHER_STATES = {"sentences": ({"source": "kinds"}, {"source": "table"})}


def on_screen(at) -> set[str]:
    """What the controls of a page are called, and what can be chosen in them."""
    found = set()
    for element in at.main:
        proto = element.proto
        found |= {str(getattr(part, "label", "")) for part in (proto, getattr(proto, "expandable", None))}
        found |= {str(getattr(option, "content", option)) for option in getattr(proto, "options", ())}
    return {label.replace("**", "").removeprefix("✓ ") for label in found}


def unknown_labels(language: str, text: str, known: set[str]) -> list[str]:
    """What the text quotes as a label and no label says."""
    quoted = re.findall(QUOTED[language], text)
    if language == "en":
        quoted = [label for label in quoted if not {word.casefold() for word in label.split()} <= SPOKEN]
    return [label for label in quoted if label not in known]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("lesson", PAGES)
def test_every_label_that_an_exercise_quotes_is_on_its_page(lesson, language):
    texts = sections(language, "exercises")
    codes = tuple(f"{exercise.code}_" for exercise in EXERCISES[lesson])
    told = {key: text for key, text in texts.items() if key.startswith(codes) or not re.match(r"\d", key)}
    if not any(re.search(QUOTED[language], text) for text in told.values()):
        return
    shelf = {
        text for name in ("common", lesson) for key, text in sections(language, name).items()
        if re.fullmatch(r"(example|start)_[a-z_]+", key)
    }  # fmt: skip
    known = shelf | {texts["start"]}
    for link in ({}, *OTHER_STATES.get(lesson, ())):
        known |= on_screen(open_page(PAGES[lesson][0], lang=language, **link))
    wrong = {key: unknown for key, text in told.items() if (unknown := unknown_labels(language, text, known))}
    assert not wrong


def test_korean_double_quotes_hold_words_of_sentences():
    for key, text in sections("ko", "exercises").items():
        for quoted in re.findall(r"\"([^\"]+)\"", text):
            assert {word.casefold() for word in quoted.split()} <= SPOKEN, key


def test_a_label_that_is_not_there_would_be_noticed():
    known = {"by hand", "자기만"}
    assert unknown_labels("en", 'Choose "painted by hand", then "by hand" for "it".', known) == ["painted by hand"]
    assert unknown_labels("ko", "'자기 자신만' 마스크, '자기만' 마스크", known) == ["자기 자신만"]
