"""Learned preferences (LP-AI): approximate active inference whose precision is learned.

New in armwise. In A-AI the precision lam encodes an assumed gap between the best arm and the others
(see `armwise.theory`). LP-AI estimates the gap to all other arms pooled, and takes the precision
that suits it. A confidence bound caps the bonus where an arm's evidence rules it out. It does well
in bandits with one good arm among equals, and poorly if the second best is nearly as good.
"""

import math
from typing import Any

from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Assumed, Policy
from armwise.numerics.divergence import kl, kl_upper


def gap_of(best: float, successes: float, outcomes: float) -> float:
    """Estimated gap between the leader and the pooled others, at least its resolution.

    The resolution is 1 / sqrt(n + 2), n the outcomes of the others.
    """
    others = (successes + 1.0) / (outcomes + 2.0)
    return min(0.5, max(best - others, 1.0 / math.sqrt(outcomes + 2.0)))


def bonus_of(gap: float, past: float, rivals: float) -> float:
    """The weight c = 1 / (4 lam) of the bonus for this gap.

    The larger of the weight that suits the gap, and one that never gets stuck on a bad arm.
    """
    wide = math.log(math.e + past)
    suited = math.log(math.e + 8.0 * gap * gap * past / rivals) / (12.0 * gap)
    return max(suited, wide * wide / 32.0)


class LearnedPreferences(Policy):
    """A-AI with lam from the estimated gap, capped by a confidence bound."""

    label = "LP-AI"
    equation = "min(mu + c / nu, U), c = 1 / (4 lam) from the gap of leader and pooled others"
    reference = "new in armwise"
    term_names = ("lam", "bonus", "cap")

    caution: float = parameter(
        default=1.0,
        slider=(0, 3),
        low=0,
        high=1e6,
        meaning="factor of the evidence level of the cap U",
    )

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """The trial and the prior; places for the leader's mean and evidence and for the sums."""
        return float(trial), assumed.alpha0, assumed.beta0, -1.0, 0.0, 0.0, 0.0

    def gather(self, shared: Any, arm: int, alpha: float, beta: float) -> Any:
        """Update the sums and the leader: the best mean, at equality that with more evidence."""
        trial, alpha0, beta0, best, most, successes, outcomes = shared
        nu = alpha + beta
        mu = alpha / nu
        leads = mu > best or (mu == best and nu > most)
        return (
            trial,
            alpha0,
            beta0,
            mu if leads else best,
            nu if leads else most,
            successes + (alpha - alpha0),
            outcomes + (nu - alpha0 - beta0),
        )

    def conclude(self, shared: Any, arms: int) -> Any:
        """The trial, c and the leader's mean."""
        trial, alpha0, beta0, best, most, successes, outcomes = shared
        successes -= best * most - alpha0
        outcomes -= most - alpha0 - beta0
        gap = gap_of(best, max(successes, 0.0), max(outcomes, 0.0))
        return trial, bonus_of(gap, trial - 1.0, arms - 1.0), best

    def bounds(self, shared: Any, arm: int, alpha: float, beta: float) -> tuple[float, float]:
        """An upper bound: the mean plus the bonus without a cap."""
        return -math.inf, (alpha + shared[1]) / (alpha + beta)

    def lookahead_floor(self, shared: Any, arm: int, alpha: float, beta: float) -> float:
        """The leader's mean, which is never above its score."""
        mu = alpha / (alpha + beta)
        return mu if mu >= shared[2] else -math.inf

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """The mean plus the bonus, capped where the evidence rules it out."""
        trial, bonus, _ = shared
        nu = alpha + beta
        mu = alpha / nu
        hoped = mu + bonus / nu
        allowed = self.caution * math.log(1.0 + trial / nu) / nu
        if hoped < 1.0 and kl(mu, hoped) <= allowed:
            return hoped
        return min(hoped, kl_upper(mu, allowed))

    def terms(self, shared: Any, alpha: float, beta: float) -> tuple[float, ...]:
        """The learned precision, the bonus and the cap."""
        trial, bonus, _ = shared
        nu = alpha + beta
        allowed = self.caution * math.log(1.0 + trial / nu) / nu
        cap = kl_upper(alpha / nu, allowed)
        return 1.0 / (4.0 * bonus), bonus / nu, cap
