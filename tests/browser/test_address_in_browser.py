"""The address is the value: reload, Back, a copied address and a new server give the page again."""

import re

import pytest
from playwright.sync_api import expect
from visitor import PATIENCE, wait_idle


def choose(page, key, name):
    page.locator(f".st-key-{key}").get_by_role("radio", name=name, exact=True).click()
    page.wait_for_timeout(200)
    wait_idle(page)


def chosen(page, key, name):
    return page.locator(f".st-key-{key}").get_by_role("radio", name=name, exact=True)


@pytest.fixture
def masks(app, open_page):
    page = open_page(f"{app}/masks?lang=en&embed_options=light_theme")
    expect(page).to_have_url(re.compile("check="), timeout=PATIENCE)
    choose(page, "masks_rule", "window")
    expect(page).to_have_url(re.compile("rule=window"), timeout=PATIENCE)
    return page


def test_a_reload_shows_what_was_there_and_keeps_what_others_put_into_the_address(masks):
    before = masks.evaluate("history.length")
    masks.reload()
    wait_idle(masks)
    expect(chosen(masks, "masks_rule", "window")).to_have_attribute("aria-checked", "true")
    assert masks.evaluate("history.length") == before
    assert "embed_options=light_theme" in masks.url
    assert masks.locator("[data-testid=stAlert]").count() == 0


def test_back_and_forward_are_pages_not_changes(masks):
    masks.get_by_role("link", name="3 · Scaling").first.click()
    expect(masks).to_have_url(re.compile("/scaling"), timeout=PATIENCE)
    wait_idle(masks)
    masks.go_back()
    expect(masks).to_have_url(re.compile("/masks.*rule=window"), timeout=PATIENCE)
    wait_idle(masks)
    expect(chosen(masks, "masks_rule", "window")).to_have_attribute("aria-checked", "true")


def test_a_copied_address_opens_the_same_page_in_another_browser_and_each_goes_its_own_way(masks, open_page):
    other = open_page(masks.url)
    expect(chosen(other, "masks_rule", "window")).to_have_attribute("aria-checked", "true")
    choose(other, "masks_rule", "causal")
    masks.reload()
    wait_idle(masks)
    expect(chosen(masks, "masks_rule", "window")).to_have_attribute("aria-checked", "true")
    other.reload()
    wait_idle(other)
    expect(chosen(other, "masks_rule", "causal")).to_have_attribute("aria-checked", "true")


def test_quick_changes_are_not_taken_back(masks):
    for name in ("causal", "padding", "none", "causal"):
        chosen(masks, "masks_rule", name).click()
        masks.wait_for_timeout(60)
    wait_idle(masks)
    expect(masks).to_have_url(re.compile("rule=causal"), timeout=PATIENCE)
    expect(chosen(masks, "masks_rule", "causal")).to_have_attribute("aria-checked", "true")
