"""The matrix lab below its grids: scale, mask, pictures, exercises, tables."""

from functools import partial

import numpy as np
import streamlit as st

from pages.ui.exercises import challenges
from pages.ui.frame.toolbar import settle
from pages.ui.lessons.scene import attend
from pages.ui.lessons.stages import explore
from pages.ui.lessons.take_away import show_code, show_export, show_tables
from pages.ui.lessons.written import show_ladder
from pages.ui.state.fields import Choice, Field
from pages.ui.state.mask_rules import RULES, rule_fields
from pages.ui.state.matrices import SEEN
from pages.ui.state.matrix_fields import (
    CELL,
    OWN_SCALE,
    STAGE,
    TEMPERATURE,
    fit,
    in_use,
    numbers,
    scaling,
    sharing,
    start,
)
from pages.ui.state.settings import Page
from pages.ui.widgets.controls import choice, choose_scale, choose_temperature
from pages.ui.widgets.examples import load_example
from pages.ui.widgets.lesson import Lesson
from pages.ui.widgets.mask_editor import edit_mask

PAGE = Page(
    "matrix_lab",
    (
        *numbers("abc_self"),
        *rule_fields(*RULES),
        scaling("sqrt", "off", "own"),
        OWN_SCALE,
        TEMPERATURE,
        sharing("rows", "columns"),
        STAGE,
        Field("view", Choice(("all", "one"), "view"), "all", is_view=True),
        *CELL,
    ),
    start,
    fit=fit,
    in_use=in_use,
)


def versions(lesson: Lesson) -> list[int]:
    """How often something other than typing has replaced each matrix."""
    return [lesson.kept(name)["version"] for name in SEEN]


@st.fragment
def weigh(
    lesson: Lesson, matrices: dict[str, np.ndarray], drawn: list[int], queries: list[str], keys: list[str]
) -> None:
    """A change of scale or mask reruns this part alone: the grids above, the most expensive part, stand as they are.

    ``drawn`` is the versions() of the matrices.
    """
    if drawn != versions(lesson):  # an exercise has put an example into the grids
        st.rerun()
    with st.container(key="lab_rules"):
        scale = choose_scale(lesson, matrices["key"].shape[1])
        temperature = choose_temperature(lesson)
        rules, allowed = edit_mask(lesson, queries, keys)
        sharing = choice(lesson, "sharing")
        scene = attend(lesson, matrices, allowed, scale / temperature, queries, keys, rules, sharing)
    with st.container(key="lab_pictures"):
        explore(lesson, scene, partial(settle, lesson))
    challenges.show(lesson, {"trace": scene.trace}, load_example)
    show_ladder(lesson, scene)
    lesson.say("notes")
    show_tables(lesson, scene)
    show_export(lesson, scene)
    show_code(lesson, scene, temperature)
