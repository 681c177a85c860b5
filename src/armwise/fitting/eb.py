"""Empirical Bayes: a hierarchical point estimate by expectation maximisation with Laplace's method.

Given the group, every person has a mode and a curvature there, as if the posterior were normal.
Given these, the group's mean, effects and covariance are those of the people, with what is unknown
of each person added. The two alternate until the group stands still.
"""

from typing import Any, NamedTuple

import numpy as np

from armwise.errors import InputError
from armwise.fitting.answer import Answer, named, normal_draws, normal_interval, people_words
from armwise.fitting.design import Design
from armwise.fitting.ml import SCREEN, SCREENED, STARTS, box_of, estimate_of
from armwise.fitting.newton import ENOUGH, Prior, Summit, climb
from armwise.fitting.parameters import NINE_IN_TEN, Free, shown
from armwise.fitting.problem import Problem, spread_points

ROUNDS = 200
STILL = 2e-3  # of the people's standard deviations: when the group stands still
NEARLY = 1e-4  # gain that ends a climb while the group still moves
PRIOR_PEOPLE = 1.0  # how many people the prior of the covariance counts
PRIOR_SD = 0.5  # the standard deviation that these people have, in units of the spread
LITTLE = 0.2  # reliability below which an estimate is rather the group's than the person's


class Group(NamedTuple):
    """The distribution that people come from, on the real line."""

    mean: np.ndarray  # [parameter]
    effects: np.ndarray  # [parameter, effect]
    covariance: np.ndarray  # [parameter, parameter]

    def means(self, design: Design) -> np.ndarray:
        """The mean of every person, [person, parameter]."""
        return self.mean + design.columns @ self.effects.T


class Laplace(NamedTuple):
    """A group, and every person's posterior given the group as if it were normal."""

    group: Group
    top: Summit
    covariance: np.ndarray  # [person, parameter, parameter]
    rounds: int


def laplace_em(problem: Problem, design: Design, rounds: int = ROUNDS) -> Laplace:
    """The group at which the Laplace approximation of the evidence is largest, nearly."""
    free = problem.free
    group = Group(free.center, np.zeros((len(free), len(design.names))), np.diag(free.width**2))
    x, done = screened(problem), 0
    while done < rounds:
        done += 1
        top, covariance = climbed(problem, group.means(design), group.covariance, x, NEARLY)
        x, before = top.x, group
        group = group_of(free, design, x, covariance)
        sd = np.sqrt(np.diag(before.covariance))
        moved = max(
            np.abs((group.mean - before.mean) / sd).max(),
            np.abs(np.log(np.diag(group.covariance)) / 2 - np.log(sd)).max(),
        )
        if moved < STILL:
            break
    top, covariance = climbed(problem, group.means(design), group.covariance, x, ENOUGH)
    return Laplace(group, top, covariance, done)


def screened(problem: Problem, people: np.ndarray | None = None) -> np.ndarray:
    """For every person, or some, the best of some points where people are, with the prior."""
    free = problem.free
    away = SCREEN * (2.0 * spread_points(STARTS * SCREENED, len(free)) - 1.0)
    points = free.center + away * free.width
    count = problem.people if people is None else len(people)
    found = problem(np.broadcast_to(points, (count, *points.shape)), people)
    return points[(found - 0.5 * (away**2).sum(axis=1)).argmax(axis=1)]


def climbed(
    problem: Problem,
    means: np.ndarray,
    covariance: np.ndarray,
    x: np.ndarray,
    enough: float,
    people: np.ndarray | None = None,
) -> tuple[Summit, np.ndarray]:
    """Modes given a group, from `x`, and covariances from the curvature there."""
    precision = np.linalg.inv(covariance)
    who = np.arange(problem.people) if people is None else people
    top = climb(
        lambda points, rows: problem(points, who[rows]),
        x,
        Prior(means, precision),
        box_of(problem),
        enough=enough,
    )
    return top, covariance_of(top.curvature, precision)


def covariance_of(curvature: np.ndarray, precision: np.ndarray) -> np.ndarray:
    """The covariance of a posterior with this curvature of the likelihood and this prior.

    Where the likelihood bends upwards, it is taken to be flat.
    """
    root = np.linalg.cholesky(precision)
    back = np.linalg.inv(root)
    relative = np.nan_to_num(back @ curvature @ back.T, posinf=0.0, neginf=0.0)
    widths, axes = np.linalg.eigh((relative + np.swapaxes(relative, 1, 2)) / 2)
    inner = np.einsum("pab,pb,pcb->pac", axes, 1.0 / (1.0 + np.maximum(widths, 0.0)), axes)
    return back.T @ inner @ back


def group_of(free: Free, design: Design, x: np.ndarray, covariance: np.ndarray) -> Group:
    """The group that people of these means and covariances speak for, with a weak prior."""
    rows = np.column_stack([np.ones(len(x)), design.columns])
    ridge = np.diag([1e-6] + [1e-2] * design.columns.shape[1])
    found = np.linalg.solve(rows.T @ rows + ridge, rows.T @ x)
    weight = 1.0 / (1.0 + covariance.mean(axis=0).diagonal() / (len(x) * free.width**2))
    mean = free.center + weight * (found[0] - free.center)
    away = x - rows @ np.vstack([mean, found[1:]])
    spread = np.array([each.spread for each in free])
    total = away.T @ away + covariance.sum(axis=0)
    total += PRIOR_PEOPLE * np.diag((PRIOR_SD * spread) ** 2)
    return Group(mean, found[1:].T, total / (len(x) + PRIOR_PEOPLE))


class EmpiricalBayes(Answer):
    """The group as a point, and people given this group."""

    words = "empirical Bayes: the group as a point estimate"

    def __init__(self, problem: Problem, design: Design) -> None:
        found = laplace_em(problem, design)
        self.free, self.design, self.found = problem.free, design, found
        self.x = found.top.x
        sd = np.sqrt(np.diag(found.group.covariance))
        self.reliability = 1.0 - np.einsum("pdd->pd", found.covariance) / sd**2

    def people(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Normal draws around the modes."""
        return normal_draws(self.x, self.found.covariance, count, rng)

    def group(self, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """The group in every draw, for people like those in the data."""
        means = self.found.group.means(self.design)
        root = np.linalg.cholesky(self.found.group.covariance)
        return means[rng.integers(len(means), size=count)], np.tile(root, (count, 1, 1))

    def intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """Normal intervals given the group, which are a little too short: the group is no point."""
        ends = [self.combined(axis)[1:] for axis in np.eye(len(self.free))]
        low, high = np.moveaxis(np.array(ends), 0, -1)
        return low, high

    def combined(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """By the covariances given the group."""
        return normal_interval(self.x, self.found.covariance, weights)

    def covariances(self) -> np.ndarray:
        """Those given the group."""
        return self.found.covariance

    def log_evidence(self) -> np.ndarray:
        """Laplace's approximation of the log-probability given the group."""
        group = self.found.group
        away = self.x - group.means(self.design)
        precision = np.linalg.inv(group.covariance)
        near = self.found.top.likelihood - 0.5 * np.einsum("pa,ab,pb->p", away, precision, away)
        inside = np.linalg.slogdet(self.found.covariance)[1]
        return near + 0.5 * (inside - np.linalg.slogdet(group.covariance)[1])

    def elpd(self) -> np.ndarray:
        """Refused: a group that is a point has seen every person."""
        raise InputError("Leaving out a person needs a posterior: fit with method='bayes'.")

    def flags(self) -> list[list[str]]:
        """Who is rather like the group than known."""
        return [
            [f"the group's (reliability {most:.2f})"] * bool(most < LITTLE)
            for most in self.reliability.max(axis=1)
        ]

    def notes(self, subjects: tuple[str, ...]) -> list[str]:
        """What the choices of one person say little about, and who is rather the group."""
        found = reliability_notes(self.free.names, self.reliability, subjects)
        if len(subjects) == 1:
            alone = f"There is one person ({subjects[0]}), who is the whole group: take "
            found.insert(0, f"{alone}method='bayes', for which the priors stand in for a group.")
        if self.found.rounds == ROUNDS:
            found.append(f"The group did not come to a stand in {ROUNDS} rounds.")
        return [*self.design.notes, *found]

    def group_lines(self) -> list[list[str]]:
        """Median, spread and reliability of every parameter."""
        group, free = self.found.group, self.free
        sd = np.sqrt(np.diag(group.covariance))
        low, high = free.natural(group.mean + NINE_IN_TEN * np.stack([-sd, sd]))
        effects = [f"effect of {name}" for name in self.design.names]
        lines = [["parameter", "median of people", "nine in ten people", "reliability", *effects]]
        for d, name in enumerate(free.names):
            span = f"{shown(min(low[d], high[d]))} to {shown(max(low[d], high[d]))}"
            middle = shown(float(free.natural(group.mean)[d]))
            reliable = f"{np.median(self.reliability[:, d]):.2f}"
            lines.append([name, middle, span, reliable, *(f"{e:.2f}" for e in group.effects[d])])
        return lines

    def groups_of_tree(self, subjects: tuple[str, ...]) -> dict[str, Any]:
        """The modes with their covariances, and the group."""
        import xarray

        names, group = list(self.free.names), self.found.group
        data: dict[str, Any] = {
            "mean": ("parameter", group.mean),
            "covariance": (("parameter", "parameter_too"), group.covariance),
            "effect": (("parameter", "effect_of"), group.effects),
        }
        axes = {"parameter": names, "parameter_too": names, "effect_of": list(self.design.names)}
        return {
            "estimate": estimate_of(self, subjects, self.found.covariance),
            "group": xarray.Dataset(data, axes),
        }


def reliability_notes(
    names: tuple[str, ...], reliability: np.ndarray, subjects: tuple[str, ...]
) -> list[str]:
    """What one person's choices say little about, and who is rather the group than known."""
    found = []
    for d, name in enumerate(names):
        typical = float(np.median(reliability[:, d]))
        if typical < LITTLE:
            found.append(
                f"The choices of one person say little about {name} (reliability {typical:.2f} of "
                "1): read the group's value, not the persons'."
            )
    low = reliability.max(axis=1) < LITTLE
    who = [subject for subject, little in zip(subjects, low, strict=True) if little]
    if who:
        found.append(
            f"The estimates of {people_words(len(who))} are rather the group's than their own "
            f"(reliability below {LITTLE}): {named(who)}."
        )
    return found
