"""Exercises on a page: predict and lock, bring a state on screen and say why it works, type numbers.

The questions and checks are in the modules beside this one, one a lesson, their words in
pages/text/*/exercises.md. What a visitor answered is kept for as long as they stay.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from attention_core import InputError
from attention_core.matrix_text import read_number
from pages.ui.exercises.answers import answer_of, is_solved, note_answer, put_answer, recall, solve, take_back
from pages.ui.exercises.by_lesson import EXERCISES
from pages.ui.exercises.exercise import Exercise, changed, reached, watched
from pages.ui.pictures.numbers import number
from pages.ui.state.session import keep, kept
from pages.ui.text import as_markdown
from pages.ui.widgets.errors import error_words
from pages.ui.widgets.lesson import Lesson

#: The boxes for numbers of each exercise.
FIELDS_OF = {each.code: tuple(each.numbers) for ours in EXERCISES.values() for each in ours}


def show(
    lesson: Lesson,
    facts: Mapping[str, object],
    begin: Callable[[Lesson, str], object],
) -> None:
    """The lesson's exercises, one at a time. ``facts`` is what is on screen, by the names the checks use.

    ``begin`` puts a page into the start of that name.
    """
    exercises = {exercise.code: exercise for exercise in EXERCISES.get(lesson.name, ())}
    if not exercises:
        return
    words = replace(lesson, name="exercises")
    recall(FIELDS_OF)
    with st.container(key="challenges"):
        st.markdown(f"### {words.text('exercises')}")
        above, code = st.container(), lesson.kept("exercise", None)
        start = partial(begin, lesson)
        if code:
            _show_one(words, exercises[code], facts, start)
            note_answer(code, FIELDS_OF[code])
        here, of = solved_of(lesson.name)
        every = sum(len(ours) for ours in EXERCISES.values())
        with above:  # drawn last, so that what has just been solved is marked at once
            st.markdown(words.text("progress", here=here, of=of, solved=len(kept("solved", [])), every=every))
            st.pills(
                words.text("choose"),
                list(exercises),
                format_func=lambda code: _name(words, code),
                key=lesson.key("exercise"),
                wrap=True,
                on_change=_open,
                args=(lesson,),
            )


def solved_of(lesson_name: str) -> tuple[int, int]:
    """How many of a lesson's exercises this visitor has solved, and how many there are."""
    recall(FIELDS_OF)
    ours = [exercise.code for exercise in EXERCISES.get(lesson_name, ())]
    return sum(is_solved(code) for code in ours), len(ours)


def is_open(lesson: Lesson, code: str) -> bool:
    """Whether the visitor is at this exercise: it is chosen, not solved yet, and its answer not asked for."""
    return lesson.kept("exercise", None) == code and not _is_told(code)


def _open(lesson: Lesson) -> None:
    """An exercise is chosen: what the page shows from before does not count, even if it did the last time."""
    if code := lesson.kept("exercise", None):
        put_answer(code, {"begun": False, "there": False})


def _name(words: Lesson, code: str) -> str:
    name = words.text("poll") if code.endswith("p") else code
    return f"✓ {name}" if is_solved(code) else name


def _show_one(
    words: Lesson,
    exercise: Exercise,
    facts: Mapping[str, object],
    start: Callable[[str], object],
) -> None:
    if exercise.kind == "guess" and words.projector:
        close = {"on_dismiss": lambda: words.keep(exercise=None)}
        st.dialog(words.text("poll_title"), width="large", **close)(_guess)(words, exercise)
        return
    with st.container(border=True):
        if exercise.kind == "guess":
            _guess(words, exercise)
            return
        st.markdown(words.text(f"{exercise.code}_question"))
        match exercise.kind:
            case "choice":
                _choice(words, exercise)
            case "state":
                _state(words, exercise, facts, start)
            case "numbers":
                _numbers(words, exercise)
        _help(words, exercise)


# ------------------------------------------------------------------------------------------------- four kinds


def _guess(words: Lesson, exercise: Exercise) -> None:
    """Predict, lock, see; then the reason, then the explanation."""
    code, answer = exercise.code, answer_of(exercise.code)
    locked = "locked" in answer
    st.markdown(f"{'## ' if words.projector else ''}{words.text(f'{code}_question')}")
    if not locked:
        if exercise.options:
            _options(words, code, "option", exercise.options)
            guess = answer.get("option")
        else:
            given = _fields(words, exercise)
            guess = given if None not in given.values() else None
        lock = {"locked": guess}
        st.button(
            words.text("lock"), key=f"exercise_{code}_lock", type="primary", disabled=guess is None,
            on_click=put_answer, args=(code, lock),
        )  # fmt: skip
        return
    guess = answer["locked"]
    if exercise.options:
        hit = guess == exercise.right
        seen, truth = (words.text(f"{code}_{option}") for option in (guess, exercise.right))
    else:
        hit = all(exercise.numbers[name](number) for name, number in guess.items())
        seen, truth = ", ".join(f"{number:g}" for number in guess.values()), words.text(f"{code}_truth")
    st.markdown(words.text("guess_right" if hit else "guess_wrong", guess=seen, truth=truth))
    if _reasons(words, exercise):
        solve(code)
    _explain(words, exercise)
    st.button(
        words.text("reset"),
        key=f"exercise_{code}_reset",
        on_click=take_back,
        args=(exercise.code, tuple(exercise.numbers)),
    )


def _choice(words: Lesson, exercise: Exercise) -> None:
    """An option and a reason; only both together are an answer."""
    answer = answer_of(exercise.code)
    _options(words, exercise.code, "option", exercise.options)
    st.markdown(words.text("which_reason"))
    _options(words, exercise.code, "reason", exercise.reasons)
    if "option" in answer and "reason" in answer:
        if (answer["option"], answer["reason"]) == (exercise.right, exercise.reason):
            solve(exercise.code)
        else:
            st.markdown(words.text("not_both"))


def _state(words: Lesson, exercise: Exercise, facts: Mapping[str, object], start: Callable[[str], object]) -> None:
    """What is on screen has to be as asked for, and the reason has to be right at the same time.

    It counts once the page has shown, since the exercise was chosen, a state that fits it and is not yet what is
    asked for. So nothing is solved by what another exercise left behind, and nobody is warned of parts that must
    stay before they were in place.
    """
    code, answer = exercise.code, answer_of(exercise.code)
    shown, live = reached(exercise, facts), watched(exercise, facts)
    parts = changed(exercise, facts["trace"]) if exercise.fixed else ()
    begun = answer.get("begun", False) or (bool(live) and not shown)
    solved = is_solved(code)
    there = shown and (begun or solved)
    st.button(
        words.text("start"), key=f"exercise_{code}_start", type="secondary" if begun else "primary",
        help=words.text("start_help"), on_click=start, args=(exercise.example,),
    )  # fmt: skip
    if parts:
        tell = words.warn if begun else words.say
        named = ", ".join(words.text(f"part_{part}") for part in parts)
        tell("changed" if begun else "start_first", parts=named)
    elif not live:
        words.say("state_elsewhere")
    elif shown and not there:
        words.say("state_from_before")
    else:
        words.say("state_there" if there else "state_not_yet")
        words.say(f"{code}_now", **{name: _written(value) for name, value in live.items()})
    if there and not answer.get("there") and not solved:
        st.toast(words.text("state_toast", code=code), icon="✅")
    keep(f"exercise_{code}", answer | {"begun": begun, "there": there})
    if _reasons(words, exercise, judge=there) and there:
        solve(code)


def _numbers(words: Lesson, exercise: Exercise) -> None:
    """Each number is judged as soon as it is typed."""
    given = _fields(words, exercise, judge=True)
    if all(number is not None and exercise.numbers[name](number) for name, number in given.items()):
        solve(exercise.code)


# ---------------------------------------------------------------------------------------------------- pieces


def _written(value: object) -> str:
    """A watched value for reading: a number, a point, whether something holds; a dash where there is nothing."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "✓" if value else "✗"
    if isinstance(value, np.ndarray):
        return f"({', '.join(number(x) for x in value)})"
    return number(value)


def _options(words: Lesson, code: str, part: str, options: tuple[str, ...]) -> None:
    """Buttons to choose one from. Not radio buttons: those lose their dot when the language is switched."""
    chosen = answer_of(code).get(part)
    with st.container(gap="xsmall", key=f"exercise_{code}_{part}s"):
        for option in options:
            st.button(
                f"{'●' if option == chosen else '○'} {words.text(f'{code}_{option}')}",
                key=f"exercise_{code}_{part}_{option}", width="stretch",
                on_click=put_answer, args=(code, {part: option}),
            )  # fmt: skip


def _reasons(words: Lesson, exercise: Exercise, judge: bool = True) -> bool:
    """The reasons to choose from; whether the right one is chosen. Without ``judge`` that is not said."""
    st.markdown(words.text("which_reason"))
    _options(words, exercise.code, "reason", exercise.reasons)
    reason = answer_of(exercise.code).get("reason")
    if judge and reason and reason != exercise.reason:
        st.markdown(words.text("not_this_reason"))
    return reason == exercise.reason


def _fields(words: Lesson, exercise: Exercise, judge: bool = False) -> dict[str, float | None]:
    """Boxes for numbers, written in any way that the matrices take too; None for what is no number yet."""
    given = {}
    with st.container(horizontal=True):
        for name, check in exercise.numbers.items():
            key = f"exercise_{exercise.code}_{name}"
            with st.container(width=190, gap="xsmall"):
                text = st.text_input(words.text(f"{exercise.code}_{name}"), key=key, persist_state="session")
                given[name] = None
                if not text or not text.strip():
                    continue
                try:
                    given[name] = _answer_number(text, check)
                except InputError as error:
                    st.warning(as_markdown(error_words(words, error)), icon="⚠️")
                    continue
                if judge:
                    st.markdown(words.text("number_right" if check(given[name]) else "number_wrong"))
    return given


def _answer_number(text: str, is_right: Callable[[float], bool]) -> float:
    """As the matrices read it; 786,432 may be a right 786432 as well."""
    try:
        return read_number(text)
    except InputError as error:
        if error.reason == "thousands" and is_right(number := read_number(text.replace(",", ""))):
            return number
        raise


def _help(words: Lesson, exercise: Exercise) -> None:
    """Hint, worked answer and reset; the explanation is there as soon as the exercise is solved."""
    code, answer = exercise.code, answer_of(exercise.code)
    with st.container(horizontal=True):
        for name in ("hint", "answer"):
            put = {name: not answer.get(name)}
            st.button(
                words.text(name),
                key=f"exercise_{code}_{name}",
                type="tertiary",
                on_click=put_answer,
                args=(code, put),
            )
        st.button(
            words.text("reset"),
            key=f"exercise_{code}_reset",
            type="tertiary",
            on_click=take_back,
            args=(exercise.code, tuple(exercise.numbers)),
        )
    if answer.get("hint"):
        st.info(words.text(f"{code}_hint"))
    _explain(words, exercise)


def _explain(words: Lesson, exercise: Exercise) -> None:
    if not _is_told(exercise.code):
        return
    lines = [words.text("solved")] if is_solved(exercise.code) else []
    if exercise.kind == "choice":
        option, reason = (words.text(f"{exercise.code}_{part}") for part in (exercise.right, exercise.reason))
        lines += [f"**{option}**", reason]
    st.success("\n\n".join([*lines, words.text(f"{exercise.code}_why")]))


def _is_told(code: str) -> bool:
    """Whether the explanation stands there: it is solved, or its worked answer was asked for."""
    return is_solved(code) or bool(answer_of(code).get("answer"))
