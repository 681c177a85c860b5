"""An agent for worlds in which one arm is better than all others, which are alike, and moves."""

from typing import Any

import numpy as np

from armwise.actors._moving import (
    Grid,
    Moving,
    begin_moving,
    learn_moving,
    moving,
    moving_size,
    score_moving,
)
from armwise.actors.averaged_hmm import rearranged_best
from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Actor
from armwise.model.ties import choice_stream, largest


class Moved(Actor):
    """Base of agents that consider one better arm which moves."""

    bases: int = parameter(
        default=17,
        slider=(5, 50),
        low=3,
        high=1_000,
        meaning="grid size of the logit of the other arms, which follows the evidence",
    )
    gaps: tuple[float, ...] = parameter(
        default=(0.2, 0.4, 0.8, 1.4),
        low=0.01,
        high=10,
        meaning="grid of the advantage of the good arm, in logits",
    )
    moves: tuple[float, ...] = parameter(
        default=(1e-5, 0.001, 0.005, 0.02),
        low=1e-6,
        high=0.5,
        meaning="grid of the probability that the good arm moves",
    )

    def check(self) -> None:
        """No grid may be empty."""
        super().check()
        for name in ("gaps", "moves"):
            if not self.parameters()[name]:
                raise InputError(f"{self.label}: {name} must have at least one number.")


def grid_of(agent: Any) -> Grid:
    """The grids of an agent."""
    return Grid(agent.bases, agent.gaps, agent.moves)


def moved_size(agent: Any, arms: int) -> int:
    """The length of the memory."""
    return moving_size(arms, Grid(agent.bases, agent.gaps, agent.moves))


def moved(agent: Any, memory: Any, arms: int) -> Moving:
    """The memory by name."""
    return moving(memory, arms, Grid(agent.bases, agent.gaps, agent.moves))


def learn_moved(agent: Any, memory: Any, arms: int, trial: int, arm: int, outcome: int) -> float:
    """Bayes' rule; return the probability of the outcome."""
    grid = Grid(agent.bases, agent.gaps, agent.moves)
    return learn_moving(moving(memory, arms, grid), arms, grid, trial, arm, outcome)


def score_moved(agent: Any, memory: Any, arms: int, scores: Any) -> None:
    """Write the score of every arm."""
    grid = Grid(agent.bases, agent.gaps, agent.moves)
    score_moving(moving(memory, arms, grid), arms, grid, scores)


def best_by_model(known: Moving, arms: int) -> np.ndarray:
    """The probability of every arm to be the good one, a row for each model."""
    factor, offset = np.asarray(known.factor)[:, None], np.asarray(known.offset)[:, None]
    return factor * np.asarray(known.belief).reshape(-1, arms) + offset


def rearranged_moved(agent: Any, memory: Any, arms: int, places: list[int]) -> list[float]:
    """The memory once arms came or went.

    A new arm is the good one as probably as any was at first; if the good one left, it moved.
    """
    known = moved(agent, memory, arms)
    rows = best_by_model(known, arms).tolist()
    belief = [value for row in rows for value in rearranged_best(row, places)]
    numbers = np.zeros(moved_size(agent, len(places)))
    found = moved(agent, numbers, len(places))
    begin_moving(found, len(places), grid_of(agent))
    found.belief[:] = belief
    for name in ("head", "weight", "low", "high", "dull", "lively"):
        getattr(found, name)[:] = getattr(known, name)
    return numbers.tolist()


def facts_of_moved(agent: Any, memory: Any, arms: int) -> dict[str, Any]:
    """Expected thetas, which arm is the good one, how often it moves, and what the others pay."""
    known = moved(agent, memory, arms)
    best, weight = best_by_model(known, arms), np.asarray(known.weight)
    low, high = np.asarray(known.low), np.asarray(known.high)
    means = (low * weight).sum() + ((high - low) * weight) @ best
    rates = np.asarray(known.arrives) * (arms - 1)
    return {
        "mean": means.tolist(),
        "best": (weight @ best).tolist(),
        "rate of changes": float(weight @ rates),
        "the others pay": float(weight @ low),
    }


class MovingBest(Moved):
    """One arm pays more than all others and moves; which arm, and how it is, is learned."""

    label = "best-moves"
    equation = "sum of e[g] theta[g, k] + c P(hardly moves) I(o; g, k*), c = 6"
    reference = "the informed HMM on a grid that follows the evidence: new in armwise"

    def memory_size(self, arms: int) -> int:
        """A belief about the arms for every model, and what models share."""
        return moved_size(self, arms)

    def rearranged(self, memory: Any, arms: int, places: list[int]) -> list[float]:
        """A new arm is the best as probably as any was at first; if the best left, it moved."""
        return rearranged_moved(self, memory, arms, places)

    def begin(self, memory: Any, arms: int) -> None:
        """All bases and all arms alike."""
        begin_moving(moved(self, memory, arms), arms, grid_of(self))

    def facts(self, memory: Any, arms: int) -> dict[str, Any]:
        """Expected thetas, the good arm, and its moves."""
        return facts_of_moved(self, memory, arms)

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The arm with the largest expected theta, and curiosity if nothing moves."""
        scores = moved(self, memory, arms).score
        score_moved(self, memory, arms, scores)
        return largest(scores, arms, choice_stream(rng))

    def score_arms(self, memory: Any, arms: int, trial: int, scores: Any) -> None:
        """The expected theta, and curiosity if nothing moves."""
        score_moved(self, memory, arms, scores)

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Bayes' rule, then the possible move; the result is always 0."""
        learn_moved(self, memory, arms, trial, arm, outcome)
        return 0.0
