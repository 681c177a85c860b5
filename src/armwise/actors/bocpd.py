"""Bayesian online change-point detection (BOCPD) with the expected free energy of G-AI."""

import math
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
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Actor
from armwise.model.ties import choice_stream, largest
from armwise.numerics.gamma import digamma

EULER = 0.5772156649015329
HARMONICS = 2_000  # length of the table


def harmonic_table() -> tuple[float, ...]:
    """The harmonic numbers 1 + 1/2 + ... + 1/n from n = 0."""
    sums = [0.0]
    for number in range(1, HARMONICS):
        sums.append(sums[-1] + 1.0 / number)
    return tuple(sums)


def harmonic(table: Any, number: float) -> float:
    """The n-th harmonic number, also between whole numbers: from the table, or from series."""
    if number < HARMONICS:
        whole = int(number)
        return table[whole] if whole == number else digamma(number + 1.0) + EULER
    return math.log(number) + EULER + 0.5 / number - 1.0 / (12.0 * number * number)


def free_energy(table: Any, lam: float, a: float, b: float) -> float:
    """Return 2 lam mu - E[H(theta)] for Be(a, b); with the entropy of the average mu, -G of G-AI.

    E[H(theta)] = h(n) - (a h(a) + b h(b)) / n, with h the harmonic numbers.
    """
    n = a + b
    entropy = harmonic(table, n) - (a * harmonic(table, a) + b * harmonic(table, b)) / n
    return 2.0 * lam * a / n - entropy


def observed(
    known: Hypotheses,
    arms: int,
    most: int,
    rates: int,
    arm: int,
    outcome: int,
    table: Any,
    lam: float,
) -> tuple[float, float]:
    """Learn from an outcome; return its predictive probability and that of a change before it."""
    evidence = observe(known, arms, most, rates, arm, outcome)
    for number in range(int(known.head[USED])):
        successes, failures = since(known, most, arm, number)
        alpha, beta = known.head[PRIOR] + successes, known.head[PRIOR + 1] + failures
        known.worth[number * arms + arm] = free_energy(table, lam, alpha, beta)
    return evidence, change_now(known)


def learned(
    known: Hypotheses,
    arms: int,
    most: int,
    rates: Any,
    arm: int,
    outcome: int,
    table: Any,
    lam: float,
) -> tuple[float, float]:
    """Like `observed`; then expect a change at these rates."""
    evidence, gamma = observed(known, arms, most, len(rates), arm, outcome, table, lam)
    fresh = free_energy(table, lam, known.head[PRIOR], known.head[PRIOR + 1])
    expect_change(known, arms, most, rates, fresh)
    return evidence, gamma


class BOCPD(Actor):
    """Knows how often all thetas are drawn again, and weighs hypotheses about the last time."""

    label = "BOCPD"
    equation = "2 lam mu + H(mu) - sum of w[j] E_j[H(theta)], mu = sum of w[j] mu[j]"
    reference = "Adams and MacKay 2007; with G-AI: new in armwise"
    tables = ("harmonics",)
    fixed_tables = True

    rho: float = parameter(
        default=0.01, low=0, high=1, meaning="probability of a change in a trial"
    )
    lam: float = parameter(default=0.25, low=0, high=1e6, meaning="precision of preferences")
    most: int = parameter(default=100, low=2, high=10_000, meaning="most hypotheses that are kept")
    alpha0: float = parameter(default=1.0, low=1e-3, high=1e6, meaning="prior successes of an arm")
    beta0: float = parameter(default=1.0, low=1e-3, high=1e6, meaning="prior failures of an arm")
    prior: InitVar[tuple[float, float] | None] = None  # mean and weight, for alpha0 and beta0

    @cached_property
    def harmonics(self) -> tuple[float, ...]:
        """The harmonic numbers."""
        return harmonic_table()

    def memory_size(self, arms: int) -> int:
        """The hypotheses."""
        return room_for(arms, self.most, 1)

    def rearranged(self, memory: Any, arms: int, places: list[int]) -> list[float]:
        """Nothing is known of a new arm under any hypothesis."""
        known = laid_out(memory, arms, self.most, 1)
        fresh = free_energy(self.harmonics, self.lam, self.alpha0, self.beta0)
        return rearranged_hypotheses(known, arms, self.most, places, fresh)

    def begin(self, memory: Any, arms: int) -> None:
        """Start without knowledge of any arm."""
        fresh = free_energy(self.harmonics, self.lam, self.alpha0, self.beta0)
        known, prior = laid_out(memory, arms, self.most, 1), (self.alpha0, self.beta0)
        start(known, arms, self.most, 1, prior, fresh)

    def mixture(self, memory: Any, arms: int) -> list[tuple[float, list, list]]:
        """A Beta belief per hypothesis."""
        return mixture_of(laid_out(memory, arms, self.most, 1), arms, self.most)

    def facts(self, memory: Any, arms: int) -> dict[str, Any]:
        """The probability of a recent change, and the rate of changes."""
        return facts_of(laid_out(memory, arms, self.most, 1), arms, self.most, (self.rho,))

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The arm with the smallest expected free energy."""
        known = laid_out(memory, arms, self.most, 1)
        appraise(known, arms)
        return largest(known.score, arms, choice_stream(rng))

    def score_arms(self, memory: Any, arms: int, trial: int, scores: Any) -> None:
        """Minus the expected free energy, but for a constant."""
        known = laid_out(memory, arms, self.most, 1)
        score_by_hypotheses(known, arms, scores)

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Bayes' rule over hypotheses; return the probability of a change."""
        known = laid_out(memory, arms, self.most, 1)
        rates = (self.rho,)
        _, gamma = learned(known, arms, self.most, rates, arm, outcome, self.harmonics, self.lam)
        return gamma
