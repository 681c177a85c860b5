"""The informed agent of the switching world: a hidden Markov model of which arm is best."""

from typing import Any

from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Actor
from armwise.model.ties import choice_stream, largest


def likelihood(theta: float, outcome: int) -> float:
    """The probability of an outcome of an arm that pays with theta."""
    return theta if outcome else 1.0 - theta


class InformedHMM(Actor):
    """Knows p, epsilon and rho, and chooses the arm that is most probably the best now.

    No agent that is told less can expect a smaller regret in the next trial: the bound to compare
    with in the switching world of fixed difficulty.
    """

    label = "HMM"
    equation = "W <- (1 - rho - rho / (K - 1)) W + rho / (K - 1), then Bayes; argmax W"
    reference = "Baum et al. 1970, for this world"

    epsilon: float = parameter(default=0.1, low=0, high=1, meaning="advantage of the best arm")
    rho: float = parameter(
        default=0.01, low=0, high=1, meaning="probability of a switch in a trial"
    )
    p: float = parameter(default=0.5, low=0, high=1, meaning="reward probability of the other arms")

    def check(self) -> None:
        """The best arm's probability must be one."""
        if self.p + self.epsilon > 1.0:
            total = self.p + self.epsilon
            raise InputError(f"{self.label}: p + epsilon must be at most 1, not {total:g}.")

    def memory_size(self, arms: int) -> int:
        """How probable it is of every arm that it is the best."""
        return arms

    def begin(self, memory: Any, arms: int) -> None:
        """All alike."""
        for arm in range(arms):
            memory[arm] = 1.0 / arms

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The most probable one."""
        return largest(memory, arms, choice_stream(rng))

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Bayes, then the switch that may come."""
        best = likelihood(self.p + self.epsilon, outcome)
        other = likelihood(self.p, outcome)
        total = 0.0
        for k in range(arms):
            memory[k] *= best if k == arm else other
            total += memory[k]
        arrives = self.rho / (arms - 1.0)
        for k in range(arms):
            known = memory[k] / total if total > 0.0 else 1.0 / arms
            memory[k] = (1.0 - self.rho - arrives) * known + arrives
        return 0.0
