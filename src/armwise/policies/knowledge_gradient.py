"""Knowledge gradient (KG): what one more outcome is expected to be worth."""

from typing import Any

from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Assumed, Policy


def worth(alpha: float, beta: float, rival: float) -> float:
    """How much one outcome is expected to raise the better of an arm's mean and a rival's.

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
    """The mean, plus for every trial ahead the gain expected from one more outcome."""

    label = "KG"
    equation = "mu + ahead * (E[max mu after the outcome] - max mu now)"
    reference = "Ryzhov, Powell and Frazier 2012"

    ahead: float = parameter(
        default=0.0, low=0, meaning="trials that are still to come (0: as many as there were)"
    )

    def prepare(self, trial: int, arms: int, assumed: Assumed, rng: Stream) -> Any:
        """The trials ahead, and the two best means, not known yet."""
        return self.ahead if self.ahead > 0.0 else float(trial), 0.0, 0.0

    def gather(self, shared: Any, arm: int, alpha: float, beta: float) -> Any:
        """The two best means."""
        ahead, best, second = shared
        mu = alpha / (alpha + beta)
        return ahead, max(best, mu), max(second, min(best, mu))

    def score(self, shared: Any, arm: int, alpha: float, beta: float, rng: Stream) -> float:
        """The mean and the worth of an outcome; an arm's rival is the best of the others."""
        ahead, best, second = shared
        mu = alpha / (alpha + beta)
        return mu + ahead * worth(alpha, beta, second if mu >= best else best)

    def terms(self, shared: Any, alpha: float, beta: float) -> dict[str, float]:
        """What one outcome is worth."""
        _, best, second = shared
        rival = second if alpha / (alpha + beta) >= best else best
        return {"worth": worth(alpha, beta, rival)}
