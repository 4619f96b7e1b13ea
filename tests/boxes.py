"""Find the box for a number on a page under AppTest, whether it stands alone or beside a slider."""

from streamlit.testing.v1 import AppTest


def number_box(at: AppTest, key: str):
    """The box of a dial gets a new widget key whenever its slider is moved."""
    turns = at.session_state[f"{key}_turns"] if f"{key}_turns" in at.session_state else None  # noqa: SIM401
    return at.number_input(key=f"{key}_box_{turns['box']}" if turns else key)
