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
from armwise.fitting.points import Round
from armwise.fitting.problem import Problem
from armwise.fitting.rounds import (
    Shape,
    assembled,
    ladder,
    later,
    probable_groups,
    shape_of,
    star_of,
)
from armwise.fitting.sampling import Peak, begun, peak_of
from armwise.fitting.standin import GROUPS, stand_in

FIRST, SECOND, THIRD = 512, 512, 1024  # points of everybody, round by round
MORE, FURTHER = 1024, 2  # points of a further round for some, and how many of these there may be
ENOUGH = 60.0  # effective points that a person needs under nearly every group
NEARLY = 0.02  # the share of groups under which there may be fewer
PILOT = 120  # draws of the pilot chain
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
    shape, group = _begun(problem, design, kept, rounds)
    new = np.array([i for i, own in enumerate(rounds) if not own], dtype=np.int64)

    def add(number: int, mixtures: list, people: np.ndarray) -> None:
        found = kept.computed(mixtures, people, [seed, number])
        for i, each in zip(people, found, strict=True):
            rounds[i].append(each)

    def density() -> Density:
        return Density(assembled(rounds, shape), problem.free, design)

    if len(new):
        some = Shape(*(each[new] for each in shape))
        add(0, ladder(some, group.means(design)[new], group.covariance, FIRST), new)
    known = density()
    peak = peak_of(known, known.layout.pack(group))
    if len(new):
        groups = star_of(peak.mode, peak.covariance, known.layout)
        add(1, later(known, shape, groups, new, SECOND), new)
        known = density()
    psi, peak = _pilot(known, peak_of(known, peak.mode), seed)
    if len(new):
        add(2, later(known, shape, _served(known, psi, new), new, THIRD), new)
        known = density()
    few = few_points(known, psi)
    for number in range(3, 3 + FURTHER):
        if not len(few):
            break
        add(number, later(known, shape, _served(known, psi, few), few, MORE), few)
        known = density()
        few = few_points(known, psi)
    return Gathered(known, peak, psi, few.tolist())


def _begun(
    problem: Problem, design: Design, kept: Kept, rounds: list[list[Round]]
) -> tuple[Shape, Group]:
    """The shape of everybody's likelihood, and a first guess of the group."""
    everybody = np.arange(problem.people)
    old = np.array([i for i, own in enumerate(rounds) if own], dtype=np.int64)
    shape = kept.shapes(old) if len(old) else None
    if shape is None:
        rounds[:] = [[] for _ in everybody]
        found = laplace_em(problem, design)
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
    """Draws of one short chain, and a peak with their covariance."""
    groups = probable_groups(peak.mode, peak.covariance, GROUPS)
    walk = begun(stand_in(density, groups), peak, density.layout, np.random.default_rng([seed, 2]))
    psi = np.empty((PILOT, len(peak.mode)))
    for row in psi:
        walk.move()
        row[:] = walk.place
    psi = density.layout.upright(psi)
    mixed = 0.5 * (np.atleast_2d(np.cov(psi.T)) + peak.covariance)
    return psi, Peak(peak.mode, mixed)


def _effective(density: Density, psi: np.ndarray) -> np.ndarray:
    """The number of points that count under every group, [group, person]."""
    found = []
    for each in psi:
        density.integrate(each)
        found.append(density.effective.copy())
    return np.array(found)


def _served(density: Density, psi: np.ndarray, people: np.ndarray) -> np.ndarray:
    """Groups for the next round of some people: a few of the pilot's, and the hardest for them."""
    hardest = np.argsort(_effective(density, psi)[:, people].min(axis=1), kind="stable")
    even = np.linspace(0, len(psi) - 1, EVEN).astype(np.int64)
    return psi[np.unique(np.concatenate([even, hardest[:HARD]]))]


def few_points(density: Density, psi: np.ndarray) -> np.ndarray:
    """Who has too few points that count under some of these groups."""
    return np.flatnonzero(np.quantile(_effective(density, psi), NEARLY, axis=0) < ENOUGH)
