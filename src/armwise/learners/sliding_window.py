"""A sliding window: only the last outcomes count."""

from dataclasses import InitVar
from typing import Any

from armwise.model.component import parameter
from armwise.model.roles import Assumed, Learner

# Places in the memory: the number of outcomes so far, the entry that leaves now, the window.
_SEEN, _LEAVES, _FIRST = 0, 1, 2
_NOTHING = -1.0


def entry(arm: int, outcome: int) -> float:
    """An arm and its outcome, encoded as one number."""
    return 2.0 * arm + outcome


def still_here(ring: Any, seen: int, window: int, places: list[int]) -> list[float]:
    """The entries of a ring, oldest first, without those of arms that left, at their new places.

    >>> ring = [entry(2, 1), entry(0, 1), entry(1, 0)]  # the oldest is that of arm 0
    >>> still_here(ring, 4, 3, [-1, 2, 0])
    [5.0, 3.0]
    >>> still_here(ring, 4, 3, [2, 1, 0]) == [entry(2, 1), entry(1, 0), entry(0, 1)]
    True
    """
    first = seen % window if seen >= window else 0
    count = min(seen, window)
    new = {old: place for place, old in enumerate(places) if old >= 0}
    found = [int(ring[(first + step) % window]) for step in range(count)]
    return [entry(new[each // 2], each % 2) for each in found if each // 2 in new]


class SlidingWindow(Learner):
    """Counts only the outcomes of the last `window` trials, of all arms together."""

    label = "window"
    equation = "alpha[k] = alpha0 + successes of arm k in the last `window` trials; beta likewise"
    reference = "Garivier and Moulines 2011; Trovò et al. 2020"

    window: int = parameter(
        default=200, low=1, high=1_000_000, meaning="how many trials are remembered"
    )
    alpha0: float = parameter(default=1.0, low=1e-3, high=1e6, meaning="prior successes of an arm")
    beta0: float = parameter(default=1.0, low=1e-3, high=1e6, meaning="prior failures of an arm")
    prior: InitVar[tuple[float, float] | None] = None  # mean and weight, for alpha0 and beta0

    def memory_size(self, arms: int) -> int:
        """The window and two numbers to manage it."""
        return _FIRST + self.window

    def rearranged(self, memory: Any, arms: int, places: list[int]) -> list[float]:
        """The outcomes of an arm that left leave the window; those of the others move up."""
        seen = int(memory[_SEEN])
        left = still_here(memory[_FIRST:], seen, self.window, places)
        return [float(len(left)), _NOTHING, *left, *([0.0] * (self.window - len(left)))]

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
