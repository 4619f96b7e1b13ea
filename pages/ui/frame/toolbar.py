"""What every page can do with its value: take a step back or forward, begin anew, be shared as a link or a file."""

import json

import streamlit as st

from pages.ui.frame.memory import remember
from pages.ui.frame.shell import link_with, show_address
from pages.ui.state import settings as engine
from pages.ui.state.session import kept
from pages.ui.widgets.lesson import Lesson


def show_toolbar(lesson: Lesson) -> None:
    """Undo, redo, reset and share. Always there: a fragment that changes something cannot switch them on."""
    with st.popover(lesson.text("share"), key=lesson.key("share"), on_change="rerun") as box:
        if box.open:
            _share(lesson)
    for name, by in (("undo", -1), ("redo", 1)):
        st.button(
            lesson.text(name), key=lesson.key(name), help=lesson.text(f"{name}_help"),
            on_click=_step, args=(lesson, name, by),
        )  # fmt: skip
    st.button(
        lesson.text("reset"), key=lesson.key("reset"), help=lesson.text("reset_help"),
        on_click=engine.begin, args=(lesson.page, lesson.text),
    )  # fmt: skip


def settle(lesson: Lesson) -> None:
    """When all changes of a run are in: note the state for undo, let the address say it and the browser remember."""
    if lesson.kept("is_other"):  # a link arrived while perhaps only a part of the page was run again
        lesson.keep(is_other=False)
        st.rerun()
    values = engine.used_values(lesson.page)
    engine.note_step(lesson.page, values)
    show_address(lesson, engine.texts_of(lesson.page, lesson.text, values))
    remember()


def _step(lesson: Lesson, name: str, by: int) -> None:
    if not engine.step(lesson.page, by):
        st.toast(lesson.text(f"{name}_nothing"))


def _share(lesson: Lesson) -> None:
    """A link and a file that bring anyone into this very state."""
    page = lesson.page
    texts = engine.texts_of(page, lesson.text, engine.used_values(page))
    if st.button(lesson.text("make_link"), key=lesson.key("make_link"), type="primary"):
        link = link_with(lesson, texts)  # the address bar has it anyway
        st.code(link, language=None, wrap_lines=True)
        st.caption(lesson.text("link_length", length=len(link)))
    answers = {"answers": kept("answers")} if kept("answers", {}) else {}
    st.download_button(
        lesson.text("save_file"),
        json.dumps({"attention_lab": page.name} | texts | answers, ensure_ascii=False, indent=1),
        file_name=f"attention-lab-{page.name}.json",
        mime="application/json",
        key=lesson.key("save_file"),
        on_click="ignore",
    )
    st.file_uploader(
        lesson.text("open_file"), type="json", key=lesson.key("open_file"), on_change=_open_file, args=(lesson,)
    )


def _open_file(lesson: Lesson) -> None:
    file = kept(lesson.key("open_file"))
    if file is not None:
        lesson.keep(problems=engine.take_file(lesson.page, lesson.text, file.getvalue()))
