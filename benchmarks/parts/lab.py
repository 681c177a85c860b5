"""How soon the lab answers: a slider's question, the first one after a cold start, many copies.

An answer is measured from the question to its last byte, by a websocket on this machine; a picture
from the slider's event to the frame that shows it, in a browser, where there is one.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import armwise as aw
from armwise.lab.wire import unpacked
from armwise.model.forms import NORMAL
from armwise.registry import known
from parts.lab_page import a_browser, first_picture, slider_times
from parts.table import Options, Table, number

STATIC = Path(aw.__file__).parent / "lab" / "static"
ARMS, HORIZON = 10, 500
ANSWER, TAIL = 60.0, 100.0  # milliseconds that half and 95 % of the pictures may take
FIRST, FIRST_COPIES, STREAM, PAGE = 2.0, 0.3, 1.2, 250  # seconds, seconds, times, kB
BANDIT = {"name": "switching", "arms": ARMS, "epsilon": 0.2, "rho": 0.005}


class Page:
    """The websocket of a page."""

    def __init__(self, address: str) -> None:
        from websockets.sync.client import connect

        place = address.removeprefix("http://").rstrip("/")
        self._open = connect(f"ws://{place}/talk", origin=f"http://{place}", max_size=None)  # type: ignore[arg-type]
        self._socket = self._open.__enter__()

    def ask(self, **asked: Any) -> float:
        """Seconds until the answer to a question is there; `header` and `arrays` are the answer."""
        began = time.perf_counter()
        self._socket.send(json.dumps(asked))
        self.wait(asked["id"])
        return time.perf_counter() - began

    def wait(self, number: Any, kind: str | None = None) -> None:
        """Wait for the next answer of a question, or for one of a kind."""
        while True:
            told = self._socket.recv()
            self.header = json.loads(told) if isinstance(told, str) else unpacked(told)[0]
            if "problem" in self.header:
                raise RuntimeError(self.header["problem"])
            quiet = kind is None and self.header["kind"] in ("ready", "compiling")
            if self.header["id"] == number and not quiet and kind in (None, self.header["kind"]):
                return

    def close(self) -> None:
        self._open.__exit__(None, None, None)


@contextmanager
def a_lab(**environment: str) -> Iterator[str]:
    """The address of a lab that has just been started."""
    command = "import sys; sys.argv = ['armwise', 'lab', '--no-browser', '--port', '0']\n"
    command += "from armwise.cli import main\nmain()"
    with subprocess.Popen(
        [sys.executable, "-c", command],
        stdout=subprocess.PIPE,
        env=os.environ | {"ARMWISE_QUIET": "1"} | environment,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()
            process.wait(10)


def those_of_the_page() -> list[str]:
    return sorted(name for name, cls in known("policy").items() if cls.beliefs != NORMAL)


def agent_of(policy: str) -> dict[str, Any]:
    return {"policy": {"name": policy}, "learner": {"name": "smile", "rho": 0.005}}


def measure(options: Options) -> Iterator[Table]:
    moves = 30 if options.quick else 100
    policies = ("a-ai", "g-ai", "o-ts") if options.quick else those_of_the_page()
    with a_browser() as browser:
        if browser is None:
            options.say(
                "the lab: no browser (playwright and chromium), so no pictures are measured"
            )
        options.say("the lab: cold start")
        cold = cold_start(browser)
        with a_lab() as address:
            page = Page(address)
            rows = []
            for policy in policies:
                options.say(f"the lab: {policy}")
                found = answers(page, policy, moves)
                if browser is not None:
                    size = BANDIT, agent_of(policy), HORIZON, moves
                    found += slider_times(browser, address, *size)
                rows.append(row_of(policy, found))
            yield Table(
                f"The lab: a slider, {HORIZON} trials x {ARMS} arms",
                [
                    "policy",
                    ">answer, median [ms]",
                    ">95 %",
                    ">picture, median [ms]",
                    ">95 %",
                    ">goals",
                    "",
                ],
                rows,
                [
                    f"{moves} moves of a slider each, compiled. The picture: from the slider's "
                    "event to the frame that shows it, in headless Chromium on the same machine."
                ],
            )
            options.say("the lab: many copies")
            first, ratio, size_of_page = many_copies(page, 200 if options.quick else 1000)
            page.close()
    what = "first picture" if browser is not None else "first answer"
    facts = [
        (f"{what} after a cold start, no kernels [s]", cold, FIRST),
        ("first picture of many copies [s]", first, FIRST_COPIES),
        ("many copies, as a multiple of one simulate call", ratio, STREAM),
        ("page: all of its files [kB]", size_of_page, PAGE),
    ]
    verdicts = [[what, number(v), f"{g:g}", "met" if v <= g else "missed"] for what, v, g in facts]
    yield Table("The lab: starts and streams", ["what", ">found", ">goal", ""], verdicts, [])


def row_of(policy: str, found: tuple[float, ...]) -> list[str]:
    """A row of the table; the goals are the picture's, or without a browser the answer's."""
    half, tail = found[-2:]
    shown = [number(each) for each in found] + ["–"] * (4 - len(found))
    verdict = "met" if half <= ANSWER and tail <= TAIL else "missed"
    return [policy, *shown, f"{ANSWER:g}, {TAIL:g}", verdict]


def cold_start(browser: Any) -> float:
    """Seconds from the start of the process to the first picture, without compiled kernels."""
    with tempfile.TemporaryDirectory() as cache:
        began = time.perf_counter()
        with a_lab(ARMWISE_CACHE_DIR=cache) as address:
            if browser is not None:
                return first_picture(browser, address, began)
            page = wait_for(address)
            teaching = {"bandit": BANDIT | {"arms": 5}, "agent": agent_of("g-ai")}
            page.ask(do="trace", id=1, **teaching, horizon=HORIZON, seed=1)
            took = time.perf_counter() - began
            page.close()
    return took


def wait_for(address: str) -> Page:
    for _ in range(500):
        try:
            return Page(address)
        except OSError:
            time.sleep(0.01)
    raise RuntimeError(f"no lab answers at {address}")


def answers(page: Page, policy: str, moves: int) -> tuple[float, ...]:
    """Milliseconds to an answer: the median, and what 95 % stay below."""
    asked = {"do": "trace", "bandit": BANDIT, "agent": agent_of(policy), "horizon": HORIZON}
    page.ask(**asked, id="first", seed=1)
    if page.header["engine"] == "interpreted":
        page.wait("first", "ready")
    times = []
    for move in range(moves):
        rho = 0.001 + 0.05 * ((37 * move) % moves) / moves
        asked["agent"]["learner"]["rho"] = rho  # type: ignore[index]
        times.append(1e3 * page.ask(**asked, id=move, seed=1))
        assert page.header["engine"] == "compiled"
    times.sort()
    return times[moves // 2], times[int(0.95 * moves)]


def many_copies(page: Page, copies: int) -> tuple[float, float, float]:
    """Seconds to the first picture; all, as a multiple of one call; the page in kB."""
    asked = {"bandit": BANDIT, "agents": [{"label": p, **agent_of(p)} for p in ("g-ai", "o-ts")]}
    asked |= {"do": "copies", "horizon": 2_000, "seed": 1}
    page.ask(**asked, id="warm", copies=2)
    while not page.header["over"]:
        page.wait("warm")
    began = time.perf_counter()
    first = page.ask(**asked, id="all", copies=copies)
    while not page.header["over"]:
        page.wait("all")
    took = time.perf_counter() - began
    bandit, smile = aw.SwitchingBandit(arms=ARMS, epsilon=0.2, rho=0.005), aw.Smile(rho=0.005)
    agents = [
        aw.Agent(policy, smile)
        for policy in (aw.ExactActiveInference(), aw.OptimisticThompsonSampling())
    ]
    for agent in agents:
        aw.simulate(bandit, agent, 10, 2)
    began = time.perf_counter()
    for agent in agents:
        aw.simulate(bandit, agent, 2_000, copies, seed=1)
    size = sum(path.stat().st_size for path in STATIC.rglob("*") if path.is_file())
    return first, took / (time.perf_counter() - began), size / 1e3
