"""How soon a browser shows what the lab answers: from a slider's event to the picture."""

import json
import shutil
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
PATIENCE = 120  # seconds

# Moves a slider and waits for the picture: until the first task after the frame that drew it.
MOVE = """
async ([slider, place]) => {
  const input = document.querySelector(slider), notes = lab.notes["traced explore"];
  const before = notes.length, began = performance.now();
  input.value = place;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  while (notes.length === before) await new Promise((go) => setTimeout(go, 0));
  await new Promise((go) => requestAnimationFrame(() => setTimeout(go, 0)));
  return performance.now() - began;
}
"""
SLIDER = "#agent-learner ~ div input[data-parameter=rho]"


@contextmanager
def a_browser() -> Iterator[Any]:
    """A browser, or None where there is none."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        yield None
        return
    if CHROMIUM is None:
        yield None
        return
    with sync_playwright() as play:
        found = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


def drawn(page: Any, more_than: int = 0) -> int:
    """Wait for a trace to be drawn; how many there are."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        count = page.evaluate("(window.lab?.notes['traced explore'] ?? []).length")
        if count > more_than:
            return count
        time.sleep(0.005)
    raise RuntimeError("the lab drew nothing")


def first_picture(browser: Any, address: str, began: float) -> float:
    """Seconds from `began` to the first picture of a lab."""
    page = browser.new_page()
    page.goto(address)
    drawn(page)
    took = time.perf_counter() - began
    page.close()
    return took


def slider_times(
    browser: Any, address: str, bandit: dict, agent: dict, horizon: int, moves: int
) -> tuple[float, float]:
    """Milliseconds from a slider's event to the picture: the median, and what 95 % stay below."""
    state = {"bandit": bandit, "agent": agent, "horizon": horizon, "given": False, "seed": 1}
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{address}#room=explore&q={quote(json.dumps(state))}")
    count = drawn(page)
    while page.evaluate("lab.current.view.trace.engine") != "compiled":
        time.sleep(0.5)
        page.evaluate("lab.current.ask()")
        count = drawn(page, count)
    places = [10 + (37 * move) % 150 for move in range(moves + 3)]
    times = [page.evaluate(MOVE, [SLIDER, place]) for place in places][3:]  # the first ones warm up
    page.close()
    return statistics.median(times), sorted(times)[int(0.95 * moves)]
