"""The No-U-Turn sampler for a density of a few numbers that is nearly normal.

Hoffman and Gelman 2014, with draws from a trajectory by their weights and the turning criterion of
Betancourt 2017. It moves in coordinates in which a guessed covariance is the identity; after half
of the warm-up, the covariance of the draws so far takes the guess's place.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

DEEPEST = 8  # doublings of a trajectory
WRONG = 1000.0  # error of the energy at which a trajectory diverges
TARGET = 0.85  # mean acceptance for which the step is tuned
FIRST = 0.35  # the share of the warm-up after which the covariance is learned

Density = Callable[[np.ndarray], tuple[float, np.ndarray]]


class Chain(NamedTuple):
    """Draws after the warm-up, and how they came about."""

    draws: np.ndarray  # [draw, number]
    lp: np.ndarray
    acceptance_rate: np.ndarray
    n_steps: np.ndarray
    tree_depth: np.ndarray
    diverging: np.ndarray
    energy: np.ndarray
    step_size: np.ndarray


class State(NamedTuple):
    """A place with its momentum."""

    q: np.ndarray
    p: np.ndarray
    lp: float
    gradient: np.ndarray

    @property
    def energy(self) -> float:
        """Minus the logarithm of the joint density."""
        return 0.5 * float(self.p @ self.p) - self.lp


class Tree(NamedTuple):
    """A trajectory: its ends, the draw from it, its weight, and the sum of its momenta."""

    left: State
    right: State
    draw: State
    weight: float  # logarithm
    momentum: np.ndarray
    accepted: float
    steps: int
    going: bool  # it neither turns back nor diverges
    diverging: bool


class Walk:
    """One chain."""

    def __init__(self, density: Density, root: np.ndarray, rng: np.random.Generator) -> None:
        self.density, self.root, self.rng = density, root, rng
        self.center = np.zeros(len(root))
        self.step = 1.0

    def inside(self, psi: np.ndarray) -> np.ndarray:
        """Into the coordinates of the sampler."""
        return np.linalg.solve(self.root, psi - self.center)

    def outside(self, q: np.ndarray) -> np.ndarray:
        """Back into those of the density."""
        return self.center + self.root @ q

    def at(self, q: np.ndarray, p: np.ndarray) -> State:
        """A state, with the density there."""
        lp, gradient = self.density(self.outside(q))
        return State(q, p, lp, self.root.T @ gradient)

    def leap(self, state: State, step: float) -> State:
        """One leapfrog step."""
        p = state.p + 0.5 * step * state.gradient
        there = self.at(state.q + step * p, p)
        return there._replace(p=p + 0.5 * step * there.gradient)

    def leaf(self, state: State, step: float, start: float) -> Tree:
        """A trajectory of one step; `start` is the energy at which the trajectory began."""
        there = self.leap(state, step)
        error = there.energy - start
        error = error if error == error else math.inf
        accepted, wrong = math.exp(min(0.0, -error)), error > WRONG
        return Tree(there, there, there, -error, there.p, accepted, 1, not wrong, wrong)

    def grown(self, state: State, step: float, depth: int, start: float) -> Tree:
        """A trajectory of 2^depth steps, or less if it turns back."""
        if depth == 0:
            return self.leaf(state, step, start)
        near = self.grown(state, step, depth - 1, start)
        if not near.going:
            return near
        far = self.grown(near.right if step > 0 else near.left, step, depth - 1, start)
        return self.joined(near, far, step, float(np.logaddexp(near.weight, far.weight)))

    def joined(self, old: Tree, new: Tree, step: float, against: float) -> Tree:
        """Two trajectories as one; the draw is the new one's with odds of weights."""
        going = new.going
        first, second = (old, new) if step > 0 else (new, old)
        momentum = old.momentum + new.momentum
        if going:
            going = (
                _onward(momentum, first.left.p, second.right.p)
                and _onward(first.momentum + second.left.p, first.left.p, second.left.p)
                and _onward(second.momentum + first.right.p, first.right.p, second.right.p)
            )
        change = new.going and math.log(self.rng.random() + 1e-300) < new.weight - against
        return Tree(
            first.left,
            second.right,
            new.draw if change else old.draw,
            float(np.logaddexp(old.weight, new.weight)),
            momentum,
            old.accepted + new.accepted,
            old.steps + new.steps,
            going,
            old.diverging or new.diverging,
        )

    def transition(self, state: State) -> tuple[Tree, int]:
        """The trajectory whose draw is the next state, and how often it was doubled."""
        begin = state._replace(p=self.rng.standard_normal(len(state.q)))
        tree = Tree(begin, begin, begin, 0.0, begin.p, 0.0, 0, True, False)
        start, depth = begin.energy, 0
        while tree.going and depth < DEEPEST:
            forward = self.rng.random() < 0.5
            step = self.step if forward else -self.step
            new = self.grown(tree.right if forward else tree.left, step, depth, start)
            tree = self.joined(tree, new, step, tree.weight)
            depth += 1
        return tree, depth


def _onward(momentum: np.ndarray, left: np.ndarray, right: np.ndarray) -> bool:
    return float(momentum @ left) > 0.0 and float(momentum @ right) > 0.0


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
    density: Density,
    start: np.ndarray,
    guess: np.ndarray,
    warm_up: int,
    draws: int,
    rng: np.random.Generator,
    fold: Callable[[np.ndarray], np.ndarray] = lambda draws: draws,
) -> Chain:
    """A chain from `start`; `guess` is a covariance such as that of the posterior.

    `fold` brings draws to one of several places that are the same, before they are compared.

    >>> normal = lambda x: (-0.5 * float(x @ x), -x)
    >>> chain = sample(normal, np.zeros(2), np.eye(2), 100, 400, np.random.default_rng(1))
    >>> bool(abs(chain.draws.var() - 1.0) < 0.3)
    True
    """
    walk = Walk(density, np.linalg.cholesky(guess), rng)
    state = walk.at(walk.inside(start), np.zeros(len(start)))
    tuning, learned = Tuning(0.5), []
    walk.step = 0.5
    first = int(FIRST * warm_up)
    for n in range(warm_up):
        tree, _ = walk.transition(state)
        state = tree.draw
        walk.step = tuning.learn(tree.accepted / max(1, tree.steps))
        learned.append(walk.outside(state.q))
        if n == first or (n > first and n == int(0.65 * warm_up)):
            psi = walk.outside(state.q)
            some = fold(np.array(learned[len(learned) // 3 :]))
            walk.root = np.linalg.cholesky(_covariance(some, guess))
            state = walk.at(walk.inside(psi), np.zeros(len(psi)))
            tuning = Tuning(math.exp(tuning.mean))
            walk.step = math.exp(tuning.mean)
    walk.step = math.exp(tuning.mean)
    rows, found = [], []
    for _ in range(draws):
        tree, depth = walk.transition(state)
        state = tree.draw
        found.append(walk.outside(state.q))
        rate = tree.accepted / max(1, tree.steps)
        rows.append((state.lp, rate, tree.steps, depth, tree.diverging, state.energy, walk.step))
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    return Chain(np.array(found), *columns)


def _covariance(draws: np.ndarray, guess: np.ndarray) -> np.ndarray:
    """That of the draws, drawn toward the guess as if that were worth 5 draws per number."""
    count, worth = len(draws), 5.0 * draws.shape[1]
    found = np.atleast_2d(np.cov(draws.T))
    return (count * found + worth * guess) / (count + worth)
