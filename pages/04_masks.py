"""Lesson 4: a mask decides who may be read, before the shares are handed out."""

import streamlit as st

from attention_core import default_scale
from pages.ui.exercises import challenges
from pages.ui.frame.shell import link_to_next, open_lesson
from pages.ui.frame.toolbar import settle, show_toolbar
from pages.ui.lessons import mask_uses, masks
from pages.ui.lessons.masks import PAGE
from pages.ui.lessons.scene import attend
from pages.ui.lessons.stages import choose_cell, choose_stage, show_stages
from pages.ui.lessons.take_away import show_code, show_export, show_tables
from pages.ui.lessons.written import say_reading
from pages.ui.widgets.examples import badge, choose_example, load_example
from pages.ui.widgets.mask_editor import edit_mask
from pages.ui.widgets.tokens import choose_tokens

EXAMPLES = ("abc_self", "abc_hide_c", "abc", "negative", "love", "cat_toy")

lesson = open_lesson(PAGE)
with lesson.heading:
    choose_example(lesson, EXAMPLES)
    queries, keys = choose_tokens(lesson)
    show_toolbar(lesson)

left, right = st.columns([0.4, 0.6], gap="medium")

# 1. Start from a rule, combine it with a second one, then break it by hand.
with left:
    rules, allowed = edit_mask(lesson, queries, keys, combined=True)
    masks.say_mask(lesson, rules, allowed, queries, keys)
    matrices = masks.edit_in_drawer(lesson, queries, keys)
    scale = default_scale(matrices["key"].shape[1])
    scene = attend(lesson, matrices, allowed, scale, queries, keys, rules)

# 2. See what the mask did: hidden scores leave, the shares that remain grow.
with right:
    with st.container(horizontal=True, vertical_alignment="center"):
        stage = choose_stage(lesson)
        badge(lesson, scene.source)
    pictures = st.container()
    row, column = choose_cell(lesson, scene)
    masks.say_cell(lesson, scene, row, column)
    say_reading(lesson, scene, row)
    with pictures:
        view = masks.view_for(scene)
        show_stages(lesson, scene, stage, row, column, view)

# 3. Other ways to hide a key, right ones and wrong ones.
lesson.say("section_ways")
masks.show_ways(lesson, scene, row)

# 4. A push instead of a ban: penalties, distance, a cap.
lesson.say("section_push")
pushed = masks.show_push(lesson, scene, row, column)

# 5. The same mask under other names.
lesson.say("section_polarity")
masks.show_polarity(lesson, scene)

# 6. What if nothing is allowed?
lesson.say("section_blind")
masks.show_blind(lesson, scene, row)

# 7. What a mask is for: nobody hears a later token, nobody reads padding.
lesson.say("section_change")
mask_uses.show_change(lesson, scene)
lesson.say("section_padding")
mask_uses.show_padding(lesson, scene)

# 8. Without ever seeing a whole row.
lesson.say("section_tiles")
mask_uses.show_tiles(lesson, scene, row)

# 9. Try it yourself.
challenges.show(lesson, {"trace": scene.trace}, load_example)

# 10. What to keep in mind, and everything to take away.
lesson.say("section_notes")
show_tables(lesson, scene)
show_export(lesson, scene)
show_code(lesson, scene)
link_to_next(lesson)
settle(lesson)
