"""armwise: fits from a cold start without a compiler, and fits that are killed."""

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from parts.table import Options, Table, number

PEOPLE, TRIALS = 50, 500
QUICK_PEOPLE, QUICK_TRIALS = 12, 100
FIRST_DRAW = 15.0  # seconds
KILLS, QUICK_KILLS = 12, 3
FIT = """
import hashlib, sys
sys.path.insert(0, {parts!r})
import armwise as aw
from parts.fits import FREE, PERSON, simulated
fit = aw.fit(PERSON, simulated({people}, {trials}), FREE, seed=1, **{options!r})
draws = fit.answer.draws
print(hashlib.sha256(draws.psi.tobytes() + draws.x.tobytes()).hexdigest())
"""


def measure(options: Options) -> list[Table]:
    people, trials = (QUICK_PEOPLE, QUICK_TRIALS) if options.quick else (PEOPLE, TRIALS)
    with tempfile.TemporaryDirectory() as folder:
        rows = cold(options, people, trials, folder) + killed(options, people, trials, folder)
    told = (
        f"{people} people x {trials} trials x 3, by Bayes' rule, each time in a process of its own "
        "that makes the data, too. Cold: no compiled kernels, and a PATH without any program, so "
        "without a compiler. Killed: kill -9 at random moments, and begun again with the same "
        "store until the fit ends; its draws are compared with those of a fit that nobody killed."
    )
    columns = ["what", ">found", ">processor seconds", ">goal", ""]
    return [Table("Fits: cold and killed", columns, rows, [told])]


def cold(options: Options, people: int, trials: int, folder: str) -> list[list[str]]:
    """The first draw, and the whole fit, without kernels."""
    rows = []
    sizes: list[tuple[str, dict[str, Any], str]] = [
        ("first draws, cold [s]", {"draws": 20, "chains": 1}, f"{FIRST_DRAW:g}"),
        ("whole fit, cold [s]", {}, ""),
    ]
    for what, given, goal in sizes:
        options.say(f"fits: {what}")
        empty = tempfile.mkdtemp(dir=folder)
        begun, spent = time.perf_counter(), children()
        code = FIT.format(parts=here(), people=people, trials=trials, options=given)
        environment = os.environ | {"ARMWISE_CACHE_DIR": empty, "PATH": "", "ARMWISE_QUIET": "1"}
        subprocess.run(
            [sys.executable, "-c", code], env=environment, check=True, stdout=subprocess.PIPE
        )
        took = time.perf_counter() - begun
        verdict = "" if not goal else "met" if took <= FIRST_DRAW else "missed"
        rows.append([what, number(took), number(children() - spent), goal, verdict])
    return rows


def killed(options: Options, people: int, trials: int, folder: str) -> list[list[str]]:
    """A fit that is killed again and again, beside one that is not."""
    luck, whole, took = random.Random(1), *ended(people, trials, {})
    store, kills = Path(folder, "store"), QUICK_KILLS if options.quick else KILLS
    given, spent = {"store": str(store)}, children()
    for number_ in range(kills):
        options.say(f"fits: kill {number_ + 1} of {kills}")
        process = begun(people, trials, given)
        time.sleep(luck.uniform(0.2, 0.9) * took)
        process.kill()
        process.wait()
    found, _ = ended(people, trials, given)
    same = "equal" if found == whole else "different"
    verdict = "met" if found == whole else "missed"
    return [[f"draws after {kills} kills", same, number(children() - spent), "equal", verdict]]


def begun(people: int, trials: int, given: dict[str, Any]) -> subprocess.Popen:
    code = FIT.format(parts=here(), people=people, trials=trials, options=given)
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)


def ended(people: int, trials: int, given: dict[str, Any]) -> tuple[str, float]:
    """A name of all draws, and how many seconds the process took."""
    started = time.perf_counter()
    told, _ = begun(people, trials, given).communicate()
    return told.strip(), time.perf_counter() - started


def here() -> str:
    return str(Path(__file__).parents[1])


def children() -> float:
    """Processor seconds of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
