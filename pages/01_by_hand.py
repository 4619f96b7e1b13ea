"""Lesson 1: one query, its keys and values, and every product by hand."""

import streamlit as st

from pages.ui.exercises import challenges
from pages.ui.frame.shell import link_to, open_lesson
from pages.ui.frame.toolbar import settle, show_toolbar
from pages.ui.lessons.by_hand import PAGE
from pages.ui.lessons.scene import attend
from pages.ui.lessons.stages import choose_stage, say_other
from pages.ui.lessons.take_away import show_code, show_tables
from pages.ui.lessons.written import say_reading, say_recap, show_printed, show_sheet, show_vectors
from pages.ui.widgets.controls import choice, choose_precision, choose_scale
from pages.ui.widgets.examples import badge, choose_example, load_example
from pages.ui.widgets.mask_editor import edit_mask
from pages.ui.widgets.matrices import edit_matrices
from pages.ui.widgets.query import edit_length, edit_query
from pages.ui.widgets.tokens import choose_tokens

EXAMPLES = ("abc", "abc_hide_c", "abc_zero", "one_two_one", "love", "negative")

lesson = open_lesson(PAGE)
with lesson.heading:
    choose_example(lesson, EXAMPLES)
    queries, keys = choose_tokens(lesson, ("n_key", "d_k", "d_v"))
    show_toolbar(lesson)
lesson.say("question")

left, right = st.columns([0.28, 0.72] if lesson.projector else [0.36, 0.64], gap="medium")

# 1. What goes in: drag the query, type keys and values, hide a key.
with left:
    query = edit_query(lesson)
    edit_length(lesson, keys)
    matrices = {"query": query} | edit_matrices(lesson, {"key": keys, "value": keys})
    rules, allowed = edit_mask(lesson, queries, keys, rules=("full",))
    scale = choose_scale(lesson, query.shape[1])
    sharing = choice(lesson, "sharing")
    scene = attend(lesson, matrices, allowed, scale, queries, keys, rules, sharing)

# 2. Step by step on paper, compare, scale, share out, mix; then the same in pictures.
with right:
    with st.container(horizontal=True, vertical_alignment="center"):
        stage, precision = choose_stage(lesson), choose_precision(lesson)
        badge(lesson, scene.source)
    say_other(lesson, scene)
    show_sheet(lesson, scene, stage, precision)
    say_reading(lesson, scene, 0)
    show_vectors(lesson, scene)

# 3. Try it yourself.
challenges.show(lesson, {"trace": scene.trace}, load_example)

# 4. Where an article printed something else, what this does not show, and the code.
if not challenges.is_open(lesson, "1h"):  # there the learner is to find what the article got wrong
    show_printed(lesson, scene)
say_recap(lesson, scene)
lesson.say("notes", keys=", ".join(keys))
show_tables(lesson, scene)
show_code(lesson, scene)
link_to(lesson, "matrix_lab", lesson.text("next"))
settle(lesson)
