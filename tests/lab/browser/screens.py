"""Take the pictures of docs/figures/lab: `python -m tests.lab.browser.screens`, from the root.

What is on them is decided by seeds: the same code draws the same rooms.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

import armwise as aw

from .conftest import ARMWISE, CHROMIUM, ROOT, Screen, ended, started

FIGURES = ROOT / "docs" / "figures" / "lab"
COLOURS, WIDE = 192, 900
RESAMPLE = Image.Resampling.LANCZOS
BOARD = """
horizon = 500
seed = 3
agents = 100
[[bandit]]
name = "switching"
arms = 5
epsilon = 0.3
rho = 0.01
[[bandit]]
name = "stationary"
arms = 5
"""
for name in ("a-ai", "o-ts", "ucb", "rc"):
    BOARD += (
        f'[[agent]]\npolicy = {{ name = "{name}" }}\nlearner = {{ name = "smile", rho = 0.01 }}\n'
    )


def player(path):
    """A BOCPD player whose best arm changes twice, and of whose outcomes some are still open."""
    best = ["red"] * 70 + ["blue"] * 70 + ["green"] * 60
    with aw.BOCPD(rho=0.01).open(path, ["red", "green", "blue"], seed=5) as found:
        for trial, good in enumerate(best):
            ticket = found.choose()
            chance = 70 if ticket.arm == good else 20
            if trial % 23 != 22:
                found.observe(ticket, int(trial * 7919 % 100 < chance))


def explore(screen, address):
    screen.goto(f"{address}#room=explore")
    screen.drawn()
    screen.until("lab.current.view.trace.engine === 'compiled' || lab.current.ask()")
    screen.evaluate("lab.current.jump(205)")


def compare(screen, address):
    screen.goto(f"{address}#room=compare")
    screen.drawn("traced compare")
    screen.get_by_label("trials of each").fill("500")
    screen.get_by_label("trials of each").blur()
    screen.get_by_role("button", name="Run the copies").click()
    screen.until("lab.current.copies.last?.header.over")


def lesson(screen, address):
    screen.goto(f"{address}#room=lessons&lesson=stuck")
    screen.drawn("lesson")
    screen.slide(screen.locator("#lesson-slider"), 6, "lesson")


def revealed(screen, address):
    """A person who tries all arms, stays where it pays, and leaves after two failures."""
    screen.goto(f"{address}#room=play")
    screen.get_by_label("trials").fill("60")
    screen.get_by_label("seed").fill("3")
    screen.get_by_role("button", name="Start").click()
    arm, failures = 0, 0
    for trial in range(60):
        board = "lab.current.board"
        screen.until(f"{board}.open || ({board}.hasty && {board}.skip?.())")
        screen.page.keyboard.press("QWERT"[arm])
        next_place = f"{board}.place.trial > {trial + 1} || ({board}.skip?.(), false)"
        screen.until(f"(lab.notes.revealed ?? []).length || {next_place}")
        failures = 0 if screen.evaluate(f"{board}.last") else failures + 1
        if failures == 2:
            arm, failures = (arm + 1) % 5, 0
    screen.drawn("fitted")


def watch(screen, address):
    screen.goto(f"{address}#room=watch")
    screen.until("document.body.textContent.includes('each is the one that')")


def results(screen, address):
    screen.goto(f"{address}#room=results")
    screen.drawn("curves")


def task(screen, address):
    screen.goto(address)
    screen.get_by_label("I have read this").check()
    screen.get_by_role("button", name="Begin").click()
    for _ in range(2):
        screen.get_by_role("button", name="Go on").click()
    screen.get_by_role("button", name="Start the block").click()
    screen.page.keyboard.press("q")
    screen.until("document.querySelector('.feedback').textContent")


ROOMS = {
    explore: [("explore-1280", 1280), ("explore-768", 768), ("explore-375", 375)],
    compare: [("compare-1280", 1280), ("compare-375", 375)],
    lesson: [("lesson-1280", 1280), ("lesson-375", 375)],
    revealed: [("revealed-1280", 1280), ("revealed-375", 375)],
    watch: [("watch-1280", 1280), ("watch-375", 375)],
    results: [("results-1280", 1280), ("results-375", 375)],
    task: [("task-1280", 1280), ("task-375", 375)],
}
DARK = {explore: [("explore-dark-1280", 1280)]}


def shoot(browser, room, address, name, width, scheme):
    """Take one picture, with few colours, so that the file is small."""
    context = browser.new_context(viewport={"width": width, "height": 760}, color_scheme=scheme)
    screen = Screen(context.new_page())
    room(screen, address)
    screen.wait_for_timeout(300)
    path = FIGURES / f"{name}.png"
    # A phone is shown as it is seen: a sheet below the picture, which scrolls.
    screen.screenshot(path=path, full_page=width > 400)
    context.close()
    with Image.open(path) as found:
        small = found.convert("RGB")
        if width > WIDE:
            small = small.resize((WIDE, round(found.height * WIDE / found.width)), RESAMPLE)
        small.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
            path, optimize=True
        )


def main():
    from playwright.sync_api import sync_playwright

    folder = Path(tempfile.mkdtemp())
    player(folder / "headlines.db")
    (folder / "sweep.toml").write_text(BOARD)
    subprocess.run([*ARMWISE, "run", "sweep.toml", "--store", "results"], cwd=folder, check=True)
    lab = started("--watch", "headlines.db", "--store", "results", cwd=folder)
    trial = started(ROOT / "examples" / "task.toml", "--data", "data", cwd=folder)
    try:
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            for scheme, rooms in (("light", ROOMS), ("dark", DARK)):
                for room in rooms:
                    if sys.argv[1:] and room.__name__ not in sys.argv[1:]:
                        continue
                    for name, width in rooms[room]:
                        address = (trial if room is task else lab)[1]
                        shoot(browser, room, address, name, width, scheme)
    finally:
        for server, _ in (lab, trial):
            ended(server)


if __name__ == "__main__":
    main()
