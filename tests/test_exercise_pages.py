"""Every exercise on its own page: it begins unsolved and unblamed, its known answer solves it, and no other's does."""

import pytest
from test_exercises import NUMBERS
from visit import open_page, run

from pages.ui.exercises.by_lesson import EXERCISES
from pages.ui.exercises.limits import STATEMENTS
from pages.ui.text import LANGUAGES, sections, words

#: Lesson: its file, and what the keys of its state begin with.
PAGES = {
    "by_hand": ("01_by_hand", "by_hand"),
    "matrix_lab": ("02_matrix_lab", "matrix_lab"),
    "scaling": ("03_scaling", "scaling"),
    "masks": ("04_masks", "masks"),
    "sentences": ("05_sentences", "sentences"),
    "projections_and_heads": ("06_projections_and_heads", "projections_and_heads"),
    "cost": ("07_cost", "cost"),
    "limits": ("08_limits", "limits"),
}
CAT = "The cat sat on the mat because it was"


def _seeking(column: int) -> str:
    """W_Q of the cat sentence, with which the pronoun seeks one kind."""
    return ";".join(",".join("15" if (i, j) == (4, column) else "0" for j in range(6)) for i in range(6))


SEEKS = "5,2,4,3,3,4;2,5,3,4,1,1;6,4,3,2,1,1;3,4,3,2,1,1;7,9,2,0,5,4;6,2,3,0,5,5"
THREE = "2.3,0,0;0,2.3,0;0,0,2.3"
#: What brings each state about from its own start, as a link would write it: nothing but what is asked for.
STATES = {
    "1a": {"query": "-3.3,3.3"},
    "1b": {"query": "1,0.5"},
    "1d": {"query": "0,0", "value": "10,0;0,10;8,8"},
    "1e": {"query": "0,0"},
    "1f": {"query": "4.09,4.09"},
    "1g": {"key": "2.1,0;1,1;0,1"},
    "1i": {"key": "0.2,0.9,0.1,0.7;1,1,0.4,0.3;1.1,0.7,0.6,0.8"},
    "2b": {"query": THREE, "key": THREE},
    "2c": {"key": "2,1;1,2;2,2"},
    "2d": {"query": "-4,4;-4,4;1,1"},
    "3d": {"spread": "2"},
    "3e": {"source": "abc_self", "temperature": "1.744"},
    "3f": {"source": "one_two_one", "temperature": "0.2446"},
    "3h": {"gap": "8"},
    "3i": {"score_spread": "4"},
    "4b": {"mask": "111;111;110"},
    "4d": {"rule": "only_self"},
    "4e": {"rule": "causal"},
    "4e2": {"rule": "window", "left": "2", "right": "0"},
    "4f": {"rule": "padding", "length": "8"},
    "4g": {"mask": "000;111;111"},
    "4i": {"query": "-1,0", "mask": "110"},
    "5e": {"source": "kinds", "text": f"{CAT} tired", "tokeniser": "words", "seeks": SEEKS},
    "5f": {"source": "trained", "text": f"{CAT} soft", "tokeniser": "words"},
    "6c": {"w_query_1": "1,0;-2,2;1,0"},
    "6e": {"start": "cat", "w_query_1": _seeking(0), "w_query_2": _seeking(5)},
    "6g": {"start": "even"},
    "7d": {"fidelity": "0.9884"},
    "7f": {"layers": "5"},
    "8a": {"values": "ones", "s": "6"},
    "8b": {"walk": "free", "q1": "5.6", "q2": "6"},
    "8b2": {"walk": "free", "q1": "0", "q2": "0.57", "hide_c": "1"},
    "8f": {"sink": "4"},
    "8g": {},
}


def choose(at, lesson, code):
    at.button_group(key=f"{PAGES[lesson][1]}_exercise").set_value(code)
    return run(at)


def press(at, key):
    at.button(key=key).click()
    return run(at)


def says(at, key, language="en"):
    """Whether a text stands there; of one with slots, what comes before the first."""
    text = sections(language, "exercises")[key].partition("[[")[0].rstrip("*")
    return any(text in markdown.value for markdown in at.markdown)


def told(at, text):
    return any(text in markdown.value.replace("\\", "") for markdown in at.markdown)


def solved(at):
    return at.session_state["solved"] if "solved" in at.session_state else []  # noqa: SIM401


def bring_about(at, lesson, code):
    """The known answer, as a visitor would have it: by a link in this visit, by the page's own buttons."""
    prefix = PAGES[lesson][1]
    if code == "6g":
        press(at, "projections_and_heads_keep")
    if code == "8g":
        for statement, verdict in STATEMENTS.items():
            at.session_state[f"limits_sort_{statement}"] = verdict
        return run(at)
    for name in list(at.query_params):
        del at.query_params[name]
    if f"{prefix}_example" in at.session_state:  # of which the answer is a change
        at.query_params["example"] = at.session_state[f"{prefix}_example"]
    for name, text in STATES[code].items():
        at.query_params[name] = text
    del at.session_state[f"{prefix}_problems"]
    return run(at)


def answer(at, lesson, exercise):
    code = exercise.code
    if exercise.kind == "state":
        bring_about(at, lesson, code)
        assert says(at, "state_there", at.session_state["language"]), code
    for name in exercise.numbers:
        at.text_input(key=f"exercise_{code}_{name}").set_value(str(NUMBERS[code][0][name]))
    if exercise.numbers:
        run(at)
    if exercise.options:
        press(at, f"exercise_{code}_option_{exercise.right}")
    if exercise.kind == "guess":
        press(at, f"exercise_{code}_lock")
    if exercise.reasons:
        press(at, f"exercise_{code}_reason_{exercise.reason}")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("lesson", PAGES)
def test_every_exercise_begins_unsolved_and_its_known_answer_solves_it(lesson, language, full):
    if language != "en" and not full:
        pytest.skip("the same in another language; pytest --full")
    file, prefix = PAGES[lesson]
    at = open_page(file, lang=language)
    for exercise in EXERCISES[lesson]:
        code = exercise.code
        choose(at, lesson, code)
        blame = words(language, "exercises", "changed", parts="").split(":")[0]
        assert not [warning.value for warning in at.warning if blame in warning.value], code
        if exercise.kind == "state":
            press(at, f"exercise_{code}_start")
            assert not [warning.value for warning in at.warning], code
            assert says(at, "state_not_yet", language), code
            assert says(at, f"{code}_now", language), code
        assert code not in solved(at)
        answer(at, lesson, exercise)
        assert code in solved(at), code
        marked = [option for option in at.button_group(key=f"{prefix}_exercise").options if option.startswith("✓")]
        assert len(marked) == len(solved(at)), code  # at once, not one click later


@pytest.mark.parametrize("lesson", PAGES)
def test_what_one_exercise_leaves_behind_solves_no_other(lesson, full):
    states = [exercise for exercise in EXERCISES[lesson] if exercise.kind == "state"]
    if not full and lesson not in ("by_hand", "limits"):
        states = states[:2]
    at = open_page(PAGES[lesson][0])
    for exercise in states:
        choose(at, lesson, exercise.code)
        press(at, f"exercise_{exercise.code}_start")
        bring_about(at, lesson, exercise.code)
        assert says(at, "state_there"), exercise.code
        at.session_state["solved"] = []
        for other in states:
            if other is not exercise:
                at.session_state[f"exercise_{other.code}"] = {"reason": other.reason}
                choose(at, lesson, other.code)
                assert not says(at, "state_there"), (exercise.code, other.code)
                assert other.code not in solved(at), (exercise.code, other.code)


def test_what_stood_there_before_counts_after_a_new_beginning():
    at = open_page("01_by_hand", query="0,0")
    choose(at, "by_hand", "1e")
    press(at, "exercise_1e_reason_zero_only")
    assert says(at, "state_from_before")
    assert solved(at) == []
    press(at, "exercise_1e_start")
    bring_about(at, "by_hand", "1e")
    assert solved(at) == ["1e"]


def test_a_page_that_does_not_fit_is_told_where_to_start_and_not_blamed():
    at = choose(open_page("01_by_hand"), "by_hand", "1i")
    assert says(at, "start_first")
    assert not at.warning
    press(at, "exercise_1i_start")
    assert says(at, "state_not_yet")
    at.button_group(key="by_hand_scaling").set_value("off")
    run(at)
    part = words("en", "exercises", "part_scale")
    assert [part in warning.value.replace("\\", "") for warning in at.warning] == [True]


def test_an_exercise_says_how_far_it_is():
    at = choose(open_page("01_by_hand"), "by_hand", "1a")
    assert told(at, "Weight of B: **0.1978** (needed: more than 0.9)")
    at.query_params["query"] = "0,5"
    del at.session_state["by_hand_problems"]
    run(at)
    assert told(at, "Weight of B: **0.4928** (needed: more than 0.9)")


def test_what_is_solved_stays_so_when_it_is_opened_again():
    at = choose(open_page("01_by_hand"), "by_hand", "1e")
    bring_about(at, "by_hand", "1e")
    press(at, "exercise_1e_reason_zero_only")
    choose(at, "by_hand", "1a")
    choose(at, "by_hand", "✓ 1e")
    assert says(at, "state_there")
    assert solved(at) == ["1e"]


def test_a_page_that_an_exercise_is_not_about_is_told_where_to_start():
    at = choose(open_page("02_matrix_lab", query="1,0;0,1"), "matrix_lab", "2c")
    assert says(at, "state_elsewhere")
    press(at, "exercise_2c_start")
    assert says(at, "2c_now")


def test_heads_that_are_still_to_be_kept_are_said_to_be_missing():
    at = choose(open_page("06_projections_and_heads"), "projections_and_heads", "6g")
    press(at, "exercise_6g_start")
    assert told(at, "are kept: **✗** · the averages differ by at most **–**")
    press(at, "projections_and_heads_keep")
    assert told(at, "are kept: **✓** · the averages differ by at most **0**")


def test_a_lesson_without_exercises_shows_none(monkeypatch):
    monkeypatch.delitem(EXERCISES, "cost")
    at = open_page("07_cost")
    assert not [group for group in at.button_group if group.key == "cost_exercise"]


def test_no_printed_and_computed_scores_stand_beside_the_question_for_them():
    at = open_page("01_by_hand")
    choose(at, "by_hand", "1i")
    press(at, "exercise_1i_start")
    told = words("en", "common", "printed_love").split(".")[0]
    assert any(told in markdown.value for markdown in at.markdown)
    choose(at, "by_hand", "1h")
    assert not any(told in markdown.value for markdown in at.markdown)
    press(at, "exercise_1h_answer")
    assert any(told in markdown.value for markdown in at.markdown)
