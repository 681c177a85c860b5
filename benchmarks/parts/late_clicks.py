"""A learner that hears of outcomes late, as a site does: clicks after a while, no click never."""

import math
from typing import Any

import armwise as aw
from armwise.model.roles import Assumed

# Places in the memory: views so far, where the counts of this view begin, arms; then the counts.
_SEEN, _NOW, _ARMS, _FIRST = 0, 1, 2, 3
_GOLDEN = 0.6180339887498949  # multiples of it spread evenly over [0, 1)


class Late(aw.Learner):
    """Counts a click when it arrives, and a view without one when `window` more were shown.

    The delays of clicks have an exponential distribution with the mean `wait`; a click later than
    the window counts as none. With a `batch`, what arrived is learned every so many views.
    """

    label = "late"
    equation = "alpha[k] + the clicks of arm k that arrived; beta[k] + the views that expired"
    reference = "a model of late clicks"

    wait: float = aw.parameter(default=0.0, low=0, high=1e6, meaning="mean delay of a click, views")
    window: int = aw.parameter(default=0, low=0, high=100_000, meaning="views until none counts")
    batch: int = aw.parameter(default=1, low=1, high=100_000, meaning="views between two lessons")
    doubtful: bool = aw.parameter(default=False, meaning="whether open views count as no click")
    alpha0: float = aw.parameter(default=1.0, low=1e-3, high=1e6, meaning="prior clicks")
    beta0: float = aw.parameter(default=1.0, low=1e-3, high=1e6, meaning="prior views without")

    def memory_size(self, arms: int) -> int:
        """Counts of clicks and of none, for every arm and every view until the latest arrival."""
        return _FIRST + 2 * arms * (self.window + self.batch + 1)

    def begin(self, memory: Any, arms: int) -> None:
        """Note how many arms there are."""
        memory[_ARMS] = arms

    def assume(self, memory: Any) -> Assumed:
        """Only the prior: rates do not change."""
        return Assumed(0.0, self.alpha0, self.beta0)

    def change(self, memory: Any, arm: int, outcome: int, alpha: float, beta: float) -> float:
        """Put the outcome where it will be found when it arrives; the result is always 0."""
        seen, size = int(memory[_SEEN]), 2 * int(memory[_ARMS])
        ring = self.window + self.batch + 1
        before = _FIRST + (seen - 1) % ring * size
        for place in range(before, before + size):
            memory[place] = 0.0
        late = self.window
        if outcome == 1:
            spread = seen * _GOLDEN % 1.0
            late = min(self.window, int(-self.wait * math.log(1.0 - spread)))
        arrives = (seen + late + self.batch - 1) // self.batch * self.batch
        clicked = 1 if outcome == 1 and (late < self.window or self.window == 0) else 0
        memory[_FIRST + arrives % ring * size + 2 * arm + 1 - clicked] += 1.0
        memory[_NOW] = _FIRST + seen % ring * size
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
        """Count what arrived now."""
        place = int(memory[_NOW]) + 2 * arm
        if not self.doubtful:
            return alpha + memory[place], beta + memory[place + 1]
        if chosen:
            beta += 1.0
        return alpha + memory[place], beta - memory[place]
