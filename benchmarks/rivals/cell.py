"""What every program is asked to simulate, and what it answers."""

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

P, EPSILON = 0.5, 0.1  # what the other arms pay, and how much more the best one
RHO = {"stationary": 0.0, "switching": 0.01}  # of the bandit, and as the learner assumes it
LAM = {"stationary": 0.1, "switching": 0.5}  # of A-AI and G-AI, as in the paper
LEAST_SECONDS = 0.2  # a program that is faster plays again, so that the clock is no issue


class Cell(NamedTuple):
    policy: str
    bandit: str
    arms: int
    horizon: int
    agents: int

    @property
    def rho(self) -> float:
        return RHO[self.bandit]

    @property
    def lam(self) -> float:
        return LAM[self.bandit]


class Finding(NamedTuple):
    seconds: float  # of one simulation, compilation excluded
    regret: float  # mean over agents after the last trial
    error: float  # standard error of that mean


def of_regrets(seconds: float, regrets: Any) -> Finding:
    """A finding from the final regret of every agent."""
    regrets = np.asarray(regrets, dtype=np.float64)
    return Finding(seconds, regrets.mean(), regrets.std(ddof=1) / math.sqrt(len(regrets)))


def timed(play: Callable[[int], Any], seed: int) -> Finding:
    """Play, again and again if that is quickly done; the mean time, and the first play's regret."""
    started = time.perf_counter()
    regrets, plays = play(seed), 1
    while (took := time.perf_counter() - started) < LEAST_SECONDS:
        play(seed + plays)
        plays += 1
    return of_regrets(took / plays, regrets)
