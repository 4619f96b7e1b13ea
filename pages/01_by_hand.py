"""Lesson 1: one query, its keys and values, and every product by hand."""

import streamlit as st

from pages.ui import challenges, panels, share
from pages.ui.inputs import (
    choose_example,
    choose_precision,
    choose_scale,
    choose_sharing,
    choose_tokens,
    edit_length,
    edit_mask,
    edit_matrices,
    edit_query,
    source_of,
)
from pages.ui.shell import link_to, open_lesson

EXAMPLES = ("abc", "abc_hide_c", "abc_zero", "one_two_one", "love", "negative")

lesson = open_lesson("by_hand")
share.open_link(lesson, "hand")
with lesson.heading:
    choose_example(lesson, "hand", EXAMPLES)
    queries, keys = choose_tokens(lesson, "hand", ("n_key", "d_k", "d_v"))
    share.show_share(lesson, "hand")
    share.undo_and_reset(lesson, "hand")
lesson.say("question")

left, right = st.columns([0.28, 0.72] if lesson.projector else [0.36, 0.64], gap="medium")

# 1. What goes in: drag the query, type keys and values, hide a key.
with left:
    query = edit_query(lesson, "hand")
    edit_length(lesson, "hand", keys)
    matrices = {"query": query} | edit_matrices(lesson, "hand", {"key": keys, "value": keys})
    rules, allowed = edit_mask(lesson, "hand", queries, keys, rules=("full",))
    scale = choose_scale(lesson, "hand", query.shape[1], ("sqrt", "off", "cosine", "own"))
    sharing = choose_sharing(lesson, "hand", ("rows", "sum"))
    scene = panels.attend(lesson, "hand", matrices, allowed, scale, queries, keys, rules, sharing)

# 2. Step by step on paper, compare, scale, share out, mix; then the same in pictures.
with right:
    with st.container(horizontal=True, vertical_alignment="center"):
        stage, precision = panels.choose_stage(lesson, "hand"), choose_precision(lesson, "hand")
        panels.badge(lesson, source_of("hand"))
    panels.say_other(lesson, scene)
    panels.show_sheet(lesson, scene, stage, precision)
    panels.say_reading(lesson, scene, 0)
    panels.show_vectors(lesson, "hand", scene)

# 3. Try it yourself.
challenges.show(lesson, "hand", {"trace": scene.trace})

# 4. Where an article printed something else, what this does not show, and the code.
if not challenges.is_open("hand", "1h"):  # there the learner is to find what the article got wrong
    panels.show_printed(lesson, "hand", scene)
panels.say_recap(lesson, scene)
lesson.say("notes", keys=", ".join(keys))
panels.show_tables(lesson, "hand", scene)
panels.show_code(lesson, "hand", scene)
link_to(lesson, "matrix_lab", lesson.text("next"))
share.settle(lesson, "hand")
