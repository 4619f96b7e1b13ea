"""The page of projections and heads in a browser: edits, clicks on maps, switches, links, small and large screens."""

import re

import pytest
from playwright.sync_api import expect
from test_every_page import serious
from visitor import PATIENCE, click_cell, edit_cell, expect_on_screen, wait_idle


def alt(page, name: str) -> str:
    return page.locator(f".st-key-projections_and_heads_{name}_picture .drawing-plot").get_attribute("aria-label")


def expect_alt(page, name: str, pattern: str) -> None:
    picture = page.locator(f".st-key-projections_and_heads_{name}_picture .drawing-plot")
    expect(picture).to_have_attribute("aria-label", re.compile(pattern), timeout=PATIENCE)


def press(page, key: str, text: str) -> None:
    page.locator(f".st-key-projections_and_heads_{key}").get_by_role("radio", name=text, exact=True).click()
    wait_idle(page)


def test_two_edits_of_w_q_reach_the_weights_and_a_wrong_one_is_named(app, open_page):
    page = open_page(app + "/projections_and_heads?lang=en")
    expect_alt(page, "weights", r"b reads a most \(0\.77\)")
    edit_cell(page, "projections_and_heads_w_query_1_editor", 1, 0, "-2")
    edit_cell(page, "projections_and_heads_w_query_1_editor", 1, 1, "2")
    expect_alt(page, "weights", r"b reads a most \(0\.94\)")
    expect_alt(page, "projection", r"b: −4, 4; c: −1, 2")
    edit_cell(page, "projections_and_heads_w_key_1_editor", 0, 0, "two")
    message = page.get_by_role("alert").filter(has_text="W_K[1, 1]")
    expect(message).to_contain_text("not a number", timeout=PATIENCE)
    expect_alt(page, "scores", r"b: 4, −8, 0\.")
    edit_cell(page, "projections_and_heads_w_key_1_editor", 0, 0, "1/2")
    expect(message).to_have_count(0)
    expect_alt(page, "scores", r"b: 2, −8, -?−?\d")
    page.get_by_role("button", name="Undo").click()
    wait_idle(page)
    expect_alt(page, "scores", r"b: 4, −8, 0\.")


def test_a_tie_and_the_plug_board_work_by_keyboard(app, open_page):
    page = open_page(app + "/projections_and_heads?lang=en")
    page.locator(".st-key-projections_and_heads_tie_query input").focus()
    page.keyboard.press("Space")
    expect(page.get_by_text("Scores: symmetric")).to_be_visible(timeout=PATIENCE)
    expect(page.locator(".st-key-projections_and_heads_w_key_1_editor")).to_have_count(0)
    press(page, "query_from", "Y")
    expect_alt(page, "weights", r"Weights, 2 queries by 3 keys")
    expect(page.get_by_text("cross-attention", exact=True)).to_be_visible()


def test_a_click_on_a_map_shows_that_head_and_one_on_q_writes_that_number_out(app, open_page):
    page = open_page(app + "/projections_and_heads?lang=en")
    click_cell(page, "projections_and_heads_head1_picture", "head1", 1, 2)
    expect(page.get_by_text("You are looking at head 2 of 2")).to_be_visible(timeout=PATIENCE)
    expect_alt(page, "projection", r"Rows of Q: a: 0, 3; b: 4, 0; c: 2, 1")
    click_cell(page, "projections_and_heads_projection_picture", "product", 2, 0)
    expect(page.get_by_text("q(c), number 1 = 1×0 + 1×2 + 0×0 = 2")).to_be_visible(timeout=PATIENCE)


def test_kept_heads_stay_on_screen_beside_others(app, open_page):
    page = open_page(app + "/projections_and_heads?lang=en&start=crossed")
    page.get_by_role("button", name="Keep these heads").click()
    wait_idle(page)
    page.locator(".st-key-projections_and_heads_examples button").first.click()
    page.get_by_role("button", name="two heads that look nowhere").click()
    expect(page.get_by_text("differ by at most 0.")).to_be_visible(timeout=PATIENCE)
    expect_alt(page, "kept2", r"average. A: 0\.5, 0\.5; B: 0\.5, 0\.5")
    expect_alt(page, "head2", r"average. A: 0\.5, 0\.5; B: 0\.5, 0\.5")
    assert alt(page, "kept0") != alt(page, "head0")


def test_four_heads_share_two_sets_and_the_state_survives_another_page(app, open_page):
    page = open_page(app + "/projections_and_heads?lang=en")
    press(page, "heads", "4")
    press(page, "key_heads", "2")
    press(page, "head", "3")
    edit_cell(page, "projections_and_heads_w_key_2_editor", 0, 0, "9")
    numbers = [alt(page, name) for name in ("head0", "head1", "head2", "head3", "joined")]
    page.get_by_role("link", name="2 · Matrix lab").first.click()
    expect(page.get_by_role("heading", name="Matrix lab")).to_be_visible(timeout=PATIENCE)
    page.get_by_role("link", name="6 · Projections and heads").first.click()
    expect(page.get_by_text("You are looking at head 3 of 4")).to_be_visible(timeout=PATIENCE)
    wait_idle(page)
    assert [alt(page, name) for name in ("head0", "head1", "head2", "head3", "joined")] == numbers


def test_a_link_made_here_brings_another_visitor_into_the_same_state(app, open_page):
    page = open_page(app + "/projections_and_heads?lang=en&start=cat")
    edit_cell(page, "projections_and_heads_w_query_1_editor", 4, 0, "15")
    expect_alt(page, "weights", r"it reads cat most \(0\.98\)")
    page.locator(".st-key-projections_and_heads_share button").first.click()
    page.get_by_role("button", name="Make a link").click()
    link = page.locator("[data-testid=stCode] code")
    expect(link).to_contain_text("w_query_1=", timeout=PATIENCE)
    other = open_page(link.inner_text())
    for name in ("projection", "scores", "weights", "head0", "joined"):
        assert alt(other, name) == alt(page, name)


def test_the_language_changes_the_words_and_no_number(app, open_page):
    page = open_page(app + "/projections_and_heads?lang=en&query_from=y&tie_query=1")
    numbers = re.findall(r"[\d.]+", alt(page, "head1"))
    page.get_by_text("한국어").click()
    expect(page.get_by_role("heading", name="Q·K·V는 어디서 오나")).to_be_visible(timeout=PATIENCE)
    wait_idle(page)
    assert re.findall(r"[\d.]+", alt(page, "head1")) == numbers


@pytest.mark.parametrize("language", ["en", "ko"])
def test_an_edit_and_its_effect_stand_on_the_first_screen_of_a_projector(app, open_page, language):
    page = open_page(app + f"/projections_and_heads?lang={language}", viewport=(1280, 720))
    names = (
        "query_from",
        "tie_query",
        "w_query_1_editor",
        "w_key_1_editor",
        "projection_picture",
        "weights_picture",
    )
    expect_on_screen(page, *(f"projections_and_heads_{name}" for name in names))


@pytest.mark.sweep
@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("start", ["cat", "xw"])
def test_nothing_reaches_over_the_edge(app, open_page, language, width, start):
    page = open_page(app + f"/projections_and_heads?lang={language}&start={start}&query_from=y", viewport=(width, 844))
    page.locator(".st-key-projections_and_heads_comparison_picture .nsewdrag").first.wait_for(
        state="attached", timeout=PATIENCE
    )
    assert page.locator("[data-testid=stMain]").evaluate("box => box.scrollWidth <= box.clientWidth + 1")
    right = page.locator(".drawing-plot").evaluate_all("a => Math.max(...a.map(e => e.getBoundingClientRect().right))")
    assert right <= width


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious_with_everything_in_use(app, open_page, theme):
    page = open_page(app + "/projections_and_heads?lang=en&heads=4&key_heads=2&query_from=y", color_scheme=theme)
    page.get_by_role("button", name="Keep these heads").click()
    wait_idle(page)
    assert not serious(page)


def test_the_projector_shows_the_weights_first_and_writes_larger(app, open_page):
    page = open_page(app + "/projections_and_heads?lang=en", viewport=(1280, 720))
    page.get_by_text("Projector", exact=True).click()
    wait_idle(page)
    number = page.locator(".st-key-projections_and_heads_weights_picture .textpoint text").first
    expect(number).to_have_css("font-size", "22px", timeout=PATIENCE)
    expect_on_screen(page, "projections_and_heads_weights_picture")


@pytest.mark.parametrize(("start", "projector"), [("xw", True), ("cat", False)])
def test_the_switch_between_q_k_and_v_stands_at_the_picture_that_it_changes(app, open_page, start, projector):
    page = open_page(app + f"/projections_and_heads?lang=en&start={start}", viewport=(1280, 720))
    if projector:
        page.get_by_text("Projector", exact=True).click()
        wait_idle(page)
    page.locator(".st-key-projections_and_heads_projected").scroll_into_view_if_needed()
    press(page, "projected", "K")
    expect_alt(page, "projection", "Rows of K")
    switch = page.locator(".st-key-projections_and_heads_projected").bounding_box()
    title = page.locator(
        ".st-key-projections_and_heads_projection_picture .annotation", has_text="W_K"
    ).last.bounding_box()
    assert 0 <= switch["y"] < title["y"] < switch["y"] + 720 - switch["height"]
