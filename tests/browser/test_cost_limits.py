"""Pages 7 and 8 in a browser: the first screen, dials by keyboard, refusals, the clock, small screens, dark."""

import re

import pytest
from playwright.sync_api import expect
from visitor import PATIENCE, expect_on_screen, wait_idle


def picture(page, prefix: str, name: str):
    return page.locator(f".st-key-{prefix}_{name}_picture .drawing-plot")


def expect_alt(page, prefix: str, name: str, pattern: str) -> None:
    expect(picture(page, prefix, name)).to_have_attribute("aria-label", re.compile(pattern), timeout=PATIENCE)


def type_number(page, key: str, text: str) -> None:
    type_into(page, f"{key}_dial", text, "input[type=text]")


def type_into(page, key: str, text: str, field: str = "input") -> None:
    box = page.locator(f".st-key-{key} {field}")
    box.fill(text)
    box.press("Enter")
    wait_idle(page)


@pytest.mark.sweep
@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize(
    ("page_name", "keys"),
    [
        ("cost", ["cost_fidelity_dial", "cost_start", "cost_end", "cost_recurrent_picture", "cost_attention_picture"]),
        (
            "limits",
            ["limits_s_dial", "limits_values", "limits_hide_c", "limits_weights_picture", "limits_plane_picture"],
        ),
    ],
)
def test_a_change_and_its_effect_stand_on_the_first_screen_of_a_projector(app, open_page, page_name, keys, language):
    page = open_page(f"{app}/{page_name}?lang={language}", viewport=(1280, 720))
    expect_on_screen(page, *keys)


def test_the_arrow_keys_move_s_and_the_output_stays(app, open_page):
    page = open_page(app + "/limits?lang=en")
    expect_alt(page, "limits", "plane", r"output \(4, 6\).*C 0\.375")
    page.locator(".st-key-limits_s_dial").get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    expect_alt(page, "limits", "plane", r"output \(4, 6\).*C 0\.4173")
    page.locator(".st-key-limits_s_dial").get_by_role("slider").focus()
    page.keyboard.press("ArrowLeft")
    expect_alt(page, "limits", "plane", r"output \(4, 6\).*C 0\.375")


def test_a_fidelity_above_1_is_refused_beside_its_box_and_the_picture_stays(app, open_page):
    page = open_page(app + "/cost?lang=en")
    expect_alt(page, "cost", "recurrent", r"0\.387 of the first")
    type_number(page, "cost_fidelity", "1.5")
    message = page.get_by_role("alert").filter(has_text="between 0 and 1")
    expect(message).to_contain_text("Until then this is used: 0.9", timeout=PATIENCE)
    expect_alt(page, "cost", "recurrent", r"0\.387 of the first")
    type_number(page, "cost_fidelity", "0.5")
    expect(message).to_have_count(0)
    expect_alt(page, "cost", "recurrent", r"0\.002 of the first")


def test_two_words_are_chosen_and_the_arcs_are_counted(app, open_page):
    page = open_page(app + "/cost?lang=en")
    page.locator(".st-key-cost_start button").filter(has_text="cat").click()
    wait_idle(page)
    page.locator(".st-key-cost_end button").filter(has_text=re.compile("^it$")).click()
    expect_alt(page, "cost", "recurrent", r'"cat" to "it" the path hands over 6 times')
    expect_alt(page, "cost", "attention", r'"cat" to "it" the path hands over 1 time;')


def test_a_typed_sentence_is_taken_and_shown_literally(app, open_page):
    page = open_page(app + "/cost?lang=en")
    type_into(page, "cost_text", "<b>bold</b> $x$ *stars* end")
    drawn = picture(page, "cost", "recurrent")
    expect(drawn).to_contain_text("<b>bold</b>", timeout=PATIENCE)
    expect(drawn).to_contain_text("$x$")
    expect(page.locator(".st-key-cost_start")).to_contain_text("*stars*")


def test_the_clock_runs_and_its_result_says_where_it_was_taken(app, open_page):
    page = open_page(app + "/cost?lang=en")
    page.get_by_role("button", name="Measure now").click()
    expect(page.get_by_text("measured on this machine just now").first).to_be_visible(timeout=PATIENCE)
    expect_alt(page, "cost", "timings", r"n = 64: [\d.]+ ms")
    expect(page.locator("[data-testid=stProgress]")).to_have_count(0)


def test_a_card_is_judged_and_stays_judged_on_another_page_and_in_another_language(app, open_page):
    page = open_page(app + "/limits?lang=en")
    page.locator(".st-key-limits_claim_wrong button").click()
    expect(page.get_by_text("They are 0.2483, 0.5035, 0.2483.")).to_be_visible(timeout=PATIENCE)
    page.get_by_role("link", name=re.compile("^7 ·")).first.click()
    wait_idle(page)
    page.get_by_text("한국어").click()
    wait_idle(page)
    page.get_by_role("link", name=re.compile("^8 ·")).first.click()
    wait_idle(page)
    expect(page.get_by_text("0.2483, 0.5035, 0.2483이에요.")).to_be_visible(timeout=PATIENCE)


def test_what_was_set_survives_another_page(app, open_page):
    page = open_page(app + "/limits?lang=en")
    type_number(page, "limits_s", "6")
    expect_alt(page, "limits", "plane", r"C 0\.9766")
    page.get_by_role("link", name=re.compile("^7 ·")).first.click()
    wait_idle(page)
    page.get_by_role("link", name=re.compile("^8 ·")).first.click()
    expect_alt(page, "limits", "plane", r"C 0\.9766")


@pytest.mark.sweep
@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("name", ["cost", "limits"])
@pytest.mark.parametrize("width", [390, 1280])
def test_no_picture_reaches_over_the_edge(app, open_page, name, language, width):
    page = open_page(f"{app}/{name}?lang={language}", viewport=(width, 844))
    page.locator(".drawing-plot .main-svg").last.wait_for(state="attached", timeout=PATIENCE)
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("box => box.scrollWidth <= box.clientWidth + 1")
    right = page.locator(".drawing-plot").evaluate_all(
        "all => Math.max(...all.map(e => e.getBoundingClientRect().right))"
    )
    assert right <= width


def test_of_two_equal_words_the_chosen_one_stays_chosen(app, open_page):
    page = open_page(app + "/cost?lang=en&text=the+dog+saw+the+cat+and+the+bird&start=2&end=8")
    page.locator(".st-key-cost_start").get_by_role("radio", name="the¹", exact=True).click()
    expect(page.get_by_test_id("stMain")).to_contain_text("the chain hands over 7×", timeout=PATIENCE)
    box = page.locator("[class*='st-key-cost_fidelity_box'] input").first
    box.fill("0.8")
    box.press("Enter")
    expect(page.get_by_test_id("stMain")).to_contain_text("r = 0.8", timeout=PATIENCE)
    wait_idle(page)
    expect(page.get_by_test_id("stMain")).to_contain_text("the chain hands over 7×", timeout=PATIENCE)
