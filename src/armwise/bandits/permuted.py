"""The permuted bandit: given thetas change places."""

import math

from armwise.bandits._durations import TimedBandit, next_change
from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream, for_arm, uniform


def rank(arm: int, arms: int, rng: Stream) -> int:
    """The place of an arm among all arms, by their draws: a random permutation."""
    own = uniform(for_arm(rng, arm), 0)
    place = 0
    for other in range(arms):
        place += 1 if uniform(for_arm(rng, other), 0) < own else 0
    return place


class PermutedBandit(TimedBandit):
    """After each duration the given thetas are dealt out again, or all move on by one arm."""

    label = "permuted"
    equation = "theta[k] = thetas[pi[k]], another permutation pi after D trials"
    reference = (
        "rotations: compare Besbes, Gur and Zeevi 2014; durations as in Markovic et al. 2019"
    )

    thetas: tuple[float, ...] = parameter(
        default=(0.2, 0.4, 0.6, 0.8), low=0, high=1, meaning="reward probabilities"
    )
    shift: bool = parameter(
        default=False, meaning="whether every theta moves on by one arm, instead of at random"
    )
    arms: int = parameter(default=0, low=0, meaning="number of arms (0: as many as thetas)")

    def check(self) -> None:
        """There must be at least two thetas, one per arm; stages must fit into the interval."""
        if len(self.thetas) < 2:
            raise InputError(f"{self.label}: thetas must name at least two arms.")
        if self.arms not in (0, len(self.thetas)):
            raise InputError(
                f"{self.label}: arms must be {len(self.thetas)}, as many as thetas, "
                f"not {self.arms}."
            )
        object.__setattr__(self, "arms", len(self.thetas))
        super().check()

    def start(self, rng: Stream) -> float:
        """The trial of the first change times the number of arms."""
        change = next_change(1.0, self.interval, self.stages, self.durations, rng)
        return self.arms * change

    def move(self, state: float, trial: int, rng: Stream) -> float:
        """If it is time: the trial of the next change times K, plus the number of shifts mod K."""
        change = math.floor(state / self.arms)
        if trial < change:
            return state
        shifts = state - self.arms * change + 1.0
        shifts = 0.0 if shifts == self.arms else shifts
        following = next_change(float(trial), self.interval, self.stages, self.durations, rng)
        return self.arms * following + shifts

    def theta(self, state: float, arm: int, previous: float, rng: Stream) -> float:
        """The theta that is the arm's turn or lot."""
        if self.shift:
            shifts = int(state - self.arms * math.floor(state / self.arms))
            return self.thetas[(arm + shifts) % self.arms]
        return self.thetas[rank(arm, self.arms, rng)]

    def random_rate(self) -> float:
        """The best probability minus the mean of all."""
        return max(self.thetas) - sum(self.thetas) / len(self.thetas)
