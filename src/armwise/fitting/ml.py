"""Maximum likelihood: every person alone, from several starts, without a prior."""

from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.fitting.answer import (
    TWO_SIDED,
    Answer,
    named,
    needs_a_group,
    normal_draws,
    normal_interval,
    people_words,
)
from armwise.fitting.newton import Prior, Summit, climb
from armwise.fitting.parameters import NINE_IN_TEN, shown
from armwise.fitting.problem import Problem, spread_points

if TYPE_CHECKING:
    import xarray

STARTS = 6
SCREENED = 8  # points that are looked at for one start
SCREEN = 2.0  # widths around the center where starts are looked for
FAR = 6.0  # widths from the center at which an estimate is said to have run away
STRAYED = 2.0  # widths from where an estimate that nothing holds is said to have run away
FLAT = 1e-3  # curvature below which an estimate is not held by the choices


class MaximumLikelihood(Answer):
    """The most likely values of every person, with standard errors from the curvature."""

    words = "maximum likelihood, each person alone"

    def __init__(self, problem: Problem) -> None:
        top, (low, high) = summits(problem), box_of(problem)
        self.free, self.x, self.likelihood = problem.free, top.x, top.likelihood
        near = 0.02 * (high - low)
        self.far = (top.x <= low + near) | (top.x >= high - near)
        away = np.abs(top.x - self.free.center) > STRAYED * self.free.width
        usable = (np.linalg.eigvalsh(np.nan_to_num(top.curvature))[:, 0] >= FLAT) & top.settled
        self.far |= ~usable[:, None] & away  # it was on its way when the likelihood became flat
        self.flat = ~usable & ~self.far.any(axis=1)
        self.covariance = np.full_like(top.curvature, np.nan)
        self.covariance[usable] = np.linalg.inv(top.curvature[usable])
        self.held = usable & ~self.far.any(axis=1)

    def people(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Normal draws around the estimates; the estimate itself where nothing holds it."""
        spread = np.where(self.held[:, None, None], np.nan_to_num(self.covariance), 0.0)
        return normal_draws(self.x, spread, count, rng)

    def group(self, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """The mean and the covariance of the estimates that did not run away, in every draw."""
        mean, covariance = self._moments()
        root = np.linalg.cholesky(covariance + 1e-9 * np.eye(len(mean)))
        return np.tile(mean, (count, 1)), np.tile(root, (count, 1, 1))

    def _moments(self) -> tuple[np.ndarray, np.ndarray]:
        some = self.x[self.held] if self.held.sum() > len(self.free) else self.x
        if len(some) == 1:
            return some[0], np.zeros((len(self.free),) * 2)
        return some.mean(axis=0), np.atleast_2d(np.cov(some.T))

    def intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """Normal intervals on the real line, which is where the likelihood is most normal."""
        with np.errstate(invalid="ignore"):
            away = TWO_SIDED * np.sqrt(np.einsum("pdd->pd", self.covariance))
        away = np.where(self.far, np.nan, away)
        return self.x - away, self.x + away

    def combined(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """By the covariance of the estimates; NaN for the interval where one ran away."""
        covariance = np.where(self.held[:, None, None], self.covariance, np.nan)
        return normal_interval(self.x, covariance, weights)

    def covariances(self) -> np.ndarray:
        """Those of the estimates that did not run away."""
        return self.covariance[self.held]

    def log_evidence(self) -> np.ndarray:
        """Refused: there is no distribution to average over."""
        raise needs_a_group("The evidence", "ml")

    def elpd(self) -> np.ndarray:
        """Refused: nothing is said about a person who was left out."""
        raise needs_a_group("Leaving out a person", "ml")

    def flags(self) -> list[list[str]]:
        """Estimates that ran to a boundary, and estimates that nothing holds."""
        names = np.array(self.free.names)
        flags = [[f"{name} runs to a boundary" for name in names[far]] for far in self.far]
        for some, flat in zip(flags, self.flat, strict=True):
            some += ["not identified"] * bool(flat)
        return flags

    def notes(self, subjects: tuple[str, ...]) -> list[str]:
        """Who ran to a boundary, by parameter, and whose estimates nothing holds."""
        found = []
        for d, name in enumerate(self.free.names):
            who = [subject for subject, far in zip(subjects, self.far[:, d], strict=True) if far]
            if who:
                found.append(
                    f"The choices of {people_words(len(who))} set no limit to {name}: the estimate "
                    f"runs to a boundary ({named(who)}). A hierarchical fit holds it."
                )
        who = [subject for subject, flat in zip(subjects, self.flat, strict=True) if flat]
        if who:
            found.append(
                f"The likelihood of {people_words(len(who))} has no clear top, so there are no "
                f"standard errors ({named(who)})."
            )
        return found

    def group_lines(self) -> list[list[str]]:
        """The median of the estimates, and where nine in ten are if they are normal."""
        mean, covariance = self._moments()
        away = NINE_IN_TEN * np.sqrt(np.diag(covariance))
        middle, ends = np.median(self.x, axis=0), np.stack([mean - away, mean + away])
        natural, (low, high) = self.free.natural(middle), self.free.natural(ends)
        lines = [["parameter", "median of people", "nine in ten people", "ran away"]]
        for d, name in enumerate(self.free.names):
            span = f"{shown(low[d])} to {shown(high[d])}"
            lines.append([name, shown(natural[d]), span, str(int(self.far[:, d].sum()))])
        return lines

    def groups_of_tree(self, subjects: tuple[str, ...]) -> dict[str, Any]:
        """The estimates and their standard errors on the real line."""
        return {"estimate": estimate_of(self, subjects, self.covariance)}


def box_of(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """Where estimates are looked for: far beyond where people are."""
    center, away = problem.free.center, FAR * problem.free.width
    return center - away, center + away


def summits(problem: Problem, starts: int = STARTS) -> Summit:
    """The highest of several climbs for every person."""
    free, people = problem.free, problem.people
    d, everybody = len(free), np.arange(people)
    cube = spread_points(starts * SCREENED, d)
    screen = free.center + SCREEN * free.width * (2.0 * cube - 1.0)
    found = problem(np.broadcast_to(screen, (people, *screen.shape)))
    groups = found.reshape(people, SCREENED, starts).argmax(axis=1) * starts + np.arange(starts)
    rows = np.repeat(everybody, starts)
    nothing = Prior(np.zeros((len(rows), d)), np.zeros((d, d)))
    top = climb(
        lambda x, some: problem(x, rows[some]),
        screen[groups].reshape(-1, d),
        nothing,
        box_of(problem),
        together=starts,
    )
    best = top.height.reshape(people, starts).argmax(axis=1) + everybody * starts
    return Summit(*(each[best] for each in top))


def estimate_of(
    answer: Answer, subjects: tuple[str, ...], covariance: np.ndarray
) -> "xarray.Dataset":
    """Point estimates on the parameters' scales, with covariances on the real line."""
    import xarray

    names = answer.free.names
    values = answer.free.natural(answer.x)
    data: dict[str, Any] = {name: ("subject", values[:, d]) for d, name in enumerate(names)}
    data["covariance"] = (("subject", "parameter", "parameter_too"), covariance)
    axes = {"subject": list(subjects), "parameter": list(names), "parameter_too": list(names)}
    return xarray.Dataset(data, axes)
