"""The piecewise bandit: stationary between given change points."""

from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import ARMS_MAX, Stream
from armwise.model.roles import Bandit


class PiecewiseBandit(Bandit):
    """Segments with given reward probabilities; `changes` are the first trials of later ones."""

    label = "piecewise"
    equation = "theta_t[k] = means[segment of t, k]"
    reference = "Garivier and Moulines 2011"

    arms: int = parameter(
        default=2, slider=(2, 20), low=2, high=ARMS_MAX - 1, meaning="number of arms"
    )
    means: tuple[float, ...] = parameter(
        default=(0.2, 0.8, 0.8, 0.2),
        low=0,
        high=1,
        meaning="reward probability of every arm in the first segment, then in the next",
    )
    changes: tuple[float, ...] = parameter(
        default=(501.0,), low=2, meaning="first trial of every segment but the first"
    )

    def check(self) -> None:
        """There must be one probability per arm and segment, and changes must increase."""
        wanted = self.arms * (len(self.changes) + 1)
        if len(self.means) != wanted:
            raise InputError(
                f"{self.label}: means must have {wanted} numbers for {self.arms} arms and "
                f"{len(self.changes) + 1} segments, not {len(self.means)}."
            )
        if list(self.changes) != sorted(set(self.changes)):
            raise InputError(f"{self.label}: changes must increase, not be {self.changes}.")

    def start(self, rng: Stream) -> float:
        """The first segment."""
        return 0.0

    def move(self, state: float, trial: int, rng: Stream) -> float:
        """The next segment, if it begins now."""
        segment = int(state)
        if segment < len(self.changes) and trial >= self.changes[segment]:
            return state + 1.0
        return state

    def theta(self, state: float, arm: int, previous: float, rng: Stream) -> float:
        """The mean of the arm in this segment."""
        return self.means[int(state) * self.arms + arm]

    def random_rate(self) -> float:
        """The best probability minus the mean of all, averaged over segments."""
        rows = [
            self.means[first : first + self.arms] for first in range(0, len(self.means), self.arms)
        ]
        return sum(max(row) - sum(row) / self.arms for row in rows) / len(rows)

    def assumed_rho(self) -> float:
        """Changes per trial, if the last segment lasts as long as the mean of the others."""
        if not self.changes:
            return 0.0
        last = self.changes[-1] - 1.0
        return len(self.changes) / (last + last / len(self.changes))
