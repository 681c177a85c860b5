"""A prior with whole numbers, for actors with tables of Gittins indices."""

from dataclasses import InitVar

from armwise.actors.gittins_bocpd import refuse_fractions
from armwise.model.component import parameter
from armwise.model.roles import Actor


class WholePrior(Actor):
    """Base of actors whose prior is a number of successes and failures."""

    alpha0: float = parameter(
        default=1.0, slider=(1, 10), low=1, high=1e6, meaning="prior successes of an arm"
    )
    beta0: float = parameter(
        default=1.0, slider=(1, 10), low=1, high=1e6, meaning="prior failures of an arm"
    )
    prior: InitVar[tuple[float, float] | None] = None  # mean and weight, for alpha0 and beta0

    def check(self) -> None:
        """Gittins indices are tabulated for whole numbers."""
        refuse_fractions(self.label, self.alpha0, self.beta0)
