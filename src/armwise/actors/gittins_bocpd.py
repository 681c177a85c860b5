"""BOCPD with Gittins indices: an arm is worth what optimal stopping makes of it."""

import math
from functools import cached_property
from typing import Any

from armwise.component import parameter
from armwise.gittins import MOST, index_table
from armwise.grammar import Actor
from armwise.hypotheses import (
    USED,
    appraise,
    change_now,
    expect_change,
    laid_out,
    observe,
    room_for,
    since,
    start,
)
from armwise.mind import choice_stream, largest
from armwise.random import Stream


def stopping_worth(table: Any, successes: float, failures: float) -> float:
    """The Gittins index less the entropy of the next outcome.

    With the entropy of the average it is the index and the information about the change.
    """
    total = successes + failures
    mean = (1.0 + successes) / (2.0 + total)
    index = mean
    if total <= MOST:
        index = table[int(0.5 * total * (total + 1.0) + successes)]
    return index + mean * math.log(mean) + (1.0 - mean) * math.log(1.0 - mean)


class GittinsBOCPD(Actor):
    """As BOCPD; extrinsic value by Gittins indices, epistemic value about the change alone."""

    label = "BOCPD-Gittins"
    equation = "sum of w[j] g_j + H(mu) - sum of w[j] H(mu[j]), g for the discount 1 - rho"
    reference = "Gittins 1979; with change information: new in armwise"
    tables = ("indices",)

    rho: float = parameter(
        default=0.01, low=1e-3, high=0.5, meaning="probability of a change in a trial"
    )
    most: int = parameter(default=100, low=2, high=10_000, meaning="hypotheses that are kept")

    @cached_property
    def indices(self) -> tuple[float, ...]:
        """Gittins indices."""
        return index_table(1.0 - self.rho)

    def memory(self, arms: int) -> int:
        """The hypotheses."""
        return room_for(arms, self.most, 1)

    def begin(self, memory: Any, arms: int) -> None:
        """Nothing is known of any arm."""
        known = laid_out(memory, arms, self.most, 1)
        start(known, arms, self.most, 1, stopping_worth(self.indices, 0.0, 0.0))

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The arm with the largest sum of both values."""
        known = laid_out(memory, arms, self.most, 1)
        appraise(known, arms)
        return largest(known.score, arms, choice_stream(rng))

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Bayes over the hypotheses; returns how probable a change was."""
        known = laid_out(memory, arms, self.most, 1)
        observe(known, arms, self.most, 1, arm, outcome)
        for number in range(int(known.head[USED])):
            successes, failures = since(known, self.most, arm, number)
            worth = stopping_worth(self.indices, successes, failures)
            known.worth[number * arms + arm] = worth
        gamma = change_now(known)
        fresh = stopping_worth(self.indices, 0.0, 0.0)
        expect_change(known, arms, self.most, (self.rho,), fresh)
        return gamma
