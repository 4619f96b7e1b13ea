"""Undo and redo: a hundred steps on every page, views left alone."""

import pytest
from visit import open_page, run

from pages.ui.state.history import STEPS, History


def test_steps_back_and_forward_again():
    history = History(({"n": 0},))
    for n in range(1, 4):
        history = history.noted({"n": n})
    back = history.moved(-1)
    assert back.now == {"n": 2}
    assert back.moved(-1).moved(-1).now == {"n": 0}
    assert back.moved(1).now == {"n": 3}
    assert back.moved(2) is None
    assert History(({"n": 0},)).moved(-1) is None


def test_the_same_state_again_is_no_step():
    history = History(({"n": 0},)).noted({"n": 1})
    assert history.noted({"n": 1}) is history


def test_another_step_after_an_undo_forgets_what_could_be_redone():
    history = History(({"n": 0},)).noted({"n": 1}).moved(-1).noted({"n": 0}).noted({"n": 2})
    assert [state["n"] for state in history.states] == [0, 2]
    assert history.moved(1) is None


def test_a_page_may_set_the_state_it_goes_back_to_a_little_differently_and_redo_stays():
    history = History(({"n": 0},)).noted({"n": 1}).moved(-1).noted({"n": 0.1})
    assert history.now == {"n": 0.1}
    assert history.moved(1).now == {"n": 1}


def test_the_oldest_states_are_forgotten_first():
    history = History(({"n": 0},))
    for n in range(1, STEPS + 10):
        history = history.noted({"n": n})
    assert history.moved(-STEPS).now == {"n": 9}
    assert history.moved(-STEPS - 1) is None


@pytest.mark.parametrize(
    ("file", "prefix", "setting", "values"),
    [
        ("01_by_hand", "by_hand", "scaling", ("off", "cosine")),
        ("02_matrix_lab", "matrix_lab", "rule", ("causal", "only_self")),
        ("03_scaling", "scaling", "scaling", ("none", "d")),
        ("04_masks", "masks", "rule", ("padding", "full")),
        ("05_sentences", "sentences", "rule", ("causal", "window")),
        ("06_projections_and_heads", "projections_and_heads", "key_from", ("y", "x")),
        ("07_cost", "cost", "end", (3, 5)),
        ("08_limits", "limits", "values", ("ones", "article")),
    ],
)
def test_ten_edits_are_ten_steps_back_and_forward(file, prefix, setting, values):
    key = f"{prefix}_{setting}"
    at = open_page(file)
    seen = [at.session_state[key]]
    for i in range(10):
        at.button_group(key=key).set_value(values[i % 2])
        seen.append(run(at).session_state[key])
    assert len(set(seen)) > 1
    for press, states in (("undo", seen[-2::-1]), ("redo", seen[1:])):
        for state in states:
            at.button(key=f"{prefix}_{press}").click()
            assert run(at).session_state[key] == state
    assert not at.toast
    at.button(key=f"{prefix}_redo").click()
    assert [toast.value for toast in run(at).toast] == ["Nothing to redo."]
