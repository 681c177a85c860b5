"""Hamiltonian Monte Carlo with trajectories of random length, for a nearly normal density."""

import math
from collections.abc import Callable

import numpy as np

from armwise.fitting.nuts import Tuning
from armwise.fitting.trajectory import WRONG

FIRST_STEP, LONGEST = 0.3, 12  # of a trajectory: the size of a step, and the most steps

Height = Callable[[np.ndarray], tuple[float, np.ndarray]]


class Leaps:
    """A place that moves, in coordinates in which the covariance `root @ root.T` is the identity.

    The density is nearly normal there, so few steps of equal size are enough.
    """

    def __init__(self, root: np.ndarray, rng: np.random.Generator) -> None:
        self.root, self.rng = root, rng
        self.tune(FIRST_STEP)

    def tune(self, step: float) -> None:
        """Begin to tune the size of a step."""
        self.step, self.tuning = step, Tuning(step)

    @property
    def tuned(self) -> float:
        """The size of a step that was found."""
        return math.exp(self.tuning.mean)

    def begin(self, density: Height, place: np.ndarray) -> None:
        """Go to a place."""
        self.density, self.place = density, place
        self.lp, self.slope = density(place)

    def move(self) -> tuple[float, ...]:
        """Go where a trajectory leads, or stay; what is told of that, by `sampling.TOLD`."""
        place, lp, slope = self.place, self.lp, self.slope
        p = self.rng.standard_normal(len(place))
        energy, steps = 0.5 * float(p @ p) - lp, int(self.rng.integers(1, LONGEST + 1))
        for _ in range(steps):
            p = p + 0.5 * self.step * self.root.T @ slope
            place = place + self.step * self.root @ p
            lp, slope = self.density(place)
            p = p + 0.5 * self.step * self.root.T @ slope
        error = 0.5 * float(p @ p) - lp - energy
        error = error if math.isfinite(error) else math.inf
        chance = math.exp(min(0.0, -error))
        taken = self.rng.random() < chance
        if taken:
            self.place, self.lp, self.slope = place, lp, slope
        depth, wrong = math.log2(steps), error > WRONG
        return self.lp, chance, steps, depth, wrong, energy, self.step, taken
