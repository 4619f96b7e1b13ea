"""Lesson 4: a mask decides who may be read, before the shares are handed out."""

import streamlit as st

from attention_core import default_scale
from pages.ui import challenges, mask_panels, panels, share
from pages.ui.inputs import choose_example, choose_tokens, edit_mask, source_of
from pages.ui.shell import link_to_next, open_lesson

EXAMPLES = ("abc_self", "abc_hide_c", "abc", "negative", "love", "cat_toy")

lesson = open_lesson("masks")
share.open_link(lesson, "masks")
with lesson.heading:
    choose_example(lesson, "masks", EXAMPLES)
    queries, keys = choose_tokens(lesson, "masks")
    share.show_share(lesson, "masks")
    share.undo_and_reset(lesson, "masks")

left, right = st.columns([0.4, 0.6], gap="medium")

# 1. Start from a rule, combine it with a second one, then break it by hand.
with left:
    rules, allowed = edit_mask(lesson, "masks", queries, keys, combined=True)
    mask_panels.say_mask(lesson, "masks", rules, allowed, queries, keys)
    matrices = mask_panels.edit_in_drawer(lesson, "masks", queries, keys)
    scale = default_scale(matrices["key"].shape[1])
    scene = panels.attend(lesson, "masks", matrices, allowed, scale, queries, keys, rules)

# 2. See what the mask did: hidden scores leave, the shares that remain grow.
with right:
    with st.container(horizontal=True, vertical_alignment="center"):
        stage = panels.choose_stage(lesson, "masks")
        panels.badge(lesson, source_of("masks"))
    pictures = st.container()
    row, column = panels.choose_cell(lesson, "masks", scene)
    mask_panels.say_cell(lesson, scene, row, column)
    panels.say_reading(lesson, scene, row)
    with pictures:
        view = mask_panels.view_for(scene)
        panels.show_stages(lesson, "masks", scene, stage, row, column, view, source_of("masks"))

# 3. Other ways to hide a key, right ones and wrong ones.
lesson.say("section_ways")
mask_panels.show_ways(lesson, "masks", scene, row)

# 4. A push instead of a ban: penalties, distance, a cap.
lesson.say("section_push")
pushed = mask_panels.show_push(lesson, "masks", scene, row, column)

# 5. The same mask under other names.
lesson.say("section_polarity")
mask_panels.show_polarity(lesson, "masks", scene)

# 6. What if nothing is allowed?
lesson.say("section_blind")
mask_panels.show_blind(lesson, "masks", scene, row)

# 7. What a mask is for: nobody hears a later token, nobody reads padding.
lesson.say("section_change")
mask_panels.show_change(lesson, "masks", scene)
lesson.say("section_padding")
mask_panels.show_padding(lesson, "masks", scene)

# 8. Without ever seeing a whole row.
lesson.say("section_tiles")
mask_panels.show_tiles(lesson, "masks", scene, row)

# 9. Try it yourself.
challenges.show(lesson, "masks", {"trace": scene.trace})

# 10. What to keep in mind, and everything to take away.
lesson.say("section_notes")
panels.show_tables(lesson, "masks", scene)
panels.show_export(lesson, "masks", scene)
panels.show_code(lesson, "masks", scene)
link_to_next(lesson)
share.settle(lesson, "masks")
