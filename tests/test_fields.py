"""A limit stands in one place: a link, a file and a control say the same of the same number."""

import json

import pytest
from streamlit.testing.v1 import AppTest
from visit import PAGE_OF, number_box, open_page, run

from pages.ui.lessons.home import PAGE as HOME
from pages.ui.state.fields import Choice, Flag, Number, Whole
from pages.ui.state.matrices import SEEN
from pages.ui.state.settings import read
from pages.ui.text import words

PAGES = {"app": HOME, **PAGE_OF}
NUMBERS = [(file, field) for file, page in PAGE_OF.items() for field in page.fields if isinstance(field.kind, Number)]
#: Where the control of a number is shown, when the page as it opens does not show it.
SHOWN_BY = {
    "left": {"rule": "window"}, "right": {"rule": "window"}, "length": {"rule": "padding"}, "step": {"rule": "dilated"},
    "second_left": {"rule": "causal", "combine": "and", "second": "window"},
    "second_right": {"rule": "causal", "combine": "and", "second": "window"},
    "second_length": {"rule": "causal", "combine": "and", "second": "padding"},
    "second_step": {"rule": "causal", "combine": "and", "second": "dilated"},
    "own_scale": {"scaling": "own"}, "slope": {"bias": "distance"}, "heads": {"bias": "alibi"},
    "head": {"bias": "alibi"}, "softcap": {"capped": "1"}, "q1": {"walk": "free"}, "q2": {"walk": "free"},
}  # fmt: skip


def edges(kind: Number) -> list[str]:
    """Texts below, at and above the limits."""
    step = 1 if isinstance(kind, Whole) else max(abs(kind.low), abs(kind.high), 1) * 1e-6
    return [kind.write(number) for number in (kind.low - step, kind.low, kind.high, kind.high + step)]


def refused(page, link: dict[str, str], name: str) -> bool:
    _, problems = read(page, lambda key: words("en", page.name, key), link)
    return name in {named for named, _ in problems}


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("file", PAGES)
def test_every_field_and_every_choice_has_words(file, language):
    page = PAGES[file]
    for field in page.fields:
        if field.name not in SEEN:
            assert words(language, page.name, field.label or field.name)
        if isinstance(field.kind, Choice) and field.kind.words:
            assert all(words(language, page.name, f"{field.kind.words}_{code}") for code in field.kind.codes)


@pytest.mark.parametrize("file", PAGES)
def test_every_first_value_can_be_read_from_its_own_text(file):
    for field in PAGES[file].fields:
        if field.first is not None:
            assert field.read(field.write(field.first)) == field.first


@pytest.mark.parametrize(("file", "field"), NUMBERS, ids=lambda each: getattr(each, "name", each))
def test_below_and_above_its_limits_a_number_is_refused_and_at_them_it_is_read(file, field):
    below, low, high, above = edges(field.kind)
    assert refused(PAGE_OF[file], {field.name: below}, field.name)
    assert refused(PAGE_OF[file], {field.name: above}, field.name)
    if field.kind.low:  # where the lowest number is 0, something else may need more
        field.read(low)
    field.read(high)


def test_a_file_says_what_a_link_says():
    for file, field in NUMBERS:
        link = {field.name: edges(field.kind)[3]}

        def script(page, content, name):
            from importlib import import_module

            from pages.ui.state.settings import take_file

            page = import_module(f"pages.ui.lessons.{page}").PAGE
            problems = take_file(page, lambda key: "tired" if key == "opens_with" else "", content)
            assert name in {named for named, _ in problems}

        if PAGE_OF[file].name == "cost":
            continue  # it opens with another sentence; its fields are read as all others
        content = json.dumps({"attention_lab": PAGE_OF[file].name} | link).encode()
        done = AppTest.from_function(script, args=(PAGE_OF[file].name, content, field.name)).run()
        assert not done.exception, (file, field.name)


def test_a_control_says_what_a_link_says(full):
    """Of one number a page at least; in the full mode of all, at each edge."""
    seen = set()
    for file, field in NUMBERS:
        page = PAGE_OF[file]
        shown = SHOWN_BY.get(field.name, {})
        if set(shown) - {each.name for each in page.fields} or (not full and page.name in seen):
            continue
        at = open_page(file, **shown)
        key = page.key(field.name)
        if key not in at.session_state["typed"] if "typed" in at.session_state else True:
            continue  # a slider or a row of buttons: it offers nothing else
        seen.add(page.name)
        for text in edges(field.kind) if full else edges(field.kind)[3:]:
            at = open_page(file, **shown)
            number_box(at, key).set_value(text)
            warned = bool(run(at).warning)
            linked = open_page(file, **shown, **{field.name: text})
            assert warned == any(f"(`{field.name}`)" in box.value for box in linked.warning), (key, text)
    assert len(seen) >= 6


def test_flags_are_0_and_1():
    assert [Flag().read(text) for text in "01"] == [False, True]
