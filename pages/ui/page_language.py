"""Tell the browser, and with it screen readers, which language the page is in."""

import streamlit as st

# Streamlit's page says lang="en" whatever its words are.
_component = st.components.v2.component(
    "page_language",
    js="export default ({ data }) => { document.documentElement.lang = data.code; };",
    css=".st-key-page_language { display: none; }",  # an empty element would still take a line's gap
    isolate_styles=False,
)


def set_page_language(code: str) -> None:
    """Set ``<html lang>`` to a language code such as "ko"."""
    _component(key="page_language", data={"code": code})
