"""Home: what this is, one live picture, the way in."""

from dataclasses import replace

import numpy as np
import streamlit as st

from attention_core import masks, trace_attention
from attention_core.examples import example
from pages.ui.exercises import challenges
from pages.ui.frame.shell import link_to, open_lesson, page_files
from pages.ui.frame.toolbar import settle, show_toolbar
from pages.ui.lessons.home import PAGE
from pages.ui.lessons.scene import Scene
from pages.ui.lessons.stages import choose_cell, choose_stage, show_stages
from pages.ui.lessons.written import say_reading
from pages.ui.widgets.controls import switch
from pages.ui.widgets.examples import badge

lesson = open_lesson(PAGE)
lesson.say("what")

left, right = st.columns([0.68, 0.32], gap="medium")

# 1. The table, alive: its weights are the softmax of scores, so a mask works on it.
table = example("cat_table")
with left, st.container(horizontal=True, vertical_alignment="center"):
    stage = choose_stage(lesson)
    is_causal = switch(lesson, "causal")
    badge(lesson, "example")
# The table's words stand at these places of the sentence; two of the sentence's ten words are missing in it.
earlier = np.array([8, 10, 3])[:, None] >= np.array([1, 2, 3, 4, 6, 8, 9, 10])
allowed = earlier if is_causal else masks.full(*earlier.shape)
trace = trace_attention(table.query, table.key, table.value, allowed)
queries = lesson.text("example_cat_table_queries").split()
keys = lesson.text("example_cat_table_keys").split()
scene = Scene(trace, queries, keys, {"causal": allowed}, source="example")

# 2. One row at a time: whom does this word read?
with left:
    pictures = st.container()
    row, column = choose_cell(lesson, scene)
    say_reading(lesson, scene, row)
    lesson.say("table")
with pictures:
    show_stages(lesson, scene, stage, row, column, "wide")

# 3. The way in.
with right:
    lesson.say("way_in")
    for name in list(page_files())[1:]:
        its = replace(lesson, name=name)
        link_to(lesson, name, f"**{its.text('menu')}**")
        solved, exercises = challenges.solved_of(name)
        count = lesson.text("solved_here", solved=solved, exercises=exercises) if exercises else ""
        st.caption(f"{its.text('after')} {count}")
    lesson.say("route")
    lesson.say("scope")
with lesson.heading:
    show_toolbar(lesson)
settle(lesson)
