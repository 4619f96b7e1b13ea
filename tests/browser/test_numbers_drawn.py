"""Every number that a picture holds is drawn, whatever was changed before: in place as on a page opened anew."""

import contextlib
import os
import random
import time

import pytest
from playwright.sync_api import Error
from visitor import wait_idle

PAGES = (
    "",
    "by_hand",
    "matrix_lab",
    "scaling",
    "masks",
    "sentences",
    "projections_and_heads",
    "cost",
    "limits",
)
#: One for a session: a test that is run again makes the same changes again.
SEED = 0 if "CI" in os.environ else time.time_ns() % 10**6
#: What is chosen, and chosen back, without anything else changing with it.
RETURNS = ("rule", "causal", "transposed", "sharing", "hide_c")
#: Shelves of examples; a press replaces everything.
SHELVES = {
    "by_hand": "by_hand_examples",
    "matrix_lab": "matrix_lab_examples",
    "masks": "masks_examples",
    "sentences": "sentences_presets",
    "projections_and_heads": "projections_and_heads_examples",
}
#: What a visitor can change with one press, by kind. Exercises and cards to sort change no picture.
CHANGES = {
    "choice": "button[role=radio]:not([aria-checked=true])",
    "switch": "label:has(input[role=switch])",
    "step": "[data-testid^=stNumberInputStep]:enabled",
    "mask": "[class*=_mask_grid] button[aria-pressed]",
    "slide": "input[type=range]",
    "cell": ".drawing-plot[tabindex]",
}
NO_CHANGE = ":not([class*=_exercise] *, [class*=_sort_] *, [class*=_stages_seen] *)"

# Of each picture: how many numbers it holds, those drawn, and those drawn when the same figure is drawn anew.
PICTURES = """async redraw => {
    if (!window.Plotly) return null;
    const pictures = {};
    const seen = root => [...root.querySelectorAll('.textpoint text, text.bartext')]
        .filter(text => text.textContent.trim() && text.checkVisibility())
        .map(text => [text.textContent, text.getAttribute('x'), text.getAttribute('y'), text.style.fill,
            text.style.fontSize].join(' ')).sort();
    for (const graph of document.querySelectorAll('.drawing-graph')) {
        if (!graph.checkVisibility()) continue;
        if (!graph.querySelector('.main-svg')) return null;
        const name = graph.closest('[class*=_picture]').className.match(/st-key-(\\S+)_picture/)[1];
        pictures[name] = {drawn: seen(graph)};
        if (!redraw) continue;
        const held = graph.data.filter(trace => trace.mode?.includes('text') && trace.text)
            .flatMap(trace => Array.isArray(trace.text) ? trace.text.flat() : trace.x.map(() => trace.text));
        const anew = document.createElement('div');
        graph.parentElement.append(anew);
        const {data, layout} = structuredClone({data: graph.data, layout: graph.layout});
        await window.Plotly.newPlot(anew, data, layout, {displayModeBar: false});
        pictures[name].held = held.filter(text => String(text).trim()).length;
        pictures[name].points = [...graph.querySelectorAll('.textpoint text')]
            .filter(text => text.textContent.trim() && text.checkVisibility()).length;
        pictures[name].anew = seen(anew);
        window.Plotly.purge(anew);
        anew.remove();
    }
    return pictures;
}"""


def pictures(page) -> dict[str, dict]:
    """Every picture on the page once it has come to rest: it is drawn a moment after the script has ended."""
    now = None
    for _ in range(100):
        page.wait_for_timeout(100)
        last, now = now, page.evaluate(PICTURES, False)
        if now and now == last:
            return page.evaluate(PICTURES, True)
    raise AssertionError("the pictures do not come to rest")


def is_whole(picture: dict) -> bool:
    return picture["held"] == picture["points"] and picture["drawn"] == picture["anew"]


def expect_numbers(page, after: str, same_as: dict | None = None) -> None:
    """Each picture shows every number it holds, and with ``same_as`` those of that earlier look at the page."""
    now = pictures(page)
    for name, picture in now.items():
        assert picture["points"] == picture["held"], f"{name} lacks numbers after {after}"
        assert picture["drawn"] == picture["anew"], f"{name} is not as drawn anew after {after}"
    if same_as is not None:
        drawn = {name: picture["drawn"] for name, picture in now.items()}
        assert drawn == {name: picture["drawn"] for name, picture in same_as.items()}, f"not as at first after {after}"


def press(page, target) -> None:
    target.click()
    page.wait_for_timeout(50)  # the click is on its way to the server
    wait_idle(page)


def choices(page, rng, full: bool) -> list[tuple[str, int, int]]:
    """(key, option, chosen option) of the page's choices: all, or a few for each of those that come back."""
    groups = page.locator("[data-testid=stMain] .stElementContainer:has([role=radiogroup]):visible").evaluate_all(
        """groups => groups.map(group => [group.className.match(/st-key-(\\S+)/)[1],
            [...group.querySelectorAll('button[role=radio]')].map(radio => radio.ariaChecked === 'true')])"""
    )
    found = []
    for key, chosen in groups:
        if "_exercise" in key or "_sort_" in key or True not in chosen:
            continue
        others = [i for i in range(len(chosen)) if not chosen[i]]
        if not full:
            others = rng.sample(others, min(2, len(others))) if key.endswith("_rule") else []
        found += [(key, i, chosen.index(True)) for i in others]
    return found


@pytest.mark.sweep
@pytest.mark.parametrize("name", PAGES)
def test_whatever_is_switched_on_and_off_all_numbers_are_there(app, open_page, full, name):
    print(f"seed {SEED}")
    rng = random.Random(SEED)
    for language in ("en", "ko") if full else ("ko" if name in ("", "limits") else "en",):
        page = open_page(f"{app}/{name}?lang={language}")
        first = pictures(page)
        assert all(is_whole(picture) for picture in first.values())
        on_and_off(page, first, rng, full)
        if name in SHELVES:
            every_example(page, SHELVES[name], rng, full)
        for i in range(50 if full else 6):
            expect_numbers(page, f"{any_change(page, rng)}, change {i} of seed {SEED}")


def on_and_off(page, first: dict, rng, full: bool) -> None:
    for key, option, chosen in choices(page, rng, full):
        group = page.locator(f".st-key-{key} button[role=radio]")
        press(page, group.nth(option))
        expect_numbers(page, f"option {option} of {key}")
        if group.count() > chosen:
            press(page, group.nth(chosen))
            expect_numbers(page, f"{key} and back", first if key.endswith(RETURNS) else None)
    for key in ("causal", "transposed", "hide_c"):
        switch = page.locator(f"[data-testid=stMain] [class*=_{key}] label:has(input[role=switch])")
        if switch.count():
            press(page, switch.first)
            expect_numbers(page, f"{key} on")
            press(page, switch.first)
            expect_numbers(page, f"{key} off", None if full else first)


def every_example(page, shelf: str, rng, full: bool) -> None:
    def buttons():
        press(page, page.locator(f".st-key-{shelf} button").first)
        return page.locator("[data-testid=stPopoverBody] .stButton button")

    count = buttons().count()
    page.keyboard.press("Escape")
    for i in range(count) if full else [rng.randrange(count)]:
        press(page, buttons().nth(i))
        expect_numbers(page, f"example {i}")


def any_change(page, rng) -> str:
    """Make one change of a kind that the page has, at random; says which."""
    for kind in rng.sample(list(CHANGES), len(CHANGES)):
        found = page.locator(f"[data-testid=stMain] {CHANGES[kind]}{NO_CHANGE}:visible")
        if count := found.count():
            at = rng.randrange(count)
            target = found.nth(at)
            with contextlib.suppress(Error):  # the run before may just have taken it away
                if kind in ("slide", "cell"):
                    target.focus()
                    for _ in range(rng.randrange(1, 9)):
                        page.keyboard.press(rng.choice(("ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp")))
                    page.keyboard.press("Enter")
                else:
                    target.click(timeout=3000)
            page.wait_for_timeout(50)
            wait_idle(page)
            return f"{kind} {at}"
    return "nothing"
