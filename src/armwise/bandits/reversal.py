"""The reversal bandit: now and then the best arm becomes the worst."""

import math

from armwise.bandits._durations import TimedBandit, next_change
from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import ARMS_MAX, Stream, uniform


class ReversalBandit(TimedBandit):
    """Thetas are evenly spaced from low to high; after each duration their order is reversed."""

    label = "reversal"
    equation = "theta[k] = low + (high - low) k / (K - 1), or the same from the last arm on"
    reference = "reversal learning; durations as in Markovic et al. 2019"

    arms: int = parameter(
        default=2, slider=(2, 20), low=2, high=ARMS_MAX - 1, meaning="number of arms"
    )
    low: float = parameter(
        default=0.2, slider=(0, 1), low=0, high=1, meaning="reward probability of the worst"
    )
    high: float = parameter(
        default=0.8, slider=(0, 1), low=0, high=1, meaning="reward probability of the best"
    )

    def check(self) -> None:
        """The best arm must not be the worst; stages must fit into the interval."""
        if self.high < self.low:
            raise InputError(
                f"{self.label}: high must be at least low, {self.low:g}, not {self.high:g}."
            )
        super().check()

    def start(self, rng: Stream) -> float:
        """The trial of the first reversal times 2, plus 1 if the first arm is the best."""
        change = next_change(1.0, self.interval, self.stages, self.durations, rng)
        return 2.0 * change + (1.0 if uniform(rng, 0) < 0.5 else 0.0)

    def move(self, state: float, trial: int, rng: Stream) -> float:
        """If it is time, the order is reversed."""
        change = math.floor(0.5 * state)
        if trial < change:
            return state
        reversed_order = 1.0 - (state - 2.0 * change)
        following = next_change(float(trial), self.interval, self.stages, self.durations, rng)
        return 2.0 * following + reversed_order

    def theta(self, state: float, arm: int, previous: float, rng: Stream) -> float:
        """The place of the arm in the order, from low to high."""
        first_is_best = state - 2.0 * math.floor(0.5 * state) == 1.0
        place = self.arms - 1 - arm if first_is_best else arm
        return self.low + (self.high - self.low) * place / (self.arms - 1)

    def random_rate(self) -> float:
        """Return half of the difference between the best and the worst."""
        return 0.5 * (self.high - self.low)
