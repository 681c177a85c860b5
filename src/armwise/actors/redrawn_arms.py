"""An agent for worlds in which all arms are drawn again, by a law and at times that it learns."""

from array import array
from functools import cached_property
from typing import Any

import numpy as np

from armwise.actors._hazards import hazard_table
from armwise.actors._indices import entropy_table, tables_of
from armwise.actors._redraw_learning import learn_redraws
from armwise.actors._redraws import (
    LAW,
    ROWS,
    USED,
    Redraws,
    Timing,
    appraise_redraws,
    begin_redraws,
    redraws,
    redraws_size,
    score_redraws,
)
from armwise.actors._whole_prior import WholePrior
from armwise.actors.gittins_bocpd import refuse_fractions
from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.ties import choice_stream, largest

LONGEST = 1e-4  # one minus the largest discount of an index
RECENT = 20  # trials that `facts` looks back


class Redrawn(WholePrior):
    """Base of agents that consider redraws of all arms."""

    rates: tuple[float, ...] = parameter(
        default=(1e-5, 1e-4, 3e-4, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1),
        low=1e-6,
        high=0.5,
        meaning="grid of the probability that all arms are drawn again",
    )
    intervals: tuple[float, ...] = parameter(
        default=(10.0, 15.0, 20.0, 30.0, 45.0, 70.0, 100.0, 150.0, 220.0, 330.0, 500.0),
        low=1,
        high=10_000,
        meaning="grid of the mean time between redraws, if they come regularly (may be empty)",
    )
    regularities: tuple[float, ...] = parameter(
        default=(16.0, 64.0), low=2, high=10_000, meaning="grid of geometric stages of such a time"
    )
    alphas: tuple[float, ...] = parameter(
        default=(1.0, 1.0, 7.0, 40.0, 4.0),
        low=1,
        high=1e6,
        meaning="prior successes, if arms are drawn from another law (may be empty)",
    )
    betas: tuple[float, ...] = parameter(
        default=(7.0, 40.0, 1.0, 1.0, 4.0), low=1, high=1e6, meaning="prior failures, likewise"
    )
    most: int = parameter(
        default=40,
        slider=(8, 100),
        low=4,
        high=10_000,
        meaning="most redraws that are kept in mind",
    )

    def check(self) -> None:
        """There is a rate, laws are pairs of whole numbers, and births fill whole lanes."""
        if not self.rates:
            raise InputError(f"{self.label}: rates must have at least one number.")
        if len(self.alphas) != len(self.betas):
            raise InputError(
                f"{self.label}: alphas and betas must be as many, not {len(self.alphas)} and "
                f"{len(self.betas)}."
            )
        super().check()
        for pair in zip(self.alphas, self.betas, strict=True):
            refuse_fractions(self.label, *pair)
        if self.most % 4:
            raise InputError(f"{self.label}: most must be a multiple of 4, not {self.most}.")
        for number in self.regularities:
            if number != round(number):
                raise InputError(
                    f"{self.label}: regularities must be whole numbers, not {number:g}."
                )

    @cached_property
    def indices(self) -> array:
        """Gittins indices, a table for every rate."""
        return tables_of(tuple(1.0 - max(each, LONGEST) for each in self.rates))

    @cached_property
    def entropies(self) -> array:
        """Entropies of the next outcome, in the same order."""
        return entropy_table()

    @cached_property
    def paces(self) -> tuple[float, ...]:
        """Redraws per trial: the rates, then those of regular timings."""
        return (*self.rates, *(1.0 / each for each in self.intervals for _ in self.regularities))

    @cached_property
    def hazards(self) -> array:
        """A row for every regular timing, all of one length."""
        empty = not (self.intervals and self.regularities)
        return array("d", [0.0]) if empty else hazard_table(self.intervals, self.regularities)


def rows_of(agent: Any) -> int:
    """The most rows: memoryless timings go with every law, regular ones with the first."""
    return (1 + len(agent.alphas)) * len(agent.rates) + len(agent.intervals) * len(
        agent.regularities
    )


def redrawn_size(agent: Any, arms: int) -> int:
    """The length of the memory."""
    return redraws_size(arms, agent.most, 1 + len(agent.alphas), rows_of(agent))


def redrawn(agent: Any, memory: Any, arms: int) -> Redraws:
    """The memory by name."""
    return redraws(memory, arms, agent.most, 1 + len(agent.alphas), rows_of(agent))


def begin_redrawn(agent: Any, memory: Any, arms: int) -> None:
    """Start without knowledge of any arm."""
    known = redrawn(agent, memory, arms)
    timing = Timing(agent.rates, agent.paces, agent.hazards)
    begin_redraws(
        known, agent.most, (agent.alpha0, agent.beta0), (agent.alphas, agent.betas), timing
    )
    for arm in range(arms):
        appraise_redrawn(agent, known, arm)


def appraise_redrawn(agent: Any, known: Redraws, arm: int) -> None:
    """Set means and worths of an arm."""
    tables = (agent.indices, agent.entropies)
    appraise_redraws(known, agent.most, arm, agent.rates, LONGEST, tables)


def learn_redrawn(
    agent: Any, memory: Any, arms: int, trial: int, arm: int, outcome: int
) -> tuple[float, float]:
    """Bayes' rule; return the probabilities of the outcome, and of a redraw just before it."""
    known = redrawn(agent, memory, arms)
    timing = Timing(agent.rates, agent.paces, agent.hazards)
    tables = (agent.indices, agent.entropies)
    return learn_redraws(known, arms, agent.most, timing, LONGEST, tables, trial, arm, outcome)


def score_redrawn(agent: Any, memory: Any, arms: int, scores: Any) -> None:
    """Write the score of every arm."""
    score_redraws(redrawn(agent, memory, arms), arms, agent.most, scores)


def rearranged_redrawn(agent: Any, memory: Any, arms: int, places: list[int]) -> list[float]:
    """The memory once arms came or went: nothing is known of a new arm under any hypothesis."""
    known = redrawn(agent, memory, arms)
    numbers = np.zeros(redrawn_size(agent, len(places)))
    found = redrawn(agent, numbers, len(places))
    by_arm = {"successes", "failures", "score"}
    by_birth = {"before", "missed", "mean", "worth"}
    for name in Redraws._fields:
        old, new = np.asarray(getattr(known, name)), getattr(found, name)
        if name in by_arm | by_birth:
            rows = old.reshape(arms, -1)
            new.reshape(len(places), -1)[:] = [
                rows[at] if at >= 0 else 0.0 * rows[0] for at in places
            ]
        else:
            new[:] = old
    for arm in range(len(places)):
        appraise_redrawn(agent, found, arm)
    return numbers.tolist()


def mixture_of_redrawn(agent: Any, memory: Any, arms: int) -> list[tuple[float, list, list]]:
    """A Beta belief per birth, under the likeliest law."""
    known = redrawn(agent, memory, arms)
    law = int(known.head[LAW])
    parts = []
    for birth in range(int(known.head[USED])):
        places = [arm * agent.most + birth for arm in range(arms)]
        wins = [known.successes[k] - known.before[at] for k, at in enumerate(places)]
        losses = [known.failures[k] - known.missed[at] for k, at in enumerate(places)]
        alpha = [known.alpha[law] + each for each in wins]
        beta = [known.beta[law] + each for each in losses]
        parts.append((float(known.weight[birth]), alpha, beta))
    return parts


def facts_of_redrawn(agent: Any, memory: Any, arms: int) -> dict[str, Any]:
    """A recent redraw, how often they come, and the law of the draws."""
    known = redrawn(agent, memory, arms)
    trials = sum(known.successes) + sum(known.failures)
    recent = sum(
        known.total[birth]
        for birth in range(int(known.head[USED]))
        if known.birth[birth] > 0 and trials - known.birth[birth] <= RECENT
    )
    rows = range(int(known.head[ROWS]))
    rate = sum(known.share[row] * agent.paces[int(known.rate[row])] for row in rows)
    law = int(known.head[LAW])
    return {
        f"change within {RECENT} outcomes": float(min(recent, 1.0)),
        "rate of changes": float(rate),
        "arms are drawn from": f"Be({known.alpha[law]:g}, {known.beta[law]:g})",
    }


class RedrawnArms(Redrawn):
    """All arms are drawn again now and then; law and times are learned; Gittins indices choose."""

    label = "all-redrawn"
    equation = "sum of w[j] (g_j - s H(mu[j])) + s H(mu), over births j, laws and timings"
    reference = "Adams and MacKay 2007; Brezzi and Lai 2002; the combination: new in armwise"
    tables = ("indices", "entropies", "paces", "hazards")
    fixed_tables = True  # lists make the tables

    def memory_size(self, arms: int) -> int:
        """Births with their weights and counts."""
        return redrawn_size(self, arms)

    def rearranged(self, memory: Any, arms: int, places: list[int]) -> list[float]:
        """Nothing is known of a new arm under any hypothesis."""
        return rearranged_redrawn(self, memory, arms, places)

    def begin(self, memory: Any, arms: int) -> None:
        """Start without knowledge of any arm."""
        begin_redrawn(self, memory, arms)

    def mixture(self, memory: Any, arms: int) -> list[tuple[float, list, list]]:
        """A Beta belief per birth."""
        return mixture_of_redrawn(self, memory, arms)

    def facts(self, memory: Any, arms: int) -> dict[str, Any]:
        """A recent redraw, how often they come, and the law of the draws."""
        return facts_of_redrawn(self, memory, arms)

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The arm with the largest sum of extrinsic and epistemic value."""
        known = redrawn(self, memory, arms)
        score_redraws(known, arms, self.most, known.score)
        return largest(known.score, arms, choice_stream(rng))

    def score_arms(self, memory: Any, arms: int, trial: int, scores: Any) -> None:
        """The sum of extrinsic and epistemic value."""
        score_redrawn(self, memory, arms, scores)

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Bayes' rule; return the probability of a redraw."""
        return learn_redrawn(self, memory, arms, trial, arm, outcome)[1]
