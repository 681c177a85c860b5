"""An agent for the two changing bandits of the paper, which is not told which of them it is in."""

import math
from array import array
from dataclasses import InitVar
from functools import cached_property
from typing import Any

from armwise.actors._accounts import facts_of, mixture_of, rearranged_hypotheses
from armwise.actors._hypotheses import (
    Hypotheses,
    appraise,
    change_now,
    expect_change,
    laid_out,
    likeliest_rate,
    observe,
    room_for,
    score_by_hypotheses,
    start,
)
from armwise.actors._tables import worth_tables
from armwise.actors.averaged_hmm import (
    begin_models,
    grid_size,
    learn_models,
    model,
    rearranged_best,
    score_models,
)
from armwise.actors.gittins_bocpd import appraise_by_index, refuse_fractions, stopping_worth
from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Actor
from armwise.model.ties import choice_stream, largest
from armwise.numerics.gittins import SIZE

REDRAWN, MOVED = 0, 1  # places of the log evidences
RATE = 2  # place of the index of the rate for which the worths were computed
HEAD = 3  # number of these places


class TwoWorlds(Actor):
    """BOCPD and the averaged hidden Markov model side by side; the better predictor acts.

    BOCPD explores and the hidden Markov model is greedy, so BOCPD acts until the outcomes clearly
    favour the other: its log evidence starts with a lead, which fades like all evidence. Its grids
    are those of the paper's bandits; `Universal` is for all others, too.
    """

    label = "two-worlds"
    equation = "L[c] <- keep L[c] + ln P_c(o) for both classes of bandits; the larger L acts"
    reference = "new in armwise"
    tables = ("worths",)

    rates: tuple[float, ...] = parameter(
        default=(0.002, 0.005, 0.01, 0.02, 0.05),
        low=1e-3,
        high=0.5,
        meaning="grid of the probability of a change, if all arms are drawn again",
    )
    most: int = parameter(
        default=100, slider=(10, 500), low=2, high=10_000, meaning="most hypotheses that are kept"
    )
    bases: int = parameter(
        default=25,
        slider=(5, 50),
        low=2,
        high=1_000,
        meaning="if the best arm moves: grid size of the other arms' theta, from .2 to .8",
    )
    gaps: tuple[float, ...] = parameter(
        default=(0.05, 0.1, 0.2), low=0, high=1, meaning="grid of the advantage of that arm"
    )
    moves: tuple[float, ...] = parameter(
        default=(0.005, 0.02), low=0, high=1, meaning="grid of the probability that it moves"
    )
    keep: float = parameter(
        default=0.999,
        slider=(0.9, 1),
        low=0,
        high=1,
        meaning="fraction of a log evidence that is left after a trial",
    )
    lead: float = parameter(
        default=3.0,
        slider=(0, 10),
        low=0,
        high=1e6,
        meaning="initial log evidence for redraws of all arms",
    )
    alpha0: float = parameter(
        default=1.0, slider=(1, 10), low=1, high=1e6, meaning="prior successes of an arm"
    )
    beta0: float = parameter(
        default=1.0, slider=(1, 10), low=1, high=1e6, meaning="prior failures of an arm"
    )
    prior: InitVar[tuple[float, float] | None] = None  # mean and weight, for alpha0 and beta0

    def check(self) -> None:
        """No grid may be empty, and the prior is whole."""
        for name in ("rates", "gaps", "moves"):
            if not self.parameters()[name]:
                raise InputError(f"{self.label}: {name} must have at least one number.")
        refuse_fractions(self.label, self.alpha0, self.beta0)

    @cached_property
    def worths(self) -> array:
        """The worths of arms (Gittins indices minus entropies), one table per rate."""
        return worth_tables(*(1.0 - rate for rate in self.rates))

    def memory_size(self, arms: int) -> int:
        """The head, the models and scores, the hypotheses."""
        models = grid_size(self.bases, self.gaps, self.moves)
        return HEAD + models * (arms + 1) + arms + room_for(arms, self.most, len(self.rates))

    def rearranged(self, memory: Any, arms: int, places: list[int]) -> list[float]:
        """Nothing is known of a new arm, and it is the best as probably as any was at first.

        If the best arm leaves, it has moved to one of the others.
        """
        models, rates = grid_size(self.bases, self.gaps, self.moves), len(self.rates)
        end = HEAD + models * arms
        rows = (memory[HEAD + number * arms :][:arms] for number in range(models))
        best = [value for row in rows for value in rearranged_best(row, places)]
        rate = int(memory[RATE])
        worths = self.worths[rate * SIZE : rate * SIZE + SIZE]
        known = laid_out(memory[end + models + arms :], arms, self.most, rates)
        fresh = stopping_worth(worths, self.alpha0, self.beta0)
        rest = rearranged_hypotheses(known, arms, self.most, places, fresh)
        scores = [0.0] * len(places)
        return [*memory[:HEAD], *best, *memory[end : end + models], *scores, *rest]

    def begin(self, memory: Any, arms: int) -> None:
        """Start without knowledge of any arm."""
        models = grid_size(self.bases, self.gaps, self.moves)
        end = HEAD + models * arms
        begin_models(memory[HEAD:end], memory[end : end + models], arms)
        rates = len(self.rates)
        memory[REDRAWN] = self.lead
        rate = rates // 2
        memory[RATE] = rate
        known = laid_out(memory[end + models + arms :], arms, self.most, rates)
        worths = self.worths[rate * SIZE : rate * SIZE + SIZE]
        prior = self.alpha0, self.beta0
        start(known, arms, self.most, rates, prior, stopping_worth(worths, self.alpha0, self.beta0))

    def mixture(self, memory: Any, arms: int) -> list[tuple[float, list, list]]:
        """A Beta belief per hypothesis, while it believes that all arms are drawn again."""
        if memory[MOVED] > memory[REDRAWN]:
            return []
        return mixture_of(self._redrawn(memory, arms), arms, self.most)

    def facts(self, memory: Any, arms: int) -> dict[str, Any]:
        """The bandit it believes in, and what this says about changes or about the best arm."""
        if memory[MOVED] <= memory[REDRAWN]:
            told = facts_of(self._redrawn(memory, arms), arms, self.most, self.rates)
            return {"believes": "all arms are drawn again now and then"} | told
        models = grid_size(self.bases, self.gaps, self.moves)
        end = HEAD + models * arms
        means, best, rate = [0.0] * arms, [0.0] * arms, 0.0
        for number in range(models):
            low, high, moves = model(number, self.bases, self.gaps, self.moves)
            weight, first = memory[end + number], HEAD + number * arms
            rate += weight * moves
            for arm in range(arms):
                best[arm] += weight * memory[first + arm]
                means[arm] += weight * (low + (high - low) * memory[first + arm])
        believes = {"believes": "the best arm moves now and then", "rate of changes": rate}
        return {"mean": means, "best": best} | believes

    def _redrawn(self, memory: Any, arms: int) -> Hypotheses:
        models = grid_size(self.bases, self.gaps, self.moves)
        places = memory[HEAD + models * (arms + 1) + arms :]
        return laid_out(places, arms, self.most, len(self.rates))

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The choice of the model with more evidence."""
        models = grid_size(self.bases, self.gaps, self.moves)
        end = HEAD + models * arms
        if memory[MOVED] > memory[REDRAWN]:
            scores = memory[end + models : end + models + arms]
            weights = memory[end : end + models]
            score_models(memory[HEAD:end], weights, scores, arms, self.bases, self.gaps, self.moves)
            return largest(scores, arms, choice_stream(rng))
        known = laid_out(memory[end + models + arms :], arms, self.most, len(self.rates))
        appraise(known, arms)
        return largest(known.score, arms, choice_stream(rng))

    def score_arms(self, memory: Any, arms: int, trial: int, scores: Any) -> None:
        """The scores of the model with more evidence; each has a scale of its own."""
        models = grid_size(self.bases, self.gaps, self.moves)
        end = HEAD + models * arms
        if memory[MOVED] > memory[REDRAWN]:
            weights = memory[end : end + models]
            score_models(memory[HEAD:end], weights, scores, arms, self.bases, self.gaps, self.moves)
        else:
            known = laid_out(memory[end + models + arms :], arms, self.most, len(self.rates))
            score_by_hypotheses(known, arms, scores)

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Bayes' rule in both models; return the probability that all arms were drawn again."""
        models = grid_size(self.bases, self.gaps, self.moves)
        end = HEAD + models * arms
        weights = memory[end : end + models]
        moved = learn_models(
            memory[HEAD:end], weights, arms, self.bases, self.gaps, self.moves, arm, outcome
        )
        rates = len(self.rates)
        known = laid_out(memory[end + models + arms :], arms, self.most, rates)
        redrawn = observe(known, arms, self.most, rates, arm, outcome)
        gamma = change_now(known)
        rate = likeliest_rate(known, rates, int(memory[RATE]))
        worths = self.worths[rate * SIZE : rate * SIZE + SIZE]
        if rate == memory[RATE]:
            appraise_by_index(known, arms, self.most, arm, worths)
        else:
            for every in range(arms):
                appraise_by_index(known, arms, self.most, every, worths)
        memory[RATE] = rate
        fresh = stopping_worth(worths, self.alpha0, self.beta0)
        expect_change(known, arms, self.most, self.rates, fresh)
        memory[MOVED] = self.keep * memory[MOVED] + math.log(moved)
        memory[REDRAWN] = self.keep * memory[REDRAWN] + math.log(redrawn)
        return gamma
