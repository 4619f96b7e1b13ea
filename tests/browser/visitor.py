"""What a visitor does in a page: wait until it rests, edit a grid, paste text."""

import contextlib

from playwright.sync_api import Error, Page, expect

# Streamlit says on its root element whether the script is running and the server is connected.
IDLE = '[data-testid="stApp"][data-test-script-state="notRunning"][data-test-connection-state="CONNECTED"]'
PATIENCE = 30_000  # milliseconds; a busy machine with two cores needs them


def wait_idle(page: Page) -> None:
    """Return when the script has ended and what it sent is drawn."""
    page.wait_for_selector(IDLE, timeout=PATIENCE)
    # Streamlit waits a moment before it calls a rerun "running": two frames and a second look.
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.wait_for_selector(IDLE, timeout=PATIENCE)


def expect_on_screen(page: Page, *keys: str, bottom: int = 720) -> None:
    """What has one of these keys (pictures: once drawn) comes to rest wholly between the page's top and `bottom`."""
    for key in keys:
        drawn = " .main-svg" if key.endswith("_picture") else ""
        page.locator(f".st-key-{key}{drawn}").first.wait_for(timeout=PATIENCE)
    boxes, before = {}, None
    while boxes != before:  # what is drawn above moves what is below
        before = boxes
        page.wait_for_timeout(400)
        boxes = {key: page.locator(f".st-key-{key}").first.bounding_box() for key in keys}
    for key, box in boxes.items():
        assert box["y"] >= 0, key
        assert box["y"] + box["height"] <= bottom, key


def cell_text(page: Page, grid_key: str, row: int, col: int) -> str:
    """Text of a grid's cell; col 0 is the first column after the row names."""
    _walk_to(page, grid_key, row, col)  # the accessible table is written anew when the selection moves
    page.wait_for_timeout(250)
    return _cell(page, grid_key, row, col).inner_text()


def edit_cell(page: Page, grid_key: str, row: int, col: int, text: str) -> None:
    """Type `text` into a cell of the grid (st.data_editor) with this key, as a person would."""
    target = _cell(page, grid_key, row, col)
    _walk_to(page, grid_key, row, col)
    page.keyboard.press("Enter")
    overlay = page.locator("#portal input, #portal textarea").first
    overlay.fill(text)
    overlay.press("Enter")
    expect(target).to_have_text(text, timeout=PATIENCE)
    wait_idle(page)


def begin_cell(page: Page, grid_key: str, row: int, col: int, text: str) -> None:
    """Type into a cell and leave it unfinished: neither Enter nor Tab."""
    _walk_to(page, grid_key, row, col)
    page.keyboard.type(text)
    expect(page.locator("#portal textarea, #portal input").first).to_have_value(text, timeout=PATIENCE)


def type_down(page: Page, grid_key: str, row: int, col: int, texts: list[str], pause: int) -> None:
    """Type one text after the other, each with Enter, from this cell on; `pause` ms from key to key."""
    _walk_to(page, grid_key, row, col)
    for text in texts:
        for key in (*text, "Enter"):
            page.keyboard.press(key)
            page.wait_for_timeout(pause)
    page.wait_for_timeout(1000)  # the last of them reaches the server a moment later
    wait_idle(page)


def press_header(page: Page, grid_key: str, col: int) -> None:
    """Point at the name of a column (all equally wide, after a wider one of row names) and click it, twice."""
    box = page.locator(f".st-key-{grid_key} canvas[data-testid='data-grid-canvas']").bounding_box()
    x, y = box["x"] + 58 + 53 * col + 40, box["y"] + 17
    page.mouse.move(x - 8, y)
    page.mouse.move(x, y, steps=4)
    for _ in range(2):
        page.mouse.click(x, y)
        page.wait_for_timeout(300)


def paste_into_grid(page: Page, grid_key: str, row: int, col: int, text: str) -> None:
    """Paste text (tab-separated, one line a row) with its first entry into this cell."""
    _walk_to(page, grid_key, row, col)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.keyboard.press("Control+v")
    page.wait_for_timeout(250)  # the grid reads the clipboard before it tells anybody
    wait_idle(page)


def paste_text(page: Page, area_key: str, text: str) -> None:
    """Replace the text of the text area or text input with this key and leave the field."""
    field = page.locator(f".st-key-{area_key} textarea, .st-key-{area_key} input").first
    field.fill(text)
    field.press("Tab")
    wait_idle(page)


def _cell(page: Page, grid_key: str, row: int, col: int):
    # The grid is a canvas; inside it lies an accessible table, whose column 0 holds the row names.
    return page.locator(f".st-key-{grid_key} [data-testid='glide-cell-{col + 1}-{row}']")


def _walk_to(page: Page, grid_key: str, row: int, col: int) -> None:
    """Select a cell: click one somewhere in the middle, then walk with the arrow keys."""
    grid = page.locator(f".st-key-{grid_key}")
    canvas = grid.locator("canvas[data-testid='data-grid-canvas']")
    for _ in range(5):  # a new version of the grid takes the place of the old one a moment after the run
        page.wait_for_timeout(250)
        with contextlib.suppress(Error):
            canvas.scroll_into_view_if_needed()
            break
    target = _cell(page, grid_key, row, col)
    selected = grid.locator("[data-testid^='glide-cell-'][aria-selected='true']")
    if selected.count() and grid.evaluate("grid => grid.contains(document.activeElement)"):
        selected.first.focus()  # a click might hit the selected cell, and would open its editor
    else:
        box = canvas.bounding_box()
        x, y = box["x"] + box["width"] * 0.6, box["y"] + 52  # the header is 35 px high, and so is a row
        page.mouse.move(x - 8, y - 3)
        page.mouse.move(x, y, steps=4)  # the grid learns from the moves which cell is under the pointer
        page.mouse.click(x, y)
    for _ in range(8):
        page.wait_for_timeout(250)  # the accessible table follows the canvas up to 0.2 s later
        if not selected.count():
            continue
        here_col, here_row = map(int, selected.first.get_attribute("data-testid").split("-")[2:])
        if (here_row, here_col) == (row, col + 1):
            return
        for _ in range(abs(row - here_row)):
            page.keyboard.press("ArrowDown" if here_row < row else "ArrowUp")
        for _ in range(abs(col + 1 - here_col)):
            page.keyboard.press("ArrowRight" if here_col < col + 1 else "ArrowLeft")
    expect(target).to_have_attribute("aria-selected", "true")


def cell_point(page: Page, picture_key: str, panel: str, row: int, col: int) -> tuple[float, float]:
    """Middle of a cell of a drawn heatmap, in px of the window; the picture is scrolled into view."""
    picture = page.locator(f".st-key-{picture_key}")
    picture.locator(".nsewdrag").first.wait_for(state="attached", timeout=PATIENCE)
    picture.scroll_into_view_if_needed()
    return tuple(
        picture.locator(".drawing-graph").evaluate(
            """(graph, [panel, row, col]) => {
                const {xaxis, yaxis, z} = graph._fullData.find(trace => trace.meta === panel);
                const area = graph.querySelector(`.nsewdrag[data-subplot="${xaxis}${yaxis}"]`);
                const {left, top, width, height} = area.getBoundingClientRect();
                return [left + width * (col + .5) / z[0].length, top + height * (row + .5) / z.length];
            }""",
            [panel, row, col],
        )
    )


def click_cell(page: Page, picture_key: str, panel: str, row: int, col: int) -> None:
    """Click a cell of a drawn heatmap and wait for the answer."""
    page.mouse.click(*cell_point(page, picture_key, panel, row, col))
    page.wait_for_timeout(50)  # the click is on its way to the server
    wait_idle(page)
