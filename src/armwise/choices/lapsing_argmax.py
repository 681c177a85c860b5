"""The best score wins, but for lapses."""

from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Choice


class LapsingArgmax(Choice):
    """Argmax, except that a share of choices is made at random: no choice is impossible.

    With Thompson sampling it is the rule to fit to people, because the draws are noise enough. With
    a policy that does not draw, it is epsilon-greedy choice.
    """

    label = "lapsing"
    equation = "p(a = k) = (1 - lapse) [k = argmax_j score[j]] + lapse / K"
    reference = "Sutton and Barto 1998 (epsilon-greedy)"
    greedy = True

    lapse: float = parameter(
        default=0.05,
        slider=(0, 0.3),
        low=0,
        high=1,
        typical=(0.01, 0.2),
        meaning="share of choices that are made at random",
    )

    def key(self, score: float, rng: Stream) -> float:
        """The score itself."""
        return score

    def lapse_rate(self) -> float:
        """The given share."""
        return self.lapse
