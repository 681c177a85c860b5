"""Points of sessions, and chains of the group and of people on them.

As for people without sessions: rounds of points serve the groups that a pilot finds probable, and
whoever has few points that count gets more.
"""

import math
from typing import NamedTuple

import numpy as np

from armwise.fitting.design import Design
from armwise.fitting.gather import FIRST, FURTHER, MORE, SECOND, THIRD, Gathering
from armwise.fitting.group import Layout
from armwise.fitting.kept import Kept
from armwise.fitting.leaps import Leaps
from armwise.fitting.nest import Nest
from armwise.fitting.nested_eb import nested_em
from armwise.fitting.nested_group import NestedDensity
from armwise.fitting.newton import derivatives
from armwise.fitting.problem import Problem
from armwise.fitting.rounds import Shape, ladder
from armwise.fitting.sampling import TOLD

WARM_UP, PILOT = 200, 120
APART = 1.5  # how far starts of chains are spread: standard deviations
STEP = 1e-4  # of the differences of gradients
SERVED = 16  # groups that the second round of points serves


class Start(NamedTuple):
    """What empirical Bayes knows, for the sampler to begin with."""

    psi: np.ndarray
    spread: np.ndarray  # how uncertain the group's numbers are, roughly
    own: np.ndarray  # how uncertain those of people's group are if everybody is known
    means: np.ndarray  # [session, parameter]: where a session is expected
    covariance: np.ndarray  # of sessions there
    shape: Shape


class Sampler:
    """Chains of a group and its people.

    All numbers move together while everybody's z stays near, then the group's alone while
    everybody's values stay: where people are known well, the first changes the group but slowly,
    and where they are not, the second does (interweaving; Yu and Meng 2011).
    """

    def __init__(self, density: NestedDensity, start: Start) -> None:
        self.density, self.start = density, start.psi
        self.guess, self.own = guessed(density, start.psi, start.spread), start.own

    def chain(self, draws: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draws of a chain that has warmed up, and what is told of each, by `TOLD`."""
        self.all = Leaps(np.linalg.cholesky(self.guess), rng)
        self.group = Leaps(np.diag(self.own), rng)
        away = np.clip(rng.standard_normal(len(self.start)), -APART, APART)
        self.all.begin(self.density, self.start + self.all.root @ away)
        learned = []
        for n in range(WARM_UP):
            self._move(True)
            learned.append(self.all.place)
            if n in (WARM_UP // 3, 2 * WARM_UP // 3):
                some = self.density.upright(np.array(learned[len(learned) // 3 :]))
                self.all.root = np.linalg.cholesky(_mixed(some, self.guess))
                for leaps in (self.all, self.group):
                    leaps.tune(leaps.tuned)
        for leaps in (self.all, self.group):
            leaps.step = leaps.tuned
        found, told = np.empty((draws, len(self.start))), np.empty((draws, len(TOLD)))
        for row, about in zip(found, told, strict=True):
            about[:] = self._move(False)
            row[:] = self.all.place
        return self.density.upright(found), told

    def _move(self, learn: bool) -> tuple[float, ...]:
        """Move all numbers, then the group's; tune both if they `learn`."""
        told = self.all.move()
        values = self.density.values(self.all.place)
        group, within, _ = self.density.split(self.all.place)
        self.group.begin(lambda psi: self.density.given_people(psi, values), group)
        chance = self.group.move()[1]
        z = self.density.standard(self.group.place, values)
        self.all.begin(self.density, self.density.joined(self.group.place, within, z))
        if learn:
            self.all.step = self.all.tuning.learn(told[1])
            self.group.step = self.group.tuning.learn(chance)
        return self.all.lp, *told[1:]


def _mixed(draws: np.ndarray, guess: np.ndarray) -> np.ndarray:
    """The covariance of the draws, drawn toward the guess as if that were worth many draws."""
    count, worth = len(draws), 5.0 * draws.shape[1]
    return (count * np.atleast_2d(np.cov(draws.T)) + worth * guess) / (count + worth)


def started(problem: Problem, nest: Nest, design: Design) -> Start:
    """The group of empirical Bayes with its people and their sessions."""
    tie, tops, known, group, _ = nested_em(problem, nest, design)
    size = len(problem.free)
    layout, within = Layout(size, len(design.names)), Layout(size, 0)
    numbers = layout.pack(group)
    inner = within.pack(group._replace(covariance=tie.within, effects=np.zeros(0)))
    z = np.linalg.solve(layout.spread(numbers), (known.mean - tie.means).T).T
    units = np.arange(len(nest.owners))
    places = tops.covariance.reshape(len(z), -1, size, tops.covariance.shape[1] // size, size)
    covariance = places[nest.owners, nest.places, :, nest.places]
    people = uncertain(layout, group.covariance, known.covariance.mean(axis=0), len(z))
    own = uncertain(layout, group.covariance, np.zeros((size, size)), len(z))
    rest = uncertain(within, tie.within, covariance.mean(axis=0), len(units) - len(z))
    _, gradient, curvature = derivatives(problem, tops.x, units)
    return Start(
        np.concatenate([numbers, inner[size:], z.ravel()]),
        np.concatenate([people, rest[size:]]),
        own,
        tie.means[nest.owners],
        group.covariance + tie.within,
        Shape(tops.x, gradient, curvature, covariance),
    )


def sampler_of(problem: Problem, nest: Nest, design: Design, kept: Kept, seed: int) -> Sampler:
    """A sampler with points enough of all sessions."""
    start, free = started(problem, nest, design), problem.free
    units = np.arange(len(nest.owners))
    words = [str(each) for each in free], [each.spread for each in free]
    rounds = kept.begun_with(*words, design.names, design.columns, nest.owners, seed)
    if not all(rounds):  # a fit that was killed may know some: their files are read again
        rounds = [[] for _ in units]
    as_effects = NestedDensity.design_of(nest)
    known = Gathering(problem, as_effects, kept, rounds, start.shape, seed)

    def sampler() -> Sampler:
        return Sampler(NestedDensity(known.density, nest, design), start)

    if not all(rounds):
        known.add(ladder(start.shape, start.means, start.covariance, FIRST), units)
        now = sampler()
        near = np.random.default_rng([seed, 5]).multivariate_normal(now.start, now.guess, SERVED)
        groups = np.array([now.density.of_sessions(psi) for psi in near])
        known.add_for(groups, units, SECOND)
    now = sampler()
    pilot, _ = now.chain(PILOT, np.random.default_rng([seed, 2]))
    groups = np.array([now.density.of_sessions(psi) for psi in pilot])
    if known.number:
        known.add_for(groups, units, THIRD)
    few = known.few(groups, units)
    for _ in range(FURTHER):
        if not len(few):
            break
        known.climb_again(groups, few)
        known.add_for(groups, few, MORE)
        few = known.few(groups, few)
    return sampler()


def uncertain(layout: Layout, group: np.ndarray, left: np.ndarray, count: int) -> np.ndarray:
    """How uncertain the numbers of a group are, roughly: standard deviations.

    `left` is what is unknown of each of the `count` whose covariance the group's is.
    """
    variance, count = np.diag(group), max(count, 2)
    share = np.clip(1.0 - np.diag(left) / variance, 0.2, 1.0)
    sd = np.sqrt(variance / (share * count))
    pairs = [math.sqrt(share[i] * share[j]) for i in range(layout.size) for j in range(i)]
    of_pairs = 0.7 / math.sqrt(count) / np.array(pairs)
    return np.concatenate([sd, np.repeat(sd, layout.effects), 0.7 * sd, of_pairs])


def guessed(density: NestedDensity, start: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """A covariance for the sampler: people follow the group's numbers as their modes do."""
    group = len(spread)
    rows = [
        (density(start + STEP * axis)[1] - density(start - STEP * axis)[1]) / (2.0 * STEP)
        for axis in np.eye(len(start))
    ]
    bent = -np.array(rows)
    widths, axes = np.linalg.eigh((bent + bent.T)[group:, group:] / 2.0)
    inside = (axes / np.maximum(widths, 0.5)) @ axes.T
    links = np.concatenate([np.eye(group), -inside @ bent[group:, :group]])
    found = (links * spread**2) @ links.T
    found[group:, group:] += inside
    return found
