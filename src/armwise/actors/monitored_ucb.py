"""M-UCB: kl-UCB that restarts when the two halves of an arm's last outcomes differ too much."""

import math
from typing import Any

from armwise.actors._restarts import (
    SHARED,
    best_bound,
    count,
    outcomes,
    restart_all,
    restarted,
    since_restart,
    successes,
    turn,
)
from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Actor


def threshold(arms: int, horizon: float, window: int) -> float:
    """The difference in successes of the halves that raises an alarm; false alarms are rare.

    >>> round(threshold(arms=3, horizon=5_000, window=200), 4)
    43.3891
    """
    return math.sqrt(0.5 * window * math.log(2.0 * arms * horizon * horizon))


def exploration(arms: int, horizon: float, switches: float, window: int) -> float:
    """The rate of forced choices that the paper derives.

    >>> round(exploration(arms=3, horizon=5_000, switches=4, window=200), 4)
    0.3938
    """
    cost = 2.0 * threshold(arms, horizon, window) + 3.0 * math.sqrt(window)
    return math.sqrt(0.5 * switches * arms * cost / horizon)


class MonitoredUCB(Actor):
    """Compares the two halves of a window of every arm's outcomes; on an alarm all arms restart."""

    label = "M-UCB"
    equation = "restart if |sum of the last w/2 - sum of the w/2 before| > sqrt(w ln(2 K T²) / 2)"
    reference = "Cao, Wen, Kveton and Xie 2019; with kl-UCB as in Besson et al. 2022"

    horizon: float = parameter(
        default=5_000.0, slider=(100, 10000), low=2, meaning="assumed number of trials"
    )
    switches: float = parameter(
        default=4.0, slider=(1, 50), low=1, meaning="assumed number of changes"
    )
    window: int = parameter(
        default=200,
        slider=(5, 1000),
        low=2,
        high=1_000_000,
        meaning="outcomes of an arm that are compared",
    )
    forced: float = parameter(
        default=0.0,
        slider=(0, 0.3),
        low=0,
        high=0.99,
        meaning="share of forced choices; 0: as in the paper",
    )

    def check(self) -> None:
        """The window must have two halves."""
        if self.window % 2 != 0:
            raise InputError(f"{self.label}: window must be even, not {self.window}.")

    def memory_size(self, arms: int) -> int:
        """The shared numbers; for every arm, the successes before each outcome in the window."""
        return (SHARED + self.window) * arms

    def facts(self, memory: Any, arms: int) -> dict[str, Any]:
        """The outcomes since the restart of every arm, and the last trial before it (0: none)."""
        return since_restart(memory, arms)

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The arm that must be explored now, else the arm with the largest bound."""
        rate = self.forced
        if rate <= 0.0:
            rate = exploration(arms, self.horizon, self.switches, self.window)
        arm = turn(arms, trial - restarted(memory, arms, 0), rate)
        return arm if arm >= 0 else best_bound(memory, arms, trial, rng)

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Count the outcome and compare the halves; return 1.0 on an alarm."""
        start = SHARED * arms + arm * self.window
        n = int(outcomes(memory, arms, arm))
        memory[start + n % self.window] = successes(memory, arms, arm)
        count(memory, arms, arm, outcome)
        n += 1
        if n < self.window:
            return 0.0
        oldest = memory[start + n % self.window]
        middle = memory[start + (n - self.window // 2) % self.window]
        difference = abs(successes(memory, arms, arm) - 2.0 * middle + oldest)
        if difference <= threshold(arms, self.horizon, self.window):
            return 0.0
        restart_all(memory, arms, trial)
        return 1.0
