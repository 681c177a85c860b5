"""EXP3.S: exponential weights for adversarial bandits with a changing best arm."""

import math
from typing import Any

from armwise.model.component import parameter
from armwise.model.draws import Stream, uniform
from armwise.model.roles import Actor


def exploration(arms: int, horizon: float, switches: float) -> float:
    """The rate of uniform choices that the regret bound requires.

    >>> round(exploration(arms=3, horizon=5_000, switches=4), 4)
    0.1199
    """
    stake = arms * (switches * math.log(arms * horizon) + math.e)
    return min(1.0, math.sqrt(stake / ((math.e - 1.0) * horizon)))


def chance(weight: float, total: float, arms: int, rate: float) -> float:
    """The probability of choosing an arm with this weight."""
    return (1.0 - rate) * weight / total + rate / arms


class EXP3S(Actor):
    """Chooses at random, by weights that grow with rewards and never vanish.

    It knows the horizon and the number of changes, as its regret bound assumes.
    """

    label = "EXP3.S"
    equation = "w[k] <- w[k] exp(gamma x[k] / K) + e alpha sum(w) / K, x = [k = a] o / P(a)"
    reference = "Auer et al. 2002"

    horizon: float = parameter(
        default=5_000.0, slider=(100, 10000), low=1, meaning="assumed number of trials"
    )
    switches: float = parameter(
        default=4.0, slider=(1, 50), low=0, meaning="assumed number of changes"
    )

    def memory_size(self, arms: int) -> int:
        """A weight for every arm; they sum to one."""
        return arms

    def begin(self, memory: Any, arms: int) -> None:
        """Set all weights equal."""
        for arm in range(arms):
            memory[arm] = 1.0 / arms

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """An arm drawn from the choice probabilities."""
        rate = exploration(arms, self.horizon, self.switches)
        left = uniform(rng, 0)
        for arm in range(arms):
            left -= chance(memory[arm], 1.0, arms, rate)
            if left < 0.0:
                return arm
        return arms - 1

    def chance_of(self, memory: Any, arms: int, trial: int, arm: int) -> float:
        """The choice probability."""
        return chance(memory[arm], 1.0, arms, exploration(arms, self.horizon, self.switches))

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Raise the arm's weight by outcome / probability of the choice; then mix all weights.

        The result is always 0.
        """
        rate = exploration(arms, self.horizon, self.switches)
        gain = outcome / chance(memory[arm], 1.0, arms, rate)
        memory[arm] *= math.exp(rate * gain / arms)
        shared = math.e / (self.horizon * arms)
        total = 0.0
        for k in range(arms):
            memory[k] += shared
            total += memory[k]
        for k in range(arms):
            memory[k] /= total
        return 0.0
