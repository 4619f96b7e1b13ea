"""Page 1 as a learner uses it: drag the query, type keys, hide one, follow the sheet."""

import pytest
from playwright.sync_api import expect
from visitor import PATIENCE, edit_cell, wait_idle


@pytest.fixture
def sheet(app, open_page):
    return open_page(app + "/by_hand?lang=en")


def weights(page) -> str:
    return page.locator(".st-key-by_hand_bars_picture [aria-label]").first.get_attribute("aria-label")


def test_the_sheet_shows_article_3_by_hand(sheet):
    table = sheet.locator(".st-key-sheet table")
    for written in ("1×1 + 0×0 = 1", "1 ÷ √2 = 0.7071", "2.0281 ÷ 5.0562 = 0.4011", "5.0562"):
        expect(table).to_contain_text(written)
    assert "A 0.401, B 0.198, C 0.401" in weights(sheet)
    sheet.locator(".st-key-by_hand_stage").get_by_role("radio", name="× V").click()
    wait_idle(sheet)
    expect(sheet.locator(".st-key-sheet")).to_contain_text("0.4011×10 + 0.1978×0 + 0.4011×4 = 5.6156")


def test_the_query_moves_by_slider_and_by_box(sheet):
    sheet.locator(".st-key-by_hand_query_0_dial input[type=range]").focus()
    for _ in range(10):  # quicker than the server answers: no step may be lost, nor taken back
        sheet.keyboard.press("ArrowRight")
        sheet.wait_for_timeout(60)
    wait_idle(sheet)
    expect(sheet.locator(".st-key-by_hand_query_0_dial input[type=text]")).to_have_value("2", timeout=PATIENCE)
    expect(sheet.locator(".st-key-by_hand_query_0_dial")).to_contain_text("2")
    box = sheet.locator(".st-key-by_hand_query_1_dial input[type=text]")
    box.fill("-2.25")
    box.press("Enter")
    wait_idle(sheet)
    expect(sheet.locator(".st-key-sheet table")).to_contain_text("2×0 + (−2.25)×1 = −2.25", timeout=PATIENCE)


def test_a_hidden_key_gets_nothing_and_the_others_grow(sheet):
    sheet.locator(".st-key-by_hand_mask_grid button[aria-pressed]").nth(2).click()
    wait_idle(sheet)
    expect(sheet.locator(".st-key-by_hand_bars_picture [aria-label*='A 0.670, B 0.330, C 0']").first).to_be_attached(
        timeout=PATIENCE
    )


def test_a_key_typed_wrongly_is_named_beside_its_grid(sheet):
    before = weights(sheet)
    edit_cell(sheet, "by_hand_key_editor", 1, 0, "one")
    expect(sheet.get_by_role("alert").first).to_contain_text("K[2, 1]")
    assert weights(sheet) == before


def test_the_articles_wrong_numbers_stand_beside_the_right_ones(sheet):
    sheet.get_by_role("button", name="Examples").click()
    wait_idle(sheet)
    sheet.locator(".st-key-by_hand_example_love button").click()
    wait_idle(sheet)
    table = sheet.locator("[data-testid=stTable]").last
    for number in ("2.06", "2.21", "1.96", "2.37"):
        expect(table).to_contain_text(number)


def test_the_code_on_the_page_is_the_code_that_runs(sheet):
    sheet.get_by_text("Code", exact=True).click()
    wait_idle(sheet)
    expect(sheet.locator("[data-testid=stCode]")).to_contain_text("import numpy as np")
    program = sheet.locator("[data-testid=stCode] code").inner_text()
    names = {}
    exec(program, names)
    assert [round(float(x), 6) for x in names["output"][0]] == [5.615569, 4.384431]
