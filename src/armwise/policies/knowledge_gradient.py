"""Knowledge gradient (KG): the expected worth of one more outcome."""

from typing import Any

from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Assumed, Policy


def worth(alpha: float, beta: float, rival: float) -> float:
    """The expected increase, by one outcome of an arm, of the larger of its mean and a rival's.

    >>> round(worth(1.0, 1.0, 0.5), 12) == round((2 / 3 - 1 / 2) / 2, 12)
    True
    """
    nu = alpha + beta
    mu = alpha / nu
    after = mu * max((alpha + 1.0) / (nu + 1.0), rival) + (1.0 - mu) * max(
        alpha / (nu + 1.0), rival
    )
    return max(after - max(mu, rival), 0.0)


class KnowledgeGradient(Policy):
    """The mean plus the expected gain from one more outcome, in every trial ahead."""

    label = "KG"
    equation = "mu + ahead * (E[max mu after the outcome] - max mu now)"
    reference = "Ryzhov, Powell and Frazier 2012"
    term_names = ("worth",)

    ahead: float = parameter(
        default=0.0,
        slider=(0, 1000),
        low=0,
        meaning="number of trials still to come (0: as many as so far)",
    )

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """The trials ahead, and places for the two best means."""
        return self.ahead if self.ahead > 0.0 else float(trial), 0.0, 0.0

    def gather(self, shared: Any, arm: int, alpha: float, beta: float) -> Any:
        """Update the two best means."""
        ahead, best, second = shared
        mu = alpha / (alpha + beta)
        return ahead, max(best, mu), max(second, min(best, mu))

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """The mean plus the worth of an outcome; an arm's rival is the best of the others."""
        ahead, best, second = shared
        mu = alpha / (alpha + beta)
        return mu + ahead * worth(alpha, beta, second if mu >= best else best)

    def terms(self, shared: Any, alpha: float, beta: float) -> tuple[float, ...]:
        """The expected worth of one outcome."""
        _, best, second = shared
        rival = second if alpha / (alpha + beta) >= best else best
        return (worth(alpha, beta, rival),)
