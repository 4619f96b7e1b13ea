"""The page on masks as a visitor uses it: paint, combine, push, switch language, take the state along."""

import pytest
from playwright.sync_api import expect
from visitor import PATIENCE, expect_on_screen, wait_idle


@pytest.fixture
def page(app, open_page):
    return open_page(app + "/masks?lang=en")


def cells(page) -> list[str]:
    """The painted mask, a text of 0 and 1 for each query."""
    rows = page.locator(".st-key-masks_mask_grid tbody tr")
    return rows.evaluate_all(
        """rows => rows.map(row => [...row.querySelectorAll('button[aria-pressed]')]
            .map(b => b.getAttribute('aria-pressed') === 'true' ? '1' : '0').join(''))"""
    )


def expect_cells(page, *rows: str):
    for _ in range(40):
        if cells(page) == list(rows):
            return
        page.wait_for_timeout(250)
    assert cells(page) == list(rows)


def press_cell(page, row: int, column: int):
    grid = page.locator(".st-key-masks_mask_grid")
    grid.locator(f"button[data-row='{row}'][data-column='{column}']").click()
    page.wait_for_timeout(50)
    wait_idle(page)


def choose(page, key: str, label: str):
    page.locator(f".st-key-masks_{key}").get_by_role("radio", name=label, exact=True).click()
    page.wait_for_timeout(50)  # the click is on its way to the server
    wait_idle(page)


def type_number(page, key: str, text: str):
    field = page.locator(f".st-key-masks_{key}_dial input[type=text]")
    field.fill(text)
    field.press("Enter")
    page.wait_for_timeout(50)
    wait_idle(page)


def expect_said(page, text: str):
    expect(page.get_by_test_id("stMain")).to_contain_text(text, timeout=PATIENCE)


def expect_facts(page, picture: str, text: str):
    drawn = page.locator(f".st-key-masks_{picture}_picture [aria-label*='{text}']")
    expect(drawn.first).to_be_attached(timeout=PATIENCE)


def test_rule_grid_scores_and_weights_stand_together_on_the_first_screen(page):
    expect_on_screen(page, "masks_rule", "masks_mask_grid", "masks_masked_picture", "masks_weights_picture")


def test_a_painted_cell_moves_the_weights_and_is_said_to_be_painted(page):
    press_cell(page, 1, 0)
    expect_cells(page, "100", "010", "111")
    expect_facts(page, "weights", "B reads B most (1)")
    choose(page, "column", "A")
    expect_said(page, "B → A: blocked by painted by hand.")


def test_two_rules_are_combined_and_both_are_named(page):
    choose(page, "combine", "and")
    expect_cells(page, "100", "110", "110")
    choose(page, "row", "A")
    choose(page, "column", "C")
    expect_said(page, "A → C: blocked by causal, padding.")
    choose(page, "combine", "or")
    expect_cells(page, "110", "110", "111")
    choose(page, "second", "window")
    expect_cells(page, "100", "110", "111")


def test_a_penalty_above_zero_is_refused_beside_its_box_and_the_picture_stays(page):
    type_number(page, "penalty", "-7")
    expect_said(page, "Together they still get 0.0610 % of its row")
    type_number(page, "penalty", "3")
    expect_said(page, "a positive number would favour the hidden keys. Until then -7 is used.")
    expect_said(page, "Together they still get 0.0610 % of its row")


def test_a_window_wider_than_the_sentence_is_refused_and_the_last_mask_stays(page):
    choose(page, "rule", "window")
    expect_cells(page, "100", "110", "011")
    type_number(page, "left", "9")
    expect_said(page, "that reaches beyond the sentence")
    expect_cells(page, "100", "110", "011")


def test_a_whole_row_hidden_on_purpose_is_drawn_empty_and_named(page):
    page.locator(".st-key-masks_blind_button button").click()
    wait_idle(page)
    expect_cells(page, "100", "000", "111")
    expect_said(page, "May read nothing: B.")
    expect_facts(page, "weights", "B may look at nothing")


def test_the_language_can_change_half_way_and_nothing_is_lost(page):
    choose(page, "combine", "and")
    expect_cells(page, "100", "110", "110")
    press_cell(page, 0, 1)
    type_number(page, "penalty", "-4")
    page.locator(".st-key-language").get_by_role("radio", name="한국어").click()
    expect(page.locator("html")).to_have_attribute("lang", "ko", timeout=PATIENCE)
    wait_idle(page)
    expect_cells(page, "110", "110", "110")
    expect(page.locator(".st-key-masks_penalty_dial input[type=text]")).to_have_value("-4")


def test_a_link_brings_the_state_back(page, open_page):
    choose(page, "combine", "or")
    expect_cells(page, "110", "110", "111")  # a click on the mask as it was before would not count
    press_cell(page, 0, 2)
    type_number(page, "tile", "2")
    choose(page, "bias", "ALiBi")
    page.locator(".st-key-masks_share button").first.click()
    page.locator(".st-key-masks_make_link button").click()
    wait_idle(page)
    link = page.url
    assert len(link) < 2000
    other = open_page(link)
    expect_cells(other, "111", "110", "111")
    expect(other.locator(".st-key-masks_tile_dial input")).to_have_value("2")
    expect_said(other, "Slopes of the heads: 0.5, 0.25, 0.125")


def test_the_keyboard_reaches_the_tiles_and_the_partial_output_is_labelled(page):
    choose(page, "rule", "none")
    choose(page, "row", "A")
    page.locator(".st-key-masks_tiles_seen").get_by_role("radio").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_timeout(100)
    wait_idle(page)
    expect_said(page, "Attention over the keys seen so far: (6.697615, 3.302385)")
