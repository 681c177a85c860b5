"""One person only: there is no group, and the priors are this person's own."""

from typing import Any

import numpy as np

from armwise.errors import InputError
from armwise.fitting.answer import CHANCES, Answer
from armwise.fitting.design import Design
from armwise.fitting.eb import Group, Laplace, climbed, screened
from armwise.fitting.identify import combinations
from armwise.fitting.newton import ENOUGH
from armwise.fitting.parameters import shown
from armwise.fitting.points import Round, weighted
from armwise.fitting.problem import Problem
from armwise.fitting.rounds import ladder, shape_of

POINTS = 8192


class Alone(Answer):
    """Draws of one person's values: weighted points, picked by their weights."""

    words = "Bayes' rule: one person, so the priors stand in for a group"

    def __init__(self, problem: Problem, *, draws: int, chains: int, seed: int) -> None:
        self.problem, self.free, self.size = problem, problem.free, (chains, draws)
        free = problem.free
        group = Group(free.center, np.zeros((len(free), 0)), np.diag(free.width**2))
        means = group.means(Design((), np.zeros((1, 0))))
        top, covariance = climbed(problem, means, group.covariance, screened(problem), ENOUGH)
        shape = shape_of(Laplace(group, top, covariance, 1))
        [mixture] = ladder(shape, means, group.covariance, POINTS)
        x = mixture.points([seed, 0])
        found = Round(mixture, x, problem(x[None])[0])
        log_weights = weighted([found])[1] + np.array([self._log_prior(row) for row in x])
        self.evidence = float(np.logaddexp.reduce(log_weights) - np.log(POINTS))
        weights = np.exp(log_weights - log_weights.max())
        weights /= weights.sum()
        self.effective = 1.0 / float((weights**2).sum())
        rng = np.random.default_rng([seed, 1])
        shares = (np.arange(chains * draws) + rng.random()) / (chains * draws)
        picked = np.minimum(np.searchsorted(np.cumsum(weights), shares), POINTS - 1)
        self.flat = x[rng.permutation(picked)][:, None]
        self.x = (weights @ x)[None]
        away = x - self.x
        self.covariance = (away.T * weights @ away)[None]

    def _log_prior(self, x: np.ndarray) -> float:
        return sum(
            each.log_prior(float(value))[0] for each, value in zip(self.free, x, strict=True)
        )

    def people(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Draws of the person."""
        return self.flat[rng.integers(len(self.flat), size=count)]

    def group(self, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """The priors, as normals on the real line."""
        size = len(self.free)
        return np.tile(self.free.center, (count, 1)), np.tile(
            np.diag(self.free.width), (count, 1, 1)
        ).reshape(count, size, size)

    def intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """Quantiles of the draws."""
        low, high = np.quantile(self.flat, CHANCES, axis=0)
        return low, high

    def combined(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mean and quantiles of the draws of a weighted sum."""
        low, high = np.quantile(self.flat @ weights, CHANCES, axis=0)
        return self.x @ weights, low, high

    def covariances(self) -> np.ndarray:
        """That of the person's posterior."""
        return self.covariance

    def log_evidence(self) -> np.ndarray:
        """The log of the mean probability of the choices over the priors."""
        return np.array([self.evidence])

    def elpd(self) -> np.ndarray:
        """Refused: without this person there is nobody."""
        raise InputError("Leaving out a person needs at least two people.")

    def flags(self) -> list[list[str]]:
        """Nothing is compared, so nothing stands out."""
        return [[]]

    def notes(self, subjects: tuple[str, ...]) -> list[str]:
        """That there is no group, and on how many points the answer rests."""
        priors = ", ".join(map(str, self.free))
        return [
            f"There is one person ({subjects[0]}) and no group: the values are drawn toward the "
            f"priors ({priors}).",
            f"{self.effective:.0f} of {POINTS} points count.",
        ]

    def group_lines(self) -> list[list[str]]:
        """The person's values with intervals."""
        low, high = (self.free.natural(end)[0] for end in self.intervals())
        middle = self.free.natural(self.x)[0]
        lines = [["parameter", "value", "94 % interval"]]
        for name, value, left, right in zip(self.free.names, middle, low, high, strict=True):
            ends = f"{shown(min(left, right))} to {shown(max(left, right))}"
            lines.append([name, shown(value), ends])
        return lines

    def groups_of_tree(self, subjects: tuple[str, ...]) -> dict[str, Any]:
        """The posterior."""
        import xarray

        x = self.flat.reshape(*self.size, 1, -1)
        values, dims = self.free.natural(x), ("chain", "draw", "subject")
        data: dict[str, Any] = {n: (dims, values[..., d]) for d, n in enumerate(self.free.names)}
        for each in combinations(self.problem.agent, self.free.names):
            data[each.name] = (dims, np.exp(x @ each.weights + each.offset))
        chains, draws = self.size
        axes = {"chain": np.arange(chains), "draw": np.arange(draws), "subject": list(subjects)}
        return {"posterior": xarray.Dataset(data, axes)}
