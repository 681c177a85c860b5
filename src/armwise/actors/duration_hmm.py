"""The hidden Markov model of the best arm, for changes that may come regularly."""

import math
from typing import Any

from armwise.actors.averaged_hmm import rearranged_best
from armwise.actors.informed_hmm import likelihood
from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Actor
from armwise.model.ties import choice_stream, largest


def stages_of(interval: float, stages: float) -> int:
    """How many stages a model has: no stage takes less than one trial."""
    return int(min(round(stages), math.floor(interval)))  # a card's floor is no whole number


def rows_before(number: int, intervals: Any, stages: Any) -> int:
    """How many stages all models before one have together."""
    total = 0
    for before in range(number):
        interval = intervals[before // len(stages)]
        total += stages_of(interval, stages[before % len(stages)])
    return total


def pass_stages(rows: Any, arms: int, many: int, chance: float, left: Any) -> None:
    """One trial passes: every stage may end, and with the last one another arm becomes the best.

    `rows` holds a probability for every stage and arm; `left` is room for one per arm.
    """
    total = 0.0
    for arm in range(arms):
        left[arm] = chance * rows[(many - 1) * arms + arm]
        total += left[arm]
    for place in range(many * arms - 1, arms - 1, -1):
        rows[place] += chance * (rows[place - arms] - rows[place])
    for arm in range(arms):
        rows[arm] += (total - left[arm]) / (arms - 1.0) - chance * rows[arm]


class DurationHMM(Actor):
    """Like `InformedHMM`, but when changes come is inferred over a grid, as in `DurationBOCPD`.

    A grid with one interval and one number of stages is a given distribution of durations. It knows
    what a change does, so it keeps what it knows of the arms when one is likely.
    """

    label = "HMM-duration"
    equation = (
        "Bayes over arm, stage and (interval, stages); a stage ends with haste * stages / interval"
    )
    reference = "Yu 2010 (hidden semi-Markov models); averaged over durations: new in armwise"

    epsilon: float = parameter(
        default=0.1, slider=(0, 0.5), low=0, high=1, meaning="advantage of the best arm"
    )
    p: float = parameter(
        default=0.5, slider=(0, 1), low=0, high=1, meaning="reward probability of the other arms"
    )
    intervals: tuple[float, ...] = parameter(
        default=(10.0, 15.0, 20.0, 30.0, 45.0, 70.0, 100.0, 150.0, 220.0, 330.0, 500.0),
        low=1,
        high=10_000,
        meaning="grid of the mean number of trials between changes",
    )
    stages: tuple[float, ...] = parameter(
        default=(1.0, 4.0, 16.0, 64.0),
        low=1,
        high=10_000,
        meaning="grid of the number of geometric stages of a duration; more are more regular",
    )

    haste: float = parameter(
        default=1.0,
        slider=(0.1, 10),
        low=0,
        high=1e3,
        typical=(0.3, 10),
        meaning="how many times as often changes are expected as the grid says",
    )

    def check(self) -> None:
        """No grid may be empty, stages are whole, and p + epsilon is a probability."""
        for name in ("intervals", "stages"):
            if not self.parameters()[name]:
                raise InputError(f"{self.label}: {name} must have at least one number.")
        for number in self.stages:
            if number != round(number):
                raise InputError(f"{self.label}: stages must be whole numbers, not {number:g}.")
        if self.p + self.epsilon > 1.0:
            total = self.p + self.epsilon
            raise InputError(f"{self.label}: p + epsilon must be at most 1, not {total:g}.")

    def memory_size(self, arms: int) -> int:
        """How probable every arm is to be the best, room, and a row per stage of every model."""
        models = len(self.intervals) * len(self.stages)
        return (2 + rows_before(models, self.intervals, self.stages)) * arms

    def rearranged(self, memory: Any, arms: int, places: list[int]) -> list[float]:
        """A new arm is the best as probably as any was at first; if the best left, it moved."""
        rows = [list(memory[first : first + arms]) for first in range(0, len(memory), arms)]
        moved = [
            rearranged_best([value / (sum(row) or 1.0) for value in row], places) for row in rows
        ]
        return [value * sum(row) for row, new in zip(rows, moved, strict=True) for value in new]

    def begin(self, memory: Any, arms: int) -> None:
        """All arms and all models are equally probable, and every model is in its first stage."""
        models = len(self.intervals) * len(self.stages)
        for place in range(len(memory)):
            memory[place] = 0.0
        for arm in range(arms):
            memory[arm] = 1.0 / arms
            for number in range(models):
                first = 2 + rows_before(number, self.intervals, self.stages)
                memory[first * arms + arm] = 1.0 / (arms * models)

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The arm that is most probably the best."""
        return largest(memory[:arms], arms, choice_stream(rng))

    def score_arms(self, memory: Any, arms: int, trial: int, scores: Any) -> None:
        """The probability of every arm to be the best."""
        for arm in range(arms):
            scores[arm] = memory[arm]

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Bayes' rule, then the possible change; the result is always 0."""
        best = likelihood(self.p + self.epsilon, outcome)
        other = likelihood(self.p, outcome)
        total = 0.0
        for place in range(2 * arms, len(memory)):
            memory[place] *= best if place % arms == arm else other
            total += memory[place]
        for place in range(2 * arms, len(memory)):
            memory[place] /= total
        first = 2 * arms
        for interval in self.intervals:
            for many in self.stages:
                count = stages_of(interval, many)
                rows = memory[first : first + count * arms]
                chance = min(1.0, self.haste * count / interval)
                pass_stages(rows, arms, count, chance, memory[arms : 2 * arms])
                first += count * arms
        for k in range(arms):
            memory[k] = 0.0
        for place in range(2 * arms, len(memory)):
            memory[place % arms] += memory[place]
        return 0.0
