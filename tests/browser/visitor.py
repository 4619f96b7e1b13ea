"""What a visitor does in a page: wait until it rests, edit a grid, paste text."""

from playwright.sync_api import Page, expect

# Streamlit says on its root element whether the script is running and the server is connected.
IDLE = '[data-testid="stApp"][data-test-script-state="notRunning"][data-test-connection-state="CONNECTED"]'
PATIENCE = 30_000  # milliseconds; a busy machine with two cores needs them


def wait_idle(page: Page) -> None:
    """Return when the script has ended and what it sent is drawn."""
    page.wait_for_selector(IDLE, timeout=PATIENCE)
    # Streamlit waits a moment before it calls a rerun "running": two frames and a second look.
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.wait_for_selector(IDLE, timeout=PATIENCE)


def cell_text(page: Page, grid_key: str, row: int, col: int) -> str:
    """Text of a grid's cell; col 0 is the first column after the row names."""
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


def paste_into_grid(page: Page, grid_key: str, row: int, col: int, text: str) -> None:
    """Paste text (tab-separated, one line a row) with its first entry into this cell."""
    _walk_to(page, grid_key, row, col)
    page.evaluate(
        """text => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", text);
            const paste = new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true});
            document.activeElement.dispatchEvent(paste);
        }""",
        text,
    )
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
    canvas.scroll_into_view_if_needed()
    target = _cell(page, grid_key, row, col)
    selected = grid.locator("[data-testid^='glide-cell-'][aria-selected='true']")
    box = canvas.bounding_box()
    x, y = box["x"] + box["width"] * 0.6, box["y"] + 52  # the header is 35 px high, and so is a row
    for _ in range(20):
        page.mouse.move(x - 8, y - 3)
        page.mouse.move(x, y, steps=4)
        page.mouse.click(x, y)
        if selected.count():
            break
    _, _, here_col, here_row = selected.first.get_attribute("data-testid").split("-")
    for key, steps in (
        ("ArrowDown", row - int(here_row)),
        ("ArrowUp", int(here_row) - row),
        ("ArrowRight", col + 1 - int(here_col)),
        ("ArrowLeft", int(here_col) - col - 1),
    ):
        for _ in range(steps):
            page.keyboard.press(key)
    expect(target).to_have_attribute("aria-selected", "true")
