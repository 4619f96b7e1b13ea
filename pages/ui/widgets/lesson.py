"""One page as its visitor has it: its words in their language, and what they have set on it."""

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui.state.fields import Field
from pages.ui.state.session import forget, keep, kept
from pages.ui.state.settings import Page
from pages.ui.text import as_markdown, words


@dataclass(frozen=True)
class Lesson:
    """One page as its visitor has it: which lesson, in which language, on a projector or not."""

    name: str  #: whose words it speaks; those of the exercises have a name of their own
    page: Page  #: whose settings it has
    language: str
    projector: bool
    visit: int = 0  #: counts up whenever another page is opened
    heading: DeltaGenerator | None = None  #: the row of the title; a page puts its main buttons there
    notices: DeltaGenerator | None = None  #: below it, what in a link or file cannot be used

    def text(self, key: str, /, **slots) -> str:
        """The words under ``key`` in the visitor's language; slots are put in as they are."""
        return words(self.language, self.name, key, **slots)

    def markdown(self, key: str, /, **slots) -> str:
        """The words under ``key``, with slots escaped so that Markdown shows them literally."""
        return self.text(key, **{name: as_markdown(value) for name, value in slots.items()})

    def key(self, name: str) -> str:
        """What a setting of the page is called in the session, and its control in the browser."""
        return self.page.key(name)

    def kept(self, name: str, default=None):
        """A setting of the page, or anything else that is kept for it."""
        return kept(self.page.key(name), default)

    def keep(self, **values) -> None:
        """Set things by something other than their own controls; None forgets them."""
        for name, value in values.items():
            if value is None:
                forget(self.page.key(name))
            else:
                keep(self.page.key(name), value)

    def field(self, name: str) -> Field:
        return self.page.field(name)

    def say(self, key: str, /, **slots) -> None:
        st.markdown(self.markdown(key, **slots))

    def warn(self, key: str, /, **slots) -> None:
        """A message beside the widget above it: something there cannot be used."""
        st.warning(self.markdown(key, **slots), icon="⚠️")
