"""The page on scaling in a browser: dials by keyboard, refusals, language, link, small and large screens."""

import re

import pytest
from playwright.sync_api import expect
from visitor import PATIENCE, expect_on_screen, wait_idle


def alt(page, name: str) -> str:
    return page.locator(f".st-key-scaling_{name}_picture .drawing-plot").get_attribute("aria-label")


def expect_alt(page, name: str, pattern: str) -> None:
    picture = page.locator(f".st-key-scaling_{name}_picture .drawing-plot")
    expect(picture).to_have_attribute("aria-label", re.compile(pattern), timeout=PATIENCE)


def type_into(page, name: str, text: str) -> None:
    box = page.locator(f".st-key-scaling_{name}_dial input[type=text]")
    box.fill(text)
    box.press("Enter")
    wait_idle(page)


def test_the_arrow_keys_turn_d_and_the_pictures_follow(app, open_page):
    page = open_page(app + "/scaling?lang=en")
    expect_alt(page, "histogram", r"√64 = 8 marked")
    raw = alt(page, "histogram").split("; after")[0]
    page.locator(".st-key-scaling_d input").focus()
    page.keyboard.press("ArrowRight")
    expect_alt(page, "histogram", r"√128 = 11\.31 marked")
    page.locator(".st-key-scaling_d input").focus()
    page.keyboard.press("ArrowLeft")
    expect_alt(page, "histogram", re.escape(raw))


def test_a_temperature_of_0_is_refused_beside_its_box_and_the_pictures_stay(app, open_page):
    page = open_page(app + "/scaling?lang=en")
    type_into(page, "temperature", "2")
    expect_alt(page, "row", r"÷ √64 ÷ 2")
    before = alt(page, "row")
    type_into(page, "temperature", "0")
    message = page.get_by_role("alert").filter(has_text="one-hot")
    expect(message).to_be_visible(timeout=PATIENCE)
    expect(message).to_contain_text("Until then 2 is used")
    assert alt(page, "row") == before
    type_into(page, "temperature", "0.01")
    expect(message).to_have_count(0)
    expect_alt(page, "row", r"÷ √64 ÷ 0\.01")


@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_dial_and_its_effect_stand_on_the_first_screen_of_a_projector(app, open_page, language):
    page = open_page(app + f"/scaling?lang={language}", viewport=(1280, 720))
    names = ("d", "scaling", "temperature_dial", "curves_picture", "histogram_picture")
    expect_on_screen(page, *(f"scaling_{name}" for name in names))


def test_the_language_changes_the_words_and_no_number(app, open_page):
    page = open_page(app + "/scaling?lang=en&d=256&temperature=3&aligned=1&scaling=d&source=abc_self")
    numbers = re.findall(r"[\d.]+", alt(page, "row"))
    page.get_by_text("한국어").click()
    wait_idle(page)
    expect(page.get_by_role("heading", name="스케일링과 온도")).to_be_visible(timeout=PATIENCE)
    assert re.findall(r"[\d.]+", alt(page, "row")) == numbers
    expect(page.locator(".st-key-scaling_d input")).to_have_attribute("aria-valuetext", "256")
    assert page.locator(".st-key-scaling_scaling [aria-checked=true]").inner_text() == "÷ d"


def test_a_link_made_here_brings_another_visitor_into_the_same_state(app, open_page):
    page = open_page(app + "/scaling?lang=en&d=16&keys=5&scaling=cosine")
    page.get_by_role("button", name="New seed").click()
    wait_idle(page)
    page.locator(".st-key-scaling_share button").first.click()
    page.get_by_role("button", name="Make a link").click()
    link = page.locator("[data-testid=stCode] code")
    expect(link).to_contain_text("d=16&scaling=cosine", timeout=PATIENCE)
    address = link.inner_text()
    assert "seed=1" in address
    other = open_page(address)
    for name in ("curves", "histogram", "meters", "row"):
        assert alt(other, name) == alt(page, name)
    other.reload()
    wait_idle(other)
    expect_alt(other, "row", re.escape(alt(page, "row")))


@pytest.mark.sweep
@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_reaches_over_the_edge(app, open_page, language, width):
    page = open_page(app + f"/scaling?lang={language}&keys=100&d=1024", viewport=(width, 844))
    page.locator(".st-key-scaling_library_picture .nsewdrag").first.wait_for(state="attached", timeout=PATIENCE)
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("box => box.scrollWidth <= box.clientWidth + 1")
    right = page.locator(".drawing-plot").evaluate_all(
        "all => Math.max(...all.map(e => e.getBoundingClientRect().right))"
    )
    assert right <= width


def test_the_projector_writes_larger(app, open_page):
    page = open_page(app + "/scaling?lang=en")
    tick = page.locator(".st-key-scaling_curves_picture .xtick text").first
    tick.wait_for(timeout=PATIENCE)
    small = tick.evaluate("text => parseFloat(getComputedStyle(text).fontSize)")
    page.get_by_text("Projector", exact=True).click()
    wait_idle(page)
    expect(tick).to_have_css("font-size", "22px", timeout=PATIENCE)
    assert small < 15
