"""What is kept for as long as a visitor stays: the only place that touches Streamlit's session and address.

Both hold plain values.
"""

import streamlit as st


def kept(name: str, default=None):
    """What the visitor put in under this name, for as long as they stay."""
    return st.session_state.setdefault(name, default)


def keep(name: str, value) -> None:
    """Keep a value under this name. What is there already is not written again: Streamlit would send it to the
    browser, where it would take back what a quick hand has done since."""
    known = st.session_state.get(name)
    if value is None or type(known) is not type(value) or not isinstance(value, (str, int, float)) or known != value:
        st.session_state[name] = value


def forget(name: str) -> None:
    """As if nothing had ever been kept under this name."""
    st.session_state.pop(name, None)


def forget_all(*but: str) -> None:
    """As if nothing had ever been kept, but under these names."""
    for name in [name for name in st.session_state if name not in but]:
        del st.session_state[name]


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


def asked_language() -> str | None:
    return st.query_params.get("lang")


def language_into_link() -> None:
    """What is written here is sent to the browser: the one thing for which that is wanted, since a reload must know."""
    st.query_params["lang"] = kept("language")


def forget_link() -> None:
    """What the address asked for when the page was opened is not asked for any more."""
    st.query_params.from_dict({"lang": kept("language")})
