"""CUSUM-UCB: kl-UCB that restarts an arm when its outcomes drift away from the first ones."""

import math
from typing import Any

from armwise.actors._restarts import (
    SHARED,
    count,
    outcomes,
    restart,
    since_restart,
    successes,
    upper_bound,
)
from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream, integer, uniform
from armwise.model.roles import Actor
from armwise.model.ties import choice_stream, largest


def exploration(horizon: float, switches: float) -> float:
    """The rate of random choices that the paper derives.

    >>> round(exploration(horizon=5_000, switches=4), 4)
    0.0755
    """
    return math.sqrt(switches * math.log(horizon / switches) / horizon)


def threshold(horizon: float, switches: float) -> float:
    """The height of a walk that raises an alarm.

    >>> round(threshold(horizon=5_000, switches=4), 4)
    7.1309
    """
    return math.log(horizon / switches)


def walked(height: float, excess: float, slack: float) -> float:
    """The next height of a walk that rises by excess - slack and never falls below zero."""
    return max(0.0, height + excess - slack)


class CusumUCB(Actor):
    """Two cumulative sums per arm, upwards and downwards from the mean of its first outcomes."""

    label = "CUSUM-UCB"
    equation = "restart arm k if up[k] or down[k] >= ln(T / changes), up <- max(0, up + o - m0 - e)"
    reference = "Liu, Lee and Shroff 2018; with kl-UCB as in Besson et al. 2022"

    horizon: float = parameter(
        default=5_000.0, slider=(100, 10000), low=2, meaning="assumed number of trials"
    )
    switches: float = parameter(
        default=4.0, slider=(1, 50), low=1, meaning="assumed number of changes"
    )
    first: int = parameter(
        default=200,
        slider=(10, 500),
        low=1,
        meaning="outcomes that determine the first mean of an arm",
    )
    slack: float = parameter(
        default=0.1, slider=(0, 0.3), low=0, high=1, meaning="drift of a mean that is tolerated (e)"
    )
    forced: float = parameter(
        default=0.0,
        slider=(0, 0.3),
        low=0,
        high=0.99,
        meaning="share of random choices; 0: as in the paper",
    )

    def check(self) -> None:
        """There must be fewer changes than trials."""
        if self.switches >= self.horizon:
            raise InputError(
                f"{self.label}: switches must be fewer than the horizon {self.horizon:g}, "
                f"not {self.switches:g}."
            )

    def memory_size(self, arms: int) -> int:
        """The shared numbers, and the first mean and two walks of every arm."""
        return (SHARED + 3) * arms

    def facts(self, memory: Any, arms: int) -> dict[str, Any]:
        """The outcomes since the restart of every arm, and the last trial before it (0: none)."""
        return since_restart(memory, arms)

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """A random arm from time to time, else the arm with the largest bound."""
        rate = self.forced if self.forced > 0.0 else exploration(self.horizon, self.switches)
        if uniform(rng, 0) < rate:
            return integer(rng, 1, arms)
        total = 0.0
        for arm in range(arms):
            total += outcomes(memory, arms, arm)
        level = math.log(max(total, 1.0))
        for arm in range(arms):
            n, s = outcomes(memory, arms, arm), successes(memory, arms, arm)
            memory[arm] = upper_bound(n, s, level)
        return largest(memory, arms, choice_stream(rng))

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Count the outcome, set the first mean or walk; return 1.0 on an alarm."""
        count(memory, arms, arm, outcome)
        n = int(outcomes(memory, arms, arm))
        mean = SHARED * arms + arm
        up, down = mean + arms, mean + 2 * arms
        if n <= self.first:
            memory[mean] = successes(memory, arms, arm) / n
            memory[up] = 0.0
            memory[down] = 0.0
            return 0.0
        memory[up] = walked(memory[up], outcome - memory[mean], self.slack)
        memory[down] = walked(memory[down], memory[mean] - outcome, self.slack)
        if max(memory[up], memory[down]) < threshold(self.horizon, self.switches):
            return 0.0
        restart(memory, arms, arm, trial)
        return 1.0
