"""What the server makes of the mask grid's reports; its drawing is tested in a browser.

AppTest knows no component of our own: it lists it as `at.get("bidi_component")` and runs no JavaScript. To
act for the browser, hand a run the widget state that the browser would send: the component's id and a JSON
text {"mask": {"version": ..., "seq": ..., "allowed": [[...]]}}, with "version" and "seq" as the component's
own data name them. That is what `browser_says` does; callbacks fire as they do for a visitor.
"""

import json

import numpy as np
import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from pages.ui.widgets.mask_grid import checked_report

STAMP = "0 2x3"


def page():
    import numpy as np
    import streamlit as st

    from pages.ui.widgets.mask_grid import WORDS, mask_grid

    state = st.session_state
    state.setdefault("mask", np.ones((2, 3), bool))
    state.setdefault("version", 0)
    state.setdefault("changes", 0)

    def count():
        state.changes += 1

    state.mask = mask_grid(
        state.mask,
        key="grid",
        query_labels=["a"] * len(state.mask),
        key_labels=["<b>"] * state.mask.shape[1],
        words=dict.fromkeys(WORDS, "{query} {key}"),
        label="mask",
        version=state.version,
        on_change=count,
    )


@pytest.fixture
def at():
    return AppTest.from_function(page, default_timeout=20).run()


def sent(at) -> dict:
    """What the component was given to draw."""
    return json.loads(at.get("bidi_component")[0].proto.json)


def browser_says(at, state) -> None:
    """Run the script as if the grid in the browser had reported this state."""
    states = at._tree.get_widget_states()
    grid = at.get("bidi_component")[0].proto.id
    states.widgets.append(WidgetState(id=grid, json_value=json.dumps(state)))
    at._run(states)
    assert not at.exception


def report(allowed, version=STAMP, seq=1) -> dict:
    return {"mask": {"version": version, "seq": seq, "allowed": allowed}}


EDITED = [[True, False, True], [False, False, True]]


def test_a_report_becomes_the_mask_and_is_sent_back_with_its_number(at):
    browser_says(at, report(EDITED, seq=7))
    np.testing.assert_array_equal(at.session_state.mask, EDITED)
    assert at.session_state.mask.dtype == bool
    assert (sent(at)["seq"], sent(at)["allowed"]) == (7, EDITED)
    assert at.session_state.changes == 1


def test_the_mask_stays_when_another_widget_reruns_the_page(at):
    browser_says(at, report(EDITED))
    at.run()
    np.testing.assert_array_equal(at.session_state.mask, EDITED)
    assert at.session_state.changes == 1


def test_a_new_version_from_python_wins_over_what_the_browser_last_said(at):
    browser_says(at, report(EDITED))
    at.session_state.mask = np.zeros((2, 3), bool)
    at.session_state.version = 1
    browser_says(at, report(EDITED, seq=2))  # a click on the old mask, on its way meanwhile
    assert not at.session_state.mask.any()
    assert sent(at)["seq"] == 0
    browser_says(at, report(EDITED, version=sent(at)["version"]))
    np.testing.assert_array_equal(at.session_state.mask, EDITED)


def test_a_new_shape_counts_as_a_new_version(at):
    browser_says(at, report(EDITED))
    at.session_state.mask = np.zeros((3, 3), bool)
    browser_says(at, report(EDITED, seq=2))
    assert sent(at)["version"] != STAMP
    assert at.session_state.mask.shape == (3, 3)


def test_a_broken_report_leaves_the_last_good_mask(at):
    browser_says(at, report(EDITED))
    browser_says(at, report([[True, False, "yes"], [False, False, True]], seq=2))
    np.testing.assert_array_equal(at.session_state.mask, EDITED)


NOT_A_MASK = {
    "no state": None,
    "no report": {},
    "a list": [],
    "report is text": {"mask": "110"},
    "another version": report(EDITED, version="1 2x3"),
    "version is a number": report(EDITED, version=0),
    "numbers": report([[1, 0, 1], [0, 0, 1]]),
    "texts": report([["true"] * 3] * 2),
    "empty cell": report([[True, None, True], [True, True, True]]),
    "a row too few": report([[True, True, True]]),
    "a row too many": report([[True, True, True]] * 3),
    "a short row": report([[True, True, True], [True, True]]),
    "a row that is text": report([[True, True, True], "abc"]),
    "rows in an object": report({"0": [True] * 3, "1": [True] * 3}),
    "one level too deep": report([[[True], [True], [True]]] * 2),
    "no number": {"mask": {"version": STAMP, "allowed": EDITED}},
    "negative number": report(EDITED, seq=-1),
    "number is true": report(EDITED, seq=True),
    "number is a fraction": report(EDITED, seq=1.5),
}


@pytest.mark.parametrize("state", NOT_A_MASK.values(), ids=NOT_A_MASK.keys())
def test_only_lists_of_booleans_of_the_right_shape_are_believed(state):
    assert checked_report(state, STAMP, (2, 3)) is None


def test_the_check_lets_a_good_report_through():
    seq, mask = checked_report(report(EDITED, seq=4), STAMP, (2, 3))
    assert seq == 4
    np.testing.assert_array_equal(mask, EDITED)


def test_labels_must_fit_the_mask():
    from pages.ui.widgets.mask_grid import WORDS, mask_grid

    with pytest.raises(ValueError, match=r"\(2, 3\), with 2 query and 2 key labels"):
        mask_grid(
            np.ones((2, 3)),
            key="grid",
            query_labels="ab",
            key_labels="cd",
            words=dict.fromkeys(WORDS, ""),
            label="mask",
        )


def test_the_page_language_is_handed_to_the_browser():
    def page():
        from pages.ui.frame.page_language import set_page_language

        set_page_language("ko")

    at = AppTest.from_function(page).run()
    assert json.loads(at.get("bidi_component")[0].proto.json) == {"code": "ko", "lesson": ""}
