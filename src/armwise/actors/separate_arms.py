"""An agent for worlds in which every arm is drawn again on its own."""

from array import array
from functools import cached_property
from typing import Any

import numpy as np

from armwise.actors._indices import tables_of
from armwise.actors._separate import (
    Clock,
    Separate,
    begin_separate,
    discounted,
    law_of_grid,
    learn_separate,
    moments_now,
    moments_of,
    score_separate,
    separate,
    separate_size,
    thetas_of_grid,
)
from armwise.actors._whole_prior import WholePrior
from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.ties import choice_stream, largest


class Separated(WholePrior):
    """Base of agents that consider redraws of single arms."""

    own_rates: tuple[float, ...] = parameter(
        default=(2e-4, 0.001, 0.005, 0.02),
        low=1e-6,
        high=0.2,
        meaning="grid of the probability that an arm is drawn again on its own",
    )

    def check(self) -> None:
        """The grid may not be empty; the prior is whole."""
        super().check()
        if not self.own_rates:
            raise InputError(f"{self.label}: own_rates must have at least one number.")

    @cached_property
    def own_indices(self) -> array:
        """Gittins indices, a table for every rate."""
        return tables_of(tuple(1.0 - discounted(each) for each in self.own_rates))

    @cached_property
    def thetas(self) -> tuple[float, ...]:
        """The grid of thetas."""
        return thetas_of_grid()

    @cached_property
    def law(self) -> tuple[float, ...]:
        """The probabilities of the grid if nothing is known."""
        return law_of_grid(self.alpha0, self.beta0)


def separated_size(agent: Any, arms: int) -> int:
    """The length of the memory."""
    return separate_size(arms, len(agent.own_rates))


def separated(agent: Any, memory: Any, arms: int) -> Separate:
    """The memory by name."""
    return separate(memory, arms, len(agent.own_rates))


def clock_of(agent: Any) -> Clock:
    """What filters share."""
    law = agent.law
    return Clock(agent.own_rates, agent.own_indices, agent.thetas, law, agent.alpha0, agent.beta0)


def begin_separated(agent: Any, memory: Any, arms: int) -> None:
    """Nothing is known of any arm."""
    clock = clock_of(agent)
    begin_separate(separated(agent, memory, arms), arms, clock)


def learn_separated(
    agent: Any, memory: Any, arms: int, trial: int, arm: int, outcome: int
) -> float:
    """Bayes' rule; return the probability of the outcome."""
    clock = clock_of(agent)
    return learn_separate(separated(agent, memory, arms), arms, clock, trial, arm, outcome)


def score_separated(agent: Any, memory: Any, arms: int, trial: int, scores: Any) -> None:
    """Write the score of every arm."""
    clock = clock_of(agent)
    score_separate(separated(agent, memory, arms), arms, clock, trial, scores)


def rearranged_separated(agent: Any, memory: Any, arms: int, places: list[int]) -> list[float]:
    """The memory once arms came or went: nothing is known of a new arm."""
    known = separated(agent, memory, arms)
    numbers = np.zeros(separated_size(agent, len(places)))
    begin_separated(agent, numbers, len(places))
    found = separated(agent, numbers, len(places))
    found.weight[:] = known.weight
    for name in ("belief", "last", "mean", "square", "worth"):
        old = np.asarray(getattr(known, name)).reshape(arms, -1)
        new = getattr(found, name).reshape(len(places), -1)
        for place, at in enumerate(places):
            if at >= 0:
                new[place] = old[at]
    return numbers.tolist()


def mixture_of_separated(agent: Any, memory: Any, arms: int) -> list[tuple[float, list, list]]:
    """A single Beta belief per arm, with the mean and variance of what is believed of it."""
    fresh = moments_of(agent.alpha0, agent.beta0)
    pairs = moments_now(separated(agent, memory, arms), arms, agent.own_rates, fresh)
    weights = [mean * (1.0 - mean) / (square - mean * mean) - 1.0 for mean, square in pairs]
    alpha = [mean * weight for (mean, _), weight in zip(pairs, weights, strict=True)]
    beta = [weight - each for each, weight in zip(alpha, weights, strict=True)]
    return [(1.0, alpha, beta)]


def facts_of_separated(agent: Any, memory: Any, arms: int) -> dict[str, Any]:
    """How often an arm is drawn again."""
    weights = np.asarray(separated(agent, memory, arms).weight)
    rate = float(weights @ np.asarray(agent.own_rates) / weights.sum())
    return {"rate of changes of an arm": rate}


class SeparateArms(Separated):
    """Every arm is drawn again on its own; how often is learned."""

    label = "each-redrawn"
    equation = "sum of v[n] (d g + (1 - d) g_0 - 2 H) + 2 H(mu), d = exp(-2 n age)"
    reference = "Whittle 1988 (restless arms); the rule: new in armwise"
    tables = ("own_indices", "thetas", "law")

    def memory_size(self, arms: int) -> int:
        """A belief on the grid for every arm and rate."""
        return separated_size(self, arms)

    def rearranged(self, memory: Any, arms: int, places: list[int]) -> list[float]:
        """Nothing is known of a new arm."""
        return rearranged_separated(self, memory, arms, places)

    def begin(self, memory: Any, arms: int) -> None:
        """Nothing is known of any arm."""
        begin_separated(self, memory, arms)

    def mixture(self, memory: Any, arms: int) -> list[tuple[float, list, list]]:
        """A Beta belief per arm."""
        return mixture_of_separated(self, memory, arms)

    def facts(self, memory: Any, arms: int) -> dict[str, Any]:
        """How often an arm is drawn again."""
        return facts_of_separated(self, memory, arms)

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The arm with the largest sum of worth and information."""
        scores = separated(self, memory, arms).score
        score_separated(self, memory, arms, trial, scores)
        return largest(scores, arms, choice_stream(rng))

    def score_arms(self, memory: Any, arms: int, trial: int, scores: Any) -> None:
        """The worth, as far as it is still known, and the information."""
        score_separated(self, memory, arms, trial, scores)

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Bayes' rule for the chosen arm; the result is always 0."""
        learn_separated(self, memory, arms, trial, arm, outcome)
        return 0.0
