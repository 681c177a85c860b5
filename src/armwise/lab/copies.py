"""Many copies of some agents in the same bandits, part by part, until all are done or stopped.

Draws are addressed, so the parts are the whole: the last answer is that of one long simulation.
"""

import time
from collections.abc import Callable
from threading import Event
from typing import Any, NamedTuple

import numpy as np

from armwise.analysis.intervals import mean_interval
from armwise.analysis.regret import compared
from armwise.errors import InputError, whole_number
from armwise.lab.parts import AGENTS, WORK, Shelf, numbers_of
from armwise.lab.wire import packed
from armwise.model.draws import AGENTS_MAX, TRIALS_MAX
from armwise.model.roles import Bandit
from armwise.numerics.student import student_quantile
from armwise.play.simulate import simulate

LEAST = 10  # agents in a part
FIRST = 50_000  # trials of all agents in the first part, which is to be seen soon
SHARE = 0.25  # seconds that a part should take
PAUSE = 0.1  # seconds between two answers, at least
TAIL = 0.975


class HaltError(Exception):
    """Somebody asked a simulation to stop."""


class Asked(NamedTuple):
    """What is to be computed, checked."""

    bandit: Bandit
    agents: dict[str, Any]
    horizon: int
    copies: int
    seed: int


class Moments:
    """Means and variances that grow with every part (Chan, Golub and LeVeque 1979).

    >>> found = Moments()
    >>> for part in ([[1.0], [2.0]], [[3.0], [4.0]]):
    ...     found.add(np.array(part))
    >>> [round(float(number[0]), 3) for number in found.interval()]
    [2.5, 0.446, 4.554]
    """

    def __init__(self) -> None:
        self.count = 0
        self.mean: Any = 0.0
        self.squares: Any = 0.0  # sum of squared deviations from the mean

    def add(self, values: np.ndarray) -> None:
        """Take more rows in."""
        more, mean = len(values), values.mean(axis=0)
        total, gap = self.count + more, mean - self.mean
        self.squares = self.squares + ((values - mean) ** 2).sum(axis=0)
        self.squares = self.squares + gap**2 * (self.count * more / total)
        self.mean = self.mean + gap * (more / total)
        self.count = total

    def interval(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The mean with Student's 95 % interval: mean, low, high."""
        error = np.sqrt(self.squares / (self.count * (self.count - 1.0)))
        margin = student_quantile(TAIL, self.count - 1.0) * error
        return self.mean, self.mean - margin, self.mean + margin


def read(shelf: Shelf, asked: dict[str, Any]) -> Asked:
    """Check a question about many copies."""
    given = asked.get("agents")
    if not isinstance(given, list) or not 1 <= len(given) <= AGENTS:
        raise InputError(f"agents must be a list of 1 to {AGENTS} agents.")
    bandit = shelf.bandit(asked.get("bandit"))
    agents = {_label(shelf, each, place, bandit): each for place, each in enumerate(given)}
    if len(agents) < len(given):
        raise InputError("The agents to compare must have different labels.")
    built = {label: shelf.agent(each, bandit.arms) for label, each in agents.items()}
    horizon = whole_number("horizon", asked.get("horizon"), 1, TRIALS_MAX)
    copies = whole_number("copies", asked.get("copies"), 2, AGENTS_MAX)
    if horizon * copies * len(built) > WORK:
        raise InputError(f"That is more than {WORK:.0e} decisions: ask for fewer copies or trials.")
    return Asked(bandit, built, horizon, copies, numbers_of(asked)[0])


def _label(shelf: Shelf, given: Any, place: int, bandit: Bandit) -> str:
    label = given.get("label") if isinstance(given, dict) else None
    if label is not None and (not isinstance(label, str) or not 1 <= len(label) <= 100):
        raise InputError("A label must be a text of at most 100 characters.")
    return label or shelf.agent(given, bandit.arms).label


def compile_copies(shelf: Shelf, asked: dict[str, Any]) -> None:
    """Compile what many copies need, or load it from disk."""
    what = read(shelf, asked)
    for agent in what.agents.values():
        simulate(what.bandit, agent, 1, 1, progress=False)


class Tally:
    """What is known so far of some agents."""

    def __init__(self, asked: Asked) -> None:
        self.asked, self.done, self.began = asked, 0, time.perf_counter()
        labels = list(asked.agents)
        self.each = {label: Moments() for label in labels}
        self.gaps = {label: Moments() for label in labels[1:]}
        self.last: dict[str, list[np.ndarray]] = {label: [] for label in labels}
        self.trials = np.zeros(0)

    def play(self, size: int, stop: Event) -> None:
        """Let the next copies of every agent play."""

        def look(_: int) -> None:
            if stop.is_set():
                raise HaltError

        asked, regrets = self.asked, {}
        numbers = range(self.done, self.done + size)
        for label, agent in asked.agents.items():
            found = simulate(asked.bandit, agent, asked.horizon, numbers, asked.seed, progress=look)
            regrets[label], self.trials = found.regret.values, found.trial.values
            look(0)
        first = next(iter(regrets.values()))
        for label, values in regrets.items():
            self.each[label].add(values)
            self.last[label].append(values[:, -1])
            if label in self.gaps:
                self.gaps[label].add(values - first)
        self.done += size

    def answer(self, number: Any) -> bytes:
        """What is known, to be sent."""
        asked, (first, *others) = self.asked, self.asked.agents
        last = {label: np.concatenate(parts) for label, parts in self.last.items()}
        pairs = [compared(label, last[label], first, last[first]) for label in others]
        names = ("first", "second", "difference", "low", "high", "p")
        header = {
            "id": number,
            "kind": "copies",
            "labels": list(asked.agents),
            "done": self.done,
            "copies": asked.copies,
            "over": self.done == asked.copies,
            "seconds": time.perf_counter() - self.began,
            "last": [
                {"label": label, **dict(zip(("mean", "low", "high"), _three(values), strict=True))}
                for label, values in last.items()
            ],
            "pairs": [{name: getattr(pair, name) for name in names} for pair in pairs],
        }
        arrays = {"trial": self.trials, **_stacked(self.each, "mean", "low", "high")}
        if self.gaps:
            arrays |= _stacked(self.gaps, "difference", "difference_low", "difference_high")
        return packed(header, arrays)


def _three(values: np.ndarray) -> tuple[float, float, float]:
    found = mean_interval(values)
    return found.mean, found.low, found.high


def _stacked(moments: dict[str, Moments], *names: str) -> dict[str, np.ndarray]:
    parts = zip(*(each.interval() for each in moments.values()), strict=True)
    return {name: np.stack(part) for name, part in zip(names, parts, strict=True)}


def stream(tally: Tally, number: Any, report: Callable[[bytes], None], stop: Event) -> int:
    """Report what is known whenever there is something to see; return how many copies are done."""
    asked, told = tally.asked, 0.0
    size = max(LEAST, min(FIRST // asked.horizon, asked.copies // 10))
    try:
        while tally.done < asked.copies:
            size = min(size, asked.copies - tally.done)
            if asked.copies - tally.done - size < LEAST:
                size = asked.copies - tally.done
            began = time.perf_counter()
            tally.play(size, stop)
            took = time.perf_counter() - began
            if time.perf_counter() - told >= PAUSE or tally.done == asked.copies:
                told = time.perf_counter()
                report(tally.answer(number))
            size = max(LEAST, min(4 * size, int(size * SHARE / max(took, 1e-9))))
    except HaltError:
        pass
    return tally.done
