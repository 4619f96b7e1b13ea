"""Exercises on the real pages: predict, bring a state about, give reasons, type numbers; progress is kept."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.exercises.by_lesson import EXERCISES
from pages.ui.text import words

KINDS = ("markdown", "warning", "success", "info")
APP = str(Path(__file__).parent.parent / "app.py")


def open_at(page, prefix, code, language="en", **link):
    app = AppTest.from_file(APP, default_timeout=30)
    app.switch_page(f"pages/{page}.py")
    for name, text in {"lang": language, **link}.items():
        app.query_params[name] = text
    app.run()
    return choose(app, prefix, code)


def choose(app, prefix, code):
    app.button_group(key=f"{prefix}_exercise").set_value(code)
    return run(app)


def run(app):
    app.run()
    assert not app.exception
    return app


def click(app, code, name):
    app.button(key=f"exercise_{code}_{name}").click()
    return run(app)


def type_number(app, code, name, text):
    app.text_input(key=f"exercise_{code}_{name}").set_value(text)
    return run(app)


def says(app, key, language="en", **slots):
    text = words(language, "exercises", key, **slots)
    shown = [element.value for kind in KINDS for element in app.get(kind)]
    return any(text in value for value in shown)


def has_button(app, key):
    return any(button.key == key for button in app.button)


def solved(app):
    return ("solved" in app.session_state and app.session_state["solved"]) or []


# --------------------------------------------------------------------------------------- predict, lock, see


def test_a_guess_is_shown_only_after_it_is_locked():
    app = open_at("01_by_hand", "by_hand", "1p")
    assert app.button(key="exercise_1p_lock").disabled
    assert not has_button(app, "exercise_1p_reason_length_counts")
    click(app, "1p", "option_half")
    assert not says(app, "1p_why")
    assert not app.button(key="exercise_1p_lock").disabled
    click(app, "1p", "lock")
    assert says(
        app,
        "guess_wrong",
        guess=words("en", "exercises", "1p_half"),
        truth=words("en", "exercises", "1p_sharper"),
    )
    assert not says(app, "1p_why")


def test_before_the_lock_a_guess_may_be_changed_and_after_it_not():
    app = open_at("01_by_hand", "by_hand", "1p")
    click(app, "1p", "option_half")
    click(app, "1p", "option_sharper")
    assert app.session_state["exercise_1p"]["option"] == "sharper"
    stale = app.button(key="exercise_1p_option_half")
    click(app, "1p", "lock")
    assert not has_button(app, "exercise_1p_option_half")
    stale.click()  # a browser that has not redrawn yet
    run(app)
    assert app.session_state["exercise_1p"]["locked"] == "sharper"


def test_a_second_lock_changes_nothing():
    app = open_at("01_by_hand", "by_hand", "1p")
    click(app, "1p", "option_half")
    stale = app.button(key="exercise_1p_lock")
    click(app, "1p", "lock")
    stale.click()
    run(app)
    assert app.session_state["exercise_1p"]["locked"] == "half"


def test_the_explanation_comes_with_the_right_reason_even_after_a_wrong_guess():
    app = open_at("01_by_hand", "by_hand", "1p")
    click(app, "1p", "option_half")
    click(app, "1p", "lock")
    click(app, "1p", "reason_direction_only")
    assert says(app, "not_this_reason")
    assert solved(app) == []
    click(app, "1p", "reason_length_counts")
    assert says(app, "1p_why")
    assert solved(app) == ["1p"]


def test_reset_gives_the_guess_back():
    app = open_at("01_by_hand", "by_hand", "1p")
    for name in ("option_half", "lock", "reason_length_counts", "reset"):
        click(app, "1p", name)
    assert has_button(app, "exercise_1p_option_half")
    assert solved(app) == []
    assert not says(app, "1p_why")


# ----------------------------------------------------------------------------------- a state and its reason


def test_a_state_without_the_reason_and_a_reason_without_the_state_are_not_enough():
    app = open_at("01_by_hand", "by_hand", "1e")
    click(app, "1e", "reason_zero_only")
    assert says(app, "state_not_yet")
    assert solved(app) == []
    click(app, "1e", "reason_short")
    assert not says(app, "not_this_reason")  # nothing is given away before the state is there
    app.button(key="exercise_1e_start").click()
    run(app)
    load(app, "by_hand", query="0,0")
    assert says(app, "state_there")
    assert says(app, "not_this_reason")
    assert solved(app) == []
    click(app, "1e", "reason_zero_only")
    assert solved(app) == ["1e"]
    assert says(app, "1e_why")


def load(app, prefix, **fields):
    """Open a link to this state, as a new tab of the same visit would."""
    del app.session_state[f"{prefix}_problems"]
    for name, text in fields.items():
        app.query_params[name] = text
    return run(app)


def test_what_is_solved_stays_solved_when_the_state_is_left():
    app = open_at("01_by_hand", "by_hand", "1e")
    load(app, "by_hand", query="0,0")
    click(app, "1e", "reason_zero_only")
    load(app, "by_hand", query="1,0")
    assert says(app, "state_not_yet")
    assert solved(app) == ["1e"]


def test_changing_what_should_stay_is_said_by_name():
    app = open_at("01_by_hand", "by_hand", "1a")
    load(app, "by_hand", query="5,5", key="0,0;1,1;0,0")
    assert says(app, "changed", parts=words("en", "exercises", "part_key"))
    assert not says(app, "state_there")
    app.button(key="exercise_1a_start").click()
    run(app)
    assert not says(app, "changed", parts=words("en", "exercises", "part_key"))


def test_the_other_ways_to_share_out_do_not_count():
    app = open_at("01_by_hand", "by_hand", "1a")
    load(app, "by_hand", query="-3.3,3.4")
    assert says(app, "state_there")
    app.button_group(key="by_hand_sharing").set_value("sum")
    run(app)
    assert not says(app, "state_there")


# ------------------------------------------------------------------------------ impossible, numbers, help


def test_impossible_is_an_answer_and_needs_its_reason():
    app = open_at("01_by_hand", "by_hand", "1c")
    click(app, "1c", "option_impossible")
    assert not says(app, "not_both")
    click(app, "1c", "reason_not_linear")
    assert says(app, "not_both")
    assert solved(app) == []
    click(app, "1c", "reason_hull")
    assert solved(app) == ["1c"]


def test_numbers_are_judged_one_by_one():
    app = open_at("01_by_hand", "by_hand", "1h")
    type_number(app, "1h", "i", "1,77")
    assert says(app, "number_right")
    type_number(app, "1h", "love", "2.06")
    assert says(app, "number_wrong")
    type_number(app, "1h", "ai", "2.37")
    assert solved(app) == []
    type_number(app, "1h", "love", "1.96")
    assert solved(app) == ["1h"]


def test_a_number_is_right_as_the_page_prints_it():
    app = open_at("06_projections_and_heads", "projections_and_heads", "6h")
    type_number(app, "6h", "parameters", "786,432")
    assert says(app, "number_right")
    type_number(app, "6h", "parameters", "786,433")
    assert not says(app, "number_right")
    assert any("786" in warning.value for warning in app.warning)


@pytest.mark.parametrize("text", ["abc", "1e999", "1/0", "nan"])
def test_what_is_no_number_is_said_beside_it(text):
    app = open_at("02_matrix_lab", "matrix_lab", "2a")
    before = len(app.warning)
    type_number(app, "2a", "weights_rows", text)
    assert len(app.warning) == before + 1
    assert solved(app) == []


def test_a_number_can_be_a_guess():
    app = open_at("03_scaling", "scaling", "3a")
    assert app.button(key="exercise_3a_lock").disabled
    type_number(app, "3a", "deviation", "64")
    click(app, "3a", "lock")
    assert says(app, "guess_wrong", guess="64", truth="8")
    assert not any(box.key == "exercise_3a_deviation" for box in app.text_input)


def test_hint_worked_answer_and_reset():
    app = open_at("01_by_hand", "by_hand", "1a")
    click(app, "1a", "hint")
    assert says(app, "1a_hint")
    click(app, "1a", "answer")
    assert says(app, "1a_why")
    assert solved(app) == []  # reading is not solving
    click(app, "1a", "reset")
    assert not says(app, "1a_hint")
    assert not says(app, "1a_why")


# ------------------------------------------------------------------------------------------ what is kept


def test_progress_survives_other_pages_and_another_language():
    app = open_at("01_by_hand", "by_hand", "1c")
    click(app, "1c", "option_impossible")
    click(app, "1c", "reason_hull")
    choose(app, "by_hand", "1p")
    click(app, "1p", "option_half")
    click(app, "1p", "lock")
    app.session_state["language"] = "ko"
    run(app)
    wrong = {
        name: words("ko", "exercises", f"1p_{option}") for name, option in (("guess", "half"), ("truth", "sharper"))
    }
    assert says(app, "guess_wrong", "ko", **wrong)
    app.switch_page("pages/02_matrix_lab.py")
    run(app)
    assert says(app, "progress", "ko", here=0, of=7, solved=1, every=sum(map(len, EXERCISES.values())))
    app.switch_page("pages/01_by_hand.py")
    run(app)
    assert says(app, "progress", "ko", here=1, of=10, solved=1, every=sum(map(len, EXERCISES.values())))
    choose(app, "by_hand", "1p")
    assert says(app, "guess_wrong", "ko", **wrong)


def test_the_solved_are_marked_in_the_choice():
    app = open_at("01_by_hand", "by_hand", "1c")
    for name in ("option_impossible", "reason_hull"):
        click(app, "1c", name)
    assert "✓ 1c" in app.button_group(key="by_hand_exercise").options


def test_no_exercise_is_open_at_first():
    app = AppTest.from_file(APP, default_timeout=30)
    app.switch_page("pages/01_by_hand.py")
    run(app)
    assert not any(str(button.key).startswith("exercise_") for button in app.button)


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize(
    ("page", "prefix"),
    [
        ("01_by_hand", "by_hand"),
        ("02_matrix_lab", "matrix_lab"),
        ("03_scaling", "scaling"),
        ("04_masks", "masks"),
        ("07_cost", "cost"),
        ("08_limits", "limits"),
    ],
)
def test_every_exercise_opens_with_hint_and_answer(page, prefix, language):
    app = AppTest.from_file(APP, default_timeout=30)
    app.switch_page(f"pages/{page}.py")
    app.query_params["lang"] = language
    run(app)
    codes = [option.removeprefix("✓ ") for option in app.button_group(key=f"{prefix}_exercise").options]
    poll = words(language, "exercises", "poll")
    for code in [f"{page[1]}p" if code == poll else code for code in codes]:
        choose(app, prefix, code)
        assert says(app, f"{code}_question", language)
        if has_button(app, f"exercise_{code}_answer"):
            click(app, code, "answer")
            assert says(app, f"{code}_why", language)
