"""One exercise of each kind, solved by a visitor in a real browser; the language is switched half way."""

import re

import pytest
from playwright.sync_api import expect
from visitor import PATIENCE, edit_cell, wait_idle

from pages.ui.exercises.by_lesson import EXERCISES


@pytest.fixture
def hand(app, open_page):
    return open_page(app + "/by_hand?lang=en")


def choose(page, prefix: str, label: str):
    page.locator(f".st-key-{prefix}_exercise").get_by_text(label, exact=True).click()
    wait_idle(page)


def press(page, code: str, name: str):
    page.locator(f".st-key-exercise_{code}_{name} button:visible").click()  # one with a help text is there twice
    wait_idle(page)


def expect_text(page, text: str):
    expect(page.get_by_text(text).first).to_be_visible(timeout=PATIENCE)


def type_query(page, *numbers):
    for place, number in enumerate(numbers):
        box = page.locator(f".st-key-by_hand_query_{place}_dial input[type=text]")
        box.fill(str(number))
        box.press("Enter")
        wait_idle(page)


def speak(page, language: str):
    page.get_by_role("radio", name=language).click()
    wait_idle(page)


def test_a_guess_is_locked_in_english_and_explained_in_korean(hand):
    choose(hand, "by_hand", "poll")
    press(hand, "1p", "option_flatter")
    press(hand, "1p", "option_half")
    press(hand, "1p", "lock")
    expect(hand.locator("[class*='st-key-exercise_1p_option_']")).to_have_count(0)
    expect_text(hand, "They become sharper")
    speak(hand, "한국어")
    expect_text(hand, "더 뾰족해져요")
    press(hand, "1p", "reason_length_counts")
    expect_text(hand, "해결했어요")
    expect_text(hand, "10개 중 1개")


def test_a_state_and_its_reason(hand):
    choose(hand, "by_hand", "1a")
    press(hand, "1a", "reason_away_from_c")
    expect_text(hand, "Not there yet")
    type_query(hand, 0, 5)
    expect_text(hand, "Not there yet")
    speak(hand, "한국어")  # half way
    type_query(hand, -3.3, 3.3)
    expect(hand.locator("[data-testid=stToast]")).to_contain_text("1a", timeout=PATIENCE)
    expect_text(hand, "해결했어요")


def test_a_state_made_in_a_grid_where_other_numbers_may_not_change(hand):
    choose(hand, "by_hand", "1d")
    type_query(hand, 0, 0)
    edit_cell(hand, "by_hand_value_editor", 2, 0, "8")
    edit_cell(hand, "by_hand_value_editor", 2, 1, "8")
    expect_text(hand, "The page shows what was asked for")
    press(hand, "1d", "reason_weights_move")
    expect_text(hand, "Not this explanation")
    press(hand, "1d", "reason_hull_moves")
    expect_text(hand, "Solved.")
    press(hand, "1d", "hint")  # still open, although it is called "✓ 1d" now
    expect_text(hand, "What must the three add to?")
    choose(hand, "by_hand", "1e")
    expect_text(hand, "left from before")
    choose(hand, "by_hand", "✓ 1d")
    expect_text(hand, "Solved.")
    press(hand, "1d", "start")
    expect_text(hand, "rows of V changed: 0 (needed: 1)")


def test_impossible_because(hand):
    choose(hand, "by_hand", "1c")
    press(hand, "1c", "option_impossible")
    press(hand, "1c", "reason_too_small")
    expect_text(hand, "not right yet")
    press(hand, "1c", "reason_hull")
    expect_text(hand, "Solved.")


def test_numbers_in_any_way_of_writing(hand):
    choose(hand, "by_hand", "1h")
    for name, text in (("i", "1,77"), ("love", "1.96"), ("ai", "237/100")):
        box = hand.locator(f".st-key-exercise_1h_{name} input")
        box.fill(text)
        box.press("Tab")
        wait_idle(hand)
    expect_text(hand, "Solved.")


def test_what_is_solved_is_still_there_after_a_visit_to_another_page(hand):
    choose(hand, "by_hand", "1c")
    press(hand, "1c", "option_impossible")
    press(hand, "1c", "reason_hull")
    hand.get_by_role("link", name="2 · Matrix lab").click()
    expect_text(hand, f"in all lessons: 1 of {sum(map(len, EXERCISES.values()))}")
    hand.get_by_role("link", name="1 · By hand").click()
    expect_text(hand, "1 of 10")
    expect(hand.locator(".st-key-by_hand_exercise").get_by_text("✓ 1c")).to_be_visible()


def test_on_a_projector_the_guess_fills_the_screen_and_escape_leaves_it(hand):
    hand.locator("[data-testid=stSidebar] label", has_text="Projector").click()
    wait_idle(hand)
    choose(hand, "by_hand", "poll")
    poll = hand.get_by_role("dialog")
    expect(poll).to_be_visible(timeout=PATIENCE)
    sheet = hand.locator("[data-testid=stDialog] > div").bounding_box()
    assert (sheet["x"], sheet["y"], sheet["width"]) == (0, 0, 1280)
    assert sheet["height"] >= 720
    option = poll.locator(".st-key-exercise_1p_option_same p").first
    assert float(re.match(r"[\d.]+", option.evaluate("node => getComputedStyle(node).fontSize"))[0]) >= 22
    press(hand, "1p", "option_sharper")
    press(hand, "1p", "lock")
    press(hand, "1p", "reason_length_counts")
    expect_text(hand, "Solved.")
    hand.keyboard.press("Escape")
    expect(poll).to_have_count(0)
    expect_text(hand, "1 of 10")


def test_the_keyboard_alone_solves_one(hand):
    pills = hand.locator(".st-key-by_hand_exercise button")
    pills.filter(has_text="1c").focus()
    hand.keyboard.press("Enter")
    wait_idle(hand)
    for name in ("option_impossible", "reason_hull"):
        hand.locator(f".st-key-exercise_1c_{name} button").focus()
        hand.keyboard.press("Enter")
        wait_idle(hand)
    expect_text(hand, "Solved.")


@pytest.mark.parametrize("viewport", [(1280, 720), (390, 844)])
def test_an_open_exercise_never_makes_the_page_scroll_sideways(app, open_page, viewport):
    page = open_page(app + "/by_hand?lang=ko", viewport=viewport)
    choose(page, "by_hand", "1i")
    press(page, "1i", "answer")
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= page.evaluate(
        "document.querySelector('[data-testid=stMain]').clientWidth + 1"
    )
