"""The oracle of the change-detection literature: kl-UCB that is told when to start anew."""

from typing import Any

from armwise.actors._restarts import SHARED, best_bound, count, restart, restart_all
from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Actor


def change_in(changes: Any, trial: int) -> int:
    """Which change comes in this trial, from 0; -1 if none.

    >>> change_in((11.0, 21.0), 21), change_in((11.0, 21.0), 20)
    (1, -1)
    """
    found = -1
    for place in range(len(changes)):
        if trial - 1 < changes[place] <= trial:
            found = place
    return found


class RestartOracle(Actor):
    """Knows the change points, and nothing else: what restarts reach without delay or error."""

    label = "restart-oracle"
    equation = "kl-UCB on the outcomes since the last change"
    reference = "Besson, Kaufmann, Maillard and Seznec 2022"

    changes: tuple[float, ...] = parameter(
        default=(1_001.0, 2_001.0, 3_001.0, 4_001.0),
        low=2,
        meaning="first trial of every segment but the first",
    )
    moved: tuple[float, ...] = parameter(
        default=(),
        low=0,
        meaning="the arm that alone restarts at each of them, from 0; or all",
    )

    def check(self) -> None:
        """Every change has its arm, or none has."""
        if len(self.moved) not in (0, len(self.changes)):
            raise InputError(
                f"{self.label}: moved must name an arm for each of the {len(self.changes)} "
                f"changes, or none, not {len(self.moved)}."
            )

    def memory_size(self, arms: int) -> int:
        """What is shared."""
        if max(self.moved, default=0.0) >= arms:
            raise InputError(
                f"{self.label}: moved names arm {max(self.moved):g}, and the arms go from 0 to "
                f"{arms - 1}."
            )
        return SHARED * arms

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The largest bound; nothing counts from before a change."""
        change = change_in(self.changes, trial)
        if change >= 0 and len(self.moved) > 0:
            restart(memory, arms, int(self.moved[change]), trial - 1)
        elif change >= 0:
            restart_all(memory, arms, trial - 1)
        return best_bound(memory, arms, trial, rng)

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Count; 1.0 in the first trial of a segment."""
        count(memory, arms, arm, outcome)
        return 1.0 if change_in(self.changes, trial) >= 0 else 0.0
