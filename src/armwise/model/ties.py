"""Ties: the index of the largest number, where rounding must not decide."""

import math
from typing import Any

from armwise.model.draws import CHOICE, EVERY_ARM, NOT_DRAWN, Stream, for_arm, integer
from armwise.numerics.hook import hook

# Scores closer than this, relative to the best, tie: rounding must not decide.
TIE = 1e-12


@hook
def largest(keys: Any, arms: int, rng: Stream) -> int:
    """Index of the largest number, ties broken uniformly. Branch-free, so that it vectorises.

    If a key is NaN, the result is -1 - its index.

    >>> from armwise.model.draws import stream
    >>> largest([0.1, 0.3, 0.2], 3, stream(1, 0, CHOICE)), largest([0.1, math.nan], 2, None)
    (1, -2)
    """
    threshold = tie_below(maximum(keys, arms))
    ties = 0
    total = 0  # sum of the indices of the arms that tie: the index itself if only one does
    for arm in range(arms):
        tied = 0 if keys[arm] < threshold else 1  # NaN counts as a tie
        ties += tied
        total += tied * arm
    if ties == 1:
        return total
    strange = first_strange(keys, arms)
    if strange >= 0:
        return -1 - strange
    rank = integer(for_arm(rng, EVERY_ARM), 0, ties)
    if ties == arms:
        return rank
    for arm in range(arms):
        if keys[arm] >= threshold:
            if rank == 0:
                return arm
            rank -= 1
    return 0


def first_strange(keys: Any, arms: int) -> int:
    """The first arm whose key is NaN, or -1."""
    strange = 0  # counted first, without a branch: there is hardly ever one
    for arm in range(arms):
        strange += 0 if keys[arm] == keys[arm] else 1
    if strange > 0:
        for arm in range(arms):
            if keys[arm] != keys[arm]:
                return arm
    return -1


@hook
def maximum(numbers: Any, count: int) -> float:
    """The largest number. Two halves side by side: a comparison must wait for the one before it."""
    half = count >> 1
    last = numbers[count - 1]  # in neither half if the count is odd
    best = last if last > -math.inf else -math.inf
    other = -math.inf
    for place in range(half):
        best = numbers[place] if numbers[place] > best else best
        other = numbers[half + place] if numbers[half + place] > other else other
    return best if best > other else other


def tie_below(best: float) -> float:
    """The smallest number that ties with the best."""
    return best - TIE * abs(best) if best < math.inf else best


def choice_stream(rng: Stream) -> Stream:
    """The address of the choice rule's own draws."""
    return Stream(rng.seed_low, rng.seed_high, rng.agent, CHOICE, rng.trial, rng.arm, NOT_DRAWN)
