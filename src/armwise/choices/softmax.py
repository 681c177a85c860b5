"""Better scores win more often."""

from armwise.model.component import parameter
from armwise.model.draws import Stream, gumbel
from armwise.model.roles import Choice


class Softmax(Choice):
    """An arm with probability proportional to exp(precision * score): the rule for people."""

    label = "softmax"
    equation = "p(a = k) = exp(precision score[k]) / sum_j exp(precision score[j])"
    reference = "footnote to Eq. exact_ai"
    probabilistic = True

    precision: float = parameter(default=1.0, low=0, meaning="inverse temperature")

    def key(self, score: float, rng: Stream) -> float:
        """The Gumbel-max trick: the argmax of these keys has the softmax distribution."""
        return self.precision * score + gumbel(rng, 0)

    def log_weight(self, score: float) -> float:
        """Precision times score."""
        return self.precision * score
