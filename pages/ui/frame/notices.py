"""What in a link or a file cannot be used, in the visitor's words, until they have read it."""

import streamlit as st

from attention_core import InputError
from pages.ui.state.fields import Choice, Field
from pages.ui.state.matrices import SEEN
from pages.ui.state.session import keep
from pages.ui.text import as_markdown
from pages.ui.widgets.errors import error_words
from pages.ui.widgets.lesson import Lesson


def say_problems(lesson: Lesson) -> None:
    problems = lesson.kept("problems", [])
    if not problems:
        return
    named = {field.name: field for field in lesson.page.fields}
    lines = [_problem(lesson, named.get(name), name, error) for name, error in problems]
    with lesson.notices.container():
        st.warning("\n".join([lesson.text("link_problems"), *lines]), icon="⚠️")
        st.button(lesson.text("dismiss"), key=lesson.key("dismiss"), on_click=keep, args=(lesson.key("problems"), []))


def _problem(lesson: Lesson, field: Field | None, name: str, error: InputError) -> str:
    """What is wrong with a field, which is called and whose choices are called as on screen, with their codes."""
    if field is None:
        return f"- **{as_markdown(name)}**: {as_markdown(error_words(lesson, error))}"
    if error.reason == "unknown_choice" and isinstance(field.kind, Choice) and field.kind.words:
        codes = error.details["options"].split(", ")
        words = {code: lesson.text(f"{field.kind.words}_{code}") for code in codes}
        options = ", ".join(word if word == code else f"{word} ({code})" for code, word in words.items())
        error = InputError(error.reason, str(error), **error.details | {"options": options})
    label = SEEN[name] if name in SEEN else lesson.text(field.label or name)
    return f"- **{as_markdown(label)}** (`{name}`): {as_markdown(error_words(lesson, error))}"
