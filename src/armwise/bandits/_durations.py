"""How long a bandit stays as it is: durations that are geometric, regular, in between, or given.

A duration is the sum of `stages` geometric waiting times whose means add up to `interval`. With one
stage a change is as probable in every trial as in any other; with as many stages as trials, every
duration is `interval`. In between they have a negative binomial distribution.
"""

import math
from typing import Any

from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream, uniform
from armwise.model.roles import Bandit

FIRST_DRAW = 4  # the draws of a trial before this one decide where a bandit moves


def waiting_time(chance: float, luck: float) -> float:
    """The number of trials until an event of this chance, from one uniform number.

    >>> waiting_time(0.5, 0.3), waiting_time(1.0, 0.3)
    (2.0, 1.0)
    """
    if chance >= 1.0:
        return 1.0
    return 1.0 + math.floor(math.log(luck) / math.log1p(-chance))


def next_change(trial: float, interval: float, stages: int, durations: Any, rng: Stream) -> float:
    """The first trial after the next change, for a bandit whose last change was before `trial`.

    If `durations` are given, they follow one another, again and again, from the first trial.
    """
    if len(durations) > 0:
        return next_given(trial, durations)
    wait = 0.0
    for stage in range(stages):
        wait += waiting_time(stages / interval, uniform(rng, FIRST_DRAW + stage))
    return trial + wait


def next_given(trial: float, durations: Any) -> float:
    """The first trial after the next change if the durations are given.

    >>> [next_given(float(trial), (2.0, 3.0)) for trial in (1, 2, 3, 5, 6, 8)]
    [3.0, 3.0, 6.0, 6.0, 8.0, 11.0]
    """
    whole = 0.0
    for duration in durations:
        whole += duration
    end = 1.0 + whole * math.floor((trial - 1.0) / whole)
    place = 0
    while end <= trial:
        end += durations[place]
        place += 1
    return end


class TimedBandit(Bandit):
    """Base of the bandits that change after durations with a distribution of their own."""

    interval: float = parameter(
        default=100,
        slider=(10, 1000),
        low=1,
        high=1e9,
        meaning="mean number of trials between changes",
    )
    stages: int = parameter(
        default=1,
        slider=(1, 20),
        low=1,
        high=1e6,
        meaning="geometric stages of a duration: 1 has no memory, as many as interval is regular",
    )
    durations: tuple[float, ...] = parameter(
        default=(), low=1, high=1e9, meaning="given durations, repeated, instead of random ones"
    )

    def check(self) -> None:
        """Stages must fit into the interval, and given durations be whole numbers."""
        if self.stages > self.interval:
            raise InputError(
                f"{self.label}: stages must be at most interval, {self.interval:.12g}, not "
                f"{self.stages}: every stage takes at least one trial."
            )
        for duration in self.durations:
            if duration != math.floor(duration):
                raise InputError(
                    f"{self.label}: durations must be whole numbers, not {duration:.12g}."
                )

    def assumed_rho(self) -> float:
        """Changes per trial."""
        if self.durations:
            return len(self.durations) / sum(self.durations)
        return 1.0 / self.interval
