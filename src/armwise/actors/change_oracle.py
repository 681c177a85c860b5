"""An agent that knows every change of the varying bandit: the bound to compare with there."""

from functools import cached_property
from typing import Any

from armwise.actors._tables import index_table
from armwise.model.component import parameter
from armwise.model.draws import BANDIT, EVERY_ARM, NOT_DRAWN, Stream, uniform
from armwise.model.roles import Actor
from armwise.model.ties import choice_stream, largest
from armwise.numerics.gittins import MOST


def redrawn(rng: Stream, rho: float) -> bool:
    """Whether the varying bandit changes in this trial, by looking at its (addressed) draw."""
    its_own = Stream(
        rng.seed_low, rng.seed_high, rng.agent, BANDIT, rng.trial, EVERY_ARM, NOT_DRAWN
    )
    return uniform(its_own, 1) < rho


class ChangeOracle(Actor):
    """Restarts when all arms change, and chooses by Gittins indices in between."""

    label = "change-oracle"
    equation = "argmax g(S, F) since the last change, g for the discount 1 - rho"
    reference = "Gittins 1979"
    tables = ("indices",)

    rho: float = parameter(
        default=0.01,
        slider=(0.001, 0.1),
        low=1e-3,
        high=0.5,
        meaning="probability of a change in a trial",
    )

    @cached_property
    def indices(self) -> tuple[float, ...]:
        """The Gittins indices for the discount 1 - rho."""
        return index_table(1.0 - self.rho)

    def memory_size(self, arms: int) -> int:
        """Successes, failures and indices."""
        return 3 * arms

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The arm with the largest index; all outcomes are forgotten after a change."""
        if redrawn(rng, self.rho):
            for place in range(2 * arms):
                memory[place] = 0.0
        scores = memory[2 * arms :]
        for arm in range(arms):
            successes = memory[arm]
            total = successes + memory[arms + arm]
            scores[arm] = (1.0 + successes) / (2.0 + total)
            if total <= MOST:
                scores[arm] = self.indices[int(0.5 * total * (total + 1.0) + successes)]
        return largest(scores, arms, choice_stream(rng))

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Count the outcome; return 1.0 if there was a change in this trial."""
        memory[arm] += outcome
        memory[arms + arm] += 1 - outcome
        return 1.0 if redrawn(rng, self.rho) else 0.0
