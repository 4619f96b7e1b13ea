"""What must hold on every page, found by walking the folder: accessible, inside the screen, and silent."""

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from visitor import PATIENCE, expect_on_screen, wait_idle

from pages.ui.text import LANGUAGES, words

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["", *(re.sub(r"^\d+_", "", path.stem) for path in sorted((ROOT / "pages").glob("[0-9]*.py")))]

#: Violations in Streamlit's own elements, by rule and a part of the element: nothing a page can change.
STREAMLITS_OWN = {}


def serious(page) -> list[str]:
    """Serious and critical findings of axe-core, without those in Streamlit's own elements."""
    settle(page)
    found = []
    for violation in Axe().run(page).response["violations"]:
        for node in violation["nodes"]:
            own = STREAMLITS_OWN.get(violation["id"], [])
            if violation["impact"] in ("serious", "critical") and not any(part in node["html"] for part in own):
                found.append(f"{violation['id']}: {node['html'][:200]}")
    return found


def settle(page) -> None:
    """What Streamlit has just drawn fades in, and would be measured half transparent."""
    page.wait_for_function("() => !document.querySelector('[data-stale=true]')", timeout=PATIENCE)
    page.evaluate(
        "() => Promise.all(document.getAnimations().filter(a => a.effect.getComputedTiming().endTime < 5000)"
        ".map(a => a.finished.catch(() => null)))"
    )
    page.wait_for_timeout(500)


def speaks(page, language: str) -> None:
    """The page says to screen readers which language it is in."""
    page.wait_for_function("code => document.documentElement.lang === code", arg=language, timeout=PATIENCE)


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.long)])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_serious_of_ours(app, open_page, name, theme):
    page = open_page(f"{app}/{name}?lang=en", color_scheme=theme)
    assert not serious(page)


@pytest.mark.sweep
@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("name", PAGES)
def test_a_phone_shows_every_page_without_sideways_scrolling(app, open_page, name, language):
    page = open_page(f"{app}/{name}?lang={language}", viewport=(390, 844), touch=True)
    speaks(page, language)
    assert not page.evaluate(
        "() => { const m = document.querySelector('[data-testid=stMain]'); return m.scrollWidth > m.clientWidth + 1 }"
    )
    assert page.locator("[data-testid=stException]").count() == 0


def test_the_first_language_is_the_browsers(app, open_page):
    speaks(open_page(app, locale="ko-KR"), "ko")
    speaks(open_page(app, locale="fr-FR"), "en")


def test_the_language_survives_the_menu_and_a_reload(app, open_page):
    page = open_page(app)
    page.get_by_role("radio", name="한국어").click()
    wait_idle(page)
    page.get_by_role("link", name="2 · 행렬 실험실").first.click()
    wait_idle(page)
    assert "lang=ko" in page.url
    page.reload()
    wait_idle(page)
    speaks(page, "ko")


@pytest.mark.parametrize(("address", "picture"), [("?lang=en", "home_weights"), ("masks?lang=en", "masks_weights")])
def test_on_a_projector_the_step_that_was_asked_for_stands_on_the_first_screen(app, open_page, address, picture):
    page = open_page(f"{app}/{address}")
    page.get_by_text("Projector", exact=True).click()
    wait_idle(page)
    expect_on_screen(page, f"{picture}_picture")


def test_the_projector_switch_survives_the_menu_and_shows_at_most_two_matrices(app, open_page):
    page = open_page(f"{app}/matrix_lab?lang=en&rule=causal")
    page.get_by_text("Projector").click()
    wait_idle(page)
    assert page.locator("[class*='st-key-matrix_lab_stages'] .drawing-graph").count() <= 2
    sizes = page.locator(".drawing-graph .textpoint text").evaluate_all(
        "texts => texts.map(t => parseFloat(getComputedStyle(t).fontSize))"
    )
    assert min(sizes) >= 17  # the number behind −∞ is smaller than the 22 pixels of the others
    assert max(sizes) >= 22


def drawn_instead(element) -> str:
    """The words that shell.css draws in the place of an element's own."""
    own, words = element.evaluate("e => [getComputedStyle(e).fontSize, getComputedStyle(e, '::after').content]")
    assert own == "0px"
    return words.strip('"')


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_streamlit_says_itself_is_said_in_the_visitors_language(app, open_page, language):
    page = open_page(app + f"/matrix_lab?lang={language}")
    page.locator(".st-key-matrix_lab_share button").first.click()
    upload = page.locator("[data-testid=stFileUploaderDropzone]")
    assert drawn_instead(upload.locator("button p")) == words(language, "common", "upload")
    limit = page.locator("[data-testid=stFileUploaderDropzoneInstructions] span")
    assert drawn_instead(limit) == words(language, "common", "upload_limit")
    page.keyboard.press("Escape")
    page.locator(".st-key-matrix_lab_query_tools button").first.click()
    page.locator(".st-key-matrix_lab_query_paste textarea").press_sequentially("1 2")
    said = page.locator("[data-testid=InputInstructions] > span:first-child")
    assert drawn_instead(said) == words(language, "common", "press_ctrl_enter")
    page.goto(app + f"/sentences?lang={language}&source=recorded")
    chosen = page.locator("[data-testid=stSelectbox] input").first
    chosen.click()
    chosen.press_sequentially("zzzz")
    assert drawn_instead(page.locator("[role=listbox][data-empty] span")) == words(language, "common", "no_match")
