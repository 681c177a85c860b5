"""The C program beside this file: built on demand into a temporary folder, and run.

Its time is taken inside, from before the first thread starts until after the last has ended.
"""

import functools
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

from rivals.cell import EPSILON, LEAST_SECONDS, Cell, Finding, P

THREADS = 2


def compiler() -> str | None:
    """The C compiler and its version, if there is one."""
    if shutil.which("cc") is None:
        return None
    told = subprocess.run(["cc", "--version"], capture_output=True, text=True, check=True)
    return told.stdout.splitlines()[0]


@functools.cache
def folder() -> tempfile.TemporaryDirectory:
    """Where the program is built; it is removed when this process ends."""
    return tempfile.TemporaryDirectory(prefix="armwise-bench-")


@functools.cache
def built() -> Path:
    source = Path(__file__).with_suffix(".c")
    target = Path(folder().name) / "c_program"
    command = ["cc", "-O3", "-march=native", "-o", target, source, "-lpthread", "-lm"]
    subprocess.run(command, check=True)
    return target


def play(cell: Cell, seed: int) -> Finding:
    numbers = (cell.arms, cell.agents, cell.horizon, cell.rho, cell.lam, EPSILON, P, seed, THREADS)
    command = [built(), *(str(number) for number in numbers)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return Finding(*(float(word) for word in told.split()))


def prepare(cell: Cell) -> None:
    built()


def run(cell: Cell, seed: int) -> Finding:
    """The mean time of as many plays as fill a moment, and the regret of the first."""
    found = [play(cell, seed)]
    while sum(each.seconds for each in found) < LEAST_SECONDS:
        found.append(play(cell, seed + len(found)))
    return found[0]._replace(seconds=statistics.mean(each.seconds for each in found))
