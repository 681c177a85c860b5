"""The restless bandit: mean outcomes take a random walk that decays to a centre."""

import math

from armwise.bandits._normal import expected_best
from armwise.model.component import parameter
from armwise.model.draws import ARMS_MAX, Stream, normal
from armwise.model.forms import REAL
from armwise.model.roles import Bandit


class RestlessBandit(Bandit):
    """Real outcomes, whose means diffuse and decay, from their stationary distribution on.

    With its defaults it is the task of Daw and colleagues, but for their rounding to whole points
    from 1 to 100.
    """

    label = "restless"
    equation = (
        "theta_t[k] = decay theta_{t-1}[k] + (1 - decay) centre + diffusion z, o = theta + noise z"
    )
    reference = "Daw et al. 2006"
    outcomes = REAL

    arms: int = parameter(
        default=4, slider=(2, 20), low=2, high=ARMS_MAX - 1, meaning="number of arms"
    )
    decay: float = parameter(
        default=0.9836,
        slider=(0.8, 0.999),
        low=0,
        high=1,
        open_high=True,
        meaning="part of the distance from the centre that is left after a trial",
    )
    centre: float = parameter(
        default=50.0, slider=(0, 100), meaning="mean to which all arms return"
    )
    diffusion: float = parameter(
        default=2.8,
        slider=(0, 20),
        low=0,
        high=1e6,
        meaning="standard deviation of a step of the means",
    )
    noise: float = parameter(
        default=4.0,
        slider=(0, 20),
        low=0,
        high=1e6,
        meaning="standard deviation of an outcome around its mean",
    )

    def start(self, rng: Stream) -> float:
        """The number of steps so far: 0."""
        return 0.0

    def move(self, state: float, trial: int, rng: Stream) -> float:
        """One more step, in every trial."""
        return float(trial)

    def theta(self, state: float, arm: int, previous: float, rng: Stream) -> float:
        """A stationary draw at first, then one step from the previous mean."""
        if state == 0.0:
            spread = self.diffusion / math.sqrt(1.0 - self.decay * self.decay)
            return self.centre + spread * normal(rng, 0)
        toward = self.decay * previous + (1.0 - self.decay) * self.centre
        return toward + self.diffusion * normal(rng, 0)

    def luck(self, rng: Stream) -> float:
        """The noise of the outcome."""
        return self.noise * normal(rng, 0)

    def random_rate(self) -> float:
        """The expected largest of K stationary means, minus the centre."""
        spread = self.diffusion / math.sqrt(1.0 - self.decay * self.decay)
        return spread * expected_best(self.arms)
