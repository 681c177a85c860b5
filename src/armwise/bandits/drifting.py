"""The drifting bandit: every logit of theta takes a random walk."""

import math

from armwise.model.component import parameter
from armwise.model.draws import ARMS_MAX, Stream, normal, uniform
from armwise.model.roles import Bandit

_FARTHEST = 30.0  # logits are clipped to plus or minus this


def moved(theta: float, step: float) -> float:
    """The probability whose logit is logit(theta) + step."""
    theta = min(max(theta, 1e-13), 1.0 - 1e-13)
    logit = math.log(theta) - math.log1p(-theta) + step
    return 1.0 / (1.0 + math.exp(-min(max(logit, -_FARTHEST), _FARTHEST)))


class DriftingBandit(Bandit):
    """Theta starts uniform; in every trial its logit moves by a normal step."""

    label = "drifting"
    equation = "logit theta_t[k] = logit theta_{t-1}[k] + sigma z, z ~ N(0, 1)"
    reference = "a logit random walk; compare Daw et al. 2006"

    arms: int = parameter(
        default=10, slider=(2, 20), low=2, high=ARMS_MAX - 1, meaning="number of arms"
    )
    sigma: float = parameter(
        default=0.05,
        slider=(0, 0.5),
        low=0,
        high=10,
        meaning="standard deviation of a step of the logit",
    )

    def start(self, rng: Stream) -> float:
        """The number of steps so far: 0."""
        return 0.0

    def move(self, state: float, trial: int, rng: Stream) -> float:
        """One more step, in every trial."""
        return float(trial)

    def theta(self, state: float, arm: int, previous: float, rng: Stream) -> float:
        """A uniform draw at first, then one step from the previous theta."""
        if state == 0.0:
            return uniform(rng, 0)
        return moved(previous, self.sigma * normal(rng, 0))

    def random_rate(self) -> float:
        """At the start: E[max of K uniforms] - 1/2."""
        return self.arms / (self.arms + 1) - 0.5

    def assumed_rho(self) -> float:
        """Treat a logit drift of one unit as one change: rho = sigma^2."""
        return min(1.0, self.sigma * self.sigma)
