"""A visitor under AppTest: opens a page by a link, runs it, reads what it shows."""

import json
import re
from importlib import import_module
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from streamlit.testing.v1 import AppTest

from pages.ui.state.settings import Page

ROOT = Path(__file__).resolve().parent.parent
LESSONS = [import_module(f"pages.ui.lessons.{path.stem}") for path in (ROOT / "pages/ui/lessons").glob("*.py")]
PAGES = {lesson.PAGE.name: lesson.PAGE for lesson in LESSONS if hasattr(lesson, "PAGE")}
#: By its file, what can be set on a page.
PAGE_OF: dict[str, Page] = {path.stem: PAGES[path.stem[3:]] for path in sorted((ROOT / "pages").glob("[0-9]*.py"))}
APP = str(ROOT / "app.py")


def open_page(file: str, **link) -> AppTest:
    """The page as a new visitor sees it who came with this link; in English unless it says otherwise."""
    at = AppTest.from_file(APP, default_timeout=60)
    at.switch_page(f"pages/{file}.py")
    for name, value in {"lang": "en", **link}.items():
        at.query_params[name] = str(value)
    return run(at)


def run(at: AppTest) -> AppTest:
    at.run()
    assert not at.exception, at.exception[0].message
    return at


def pictures(at: AppTest) -> dict[str, dict]:
    """What each picture is drawn from, by its name."""
    found = {}
    for element in at.main:
        if element.type == "bidi_component" and element.proto.component_name.endswith("picture"):
            data = json.loads(element.proto.json)
            name = re.fullmatch(r"attention-(?:(?:cost|limits|scaling)-)?(\w+)", data["words"]["file"])[1]
            found[name] = data | {"figure": json.loads(data["figure"])}
    return found


def number_box(at: AppTest, key: str):
    """The box for a number; its value is the text in it. When something else changes the number its key is new."""
    return at.text_input(key=f"{key}_box_{at.session_state['typed'][key]['box']}")


def made_link(at: AppTest) -> dict[str, str]:
    """The fields of the link that the page has just made, without its check."""
    fields = dict(parse_qsl(urlsplit(at.code[-1].value).query, keep_blank_values=True))
    return {name: text for name, text in fields.items() if name != "check"}


def address(at: AppTest) -> dict[str, str]:
    """What the page tells the browser to have in its address bar: the page, and the query of its link."""
    (told,) = (
        json.loads(element.proto.json)
        for element in at.main
        if element.type == "bidi_component" and element.proto.component_name.endswith("address")
    )
    return told


def linked(at: AppTest) -> dict[str, str]:
    """The value of the page as its link says it, without language and check."""
    fields = dict(parse_qsl(address(at)["query"], keep_blank_values=True))
    return {name: text for name, text in fields.items() if name not in ("lang", "check")}


def value_of(at: AppTest, page: Page) -> dict[str, object]:
    """What is kept in the session of each setting of a page."""
    kept = {field.name: page.key(field.name) for field in page.fields}
    return {name: at.session_state[key] for name, key in kept.items() if key in at.session_state}
