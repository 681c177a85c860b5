"""A sliding window: only the last outcomes count."""

from typing import Any

from armwise.model.component import parameter
from armwise.model.roles import Assumed, Learner

# Places in the memory: the number of outcomes so far, the entry that leaves now, the window.
_SEEN, _LEAVES, _FIRST = 0, 1, 2
_NOTHING = -1.0


def entry(arm: int, outcome: int) -> float:
    """An arm and its outcome, encoded as one number."""
    return 2.0 * arm + outcome


class SlidingWindow(Learner):
    """Counts only the outcomes of the last `window` trials, of all arms together."""

    label = "window"
    equation = "alpha[k] = alpha0 + successes of arm k in the last `window` trials; beta likewise"
    reference = "Garivier and Moulines 2011; Trovò et al. 2020"

    window: int = parameter(
        default=200,
        slider=(5, 1000),
        low=1,
        high=1_000_000,
        meaning="how many trials are remembered",
    )
    alpha0: float = parameter(
        default=1.0, slider=(0.1, 10), low=1e-3, high=1e6, meaning="prior successes of an arm"
    )
    beta0: float = parameter(
        default=1.0, slider=(0.1, 10), low=1e-3, high=1e6, meaning="prior failures of an arm"
    )

    def memory_size(self, arms: int) -> int:
        """The window and two numbers to manage it."""
        return _FIRST + self.window

    def begin(self, memory: Any, arms: int) -> None:
        """Start with an empty window."""
        memory[_LEAVES] = _NOTHING

    def assume(self, memory: Any) -> Assumed:
        """Only the prior: no change probability is assumed."""
        return Assumed(0.0, self.alpha0, self.beta0)

    def change(self, memory: Any, arm: int, outcome: int, alpha: float, beta: float) -> float:
        """Put the outcome into the window in place of the oldest one; the result is always 0."""
        seen = int(memory[_SEEN])
        place = _FIRST + seen % self.window
        memory[_LEAVES] = memory[place] if seen >= self.window else _NOTHING
        memory[place] = entry(arm, outcome)
        memory[_SEEN] = seen + 1.0
        return 0.0

    def update(
        self,
        memory: Any,
        gamma: float,
        arm: int,
        chosen: bool,
        outcome: int,
        alpha: float,
        beta: float,
    ) -> tuple[float, float]:
        """Count the outcome that entered the window; subtract the one that left."""
        if chosen:
            alpha += outcome
            beta += 1 - outcome
        if memory[_LEAVES] == entry(arm, 1):
            alpha -= 1.0
        if memory[_LEAVES] == entry(arm, 0):
            beta -= 1.0
        return alpha, beta
