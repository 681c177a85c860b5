"""The lab in a real browser. CSP stays on, so waiting is by `page.evaluate` or by locators:
`wait_for_function("text")` would need unsafe-eval.

They run in processes of their own: playwright keeps an event loop running, in which asyncio's
tests cannot run. Among other tests they are skipped. Where there is no browser they are skipped,
too, and fail if ARMWISE_BROWSER=required.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
AXE = ROOT / ".browser" / "package" / "axe.min.js"  # by `make browser`; never in the wheel
ARMWISE = [sys.executable, "-c", "from armwise_command import main; main()"]
REQUIRED = os.environ.get("ARMWISE_BROWSER") == "required"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)


def pytest_collection_modifyitems(items):
    """Leave these tests out where others are to run, too."""
    own = [item for item in items if HERE in item.path.parents]
    if len(own) < len(items):
        for item in own:
            item.add_marker(pytest.mark.skip(reason="run by make test, in processes of their own"))


def lacking(reason):
    if REQUIRED:
        pytest.fail(f"{reason}, and ARMWISE_BROWSER=required.")
    pytest.skip(f"{reason}: `make browser` installs what is needed.")


PATIENCE = 60  # seconds that a busy machine may take; nothing waits longer than it must


class Screen:
    """A page of the lab: playwright's, and how to wait for what the lab draws."""

    def __init__(self, page):
        self.page = page

    def __getattr__(self, name):
        return getattr(self.page, name)

    def until(self, code, seconds=PATIENCE):
        """The value of an expression in the page, once it is true."""
        end = time.time() + seconds
        while time.time() < end:
            if value := self.page.evaluate(code):
                return value
            time.sleep(0.02)
        raise AssertionError(f"{code} did not become true")

    def count(self, note="traced explore"):
        """How often the page took this note (main.js, `noted`)."""
        return self.page.evaluate(f"(window.lab?.notes[{note!r}] ?? []).length")

    def drawn(self, note="traced explore", more_than=0):
        self.until(f"(window.lab?.notes[{note!r}] ?? []).length > {more_than}")

    def slide(self, locator, value, note="traced explore"):
        """Moves a slider, and waits for the picture."""
        before = self.count(note)
        locator.evaluate(
            "(e, v) => { e.value = v; e.dispatchEvent(new Event('input', { bubbles: true })) }",
            str(value),
        )
        self.drawn(note, before)

    def status(self, words):
        return self.page.get_by_role("status").filter(has_text=words)


def started(*arguments, cwd=None, **environment):
    """A running `armwise lab`, and its address."""
    command = [*ARMWISE, "lab", "--port", "0", "--no-browser"]
    server = subprocess.Popen(
        [*command, *map(str, arguments)],
        env={**os.environ, "ARMWISE_QUIET": "1", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=cwd,
    )
    said = ""
    for line in server.stdout:
        said += line
        if found := re.search(r"http://\S+", line):
            return server, found[0]
    raise AssertionError(said)


def ended(server):
    server.terminate()
    server.wait(PATIENCE)
    server.stdout.close()


@pytest.fixture(scope="session")
def browser():
    try:
        from playwright.sync_api import expect, sync_playwright
    except ImportError:
        lacking("playwright is not installed")
    pytest.importorskip("starlette")
    if CHROMIUM is None:
        lacking("There is no chromium")
    expect.set_options(timeout=PATIENCE * 1000)
    with sync_playwright() as play:
        found = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="session")
def address(browser):
    server, found = started()
    yield found
    ended(server)


@pytest.fixture(scope="module")
def lab(browser):
    """Starts further labs: `lab("task.toml", "--data", folder)` is an address."""
    servers = []

    def starting(*arguments, **options):
        server, found = started(*arguments, **options)
        servers.append(server)
        return found

    yield starting
    for server in servers:
        ended(server)


@pytest.fixture
def opened(browser):
    """Opens addresses; nothing that a page complains of or asks of another host is let pass."""
    contexts, troubles = [], []

    def opening(address, width=1280, height=900, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        home = re.match(r"http://[^/]+|about:blank", address)[0]
        own = (home, home.replace("http", "ws"), "data:", "blob:")
        page.on("console", lambda m: m.type in ("error", "warning") and troubles.append(m.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda r: r.url.startswith(own) or troubles.append(r.url))
        page.goto(address)
        return Screen(page)

    yield opening
    for context in contexts:
        context.close()
    assert troubles == []


@pytest.fixture
def explore(opened, address):
    page = opened(address)
    page.drawn()
    return page


@pytest.fixture(scope="session")
def axe():
    """Finds what keeps people from using a page (WCAG 2.2 AA and best practice)."""
    if not AXE.exists():
        lacking("axe-core is not there")
    code = AXE.read_text()
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

    def looking(page):
        page.evaluate(code)
        found = page.evaluate("tags => axe.run(document, { runOnly: tags })", tags)
        assert len(found["passes"]) > 10
        return [(v["id"], [n["html"][:120] for n in v["nodes"]][:3]) for v in found["violations"]]

    return looking
