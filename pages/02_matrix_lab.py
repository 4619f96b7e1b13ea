"""Lesson 2: type Q, K, V and a mask, and see every step change."""

import streamlit as st

from pages.ui import challenges, panels, share
from pages.ui.inputs import (
    choose_example,
    choose_scale,
    choose_sharing,
    choose_temperature,
    choose_tokens,
    edit_mask,
    edit_matrices,
    source_of,
)
from pages.ui.shell import link_to_next, open_lesson

EXAMPLES = ("abc_self", "cat_toy", "cat_table", "love", "one_two_one", "negative", "abc", "abc_hide_c", "xw")

lesson = open_lesson("matrix_lab")

# 1. Where to start from: an example or a link; one step back; how to look at it.
share.open_link(lesson, "lab", EXAMPLES[0])
with lesson.heading:
    choose_example(lesson, "lab", EXAMPLES)
    queries, keys = choose_tokens(lesson, "lab")
    share.show_share(lesson, "lab")

left, right = st.columns([0.37, 0.63], gap="medium")

# 2. What goes in: three matrices, a scale, a mask. Whatever does not fit together is said right here.
with left:
    matrices = edit_matrices(lesson, "lab", {"query": queries, "key": keys, "value": keys})
    scale = choose_scale(lesson, "lab", matrices["key"].shape[1]) / choose_temperature(lesson, "lab")
    rules, allowed = edit_mask(lesson, "lab", queries, keys)
    sharing = choose_sharing(lesson, "lab", ("rows", "columns"))
    scene = panels.attend(lesson, "lab", matrices, allowed, scale, queries, keys, rules, sharing)

# 3. What comes out, step by step, beside it: one selection links every picture.
with right, st.container(key="lab_pictures"):
    panels.explore(lesson, "lab", scene, source_of("lab"))

# 4. Try it yourself.
challenges.show(lesson, "lab", {"trace": scene.trace})

# 5. What to keep in mind, and everything to take away.
panels.show_ladder(lesson, scene)
lesson.say("notes")
panels.show_tables(lesson, "lab", scene)
panels.show_export(lesson, "lab", scene)
panels.show_code(lesson, "lab", scene)
with lesson.heading:
    share.undo_and_reset(lesson, "lab")
link_to_next(lesson)
