"""Empirical Bayes with sessions: people vary around the group, and sessions around their person."""

from typing import Any, NamedTuple

import numpy as np

from armwise.fitting.answer import TWO_SIDED, normal_draws
from armwise.fitting.design import Design
from armwise.fitting.eb import (
    NEARLY,
    PRIOR_PEOPLE,
    PRIOR_SD,
    ROUNDS,
    STILL,
    EmpiricalBayes,
    Group,
    Laplace,
    group_of,
    screened,
)
from armwise.fitting.nest import Nest
from armwise.fitting.newton import ENOUGH, Summit
from armwise.fitting.problem import Problem
from armwise.fitting.tied import Tie, Tops, climbed_together, tie_of


class Known(NamedTuple):
    """What is known of people and of how their sessions differ, given a group."""

    mean: np.ndarray  # [person, parameter]
    covariance: np.ndarray  # [person, parameter, parameter]
    scatter: np.ndarray  # of sessions around their person: the sum of squares that is expected


def known_of(tie: Tie, tops: Tops) -> Known:
    """People given the normal posteriors of their sessions."""
    size = tie.means.shape[1]
    places = tie.precision.shape[1] // size
    links = np.tile(tie.between, (1, places))  # of a person with the places
    gain = links @ tie.precision  # [person, parameter, long]
    mean = tie.means + np.einsum("pab,pb->pa", gain, tie.away(tops.x))
    left = tie.between - gain @ links.T  # of the person if the sessions were known
    covariance = left + gain @ tops.covariance @ np.swapaxes(gain, 1, 2)
    scatter = np.zeros((size, size))
    own, at = tie.nest.owners, tie.nest.places
    for place in range(places):
        some = own[at == place]
        pick = np.zeros((size, places * size))
        pick[:, place * size : (place + 1) * size] = np.eye(size)
        apart = tops.x[at == place] - mean[some]
        rest = pick - gain[some]
        spread = rest @ tops.covariance[some] @ np.swapaxes(rest, 1, 2) + left[some]
        scatter += apart.T @ apart + spread.sum(axis=0)
    return Known(mean, covariance, scatter)


def nested_em(problem: Problem, nest: Nest, design: Design) -> tuple[Tie, Tops, Known, Group, int]:
    """The group at which the Laplace approximation of the evidence is largest, nearly."""
    free = problem.free
    spread = np.array([each.spread for each in free])
    group = Group(free.center, np.zeros((len(free), len(design.names))), np.diag(free.width**2))
    within = np.diag((PRIOR_SD * spread) ** 2)
    x, done = screened(problem), 0
    while True:
        done += 1
        tie = tie_of(nest, group.means(design), group.covariance, within)
        tops = climbed_together(problem, tie, x, NEARLY)
        x, known, before = tops.x, known_of(tie, tops), (group, within)
        group = group_of(free, design, known.mean, known.covariance)
        total = known.scatter + PRIOR_PEOPLE * np.diag((PRIOR_SD * spread) ** 2)
        within = total / (len(x) + PRIOR_PEOPLE)
        if done == ROUNDS or _moved((group, within), before) < STILL:
            break
    tie = tie_of(nest, group.means(design), group.covariance, within)
    tops = climbed_together(problem, tie, x, ENOUGH)
    return tie, tops, known_of(tie, tops), group, done


def _moved(now: tuple[Group, np.ndarray], before: tuple[Group, np.ndarray]) -> float:
    """How far a group moved, in standard deviations of people and in logarithms of these."""
    old = [np.sqrt(np.diag(each)) for each in (before[0].covariance, before[1])]
    new = [np.sqrt(np.diag(each)) for each in (now[0].covariance, now[1])]
    mean = np.abs((now[0].mean - before[0].mean) / old[0]).max()
    return float(max(mean, *(np.abs(np.log(n / o)).max() for n, o in zip(new, old, strict=True))))


class NestedEmpiricalBayes(EmpiricalBayes):
    """The group as a point; people, and their sessions, given this group."""

    words = "empirical Bayes: the group as a point estimate"

    def __init__(self, problem: Problem, nest: Nest, design: Design) -> None:
        self.tie, self.tops, known, group, rounds = nested_em(problem, nest, design)
        nothing = np.zeros((0,))
        top = Summit(known.mean, *([nothing] * 5))
        self.found = Laplace(group, top, known.covariance, rounds)
        self.free, self.design, self.x = problem.free, design, known.mean
        self.within, self.sessions_x = self.tie.within, self.tops.x
        variance = np.diag(group.covariance)
        self.reliability = 1.0 - np.einsum("pdd->pd", known.covariance) / variance
        self.stability = variance / (variance + np.diag(self.within))

    def sessions(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Normal draws of all sessions, [draw, session, parameter]."""
        long = self.tie.wide(self.tops.x)
        drawn = normal_draws(long, self.tops.covariance, count, rng)
        nest = self.tie.nest
        drawn = drawn.reshape(count, len(long), -1, self.x.shape[1])
        return drawn[:, nest.owners, nest.places]

    def session_intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """Normal intervals of all sessions given the group, [session, parameter]."""
        variance = np.einsum("pnn->pn", self.tops.covariance)
        nest = self.tie.nest
        variance = variance.reshape(len(self.x), -1, self.x.shape[1])[nest.owners, nest.places]
        away = TWO_SIDED * np.sqrt(variance)
        return self.tops.x - away, self.tops.x + away

    def around(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """How far sessions of new people are from their person, [session, parameter]."""
        root = np.linalg.cholesky(self.within)
        return rng.standard_normal((count, len(root))) @ root.T

    def log_evidence(self) -> np.ndarray:
        """Laplace's approximation of everybody's log-probability, all sessions together."""
        away = self.tie.away(self.tops.x)
        near = np.bincount(self.tie.nest.owners, self.tops.likelihood)
        near -= 0.5 * np.einsum("pa,pab,pb->p", away, self.tie.precision, away)
        inside = np.linalg.slogdet(self.tops.covariance)[1]
        return near + 0.5 * (inside - np.linalg.slogdet(self.tie.covariance)[1])

    def group_lines(self) -> list[list[str]]:
        """As without sessions, and which share of the differences lasts over sessions."""
        head, *lines = super().group_lines()
        head.insert(4, "stability")
        for line, share in zip(lines, self.stability, strict=True):
            line.insert(4, f"{share:.2f}")
        return [head, *lines]

    def notes(self, subjects: tuple[str, ...]) -> list[str]:
        """What stability means, and what there is to say of people."""
        return [stability_note(self.tie.nest), *super().notes(subjects)]

    def groups_of_tree(self, subjects: tuple[str, ...]) -> dict[str, Any]:
        """The modes of people and of sessions, and the group."""
        import xarray

        nest = self.tie.nest
        found = super().groups_of_tree(subjects)
        both = "parameter", "parameter_too"
        found["group"] = found["group"].assign(within=(both, self.within))
        values = self.free.natural(self.tops.x)
        data = {name: ("unit", values[:, d]) for d, name in enumerate(self.free.names)}
        axes = {"subject": ("unit", np.array(subjects)[nest.owners])}
        axes[nest.column] = ("unit", np.array(nest.labels))
        return {**found, "sessions": xarray.Dataset(data, axes)}


def stability_note(nest: Nest) -> str:
    """What the column of stability says."""
    return (
        f"{len(nest.owners):,} sessions (by {nest.column}) vary around their person. Stability is "
        "the share of the differences that is between people; the rest is between a person's "
        "sessions."
    )
