"""Time from click to painted, and time blank, of plot() and of st.plotly_chart, in one run and as ratios.

    python tests/bench/bench_drawing.py

Both draw the same figures from tests/browser/drawing_app.py, each handed over as it is in use: plot() takes plain
data, as pages/ui/figures.py makes it, st.plotly_chart Plotly's figure objects. The ratio is the median of those of
neighbouring rounds. Exit status 1 when plot() needs more than 0.6 of st.plotly_chart's time or is ever blank.
"""

import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "browser"))
from conftest import FLAGS, served
from visitor import wait_idle

ROUNDS, CHANGES = 8, 6
CASES = {"five 8x8": "stages=5&size=8", "one 16x16": "stages=1&size=16"}

# Press the button; look at every frame until all pictures show the next version, and a moment longer.
CHANGE = """next => new Promise(done => {
    const all = () => [...document.querySelectorAll('[class*="st-key-stage"]')];  // Streamlit's are new
    const count = all().length;
    const start = performance.now();
    let last = start, painted = 0, blank = 0;
    const look = () => {
        const now = performance.now();
        const pictures = all();
        const shown = pictures.map(one => one.querySelector('.heatmaplayer image') && one.checkVisibility());
        const titles = pictures.map(one => one.querySelector('.gtitle')?.textContent);
        const whole = pictures.length === count && shown.every(Boolean);
        if (!whole) blank += now - last;
        if (!painted && whole && titles.every(title => title === next)) painted = now - start;
        last = now;
        if (painted ? now - start > painted + 400 : now - start < 10_000) requestAnimationFrame(look);
        else done([painted || 10_000, blank]);
    };
    [...document.querySelectorAll('button')].find(button => button.innerText === 'change').click();
    requestAnimationFrame(look);
})"""


def measure(browser, address: str) -> list[float]:
    """[milliseconds from click to painted, milliseconds blank], the medians of some changes."""
    page = browser.new_page(viewport={"width": 1600, "height": 900})
    page.goto(address)
    wait_idle(page)
    page.locator(".heatmaplayer image").last.wait_for()
    times = []
    for version in range(1, CHANGES + 1):
        times.append(page.evaluate(CHANGE, f"version {version}"))
        wait_idle(page)
    page.close()
    return [statistics.median(column) for column in zip(*times[1:], strict=True)]


def main() -> int:
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    log = Path(tempfile.mkdtemp()) / "server.txt"
    good = True
    with served("tests/browser/drawing_app.py", (), log) as base, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for name, query in CASES.items():
            rounds = []
            for _ in range(ROUNDS):  # in turns, so that a busy machine is busy for both
                stock, ours = (
                    measure(browser, f"{base}/bench?{query}&chart={chart}") for chart in ("streamlit", "ours")
                )
                rounds.append([*stock, *ours])
            stock, blank, ours, our_blank = map(statistics.median, zip(*rounds, strict=True))
            ratio = statistics.median(one[2] / one[0] for one in rounds)
            good &= ratio <= 0.6 and our_blank == 0
            print(f"{name}: painted {ours:.0f} / {stock:.0f} ms = {ratio:.2f}, blank {our_blank:.0f} / {blank:.0f} ms")
        browser.close()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
