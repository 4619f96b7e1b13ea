"""The browser fixtures themselves: they must be able to fail."""

import os
import subprocess
import sys

import pytest


@pytest.fixture
def address(serve):
    return serve("tests/browser/drawing_app.py")


def test_a_console_error_is_noticed(address, open_page, faults):
    page = open_page(address)
    page.evaluate("console.error('broken')")
    page.wait_for_timeout(50)
    assert faults == ["console: broken"]
    faults.clear()


def test_an_uncaught_exception_is_noticed(address, open_page, faults):
    page = open_page(address)
    page.evaluate("setTimeout(() => { throw new Error('lost') })")
    page.wait_for_timeout(50)
    assert len(faults) == 1
    assert "lost" in faults[0]
    faults.clear()


def test_a_request_to_another_host_is_noticed(address, open_page, faults):
    page = open_page(address, before=lambda page: page.route("http://elsewhere.test/*", lambda r: r.fulfill()))
    page.evaluate("fetch('http://elsewhere.test/pixel', {mode: 'no-cors'}).catch(() => {})")
    page.wait_for_timeout(50)
    assert "request to another host: http://elsewhere.test/pixel" in faults
    faults.clear()


@pytest.mark.parametrize(("ci", "status", "word"), [("", 0, "BROWSER TESTS DID NOT RUN"), ("true", 1, "cannot run")])
def test_without_a_browser_tests_skip_loudly_but_fail_where_all_must_run(ci, status, word):
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-k", "console_error", __file__],
        env={**os.environ, "PATH": "", "CI": ci},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == status, run.stdout
    assert word in run.stdout
