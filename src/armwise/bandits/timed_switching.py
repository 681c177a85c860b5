"""A switching bandit in which the time until the next change has a distribution of its own."""

import math

from armwise.bandits._durations import TimedBandit, next_change
from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream, integer


class TimedSwitchingBandit(TimedBandit):
    """After each duration the best arm moves to one of the others, uniformly."""

    label = "timed-switching"
    equation = "theta[k] = p + epsilon [k = k*]; k* moves after D trials, D ~ stages + NB"
    reference = "section Discussion (temporal structure); durations as in Markovic et al. 2019"

    arms: int = parameter(default=10, slider=(2, 20), low=2, high=1 << 20, meaning="number of arms")
    epsilon: float = parameter(
        default=0.1, slider=(0, 0.5), low=0, high=1, meaning="advantage of the best arm"
    )
    p: float = parameter(
        default=0.5, slider=(0, 1), low=0, high=1, meaning="reward probability of the other arms"
    )

    def check(self) -> None:
        """The sum p + epsilon must be a probability; stages must fit into the interval."""
        if self.p + self.epsilon > 1.0:
            total = self.p + self.epsilon
            raise InputError(f"{self.label}: p + epsilon must be at most 1, not {total:g}.")
        super().check()

    def start(self, rng: Stream) -> float:
        """The trial of the first change, times the number of arms, plus the best arm."""
        change = next_change(1.0, self.interval, self.stages, self.durations, rng)
        return change * self.arms + float(integer(rng, 0, self.arms))

    def move(self, state: float, trial: int, rng: Stream) -> float:
        """If it is time, one of the K - 1 other arms becomes the best."""
        change = math.floor(state / self.arms)
        if trial < change:
            return state
        best = state - change * self.arms
        other = float(integer(rng, 2, self.arms - 1))
        best = other + 1.0 if other >= best else other
        following = next_change(float(trial), self.interval, self.stages, self.durations, rng)
        return following * self.arms + best

    def theta(self, state: float, arm: int, previous: float, rng: Stream) -> float:
        """The best arm pays with p + epsilon, the others with p."""
        best = state - math.floor(state / self.arms) * self.arms
        return self.p + self.epsilon if arm == best else self.p

    def random_rate(self) -> float:
        """Return epsilon (K - 1) / K."""
        return self.epsilon * (self.arms - 1) / self.arms
