"""The mean plus an information bonus of any sign: A-AI as people are fitted with it."""

from typing import Any

from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Policy


class InformationBonus(Policy):
    """The mean plus the approximate information gain of A-AI, in units of the mean.

    A-AI with `lam` chooses as this does with bonus = 1 / (2 lam) and 2 lam times its precision; but
    here the bonus may be 0 or negative, as for people who avoid what they do not know.
    """

    label = "info-bonus"
    equation = "mu + bonus / (2 nu)"
    reference = "Eq. approx_ai; Wilson et al. 2014"
    term_names = ("extrinsic", "intrinsic")

    bonus: float = parameter(
        default=1.0,
        slider=(-2, 4),
        typical=(-1, 3),
        meaning="weight of the information gain; below 0 it repels",
    )

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """Mean and bonus; one division keeps ties exact."""
        return (alpha + 0.5 * self.bonus) / (alpha + beta)

    def terms(self, shared: Any, alpha: float, beta: float) -> tuple[float, ...]:
        """The mean, and what the bonus adds to it."""
        nu = alpha + beta
        return alpha / nu, 0.5 * self.bonus / nu
