"""Pictures that answer: what a visitor's mouse, finger, keyboard and eyes get from plot()."""

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from visitor import PATIENCE, cell_point, click_cell, wait_idle

ENTRY = "tests/browser/drawing_app.py"
PLOT = ".st-key-lesson .drawing-plot"
SVG = ".st-key-lesson .main-svg"


@pytest.fixture(scope="session")
def address(serve):
    return serve(ENTRY)


def log(page):
    return page.locator(".st-key-log")


def drawn(page, key="lesson"):
    """Wait until the picture is there; Streamlit is idle before the browser has loaded plotly.js."""
    page.locator(f".st-key-{key} .main-svg").first.wait_for(timeout=30_000)
    return page


def press(page, label):
    page.get_by_role("button", name=label, exact=True).click()


# --- clicks ---------------------------------------------------------------------------------------


def test_clicking_a_weight_writes_out_its_arithmetic(address, open_page):
    page = drawn(open_page(address))
    click_cell(page, "lesson", "weights", 2, 3)
    expect(page.get_by_text("arithmetic: weight[2, 3] = 0.2902")).to_be_visible()
    expect(log(page)).to_have_text("clicks: weights/2/3")


def test_each_panel_answers_with_its_own_name_and_the_run_returns_the_cell(address, open_page):
    page = drawn(open_page(address))
    click_cell(page, "lesson", "scores", 4, 0)
    expect(page.locator(".st-key-now")).to_have_text("now: ('scores', 4, 0)")
    click_cell(page, "lesson", "weights", 0, 4)
    expect(log(page)).to_have_text("clicks: scores/4/0 weights/0/4")


def test_an_empty_cell_answers_too(address, open_page):
    page = drawn(open_page(address))
    click_cell(page, "lesson", "scores", 0, 3)
    expect(log(page)).to_have_text("clicks: scores/0/3")


def test_bars_and_margins_do_not_answer(address, open_page):
    page = drawn(open_page(address))
    box = page.locator(PLOT).bounding_box()
    page.mouse.click(box["x"] + 4, box["y"] + 4)
    bars = page.locator('.st-key-lesson .nsewdrag[data-subplot="x5y5"]').bounding_box()
    page.mouse.click(bars["x"] + bars["width"] / 2, bars["y"] + bars["height"] - 5)
    click_cell(page, "lesson", "weights", 1, 1)
    expect(log(page)).to_have_text("clicks: weights/1/1")


@pytest.mark.sweep
@pytest.mark.parametrize("pause", [0, 50, 150, 350])
def test_two_clicks_on_different_cells_both_count(address, open_page, pause):
    page = drawn(open_page(address))
    first, second = cell_point(page, "lesson", "weights", 0, 1), cell_point(page, "lesson", "weights", 3, 2)
    page.mouse.click(*first)
    page.wait_for_timeout(pause)
    page.mouse.click(*second)
    expect(log(page)).to_have_text("clicks: weights/0/1 weights/3/2")
    wait_idle(page)
    expect(log(page)).to_have_text("clicks: weights/0/1 weights/3/2")


@pytest.mark.sweep
@pytest.mark.parametrize("pause", [0, 50, 150, 350])
def test_two_clicks_on_the_same_cell_both_count(address, open_page, pause):
    page = drawn(open_page(address))
    point = cell_point(page, "lesson", "weights", 4, 4)
    page.mouse.click(*point)
    page.wait_for_timeout(pause)
    page.mouse.click(*point)
    expect(log(page)).to_have_text("clicks: weights/4/4 weights/4/4")
    wait_idle(page)
    expect(log(page)).to_have_text("clicks: weights/4/4 weights/4/4")


def test_six_clicks_during_a_slow_run_all_count_in_order(address, open_page):
    page = drawn(open_page(address))
    page.get_by_text("slow").click()
    wait_idle(page)
    for col in range(5):
        page.mouse.click(*cell_point(page, "lesson", "weights", 1, col))
        page.wait_for_timeout(60)
    page.mouse.click(*cell_point(page, "lesson", "scores", 2, 2))
    expected = " ".join(f"weights/1/{col}" for col in range(5)) + " scores/2/2"
    expect(log(page)).to_have_text(f"clicks: {expected}", timeout=20_000)
    wait_idle(page)
    expect(log(page)).to_have_text(f"clicks: {expected}")


def test_two_clicks_that_reach_the_server_together_both_count(address, open_page):
    page = drawn(open_page(address))
    points = [cell_point(page, "lesson", "weights", 0, 1), cell_point(page, "lesson", "weights", 3, 2)]
    page.evaluate(  # in one task, as after a moment in which the browser was busy
        """points => {
            for (const [clientX, clientY] of points)
                document.elementFromPoint(clientX, clientY).dispatchEvent(
                    new MouseEvent("click", {clientX, clientY, bubbles: true}));
        }""",
        points,
    )
    expect(log(page)).to_have_text("clicks: weights/0/1 weights/3/2")


def test_a_click_right_after_a_fast_move_counts_where_the_pointer_is(address, open_page):
    page = drawn(open_page(address))
    page.mouse.move(*cell_point(page, "lesson", "weights", 0, 0))
    page.wait_for_timeout(120)  # Plotly hovers there now
    x, y = cell_point(page, "lesson", "weights", 3, 3)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.up()
    expect(log(page)).to_have_text("clicks: weights/3/3")


# --- touch ----------------------------------------------------------------------------------------


def test_a_tap_counts_once(address, open_page):
    page = drawn(open_page(address, viewport=(390, 844), touch=True))
    page.touchscreen.tap(*cell_point(page, "lesson", "weights", 2, 1))
    expect(log(page)).to_have_text("clicks: weights/2/1")
    wait_idle(page)
    page.touchscreen.tap(*cell_point(page, "lesson", "weights", 2, 2))
    expect(log(page)).to_have_text("clicks: weights/2/1 weights/2/2")


def test_a_swipe_over_a_picture_scrolls_the_page_and_chooses_nothing(address, open_page):
    page = drawn(open_page(address, viewport=(390, 844), touch=True))
    x, y = cell_point(page, "lesson", "weights", 2, 1)
    top = "document.querySelector('[data-testid=stMain]').scrollTop"
    before = page.evaluate(top)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 11):
        finger = [{"x": x, "y": y - 20 * step}]
        devtools.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": finger})
        page.wait_for_timeout(16)
    devtools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function(f"{top} > {before} + 100")
    expect(log(page)).to_have_text("clicks: none")


# --- keyboard -------------------------------------------------------------------------------------


def test_arrows_move_a_visible_cursor_that_is_said_and_enter_chooses(address, open_page):
    page = drawn(open_page(address))
    said, ring = page.locator(".st-key-lesson [role=status]"), page.locator(".st-key-lesson .drawing-cursor")
    page.locator(".st-key-column input").focus()
    page.keyboard.press("Tab")
    expect(page.locator(PLOT)).to_be_focused()
    expect(said).to_have_text("the scores. query 0, key 0, score 0.13")
    expect(ring).to_be_visible()
    for key in ("ArrowDown", "End", "ArrowRight"):  # off the right edge into the next panel
        page.keyboard.press(key)
    expect(said).to_have_text("the weights. mat → the: 0.169")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(said).to_have_text("<b> → mat: 0.376")
    x, y = cell_point(page, "lesson", "weights", 2, 1)
    box = ring.bounding_box()
    assert abs(box["x"] + box["width"] / 2 - x) < 2
    assert abs(box["y"] + box["height"] / 2 - y) < 2
    page.keyboard.press("Enter")
    expect(log(page)).to_have_text("clicks: weights/2/1")
    wait_idle(page)
    expect(page.locator(PLOT)).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press(" ")
    expect(log(page)).to_have_text("clicks: weights/2/1 weights/1/1")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(said).to_have_text("the scores. query 1, key 4, score -1.27")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Save as PNG").first).to_be_focused()
    expect(ring).to_be_hidden()


def test_the_cursor_stops_at_the_outer_edges(address, open_page):
    page = drawn(open_page(address))
    page.locator(PLOT).focus()
    for _ in range(3):
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowLeft")
    expect(page.locator(".st-key-lesson [role=status]")).to_have_text(re.compile("query 0, key 0"))


def test_every_choice_by_click_exists_as_a_widget(address, open_page):
    page = drawn(open_page(address))
    click_cell(page, "lesson", "weights", 3, 1)
    expect(page.locator(".st-key-row input")).to_have_value("3")
    page.locator(".st-key-row input").fill("2")
    page.locator(".st-key-row input").press("Enter")
    expect(page.get_by_text("arithmetic: weight[2, 1] = 0.3764")).to_be_visible()


# --- in place -------------------------------------------------------------------------------------


def test_a_change_is_drawn_into_the_same_node(address, open_page):
    page = drawn(open_page(address))
    page.locator(SVG).first.evaluate("node => { window.before = node }")
    old = page.locator(SVG).first.text_content()
    press(page, "change")
    expect(page.locator(PLOT)).to_have_attribute("aria-label", re.compile("version 1"))
    page.wait_for_function("old => document.querySelector('.st-key-lesson .main-svg').textContent !== old", arg=old)
    assert page.locator(SVG).first.evaluate("node => node === window.before")


def test_the_picture_never_goes_blank_during_a_change(address, open_page):
    page = drawn(open_page(address))
    page.evaluate(
        """() => {
            window.blank = 0;
            const look = () => {
                if (!document.querySelector('.st-key-lesson .heatmaplayer image')) window.blank += 1;
                requestAnimationFrame(look);
            };
            look();
        }"""
    )
    for version in range(1, 5):
        press(page, "change")
        expect(page.locator(PLOT)).to_have_attribute("aria-label", re.compile(f"version {version}$"))
        wait_idle(page)
    assert page.evaluate("window.blank") == 0


def glides(page) -> int:
    """How many bars glide, that is change their path in a transition, when the lesson's numbers change."""
    bar = page.locator(".st-key-lesson .bars path").first
    before = bar.get_attribute("d")
    page.evaluate(
        """() => {
            window.glides = 0;
            document.addEventListener("transitionrun", event => (window.glides += event.propertyName === "d"));
        }"""
    )
    press(page, "change")
    expect(bar).not_to_have_attribute("d", before, timeout=PATIENCE)
    page.wait_for_timeout(500)
    return page.evaluate("window.glides")


def test_bars_glide_to_their_new_length(address, open_page):
    assert glides(drawn(open_page(address))) > 0


def test_bars_do_not_glide_for_who_asked_for_less_motion(address, open_page):
    assert glides(drawn(open_page(address, reduced_motion="reduce"))) == 0


def test_a_theme_switch_recolours_at_once_and_without_a_rerun(address, open_page):
    page = drawn(open_page(address))
    colour = "getComputedStyle(document.querySelector('.st-key-lesson .xtick text')).fill"
    background = "getComputedStyle(document.querySelector('.st-key-lesson .main-svg')).backgroundColor"
    light = page.evaluate(colour), page.evaluate(background)
    sent = []
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.on("Network.webSocketFrameSent", lambda frame: sent.append(frame))
    page.locator(SVG).first.evaluate("node => { window.before = node }")
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"{colour} !== '{light[0]}' && {background} !== '{light[1]}'", timeout=2000)
    assert page.evaluate(colour) == page.evaluate(
        "getComputedStyle(document.querySelector('.st-key-lesson .drawing-tools button')).color"
    )
    assert page.locator(SVG).first.evaluate("node => node === window.before")
    assert sent == []


def test_the_width_follows_the_container(address, open_page):
    page = drawn(open_page(address))
    page.set_viewport_size({"width": 700, "height": 720})
    page.wait_for_function("document.querySelector('.st-key-lesson .main-svg').clientWidth < 680")
    page.set_viewport_size({"width": 1280, "height": 720})
    page.wait_for_function("document.querySelector('.st-key-lesson .main-svg').clientWidth > 1000")


@pytest.mark.parametrize(("width", "title"), [(1280, "hidden"), (390, "narrow")])
def test_a_picture_in_a_hidden_tab_is_drawn_when_it_is_shown(address, open_page, width, title):
    page = drawn(open_page(address, viewport=(width, 844)))
    page.get_by_role("tab", name="second").click()
    drawn(page, "hidden")
    assert page.locator(".st-key-hidden .gtitle").text_content() == title
    svg, room = (page.locator(f".st-key-hidden {part}").first.bounding_box() for part in (".main-svg", ".drawing"))
    assert abs(svg["width"] - room["width"]) < 1
    main = "document.querySelector('[data-testid=stMain]')"
    assert page.evaluate(f"{main}.scrollWidth <= {main}.clientWidth + 1")


def saved(page, key: str, button: str) -> str:
    """The text of a saved SVG, a line for each line in it."""
    with page.expect_download(timeout=PATIENCE) as download:
        page.locator(f".st-key-{key}").get_by_role("button", name=button).click()
    svg = Path(download.value.path()).read_text(encoding="utf-8")
    texts = page.evaluate(
        """svg => [...new DOMParser().parseFromString(svg, 'image/svg+xml').querySelectorAll('text')]
            .map(text => [...text.querySelectorAll('tspan.line')].map(line => line.textContent).join('\\n')
                || text.textContent)""",
        svg,
    )
    return "\n".join(texts)


def test_a_saved_picture_says_literally_and_in_lines_that_fit_what_the_page_says_beside_it(address, open_page):
    page = drawn(open_page(address, viewport=(340, 800)))
    lines = saved(page, "lesson", "Save as SVG").split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("computed from R&D's <b> numbers"))
    assert lines[-1] == "rows ask"
    assert len(lines) - at > 2  # the first line is too long for the picture
    assert " ".join(lines[at:-1]) == (
        "computed from R&D's <b> numbers for $5, which are far too long for a single line of it"
    )
    assert "rows ask" not in page.locator(".st-key-lesson .drawing-graph").text_content()


@pytest.mark.parametrize(
    ("link", "press", "key", "below"),
    [
        (
            "limits?lang=en",
            None,
            "limits_random",
            "random vectors\nRows: queries (who asks) · columns: keys (who is read)",
        ),
        ("?lang=ko", "전치해서 보기", "home_weights", "예시 숫자\n열: 쿼리(묻는 쪽) · 행: 키(읽히는 쪽)"),
        ("sentences?lang=en", None, "sentences_lineup_left", "one of the two is random\nRows: queries"),
    ],
)
def test_a_saved_picture_says_where_its_numbers_come_from_and_which_side_asks(app, open_page, link, press, key, below):
    page = drawn(open_page(f"{app}/{link}"), f"{key}_picture")
    if press:
        page.get_by_text(press, exact=True).click()
        wait_idle(page)
        page.wait_for_timeout(300)
    assert below.replace("\n", " ") in saved(page, f"{key}_picture", "SVG").replace("\n", " ")


@pytest.mark.parametrize("format", ["PNG", "SVG"])
def test_a_picture_is_saved_with_the_themes_background(address, open_page, format):
    page = drawn(open_page(address, color_scheme="dark"))
    background = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    with page.expect_download() as download:
        page.locator(".st-key-lesson").get_by_role("button", name=f"Save as {format}").click()
    file = download.value
    assert file.suggested_filename == f"picture.{format.lower()}"
    content = Path(file.path()).read_bytes()
    if format == "SVG":
        colour = re.search(rb"<rect[^>]*fill: (rgb\([^)]*\))", content)
        assert colour, content[:400]
        assert colour[1].decode() == background
    else:
        corner = page.evaluate(
            """async bytes => {
                const image = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
                const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
                canvas.drawImage(image, 0, 0);
                return [...canvas.getImageData(2, 2, 1, 1).data];
            }""",
            list(content),
        )
        assert corner == [*map(int, re.findall(r"\d+", background)), 255]


def test_the_buttons_cover_no_label(address, open_page):
    page = drawn(open_page(address))
    page.locator(PLOT).hover()
    buttons = page.locator(".st-key-lesson .drawing-tools").bounding_box()
    plot = page.locator(PLOT).bounding_box()
    below = buttons["y"] >= plot["y"] + plot["height"]
    assert below or buttons["x"] >= plot["x"] + plot["width"]


# --- staying well ---------------------------------------------------------------------------------


def test_coming_and_going_fifteen_times_leaves_nothing_behind(address, open_page):
    page = drawn(open_page(address))
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable")

    def there_and_back():
        page.get_by_role("link", name="empty").click()
        page.get_by_text("no picture here").wait_for()
        assert page.locator(".main-svg").count() == 0
        page.get_by_role("link", name="pictures").click()
        drawn(page)
        wait_idle(page)

    def held():
        for _ in range(3):
            devtools.send("HeapProfiler.collectGarbage")
        return {m["name"]: m["value"] for m in devtools.send("Performance.getMetrics")["metrics"]}

    for _ in range(3):
        there_and_back()
    before = held()
    for _ in range(12):
        there_and_back()
    after = held()
    click_cell(page, "lesson", "weights", 2, 3)
    expect(log(page)).to_have_text("clicks: weights/2/3")
    assert after["Nodes"] < before["Nodes"] * 1.2 + 200
    assert after["JSEventListeners"] < before["JSEventListeners"] * 1.2 + 50
    assert after["JSHeapUsedSize"] < before["JSHeapUsedSize"] + 6e6


def test_thirty_changes_leave_nothing_behind(address, open_page):
    page = drawn(open_page(address))
    count = "document.querySelectorAll('.st-key-lesson *').length"
    before = page.evaluate(count)
    for version in range(1, 31):
        press(page, "change")
        expect(page.locator(PLOT)).to_have_attribute("aria-label", re.compile(f"version {version}$"))
    wait_idle(page)
    assert page.evaluate(count) < before + 20


@pytest.mark.sweep
@pytest.mark.parametrize("color_scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [(1280, 720), (390, 844)])
def test_axe_finds_nothing_in_pictures(address, open_page, color_scheme, viewport):
    page = drawn(open_page(address, color_scheme=color_scheme, viewport=viewport))
    page.locator(PLOT).focus()
    page.keyboard.press("ArrowRight")
    page.locator(PLOT).hover()
    result = Axe().run(page, context=".drawing")
    assert result.violations_count == 0, result.generate_report()


def received(page):
    """Bytes the page's requests brought, kept up to date."""
    sizes = []
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    devtools.on("Network.webSocketFrameReceived", lambda event: sizes.append(len(event["response"]["payloadData"])))
    return sizes


def test_a_first_visit_costs_no_more_than_one_chart_of_streamlits(address, open_page):
    sizes = {}
    for chart in ("streamlit", "ours"):
        kept = {}
        page = open_page(
            f"{address}/bench?stages=1&chart={chart}",
            before=lambda page, kept=kept: kept.update(all=received(page)),
        )
        page.locator(".main-svg").first.wait_for(timeout=30_000)
        wait_idle(page)
        sizes[chart] = sum(kept["all"])
    assert sizes["streamlit"] > 3e6
    assert sizes["ours"] < sizes["streamlit"] + 0.3e6


def test_pictures_work_under_a_base_path(serve, open_page):
    page = drawn(open_page(serve(ENTRY, "--server.baseUrlPath", "class")))
    click_cell(page, "lesson", "weights", 2, 3)
    expect(log(page)).to_have_text("clicks: weights/2/3")


# --- where plotly.js cannot be had ----------------------------------------------------------------


def all_facts_reachable(page):
    expect(page.locator(".st-key-lesson-chart .main-svg").first).to_be_visible(timeout=30_000)
    expect(page.get_by_role("figure", name="Scores and weights of five tokens, version 0")).to_be_visible()
    page.locator(".st-key-row input").fill("2")
    page.locator(".st-key-row input").press("Enter")
    expect(page.get_by_text("arithmetic: weight[2, 0] = 0.1945")).to_be_visible()
    press(page, "change")
    expect(page.get_by_role("figure", name="Scores and weights of five tokens, version 1")).to_be_visible()
    assert page.locator(".drawing-plot").count() == 0
    assert page.locator("[data-testid=stException]").count() == 0


def test_without_the_script_in_the_package_streamlits_chart_draws(address, open_page):
    all_facts_reachable(open_page(f"{address}?fallback=python"))


def test_when_the_script_brings_no_plotly_streamlits_chart_draws_and_stays(address, open_page):
    def other_name(page):
        def change(route):
            answer = route.fetch()
            body = answer.text().replace("window.Plotly=", "window.Renamed=")
            route.fulfill(response=answer, body=body)

        page.route("**/PlotlyChart.*.js", change)

    page = open_page(address, before=other_name)
    all_facts_reachable(page)
    page.get_by_role("link", name="empty").click()
    page.get_by_text("no picture here").wait_for()
    page.get_by_role("link", name="pictures").click()
    expect(page.locator(".st-key-lesson-chart .main-svg").first).to_be_visible()
    assert page.locator(".drawing-plot").count() == 0


def test_when_the_script_does_not_arrive_the_page_stays_whole(address, open_page):
    page = open_page(
        address,
        before=lambda page: page.route("**/PlotlyChart.*.js", lambda route: route.abort()),
        allow="Failed to load resource|dynamically imported|error loading",
    )
    expect(page.get_by_text("arithmetic: weight[0, 0]")).to_be_visible()
    page.locator(".st-key-row input").fill("2")
    page.locator(".st-key-row input").press("Enter")
    expect(page.get_by_text("arithmetic: weight[2, 0] = 0.1945")).to_be_visible()
