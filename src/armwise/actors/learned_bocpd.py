"""BOCPD with a learned change probability."""

from dataclasses import InitVar
from functools import cached_property
from typing import Any

from armwise.actors._accounts import facts_of, mixture_of, rearranged_hypotheses
from armwise.actors._hypotheses import appraise, laid_out, room_for, score_by_hypotheses, start
from armwise.actors.bocpd import free_energy, harmonic_table, learned
from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Actor
from armwise.model.ties import choice_stream, largest


class LearnedBOCPD(Actor):
    """BOCPD with a weight for every pair of a hypothesis and a change probability on a grid."""

    label = "BOCPD-rho"
    equation = "as BOCPD, w[j] summed over the grid of rho"
    reference = "Wilson, Nassar and Gold 2010; with G-AI: new in armwise"
    tables = ("harmonics",)
    fixed_tables = True

    rates: tuple[float, ...] = parameter(
        default=(0.002, 0.005, 0.01, 0.02, 0.05),
        low=0,
        high=1,
        meaning="grid of the probability of a change",
    )
    lam: float = parameter(default=0.25, low=0, high=1e6, meaning="precision of preferences")
    most: int = parameter(default=100, low=2, high=10_000, meaning="most hypotheses that are kept")
    alpha0: float = parameter(default=1.0, low=1e-3, high=1e6, meaning="prior successes of an arm")
    beta0: float = parameter(default=1.0, low=1e-3, high=1e6, meaning="prior failures of an arm")
    prior: InitVar[tuple[float, float] | None] = None  # mean and weight, for alpha0 and beta0

    def check(self) -> None:
        """The grid may not be empty."""
        if not self.rates:
            raise InputError(f"{self.label}: rates must have at least one number.")

    @cached_property
    def harmonics(self) -> tuple[float, ...]:
        """The harmonic numbers."""
        return harmonic_table()

    def memory_size(self, arms: int) -> int:
        """The hypotheses."""
        return room_for(arms, self.most, len(self.rates))

    def rearranged(self, memory: Any, arms: int, places: list[int]) -> list[float]:
        """Nothing is known of a new arm under any hypothesis."""
        known = laid_out(memory, arms, self.most, len(self.rates))
        fresh = free_energy(self.harmonics, self.lam, self.alpha0, self.beta0)
        return rearranged_hypotheses(known, arms, self.most, places, fresh)

    def begin(self, memory: Any, arms: int) -> None:
        """Start without knowledge of any arm."""
        rates = len(self.rates)
        fresh = free_energy(self.harmonics, self.lam, self.alpha0, self.beta0)
        known, prior = laid_out(memory, arms, self.most, rates), (self.alpha0, self.beta0)
        start(known, arms, self.most, rates, prior, fresh)

    def mixture(self, memory: Any, arms: int) -> list[tuple[float, list, list]]:
        """A Beta belief per hypothesis."""
        return mixture_of(laid_out(memory, arms, self.most, len(self.rates)), arms, self.most)

    def facts(self, memory: Any, arms: int) -> dict[str, Any]:
        """The probability of a recent change, and the rate of changes."""
        return facts_of(
            laid_out(memory, arms, self.most, len(self.rates)), arms, self.most, self.rates
        )

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The arm with the smallest expected free energy."""
        known = laid_out(memory, arms, self.most, len(self.rates))
        appraise(known, arms)
        return largest(known.score, arms, choice_stream(rng))

    def score_arms(self, memory: Any, arms: int, trial: int, scores: Any) -> None:
        """Minus the expected free energy, but for a constant."""
        known = laid_out(memory, arms, self.most, len(self.rates))
        score_by_hypotheses(known, arms, scores)

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Bayes' rule over hypotheses and rates; return the probability of a change."""
        known = laid_out(memory, arms, self.most, len(self.rates))
        _, gamma = learned(
            known, arms, self.most, self.rates, arm, outcome, self.harmonics, self.lam
        )
        return gamma
