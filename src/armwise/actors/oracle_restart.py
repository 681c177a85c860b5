"""The oracle of the change-detection literature: kl-UCB that is told when to start anew."""

from typing import Any

from armwise.component import parameter
from armwise.grammar import Actor
from armwise.random import Stream
from armwise.restarts import SHARED, best_bound, count, restart_all


def changes_in(changes: Any, trial: int) -> bool:
    """Whether a segment begins in this trial.

    >>> changes_in((11.0, 21.0), 21), changes_in((11.0, 21.0), 20)
    (True, False)
    """
    found = False
    for change in changes:
        found = found or trial - 1 < change <= trial
    return found


class OracleRestart(Actor):
    """Knows the change points, and nothing else: what restarts of all arms reach without delay."""

    label = "oracle"
    equation = "kl-UCB on the outcomes since the last change"
    reference = "Besson, Kaufmann, Maillard and Seznec 2022"

    changes: tuple[float, ...] = parameter(
        default=(1_001.0, 2_001.0, 3_001.0, 4_001.0),
        low=2,
        meaning="first trial of every segment but the first",
    )

    def memory(self, arms: int) -> int:
        """What is shared."""
        return SHARED * arms

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The largest bound; nothing counts from before a change."""
        if changes_in(self.changes, trial):
            restart_all(memory, arms, trial - 1)
        return best_bound(memory, arms, trial, rng)

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Count; 1.0 in the first trial of a segment."""
        count(memory, arms, arm, outcome)
        return 1.0 if changes_in(self.changes, trial) else 0.0
