"""The density of a group whose people have sessions: people are sampled beside the group.

To the sessions, people are what effects are to people: every person is an effect that shifts the
means of the own sessions. So sessions are integrated out exactly as people without sessions are,
and what is left is a group and its people. These are written as standard normal numbers, since a
group in which people are all alike would else be a funnel for the sampler; where people are known
well it is the other way round, so the group is also moved while everybody's values stay.
"""

from typing import Any

import numpy as np

from armwise.fitting.design import Design
from armwise.fitting.group import EFFECT_SD, LKJ, LOG_2, Density, Layout
from armwise.fitting.nest import Nest


class NestedDensity:
    """The log-density of a group, of the spread of sessions, and of people, with its gradient.

    A vector holds the group's numbers as `Layout` has them, the standard deviations of sessions and
    their partial correlations, then the standard normal numbers of everybody.
    """

    def __init__(self, sessions: Density, nest: Nest, design: Design) -> None:
        self.sessions, self.free, self.design = sessions, sessions.free, design
        size = len(self.free)
        self.layout, self.within = Layout(size, len(design.names)), Layout(size, 0)
        self.spreads = np.array([each.spread for each in self.free])

    @staticmethod
    def design_of(nest: Nest) -> Design:
        """The design of sessions: people are its effects."""
        people = np.arange(int(nest.owners[-1]) + 1)
        own = (nest.owners[:, None] == people).astype(float)
        return Design(tuple(map(str, people)), own)

    def split(self, psi: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The group; means of 0, sds and partial correlations of sessions; people's numbers."""
        group, size = self.layout.length, self.layout.size
        inner = group + self.within.length - size
        zeros = np.zeros((*psi.shape[:-1], size))
        within = np.concatenate([zeros, psi[..., group:inner]], axis=-1)
        return psi[..., :group], within, psi[..., inner:].reshape(*psi.shape[:-1], -1, size)

    def joined(self, group: np.ndarray, within: np.ndarray, z: np.ndarray) -> np.ndarray:
        """The vector of a group, of the spread of sessions, and of people's numbers."""
        flat = z.reshape(*z.shape[:-2], -1)
        return np.concatenate([group, within[..., self.layout.size :], flat], axis=-1)

    def values(self, psi: np.ndarray) -> np.ndarray:
        """Everybody's values on the real line, [..., person, parameter]."""
        group, _, z = self.split(psi)
        mean, effects, _, _ = self.layout.split(group)
        expected = mean[..., None, :] + self.design.columns @ np.swapaxes(effects, -1, -2)
        return expected + z @ np.swapaxes(self.layout.spread(group), -1, -2)

    def of_sessions(self, psi: np.ndarray, values: np.ndarray | None = None) -> np.ndarray:
        """The numbers of the density of sessions, whose effects are people's values."""
        _, within, _ = self.split(psi)
        size = self.layout.size
        values = self.values(psi) if values is None else values
        return np.concatenate([within[:size], values.T.ravel(), within[size:]])

    def drawn(
        self, psi: np.ndarray, values: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Given people: log-likelihoods [session], and a draw of all sessions."""
        numbers = self.of_sessions(psi, values)
        self.sessions.integrate(numbers)
        return self.sessions.people(numbers, rng)

    def upright(self, psi: np.ndarray) -> np.ndarray:
        """The same groups and people, with standard deviations above 0."""
        group, within, z = self.split(psi)
        signs = np.where(self.layout.split(group)[2] < 0.0, -1.0, 1.0)
        return self.joined(
            self.layout.upright(group), self.within.upright(within), z * signs[..., None, :]
        )

    def __call__(self, psi: np.ndarray) -> tuple[float, np.ndarray]:
        """The log-density, up to a constant, and its gradient."""
        group, _, z = self.split(psi)
        sds = self.layout.split(group)[2]
        values = self.values(psi)
        value, slope = self.sessions(self.of_sessions(psi, values))
        if not np.isfinite(value):
            return value, np.zeros(len(psi))
        size, unit = self.layout.size, self.layout.root(group)
        # Effects have a prior of their own in the density of sessions, and people another one.
        in_values = slope[size : size + values.size].reshape(size, -1).T + values / EFFECT_SD**2
        value += 0.5 * float((values**2).sum()) / EFFECT_SD**2
        of_group, in_group = self._of_group(group, z, in_values, np.zeros(size))
        in_within = np.concatenate([np.zeros(size), slope[size + values.size :]])
        in_z = in_values @ (sds[:, None] * unit) - z
        return value + of_group, self.joined(in_group, in_within, in_z)

    def given_people(self, group: np.ndarray, values: np.ndarray) -> tuple[float, np.ndarray]:
        """The log-density of a group if everybody's values are known, and its gradient.

        Sessions say nothing more about the group then.
        """
        root = self.layout.spread(group)
        sizes = np.abs(np.diag(root))
        if not (sizes.min() > 0.0 and sizes.max() < np.inf):
            return -np.inf, np.zeros(len(group))
        z = self.standard(group, values)
        back = np.linalg.solve(root.T, z.T).T
        value, gradient = self._of_group(group, z, back, -len(z) / np.diag(root))
        return value - len(z) * float(np.log(sizes).sum()), gradient

    def standard(self, group: np.ndarray, values: np.ndarray) -> np.ndarray:
        """People as standard normal numbers."""
        mean, effects, _, _ = self.layout.split(group)
        away = values - mean - self.design.columns @ effects.T
        return np.linalg.solve(self.layout.spread(group), away.T).T

    def _of_group(
        self, group: np.ndarray, z: np.ndarray, in_values: np.ndarray, in_diagonal: np.ndarray
    ) -> tuple[float, np.ndarray]:
        """The log-density of a group and of people's numbers before any data; its gradient.

        `in_values` is the gradient in everybody's values, which the group moves, and `in_diagonal`
        that in the diagonal of the root of the covariance.
        """
        mean, effects, sds, corr = self.layout.split(group)
        unit, gradient = self.layout.root(group), np.zeros(self.layout.length)
        in_mean, in_effects, in_sds, in_corr = self.layout.split(gradient)
        in_root = np.tril(in_values.T @ z) + np.diag(in_diagonal)
        in_mean[:] = in_values.sum(axis=0)
        in_effects[:] = in_values.T @ self.design.columns - effects / EFFECT_SD**2
        in_sds[:] = (in_root * unit).sum(axis=1) - sds / self.spreads**2
        self.sessions._to_partial(in_root * sds[:, None], unit, corr, in_corr)
        value = self._prior(mean, in_mean, effects, sds, corr, in_corr)
        return value - 0.5 * float((z**2).sum()), gradient

    def _prior(self, mean: Any, in_mean: Any, effects: Any, sds: Any, corr: Any, to: Any) -> float:
        """The log-density of the group before any data; adds to gradients of mean and `corr`."""
        value = -0.5 * float((effects**2).sum()) / EFFECT_SD**2
        value -= 0.5 * float(((sds / self.spreads) ** 2).sum())
        for d, each in enumerate(self.free):
            density, slope = each.log_prior(float(mean[d]))
            value += density
            in_mean[d] += slope
        size = self.layout.size
        powers = LKJ + 0.5 * (size - np.array([j for i in range(size) for j in range(i)]) - 2.0)
        to -= 2.0 * powers * np.tanh(corr)
        return value + float((powers * (2.0 * (LOG_2 - np.logaddexp(corr, -corr)))).sum())
