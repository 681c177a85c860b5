"""The redrawn bandit: thetas of any Beta distribution, drawn again together or one at a time."""

import math

from armwise.bandits._durations import TimedBandit, next_change
from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import ARMS_MAX, EVERY_ARM, Stream, for_arm, integer, uniform
from armwise.numerics.beta_quantiles import beta_quantile

POINTS = 4_000  # of the rule that averages the best theta


class RedrawnBandit(TimedBandit):
    """After each duration every theta, or that of one random arm, is drawn again."""

    label = "redrawn"
    equation = "theta[k] = low + (high - low) X, X ~ Be(alpha, beta), again after D trials"
    reference = "the varying bandit with other distributions: new in armwise"

    arms: int = parameter(
        default=10, slider=(2, 20), low=2, high=ARMS_MAX - 1, meaning="number of arms"
    )
    low: float = parameter(default=0.0, low=0, high=1, meaning="smallest possible theta")
    high: float = parameter(default=1.0, low=0, high=1, meaning="largest possible theta")
    alpha: float = parameter(
        default=1.0, slider=(0.1, 10), low=0.01, high=1e6, meaning="first shape of the thetas"
    )
    beta: float = parameter(
        default=1.0, slider=(0.1, 10), low=0.01, high=1e6, meaning="second shape of the thetas"
    )
    single: bool = parameter(default=False, meaning="whether one arm at a time is drawn again")

    def check(self) -> None:
        """The largest theta must not be below the smallest; stages must fit into the interval."""
        if self.high < self.low:
            raise InputError(
                f"{self.label}: high must be at least low, {self.low:g}, not {self.high:g}."
            )
        super().check()

    def start(self, rng: Stream) -> float:
        """The trial of the first change."""
        return next_change(1.0, self.interval, self.stages, self.durations, rng)

    def move(self, state: float, trial: int, rng: Stream) -> float:
        """If it is time, the trial of the next change."""
        if trial < state:
            return state
        return next_change(float(trial), self.interval, self.stages, self.durations, rng)

    def theta(self, state: float, arm: int, previous: float, rng: Stream) -> float:
        """A draw, or the theta before if another arm was drawn again."""
        shared = for_arm(rng, EVERY_ARM)
        if self.single and rng.trial > 0 and integer(shared, 1, self.arms) != arm:
            return previous
        share = uniform(rng, 0)
        if self.alpha != 1.0 or self.beta != 1.0:
            share = min(max(beta_quantile(share, self.alpha, self.beta), 0.0), 1.0)
        return self.low + (self.high - self.low) * share

    def random_rate(self) -> float:
        """The mean of the largest of K draws, by quantiles, minus the mean of one."""
        best = math.fsum(
            beta_quantile(((place + 0.5) / POINTS) ** (1.0 / self.arms), self.alpha, self.beta)
            for place in range(POINTS)
        )
        mean = self.alpha / (self.alpha + self.beta)
        return (self.high - self.low) * (best / POINTS - mean)
