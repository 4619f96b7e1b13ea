"""Lesson 3: what √d and the temperature do to the weights, tried on random vectors."""

import streamlit as st

from pages.ui.exercises import challenges
from pages.ui.frame.shell import link_to_next, open_lesson
from pages.ui.frame.toolbar import settle, show_toolbar
from pages.ui.lessons import scaling
from pages.ui.lessons.scaling_experiment import run_experiment
from pages.ui.widgets.examples import badge

lesson = open_lesson(scaling.PAGE)

left, right = st.columns([0.28, 0.72], gap="medium")

# 1. Two dials that multiply, and the random vectors they work on.
with left:
    lesson.say("question")
    scaling.turn_dials(lesson)
    scaling.edit_experiment(lesson)
    experiment = run_experiment(lesson)

# 2. The spread of the scores decides how sharp the weights are.
with right:
    with st.container(horizontal=True):
        scaling.show_curves(lesson, experiment)
        scaling.show_histogram(lesson, experiment)
        scaling.show_meters(lesson, experiment)
        scaling.show_row(lesson, experiment)
    badge(lesson, "random")
    scaling.say_spread(lesson, experiment)

# 3. Before and after beside each other: random queries, or numbers that can be checked by hand.
lesson.say("beside")
scaling.show_difference(lesson, experiment)

# 4. Without any vectors: how far apart must scores be?
lesson.say("gaps")
scaling.show_gaps(lesson)

# 5. Try it yourself.
challenges.show(lesson, scaling.facts(experiment), scaling.begin)

# 6. What to keep in mind, and the numbers.
lesson.say("notes")
scaling.show_reference(lesson, experiment)
with lesson.heading:
    show_toolbar(lesson)
settle(lesson)
link_to_next(lesson)
