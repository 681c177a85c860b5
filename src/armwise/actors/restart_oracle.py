"""The oracle of the change-detection literature: kl-UCB that knows when to restart."""

from typing import Any

from armwise.actors._restarts import SHARED, best_bound, count, restart, restart_all
from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Actor


def change_in(changes: Any, trial: int) -> int:
    """The index of the change in this trial, from 0, or -1 if there is none.

    >>> change_in((11.0, 21.0), 21), change_in((11.0, 21.0), 20)
    (1, -1)
    """
    found = -1
    for place in range(len(changes)):
        if trial - 1 < changes[place] <= trial:
            found = place
    return found


class RestartOracle(Actor):
    """Knows only the change points: the bound for all actors that restart on detected changes."""

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
        meaning="the only arm that restarts at each change, from 0; empty: all arms restart",
    )

    def check(self) -> None:
        """Every change must have an arm, or none."""
        if len(self.moved) not in (0, len(self.changes)):
            raise InputError(
                f"{self.label}: moved must name an arm for each of the {len(self.changes)} "
                f"changes, or none, not {len(self.moved)}."
            )

    def memory_size(self, arms: int) -> int:
        """The shared numbers."""
        if max(self.moved, default=0.0) >= arms:
            raise InputError(
                f"{self.label}: moved names arm {max(self.moved):g}, but the arms go from 0 to "
                f"{arms - 1}."
            )
        return SHARED * arms

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The arm with the largest bound; outcomes before a change are forgotten."""
        change = change_in(self.changes, trial)
        if change >= 0 and len(self.moved) > 0:
            restart(memory, arms, int(self.moved[change]), trial - 1)
        elif change >= 0:
            restart_all(memory, arms, trial - 1)
        return best_bound(memory, arms, trial, rng)

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Count the outcome; return 1.0 in the first trial of a segment."""
        count(memory, arms, arm, outcome)
        return 1.0 if change_in(self.changes, trial) >= 0 else 0.0
