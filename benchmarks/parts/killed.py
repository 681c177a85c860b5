"""Eight processes on one file, killed at random: what was acknowledged, lost, and doubled."""

import collections
import contextlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import armwise as aw
from armwise.play.audit import audit
from parts.table import Options, Table

PROCESSES, DECISIONS, KILLS = 8, 10_000, 40
QUICK_DECISIONS, QUICK_KILLS = 500, 8
WORKER = """
import random, sys
import armwise as aw
path, told, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
agent = aw.Agent(aw.HorizonActiveInference(), aw.Smile(prior=(0.02, 50)))
luck = random.Random(told)
with agent.open(path, range(10), seed=7) as player, open(told, "a", buffering=1) as log:
    for _ in range(count):
        number = player.choose().number
        log.write(f"choose {number}\\n")
        outcome = int(luck.random() < 0.1)
        player.observe(number, outcome)
        log.write(f"observe {number} {outcome}\\n")
"""


class Worker(NamedTuple):
    process: subprocess.Popen
    count: int
    told: Path


def begun(folder: Path, number: int, count: int) -> Worker:
    told = folder / f"told-{number}"
    code = [sys.executable, "-c", WORKER, str(folder / "a.db"), str(told), str(count)]
    return Worker(subprocess.Popen(code), count, told)


def lines(told: Path) -> list[list[str]]:
    """What a worker was told; a line that was cut by its death counts as never written."""
    text = told.read_text() if told.exists() else ""
    return [line.split() for line in text.splitlines(keepends=True) if line.endswith("\n")]


def choices(told: Path) -> int:
    return sum(line[0] == "choose" for line in lines(told))


def play(folder: Path, decisions: int, kills: int) -> list[Path]:
    """Let the workers decide; whoever is killed has a successor for the rest of its decisions."""
    luck, running = random.Random(3), [begun(folder, each, decisions) for each in range(PROCESSES)]
    everybody, marks = (
        list(running),
        [n * PROCESSES * decisions // (kills + 1) for n in range(kills)],
    )
    while running:
        time.sleep(luck.uniform(0.05, 0.15))
        running = [each for each in running if each.process.poll() is None]
        if marks and running and sum(choices(each.told) for each in everybody) >= marks[0]:
            victim = running.pop(luck.randrange(len(running)))
            victim.process.kill()
            victim.process.wait()
            marks.pop(0)
            left = victim.count - choices(victim.told)
            if left > 0:
                running.append(begun(folder, len(everybody), left))
                everybody.append(running[-1])
    assert all(each.process.returncode in (0, -9) for each in everybody)
    return [each.told for each in everybody]


def measure(options: Options) -> list[Table]:
    decisions, kills = (QUICK_DECISIONS, QUICK_KILLS) if options.quick else (DECISIONS, KILLS)
    options.say("player: eight processes, killed at random")
    with tempfile.TemporaryDirectory(dir=".") as name:  # a disk, which /tmp need not be
        folder = Path(name).resolve()
        started = time.perf_counter()
        told = [line for each in play(folder, decisions, kills) for line in lines(each)]
        counted = [["seconds", f"{time.perf_counter() - started:.0f}", ""]]
        with contextlib.closing(sqlite3.connect(folder / "a.db")) as connection:
            rows = connection.execute("SELECT kind, ticket, outcome FROM event").fetchall()
        agent = aw.Agent(aw.HorizonActiveInference(), aw.Smile(prior=(0.02, 50)))
        found = audit(folder / "a.db", agent)
    counted += compared("choices", told, [("choose", str(n)) for k, n, _ in rows if k == "choose"])
    kept = [("observe", str(n), str(outcome)) for k, n, outcome in rows if k == "observe"]
    counted += compared("outcomes", told, kept)
    counted.append(["choices decided again by verify", f"{found.choices:,}", ""])
    counted.append(judged("problems that verify found", len(found.problems)))
    note = (
        f"{PROCESSES} processes, {decisions:,} decisions with outcomes each, H-EFE, ten arms, "
        f"durable commits, {kills} times kill -9 of one of them, which has a successor."
    )
    return [Table("Killed at random", ["what", ">count", ""], counted, [note])]


def compared(words: str, told: list[list[str]], kept: list[tuple[str, ...]]) -> list[list[str]]:
    """What the processes were told beside what is in the file: (kind, ticket) or with outcome."""
    said = collections.Counter(tuple(line) for line in told if line[0] == kept[0][0])
    file = collections.Counter(kept)
    doubled = sum(len(each) - len({key[1] for key in each}) for each in (list(said), list(file)))
    doubled += said.total() - len(said) + file.total() - len(file)
    return [
        [f"{words} acknowledged", f"{said.total():,}", ""],
        judged(f"{words} lost", (said - file).total()),
        judged(f"{words} doubled", doubled),
        [
            f"{words} in the file that a dying process never heard of",
            f"{(file - said).total()}",
            "",
        ],
    ]


def judged(what: str, count: int) -> list[str]:
    """A row whose goal is 0."""
    return [what, str(count), "met" if count == 0 else "missed"]
