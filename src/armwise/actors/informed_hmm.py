"""The informed agent for the switching bandit: a hidden Markov model of the best arm."""

from typing import Any

from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Actor
from armwise.model.ties import choice_stream, largest


def likelihood(theta: float, outcome: int) -> float:
    """The probability of an outcome of an arm with this theta."""
    return theta if outcome else 1.0 - theta


class InformedHMM(Actor):
    """Knows p, epsilon and rho, and chooses the arm that is most probably the best now.

    No agent with less knowledge can expect a smaller regret in the next trial, which makes this the
    bound to compare with in the switching bandit of fixed difficulty.
    """

    label = "HMM"
    equation = "W <- (1 - rho - rho / (K - 1)) W + rho / (K - 1), then Bayes; argmax W"
    reference = "Baum et al. 1970, for this bandit"

    epsilon: float = parameter(
        default=0.1, slider=(0, 0.5), low=0, high=1, meaning="advantage of the best arm"
    )
    rho: float = parameter(
        default=0.01, slider=(0, 0.1), low=0, high=1, meaning="probability of a switch in a trial"
    )
    p: float = parameter(
        default=0.5, slider=(0, 1), low=0, high=1, meaning="reward probability of the other arms"
    )

    def check(self) -> None:
        """The sum p + epsilon must be a probability."""
        if self.p + self.epsilon > 1.0:
            total = self.p + self.epsilon
            raise InputError(f"{self.label}: p + epsilon must be at most 1, not {total:g}.")

    def memory_size(self, arms: int) -> int:
        """The probability of every arm to be the best."""
        return arms

    def begin(self, memory: Any, arms: int) -> None:
        """Set all probabilities equal."""
        for arm in range(arms):
            memory[arm] = 1.0 / arms

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The arm that is most probably the best."""
        return largest(memory, arms, choice_stream(rng))

    def score_arms(self, memory: Any, arms: int, trial: int, scores: Any) -> None:
        """The probability of every arm to be the best."""
        for arm in range(arms):
            scores[arm] = memory[arm]

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Bayes' rule, then the possible switch; the result is always 0."""
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
