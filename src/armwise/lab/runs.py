"""A run of a person: blocks of trials, what was chosen, and where it goes on.

The server knows every theta of a block before it begins, and decides outcomes with the draws that
`simulate` would use. A page is told outcomes, and nothing else.
"""

import secrets
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from armwise.errors import InputError, whole_number
from armwise.model.agent import Agent
from armwise.model.draws import BANDIT, stream, uniform
from armwise.model.roles import Bandit
from armwise.play.trace import traced
from armwise.policies.random_choice import RandomChoice

TRIALS = 5_000  # of a block
MISSED = -1  # the arm and the outcome of a trial whose time was over
RT_MAX = 1 << 40  # milliseconds


class Block(NamedTuple):
    """Some trials in one bandit."""

    bandit: Bandit
    trials: int
    seed: int
    number: int = 0
    name: str = ""
    practice: bool = False
    keys: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()


class Line(NamedTuple):
    """One trial, as it is written down."""

    block: int
    trial: int
    arm: int
    outcome: int
    rt_ms: int | None
    timeout: bool
    time: float  # seconds since 1970

    def data(self) -> dict[str, Any]:
        """The line as plain data."""
        return self._asdict()


def drawn_seed() -> int:
    """A seed that nobody knows before the end."""
    return secrets.randbelow(1 << 31)


def luck_of(block: Block, trial: int) -> float:
    """The uniform number that decides the outcome of a trial, as in the loop."""
    return uniform(stream(block.seed, block.number, BANDIT, trial), 0)


def thetas_of(block: Block) -> np.ndarray:
    """The reward probability of every arm in every trial; a bandit does not see who plays."""
    anybody = Agent(RandomChoice())
    told = traced(block.bandit, anybody, block.trials, block.seed, block.number, "python")
    return told.arrays["theta"]


class Run:
    """A person who plays some blocks."""

    def __init__(
        self,
        name: str,
        blocks: Sequence[Block],
        feedback_ms: int = 600,
        timeout_ms: int = 0,
        log: Any = None,
    ) -> None:
        self.name, self.blocks, self.log = name, tuple(blocks), log
        self.feedback_ms, self.timeout_ms = feedback_ms, timeout_ms
        self.lines: list[Line] = []
        self._thetas: dict[int, np.ndarray] = {}

    @property
    def over(self) -> bool:
        """Whether all trials are done."""
        return len(self.lines) >= sum(block.trials for block in self.blocks)

    def at(self) -> tuple[int, int]:
        """The block and the trial that come next, both from 1; past the end, the last."""
        done = len(self.lines)
        for number, block in enumerate(self.blocks, start=1):
            if done < block.trials:
                return number, done + 1
            done -= block.trials
        return len(self.blocks), self.blocks[-1].trials

    def place(self) -> dict[str, Any]:
        """Where the run is, as a page is told."""
        number, trial = self.at()
        block = self.blocks[number - 1]
        here = [line.outcome for line in self.lines if line.block == number]
        return {
            "kind": "place",
            "run": self.name,
            "block": number,
            "trial": trial,
            "blocks": len(self.blocks),
            "trials": block.trials,
            "arms": block.bandit.arms,
            "practice": block.practice,
            "name": block.name,
            "points": sum(outcome == 1 for outcome in here),
            "labels": list(block.labels),
            "keys": list(block.keys),
            "feedback_ms": self.feedback_ms,
            "timeout_ms": self.timeout_ms,
            "over": self.over,
        }

    def thetas(self, number: int) -> np.ndarray:
        """The reward probabilities in a block, [trial, arm]."""
        if number not in self._thetas:
            self._thetas[number] = thetas_of(self.blocks[number - 1])
        return self._thetas[number]

    def choose(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Take a choice, write it down, and say what came of it."""
        arms = max(block.bandit.arms for block in self.blocks)
        arm = whole_number("arm", asked.get("arm"), MISSED, arms)
        rt = asked.get("rt_ms")
        rt = None if rt is None else whole_number("rt_ms", round(_real(rt)), 0, RT_MAX)
        wanted = asked.get("block"), asked.get("trial")
        last = self.lines[-1] if self.lines else None
        if last and wanted == (last.block, last.trial) and arm == last.arm:
            return self._told(last)
        if self.over or wanted != self.at():
            number, trial = self.at()
            now = "The run is over" if self.over else f"Trial {trial} of block {number} is next"
            raise InputError(f"{now}: trial {wanted[1]} of block {wanted[0]} cannot be chosen.")
        number, trial = self.at()
        block = self.blocks[number - 1]
        if arm >= block.bandit.arms:
            raise InputError(f"arm must be below {block.bandit.arms}, not {arm}.")
        outcome = self._outcome(number, trial, arm)
        line = Line(number, trial, arm, outcome, rt, arm == MISSED, time.time())
        if self.log is not None:
            self.log.append(line.data())
        self.lines.append(line)
        return self._told(line)

    def _outcome(self, number: int, trial: int, arm: int) -> int:
        if arm == MISSED:
            return MISSED
        return int(luck_of(self.blocks[number - 1], trial) < self.thetas(number)[trial - 1, arm])

    def _told(self, line: Line) -> dict[str, Any]:
        return {"kind": "outcome", "arm": line.arm, "outcome": line.outcome, "place": self.place()}

    def end(self) -> None:
        """End the run at the trial before the next: later trials and blocks are left out."""
        number, trial = self.at()
        if self.over:
            return
        if not self.lines:
            raise InputError("Nothing was chosen yet: there is no run to end.")
        kept = [*self.blocks[: number - 1], self.blocks[number - 1]._replace(trials=trial - 1)]
        self.blocks = tuple(block for block in kept if block.trials)


def _real(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < RT_MAX:
        raise InputError(f"rt_ms must be a number of milliseconds, not {value!r}.")
    return value


COLUMNS = ("subject", "block", "trial", "choice", "outcome", "rt_ms", "timeout", "practice", "time")


def csv_of(run: Run) -> str:
    """The choices of a run, a row per trial, as `armwise fit` reads them; arms count from 0."""
    rows = [",".join(COLUMNS)]
    for line in run.lines:
        missed = line.arm == MISSED
        values = (
            run.name,
            line.block,
            line.trial,
            "" if missed else line.arm,
            "" if missed else line.outcome,
            "" if line.rt_ms is None else line.rt_ms,
            int(line.timeout),
            int(run.blocks[line.block - 1].practice),
            f"{line.time:.3f}",
        )
        rows.append(",".join(map(str, values)))
    return "\n".join(rows) + "\n"
