"""The address is the value: after each run the browser's address bar holds the link to what the page shows.

So a reload, a bookmark, Back, a copied address and a server that was restarted all give the same page again, in its
first run. It is set in the browser only: query parameters written at each run would take back what a quick hand has
done since.
"""

import zlib
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, urlencode

import streamlit as st

CHECK = "check"  #: stands first in a link, so that one that was cut short at its end is noticed
_component = st.components.v2.component(
    "address",
    js=(Path(__file__).parent / "address.js").read_text(encoding="utf-8"),
    css=".st-key-address_of_page { display: none; }",  # an empty element would still take a line's gap
    isolate_styles=False,
)


def query_of(texts: Mapping[str, str]) -> str:
    """The texts as an address carries them; blanks are %20, because messengers turn + into a plus sign."""
    return urlencode(texts, safe=",;", quote_via=quote)


def with_check(texts: Mapping[str, str]) -> dict[str, str]:
    """The texts with their checksum before them, where there are any."""
    return {CHECK: checksum(texts), **texts} if texts else {}


def checksum(texts: Mapping[str, str]) -> str:
    """Four signs that are others when a field is changed, missing or cut, in whatever order the fields stand."""
    return f"{zlib.crc32(query_of(dict(sorted(texts.items()))).encode()) & 0xFFFF:04x}"


def show_in_address(page: str, pages: list[str], query: str) -> None:
    """Let the address bar say this of a page, which is called so in addresses, as are all ``pages``."""
    _component(key="address_of_page", data={"page": page, "pages": pages, "query": query})
