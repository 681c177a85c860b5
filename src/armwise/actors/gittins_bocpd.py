"""BOCPD with Gittins indices: the worth of an arm under optimal stopping."""

import math
from array import array
from dataclasses import InitVar
from functools import cached_property
from typing import Any

from armwise.actors._accounts import facts_of, mixture_of, rearranged_hypotheses
from armwise.actors._hypotheses import (
    PRIOR,
    USED,
    Hypotheses,
    appraise,
    change_now,
    expect_change,
    laid_out,
    observe,
    room_for,
    score_by_hypotheses,
    since,
    start,
)
from armwise.actors._tables import worth_tables
from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Actor
from armwise.model.ties import choice_stream, largest
from armwise.numerics.gittins import MOST


def stopping_worth(worths: Any, alpha: float, beta: float) -> float:
    """The Gittins index minus the entropy of the next outcome; beyond the table the index is mu.

    `alpha` and `beta` of the belief are whole numbers.

    Adding the entropy of the average mu gives the index plus the information about the change.
    """
    total = alpha + beta - 2.0
    if total <= MOST:
        return worths[int(0.5 * total * (total + 1.0) + (alpha - 1.0))]
    mean = alpha / (alpha + beta)
    return mean + mean * math.log(mean) + (1.0 - mean) * math.log(1.0 - mean)


def appraise_by_index(known: Hypotheses, arms: int, most: int, arm: int, worths: Any) -> None:
    """Set the worth of an arm under every hypothesis."""
    for number in range(int(known.head[USED])):
        successes, failures = since(known, most, arm, number)
        alpha, beta = known.head[PRIOR] + successes, known.head[PRIOR + 1] + failures
        known.worth[number * arms + arm] = stopping_worth(worths, alpha, beta)


def refuse_fractions(label: str, *prior: float) -> None:
    """Raise InputError unless alpha0 and beta0 are whole: the tables know no others."""
    if any(number != round(number) for number in prior):
        raise InputError(
            f"{label}: alpha0 and beta0 must be whole numbers, not {prior[0]:g} and {prior[1]:g}; "
            "so must the weight of a prior, and its mean times its weight."
        )


class GittinsBOCPD(Actor):
    """BOCPD with Gittins indices as extrinsic value; the epistemic value is about changes only."""

    label = "BOCPD-Gittins"
    equation = "sum of w[j] g_j + H(mu) - sum of w[j] H(mu[j]), g for the discount 1 - rho"
    reference = "Gittins 1979; with change information: new in armwise"
    tables = ("worths",)

    rho: float = parameter(
        default=0.01,
        slider=(0.001, 0.1),
        low=1e-3,
        high=0.5,
        meaning="probability of a change in a trial",
    )
    most: int = parameter(
        default=100, slider=(10, 500), low=2, high=10_000, meaning="most hypotheses that are kept"
    )
    alpha0: float = parameter(
        default=1.0, slider=(1, 10), low=1, high=1e6, meaning="prior successes of an arm"
    )
    beta0: float = parameter(
        default=1.0, slider=(1, 10), low=1, high=1e6, meaning="prior failures of an arm"
    )
    prior: InitVar[tuple[float, float] | None] = None  # mean and weight, for alpha0 and beta0

    def check(self) -> None:
        """Gittins indices are tabulated for whole numbers."""
        refuse_fractions(self.label, self.alpha0, self.beta0)

    @cached_property
    def worths(self) -> array:
        """The worths of arms: Gittins indices minus entropies."""
        return worth_tables(1.0 - self.rho)

    def memory_size(self, arms: int) -> int:
        """The hypotheses."""
        return room_for(arms, self.most, 1)

    def rearranged(self, memory: Any, arms: int, places: list[int]) -> list[float]:
        """Nothing is known of a new arm under any hypothesis."""
        known = laid_out(memory, arms, self.most, 1)
        fresh = stopping_worth(self.worths, self.alpha0, self.beta0)
        return rearranged_hypotheses(known, arms, self.most, places, fresh)

    def begin(self, memory: Any, arms: int) -> None:
        """Start without knowledge of any arm."""
        known = laid_out(memory, arms, self.most, 1)
        prior = self.alpha0, self.beta0
        start(
            known, arms, self.most, 1, prior, stopping_worth(self.worths, self.alpha0, self.beta0)
        )

    def mixture(self, memory: Any, arms: int) -> list[tuple[float, list, list]]:
        """A Beta belief per hypothesis."""
        return mixture_of(laid_out(memory, arms, self.most, 1), arms, self.most)

    def facts(self, memory: Any, arms: int) -> dict[str, Any]:
        """The probability of a recent change, and the rate of changes."""
        return facts_of(laid_out(memory, arms, self.most, 1), arms, self.most, (self.rho,))

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The arm with the largest sum of extrinsic and epistemic value."""
        known = laid_out(memory, arms, self.most, 1)
        appraise(known, arms)
        return largest(known.score, arms, choice_stream(rng))

    def score_arms(self, memory: Any, arms: int, trial: int, scores: Any) -> None:
        """The sum of extrinsic and epistemic value."""
        known = laid_out(memory, arms, self.most, 1)
        score_by_hypotheses(known, arms, scores)

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Bayes' rule over hypotheses; return the probability of a change."""
        known = laid_out(memory, arms, self.most, 1)
        observe(known, arms, self.most, 1, arm, outcome)
        appraise_by_index(known, arms, self.most, arm, self.worths)
        gamma = change_now(known)
        fresh = stopping_worth(self.worths, self.alpha0, self.beta0)
        expect_change(known, arms, self.most, (self.rho,), fresh)
        return gamma
