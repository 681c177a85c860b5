"""The switching bandit of varying difficulty: now and then every theta is drawn again."""

from armwise.model.component import parameter
from armwise.model.draws import ARMS_MAX, Stream, uniform
from armwise.model.roles import Bandit


class VaryingBandit(Bandit):
    """In each trial, with probability rho, every theta is drawn again from U(0, 1)."""

    label = "varying"
    equation = "theta_t[k] ~ U(0, 1) with probability rho, else theta_{t-1}[k]"
    reference = "section Switching bandit, non-stationary difficulty"

    arms: int = parameter(
        default=10, slider=(2, 20), low=2, high=ARMS_MAX - 1, meaning="number of arms"
    )
    rho: float = parameter(
        default=0.01, slider=(0, 0.1), low=0, high=1, meaning="probability of a redraw in a trial"
    )

    def start(self, rng: Stream) -> float:
        """The trial of the last redraw: 0, the start."""
        return 0.0

    def move(self, state: float, trial: int, rng: Stream) -> float:
        """With probability rho the last redraw is now."""
        return float(trial) if uniform(rng, 1) < self.rho else state

    def theta(self, state: float, arm: int, previous: float, rng: Stream) -> float:
        """A uniform draw."""
        return uniform(rng, 0)

    def random_rate(self) -> float:
        """Return E[max of K uniforms] - 1/2 = K / (K + 1) - 1/2."""
        return self.arms / (self.arms + 1) - 0.5
