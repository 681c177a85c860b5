"""The reverting bandit: every logit drifts, and is drawn back to a centre."""

import math

from armwise.bandits.drifting import moved
from armwise.model.component import parameter
from armwise.model.draws import ARMS_MAX, Stream, normal
from armwise.model.roles import Bandit
from armwise.numerics.normal import normal_quantile

POINTS = 4_000  # of the rule that averages the best theta


class RevertingBandit(Bandit):
    """Logits are an autoregressive process, from its stationary distribution on."""

    label = "reverting"
    equation = "x_t[k] = x_{t-1}[k] + pull (centre - x_{t-1}[k]) + sigma z, theta = logistic(x)"
    reference = "decaying random walks: compare Daw et al. 2006"

    arms: int = parameter(
        default=10, slider=(2, 20), low=2, high=ARMS_MAX - 1, meaning="number of arms"
    )
    sigma: float = parameter(
        default=0.1,
        slider=(0.01, 0.5),
        low=0,
        high=10,
        meaning="standard deviation of a step of the logit",
    )
    pull: float = parameter(
        default=0.01,
        slider=(0.001, 0.1),
        low=1e-6,
        high=1,
        meaning="part of the way to the centre that is taken in a trial",
    )
    centre: float = parameter(
        default=0.0, slider=(-3, 3), low=-10, high=10, meaning="logit to which all return"
    )

    def start(self, rng: Stream) -> float:
        """The number of steps so far: 0."""
        return 0.0

    def move(self, state: float, trial: int, rng: Stream) -> float:
        """One more step, in every trial."""
        return float(trial)

    def theta(self, state: float, arm: int, previous: float, rng: Stream) -> float:
        """A stationary draw at first, then one step from the previous theta."""
        if state == 0.0:
            return moved(0.5, self.centre + _spread(self.sigma, self.pull) * normal(rng, 0))
        inside = min(max(previous, 1e-13), 1.0 - 1e-13)
        logit = math.log(inside) - math.log1p(-inside)
        return moved(previous, self.pull * (self.centre - logit) + self.sigma * normal(rng, 0))

    def random_rate(self) -> float:
        """The mean of the largest of K draws, by quantiles, minus the mean of one."""
        shares = [(place + 0.5) / POINTS for place in range(POINTS)]
        best = math.fsum(self._quantile(share ** (1.0 / self.arms)) for share in shares)
        return (best - math.fsum(map(self._quantile, shares))) / POINTS

    def _quantile(self, share: float) -> float:
        return moved(0.5, self.centre + _spread(self.sigma, self.pull) * normal_quantile(share))

    def assumed_rho(self) -> float:
        """What is known of an arm fades by this part in a trial."""
        return self.pull


def _spread(sigma: float, pull: float) -> float:
    """The standard deviation of a logit in the long run."""
    return sigma / math.sqrt(pull * (2.0 - pull))
