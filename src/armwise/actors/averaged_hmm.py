"""The hidden Markov model of the switching world, averaged over what is not known of it."""

from typing import Any

from armwise.actors.informed_hmm import likelihood
from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Actor
from armwise.model.ties import choice_stream, largest

LOWEST, HIGHEST = 0.2, 0.8  # the ends of the grid of p
SURE = 0.999  # no arm is believed to pay more often


def grid_size(bases: int, gaps: Any, moves: Any) -> int:
    """How many models there are."""
    return bases * len(gaps) * len(moves)


def model(number: int, bases: int, gaps: Any, moves: Any) -> tuple[float, float, float]:
    """What a model says: p, p + epsilon, and rho."""
    place = number // (len(gaps) * len(moves))
    low = LOWEST + (HIGHEST - LOWEST) * place / (bases - 1)
    high = min(low + gaps[number // len(moves) % len(gaps)], SURE)
    return low, high, moves[number % len(moves)]


def begin_models(beliefs: Any, weights: Any, arms: int) -> None:
    """All models and all arms alike."""
    for place in range(len(beliefs)):
        beliefs[place] = 1.0 / arms
    for number in range(len(weights)):
        weights[number] = 1.0 / len(weights)


def score_models(
    beliefs: Any, weights: Any, scores: Any, arms: int, bases: int, gaps: Any, moves: Any
) -> None:
    """What every arm is expected to pay more than the others."""
    for arm in range(arms):
        scores[arm] = 0.0
    for number in range(len(weights)):
        low, high, _ = model(number, bases, gaps, moves)
        gain = weights[number] * (high - low)
        row = beliefs[number * arms : number * arms + arms]
        for arm in range(arms):
            scores[arm] += gain * row[arm]


def learn_models(
    beliefs: Any,
    weights: Any,
    arms: int,
    bases: int,
    gaps: Any,
    moves: Any,
    arm: int,
    outcome: int,
) -> float:
    """Bayes in every model and over the models, then the switch that may come.

    Returns how probable the outcome was.
    """
    evidence = 0.0
    for number in range(len(weights)):
        low, high, switch = model(number, bases, gaps, moves)
        best, other = likelihood(high, outcome), likelihood(low, outcome)
        row = beliefs[number * arms : number * arms + arms]
        chosen = row[arm]
        chance = chosen * best + (1.0 - chosen) * other
        arrives = switch / (arms - 1.0)
        stays = 1.0 - switch - arrives
        left = stays * other / chance
        for k in range(arms):
            row[k] = left * row[k] + arrives
        row[arm] = stays * chosen * best / chance + arrives
        weights[number] *= chance
        evidence += weights[number]
    for number in range(len(weights)):
        weights[number] /= evidence
    return evidence


class AveragedHMM(Actor):
    """As the informed one, but it has to find out p, epsilon and rho, from grids of them."""

    label = "HMM-avg"
    equation = "argmax of the sum of e[g] epsilon[g] W[g], e the evidence for model g"
    reference = "the informed HMM, averaged: new in armwise"

    bases: int = parameter(
        default=25,
        low=2,
        high=1_000,
        meaning="how many reward probabilities of the other arms, .2 to .8, are thought possible",
    )
    gaps: tuple[float, ...] = parameter(
        default=(0.05, 0.1, 0.2), low=0, high=1, meaning="advantages of the best arm, alike"
    )
    moves: tuple[float, ...] = parameter(
        default=(0.005, 0.02), low=0, high=1, meaning="probabilities of a switch, alike"
    )

    def check(self) -> None:
        """No grid is empty."""
        for name in ("gaps", "moves"):
            if not self.parameters()[name]:
                raise InputError(f"{self.label}: {name} must have one number at least.")

    def memory_size(self, arms: int) -> int:
        """A belief for every model, the weights of the models, and scores."""
        return (grid_size(self.bases, self.gaps, self.moves)) * (arms + 1) + arms

    def begin(self, memory: Any, arms: int) -> None:
        """All alike."""
        models = grid_size(self.bases, self.gaps, self.moves)
        begin_models(memory[: models * arms], memory[models * arms : models * (arms + 1)], arms)

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The arm that is expected to pay most."""
        models = grid_size(self.bases, self.gaps, self.moves)
        beliefs = memory[: models * arms]
        weights = memory[models * arms : models * (arms + 1)]
        scores = memory[models * (arms + 1) :]
        score_models(beliefs, weights, scores, arms, self.bases, self.gaps, self.moves)
        return largest(scores, arms, choice_stream(rng))

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Bayes, then the switch that may come."""
        models = grid_size(self.bases, self.gaps, self.moves)
        beliefs = memory[: models * arms]
        weights = memory[models * arms : models * (arms + 1)]
        learn_models(beliefs, weights, arms, self.bases, self.gaps, self.moves, arm, outcome)
        return 0.0
