"""Lesson 7: one hop between any two words, and n² cells to pay for it."""

import streamlit as st

from pages.ui.exercises import challenges
from pages.ui.frame.shell import link_to, open_lesson
from pages.ui.frame.toolbar import settle, show_toolbar
from pages.ui.lessons import cost
from pages.ui.widgets.examples import badge

lesson = open_lesson(cost.PAGE)

left, right = st.columns([0.36, 0.64], gap="medium")

# 1. How often is something passed on between two words?
with left:
    lesson.say("question")
    fidelity = cost.set_fidelity(lesson)
    words = cost.edit_sentence(lesson)
    start, end = cost.choose_pair(lesson, words)
with right:
    cost.show_hops(lesson, words, start, end, fidelity)
    badge(lesson, "typed")
    cost.say_hops(lesson, words, start, end, fidelity)
lesson.say("hops_note")

# 2. What the short way costs: n² cells, and three measures that are easily mixed up.
lesson.say("section_cost")
left, right = st.columns([0.36, 0.64], gap="medium")
with left:
    now = cost.set_sizes(lesson)
    cost.say_square(lesson, now)
with right:
    with st.container(horizontal=True):
        cost.show_square(lesson, now)
        cost.show_measures(lesson, now)
    badge(lesson, "typed")
cost.show_table(lesson, now)

# 3. Cheaper, and farther again: a window, and layers on top of each other.
lesson.say("section_window")
cost.show_window(lesson)
badge(lesson, "typed")
link_to(lesson, "masks", lesson.text("to_masks"))

# 4. Not a formula: a clock.
lesson.say("section_measure")
cost.measure(lesson)

# 5. Try it yourself.
challenges.show(lesson, cost.facts(), cost.begin)

# 6. What to keep in mind.
lesson.say("notes")
link_to(lesson, "limits", lesson.text("to_limits"))
with lesson.heading:
    show_toolbar(lesson)
settle(lesson)
