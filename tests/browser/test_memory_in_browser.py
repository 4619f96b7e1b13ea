"""What was answered comes back in the same browser, and so do links too long for an address; all can be forgotten."""

import re

import pytest
from playwright.sync_api import expect
from visitor import PATIENCE, wait_idle

LOCKED = "exercise_1p_option_flatter"
NO_STORAGE = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('denied') }})"
NUMBERS = ";".join(",".join(f"{(7 * i + j) % 10}.{j}{i % 10}" for j in range(16)) for i in range(16))


def choose_poll(page):
    page.locator(".st-key-by_hand_exercise").get_by_text("poll", exact=True).click()
    wait_idle(page)


def progress(page, count: int):
    expect(page.get_by_text(re.compile(f"{count} of 9|{count} of 10")).first).to_be_visible(timeout=PATIENCE)


@pytest.fixture
def answered(app, open_page):
    """A visitor who has solved the poll of page 1."""
    page = open_page(f"{app}/by_hand?lang=en")
    choose_poll(page)
    for name in ("option_half", "lock", "reason_length_counts"):
        page.locator(f".st-key-exercise_1p_{name} button:visible").click()
        wait_idle(page)
    expect(page.get_by_text("Solved").first).to_be_visible(timeout=PATIENCE)
    return page


def stored(page) -> str:
    return page.evaluate("localStorage.getItem('attention-lab') ?? ''")


def test_answers_come_back_after_a_reload_and_are_forgotten_on_demand(answered):
    expect(answered).to_have_url(re.compile("check="), timeout=PATIENCE)
    assert '"1p"' in stored(answered)
    answered.reload()
    wait_idle(answered)
    expect(answered.get_by_text("✓ poll").first).to_be_visible(timeout=PATIENCE)
    answered.get_by_role("button", name="Forget everything here").first.click()
    expect(answered.get_by_text("✓ poll").first).to_be_visible()  # nothing is lost by one click
    answered.get_by_role("button", name="Forget now").click()
    wait_idle(answered)
    expect(answered.get_by_text("✓ poll")).to_have_count(0, timeout=PATIENCE)
    assert not stored(answered)
    answered.reload()
    wait_idle(answered)
    answered.wait_for_timeout(500)
    assert answered.get_by_text("✓ poll").count() == 0


def test_two_tabs_keep_each_others_answers(answered, app):
    other = answered.context.new_page()
    other.goto(f"{app}/by_hand?lang=en")
    wait_idle(other)
    expect(other.get_by_text("✓ poll").first).to_be_visible(timeout=PATIENCE)
    other.locator(".st-key-by_hand_exercise").get_by_text("1a", exact=True).click()
    wait_idle(other)
    other.locator(".st-key-exercise_1a_hint button:visible").click()
    wait_idle(other)
    assert '"1p"' in stored(other)
    assert '"1a"' in stored(other)


def test_without_storage_everything_works(app, open_page):
    page = open_page(f"{app}/by_hand?lang=en", before=lambda page: page.add_init_script(NO_STORAGE))
    choose_poll(page)
    page.locator(".st-key-exercise_1p_option_half button:visible").click()
    wait_idle(page)
    expect(page).to_have_url(re.compile("check="), timeout=PATIENCE)


def test_what_others_wrote_into_the_storage_does_no_harm(app, open_page):
    bad = '{"version":1,"answers":{"1p":"[]","1a":"{\\"answer\\":{\\"x\\":[1]},\\"numbers\\":3}","<b>":7}}'
    page = open_page(
        f"{app}/by_hand?lang=en",
        before=lambda page: page.add_init_script(f"localStorage.setItem('attention-lab', {bad!r})"),
    )
    page.wait_for_timeout(500)
    wait_idle(page)
    assert page.locator("[data-testid=stException]").count() == 0
    assert page.get_by_text("✓ ").count() == 0


def test_a_link_too_long_for_an_address_is_kept_in_the_browser(app, open_page):
    page = open_page(f"{app}/matrix_lab?lang=en&query={NUMBERS}&key={NUMBERS}&value={NUMBERS}&scaling=off")
    expect(page).to_have_url(re.compile(r"lang=en&kept=[0-9a-f]{16}$"), timeout=PATIENCE)
    page.reload()
    wait_idle(page)
    off = page.locator(".st-key-matrix_lab_scaling").get_by_role("radio").nth(1)
    expect(off).to_have_attribute("aria-checked", "true", timeout=PATIENCE)
    assert page.locator("[data-testid=stAlert]").count() == 0
    stranger = open_page(page.url)
    expect(
        stranger.get_by_text("this browser does not have the link|does not have it")
        .or_(stranger.get_by_text(re.compile("kept in the browser it was made in")))
        .first
    ).to_be_visible(timeout=PATIENCE)
