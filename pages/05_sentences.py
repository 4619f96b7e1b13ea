"""Lesson 5: words instead of letters, and where the weights of a sentence come from."""

import streamlit as st

from pages.ui.exercises import challenges
from pages.ui.frame.shell import link_to_next, open_lesson
from pages.ui.frame.toolbar import settle, show_toolbar
from pages.ui.lessons import sentences
from pages.ui.lessons.sentence_sources import choose_source, read_sentence
from pages.ui.lessons.sentence_state import PAGE, begin
from pages.ui.lessons.stages import show_stages
from pages.ui.lessons.written import say_reading

lesson = open_lesson(PAGE)
choose_source(lesson)
left, right = st.columns([0.36, 0.64], gap="medium")
scene = None

# 1. A text, cut into tokens by the source that reads it.
with left:
    sentence = read_sentence(lesson)
    heads = st.container()
sentences.judge(sentence)

if sentence.keys:
    # 2. Who may read whom, and what moves the scores.
    with left:
        rules, allowed = sentences.edit_rules(lesson, sentence)
        sentences.edit_pushes(lesson)

    # 3. One head of it, large: a row tells what one token reads under these numbers, and no more.
    layers = sentences.layers_of(lesson, sentence, allowed)
    with heads:
        overview = st.container()
        head = sentences.choose_head(lesson, sentence, layers)
    with overview:
        sentences.show_heads(lesson, sentence, layers, head)
    scene = sentences.attend(lesson, sentence, layers, head, allowed, rules)
    with right:
        stage = sentences.choose_stage(lesson, sentence)
        pictures = st.container()
        row, column = sentences.choose_cell(lesson, scene)
        say_reading(lesson, scene, row)
        with pictures:
            show_stages(lesson, scene, stage, row, column, "one")
            sentences.show_strip(lesson, sentence, scene, row)
        sentences.say_cost(lesson, scene, layers)
        sentences.open_in_lab(lesson, scene)

    # 4. What the token now carries.
    lesson.say("section_carried")
    sentences.show_carried(lesson, sentence, scene, row, head)

# 5. Does a map with meaning look different from noise?
lesson.say("section_lineup")
sentences.show_lineup(lesson)

# 6. Try it yourself.
challenges.show(lesson, sentences.facts(sentence, scene), begin)

# 7. What to keep in mind, and the numbers.
lesson.say("notes")
if scene:
    sentences.show_numbers(lesson, scene, stage, row, column)
with lesson.heading:
    show_toolbar(lesson)
settle(lesson)
link_to_next(lesson)
