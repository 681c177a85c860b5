"""Gather the points of everybody: begin with what is kept, add rounds where they are needed.

A pilot chain shows which groups are probable, down to those in which people are all alike. Whoever
has few points that count under them gets more, made for exactly these groups.
"""

from typing import NamedTuple

import numpy as np

from armwise.fitting.design import Design
from armwise.fitting.eb import Group, Laplace, climbed, laplace_em, screened
from armwise.fitting.group import Density
from armwise.fitting.kept import Kept
from armwise.fitting.newton import ENOUGH as ENOUGH_GAIN
from armwise.fitting.newton import Prior
from armwise.fitting.points import Mixture, Round
from armwise.fitting.problem import Problem
from armwise.fitting.rounds import (
    Cloud,
    Shape,
    cloud_of,
    ladder,
    of_people,
    probable_groups,
    refined,
    shape_of,
    star_of,
    together,
)
from armwise.fitting.sampling import Peak, begun, moved, peak_of
from armwise.fitting.standin import GROUPS, stand_in

FIRST, SECOND, THIRD = 256, 384, 896  # points of everybody, round by round
MORE, FURTHER = 1024, 6  # points of a further round for some, and how many of these there may be
ENOUGH = 60.0  # effective points that a person needs under nearly every group
NEARLY = 0.02  # the share of groups under which there may be fewer
HIGHER = 0.1  # log-density by which another summit must be higher to count
BRIEFLY = 4  # rounds of Laplace's method before the first points
NARROW = 0.25  # of the prior's scale: the sd that a group has at least when climbing again
PILOT, PILOTS = 120, 3  # draws of the pilot chain, and how many times it may begin
OFTEN = 0.6  # the share of accepted trajectories with which a pilot is content
EVEN, HARD = 12, 8  # groups that a round serves: evenly from the pilot, and the hardest


class Gathered(NamedTuple):
    """Points enough of everybody, what the pilot says of the group, and who has few points."""

    density: Density
    peak: Peak
    groups: np.ndarray  # draws of the pilot
    few: list[int]


def gathered(problem: Problem, design: Design, kept: Kept, seed: int) -> Gathered:
    """The points of everybody."""
    words = [str(each) for each in problem.free], [each.spread for each in problem.free]
    rounds = kept.begun_with(*words, design.names, design.columns, seed)
    new = np.array([i for i, own in enumerate(rounds) if not own], dtype=np.int64)
    shape, group = _begun(problem, design, kept, rounds)
    known = Gathering(problem, design, kept, rounds, shape, seed)
    if len(new):
        means = group.means(design)[new]
        known.add(ladder(of_people(shape, new), means, group.covariance, FIRST), new)
    peak = peak_of(known.density, known.density.layout.pack(group))
    if len(new):
        groups = star_of(peak.mode, peak.covariance, known.density.layout)
        known.add_for(groups, new, SECOND)
    psi, peak = _pilot(known.density, peak_of(known.density, peak.mode), seed)
    if len(new):
        known.climb_again(psi, known.few(psi, new))
        known.add_for(psi, new, THIRD)
    few = known.few(psi, np.arange(problem.people))
    for _ in range(FURTHER):
        if not len(few):
            break
        known.climb_again(psi, few)
        known.add_for(psi, few, MORE)
        few = known.few(psi, few)
    return Gathered(known.density, peak, psi, few.tolist())


class Gathering:
    """The rounds of everybody so far, the shapes of their likelihoods, and the group's density."""

    def __init__(
        self,
        problem: Problem,
        design: Design,
        kept: Kept,
        rounds: list[list[Round]],
        shape: Shape,
        seed: int,
    ) -> None:
        self.problem, self.design, self.kept = problem, design, kept
        self.rounds, self.shape, self.seed, self.number = rounds, shape, seed, 0
        self.clouds: dict[int, Cloud] = {}
        self._assemble(np.array([i for i, own in enumerate(rounds) if own], dtype=np.int64))

    def _assemble(self, changed: np.ndarray) -> None:
        """The density, after the rounds or shapes of some people have changed."""
        for i in changed.tolist():
            self.clouds[i] = cloud_of(self.rounds[i], self.shape, i)
        if len(self.clouds) == self.problem.people:
            self.density = self._density_of(np.arange(self.problem.people))

    def _density_of(self, people: np.ndarray) -> Density:
        clouds = [self.clouds[i] for i in people.tolist()]
        design = self.design._replace(columns=self.design.columns[people])
        points = together(clouds, of_people(self.shape, people))
        return Density(points, self.problem.free, design)

    def few(self, psi: np.ndarray, people: np.ndarray) -> np.ndarray:
        """Which of these people have too few points that count under some of these groups."""
        effective = self._effective(psi, people)
        return people[np.quantile(effective, NEARLY, axis=0) < ENOUGH]

    def _effective(self, psi: np.ndarray, people: np.ndarray) -> np.ndarray:
        """The number of points of some people that count under every group, [group, person]."""
        density, found = self._density_of(people), []
        for each in psi:
            density.integrate(each)
            found.append(density.effective.copy())
        return np.array(found).reshape(len(psi), len(people))

    def add(self, mixtures: list[Mixture], people: np.ndarray) -> None:
        """Another round of some people."""
        found = self.kept.computed(mixtures, people, [self.seed, self.number])
        for i, each in zip(people, found, strict=True):
            self.rounds[i].append(each)
        self.number += 1
        self._assemble(people)

    def add_for(self, psi: np.ndarray, people: np.ndarray, count: int) -> None:
        """Another round of some people, for groups such as these and the hardest of them."""
        hardest = np.argsort(self._effective(psi, people).min(axis=1), kind="stable")
        even = np.linspace(0, len(psi) - 1, EVEN).astype(np.int64)
        served = psi[np.unique(np.concatenate([even, hardest[:HARD]]))]
        some = of_people(self.shape, people)
        self.add(refined(self._density_of(people), some, served, count), people)

    def climb_again(self, psi: np.ndarray, people: np.ndarray) -> None:
        """Where a point of theirs lies higher than their summit does, find the summit above it."""
        if not len(people):
            return
        middle = psi.mean(axis=0)
        sds = self.density.layout.split(middle)[2]
        np.maximum(sds, NARROW * self.density.spreads, out=sds)
        means, root = self.density.means(middle)[people], self.density.layout.spread(middle)
        covariance = root @ root.T
        near = Prior(means, np.linalg.inv(covariance))
        x = np.array([highest(self.rounds[i], near, row) for row, i in enumerate(people.tolist())])
        top, inside = climbed(self.problem, means, covariance, x, ENOUGH_GAIN, people)
        now = self.shape.x[people][:, None]
        height = self.problem(now, people) + near.value(now, np.arange(len(people)))
        better = top.height > height[:, 0] + HIGHER
        fresh = of_people(Shape(top.x, top.gradient, top.curvature, inside), better)
        for old, new in zip(self.shape, fresh, strict=True):
            old[people[better]] = new
        self.kept.keep_shapes(fresh, people[better])
        self._assemble(people[better])


def highest(own: list[Round], near: Prior, row: int) -> np.ndarray:
    """The point of a person's rounds with the highest likelihood and prior."""
    x = np.concatenate([each.x for each in own])
    likelihood = np.concatenate([each.likelihood for each in own])
    return x[(likelihood + near.value(x[None], np.array([row]))[0]).argmax()]


def _begun(
    problem: Problem, design: Design, kept: Kept, rounds: list[list[Round]]
) -> tuple[Shape, Group]:
    """The shape of everybody's likelihood, and a first guess of the group."""
    everybody = np.arange(problem.people)
    old = np.array([i for i, own in enumerate(rounds) if own], dtype=np.int64)
    shape = kept.shapes(old) if len(old) else None
    if shape is None:
        rounds[:] = [[] for _ in everybody]
        found = laplace_em(problem, design, BRIEFLY)
        kept.keep_shapes(shape_of(found), everybody)
        return shape_of(found), found.group
    spread = shape.covariance.mean(axis=0) + np.atleast_2d(np.cov(shape.x.T, bias=True))
    effects = np.zeros((len(problem.free), len(design.names)))
    group = Group(shape.x.mean(axis=0), effects, spread)
    new = np.setdiff1d(everybody, old)
    if not len(new):
        return shape, group
    top, covariance = climbed(
        problem, group.means(design)[new], spread, screened(problem, new), ENOUGH_GAIN, new
    )
    fresh = shape_of(Laplace(group, top, covariance, 1))
    kept.keep_shapes(fresh, new)
    order = np.argsort(np.concatenate([old, new]))
    return Shape(*(np.concatenate(pair)[order] for pair in zip(shape, fresh, strict=True))), group


def _pilot(density: Density, peak: Peak, seed: int) -> tuple[np.ndarray, Peak]:
    """Draws of one short chain, and a peak with their covariance.

    If it seldom moved, its stand-in was wrong where it stayed; so the next one learns from there.
    """
    groups = probable_groups(peak.mode, peak.covariance, GROUPS)
    for attempt in range(PILOTS):
        rng = np.random.default_rng([seed, 2, attempt])
        walk = begun(stand_in(density, groups), peak, density.layout, rng)
        psi, lp, often = np.empty((PILOT, len(peak.mode))), density.value_of(walk.place), 0
        for row in psi:
            _, new, taken = moved(walk, density, lp)
            row[:], lp = walk.place, new if taken else lp
            often += taken
        psi = density.layout.upright(psi)
        if often >= OFTEN * PILOT:
            break
        groups = np.concatenate([psi, groups])
    mixed = 0.5 * (np.atleast_2d(np.cov(psi.T)) + peak.covariance)
    return psi, Peak(peak.mode, mixed)
