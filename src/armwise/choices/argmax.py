"""The best score wins."""

from armwise.model.draws import Stream
from armwise.model.roles import Choice


class Argmax(Choice):
    """The arm with the largest score; ties (to a relative 1e-12) are broken uniformly."""

    label = "argmax"
    equation = "a = argmax_k score[k]"
    reference = "Eq. exact_ai"
    greedy = True

    def key(self, score: float, rng: Stream) -> float:
        """The score itself."""
        return score
