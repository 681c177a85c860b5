"""Hazards of durations that are sums of geometric stages: tables, computed once per machine."""

import functools
import math
from array import array

import numpy as np

from armwise.actors._tables import kept_numbers

SURVIVAL = 1e-6  # a duration outlasts a row of the table with at most this probability


def duration_hazards(interval: float, stages: int, length: int) -> np.ndarray:
    """The probability of a change after 0, 1, ... trials, if there was none before.

    Durations are sums of geometric `stages`. As many stages as trials make the interval exact.

    >>> duration_hazards(4.0, 1, 3).tolist(), duration_hazards(3.0, 3, 5).tolist()
    ([0.0, 0.25, 0.25], [0.0, 0.0, 0.0, 1.0, 1.0])
    """
    hazards = np.zeros(length)
    chance = stages / interval
    if chance == 1.0:
        hazards[stages:] = 1.0
        return hazards
    stage = np.zeros(stages)  # the chance to be in each, among durations that have not ended
    stage[0] = 1.0
    for age in range(1, length):
        hazards[age] = stage[-1] * chance
        stage[1:] += chance * (stage[:-1] - stage[1:])
        stage[0] *= 1.0 - chance
        stage /= stage.sum()
    return hazards


def length_for(interval: float, stages: int) -> int:
    """The length of a row: 2 if the hazard is constant, else by the bound `SURVIVAL`."""
    if stages == 1:
        return 2
    # A sum of geometric times has a lighter tail than a gamma variable of the same mean, which
    # exceeds stages + sqrt(2 stages x) + x with probability exp(-x) at most.
    x = -math.log(SURVIVAL)
    return math.ceil(interval / stages * (stages + math.sqrt(2.0 * stages * x) + x)) + 1


@functools.lru_cache(maxsize=8)
def hazard_table(intervals: tuple[float, ...], stages: tuple[float, ...]) -> array:
    """A row for every pair of an interval and a number of stages, all of one length."""
    pairs = [(each, min(round(many), math.floor(each))) for each in intervals for many in stages]
    length = max(length_for(*pair) for pair in pairs)

    def make() -> np.ndarray:
        return np.concatenate([duration_hazards(*pair, length) for pair in pairs])

    return kept_numbers("hazards", __file__, f"{pairs} {length}", make)
