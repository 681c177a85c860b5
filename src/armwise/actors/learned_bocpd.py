"""BOCPD with a learned change probability."""

from functools import cached_property
from typing import Any

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

    def begin(self, memory: Any, arms: int) -> None:
        """Start without knowledge of any arm."""
        rates = len(self.rates)
        fresh = free_energy(self.harmonics, self.lam, 0.0, 0.0)
        start(laid_out(memory, arms, self.most, rates), arms, self.most, rates, fresh)

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
