"""What one decision costs a program that plays a bandit of its own, one trial at a time."""

import time
from collections.abc import Callable

import numpy as np

from rivals.cell import EPSILON, P


def thetas(arms: int) -> np.ndarray:
    """A stationary bandit; which arm is the best one is of no interest to the clock."""
    return np.array([P + EPSILON] + [P] * (arms - 1))


def seconds(decide: Callable[[], int], observe: Callable[[int], None], arms: int, n: int) -> float:
    """Per decision and its outcome, over `n` of them; the bandit's own time is taken off."""
    paid = (np.random.default_rng(0).random((n, 1)) < thetas(arms)).astype(int).tolist()
    spent = 0.0
    for outcomes in paid:
        started = time.perf_counter()
        arm = decide()
        decided = time.perf_counter()
        outcome = outcomes[arm]
        asked = time.perf_counter()
        observe(outcome)
        spent += time.perf_counter() - asked + decided - started
    return spent / n
