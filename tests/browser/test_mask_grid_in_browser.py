"""The mask grid in a browser: nothing a visitor clicks is lost, and mouse, finger and keys all work."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from visitor import wait_idle

# A far server: what it sends arrives 300 ms late, so its answers know less than the visitor has seen.
LATE = {
    "before": lambda page: page.add_init_script(
        """window.WebSocket = class extends WebSocket {
            addEventListener(kind, listener) {
                super.addEventListener(kind, event => setTimeout(() => listener(event), 300));
            }
        };"""
    )
}
PHONE = {"viewport": (390, 844), "touch": True}


@pytest.fixture
def open_grid(serve, open_page):
    def open_grid(query="", **options):
        page = open_page(serve("tests/browser/mask_grid_app.py") + "/?" + query, **options)
        expect(cell(page, 0, 0)).to_be_visible()
        return page

    return open_grid


def cell(page, row, column):
    """A button of the grid; row or column -1 are the names."""
    return page.locator(f".st-key-grid button[data-row='{row}'][data-column='{column}']")


def painted(page) -> str:
    """The mask as it is drawn, rows joined with spaces."""
    return page.locator(".st-key-grid table").evaluate(
        """table => [...table.querySelectorAll("tbody tr")].map(row =>
            [...row.querySelectorAll("[aria-pressed]")].map(button =>
                button.getAttribute("aria-pressed") === "true" ? "1" : "0").join("")).join(" ")"""
    )


def expect_mask(page, rows: str):
    """The server has this mask, and it is drawn."""
    expect(page.get_by_test_id("stCode")).to_have_text(["\n".join(rows.split())])
    wait_idle(page)
    assert painted(page) == rows


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def centre(page, row, column):
    box = cell(page, row, column).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, *places, steps=6):
    page.mouse.move(*centre(page, *places[0]))
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*centre(page, *place), steps=steps)
    page.mouse.up()


def test_a_click_toggles_one_cell_and_reaches_python(open_grid):
    page = open_grid()
    cell(page, 0, 3).click()
    expect_mask(page, "1001 1100 1110 1111")
    cell(page, 0, 3).click()
    expect_mask(page, "1000 1100 1110 1111")


def test_a_click_is_painted_before_the_server_has_answered(open_grid):
    page = open_grid()
    after = cell(page, 0, 3).evaluate("button => { button.click(); return button.getAttribute('aria-pressed') }")
    assert after == "true"


@pytest.mark.parametrize("late", [{}, LATE], ids=["near", "late"])
def test_six_fast_clicks_are_all_kept_and_never_taken_back(open_grid, late):
    page = open_grid(**late)
    # Note every cell that turns back to blocked on the way.
    page.locator(".st-key-grid table").evaluate(
        """table => {
            window.seen = [];
            const look = ({target, oldValue}) => {
                if (oldValue !== target.ariaPressed) window.seen.push(target.ariaPressed);
            };
            new MutationObserver(changes => changes.forEach(look)).observe(table,
                {subtree: true, attributeFilter: ["aria-pressed"], attributeOldValue: true});
        }"""
    )
    for place in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]:
        cell(page, *place).click(no_wait_after=True)
        page.wait_for_timeout(60)
    expect_mask(page, "1111 1111 1111 1111")
    assert page.evaluate("window.seen") == ["true"] * 6


def test_a_preset_a_resize_and_a_second_press_of_the_same_preset_all_show(open_grid):
    page = open_grid()
    cell(page, 0, 3).click()
    expect_mask(page, "1001 1100 1110 1111")
    press(page, "full")
    expect_mask(page, "1111 1111 1111 1111")
    cell(page, 3, 0).click()
    expect_mask(page, "1111 1111 1111 0111")
    press(page, "full")
    expect_mask(page, "1111 1111 1111 1111")
    press(page, "bigger")
    expect_mask(page, "10000 11000 11100 11110 11111")
    cell(page, 0, 4).click()
    expect_mask(page, "10001 11000 11100 11110 11111")
    press(page, "rerun")
    expect_mask(page, "10001 11000 11100 11110 11111")


def test_a_preset_pressed_right_after_clicks_is_exactly_the_preset(open_grid):
    page = open_grid(**LATE)
    for column in (0, 1, 2):
        cell(page, 3, column).click(no_wait_after=True)
    press(page, "full")
    expect_mask(page, "1111 1111 1111 1111")


def test_clicks_survive_a_warning_that_pushes_the_grid_down(open_grid):
    page = open_grid(**LATE)
    cell(page, 0, 0).click()  # query 0 is blind now: a warning appears above the grid
    expect(page.get_by_text("A query sees nothing.")).to_be_visible()
    cell(page, 2, 3).click()
    cell(page, 1, 3).click()
    expect_mask(page, "0000 1101 1111 1111")


def test_a_grid_that_is_drawn_anew_in_another_place_catches_up_with_the_last_click(open_grid):
    page = open_grid(**LATE)
    page.get_by_text("elsewhere").click()
    cell(page, 0, 3).click(no_wait_after=True)  # the answer on its way does not know this click
    expect_mask(page, "1001 1100 1110 1111")


def test_a_row_or_column_name_blocks_all_and_then_allows_all(open_grid):
    page = open_grid()
    cell(page, 3, -1).click()
    expect_mask(page, "1000 1100 1110 0000")
    cell(page, 3, -1).click()
    expect_mask(page, "1000 1100 1110 1111")
    cell(page, -1, 1).click()
    expect_mask(page, "1100 1100 1110 1111")
    cell(page, -1, 1).click()
    expect_mask(page, "1000 1000 1010 1011")


def test_dragging_paints_the_first_cells_new_state_over_every_cell_on_the_way(open_grid):
    page = open_grid()
    drag(page, (0, 1), (0, 3), (2, 3))
    expect_mask(page, "1111 1101 1111 1111")
    drag(page, (3, 3), (0, 0), steps=1)  # one long jump of the mouse: the diagonal in between is painted too
    expect_mask(page, "0111 1001 1101 1110")


def test_a_drag_back_to_its_first_cell_leaves_that_cell_painted(open_grid):
    page = open_grid()
    drag(page, (0, 1), (0, 2), (0, 1))
    expect_mask(page, "1110 1100 1110 1111")


def test_a_drag_reports_once(open_grid):
    page = open_grid()
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    page.reload()
    wait_idle(page)
    before = len(sent)
    drag(page, (0, 1), (0, 3), (2, 3))
    expect_mask(page, "1111 1101 1111 1111")
    assert len(sent) - before == 1


def test_the_keyboard_reaches_every_button_through_one_tab_stop(open_grid):
    page = open_grid()
    stops = page.locator(".st-key-grid button[tabindex='0']")
    expect(stops).to_have_count(1)
    stops.focus()
    keys = page.keyboard
    walk = [("ArrowRight", 0, 1), ("ArrowDown", 1, 1), ("End", 1, 3), ("ArrowRight", 1, 3), ("Home", 1, 0)]
    walk += [("ArrowLeft", 1, -1), ("ArrowUp", 0, -1), ("ArrowUp", 0, -1), ("ArrowRight", 0, 0)]
    walk += [("Control+End", 3, 3), ("ArrowDown", 3, 3), ("Control+Home", 0, 0), ("ArrowRight", 0, 1)]
    walk += [("ArrowUp", -1, 1)]
    for key, row, column in walk:
        keys.press(key)
        expect(cell(page, row, column)).to_be_focused()
        expect(stops).to_have_count(1)
    keys.press("Enter")  # a column's name
    expect_mask(page, "1100 1100 1110 1111")
    keys.press("ArrowDown")
    keys.press("Space")
    expect_mask(page, "1000 1100 1110 1111")
    expect(cell(page, 0, 1)).to_be_focused()  # the answer of the server leaves the focus where it is
    keys.press("Enter")
    expect_mask(page, "1100 1100 1110 1111")


def test_every_button_says_in_words_what_it_is(open_grid):
    page = open_grid()
    expect(cell(page, 1, 0)).to_have_attribute("aria-label", "cat may look at The")
    expect(cell(page, 0, 2)).to_have_attribute("aria-label", "The may not look at sat – later")
    expect(cell(page, 0, -1)).to_have_attribute("aria-label", "Allow or block every key for The")
    cell(page, 0, 2).hover()
    expect(page.locator(".st-key-grid p")).to_have_text("The may not look at sat – later")
    cell(page, 0, 2).click()
    expect(page.locator(".st-key-grid p")).to_have_text("The may look at sat – later")


def test_labels_are_text_whatever_a_visitor_types(open_grid):
    page = open_grid("shape=14x14")
    assert page.locator(".st-key-grid b").count() == 0
    expect(cell(page, 11, -1)).to_have_text("<b>soft</b>")
    expect(cell(page, 12, 11)).to_have_attribute("aria-label", "{key} may look at <b>soft</b>")


def test_switching_the_language_changes_the_words_and_html_lang_but_not_the_mask(open_grid):
    page = open_grid("lang=ko")
    assert page.evaluate("document.documentElement.lang") == "ko"
    expect(page.locator(".st-key-page_language")).to_be_hidden()  # it takes no room
    cell(page, 0, 3).click()
    expect_mask(page, "1001 1100 1110 1111")
    expect(cell(page, 1, 0)).to_have_attribute("aria-label", "어제 → 나는: 볼 수 있음")
    page.get_by_text("en", exact=True).click()
    expect(cell(page, 1, 0)).to_have_attribute("aria-label", "cat may look at The")
    assert page.evaluate("document.documentElement.lang") == "en"
    expect_mask(page, "1001 1100 1110 1111")


def tap(page, row, column):
    page.touchscreen.tap(*centre(page, row, column))


def swipe(page, start, end, steps=8):
    """One finger from point to point, through the browser's own touch handling (so that it may scroll)."""
    finger = page.context.new_cdp_session(page)

    def touch(kind, *points):
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    touch("touchStart", start)
    for step in range(1, steps + 1):
        touch("touchMove", tuple(a + (b - a) * step / steps for a, b in zip(start, end, strict=True)))
        page.wait_for_timeout(20)
    touch("touchEnd")


def test_a_finger_taps_paints_sideways_and_scrolls_up_and_down(open_grid):
    page = open_grid("shape=8x8", **PHONE)
    tap(page, 0, 7)
    rows = ["10000001", "11000000", "11100000", "11110000", "11111000", "11111100", "11111110", "11111111"]
    expect_mask(page, " ".join(rows))
    swipe(page, centre(page, 1, 2), centre(page, 1, 6))
    rows[1] = "11111110"
    expect_mask(page, " ".join(rows))
    before = cell(page, 0, 0).bounding_box()["y"]
    x, y = centre(page, 6, 7)
    swipe(page, (x, y), (x, y - 200))
    page.wait_for_timeout(300)
    assert cell(page, 0, 0).bounding_box()["y"] < before - 20  # the page has scrolled
    expect_mask(page, " ".join(rows))


def test_sixteen_columns_on_a_phone_scroll_inside_the_grid(open_grid):
    page = open_grid("shape=16x16", **PHONE)
    main = page.get_by_test_id("stMain")
    assert main.evaluate("main => main.scrollWidth <= main.clientWidth")
    box = cell(page, 0, 0).bounding_box()
    assert box["width"] >= 24
    assert box["height"] >= 24
    before = painted(page)
    swipe(page, centre(page, 0, 6), centre(page, 0, 1))
    page.wait_for_timeout(300)
    frame = page.locator(".st-key-grid .frame")
    assert frame.evaluate("frame => frame.scrollLeft") > 50
    assert painted(page) == before
    assert cell(page, 0, -1).bounding_box()["x"] >= 0  # the names stay
    cell(page, 0, 15).scroll_into_view_if_needed()
    scrolled = frame.evaluate("frame => frame.scrollLeft")
    tap(page, 0, 15)
    expect(page.get_by_test_id("stCode")).to_contain_text("1000000000000001")
    wait_idle(page)
    assert frame.evaluate("frame => frame.scrollLeft") == scrolled > 100  # the answer does not scroll back


@pytest.mark.parametrize("shape", ["1x1", "2x5", "12x12"])
def test_up_to_twelve_columns_fit_on_a_phone(open_grid, shape):
    page = open_grid(f"shape={shape}", **PHONE)
    frame = page.locator(".st-key-grid .frame")
    assert frame.evaluate("frame => frame.scrollWidth <= frame.clientWidth")
    assert cell(page, 0, 0).bounding_box()["width"] >= (24 if shape == "12x12" else 40)


@pytest.mark.sweep
@pytest.mark.parametrize("color_scheme", ["light", "dark"])
@pytest.mark.parametrize("options", [{}, PHONE], ids=["wide", "phone"])
def test_axe_finds_nothing_in_the_grid(open_grid, color_scheme, options):
    page = open_grid("shape=16x16&lang=ko", color_scheme=color_scheme, **options)
    rules = {"rules": {"target-size": {"enabled": True}}}
    result = Axe().run(page, context=".st-key-grid", options=rules)
    assert result.violations_count == 0, result.generate_report()


def test_axe_would_find_a_grid_without_names(open_grid):
    page = open_grid()
    page.locator(".st-key-grid button[aria-pressed]").evaluate_all(
        "buttons => buttons.forEach(button => { button.removeAttribute('aria-label'); button.title = '' })"
    )
    assert Axe().run(page, context=".st-key-grid").violations_count > 0


def test_masked_cells_are_the_grey_of_the_pictures_and_hatched(open_grid):
    page = open_grid()
    style = cell(page, 0, 1).evaluate("button => ({...getComputedStyle(button)})")
    assert "gradient" in style["backgroundImage"]
    grey = cell(page, 0, 1).evaluate(
        """button => {
            const pixel = document.createElement("canvas").getContext("2d");
            pixel.fillStyle = getComputedStyle(button).backgroundColor;
            pixel.fillRect(0, 0, 1, 1);
            return [...pixel.getImageData(0, 0, 1, 1).data.slice(0, 3)];
        }"""
    )
    assert all(abs(channel - 0xE6) <= 1 for channel in grey)
