"""The group's numbers: what they mean, their prior, and the density that is sampled.

A vector psi holds the means mu, the effects B row by row, the standard deviations, and numbers z
whose tanh are partial correlations. People are normal around mu + B row with covariance
diag(sd) R diag(sd). The prior: mu as asked for, effects normal(0, 1), sd half-normal, R LKJ(2).

A standard deviation may be negative while it is sampled: the covariance is as smooth there, so a
chain passes through 0 where people may all be alike, instead of lingering before it. `upright`
gives such draws the sign that a reader expects, with correlations to match.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from armwise.engine.compile import compiled
from armwise.fitting.design import Design
from armwise.fitting.eb import Group
from armwise.fitting.integrate import draw_people, integrate
from armwise.fitting.parameters import Free

LKJ = 2.0
LOG_2 = math.log(2.0)
EFFECT_SD = 1.0
WIDEST = 400.0  # standard deviations beyond this are no group


class Layout(NamedTuple):
    """Where the numbers of a group are in a vector."""

    size: int  # parameters
    effects: int

    @property
    def length(self) -> int:
        """How many numbers there are."""
        return self.size * (2 + self.effects) + self.size * (self.size - 1) // 2

    def split(self, psi: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Means, effects [parameter, effect], sds, and z, along the last axis."""
        d, q = self.size, self.effects
        ends = [d, d + d * q, 2 * d + d * q]
        effects = psi[..., ends[0] : ends[1]].reshape(*psi.shape[:-1], d, q)
        return psi[..., :d], effects, psi[..., ends[1] : ends[2]], psi[..., ends[2] :]

    def root(self, psi: np.ndarray) -> np.ndarray:
        """The Cholesky factors of the correlations, [..., parameter, parameter]."""
        z = self.split(psi)[3]
        found = np.zeros((*psi.shape[:-1], self.size, self.size))
        n = 0
        for i in range(self.size):
            left = np.ones(psi.shape[:-1])
            for j in range(i):
                t = np.tanh(z[..., n])
                found[..., i, j] = t * left
                left = left * np.sqrt(1.0 - t * t)
                n += 1
            found[..., i, i] = np.maximum(left, 1e-7)
        return found

    def spread(self, psi: np.ndarray) -> np.ndarray:
        """The Cholesky factors of the covariances."""
        return self.split(psi)[2][..., :, None] * self.root(psi)

    def upright(self, psi: np.ndarray) -> np.ndarray:
        """The same groups, with standard deviations above 0."""
        found = psi.copy()
        _, _, sds, z = self.split(found)
        signs = np.where(sds < 0.0, -1.0, 1.0)
        sds *= signs
        n = 0
        for i in range(self.size):
            for j in range(i):
                z[..., n] *= signs[..., i] * signs[..., j]
                n += 1
        return found

    def pack(self, group: Group) -> np.ndarray:
        """The vector of a group."""
        sd = np.sqrt(np.diag(group.covariance))
        correlation = group.covariance / np.outer(sd, sd)
        root = np.linalg.cholesky(0.98 * correlation + 0.02 * np.eye(self.size))
        z = []
        for i in range(self.size):
            left = 1.0
            for j in range(i):
                t = float(np.clip(root[i, j] / left, -0.99, 0.99))
                z.append(math.atanh(t))
                left *= math.sqrt(1.0 - t * t)
        return np.concatenate([group.mean, group.effects.ravel(), sd, z])


class Points(NamedTuple):
    """Weighted points of people, as `integrate` reads them."""

    x: np.ndarray  # [parameter, point]
    weights: np.ndarray  # [point], the largest of each person is 1
    begins: np.ndarray  # [person + 1]: the first point of every person, and the number of all
    kernels: np.ndarray  # [person, parameter, parameter]
    scale: np.ndarray  # [person]: the logarithm by which weights were divided


class Density:
    """The log-density of the group's numbers given everybody's choices, and its gradient.

    An instance has scratch of its own, so every thread needs its own.
    """

    def __init__(self, points: Points, free: Free, design: Design) -> None:
        (size, count), people = points.x.shape, len(points.scale)
        self.points, self.free, self.design = points, free, design
        self.layout = Layout(size, len(design.names))
        self.spreads = np.array([each.spread for each in free])
        k = np.array([j for i in range(size) for j in range(i)], float)
        self.powers = LKJ + 0.5 * (size - k - 2.0)  # of 1 - t^2 in the density of z
        self.kernel = compiled(integrate, {}, fast=True)
        self.draw = compiled(draw_people, {}, fast=True)
        self.kernel_roots = np.linalg.cholesky(points.kernels)
        self.scratch = np.zeros(count), np.zeros((3, size, size))
        self.value, self.effective = np.zeros(people), np.zeros(people)
        self.in_mean, self.in_covariance = np.zeros((people, size)), np.zeros((size, size))
        self.constant = points.scale - 0.5 * size * math.log(2.0 * math.pi)

    def means(self, psi: np.ndarray) -> np.ndarray:
        """The mean of every person, [person, parameter]."""
        mean, effects, _, _ = self.layout.split(psi)
        return mean + self.design.columns @ effects.T

    def integrate(self, psi: np.ndarray, moments: bool = False) -> np.ndarray:
        """Fill the scratch with what everybody's choices say; return the covariance's root."""
        root = self.layout.spread(psi)
        out = self.value, self.effective, self.in_mean, self.in_covariance
        given = *self.points[:4], self.means(psi), root @ root.T, moments
        self.kernel(*given, *self.scratch, *out)
        return root

    def people_at(self, psi: np.ndarray, moments: bool = False) -> float:
        """The log-likelihood of a group."""
        self.integrate(psi, moments)
        return float((self.value + self.constant).sum())

    def value_of(self, psi: np.ndarray, moments: bool = False) -> float:
        """The log-density, up to a constant; with `moments`, what its gradient needs is there."""
        mean, effects, sds, z = self.layout.split(psi)
        if not (np.abs(sds) < WIDEST).all() or not np.isfinite(psi).all():
            return -math.inf
        priors = sum(each.log_prior(float(x))[0] for each, x in zip(self.free, mean, strict=True))
        value = self.people_at(psi, moments) + priors
        value -= 0.5 * float((effects**2).sum()) / EFFECT_SD**2
        value -= 0.5 * float(((sds / self.spreads) ** 2).sum())
        # log(1 - tanh(z)^2), which keeps its digits where that is tiny
        return value + float((self.powers * (2.0 * (LOG_2 - np.logaddexp(z, -z)))).sum())

    def people(self, psi: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Log-likelihoods [person] and a draw of everybody, given the group integrated last."""
        root, means = self.layout.spread(psi), self.means(psi)
        z = rng.standard_normal((2, *means.shape))
        noise = np.einsum("pab,pb->pa", self.kernel_roots, z[1])
        x, _, begins, kernels, _ = self.points
        found = np.empty(means.shape)
        chance = rng.random(len(means))
        self.draw(
            *(x, begins, kernels, means, root @ root.T),
            *self.scratch,
            *(chance, means + z[0] @ root.T, noise, found),
        )
        return self.value + self.constant, found

    def __call__(self, psi: np.ndarray) -> tuple[float, np.ndarray]:
        """The log-density, up to a constant, and its gradient."""
        value, gradient = self.value_of(psi, moments=True), np.zeros(len(psi))
        if not math.isfinite(value):
            return value, gradient
        mean, effects, sds, z = self.layout.split(psi)
        root, unit = self.layout.spread(psi), self.layout.root(psi)
        in_root = np.tril(2.0 * self.in_covariance @ root)
        in_mean, in_effects, in_sds, in_z = self.layout.split(gradient)
        in_mean[:] = self.in_mean.sum(axis=0)
        in_mean += [each.log_prior(float(x))[1] for each, x in zip(self.free, mean, strict=True)]
        in_effects[:] = self.in_mean.T @ self.design.columns - effects / EFFECT_SD**2
        in_sds[:] = (in_root * unit).sum(axis=1) - sds / self.spreads**2
        self._to_partial(in_root * sds[:, None], unit, z, in_z)
        in_z -= 2.0 * self.powers * np.tanh(z)
        return value, gradient

    def _to_partial(self, in_root: Any, unit: Any, z: Any, in_z: Any) -> None:
        """From the gradient in the correlations' Cholesky factor to that in z, row by row."""
        n = 0
        for i in range(self.layout.size):
            left = 1.0
            for j in range(i):
                t = math.tanh(z[n])
                later = float(in_root[i, j + 1 : i + 1] @ unit[i, j + 1 : i + 1])
                in_z[n] = in_root[i, j] * left * (1.0 - t * t) - t * later
                left *= math.sqrt(1.0 - t * t)
                n += 1
