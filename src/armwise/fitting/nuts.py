"""The No-U-Turn sampler for a density of a few numbers that is nearly normal.

It moves in coordinates in which a guessed covariance is the identity; during the warm-up, the
covariance of the draws so far takes the guess's place.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from armwise.engine.binding import rebind
from armwise.fitting import trajectory as one

TARGET = 0.9  # mean acceptance for which the step is tuned
LEARNED = 0.5  # the share of the warm-up after which the covariance is learned


class Target(NamedTuple):
    """A density that trajectories follow: the function `trajectory` bound to it, and its data."""

    trajectory: Any
    height: Callable[[Any, np.ndarray, np.ndarray], float]
    data: Any = ()


def plain_target(density: Callable[[np.ndarray], tuple[float, np.ndarray]]) -> Target:
    """The target of a density in Python, which returns its logarithm and the gradient."""

    def height(data: Any, place: np.ndarray, gradient: np.ndarray) -> float:
        value, gradient[:] = density(place)
        return value

    return Target(rebind(one.trajectory, {one.height: height}), height)


class Move(NamedTuple):
    """What came of a trajectory."""

    acceptance: float
    steps: int
    depth: int
    diverging: bool
    energy: float


class Walk:
    """One chain: its place, the log-density there, and how it moves."""

    def __init__(
        self, target: Target, start: np.ndarray, covariance: np.ndarray, rng: np.random.Generator
    ) -> None:
        self.target, self.rng, size = target, rng, len(start)
        self.root, self.step = np.linalg.cholesky(covariance), 0.5
        self.end = np.zeros((3, size))  # place, momentum, slope
        self.ends, self.told = np.zeros((2, 3, size)), np.zeros(one.TOLD)
        self.branches = np.zeros((one.BRANCHES, one.ROWS, size))
        self.numbers = np.zeros((one.BRANCHES, one.COLUMNS))
        self.begin(start)

    @property
    def place(self) -> np.ndarray:
        """Where the chain is."""
        return self.end[one.WHERE]

    @property
    def state(self) -> tuple[np.ndarray, float]:
        """What it takes to come back here."""
        return self.end.copy(), self.lp

    @state.setter
    def state(self, state: tuple[np.ndarray, float]) -> None:
        self.end, self.lp = state

    def begin(self, place: np.ndarray) -> None:
        """Go to a place."""
        gradient = np.zeros(len(place))
        self.lp = float(self.target.height(self.target.data, place, gradient))
        self.end[one.WHERE], self.end[one.HERE] = place, self.root.T @ gradient

    def move(self) -> Move:
        """Go where a trajectory leads."""
        self.end[one.MOMENTUM] = self.rng.standard_normal(len(self.place))
        uniform = self.rng.random(one.UNIFORMS)
        self.numbers[one.WHOLE, one.HEIGHT] = self.lp
        room = self.ends, self.branches, self.numbers, self.told
        self.target.trajectory(self.target.data, self.root, self.step, self.end, uniform, *room)
        self.end[one.WHERE] = self.branches[one.WHOLE, one.PLACE]
        self.end[one.HERE] = self.branches[one.WHOLE, one.SLOPE]
        self.lp = float(self.numbers[one.WHOLE, one.HEIGHT])
        accepted, steps, depth, diverging = self.told[: one.DRAWN].tolist()
        energy = float(self.numbers[one.WHOLE, one.ENERGY])
        return Move(accepted / max(1.0, steps), int(steps), int(depth), bool(diverging), energy)

    def warm_up(self, moves: int, guess: np.ndarray, fold: Callable = np.array) -> None:
        """Tune the step, and learn the covariance, which is `guess` at first.

        `fold` brings draws to one of several places that are the same, before they are compared.
        """
        tuning, learned = Tuning(self.step), []
        for n in range(moves):
            self.step = tuning.learn(self.move().acceptance)
            learned.append(self.place.copy())
            if n == int(LEARNED * moves):
                some = fold(np.array(learned[len(learned) // 3 :]))
                self.root = np.linalg.cholesky(_covariance(some, guess))
                self.begin(self.place.copy())
                tuning = Tuning(math.exp(tuning.mean))
                self.step = math.exp(tuning.mean)
        self.step = math.exp(tuning.mean)


class Tuning:
    """Dual averaging of the step (Nesterov's scheme, as in Hoffman and Gelman)."""

    def __init__(self, step: float) -> None:
        self.aim, self.error, self.count = math.log(10.0 * step), 0.0, 0
        self.mean = math.log(step)

    def learn(self, acceptance: float) -> float:
        """The next step to try."""
        self.count += 1
        share = 1.0 / (self.count + 10.0)
        self.error += share * (TARGET - acceptance - self.error)
        log = self.aim - math.sqrt(self.count) / 0.05 * self.error
        self.mean += self.count**-0.75 * (log - self.mean)
        return math.exp(log)


def sample(
    target: Target,
    start: np.ndarray,
    guess: np.ndarray,
    warm_up: int,
    draws: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Draws of a chain from `start`; `guess` is a covariance such as that of the posterior.

    >>> normal = plain_target(lambda x: (-0.5 * float(x @ x), -x))
    >>> draws = sample(normal, np.zeros(2), np.eye(2), 100, 400, np.random.default_rng(1))
    >>> bool(abs(draws.var() - 1.0) < 0.3)
    True
    """
    walk = Walk(target, start, guess, rng)
    walk.warm_up(warm_up, guess)
    found = np.empty((draws, len(start)))
    for row in found:
        walk.move()
        row[:] = walk.place
    return found


def _covariance(draws: np.ndarray, guess: np.ndarray) -> np.ndarray:
    """That of the draws, drawn toward the guess as if that were worth 5 draws per number."""
    count, worth = len(draws), 5.0 * draws.shape[1]
    found = np.atleast_2d(np.cov(draws.T))
    return (count * found + worth * guess) / (count + worth)
