"""English and Korean are equals: the same sections with the same slots, each of them used."""

import ast
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attention_core import masks
from pages.ui import text

ROOT = Path(__file__).parent.parent
LESSONS = sorted(path.stem for path in (text.FOLDER / "en").glob("*.md"))
SOURCES = [ROOT / "app.py", *(ROOT / "pages").rglob("*.py")]
#: Core code that names reasons; the app words them as error_<reason>.
CORE = sorted([*(ROOT / "attention_core").glob("*.py"), *(ROOT / "attention_core" / "sentences").glob("*.py")])


def test_every_lesson_has_a_file_in_every_language():
    for language in text.LANGUAGES:
        assert sorted(path.stem for path in (text.FOLDER / language).glob("*.md")) == LESSONS


@pytest.mark.parametrize("lesson", LESSONS)
def test_both_languages_have_the_same_sections_and_slots(lesson):
    english, korean = (text.sections(language, lesson) for language in ("en", "ko"))
    assert english.keys() == korean.keys()
    for key in english:
        assert text.slots_of(english[key]) == text.slots_of(korean[key]), f"slots of {lesson}: {key}"
        english_braces, korean_braces = (sorted(re.findall(r"\{\w+\}", both[key])) for both in (english, korean))
        assert english_braces == korean_braces, f"braces of {lesson}: {key}"


@pytest.mark.parametrize("language", text.LANGUAGES)
@pytest.mark.parametrize("lesson", LESSONS)
def test_no_section_is_empty_or_stands_twice(language, lesson):
    source = (text.FOLDER / language / f"{lesson}.md").read_text(encoding="utf-8")
    keys = re.findall(r"^## (\S+)", source, flags=re.MULTILINE)
    assert len(keys) == len(set(keys))
    assert all(text.sections(language, lesson).values())


def test_korean_is_korean():
    """A section left in English would slip through the other tests. Symbols, names and code may stay."""
    for lesson in LESSONS:
        for key, section in text.sections("ko", lesson).items():
            same = section == text.sections("en", lesson)[key]
            if same and len(re.findall(r"[a-z]{3,}", section)) > 3:
                assert re.search("_(queries|keys)$|^formula$|^example_cat_toy$", key), (
                    f"{lesson}: {key} is still English"
                )


def names_in(source: str) -> tuple[set[str], list[re.Pattern]]:
    """What a program can ask for: its texts, and patterns for those it puts together."""
    plain, patterns = set(), []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            plain.add(node.value)
        if isinstance(node, ast.JoinedStr):
            parts = [re.escape(p.value) if isinstance(p, ast.Constant) else r"\w+" for p in node.values]
            if sum(len(p.value) for p in node.values if isinstance(p, ast.Constant)) >= 3:
                patterns.append(re.compile("".join(parts)))
        if isinstance(node, ast.Call):  # choice(lesson, key, "words", options): words_<option>
            for argument in node.args[1:4]:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    patterns.append(re.compile(re.escape(argument.value) + r"_\w+"))
    return plain, patterns


def unused(keys: set[str], sources: list[str]) -> set[str]:
    found = [names_in(source) for source in sources]
    plain = set().union(*(names for names, _ in found))
    patterns = [pattern for _, more in found for pattern in more]
    return {key for key in keys - plain if not any(pattern.fullmatch(key) for pattern in patterns)}


def test_every_section_is_used():
    # The exercises' sections are named by their data; test_exercises.py holds the two together.
    lessons = [lesson for lesson in LESSONS if not lesson.startswith("exercises")]
    keys = {key for lesson in lessons for key in text.sections("en", lesson)}
    assert not unused(keys, [path.read_text(encoding="utf-8") for path in SOURCES])


def test_one_is_no_plural():
    names = [text.words("en", "masks", "too_many_labels", given=4, count=count, dropped="D") for count in (1, 3)]
    assert names[0].startswith("4 names for 1 token:")
    assert names[1].startswith("4 names for 3 tokens:")
    assert text.words("ko", "masks", "too_many_labels", given=4, count=1, dropped="D").startswith("토큰은 1개")
    assert text.slots_of("[[count|token|tokens]] of [[name]]") == {"count", "name"}


def test_an_unused_section_is_noticed():
    source = 'lesson.say("question"); choice(lesson, key, "view", ("all", "one")); f"error_{reason}"'
    keys = {"question", "view_all", "error_overflow", "left_over"}
    assert unused(keys, [source]) == {"left_over"}


def reasons(source: str) -> set[str]:
    """The first argument of every InputError(...) in a program."""
    return {
        node.args[0].value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "InputError"
        and node.args
        and isinstance(node.args[0], ast.Constant)
    }


#: What only a programmer can cause: no widget, link or file leads there.
NOT_REACHED = {
    "unknown_decimal", "unknown_form", "comma_not_possible", "unknown_rule", "unknown_example", "unknown_side",
    "mask_not_boolean", "not_a_matrix", "not_a_list", "not_numbers", "softcap_not_positive",
    "unknown_scaling",
    "penalty_positive", "key_heads_differ", "no_heads", "query_rows_differ", "mask_heads",
    "sentence_length",
    "unknown_kind",
    "unknown_language",
}  # fmt: skip


def test_every_reason_a_visitor_can_meet_has_words():
    sources = [*(ROOT / "pages" / "ui").rglob("*.py"), *CORE]
    met = set().union(*(reasons(path.read_text(encoding="utf-8")) for path in sources)) - NOT_REACHED
    settings = [setting for rule in masks.RULES.values() for setting in rule.settings.values()]
    met |= {setting.reason for setting in settings if isinstance(setting, masks.Number)}
    worded = {key for lesson in LESSONS for key in text.sections("en", lesson)}
    assert not {reason for reason in met if f"error_{reason}" not in worded}


def unknown_labels(exercises: dict[str, str], labels: set[str], quoted_words: set[str]) -> list[tuple[str, str]]:
    """What questions and hints quote that is neither on a control or title nor a word of a sentence."""
    return [
        (key, quoted)
        for key, section in exercises.items()
        if key.endswith(("_question", "_hint"))
        for quoted in re.findall(r'"([^"\n]+)"', section)
        if quoted not in labels and quoted not in quoted_words
    ]


@pytest.mark.parametrize("language", text.LANGUAGES)
def test_every_label_that_an_exercise_quotes_is_on_screen(language):
    labels = {section for lesson in LESSONS for section in text.sections(language, lesson).values()}
    sentences = ["The cat sat on the mat because it was tired soft 그것 매트 cat"]
    words = {word for sentence in sentences for word in sentence.split()}
    reports = {"both changed", "나는 어제 친구와 공원에서 축구를 했다"}  # what an agent says; a sentence of the page
    assert unknown_labels(text.sections(language, "exercises"), labels, words | reports) == []


def test_a_button_of_another_name_is_noticed():
    assert unknown_labels({"5c_hint": 'Choose "painted by hand".'}, {"by hand"}, set()) == [
        ("5c_hint", "painted by hand")
    ]


@given(st.lists(st.text("aAx²¹³1⁽⁾⁰ß", max_size=4) | st.text(max_size=3), max_size=25))
@example(["a", "a", "a¹"])
@example(["x²", "x", "x"])
@example(["x", "x", "=", "x²"])
@example(["a¹", "a¹", "a¹⁽¹⁾", "a", "a"])
@example(["a"] * 11 + ["a¹", "a¹"])
def test_numbered_names_are_unique_and_a_second_time_the_same(labels):
    names = text.numbered(labels)
    assert len({name.casefold() for name in names}) == len(labels)
    assert text.numbered(names) == names
    assert all(name.startswith(label) for name, label in zip(names, labels, strict=True))
    if len({label.casefold() for label in labels}) == len(labels):
        assert names == labels


@pytest.mark.parametrize(
    "hidden",
    list(
        "\u3164\u2800\u00ad\u115f\u1160\u034f\uffa0\u17b4\u180e\u200b\u200d\u2062\ufe0f\ufeff"
        "\U0001d159\U00013441\U00016fe4\U000e0041\U000e0100"
    ),
)
def test_a_name_that_nobody_can_see_becomes_a_mark_that_can_be_seen(hidden):
    assert text.clean_label(hidden) == text.clean_label(hidden * 20) == "␣"
    assert text.clean_label(f"a{hidden}b") == "ab"


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("\u0301", "◌\u0301"),
        ("\U0001f3fd", "◌\U0001f3fd"),
        ("e\u0301", "é"),
        ("👨‍👩‍👧", "👨‍👩‍👧"),
        ("❤️", "❤️"),
        ("👍🏽", "👍🏽"),
    ],
)
def test_a_mark_stands_on_a_circle_and_what_holds_an_emoji_together_stays(typed, shown):
    assert text.clean_label(typed) == shown


def test_no_box_cuts_what_is_pasted_without_a_word():
    """Beyond max_chars the browser takes nothing and says nothing; the server cuts and says so."""
    assert [path.name for path in SOURCES if "max_chars" in path.read_text(encoding="utf-8")] == []
