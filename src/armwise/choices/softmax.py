"""Better scores win more often."""

import math

from armwise.model.component import parameter
from armwise.model.draws import Stream, gumbel
from armwise.model.roles import Choice


def weighed(precision: float, score: float) -> float:
    """Precision times score, and -inf for a score of -inf even if the precision is 0; NaN for NaN.

    >>> weighed(2.0, 0.5), weighed(0.0, -math.inf)
    (1.0, -inf)
    """
    return -math.inf if score == -math.inf else precision * score


class Softmax(Choice):
    """Choose with probability proportional to exp(precision * score): the rule to fit to people."""

    label = "softmax"
    equation = "p(a = k) = exp(precision score[k]) / sum_j exp(precision score[j])"
    reference = "footnote to Eq. exact_ai"
    probabilistic = True

    precision: float = parameter(
        default=1.0, low=0, typical=(0.5, 20), meaning="inverse temperature"
    )

    def key(self, score: float, rng: Stream) -> float:
        """The Gumbel-max trick: the argmax of these keys has the softmax distribution."""
        return weighed(self.precision, score) + gumbel(rng, 0)

    def log_weight(self, score: float) -> float:
        """Precision times score."""
        return weighed(self.precision, score)
