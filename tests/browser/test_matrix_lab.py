"""The matrix lab as a visitor uses it: nothing typed is lost, nothing needs doing twice."""

import pytest
from playwright.sync_api import expect
from visitor import PATIENCE, cell_text, click_cell, edit_cell, paste_text, wait_idle


@pytest.fixture
def lab(app, open_page):
    return open_page(app + "/matrix_lab?lang=en")


def facts(page, picture: str = "output") -> str:
    """What a picture says of itself in words: computed from the numbers on screen."""
    return page.locator(f".st-key-matrix_lab_{picture}_picture [aria-label]").first.get_attribute("aria-label")


def expect_facts(page, text: str, picture: str = "output"):
    expect(page.locator(f".st-key-matrix_lab_{picture}_picture [aria-label*='{text}']").first).to_be_attached(
        timeout=PATIENCE
    )


def press(page, name: str, exact: bool = True):
    page.get_by_role("button", name=name, exact=exact).first.click()
    wait_idle(page)


def choose(page, key: str, label: str):
    page.locator(f".st-key-{key}").get_by_role("radio", name=label, exact=True).click()
    wait_idle(page)


def load_example(page, name: str):
    press(page, "Examples", exact=False)
    page.locator(f".st-key-matrix_lab_example_{name} button").click()
    wait_idle(page)
    page.keyboard.press("Escape")


@pytest.mark.parametrize(("matrix", "expected"), [("query", "5"), ("key", "5"), ("value", "5")])
def test_three_cells_typed_in_a_row_are_all_kept(lab, matrix, expected):
    for row, column, text in [(0, 0, "5"), (0, 1, "7"), (1, 0, "9")]:
        edit_cell(lab, f"matrix_lab_{matrix}_editor", row, column, text)
    assert [cell_text(lab, f"matrix_lab_{matrix}_editor", *at) for at in [(0, 0), (0, 1), (1, 0)]] == ["5", "7", "9"]
    # The pictures were computed from all three: they differ from the example's in that matrix.
    link = lab.evaluate("() => document.body.innerText")
    assert "computed from your numbers" in link


@pytest.mark.parametrize(
    ("text", "output"),
    [
        (".5", "0.5, 5"),
        ("1,5", "1.5, 15"),
        ("-1e-2", "−0.01, −0.1"),
        ("1/4", "0.25, 2.5"),
        ("−２", "−2, −20"),
    ],
)
def test_a_number_is_read_as_it_was_meant(app, open_page, text, output):
    page = open_page(app + "/matrix_lab?lang=en&query=1&key=1&value=1,1&stage=output")
    edit_cell(page, "matrix_lab_value_editor", 0, 0, text)
    first = output.split(",")[0]
    expect_facts(page, f"its output is {first}, 1")


def test_what_is_no_number_is_named_and_the_last_good_state_stays(lab):
    edit_cell(lab, "matrix_lab_query_editor", 0, 0, "2")
    before = facts(lab)
    edit_cell(lab, "matrix_lab_query_editor", 0, 0, "abc")
    warning = lab.get_by_role("alert").first
    expect(warning).to_contain_text("Q[1, 1]")
    expect(warning).to_contain_text("abc")
    expect(warning).to_contain_text("Until then 2 is used")
    assert facts(lab) == before
    assert cell_text(lab, "matrix_lab_query_editor", 0, 0) == "abc"  # nothing typed is lost


@pytest.mark.parametrize(
    "text",
    ["2\t0\n0\t2\n2\t2", "array([[2., 0.],\n       [0., 2.],\n       [2., 2.]])", "[2 0; 0 2; 2 2]"],
    ids=["spreadsheet", "numpy", "matlab"],
)
def test_a_pasted_matrix_is_echoed_and_then_used(lab, text):
    press(lab, "Fill Q")
    paste_text(lab, "matrix_lab_query_paste", text)
    expect(lab.get_by_text("Read as 3×2")).to_be_visible()
    assert cell_text(lab, "matrix_lab_query_editor", 0, 0) == "1"  # not before the visitor says so
    press(lab, "Fill Q")  # a click elsewhere had closed it; what was pasted is still there
    lab.locator(".st-key-matrix_lab_query_use button").click()
    wait_idle(lab)
    assert cell_text(lab, "matrix_lab_query_editor", 0, 0) == "2"
    assert cell_text(lab, "matrix_lab_query_editor", 2, 1) == "2"


def test_an_example_chosen_after_an_edit_replaces_it(lab):
    edit_cell(lab, "matrix_lab_query_editor", 0, 0, "5")
    load_example(lab, "abc_self")
    assert cell_text(lab, "matrix_lab_query_editor", 0, 0) == "1"
    edit_cell(lab, "matrix_lab_query_editor", 0, 0, "3")
    assert cell_text(lab, "matrix_lab_query_editor", 0, 0) == "3"


def test_resizing_and_back_keeps_the_overlap(lab):
    edit_cell(lab, "matrix_lab_key_editor", 0, 0, "4")
    press(lab, "Tokens", exact=False)
    for count in ("5", "3"):
        box = lab.locator(".st-key-matrix_lab_n_key_dial input")
        box.fill(count)
        box.press("Enter")
        wait_idle(lab)
    lab.keyboard.press("Escape")
    assert cell_text(lab, "matrix_lab_key_editor", 0, 0) == "4"
    assert cell_text(lab, "matrix_lab_key_editor", 2, 1) == "1"
    assert lab.locator("[role=alert]").count() == 0


def test_six_mask_cells_painted_fast_are_all_kept(lab):
    grid = lab.locator(".st-key-matrix_lab_mask_grid")
    cells = grid.locator("button[aria-pressed]")
    for place in (1, 2, 3, 5, 6, 7):
        cells.nth(place).click(no_wait_after=True)
    wait_idle(lab)
    expect(grid.locator("button[aria-pressed='true']")).to_have_count(3)
    expect_facts(lab, "A reads A most (1)", "output")
    expect_facts(lab, "C reads C most (1)", "output")


def test_a_cell_of_a_picture_chooses_query_and_key(lab):
    click_cell(lab, "matrix_lab_scaled_picture", "scaled", 2, 1)
    expect(lab.get_by_text("C → B, written out")).to_be_visible()
    choose(lab, "matrix_lab_row", "A")
    expect(lab.get_by_text("A → B, written out")).to_be_visible()


def test_what_is_said_of_a_cell_under_the_pointer_is_not_cut_off_by_a_small_picture(lab):
    picture = lab.locator(".st-key-matrix_lab_scaled_picture .drawing-graph")
    picture.locator(".heatmaplayer image").wait_for()
    label = picture.locator(".hoverlayer .hovertext")
    for _ in range(20):  # the picture may still move while others above it are drawn
        box = picture.bounding_box()
        lab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        lab.mouse.move(box["x"] + box["width"] / 2 + 8, box["y"] + box["height"] / 2 + 8, steps=4)
        lab.wait_for_timeout(250)
        if label.count():
            break
    expect(label).to_contain_text("its share of the mixture")
    assert label.bounding_box()["width"] > box["width"]  # else this test would prove nothing
    clipping = label.evaluate(
        """label => {
            const found = [];
            for (let one = label.closest('svg'); one.dataset.testid !== 'stMain'; one = one.parentElement)
                if (getComputedStyle(one).overflowX !== 'visible') found.push(one.className);
            return found;
        }"""
    )
    assert clipping == []


def test_leaving_the_page_and_coming_back_loses_nothing(lab):
    edit_cell(lab, "matrix_lab_value_editor", 1, 1, "2.25")
    choose(lab, "matrix_lab_rule", "causal")
    choose(lab, "matrix_lab_scaling", "off")
    before = facts(lab)
    lab.get_by_role("link", name="1 · By hand").first.click()
    wait_idle(lab)
    expect(lab.get_by_role("heading", name="By hand")).to_be_visible()
    lab.get_by_role("link", name="2 · Matrix lab").first.click()
    wait_idle(lab)
    assert cell_text(lab, "matrix_lab_value_editor", 1, 1) == "2.25"
    assert facts(lab) == before
    edit_cell(lab, "matrix_lab_value_editor", 1, 0, "3")
    assert cell_text(lab, "matrix_lab_value_editor", 1, 1) == "2.25"


def test_switching_the_language_half_way_changes_words_and_no_number(lab):
    edit_cell(lab, "matrix_lab_query_editor", 0, 1, "0.75")
    choose(lab, "matrix_lab_rule", "causal")
    choose(lab, "matrix_lab_stage", "+ mask")
    link = lab.url
    lab.get_by_role("radio", name="한국어").click()
    wait_idle(lab)
    expect(lab.get_by_role("heading", name="행렬 실험실")).to_be_visible()
    assert lab.evaluate("() => document.documentElement.lang") == "ko"
    assert "lang=ko" in lab.url != link
    assert cell_text(lab, "matrix_lab_query_editor", 0, 1) == "0.75"
    lab.get_by_role("radio", name="English").click()
    wait_idle(lab)
    for key, label in (("matrix_lab_rule", "causal"), ("matrix_lab_stage", "+ mask")):
        expect(lab.locator(f".st-key-{key}").get_by_role("radio", name=label, exact=True)).to_be_checked()
    lab.reload()
    wait_idle(lab)
    expect(lab.get_by_role("heading", name="Matrix lab")).to_be_visible()


def test_a_link_brings_a_stranger_into_the_same_state(lab, open_page):
    edit_cell(lab, "matrix_lab_query_editor", 0, 0, "1/3")
    choose(lab, "matrix_lab_rule", "causal")
    lab.locator(".st-key-matrix_lab_mask_grid button[aria-pressed]").nth(0).click()
    wait_idle(lab)
    choose(lab, "matrix_lab_row", "C")
    before = facts(lab)
    press(lab, "Share", exact=False)
    press(lab, "Make a link")
    lab.wait_for_url("**mask=**")
    stranger = open_page(lab.url)
    assert facts(stranger) == before
    assert stranger.locator("[role=alert]").count() == 0
    expect(stranger.locator(".st-key-matrix_lab_row").get_by_role("radio", name="C", exact=True)).to_be_checked()
    assert cell_text(stranger, "matrix_lab_query_editor", 0, 0) == "0.333333"


def test_a_mask_can_be_undone_though_its_change_does_not_run_the_whole_page(lab):
    press(lab, "Undo")
    expect(lab.get_by_text("Nothing to undo yet.")).to_be_visible()
    choose(lab, "matrix_lab_rule", "causal")
    expect_facts(lab, "A reads A most (1)")
    press(lab, "Undo")
    expect_facts(lab, "A reads A, C most (0.40)")
    expect(lab.locator(".st-key-matrix_lab_rule").get_by_role("radio", name="none", exact=True)).to_be_checked()


def test_an_exercise_puts_its_example_into_the_grids(lab):
    edit_cell(lab, "matrix_lab_query_editor", 0, 0, "8")
    lab.locator(".st-key-matrix_lab_exercise").get_by_text("2b", exact=True).click()
    wait_idle(lab)
    lab.locator(".st-key-exercise_2b_start button:visible").click()
    wait_idle(lab)
    assert cell_text(lab, "matrix_lab_query_editor", 0, 0) == "1"
    expect_facts(lab, "A reads A, C most (0.40)")


def test_undo_takes_one_step_back_and_redo_one_forward(lab):
    edit_cell(lab, "matrix_lab_query_editor", 0, 0, "8")
    press(lab, "Undo")
    assert cell_text(lab, "matrix_lab_query_editor", 0, 0) == "1"
    press(lab, "Redo")
    assert cell_text(lab, "matrix_lab_query_editor", 0, 0) == "8"


def test_matrices_that_do_not_fit_are_said_and_the_last_picture_stays(lab):
    before = facts(lab)
    press(lab, "Fill K")
    lab.locator(".st-key-matrix_lab_key_transpose button").click()
    wait_idle(lab)
    expect(lab.get_by_text("Q has 2 columns and K has 3")).to_be_visible()
    assert facts(lab) == before


def test_dark_theme_keeps_numbers_readable_and_recolours_at_once(app, open_page):
    page = open_page(app + "/matrix_lab?lang=en", color_scheme="dark")
    colour = page.locator(".st-key-matrix_lab_scaled_picture .xtick text").first.evaluate(
        "e => getComputedStyle(e).fill"
    )
    light = [int(part) for part in colour[4:-1].split(",")[:3]]
    assert min(light) > 180, f"axis labels on the dark page are {colour}"


def test_b38_grids_with_equal_content_do_not_mix(app, open_page):
    page = open_page(app + "/matrix_lab?lang=en&query=1,0;0,1&key=1,0;0,1&value=1,0;0,1")
    edit_cell(page, "matrix_lab_query_editor", 0, 0, "7")
    assert cell_text(page, "matrix_lab_key_editor", 0, 0) == "1"
    assert cell_text(page, "matrix_lab_value_editor", 0, 0) == "1"


def test_b44_an_edit_does_not_land_on_another_row_after_shrinking(lab):
    edit_cell(lab, "matrix_lab_query_editor", 2, 1, "9")
    press(lab, "Tokens")
    box = lab.locator(".st-key-matrix_lab_n_query_dial input")
    box.fill("2")
    box.press("Enter")
    wait_idle(lab)
    lab.keyboard.press("Escape")
    assert [cell_text(lab, "matrix_lab_query_editor", row, 1) for row in (0, 1)] == ["0", "1"]
    assert lab.locator("[role=alert]").count() == 0


def test_b55_b56_twenty_quick_presses_are_twenty_steps(lab):
    edit_cell(lab, "matrix_lab_value_editor", 0, 0, "3")
    press(lab, "Tokens")
    field, plus = (lab.locator(f".st-key-matrix_lab_n_query_{part}") for part in ("dial input", "step_1 button"))
    for _ in range(13):
        plus.click(no_wait_after=True)
    wait_idle(lab)
    expect(field).to_have_value("16", timeout=PATIENCE)
    assert cell_text(lab, "matrix_lab_value_editor", 0, 0) == "3"


def test_b106_hovering_over_all_cells_neither_scrolls_nor_reruns(lab):
    runs = []
    lab.on("websocket", lambda socket: runs.append(socket))
    top = lab.evaluate("() => document.querySelector('[data-testid=stMain]').scrollTop")
    box = lab.locator(".st-key-matrix_lab_scaled_picture .drawing-graph").bounding_box()
    for step in range(12):
        lab.mouse.move(box["x"] + box["width"] * step / 12, box["y"] + box["height"] * step / 12)
    assert lab.locator("[data-testid=stApp][data-test-script-state=running]").count() == 0
    assert lab.evaluate("() => document.querySelector('[data-testid=stMain]').scrollTop") == top


def test_the_whole_lab_by_keyboard(app, open_page):
    """Tab reaches each picture's cells; arrows say what is there, Enter chooses it."""
    page = open_page(app + "/matrix_lab?lang=en&rule=causal")
    picture = page.locator(".st-key-matrix_lab_scaled_picture [role=application]")
    page.locator(".st-key-matrix_lab_scaled_picture .nsewdrag").first.wait_for(state="attached", timeout=PATIENCE)
    picture.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    said = page.locator(".st-key-matrix_lab_scaled_picture [role=status]")
    expect(said).to_contain_text("reads", timeout=PATIENCE)
    page.keyboard.press("Enter")
    wait_idle(page)
    checked = page.locator(".st-key-matrix_lab_row [role=radio][aria-checked=true]")
    expect(checked).to_have_count(1)


def test_of_two_tokens_with_one_name_the_chosen_one_stays_chosen(app, open_page):
    page = open_page(app + "/matrix_lab?lang=en&query_tokens=the+cat+the&key_tokens=a+b+a&row=1")
    choose(page, "matrix_lab_row", "the¹")
    choose(page, "matrix_lab_column", "a¹")
    choose(page, "matrix_lab_scaling", "off")
    for side, name in (("row", "the¹"), ("column", "a¹")):
        radio = page.locator(f".st-key-matrix_lab_{side}").get_by_role("radio", name=name, exact=True)
        expect(radio).to_be_checked(timeout=PATIENCE)
