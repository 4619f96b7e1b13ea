"""The address is the value: after each run the address bar holds the link to what the page shows.

A link of more than LONGEST characters stays in this browser, under a key that stands in the address in its place.
"""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

LONGEST = 2000
_component = st.components.v2.component(
    "address",
    js=(Path(__file__).parent / "address.js").read_text(encoding="utf-8"),
    css=".st-key-address_of_page { display: none; }",  # an empty element would still take a line's gap
    isolate_styles=False,
)


def show_in_address(page: str, pages: list[str], language: str, query: str, wanted: str, found: Callable) -> None:
    """Let the address bar say this of a page, which is called so in addresses, as are all ``pages``.

    While a key is ``wanted``, the browser is asked for the link that it keeps under it: ``found`` is called then.
    """
    _component(
        key="address_of_page",
        data={"page": page, "pages": pages, "language": f"lang={language}", "query": query, "wanted": wanted,
              "longest": LONGEST},
        on_found_change=found,
    )  # fmt: skip
