"""The address is the value: after each run the address bar holds the link to what the page shows."""

from pathlib import Path

import streamlit as st

_component = st.components.v2.component(
    "address",
    js=(Path(__file__).parent / "address.js").read_text(encoding="utf-8"),
    css=".st-key-address_of_page { display: none; }",  # an empty element would still take a line's gap
    isolate_styles=False,
)


def show_in_address(page: str, pages: list[str], query: str) -> None:
    """Let the address bar say this of a page, which is called so in addresses, as are all ``pages``."""
    _component(key="address_of_page", data={"page": page, "pages": pages, "query": query})
