"""The frame around every page: title, language, menu, projector switch, formula bar.

The only place that touches st.session_state and st.query_params; both hold plain values.
"""

import gc
import json
import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from .address import query_of, show_in_address, with_check
from .page_language import set_page_language
from .text import LANGUAGES, as_markdown, words

ROOT = Path(__file__).parent.parent.parent
STYLE = (Path(__file__).parent / "shell.css").read_text(encoding="utf-8")
#: What Streamlit says in English whatever the language; shell.css puts the words under these keys in its place.
STREAMLITS = ("press_enter", "press_ctrl_enter", "upload", "upload_limit", "drop_file", "no_match")


@dataclass(frozen=True)
class Lesson:
    """One page as its visitor has it: which lesson, in which language, on a projector or not."""

    name: str
    language: str
    projector: bool
    visit: int = 0  #: counts up whenever another page is opened
    heading: DeltaGenerator | None = None  #: the row of the title; a page puts its main buttons there

    def text(self, key: str, /, **slots) -> str:
        """The words under ``key`` in the visitor's language; slots are put in as they are."""
        return words(self.language, self.name, key, **slots)

    def markdown(self, key: str, /, **slots) -> str:
        """The words under ``key``, with slots escaped so that Markdown shows them literally."""
        return self.text(key, **{name: as_markdown(value) for name, value in slots.items()})

    def say(self, key: str, /, **slots) -> None:
        st.markdown(self.markdown(key, **slots))

    def warn(self, key: str, /, **slots) -> None:
        """A message beside the widget above it: something there cannot be used."""
        st.warning(self.markdown(key, **slots), icon="⚠️")


def open_lesson(name: str) -> Lesson:
    """Draw the frame and return the lesson; every page begins with this."""
    _set_libraries_aside()
    language = _language()
    projector = st.session_state.setdefault("projector", False)
    lesson = Lesson(name, language, projector, _visit(name))  # words are needed before there is a heading
    st.set_page_config(
        page_title=f"{lesson.text('title')} · Attention Lab",
        page_icon="🔎",
        layout="wide",
        initial_sidebar_state="collapsed" if projector else 230,
    )
    own_words = "; ".join(f"--{name}: {json.dumps(lesson.text(name), ensure_ascii=False)}" for name in STREAMLITS)
    st.html(f"<style>:root {{ {own_words} }}\n{STYLE}</style>")
    set_page_language(language, name)
    with st.sidebar:
        _menu(lesson)
    heading = st.container(horizontal=True, vertical_alignment="center", key="heading")
    with heading:
        st.markdown(f"# {lesson.text('title')}", anchors=False, width="content")
        st.markdown(lesson.text("formula"), width="content")
    return replace(lesson, heading=heading)


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


def kept(name: str, default):
    """What the visitor put in under this name, for as long as they stay."""
    return st.session_state.setdefault(name, default)


def keep(name: str, value) -> None:
    """Keep a value under this name. What is there already is not written again: Streamlit would send it to the
    browser, where it would take back what a quick hand has done since."""
    known = st.session_state.get(name)
    if value is None or type(known) is not type(value) or not isinstance(value, (str, int, float)) or known != value:
        st.session_state[name] = value


def is_kept(name: str) -> bool:
    return name in st.session_state


def asked_in_link() -> dict[str, str]:
    """What the address asks of this page, read once in a visit and page; later the visitor's own choices stand.

    The language is the frame's business, and other sites add things of their own (utm_source, fbclid) to a link.
    """
    return {
        name: text
        for name, text in st.query_params.items()
        if name not in ("lang", "fbclid", "gclid") and not name.startswith(("utm_", "embed"))
    }


def link_with(fields: dict[str, str]) -> str:
    """The whole address of this page with these fields and the language, and a check that nothing of it is missing."""
    return f"{(st.context.url or '').split('?')[0]}?{_query(fields)}"


def show_address(lesson: Lesson, fields: dict[str, str]) -> None:
    """Let the address bar say what the page shows: a reload, a bookmark or a copy of it gives the page again."""
    names = list(page_files())
    show_in_address("" if lesson.name == names[0] else lesson.name, names, _query(fields))


def _query(fields: dict[str, str]) -> str:
    return query_of({"lang": st.session_state["language"], **with_check(fields)})


def _visit(name: str) -> int:
    visit, last = kept("visit", (0, None))
    if last != name:
        keep("visit", (visit + 1, name))
    return kept("visit", None)[0]


def _language() -> str:
    if "language" not in st.session_state:
        asked = st.query_params.get("lang")
        browser = (st.context.locale or "").lower()
        st.session_state["language"] = asked if asked in LANGUAGES else "ko" if browser.startswith("ko") else "en"
    return st.session_state["language"]


def _language_into_address() -> None:
    st.query_params["lang"] = st.session_state["language"]


def _menu(lesson: Lesson) -> None:
    st.markdown("**Attention Lab**")
    st.segmented_control(
        "Language / 언어",
        list(LANGUAGES),
        format_func=LANGUAGES.get,
        key="language",
        required=True,
        persist_state="session",
        on_change=_language_into_address,
    )
    for name in page_files():
        link_to(lesson, name, replace(lesson, name=name).text("menu"), width="stretch")
    st.toggle(lesson.text("projector"), key="projector", help=lesson.text("projector_help"), persist_state="session")
