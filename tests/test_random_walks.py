"""Visitors nobody meant: on every page, any widget is used in any order, with any number and any text. After each step
the page stands, and no box says that it does not.
"""

import random
import re

import numpy as np
import pytest
from streamlit.testing.v1.element_tree import TESTING_KEY
from visit import open_page, run

PAGES = (
    "01_by_hand", "02_matrix_lab", "03_scaling", "04_masks", "05_sentences", "06_projections_and_heads", "07_cost",
    "08_limits",
)  # fmt: skip
STEPS = 20
NUMBERS = (0, 1, 2, 3, 5, 9, 16, 17, 64, 1000, 10**6, -1, -2, -1000, 0.5, -0.5, 1e-6, 1e-300, 1e38, 1e50, 1e200, 1e308)
CELLS = ("1", "0", "-2", "0.5", "100", "1e50", "1e308", "-1e308", "1e-300", "", "x", "½", "0,5", "9" * 4301)
TEXTS = (
    "", " ", "A", "A B C", "token12 longername", "한국어 낱말 세 개", "🙂 🙂 🙂", "x x x² x", "1 1 2", "a b c", "1/3",
    "the cat sat on the mat", "<b>x</b> [x](y) $x$ :cat:", "1 2; 3 4", "1e308 0; 0 1", "a " * 300, "9" * 4301,
    "1 " + "9" * 4301, "\u200b \u3164",
)  # fmt: skip
#: What takes long by design, and buttons that lead away from the page.
LEFT_OUT = re.compile("measure|open_lab|_live")


def step(at, rng: random.Random) -> str:
    """Use one widget; returns what was done. It is not run yet."""
    boxes = [node for node in at.main if node.type in ("popover", "expander")]
    kinds = {
        "button": at.button, "button_group": at.button_group, "select_slider": at.select_slider,
        "number_input": at.number_input, "text_input": at.text_input, "text_area": at.text_area, "toggle": at.toggle,
        "box": [key for box in boxes if (key := key_of(box)) is not None],
        "cell": [table.key for table in at.get("dataframe") if "_grid_" in (table.key or "")],
    }  # fmt: skip
    there = {
        kind: [w for w in widgets if not LEFT_OUT.search(getattr(w, "key", w)) and not getattr(w, "disabled", False)]
        for kind, widgets in kinds.items()
    }
    kind = rng.choice([kind for kind, widgets in there.items() if widgets])
    widget = rng.choice(there[kind])
    key = getattr(widget, "key", widget)
    match kind:
        case "button":
            what = "pressed"
            widget.click()
        case "button_group" | "select_slider":  # their options are known as they are worded
            what = rng.choice(widget.options)
            at.session_state[TESTING_KEY][widget.id] = str
            widget.set_value(what)
        case "number_input":
            what = rng.choice([None, *NUMBERS])
            widget.set_value(what if what is None or isinstance(widget.step, float) else int(what))
        case "text_input" | "text_area":
            what = rng.choice(TEXTS)
            widget.set_value(what)
        case "toggle":
            what = not widget.value
            widget.set_value(what)
        case "box":
            what = key not in at.session_state or not at.session_state[key]
            at.session_state[key] = what
        case "cell":
            rows, columns = shape_of(at, key)
            what = {rng.randrange(rows): {str(rng.randrange(columns)): rng.choice(CELLS)}}
            at.session_state[key] = {"edited_rows": what, "added_rows": [], "deleted_rows": []}
    return f"{key}: {str(what)[:40]!r}"


def key_of(box) -> str | None:
    """The key of a popover or an expander that reruns the page when it is opened."""
    block = box.proto
    name = block.popover.id or block.expandable.id if hasattr(block, "popover") else getattr(block, "id", "")
    return name.split("-", 2)[2] if name else None


def shape_of(at, key: str) -> tuple[int, int]:
    return np.shape(at.session_state[key.partition("_grid_")[0]]["numbers"])


@pytest.mark.parametrize("page", PAGES)
def test_a_page_stands_whatever_is_done_in_whatever_order(page, full):
    first = random.SystemRandom().randrange(10**6) if full else 0
    for seed in range(first, first + (50 if full else 1)):
        rng = random.Random(f"{page} {seed}")
        at = open_page(page, lang=rng.choice(["en", "ko"]))
        done = []
        for _ in range(STEPS):
            done.append(step(at, rng))
            try:
                run(at)
            except AssertionError as error:
                raise AssertionError(f"{page}, seed {seed}: {done}\n{error}") from error
            assert not at.error, f"{page}, seed {seed}: {done}"
