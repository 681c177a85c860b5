"""The hierarchical posterior with sessions: draws of the group, of people and of sessions."""

import functools
from typing import Any

import numpy as np

from armwise.fitting.answer import CHANCES
from armwise.fitting.bayes import Bayes, with_interval
from armwise.fitting.design import Design
from armwise.fitting.diagnostics import smoothed
from armwise.fitting.gather import ENOUGH, NEARLY
from armwise.fitting.group import Layout
from armwise.fitting.kept import Kept
from armwise.fitting.nest import Nest
from armwise.fitting.nested_eb import stability_note
from armwise.fitting.nested_points import sampler_of
from armwise.fitting.problem import Problem, spread_points
from armwise.fitting.sampling import TOLD, Draws

GROUPS = 200  # of the draws, for which people are integrated out
PLACES = 64  # where a person may be, for one group
WIDER = 1.4  # standard deviations of these places, compared with those of a person's draws


class NestedBayes(Bayes):
    """Draws of the group, of everybody, and of everybody's sessions."""

    words = "Bayes' rule: a hierarchical posterior of people and their sessions"

    def __init__(
        self,
        problem: Problem,
        nest: Nest,
        design: Design,
        *,
        draws: int,
        chains: int,
        seed: int,
        store: Any = None,
    ) -> None:
        self.problem, self.free, self.design, self.nest = problem, problem.free, design, nest
        self.layout = Layout(len(problem.free), len(design.names))
        kept = Kept(store, problem)
        sampler = sampler_of(problem, nest, design, kept, seed)
        self.density, found = sampler.density, []
        for chain in range(chains):
            rng = np.random.default_rng([seed, 3, chain])
            psi, told = sampler.chain(draws, rng)
            found.append((psi, told, *self._sessions(psi, rng)))
        self._take(*map(np.array, zip(*found, strict=True)))
        few = np.quantile(self.draws.effective, NEARLY, axis=(0, 1)) < ENOUGH
        self.few = np.flatnonzero(few).tolist()

    def _sessions(
        self, draws: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draws of all sessions given people, and on how many points each rests."""
        drawn, effective = [], []
        for psi in draws:
            drawn.append(self.density.drawn(psi, self.density.values(psi), rng)[1])
            effective.append(self.density.sessions.effective.copy())
        return np.array(drawn), np.array(effective)

    def _take(
        self, whole: np.ndarray, told: np.ndarray, sessions: np.ndarray, effective: np.ndarray
    ) -> None:
        """Draws [chain, draw, ...] of everything."""
        density = self.density
        psi, within, _ = density.split(whole)
        x = density.values(whole)
        least = np.full(x.shape[:3], np.inf)
        for unit, owner in enumerate(self.nest.owners):
            np.minimum(least[..., owner], effective[..., unit], out=least[..., owner])
        nothing = np.full(least.shape, np.nan)  # people are integrated out when that is asked for
        named = dict(zip(TOLD, np.moveaxis(told, 2, 0), strict=True))
        self.draws = Draws(psi, x, nothing, least, named)
        self.whole, self.psi, self.within, self.flat, self.flat_sessions = (
            each.reshape(-1, *each.shape[2:]) for each in (whole, psi, within, x, sessions)
        )
        self.x, self.sessions_x = self.flat.mean(axis=0), self.flat_sessions.mean(axis=0)
        spread = (self.layout.split(self.psi)[2] ** 2).mean(axis=0)
        self.reliability = np.clip(1.0 - self.flat.var(axis=0) / spread, 0.0, 1.0)

    def sessions(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Draws of all sessions, taken from those of the chains."""
        return self.flat_sessions[rng.integers(len(self.flat_sessions), size=count)]

    def session_intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """Quantiles of the draws."""
        low, high = np.quantile(self.flat_sessions, CHANCES, axis=0)
        return low, high

    def around(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """How far sessions of new people are from their person, [session, parameter]."""
        some = self.within[rng.integers(len(self.within), size=count)]
        root = Layout(len(self.free), 0).spread(some)
        return np.einsum("nde,ne->nd", root, rng.standard_normal((count, len(self.free))))

    def log_evidence(self) -> np.ndarray:
        """The log of the mean probability of everybody's choices over groups."""
        return np.logaddexp.reduce(self._given_groups, axis=0) - np.log(len(self._given_groups))

    @functools.cached_property
    def _left_out(self) -> tuple[np.ndarray, np.ndarray]:
        pairs = [(column, *smoothed(-column)) for column in self._given_groups.T]
        elpd = [np.logaddexp.reduce(weights + column) for column, weights, _ in pairs]
        return np.array(elpd), np.array([k for _, _, k in pairs])

    @functools.cached_property
    def _given_groups(self) -> np.ndarray:
        """The log-probability of everybody's choices under some groups, [group, person].

        People are integrated out by weighted places, wider than where their draws are.
        """
        places, proposed = self._places()
        density, rng, found = self.density, np.random.default_rng(0), []
        chosen = np.linspace(0, len(self.whole) - 1, min(GROUPS, len(self.whole))).astype(int)
        for psi in self.whole[chosen]:
            group, _, _ = density.split(psi)
            mean, effects, _, _ = self.layout.split(group)
            expected = mean + self.design.columns @ effects.T
            back = np.linalg.inv(self.layout.spread(group))
            apart = np.einsum("ab,kpb->kpa", back, places - expected)
            terms = -0.5 * (apart**2).sum(axis=2) + np.linalg.slogdet(back)[1] - proposed
            for term, values in zip(terms, places, strict=True):
                term += np.bincount(self.nest.owners, density.drawn(psi, values, rng)[0])
            found.append(np.logaddexp.reduce(terms, axis=0) - np.log(PLACES))
        return np.array(found)

    def _places(self) -> tuple[np.ndarray, np.ndarray]:
        """Places of everybody, [place, person, parameter], and the log-density they come from."""
        from scipy import special

        size, away = len(self.free), self.flat - self.x
        z = special.ndtri(np.clip(spread_points(PLACES, size), 1e-9, 1.0 - 1e-9))
        spread = WIDER**2 * np.einsum("npa,npb->pab", away, away) / len(away)
        root = np.linalg.cholesky(spread + 1e-10 * np.eye(size))
        heights = -0.5 * (z**2).sum(axis=1)[:, None]
        heights = heights - np.log(np.einsum("paa->pa", root)).sum(axis=1)
        return self.x + np.einsum("pab,kb->kpa", root, z), heights

    def group_lines(self) -> list[list[str]]:
        """As without sessions, and which share of the differences lasts over sessions."""
        head, *lines = super().group_lines()
        head.insert(5, "stability")
        people = self.layout.split(self.psi)[2] ** 2
        within = Layout(len(self.free), 0).split(self.within)[2] ** 2
        shares = people / (people + within)
        for line, share in zip(lines, shares.T, strict=True):
            line.insert(5, with_interval(share))
        return [head, *lines]

    def notes(self, subjects: tuple[str, ...]) -> list[str]:
        """What stability means, and what there is to say of people."""
        return [stability_note(self.nest), *super().notes(subjects)]

    def groups_of_tree(self, subjects: tuple[str, ...]) -> dict[str, Any]:
        """Posterior, statistics of the sampler and prior, and the draws of sessions."""
        import xarray

        found = super().groups_of_tree(subjects)
        del found["log_likelihood"]  # given the group, it is known for some draws only
        values = self.free.natural(self.flat_sessions)
        values = values.reshape(*self.draws.psi.shape[:2], *values.shape[1:])
        dims = "chain", "draw", "unit"
        data: dict[str, Any] = {n: (dims, values[..., d]) for d, n in enumerate(self.free.names)}
        within = Layout(len(self.free), 0).split(self.within)[2]
        for d, name in enumerate(self.free.names):
            spread = within[:, d].reshape(self.draws.psi.shape[:2])
            data[f"{name}_spread"] = (("chain", "draw"), spread)
        axes = {"subject": ("unit", np.array(subjects)[self.nest.owners])}
        axes[self.nest.column] = ("unit", np.array(self.nest.labels))
        return {**found, "sessions": xarray.Dataset(data, axes)}
