"""Lesson 8: a weight says how much was mixed in here, not why, and not what is true."""

import streamlit as st

from pages.ui.exercises import challenges
from pages.ui.frame.shell import link_to, link_to_next, open_lesson
from pages.ui.frame.toolbar import settle, show_toolbar
from pages.ui.lessons import limits
from pages.ui.widgets.examples import badge

lesson = open_lesson(limits.PAGE)

left, right = st.columns([0.36, 0.64], gap="medium")

# 1. One weight runs from 1 to 98 %, and the output stays where it is.
with left:
    lesson.say("question")
    trace = limits.attend(lesson)
with right:
    limits.show_still(lesson, trace)
    badge(lesson, "example")

# 2. Then what does a weight say about the effect?
lesson.say("section_effect")
limits.show_effects(lesson, trace)
badge(lesson, "example")

# 3. A large weight can be a parking place.
lesson.say("section_sink")
sink = limits.show_sink(lesson)
badge(lesson, "example")

# 4. And one can see meaning where there is none.
lesson.say("section_chance")
limits.show_chance(lesson)

# 5. What can be said, what would have to be tested, what is false?
lesson.say("section_sort")
sorted_as = limits.sort_statements(lesson)

# 6. The articles themselves, checked.
lesson.say("section_claims")
limits.check_claims(lesson)

# 7. Reading the right words and reporting them correctly are two tests.
lesson.say("section_agent")
limits.show_agent(lesson)

# 8. What researchers found, and where in a model this is.
lesson.say("section_papers")
limits.show_papers(lesson)
lesson.say("section_block")
limits.show_block(lesson)

# 9. Try it yourself.
challenges.show(lesson, limits.facts(trace, sink, sorted_as), limits.begin)

# 10. What this page ran, and what it did not.
lesson.say("notes")
with st.container(horizontal=True):
    link_to(lesson, "by_hand", lesson.text("to_by_hand"))
    link_to(lesson, "sentences", lesson.text("to_sentences"))
    link_to(lesson, "cost", lesson.text("to_cost"))
    link_to_next(lesson)
with lesson.heading:
    show_toolbar(lesson)
settle(lesson)
