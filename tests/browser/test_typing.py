"""Typing and pasting into the grids: what was typed stays, what does not fit is said, whatever draws the grid."""

import pytest
from playwright.sync_api import expect
from visitor import (
    PATIENCE,
    begin_cell,
    cell_text,
    edit_cell,
    paste_into_grid,
    press_header,
    type_down,
    wait_idle,
)

GRID = "matrix_lab_query_editor"
EXAMPLE = [["1", "0"], ["0", "1"], ["1", "1"]]


@pytest.fixture
def lab(app, open_page):
    return open_page(app + "/matrix_lab?lang=en")


def texts(page, grid=GRID, rows=3, columns=2):
    return [[cell_text(page, grid, row, column) for column in range(columns)] for row in range(rows)]


def follow(page, link: str):
    """Follow a link of the menu and see that its page opens."""
    page.get_by_role("link", name=link).first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(link.split("· ")[1], timeout=PATIENCE)
    wait_idle(page)


def test_an_unfinished_cell_and_all_earlier_ones_are_there_after_a_visit_to_another_page(lab):
    edit_cell(lab, GRID, 0, 0, "5")
    edit_cell(lab, GRID, 0, 1, "7")
    begin_cell(lab, GRID, 1, 0, "9")
    follow(lab, "1 · By hand")
    follow(lab, "2 · Matrix lab")
    assert texts(lab) == [["5", "7"], ["9", "1"], ["1", "1"]]
    edit_cell(lab, GRID, 2, 1, "4")
    assert texts(lab) == [["5", "7"], ["9", "1"], ["1", "4"]]


@pytest.mark.long
def test_the_same_on_another_page_by_the_link_at_its_end(app, open_page):
    page = open_page(app + "/by_hand?lang=en")
    edit_cell(page, "by_hand_key_editor", 0, 0, "5")
    begin_cell(page, "by_hand_key_editor", 0, 1, "9")
    page.get_by_test_id("stPageLink").last.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Matrix lab", timeout=PATIENCE)
    wait_idle(page)
    follow(page, "1 · By hand")
    assert texts(page, "by_hand_key_editor", rows=1) == [["5", "9"]]


def test_after_the_browsers_back_button_every_finished_cell_is_there(lab):
    follow(lab, "1 · By hand")
    follow(lab, "2 · Matrix lab")
    edit_cell(lab, GRID, 0, 0, "5")
    begin_cell(lab, GRID, 1, 0, "9")
    lab.go_back()
    expect(lab.get_by_role("heading", level=1)).to_contain_text("By hand", timeout=PATIENCE)
    wait_idle(lab)
    follow(lab, "2 · Matrix lab")
    assert cell_text(lab, GRID, 0, 0) == "5"


def test_undo_in_an_unfinished_cell_takes_back_this_cell_alone(lab):
    edit_cell(lab, GRID, 0, 0, "5")
    begin_cell(lab, GRID, 1, 0, "9")
    lab.get_by_role("button", name="Undo", exact=True).first.click()
    lab.wait_for_timeout(1000)
    wait_idle(lab)
    assert texts(lab) == [["5", "0"], ["0", "1"], ["1", "1"]]


@pytest.mark.long
def test_a_choice_made_in_an_unfinished_cell_and_the_cell_both_count(lab):
    begin_cell(lab, GRID, 1, 0, "9")
    lab.locator(".st-key-matrix_lab_rule").get_by_role("radio", name="causal", exact=True).click()
    expect(lab.locator(".st-key-matrix_lab_rule").get_by_role("radio", name="causal", exact=True)).to_be_checked()
    lab.wait_for_timeout(1000)
    wait_idle(lab)
    assert cell_text(lab, GRID, 1, 0) == "9"
    expect(lab.locator(".st-key-matrix_lab_rule").get_by_role("radio", name="causal", exact=True)).to_be_checked()


def test_a_column_of_numbers_typed_without_a_rest_arrives_whole(lab, full):
    columns = [["3", "4", "5"], ["1.5", "-2", "1/4"]] * (6 if full else 1)
    for pause in (180, 60):
        for numbers in columns:
            type_down(lab, GRID, 0, 0, numbers, pause)
            assert [cell_text(lab, GRID, row, 0) for row in range(3)] == numbers


def test_a_click_on_a_columns_name_neither_sorts_nor_hides(lab):
    edit_cell(lab, GRID, 0, 0, "9")
    edit_cell(lab, GRID, 1, 0, "10")
    press_header(lab, GRID, 0)
    assert texts(lab) == [["9", "0"], ["10", "1"], ["1", "1"]]
    assert lab.get_by_text("Hide column").count() == 0
    edit_cell(lab, GRID, 2, 1, "4")
    assert cell_text(lab, GRID, 2, 1) == "4"


def test_a_block_that_fits_is_pasted_from_the_chosen_cell_on(lab):
    paste_into_grid(lab, GRID, 1, 0, "2\t3\n4\t-5.5\n")
    assert texts(lab) == [["1", "0"], ["2", "3"], ["4", "-5.5"]]


@pytest.mark.long
@pytest.mark.parametrize(
    ("row", "column", "text", "read"),
    [
        (0, 0, "\n".join(["\t".join("1234567890") + "\t1\t2"] * 12), "Read as 12×12"),
        (1, 1, "2\t3\n4\t5", "Read as 2×2"),
        (0, 0, "(1)\t(2)\n(100)\t3", "Read as 2×2"),
    ],
    ids=["larger", "over the edge", "bookkeeper's negatives"],
)
def test_a_block_that_does_not_fit_changes_nothing_and_opens_the_paste_box(lab, row, column, text, read):
    paste_into_grid(lab, GRID, row, column, text)
    expect(lab.get_by_text(read)).to_be_visible(timeout=PATIENCE)
    expect(lab.get_by_text("Q has 3×2 cells here")).to_be_visible(timeout=PATIENCE)
    lab.keyboard.press("Escape")
    wait_idle(lab)
    assert texts(lab) == EXAMPLE


@pytest.mark.long
def test_a_pasted_csv_asks_what_its_commas_are(lab):
    paste_into_grid(lab, GRID, 0, 0, "1,2\n3,4")
    expect(lab.locator(".st-key-matrix_lab_query_decimal")).to_be_visible(timeout=PATIENCE)
    lab.locator(".st-key-matrix_lab_query_use button").click()
    wait_idle(lab)
    assert texts(lab, rows=2) == [["1", "2"], ["3", "4"]]


@pytest.mark.long
def test_a_grid_without_a_paste_box_says_what_does_not_fit(app, open_page):
    page = open_page(app + "/sentences?lang=en&source=kinds")
    page.locator(".st-key-sentences_kinds_box summary").click()
    wait_idle(page)
    before = cell_text(page, "sentences_seeks_editor", 0, 0)
    paste_into_grid(page, "sentences_seeks_editor", 0, 0, "\n".join(["\t".join(["7"] * 12)] * 12))
    expect(page.get_by_role("alert").filter(has_text="what was pasted does not fit")).to_be_visible(timeout=PATIENCE)
    assert cell_text(page, "sentences_seeks_editor", 0, 0) == before
