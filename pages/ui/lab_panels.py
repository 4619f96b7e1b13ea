"""The matrix lab below its grids: scale, mask, pictures, exercises, tables."""

from functools import partial

import numpy as np
import streamlit as st

from . import challenges, panels, share
from .inputs import SEEN, choose_scale, choose_sharing, choose_temperature, edit_mask, source_of
from .shell import Lesson, kept

PREFIX = "lab"


def versions() -> list[int]:
    """How often something other than typing has replaced each matrix."""
    return [kept(f"{PREFIX}_{name}", None)["version"] for name in SEEN]


@st.fragment
def weigh(
    lesson: Lesson, matrices: dict[str, np.ndarray], drawn: list[int], queries: list[str], keys: list[str]
) -> None:
    """A change of scale or mask reruns this part alone: the grids above, the most expensive part, stand as they are.

    ``drawn`` is the versions() of the matrices.
    """
    if drawn != versions():  # an exercise has put an example into the grids
        st.rerun()
    with st.container(key="lab_rules"):
        scale = choose_scale(lesson, PREFIX, matrices["key"].shape[1])
        temperature = choose_temperature(lesson, PREFIX)
        rules, allowed = edit_mask(lesson, PREFIX, queries, keys)
        sharing = choose_sharing(lesson, PREFIX, ("rows", "columns"))
        scene = panels.attend(lesson, PREFIX, matrices, allowed, scale / temperature, queries, keys, rules, sharing)
    with st.container(key="lab_pictures"):
        panels.explore(lesson, PREFIX, scene, source_of(PREFIX), partial(share.settle, lesson, PREFIX))
    challenges.show(lesson, PREFIX, {"trace": scene.trace})
    panels.show_ladder(lesson, scene)
    lesson.say("notes")
    panels.show_tables(lesson, PREFIX, scene)
    panels.show_export(lesson, PREFIX, scene)
    panels.show_code(lesson, PREFIX, scene, temperature)
