"""One browser and one server a session, one fresh visitor a test.

A test asks for `open_page` (and `app`, the address of the real app) and gets a Playwright page:

    def test_something(app, open_page):
        page = open_page(app + "/masks?lang=ko", color_scheme="dark", viewport=(390, 844), touch=True)

Whatever went wrong in the browser on the way (console errors, uncaught exceptions, requests to another
host) fails the test at its end. The steps a visitor takes (edit a cell, wait until idle) are in visitor.py.
"""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def no_browser(reason: str):
    """Skip loudly; where every test must run (CI), fail."""
    if os.environ.get("CI"):
        pytest.fail(f"browser tests cannot run: {reason}")
    pytest.skip(f"BROWSER TESTS DID NOT RUN: {reason}")


def pytest_collection_modifyitems(items):
    """A browser on a busy machine can miss a deadline once; a test that fails twice in a row has failed."""
    for item in items:
        if "browser" in Path(item.fspath).parts:
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        no_browser("the package playwright is not installed")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        no_browser("no chromium on this machine (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def serve(browser, tmp_path_factory):
    """Start a Streamlit script (once a session) and return its address: serve("tests/browser/x_app.py").

    Further arguments are Streamlit options: serve("app.py", "--server.baseUrlPath", "class").
    """
    running = {}
    with contextlib.ExitStack() as servers:

        def start(entry: str, *options: str) -> str:
            if (entry, options) not in running:
                log = tmp_path_factory.mktemp("server") / "log.txt"
                running[entry, options] = servers.enter_context(served(entry, options, log))
            return running[entry, options]

        yield start


@contextlib.contextmanager
def served(entry: str, options: tuple[str, ...], log: Path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", entry, "--server.port", str(port)]
    command += [
        "--server.address",
        "127.0.0.1",
        "--server.headless",
        "true",
        "--server.fileWatcherType",
        "none",
    ]
    with log.open("w") as output:
        server = subprocess.Popen(
            [*command, *options],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        base = options[options.index("--server.baseUrlPath") + 1] if "--server.baseUrlPath" in options else ""
        address = f"http://127.0.0.1:{port}" + (f"/{base}" if base else "")
        try:
            for _ in range(300):
                if server.poll() is not None:
                    pytest.fail(f"{entry} did not start:\n{log.read_text()}")
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).read()
                    break
                time.sleep(0.1)
            else:
                pytest.fail(f"{entry} did not answer within 30 s:\n{log.read_text()}")
            yield address
        finally:
            server.terminate()
            server.wait(10)


@pytest.fixture(scope="session")
def app(serve):
    """Address of the real app."""
    return serve("app.py")


@pytest.fixture
def faults():
    """What went wrong in the browser, as text. Must be empty when the test ends."""
    found = []
    yield found
    assert not found, "in the browser: " + "; ".join(found)


@pytest.fixture
def open_page(browser, faults):
    """Open an address as a new visitor and wait until it is idle.

    `allow` is a pattern for console errors that the test provokes itself; `before(page)` runs before the
    address is opened (routes, init scripts).
    """
    from visitor import wait_idle

    contexts = []

    def open_page(
        address,
        *,
        color_scheme="light",
        viewport=(1280, 720),
        locale="en-US",
        touch=False,
        reduced_motion="no-preference",
        allow=None,
        before=None,
    ):
        context = browser.new_context(
            color_scheme=color_scheme,
            viewport={"width": viewport[0], "height": viewport[1]},
            locale=locale,
            has_touch=touch,
            is_mobile=touch,
            reduced_motion=reduced_motion,
        )
        contexts.append(context)
        page = context.new_page()
        watch(page, urlsplit(address).netloc, faults, allow)
        if before:
            before(page)
        page.goto(address)
        wait_idle(page)
        return page

    yield open_page
    for context in contexts:
        context.close()


def watch(page, host: str, faults: list[str], allow: str | None) -> None:
    """Note what goes wrong in the page from now on."""

    def console(message):
        # A deep link makes Streamlit probe /<page>/_stcore/… first and get a 404: its own doing.
        if message.type != "error" or "/_stcore/" in message.location.get("url", ""):
            return
        if not (allow and re.search(allow, message.text)):
            faults.append(f"console: {message.text}")

    def request(request):
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != host:
            faults.append(f"request to another host: {request.url}")

    page.on("console", console)
    page.on("pageerror", lambda error: faults.append(f"uncaught: {error}"))
    page.on("request", request)
    page.on("websocket", request)
