"""GLR-klUCB: kl-UCB that restarts when a likelihood ratio test finds a change."""

import math
from typing import Any

from armwise.actors._restarts import (
    SHARED,
    best_bound,
    count,
    outcomes,
    restart,
    restart_all,
    since_restart,
    successes,
    turn,
)
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Actor
from armwise.numerics.divergence import kl


def exploration(arms: int, horizon: float, episode: float) -> float:
    """The rate of forced choices; it grows with every restart.

    >>> round(exploration(arms=3, horizon=5_000, episode=1), 4)
    0.0715
    """
    return math.sqrt(episode * arms * math.log(horizon) / horizon)


def threshold(n: int, horizon: float) -> float:
    """The level of the test: ln(n^(3/2) / delta) with delta = 1 / sqrt(horizon)."""
    return 1.5 * math.log(n) + 0.5 * math.log(horizon)


def likelihood_ratio(first: float, s_first: float, n: float, s: float) -> float:
    """The log likelihood ratio of two means, before and after a split, against one mean.

    >>> likelihood_ratio(10.0, 10.0, 20.0, 20.0), round(likelihood_ratio(5.0, 0.0, 10.0, 5.0), 4)
    (0.0, 6.9315)
    """
    mean, rest = s / n, n - first
    return first * kl(s_first / first, mean) + rest * kl((s - s_first) / rest, mean)


def sums_kept(horizon: float, step: int) -> int:
    """The number of sums of successes that are kept per arm; if there are more, the last ones."""
    return int(horizon) // step + 1


def differs(memory: Any, start: int, kept: int, step: int, n: int, s: float, level: float) -> bool:
    """Whether any split of n outcomes has a ratio above the level.

    The sums of successes begin at `start`.
    """
    for part in range(max(1, n // step - kept + 1), (n - 1) // step + 1):
        ratio = likelihood_ratio(part * step, memory[start + part % kept], n, s)
        if ratio > level:
            return True
    return False


class GLRUCB(Actor):
    """Tests every arm by a Bernoulli generalized likelihood ratio, and restarts on an alarm."""

    label = "GLR-klUCB"
    equation = "restart if max over i of i kl(m[:i], m) + (n - i) kl(m[i:], m) > ln(n^1.5 sqrt(T))"
    reference = "Besson, Kaufmann, Maillard and Seznec 2022"

    horizon: float = parameter(
        default=5_000.0, slider=(100, 10000), low=2, high=1e9, meaning="assumed number of trials"
    )
    local: bool = parameter(
        default=True, meaning="whether only the arm that changed restarts, instead of all arms"
    )
    share: float = parameter(
        default=1.0,
        slider=(0.05, 2),
        low=0,
        open_low=True,
        meaning="fraction of the forced exploration that the proof requires",
    )
    every: int = parameter(
        default=10, slider=(1, 50), low=1, meaning="outcomes of an arm between tests"
    )
    step: int = parameter(
        default=10, slider=(1, 50), low=1, meaning="outcomes of an arm between possible splits"
    )

    def memory_size(self, arms: int) -> int:
        """The shared numbers, the number of restarts, and sums of successes of every arm."""
        return SHARED * arms + 1 + arms * sums_kept(self.horizon, self.step)

    def facts(self, memory: Any, arms: int) -> dict[str, Any]:
        """The outcomes since the restart of every arm, and the last trial before it (0: none)."""
        return since_restart(memory, arms)

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The arm that must be explored now, else the arm with the largest bound."""
        episode = 1.0 + memory[SHARED * arms]
        forced = turn(arms, trial, self.share * exploration(arms, self.horizon, episode))
        return forced if forced >= 0 else best_bound(memory, arms, trial, rng)

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Count the outcome, test now and then; return 1.0 on an alarm."""
        count(memory, arms, arm, outcome)
        n, s = int(outcomes(memory, arms, arm)), successes(memory, arms, arm)
        kept = sums_kept(self.horizon, self.step)
        start = SHARED * arms + 1 + arm * kept
        if n % self.step == 0:
            memory[start + n // self.step % kept] = s
        level = threshold(n, self.horizon)
        if n % self.every != 0 or not differs(memory, start, kept, self.step, n, s, level):
            return 0.0
        memory[SHARED * arms] += 1.0
        if self.local:
            restart(memory, arms, arm, trial)
        else:
            restart_all(memory, arms, trial)
        return 1.0
