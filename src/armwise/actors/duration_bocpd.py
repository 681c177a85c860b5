"""BOCPD for changes that do not come at any time alike: durations with a distribution."""

from array import array
from dataclasses import InitVar
from functools import cached_property
from typing import Any

from armwise.actors._accounts import mixture_of, rearranged_hypotheses, recent_change
from armwise.actors._hazards import hazard_table
from armwise.actors._hypotheses import (
    Hypotheses,
    appraise,
    expect_change_by_age,
    laid_out,
    room_for,
    score_by_hypotheses,
    start,
)
from armwise.actors.bocpd import free_energy, harmonic_table, observed
from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Actor
from armwise.model.ties import choice_stream, largest


class DurationBOCPD(Actor):
    """BOCPD that weighs every pair of a mean interval and a regularity on a grid.

    A grid with one interval and one number of stages is a given distribution of durations.
    """

    label = "BOCPD-duration"
    equation = "as BOCPD-rho, with the hazard P(D = n) / P(D >= n) after n trials"
    reference = "Adams and MacKay 2007; with G-AI: new in armwise"
    tables = ("harmonics", "hazards")
    fixed_tables = True  # lists make the hazards

    intervals: tuple[float, ...] = parameter(
        default=(10.0, 15.0, 20.0, 30.0, 45.0, 70.0, 100.0, 150.0, 220.0, 330.0, 500.0),
        low=1,
        high=10_000,
        meaning="grid of the mean number of trials between changes",
    )
    stages: tuple[float, ...] = parameter(
        default=(1.0, 4.0, 16.0, 64.0),
        low=1,
        high=10_000,
        meaning="grid of the number of geometric stages of a duration; more are more regular",
    )
    lam: float = parameter(
        default=0.25, slider=(0, 2), low=0, high=1e6, meaning="precision of preferences"
    )
    most: int = parameter(
        default=100, slider=(10, 500), low=2, high=10_000, meaning="most hypotheses that are kept"
    )
    alpha0: float = parameter(
        default=1.0, slider=(0.1, 10), low=1e-3, high=1e6, meaning="prior successes of an arm"
    )
    beta0: float = parameter(
        default=1.0, slider=(0.1, 10), low=1e-3, high=1e6, meaning="prior failures of an arm"
    )
    prior: InitVar[tuple[float, float] | None] = None  # mean and weight, for alpha0 and beta0

    def check(self) -> None:
        """No grid may be empty; the numbers of stages are whole."""
        for name in ("intervals", "stages"):
            if not self.parameters()[name]:
                raise InputError(f"{self.label}: {name} must have at least one number.")
        for number in self.stages:
            if number != round(number):
                raise InputError(f"{self.label}: stages must be whole numbers, not {number:g}.")

    @cached_property
    def harmonics(self) -> tuple[float, ...]:
        """The harmonic numbers."""
        return harmonic_table()

    @cached_property
    def hazards(self) -> array:
        """A row for every pair of an interval and a number of stages, all of one length."""
        return hazard_table(self.intervals, self.stages)

    def memory_size(self, arms: int) -> int:
        """When each hypothesis began, and the hypotheses."""
        return self.most + room_for(arms, self.most, len(self.intervals) * len(self.stages))

    def rearranged(self, memory: Any, arms: int, places: list[int]) -> list[float]:
        """Nothing is known of a new arm under any hypothesis."""
        models = len(self.intervals) * len(self.stages)
        known = laid_out(memory[self.most :], arms, self.most, models)
        fresh = free_energy(self.harmonics, self.lam, self.alpha0, self.beta0)
        return [*memory[: self.most], *rearranged_hypotheses(known, arms, self.most, places, fresh)]

    def begin(self, memory: Any, arms: int) -> None:
        """Start without knowledge of any arm."""
        models = len(self.intervals) * len(self.stages)
        known = laid_out(memory[self.most :], arms, self.most, models)
        prior = self.alpha0, self.beta0
        start(known, arms, self.most, models, prior, free_energy(self.harmonics, self.lam, *prior))

    def mixture(self, memory: Any, arms: int) -> list[tuple[float, list, list]]:
        """A Beta belief per hypothesis."""
        return mixture_of(self._known(memory, arms), arms, self.most)

    def facts(self, memory: Any, arms: int) -> dict[str, Any]:
        """The probability of a recent change."""
        return recent_change(self._known(memory, arms), arms, self.most)

    def _known(self, memory: Any, arms: int) -> Hypotheses:
        models = len(self.intervals) * len(self.stages)
        return laid_out(memory[self.most :], arms, self.most, models)

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The arm with the smallest expected free energy."""
        models = len(self.intervals) * len(self.stages)
        known = laid_out(memory[self.most :], arms, self.most, models)
        appraise(known, arms)
        return largest(known.score, arms, choice_stream(rng))

    def score_arms(self, memory: Any, arms: int, trial: int, scores: Any) -> None:
        """Minus the expected free energy, but for a constant."""
        models = len(self.intervals) * len(self.stages)
        known = laid_out(memory[self.most :], arms, self.most, models)
        score_by_hypotheses(known, arms, scores)

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Bayes' rule over hypotheses and durations; return the probability of a change."""
        models = len(self.intervals) * len(self.stages)
        known = laid_out(memory[self.most :], arms, self.most, models)
        born = memory[: self.most]
        _, gamma = observed(known, arms, self.most, models, arm, outcome, self.harmonics, self.lam)
        fresh = free_energy(self.harmonics, self.lam, self.alpha0, self.beta0)
        expect_change_by_age(known, born, trial, arms, self.most, models, self.hazards, fresh)
        return gamma
