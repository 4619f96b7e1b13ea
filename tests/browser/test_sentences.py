"""The sentence page as a visitor uses it: type, click a head, shuffle, take a head to the lab, come back."""

import pytest
from playwright.sync_api import expect
from visitor import PATIENCE, edit_cell, expect_on_screen, wait_idle

CAT = "The+cat+sat+on+the+mat+because+it+was+tired"


@pytest.fixture
def page(app, open_page):
    return open_page(app + "/sentences?lang=en")


def expect_said(page, text: str):
    expect(page.get_by_test_id("stMain")).to_contain_text(text, timeout=PATIENCE)


def expect_facts(page, picture: str, text: str):
    drawn = page.locator(f".st-key-sentences_{picture}_picture [aria-label*='{text}']")
    expect(drawn.first).to_be_attached(timeout=PATIENCE)


def choose(page, key: str, label: str):
    page.locator(f".st-key-sentences_{key}").get_by_role("radio", name=label, exact=True).click()
    page.wait_for_timeout(50)  # the click is on its way to the server
    wait_idle(page)


def press(page, key: str):
    page.locator(f".st-key-sentences_{key} button").first.click()
    page.wait_for_timeout(50)
    wait_idle(page)


def type_sentence(page, text: str):
    area = page.locator(".st-key-sentences_text textarea")
    area.fill(text)
    area.press("Control+Enter")
    page.wait_for_timeout(50)
    wait_idle(page)


def test_the_sentence_and_its_map_stand_together_on_the_first_screen(page):
    keys = [f"sentences_{name}" for name in ("source", "text", "weights_picture")]
    expect_on_screen(page, *keys, bottom=740)  # of the picture, the name below may be cut


def test_one_word_moves_it_from_cat_to_mat(page):
    expect_said(page, "it reads cat most")
    type_sentence(page, "The cat sat on the mat because it was soft")
    expect_said(page, "it reads mat most")


def test_typed_markup_is_shown_and_does_nothing(page):
    choose(page, "source", "hand-built kinds")
    type_sentence(page, "<img src=x onerror=alert(1)> $x^2$ <a href='http://example.org'>a</a>")
    expect_facts(page, "strip", "img")
    assert page.locator("[data-testid=stMain] img[src='x']").count() == 0
    assert page.locator("[data-testid=stMain] a[href='http://example.org']").count() == 0


def test_a_click_on_a_small_map_shows_that_head(page):
    choose(page, "source", "MiniLM, recorded")
    expect_facts(page, "overview", "layer 5, head 11")
    plot = page.locator(".st-key-sentences_overview_picture .nsewdrag").first
    box = plot.bounding_box()
    page.mouse.click(box["x"] + box["width"] * 2.5 / 12, box["y"] + box["height"] * 0.5 / 6)
    expect_facts(page, "overview", "layer 0, head 2")
    expect_facts(page, "weights", "cat reads the¹ most")


def test_the_seek_table_can_be_edited(app, open_page):
    page = open_page(f"{app}/sentences?lang=en&source=kinds&text={CAT}")
    page.locator(".st-key-sentences_kinds_box summary").click()
    wait_idle(page)
    edit_cell(page, "sentences_seeks_editor", 4, 1, "9")
    expect_said(page, "it reads mat most (weight 0.504)")


def test_a_head_goes_to_the_matrix_lab_with_its_mask(app, open_page):
    page = open_page(f"{app}/sentences?lang=en&source=table&rule=causal")
    press(page, "open_lab")
    page.wait_for_url("**/matrix_lab*")
    wait_idle(page)
    expect(page.locator(".st-key-matrix_lab_cell")).to_contain_text("tired", timeout=PATIENCE)
    expect_said(page, "it reads cat most (weight 0.494)")


def test_the_language_can_change_half_way_and_the_sentence_stays(page):
    type_sentence(page, "The dog sat on the mat because it was soft")
    page.locator(".st-key-language").get_by_role("radio", name="한국어").click()
    wait_idle(page)
    expect(page.locator(".st-key-sentences_text textarea")).to_have_value("The dog sat on the mat because it was soft")
    expect_said(page, "문장")


def test_a_link_brings_the_state_back(page, open_page):
    choose(page, "source", "hand-built kinds")
    press(page, "shuffle")
    page.locator(".st-key-sentences_share button").first.click()
    page.locator(".st-key-sentences_make_link button").click()
    wait_idle(page)
    link = page.url
    assert len(link) < 2000
    text = page.locator(".st-key-sentences_text textarea").input_value()
    other = open_page(link)
    expect(other.locator(".st-key-sentences_text textarea")).to_have_value(text)
    expect_said(other, "hand-built")


def test_64_tokens_are_drawn_and_the_page_does_not_scroll_sideways(app, open_page):
    page = open_page(f"{app}/sentences?lang=ko&source=random&text={'+'.join([CAT] * 7)}", viewport=(390, 844))
    expect_said(page, "토큰 64개")
    main = page.get_by_test_id("stMain")
    assert main.evaluate("main => main.scrollWidth <= main.clientWidth + 1")


@pytest.mark.parametrize("width", [1024, 1100])
def test_a_smaller_screen_gets_narrower_cells_with_all_their_numbers(app, open_page, width):
    page = open_page(app + "/sentences?lang=en", viewport=(width, 768))
    expect_facts(page, "weights", "it reads cat most")
    numbers = page.locator(".st-key-sentences_weights_picture .textpoint text")
    expect(numbers).to_have_count(100, timeout=PATIENCE)  # the picture for phones has none
    cell = page.locator(".st-key-sentences_weights_picture .heatmaplayer image").first.bounding_box()["width"] / 10
    assert max(box["width"] for box in (number.bounding_box() for number in numbers.all())) < cell


def test_on_a_projector_the_weights_stand_on_the_first_screen_in_large_numbers(app, open_page):
    page = open_page(app + "/sentences?lang=en")
    page.get_by_text("Projector", exact=True).click()
    wait_idle(page)
    number = page.locator(".st-key-sentences_weights_picture .textpoint text").first
    expect(number).to_have_css("font-size", "22px", timeout=PATIENCE)
    expect_on_screen(page, "sentences_weights_picture", bottom=810)  # sums below and the name may be cut


def test_a_choice_counts_and_nothing_scrolls_when_the_chosen_one_is_out_of_sight(app, open_page):
    page = open_page(app + "/sentences?lang=en&source=recorded", viewport=(1280, 720))
    expect_facts(page, "overview", "layer 5, head 11")
    main, heads = page.get_by_test_id("stMain"), page.locator(".st-key-sentences_head").get_by_role("radio")
    heads.nth(11).click()
    page.get_by_text("All heads", exact=True).click()  # the focus leaves the heads, which remember where it was
    # Twelve heads take two lines: the second, with the chosen one, goes below the window's edge.
    below = heads.nth(11).bounding_box()["y"] - 722
    main.evaluate("(main, by) => main.scrollBy(0, by)", below)
    page.wait_for_timeout(300)
    place, before = heads.nth(2).bounding_box(), main.evaluate("main => main.scrollTop")
    assert place["y"] < 715 < heads.nth(11).bounding_box()["y"]
    page.mouse.move(place["x"] + 15, place["y"] + 10)
    page.mouse.down()
    page.wait_for_timeout(60)  # a hand is not as quick as a machine
    page.mouse.up()
    expect_facts(page, "overview", "layer 5, head 2")
    assert main.evaluate("main => main.scrollTop") == before
    page.keyboard.press("ArrowRight")  # the keyboard goes on from the choice that was clicked
    page.keyboard.press("Space")
    expect_facts(page, "overview", "layer 5, head 3")


def test_a_typed_sentence_is_handed_in_by_a_press_on_a_choice(page):
    area = page.locator(".st-key-sentences_text textarea")
    area.fill("A dog sat")
    choose(page, "source", "random")
    expect(area).to_have_value("A dog sat")
    expect_facts(page, "strip", "dog")


@pytest.mark.parametrize("way", ["open_lab", "link"])
def test_another_page_is_shown_from_its_top(page, way):
    main = page.get_by_test_id("stMain")
    button = page.locator(".st-key-sentences_open_lab button").first
    button.wait_for(timeout=PATIENCE)
    # A page that is never short keeps its place for certain; others do when the next page is there quickly.
    page.add_style_tag(content="[data-testid=stMainBlockContainer] { min-height: 9000px; }")
    if way == "open_lab":
        main.evaluate("main => main.scrollTo(0, 400)")
        button.click()
        page.wait_for_url("**/matrix_lab*")
    else:
        main.evaluate("main => main.scrollTo(0, 3000)")
        page.get_by_role("link", name="Masks").first.click()
        page.wait_for_url("**/masks*")
    wait_idle(page)
    expect_on_screen(page, "heading")
