"""The hierarchical posterior: people are correlated draws of a group whose numbers are unknown.

Every person's likelihood is computed once, at weighted points. With these, people are integrated
out, and the group's few numbers are sampled; given these, everybody is drawn.
"""

import functools
from typing import Any

import numpy as np

from armwise.fitting.answer import CHANCES, Answer, named, people_words
from armwise.fitting.design import Design
from armwise.fitting.diagnostics import ess_bulk, r_hat, smoothed
from armwise.fitting.eb import reliability_notes
from armwise.fitting.gather import ENOUGH, NEARLY, gathered
from armwise.fitting.group import Layout
from armwise.fitting.identify import combinations
from armwise.fitting.kept import Kept
from armwise.fitting.parameters import NINE_IN_TEN, shown
from armwise.fitting.posterior import trees_of
from armwise.fitting.problem import Problem
from armwise.fitting.sampling import Draws, chains_from

TRUSTED, ENOUGH_DRAWS = 1.01, 400  # R-hat and effective draws
K_MAX = 0.7


class Bayes(Answer):
    """Draws of the group and of everybody."""

    words = "Bayes' rule: a hierarchical posterior with correlated people"

    def __init__(
        self,
        problem: Problem,
        design: Design,
        *,
        draws: int,
        chains: int,
        seed: int,
        store: Any = None,
    ) -> None:
        self.problem, self.free, self.design = problem, problem.free, design
        self.layout = Layout(len(problem.free), len(design.names))
        known, peak, groups, self.few = gathered(problem, design, Kept(store, problem), seed)
        self.draws: Draws = chains_from(known, peak, groups, draws=draws, chains=chains, seed=seed)
        self.flat = self.draws.x.reshape(-1, *self.draws.x.shape[2:])
        self.psi = self.draws.psi.reshape(-1, self.layout.length)
        self.x = self.flat.mean(axis=0)
        spread = (self.layout.split(self.psi)[2] ** 2).mean(axis=0)
        self.reliability = np.clip(1.0 - self.flat.var(axis=0) / spread, 0.0, 1.0)

    def people(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Draws of everybody, taken from those of the chains."""
        return self.flat[_some(len(self.flat), count, rng)]

    def group(self, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draws of the group, each for somebody like one of the people in the data."""
        psi = self.psi[_some(len(self.psi), count, rng)]
        mean, effects, _, _ = self.layout.split(psi)
        rows = self.design.columns[rng.integers(len(self.design.columns), size=count)]
        return mean + np.einsum("ndq,nq->nd", effects, rows), self.layout.spread(psi)

    def intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """Quantiles of the draws."""
        low, high = np.quantile(self.flat, CHANCES, axis=0)
        return low, high

    def combined(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mean and quantiles of the draws of a weighted sum."""
        found = self.flat @ weights
        low, high = np.quantile(found, CHANCES, axis=0)
        return found.mean(axis=0), low, high

    def covariances(self) -> np.ndarray:
        """Those of everybody's draws."""
        away = self.flat - self.x
        return np.einsum("npa,npb->pab", away, away) / len(away)

    def log_evidence(self) -> np.ndarray:
        """The log of the mean probability of everybody's choices over groups."""
        found = self.draws.likelihood.reshape(len(self.flat), -1)
        return np.logaddexp.reduce(found, axis=0) - np.log(len(found))

    def elpd(self) -> np.ndarray:
        """By importance sampling of the posterior without each person, Pareto-smoothed."""
        return self._left_out[0]

    def pareto_k(self) -> np.ndarray:
        """How far leaving out each person can be trusted: up to .7."""
        return self._left_out[1]

    @functools.cached_property
    def _left_out(self) -> tuple[np.ndarray, np.ndarray]:
        found = self.draws.likelihood.reshape(len(self.flat), -1)
        pairs = [(column, *smoothed(-column)) for column in found.T]
        elpd = [np.logaddexp.reduce(weights + column) for column, weights, _ in pairs]
        return np.array(elpd), np.array([k for _, _, k in pairs])

    def flags(self) -> list[list[str]]:
        """Who has few points, and who is rather the group's than known."""
        flags = []
        for i, most in enumerate(self.reliability.max(axis=1)):
            some = [f"the group's (reliability {most:.2f})"] * bool(most < 0.2)
            flags.append(some + ["few effective points"] * bool(i in self.few))
        return flags

    @functools.cached_property
    def diagnostics(self) -> dict[str, float]:
        """The worst R-hat and the least effective number of draws, over group and people."""
        psi, x = self.draws.psi, self.draws.x
        return {
            "r_hat": float(max(np.nanmax(r_hat(psi)), np.nanmax(r_hat(x)))),
            "ess_group": float(np.nanmin(ess_bulk(psi))),
            "ess_people": float(np.nanmin(ess_bulk(x))),
            "divergences": float(self.draws.told["diverging"].sum()),
            "effective_points": float(np.quantile(self.draws.effective, NEARLY, axis=(0, 1)).min()),
        }

    def notes(self, subjects: tuple[str, ...]) -> list[str]:
        """Whether the chains agree, on how many points people rest, what is not identified."""
        found, worst = [*self.design.notes], self.diagnostics
        least = min(worst["ess_group"], worst["ess_people"])
        chains, draws = self.draws.psi.shape[:2]
        said = (
            f"R-hat is at most {worst['r_hat']:.3f}, and {chains} x {draws} draws are worth at "
            f"least {least:.0f}."
        )
        if worst["r_hat"] > TRUSTED or least < ENOUGH_DRAWS:
            said += f" That is not enough: take draws={max(2 * draws, 1000)} or more."
        found.append(said)
        if worst["divergences"]:
            found.append(f"{worst['divergences']:.0f} trajectories diverged.")
        who = [subjects[i] for i in self.few]
        if who:
            found.append(
                f"Of {people_words(len(who))}, fewer than {ENOUGH:.0f} points count under some "
                f"groups, so their values are less exact: {named(who)}."
            )
        astray = [subjects[i] for i in np.flatnonzero(self.pareto_k() > K_MAX)]
        if astray:
            found.append(
                f"The group depends so much on {people_words(len(astray))} that leaving them out "
                f"cannot be computed well from these draws (Pareto k above {K_MAX}): "
                f"{named(astray)}."
            )
        return found + reliability_notes(self.free.names, self.reliability, subjects)

    def group_lines(self) -> list[list[str]]:
        """Median, spread, reliability and effects, with intervals of 94 %."""
        mean, effects, sds, _ = self.layout.split(self.psi)
        natural = self.free.natural(mean)
        head = ["parameter", "median of people", "nine in ten people", "sd on the real line"]
        lines = [[*head, "reliability", *(f"effect of {name}" for name in self.design.names)]]
        middle, sd = mean.mean(axis=0), sds.mean(axis=0)
        ends = np.sort(self.free.natural(middle + NINE_IN_TEN * np.stack([-sd, sd])), axis=0)
        for d, name in enumerate(self.free.names):
            line = [name, with_interval(natural[:, d], float(self.free.natural(middle)[d]))]
            line += [f"{shown(ends[0, d])} to {shown(ends[1, d])}"]
            line += [with_interval(sds[:, d]), f"{np.median(self.reliability[:, d]):.2f}"]
            lines.append(line + [with_interval(effect) for effect in effects[:, d].T])
        return lines

    def groups_of_tree(self, subjects: tuple[str, ...]) -> dict[str, Any]:
        """Posterior, statistics of the sampler, log-likelihoods, and the prior."""
        known = combinations(self.problem.agent, self.free.names)
        return trees_of(self.draws, self.layout, self.free, self.design, subjects, known)


def _some(have: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Which draws to take: each at most once, unless more are asked for than there are."""
    if count <= have:
        return np.sort(rng.choice(have, count, replace=False))
    return np.sort(rng.integers(have, size=count))


def with_interval(draws: np.ndarray, middle: float | None = None) -> str:
    """A number with its interval of 94 %."""
    low, high = np.quantile(draws, CHANCES)
    return f"{shown(draws.mean() if middle is None else middle)} [{shown(low)}, {shown(high)}]"
