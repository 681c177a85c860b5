"""Sliding-window UCB: only the last outcomes count."""

import math
from typing import Any

from armwise.actors._restarts import counted, upper_bound
from armwise.actors.discounted_ucb import padded_mean, per_arm
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Actor
from armwise.model.ties import choice_stream, largest


def window_for(horizon: float, switches: float) -> int:
    """The window that minimises the regret bound.

    >>> window_for(horizon=5_000, switches=4)
    206
    """
    return max(1, int(2.0 * math.sqrt(horizon * math.log(horizon) / switches)))


class WindowUCB(Actor):
    """An upper confidence bound on the outcomes of the last tau trials."""

    label = "SW-UCB"
    equation = "argmax s / n + sqrt(xi ln(min(t, tau)) / n), n and s counted in the last tau trials"
    reference = "Garivier and Moulines 2011"

    horizon: float = parameter(
        default=5_000.0, slider=(100, 10000), low=2, high=1e12, meaning="assumed number of trials"
    )
    switches: float = parameter(
        default=4.0, slider=(1, 50), low=1, meaning="assumed number of changes"
    )
    xi: float = parameter(default=0.5, slider=(0.1, 2), low=0, meaning="weight of the padding")
    kl: bool = parameter(
        default=False, meaning="whether to use the bound of kl-UCB (SW-klUCB), without xi"
    )

    def memory_size(self, arms: int) -> int:
        """Score, outcomes and successes of every arm; the trial counter; the window."""
        return 3 * arms + 1 + window_for(self.horizon, self.switches)

    def facts(self, memory: Any, arms: int) -> dict[str, Any]:
        """The outcomes that count, and their mean (1 for an arm without any)."""
        return counted(memory, arms)

    def rearranged(self, memory: Any, arms: int, places: list[int]) -> list[float]:
        """The outcomes of an arm that left leave the window; those of the others move up."""
        window = window_for(self.horizon, self.switches)
        seen, ring = int(memory[3 * arms]), memory[3 * arms + 1 :]
        first, count = seen % window if seen >= window else 0, min(seen, window)
        new = {old: place for place, old in enumerate(places) if old >= 0}
        found = [int(ring[(first + step) % window]) for step in range(count)]
        left = [2.0 * new[each // 2] + each % 2 for each in found if each // 2 in new]
        rest = [0.0] * (window - len(left))
        return [*per_arm(memory, arms, places), float(len(left)), *left, *rest]

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The arm with the largest bound."""
        level = math.log(min(trial, window_for(self.horizon, self.switches)))
        for arm in range(arms):
            n, s = memory[arms + arm], memory[2 * arms + arm]
            if self.kl:
                memory[arm] = upper_bound(n, s, level)
            else:
                memory[arm] = padded_mean(n, s, self.xi * level)
        return largest(memory, arms, choice_stream(rng))

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Put the outcome into the window in place of the oldest one; the result is always 0."""
        window = window_for(self.horizon, self.switches)
        seen = int(memory[3 * arms])
        place = 3 * arms + 1 + seen % window
        if seen >= window:
            left = int(memory[place])
            memory[arms + left // 2] -= 1.0
            memory[2 * arms + left // 2] -= left % 2
        memory[place] = 2.0 * arm + outcome
        memory[3 * arms] = seen + 1.0
        memory[arms + arm] += 1.0
        memory[2 * arms + arm] += outcome
        return 0.0
