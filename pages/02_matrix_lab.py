"""Lesson 2: type Q, K, V and a mask, and see every step change."""

import streamlit as st

from pages.ui.frame.shell import link_to_next, open_lesson
from pages.ui.frame.toolbar import show_toolbar
from pages.ui.lessons import matrix_lab as lab_panels
from pages.ui.lessons.matrix_lab import PAGE
from pages.ui.widgets.examples import choose_example
from pages.ui.widgets.matrices import edit_matrices
from pages.ui.widgets.tokens import choose_tokens

EXAMPLES = ("abc_self", "cat_toy", "cat_table", "love", "one_two_one", "negative", "abc", "abc_hide_c", "xw")

lesson = open_lesson(PAGE)

# 1. Where to start from: an example or a link; one step back; how to look at it.
with lesson.heading:
    choose_example(lesson, EXAMPLES)
    queries, keys = choose_tokens(lesson)
    show_toolbar(lesson)

with st.container(key="lab_bench"):
    # 2. What goes in: three matrices. Whatever cannot be read is said right here.
    with st.container(key="lab_grids"):
        matrices = edit_matrices(lesson, {"query": queries, "key": keys, "value": keys})

    # 3. A scale and a mask, and beside them what comes out; exercises; everything to take away.
    lab_panels.weigh(lesson, matrices, lab_panels.versions(lesson), queries, keys)
link_to_next(lesson)
