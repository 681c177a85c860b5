"""The stationary bandit: one best arm, forever."""

from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import ARMS_MAX, Stream, integer
from armwise.model.roles import Bandit


class StationaryBandit(Bandit):
    """One best arm, drawn uniformly at the start, pays with p + epsilon; all others with p."""

    label = "stationary"
    equation = "theta[k] = p + epsilon [k = k*]"
    reference = "section Stationary stochastic bandit"

    arms: int = parameter(
        default=10, slider=(2, 20), low=2, high=ARMS_MAX - 1, meaning="number of arms"
    )
    epsilon: float = parameter(
        default=0.1, slider=(0, 0.5), low=0, high=1, meaning="advantage of the best arm"
    )
    p: float = parameter(
        default=0.5, slider=(0, 1), low=0, high=1, meaning="reward probability of the other arms"
    )

    def check(self) -> None:
        """The sum p + epsilon must be a probability."""
        if self.p + self.epsilon > 1.0:
            total = self.p + self.epsilon
            raise InputError(f"{self.label}: p + epsilon must be at most 1, not {total:g}.")

    def start(self, rng: Stream) -> float:
        """The best arm."""
        return float(integer(rng, 0, self.arms))

    def move(self, state: float, trial: int, rng: Stream) -> float:
        """Nothing changes."""
        return state

    def theta(self, state: float, arm: int, previous: float, rng: Stream) -> float:
        """The best arm pays with p + epsilon, the others with p."""
        return self.p + self.epsilon if arm == state else self.p

    def random_rate(self) -> float:
        """Return epsilon (K - 1) / K."""
        return self.epsilon * (self.arms - 1) / self.arms
