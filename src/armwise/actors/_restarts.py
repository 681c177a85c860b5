"""Shared by actors that restart: counts since the restart, kl-UCB on them, forced exploration.

The memory of such an actor begins with four blocks of one number per arm: the scores, the outcomes
since the arm's restart, the successes among them, and the last trial before the restart.
"""

import math
from typing import Any

from armwise.model.draws import Stream
from armwise.model.ties import choice_stream, largest
from armwise.numerics.divergence import kl_upper

SHARED = 4  # numbers per arm in the memory of all these actors


def outcomes(memory: Any, arms: int, arm: int) -> float:
    """The number of outcomes of an arm since its restart."""
    return memory[arms + arm]


def successes(memory: Any, arms: int, arm: int) -> float:
    """The number of successes of an arm since its restart."""
    return memory[2 * arms + arm]


def restarted(memory: Any, arms: int, arm: int) -> float:
    """The last trial before the restart of an arm; 0 at first."""
    return memory[3 * arms + arm]


def count(memory: Any, arms: int, arm: int, outcome: int) -> None:
    """Count an outcome of an arm."""
    memory[arms + arm] += 1.0
    memory[2 * arms + arm] += outcome


def restart(memory: Any, arms: int, arm: int, trial: int) -> None:
    """Forget an arm after a trial."""
    memory[arms + arm] = 0.0
    memory[2 * arms + arm] = 0.0
    memory[3 * arms + arm] = trial


def restart_all(memory: Any, arms: int, trial: int) -> None:
    """Forget every arm after a trial."""
    for arm in range(arms):
        restart(memory, arms, arm, trial)


def counted(memory: Any, arms: int) -> dict[str, Any]:
    """The outcomes that count for every arm, and their mean (1 for an arm without any)."""
    counts = [float(memory[arms + arm]) for arm in range(arms)]
    sums = [float(memory[2 * arms + arm]) for arm in range(arms)]
    means = [s / n if n > 0.0 else 1.0 for s, n in zip(sums, counts, strict=True)]
    return {"mean": means, "outcomes": counts}


def since_restart(memory: Any, arms: int) -> dict[str, Any]:
    """The outcomes that count, their mean (1 for an arm without any), and the last restarts."""
    restarts = [float(restarted(memory, arms, arm)) for arm in range(arms)]
    return counted(memory, arms) | {"restarted": restarts}


def upper_bound(n: float, s: float, level: float) -> float:
    """The largest mean that s successes of n do not rule out: n kl(s / n, u) <= level.

    >>> round(upper_bound(10.0, 5.0, 1.0), 4), upper_bound(0.0, 0.0, 1.0)
    (0.7129, inf)
    """
    return kl_upper(s / n, max(level, 0.0) / n) if n > 0.0 else math.inf


def best_bound(memory: Any, arms: int, trial: int, rng: Stream) -> int:
    """The choice of kl-UCB, where ln t is replaced by ln of the trials since the arm's restart."""
    for arm in range(arms):
        age = trial - restarted(memory, arms, arm)
        n, s = outcomes(memory, arms, arm), successes(memory, arms, arm)
        memory[arm] = upper_bound(n, s, math.log(age))
    return largest(memory, arms, choice_stream(rng))


def turn(arms: int, trial: float, rate: float) -> int:
    """The arm that must be explored in this trial, or -1: all arms in turn, from time to time.

    At least one trial in arms + 1 is free at any rate.

    >>> [turn(arms=2, trial=t, rate=0.4) for t in range(1, 8)]
    [0, 1, -1, -1, -1, 0, 1]
    """
    period = max(int(arms / rate), arms + 1)
    place = (int(trial) - 1) % period
    return place if place < arms else -1
