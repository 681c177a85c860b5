"""A varying bandit in which the time until the next redraw has a distribution of its own."""

from armwise.bandits._durations import TimedBandit, next_change
from armwise.model.component import parameter
from armwise.model.draws import ARMS_MAX, Stream, uniform


class TimedVaryingBandit(TimedBandit):
    """After each duration every theta is drawn again from U(0, 1)."""

    label = "timed-varying"
    equation = "theta[k] ~ U(0, 1) again after D trials, D ~ stages + NB"
    reference = "section Discussion (temporal structure); durations as in Markovic et al. 2019"

    arms: int = parameter(
        default=10, slider=(2, 20), low=2, high=ARMS_MAX - 1, meaning="number of arms"
    )

    def start(self, rng: Stream) -> float:
        """The trial of the first redraw."""
        return next_change(1.0, self.interval, self.stages, self.durations, rng)

    def move(self, state: float, trial: int, rng: Stream) -> float:
        """If it is time, the trial of the next redraw."""
        if trial < state:
            return state
        return next_change(float(trial), self.interval, self.stages, self.durations, rng)

    def theta(self, state: float, arm: int, previous: float, rng: Stream) -> float:
        """A uniform draw."""
        return uniform(rng, 0)

    def random_rate(self) -> float:
        """Return E[max of K uniforms] - 1/2 = K / (K + 1) - 1/2."""
        return self.arms / (self.arms + 1) - 0.5
