"""Lesson 6: queries, keys and values are made by learned matrices, and each head has its own."""

import streamlit as st

from pages.ui.exercises import challenges
from pages.ui.frame.shell import link_to_next, open_lesson
from pages.ui.frame.toolbar import settle, show_toolbar
from pages.ui.lessons import projection_heads
from pages.ui.lessons import projections_and_heads as projections
from pages.ui.lessons.projection_state import PAGE
from pages.ui.lessons.stages import convention
from pages.ui.lessons.take_away import show_code, show_export, show_tables
from pages.ui.lessons.written import say_reading
from pages.ui.widgets.examples import badge

lesson = open_lesson(PAGE)
with lesson.heading:
    projections.choose_start(lesson)
    projections.choose_sizes(lesson)

left, right = st.columns([0.44, 0.56], gap="medium")

# 1. Tokens, and the matrices of one head that make queries, keys and values of them.
with left:
    projections.choose_plugs(lesson)
    projections.choose_head(lesson)
    labels = projections.edit_inputs(lesson)
    scene = projections.attend(lesson, labels)

# 2. One cell of the product written out; then who reads whom.
with right:
    top = beside = st.container(horizontal=True, vertical_alignment="center")
    upper, lower = st.container(), st.container()
    if projections.is_large(scene) or lesson.projector:  # what an edit moves most shall be on the first screen
        upper, lower = lower, upper
        beside = upper  # else the switch is on the first screen and what it changes is not
    with beside:
        projections.choose_projection(lesson)
    with top:
        badge(lesson, projections.source())
    with upper, st.container(horizontal=True, gap="small"):
        projections.show_projection(lesson, scene)
        with st.container(width=280):
            row = projections.choose_cell(lesson, scene)
            projections.say_cell(lesson, scene)
            projections.say_symmetry(lesson, scene.one)
    with lower:
        projections.show_attention(lesson, scene)
        say_reading(lesson, scene.one, row)
st.caption(convention(lesson, scene.one))

# 3. Several heads: each looks for something else, an average hides it, W_O mixes what they bring.
lesson.say("section_heads")
projection_heads.show_heads(lesson, scene)
lesson.say("section_joined")
projection_heads.show_joined(lesson, scene)

# 4. What W_Q and W_K are together, and what a layer costs.
lesson.say("section_comparison")
projection_heads.show_comparison(lesson, scene)
lesson.say("section_count")
projection_heads.count_parameters(lesson)

# 5. What queries, keys and values are like, and what they are not.
lesson.say("section_roles")
projection_heads.show_roles(lesson)

# 6. Try it yourself.
challenges.show(lesson, projections.facts(scene), projections.begin)

# 7. What to keep in mind, and everything to take away.
lesson.say("notes")
show_tables(lesson, scene.one)
show_export(lesson, scene.one)
show_code(lesson, scene.one)
with lesson.heading:
    show_toolbar(lesson)
settle(lesson)
link_to_next(lesson)
