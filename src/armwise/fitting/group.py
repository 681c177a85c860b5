"""The group's numbers: what they mean, their prior, and the density that is sampled.

A vector psi holds the means mu, the effects B row by row, the logarithms of the standard
deviations, and numbers z whose tanh are partial correlations. People are normal around mu + B row
with covariance diag(sd) R diag(sd). The prior: mu as asked for, effects normal(0, 1), sd
half-normal, R LKJ(2).
"""

import math
from typing import Any, NamedTuple

import numpy as np

from armwise.engine.compile import compiled
from armwise.fitting.design import Design
from armwise.fitting.eb import Group
from armwise.fitting.integrate import integrate
from armwise.fitting.parameters import Free

LKJ = 2.0
EFFECT_SD = 1.0
NARROWEST, WIDEST = -9.0, 6.0  # logarithms of standard deviations beyond which there is no group


class Layout(NamedTuple):
    """Where the numbers of a group are in a vector."""

    size: int  # parameters
    effects: int

    @property
    def length(self) -> int:
        """How many numbers there are."""
        return self.size * (2 + self.effects) + self.size * (self.size - 1) // 2

    def split(self, psi: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Means, effects [parameter, effect], logarithms of the sds, and z, along the last axis."""
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
        return np.exp(self.split(psi)[2])[..., :, None] * self.root(psi)

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
        return np.concatenate([group.mean, group.effects.ravel(), np.log(sd), z])


class Points(NamedTuple):
    """Weighted points of people, as `integrate` reads them."""

    x: np.ndarray  # [person, parameter, point]
    weights: np.ndarray  # [person, point], the largest of each person is 1
    scale: np.ndarray  # [person]: the logarithm by which weights were divided


class Density:
    """The log-density of the group's numbers given everybody's choices, and its gradient.

    An instance has scratch of its own, so every thread needs its own.
    """

    def __init__(self, points: Points, free: Free, design: Design) -> None:
        people, size, count = points.x.shape
        self.points, self.free, self.design = points, free, design
        self.layout = Layout(size, len(design.names))
        self.spreads = np.array([each.spread for each in free])
        k = np.array([j for i in range(size) for j in range(i)], float)
        self.powers = LKJ + 0.5 * (size - k - 2.0)  # of 1 - t^2 in the density of z
        self.kernel = compiled(integrate, {}, fast=True)
        self.term, self.value, self.square = np.zeros(count), np.zeros(people), np.zeros(people)
        self.first, self.second = np.zeros((people, size)), np.zeros((size, size))
        self.constant = float(points.scale.sum()) - 0.5 * people * size * math.log(2.0 * math.pi)

    def integrate(self, psi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The Cholesky factor of the covariance, and its inverse; the rest is in the scratch."""
        mean, effects, logs, _ = self.layout.split(psi)
        root = np.exp(logs)[:, None] * self.layout.root(psi)
        back = np.linalg.inv(root)
        means = mean + self.design.columns @ effects.T
        half = float(np.log(np.diag(root)).sum())
        out = self.term, self.value, self.first, self.second, self.square
        self.kernel(self.points.x, self.points.weights, means, back.T @ back, half, *out)
        return root, back

    def __call__(self, psi: np.ndarray) -> tuple[float, np.ndarray]:
        """The log-density, up to a constant, and its gradient."""
        mean, effects, logs, z = self.layout.split(psi)
        if not ((logs > NARROWEST) & (logs < WIDEST)).all() or not np.isfinite(psi).all():
            return -math.inf, np.zeros(len(psi))
        root, back = self.integrate(psi)
        pulled = self.first @ back.T @ back  # gradient in the mean of every person
        inner = back @ self.second @ back.T - len(self.value) * np.eye(len(mean))
        in_root = np.tril(back.T @ inner)  # gradient in the Cholesky factor
        gradient = np.empty(len(psi))
        in_mean, in_effects, in_logs, in_z = self.layout.split(gradient)
        in_mean[:] = pulled.sum(axis=0)
        in_effects[:] = pulled.T @ self.design.columns - effects / EFFECT_SD**2
        in_logs[:] = (in_root * root).sum(axis=1)
        self._to_partial(in_root * np.exp(logs)[:, None], root, logs, z, in_z)
        value = float(self.value.sum()) + self.constant - 0.5 * float((effects**2).sum())
        for d, each in enumerate(self.free):
            density, slope = each.log_prior(float(mean[d]))
            value += density
            in_mean[d] += slope
        return value + self._priors(logs, z, in_logs, in_z), gradient

    def _priors(self, logs: Any, z: Any, in_logs: Any, in_z: Any) -> float:
        """The log-prior of sds and correlations; adds to the gradients."""
        relative = (np.exp(logs) / self.spreads) ** 2
        in_logs += 1.0 - relative
        t = np.tanh(z)
        in_z -= 2.0 * self.powers * t
        return float((logs - 0.5 * relative).sum() + (self.powers * np.log1p(-t * t)).sum())

    def _to_partial(self, in_root: Any, root: Any, logs: Any, z: Any, in_z: Any) -> None:
        """From the gradient in the correlations' Cholesky factor to that in z, row by row."""
        n, unit = 0, np.exp(-logs)[:, None] * root
        for i in range(self.layout.size):
            left = 1.0
            for j in range(i):
                t = math.tanh(z[n])
                later = float(in_root[i, j + 1 : i + 1] @ unit[i, j + 1 : i + 1])
                in_z[n] = in_root[i, j] * left * (1.0 - t * t) - t * later
                left *= math.sqrt(1.0 - t * t)
                n += 1
