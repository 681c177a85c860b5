"""The hidden Markov model of the switching bandit, averaged over its unknown parameters."""

from typing import Any

from armwise.actors.informed_hmm import likelihood
from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Actor
from armwise.model.ties import choice_stream, largest

LOWEST, HIGHEST = 0.2, 0.8  # ends of the grid of p
SURE = 0.999  # upper limit of p + epsilon


def grid_size(bases: int, gaps: Any, moves: Any) -> int:
    """The number of models."""
    return bases * len(gaps) * len(moves)


def model(number: int, bases: int, gaps: Any, moves: Any) -> tuple[float, float, float]:
    """The parameters of a model: p, p + epsilon and rho."""
    place = number // (len(gaps) * len(moves))
    low = LOWEST + (HIGHEST - LOWEST) * place / (bases - 1)
    high = min(low + gaps[number // len(moves) % len(gaps)], SURE)
    return low, high, moves[number % len(moves)]


def begin_models(beliefs: Any, weights: Any, arms: int) -> None:
    """Give all models equal weights, and all arms equal probabilities of being the best."""
    for place in range(len(beliefs)):
        beliefs[place] = 1.0 / arms
    for number in range(len(weights)):
        weights[number] = 1.0 / len(weights)


def rearranged_best(row: Any, places: list[int]) -> list[float]:
    """The probability of every arm to be the best, once arms came or went.

    >>> rearranged_best([0.5, 0.25, 0.25], [0, 1]), rearranged_best([0.25, 0.75], [0, -1, -1, 1])
    ([0.625, 0.375], [0.125, 0.25, 0.25, 0.375])
    """
    if len(places) < 2:
        raise InputError("The best arm moves only where there are at least 2 arms.")
    stay = [place for place in places if place >= 0]
    gone = (sum(row) - sum(row[place] for place in stay)) / len(stay)
    share = len(stay) / len(places)
    return [share * (row[at] + gone) if at >= 0 else 1.0 / len(places) for at in places]


def score_models(
    beliefs: Any, weights: Any, scores: Any, arms: int, bases: int, gaps: Any, moves: Any
) -> None:
    """Score every arm by its expected advantage over the others."""
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
    """Bayes' rule in every model and over models, then the possible switch.

    Return the predictive probability of the outcome.
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
    """Like `InformedHMM`, but p, epsilon and rho are inferred over a grid of models."""

    label = "HMM-avg"
    equation = "argmax of the sum of e[g] epsilon[g] W[g], e the evidence for model g"
    reference = "the informed HMM, averaged: new in armwise"

    bases: int = parameter(
        default=25,
        low=2,
        high=1_000,
        meaning="grid size of the reward probability of the other arms, from .2 to .8",
    )
    gaps: tuple[float, ...] = parameter(
        default=(0.05, 0.1, 0.2), low=0, high=1, meaning="grid of the advantage of the best arm"
    )
    moves: tuple[float, ...] = parameter(
        default=(0.005, 0.02), low=0, high=1, meaning="grid of the probability of a switch"
    )

    def check(self) -> None:
        """No grid may be empty."""
        for name in ("gaps", "moves"):
            if not self.parameters()[name]:
                raise InputError(f"{self.label}: {name} must have at least one number.")

    def memory_size(self, arms: int) -> int:
        """A belief about the arms for every model, the weights of the models, and scores."""
        return (grid_size(self.bases, self.gaps, self.moves)) * (arms + 1) + arms

    def rearranged(self, memory: Any, arms: int, places: list[int]) -> list[float]:
        """A new arm is the best as probably as any was at first; if the best left, it moved."""
        models = grid_size(self.bases, self.gaps, self.moves)
        rows = (memory[number * arms :][:arms] for number in range(models))
        best = [value for row in rows for value in rearranged_best(row, places)]
        return [*best, *memory[models * arms : models * (arms + 1)], *([0.0] * len(places))]

    def begin(self, memory: Any, arms: int) -> None:
        """Set all models and all arms to equal probabilities."""
        models = grid_size(self.bases, self.gaps, self.moves)
        begin_models(memory[: models * arms], memory[models * arms : models * (arms + 1)], arms)

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The arm with the largest expected theta."""
        models = grid_size(self.bases, self.gaps, self.moves)
        beliefs = memory[: models * arms]
        weights = memory[models * arms : models * (arms + 1)]
        scores = memory[models * (arms + 1) :]
        score_models(beliefs, weights, scores, arms, self.bases, self.gaps, self.moves)
        return largest(scores, arms, choice_stream(rng))

    def score_arms(self, memory: Any, arms: int, trial: int, scores: Any) -> None:
        """The expected advantage of every arm over the others."""
        models = grid_size(self.bases, self.gaps, self.moves)
        beliefs = memory[: models * arms]
        weights = memory[models * arms : models * (arms + 1)]
        score_models(beliefs, weights, scores, arms, self.bases, self.gaps, self.moves)

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Bayes' rule, then the possible switch; the result is always 0."""
        models = grid_size(self.bases, self.gaps, self.moves)
        beliefs = memory[: models * arms]
        weights = memory[models * arms : models * (arms + 1)]
        learn_models(beliefs, weights, arms, self.bases, self.gaps, self.moves, arm, outcome)
        return 0.0
