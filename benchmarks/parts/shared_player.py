"""Decisions with outcomes a second of a player in a file that processes share."""

import contextlib
import fcntl
import importlib.util
import multiprocessing
import os
import pickle
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import armwise as aw
from parts.table import Options, Table, number, spread

ARMS = 10
ROUNDS, QUICK_ROUNDS = 3, 2
POLICIES = {"H-EFE": aw.HorizonActiveInference, "TS": aw.ThompsonSampling}


class Case(NamedTuple):
    program: str
    policy: str
    processes: int
    decisions: int  # of every process
    goal: float | None = None


CASES = [
    Case("armwise, commit", "H-EFE", 1, 2_000),
    Case("armwise, commit", "H-EFE", 2, 2_000),
    Case("armwise, commit", "H-EFE", 4, 2_000, 3_000),
    Case("armwise, commit", "H-EFE", 8, 1_000),
    Case("armwise, commit", "TS", 4, 2_000),
    Case("armwise, batch", "H-EFE", 1, 40_000, 20_000),
    Case("armwise, batch", "TS", 1, 40_000),
    Case("mabwiser, pickle", "TS", 1, 300),
    Case("mabwiser, pickle", "TS", 4, 100),
    Case("mabwiser, pickle on the disk", "TS", 1, 300),
]
Loop = tuple[Callable[[], Any], Callable[[Any, int], None], Callable[[], None]]


def of_armwise(path: Path, case: Case) -> Loop:
    agent, durable = aw.Agent(POLICIES[case.policy]()), case.program.split(", ")[1]
    player = agent.open(path, list(range(ARMS)), seed=1, durable=durable, compile=True)
    player.observe(player.choose(), 0)
    return lambda: player.choose().number, player.observe, player.close


def of_mabwiser(path: Path, case: Case) -> Loop:
    """Every request reads the pickle, and writes it anew under another name: what is usual."""
    from mabwiser.mab import MAB, LearningPolicy

    synced = "disk" in case.program
    if not path.exists():
        rival = MAB(list(range(ARMS)), LearningPolicy.ThompsonSampling(), seed=1)
        rival.fit(list(range(ARMS)), [0] * ARMS)
        with contextlib.suppress(FileExistsError):
            path.touch()
        path.write_bytes(pickle.dumps(rival))
    lock = open(f"{path}.lock", "w")  # noqa: SIM115 - as long as the process

    def request(serve: Callable[[Any], Any]) -> Any:
        fcntl.flock(lock, fcntl.LOCK_EX)
        rival = pickle.loads(path.read_bytes())
        answer = serve(rival)
        with open(f"{path}.new", "wb") as file:
            pickle.dump(rival, file)
            if synced:
                file.flush()
                os.fsync(file.fileno())
        os.replace(f"{path}.new", path)
        fcntl.flock(lock, fcntl.LOCK_UN)
        return answer

    def observe(arm: Any, outcome: int) -> None:
        request(lambda rival: rival.partial_fit([arm], [outcome]))

    return lambda: request(lambda rival: rival.predict()), observe, lock.close


def work(path: Path, case: Case, ready: Any) -> None:
    make = of_mabwiser if case.program.startswith("mabwiser") else of_armwise
    choose, observe, close = make(path, case)
    ready.wait()
    for trial in range(case.decisions):
        observe(choose(), trial % 3 == 0)
    close()
    ready.wait()


def rate(case: Case) -> float:
    """Decisions with outcomes a second, of all processes together, until the last has closed."""
    fresh = multiprocessing.get_context("spawn")
    ready = fresh.Barrier(case.processes + 1)
    with tempfile.TemporaryDirectory(dir=".") as folder:  # a disk, which /tmp need not be
        path = Path(folder).resolve() / "player"
        if case.program.startswith("mabwiser"):
            of_mabwiser(path, case)[2]()
        team = [fresh.Process(target=work, args=(path, case, ready)) for _ in range(case.processes)]
        for each in team:
            each.start()
        ready.wait(120)
        started = time.perf_counter()
        ready.wait(600)
        took = time.perf_counter() - started
        for each in team:
            each.join()
    return case.processes * case.decisions / took


def measure(options: Options) -> list[Table]:
    rounds = QUICK_ROUNDS if options.quick else ROUNDS
    have = importlib.util.find_spec("mabwiser") is not None
    cases = [case for case in CASES if have or not case.program.startswith("mabwiser")]
    found: dict[Case, list[float]] = {case: [] for case in cases}
    for turn in range(rounds):
        for case in cases:
            options.say(f"shared player: {case.program}, {case.processes}, round {turn + 1}")
            found[case].append(rate(case))
    notes = [
        f"Decisions with outcomes a second at {ARMS} arms, all processes together, median of "
        f"{rounds} rounds; until the last process has closed the file. commit: every call returns "
        "when its event is on the disk. batch: within .05 s. A request of mabwiser reads a pickle "
        "under a lock and writes it anew.",
        f"One flush of this disk takes {number(1e6 * flush())} µs.",
    ]
    if not have:
        notes.append("mabwiser is left out: it is not installed.")
    columns = ["player", "policy", ">processes", ">a second [min–max]", ">goal", ""]
    return [Table("A player in a file", columns, [row(*each) for each in found.items()], notes)]


def row(case: Case, rates: list[float]) -> list[str]:
    cells = [case.program, case.policy, str(case.processes), spread(rates)]
    if case.goal is None:
        return [*cells, "", ""]
    verdict = "met" if statistics.median(rates) >= case.goal else "missed"
    return [*cells, number(case.goal), verdict]


def flush() -> float:
    """Seconds that it takes to write a page and to wait for the disk."""
    with tempfile.TemporaryFile(dir=".") as file:
        times = []
        for _ in range(100):
            started = time.perf_counter()
            os.pwrite(file.fileno(), bytes(4096), 0)
            getattr(os, "fdatasync", os.fsync)(file.fileno())
            times.append(time.perf_counter() - started)
    return statistics.median(times)
