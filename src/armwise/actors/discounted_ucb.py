"""Discounted UCB: past outcomes weigh less, so every arm becomes uncertain again."""

import math
from typing import Any

from armwise.actors._restarts import counted, upper_bound
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Actor
from armwise.model.ties import choice_stream, largest


def discount_for(horizon: float, switches: float) -> float:
    """The discount that minimises the regret bound.

    >>> round(discount_for(horizon=5_000, switches=4), 5)
    0.99293
    """
    return max(0.0, 1.0 - 0.25 * math.sqrt(switches / horizon))


def padded_mean(n: float, s: float, spread: float) -> float:
    """The mean plus sqrt(spread / n); infinite for an arm that was not played."""
    return s / n + math.sqrt(spread / n) if n > 0.0 else math.inf


def per_arm(memory: Any, arms: int, places: list[int]) -> list[float]:
    """Score, outcomes and successes of the arms at new places; zeros for a new arm."""
    rows = range(0, 3 * arms, arms)
    return [0.0 if place < 0 else memory[row + place] for row in rows for place in places]


class DiscountedUCB(Actor):
    """An upper confidence bound on discounted counts."""

    label = "D-UCB"
    equation = "argmax s / n + 2 sqrt(xi ln(sum n) / n), n <- gamma n + [k = a], s <- gamma s + o"
    reference = "Kocsis and Szepesvári 2006; Garivier and Moulines 2011"

    horizon: float = parameter(
        default=5_000.0, slider=(100, 10000), low=2, meaning="assumed number of trials"
    )
    switches: float = parameter(
        default=4.0, slider=(1, 50), low=1, meaning="assumed number of changes"
    )
    xi: float = parameter(default=0.5, slider=(0.1, 2), low=0, meaning="weight of the padding")
    kl: bool = parameter(
        default=False, meaning="whether to use the bound of kl-UCB (D-klUCB), without xi"
    )

    def memory_size(self, arms: int) -> int:
        """Score, discounted outcomes and discounted successes of every arm."""
        return 3 * arms

    def facts(self, memory: Any, arms: int) -> dict[str, Any]:
        """The outcomes that count, and their mean (1 for an arm without any)."""
        return counted(memory, arms)

    def rearranged(self, memory: Any, arms: int, places: list[int]) -> list[float]:
        """A new arm has no outcomes."""
        return per_arm(memory, arms, places)

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The arm with the largest bound."""
        evidence = 0.0
        for arm in range(arms):
            evidence += memory[arms + arm]
        level = math.log(max(evidence, 1.0))
        for arm in range(arms):
            n, s = memory[arms + arm], memory[2 * arms + arm]
            if self.kl:
                memory[arm] = upper_bound(n, s, level)
            else:
                memory[arm] = padded_mean(n, s, 4.0 * self.xi * level)
        return largest(memory, arms, choice_stream(rng))

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Discount all counts, then count the outcome; the result is always 0."""
        gamma = discount_for(self.horizon, self.switches)
        for place in range(arms, 3 * arms):
            memory[place] *= gamma
        memory[arms + arm] += 1.0
        memory[2 * arms + arm] += outcome
        return 0.0
