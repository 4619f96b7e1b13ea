"""The matrix lab below its grids: scale, mask, pictures, exercises, tables."""

from functools import partial

import numpy as np
import streamlit as st

from . import challenges, panels
from .controls import choice, choose_scale, choose_temperature
from .errors import SEEN
from .lesson import Lesson
from .mask_editor import edit_mask
from .matrix_fields import load_example, source_of
from .toolbar import settle


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
        scene = panels.attend(lesson, matrices, allowed, scale / temperature, queries, keys, rules, sharing)
    with st.container(key="lab_pictures"):
        panels.explore(lesson, scene, source_of(lesson), partial(settle, lesson))
    challenges.show(lesson, {"trace": scene.trace}, load_example)
    panels.show_ladder(lesson, scene)
    lesson.say("notes")
    panels.show_tables(lesson, scene)
    panels.show_export(lesson, scene)
    panels.show_code(lesson, scene, temperature)
