"""What a store of many small cells costs.

A sweep of cells with 10 checkpoints and 2 agents is begun, to see when it first speaks, and a part
of it is run. The store is then filled: every cell gets a file with its own name and the numbers of
the first, written as a run writes it. The commands are measured on that.
"""

import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from armwise.sweeps.store import Store
from armwise.sweeps.sweep import Sweep
from parts.table import Options, Table, number

ARMWISE = [sys.executable, "-c", "from armwise_command import main; main()"]
SEEDS, SIZES = 20, 5
SWEEP = """
horizon = 100
agents = 2
seed = {seeds}
checkpoints = {{ every = 10 }}
[[bandit]]
name = "switching"
arms = [2, 3, 4, 5, 6]
[[agent]]
policy = {{ name = "a-ai", lam = {{ from = 0.0, to = {last}, step = 0.001 }} }}
"""
MIB = 2**20 if sys.platform == "darwin" else 2**10  # what ru_maxrss counts
PART = 1_000  # cells that are really run


class Ended(NamedTuple):
    seconds: float
    peak: float  # MiB


def sweep_text(cells: int) -> str:
    lams = cells // (SEEDS * SIZES)
    return SWEEP.format(seeds=list(range(1, SEEDS + 1)), last=(lams - 1) / 1_000)


def timed(*words: object) -> Ended:
    """A whole process, Python's own start included, and the most memory it held."""
    code = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
    )
    command = [sys.executable, "-c", code, *ARMWISE, *map(str, words)]
    started = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return Ended(time.perf_counter() - started, int(done.stdout) / MIB)


def first_word(sweep: Path, store: Path) -> float:
    """Seconds until a run in a pipe says anything."""
    words = [*ARMWISE, "run", str(sweep), "--store", str(store)]
    started = time.perf_counter()
    with subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as running:
        assert running.stderr is not None
        running.stderr.readline()
        took = time.perf_counter() - started
        running.send_signal(signal.SIGINT)
        running.communicate()
    return took


def first_file(sweep: Path, store: Path) -> float:
    """Seconds until a run has its first result on the disk."""
    words = [*ARMWISE, "run", str(sweep), "--store", str(store)]
    started = time.perf_counter()
    with subprocess.Popen(words, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as running:
        while not any(store.glob("cells/*.nc")) and running.poll() is None:
            time.sleep(0.02)
        took = time.perf_counter() - started
        running.send_signal(signal.SIGINT)
        running.communicate()
    return took


def fill(sweep: Path, folder: Path) -> float:
    """Seconds to write a file for every cell of a sweep."""
    read, store = Sweep.read(sweep), Store(folder)
    cells = read.cells()
    store.prepare()
    store.remember(sweep.stem, read.definition())
    result = cells[0].run()
    started = time.perf_counter()
    with ThreadPoolExecutor(4) as pool:
        for _ in pool.map(lambda cell: store.write(cell, result), cells, chunksize=100):
            pass
    store.flush()
    return time.perf_counter() - started


def bytes_per_cell(store: Path) -> float:
    """On the disk, in whole blocks."""
    sizes = [path.stat().st_blocks * 512 for path in (store / "cells").iterdir()]
    return sum(sizes) / len(sizes)


def measure(cells: int, say: Callable[[str], None]) -> Table:
    rows: list[list[str]] = []

    def add(what: str, value: float, unit: str, goal: float | None = None) -> None:
        verdict = "" if goal is None else "met" if value <= goal else "missed"
        rows.append([what, number(value), unit, "" if goal is None else f"{goal:,g}", verdict])

    with tempfile.TemporaryDirectory(prefix="armwise-") as place:
        folder = Path(place)
        sweep, part, store = folder / "many.toml", folder / "part.toml", folder / "store"
        sweep.write_text(sweep_text(cells), encoding="utf-8")
        part.write_text(sweep_text(PART), encoding="utf-8")
        say("a part of the cells, really run")
        timed("run", part, "--store", folder / "warm")  # compiles
        ran = timed("run", part, "--store", folder / "part")
        add(f"run {PART:,} cells, per cell", 1e3 * ran.seconds / PART, "ms")
        say("the first word")
        add("run: first word", first_word(sweep, folder / "first"), "s", 2)
        add("run: first result on the disk", first_file(sweep, folder / "early"), "s")
        say("filling the store")
        add("write, per cell", 1e3 * fill(sweep, store) / cells, "ms")
        add("on the disk, per cell", bytes_per_cell(store), "bytes", 4_096)
        time.sleep(2.5)  # the index trusts no file younger than that
        for what, words, goals in (
            ("status, no index", ["status", store], (5, None)),
            ("run with nothing to do, no index", ["run", sweep, "--store", store], (None, None)),
            ("run with nothing to do", ["run", sweep, "--store", store], (5, None)),
            ("status", ["status", store], (5, None)),
            ("verify, no cell again", ["verify", store, "--sample", 0], (None, None)),
            ("export to CSV", ["export", store, folder / "out.csv"], (60, 500)),
            ("export to Parquet", ["export", store, folder / "out.parquet"], (60, 500)),
            ("export to netCDF", ["export", store, folder / "out.nc"], (60, 500)),
        ):
            say(what)
            ended = timed(*words)
            add(what, ended.seconds, "s", goals[0])
            add(f"{what}: most memory", ended.peak, "MiB", goals[1])
    note = (
        f"{cells:,} cells of 10 checkpoints and 2 agents (A-AI in switching bandits of 2 to 6 "
        "arms, 100 trials). Times are of whole processes, Python's own start included."
    )
    return Table("Large stores", ["what", ">", "unit", ">goal", ""], rows, [note])


def tables(options: Options) -> Iterator[Table]:
    yield measure(1_000 if options.quick else 100_000 if options.full else 20_000, options.say)
