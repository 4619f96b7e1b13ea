"""The frame around every page: title, language, menu, projector switch, formula bar."""

import gc
import json
import re
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from urllib.parse import parse_qsl

import streamlit as st

from pages.ui.frame.address import show_in_address
from pages.ui.frame.memory import forget_everything
from pages.ui.frame.notices import say_problems
from pages.ui.frame.page_language import set_page_language
from pages.ui.state.links import query_of, with_check
from pages.ui.state.session import asked_language, keep, kept, language_into_link
from pages.ui.state.settings import Page, Texts, take_link, take_texts
from pages.ui.text import LANGUAGES
from pages.ui.widgets.lesson import Lesson

ROOT = Path(__file__).parents[3]
STYLE = (Path(__file__).parent / "shell.css").read_text(encoding="utf-8")
#: What Streamlit says in English whatever the language; shell.css puts the words under these keys in its place.
STREAMLITS = ("press_enter", "press_ctrl_enter", "upload", "upload_limit", "drop_file", "no_match")


def open_lesson(page: Page) -> Lesson:
    """Draw the frame, take over what the address asks for, and return the lesson; every page begins with this."""
    _set_libraries_aside()
    language = _language()
    projector = kept("projector", False)
    lesson = Lesson(page.name, page, language, projector, _visit(page.name))
    st.set_page_config(
        page_title=f"{lesson.text('title')} · Attention Lab",
        page_icon="🔎",
        layout="wide",
        initial_sidebar_state="collapsed" if projector else 230,
    )
    own_words = "; ".join(f"--{name}: {json.dumps(lesson.text(name), ensure_ascii=False)}" for name in STREAMLITS)
    st.html(f"<style>:root {{ {own_words} }}\n{STYLE}</style>")
    set_page_language(language, page.name)
    with st.sidebar:
        _menu(lesson)
    heading = st.container(horizontal=True, vertical_alignment="center", key="heading")
    with heading:
        st.markdown(f"# {lesson.text('title')}", anchors=False, width="content")
        st.markdown(lesson.text("formula"), width="content")
    lesson = replace(lesson, heading=heading, notices=st.empty())
    take_link(page, lesson.text)
    say_problems(lesson)
    return lesson


@cache
def _set_libraries_aside() -> None:
    """Once, when all is loaded: no garbage collection need walk through the libraries again, while visitors wait."""
    gc.collect()
    gc.freeze()


@cache
def page_files() -> dict[str, Path]:
    """Every page by its lesson's name, in reading order: the folder listing is the table of contents."""
    pages = {"home": ROOT / "app.py"}
    for path in sorted((ROOT / "pages").glob("[0-9]*.py")):
        pages[re.sub(r"^\d+_", "", path.stem)] = path
    return pages


def link_to(lesson: Lesson, name: str, label: str, **options) -> None:
    """A link to another page that keeps the language."""
    file = page_files()[name].relative_to(ROOT).as_posix()
    st.page_link(file, label=label, query_params={"lang": lesson.language}, **options)


def go_to(lesson: Lesson, name: str) -> None:
    """Leave for another page, keeping the language."""
    st.switch_page(page_files()[name].relative_to(ROOT).as_posix(), query_params={"lang": lesson.language})


def link_to_next(lesson: Lesson) -> None:
    """At the end of a page, the way to the next one."""
    names = list(page_files())
    for following in names[names.index(lesson.name) + 1 :][:1]:  # after the last one there is none
        link_to(lesson, following, lesson.text("next_lesson", title=replace(lesson, name=following).text("menu")))


def link_with(lesson: Lesson, texts: Texts) -> str:
    """The whole address of this page with these settings, the language, and a check that nothing of it is missing."""
    return f"{(st.context.url or '').split('?')[0]}?{_query(lesson, texts)}"


def show_address(lesson: Lesson, texts: Texts) -> None:
    """Let the address bar say what the page shows: a reload, a bookmark or a copy of it gives the page again."""
    names = list(page_files())
    name = "" if lesson.page.name == names[0] else lesson.page.name
    wanted = lesson.kept("wanted", "")
    show_in_address(name, names, lesson.language, _query(lesson, texts), wanted, partial(_open_kept, lesson))


def _open_kept(lesson: Lesson) -> None:
    """The browser has looked for the long link that an address names."""
    query = kept("address_of_page")["found"]
    lesson.keep(wanted="", is_other=True)
    texts = dict(parse_qsl(query, keep_blank_values=True)) if isinstance(query, str) else {}
    texts.pop("lang", None)
    take_texts(lesson.page, lesson.text, texts, in_browser=True)


def _query(lesson: Lesson, texts: Texts) -> str:
    return query_of({"lang": lesson.language, **with_check(texts)})


def _visit(name: str) -> int:
    visit, last = kept("visit", (0, None))
    if last != name:
        keep("visit", (visit + 1, name))
    return kept("visit", None)[0]


def _language() -> str:
    """Of the link, of the browser, or as it was chosen since."""
    asked, browser = asked_language(), (st.context.locale or "").lower()
    return kept("language", asked if asked in LANGUAGES else "ko" if browser.startswith("ko") else "en")


def _menu(lesson: Lesson) -> None:
    st.markdown("**Attention Lab**")
    st.segmented_control(
        "Language / 언어",
        list(LANGUAGES),
        format_func=LANGUAGES.get,
        key="language",
        required=True,
        persist_state="session",
        on_change=language_into_link,
    )
    for name in page_files():
        link_to(lesson, name, replace(lesson, name=name).text("menu"), width="stretch")
    st.toggle(lesson.text("projector"), key="projector", help=lesson.text("projector_help"), persist_state="session")
    with st.popover(lesson.text("forget_all"), key="forget", type="tertiary"):
        st.markdown(lesson.text("forget_all_help"))
        st.button(lesson.text("forget_all_now"), key="forget_now", type="primary", on_click=forget_everything)
