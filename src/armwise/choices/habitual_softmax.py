"""Better scores win more often; habit, a preferred side and lapses add to it."""

from armwise.choices.softmax import weighed
from armwise.model.component import parameter
from armwise.model.draws import Stream, gumbel
from armwise.model.roles import Choice


class HabitualSoftmax(Choice):
    """Softmax with what people and animals add to it: the choice to fit where they repeat.

    With the default values it chooses as `Softmax` does. `stick` above 0 repeats earlier choices,
    below 0 avoids them; `pace` = 1 means the last choice only, less means a trace of many.
    """

    label = "habitual"
    equation = (
        "p(a = k) = (1 - lapse) softmax(precision score[k] + stick habit[k] + bias [k = side]) "
        "+ lapse / K; habit[k] += pace ([k = a] - habit[k])"
    )
    reference = "Lau and Glimcher 2005; Wilson and Collins 2019"
    probabilistic = True

    precision: float = parameter(
        default=1.0, slider=(0, 20), low=0, typical=(0.5, 20), meaning="inverse temperature"
    )
    stick: float = parameter(
        default=0.0,
        slider=(-2, 3),
        typical=(-1, 4),
        meaning="weight of the habit: of one's own earlier choices",
    )
    pace: float = parameter(
        default=1.0,
        slider=(0, 1),
        low=0,
        high=1,
        typical=(0.1, 0.9),
        meaning="how fast a habit follows choices",
    )
    lapse: float = parameter(
        default=0.0,
        slider=(0, 0.3),
        low=0,
        high=1,
        typical=(0.005, 0.15),
        meaning="share of choices at random",
    )
    bias: float = parameter(
        default=0.0, slider=(-2, 2), typical=(-1, 1), meaning="what is added for the arm at `side`"
    )
    side: int = parameter(default=0, low=0, meaning="the arm to which the bias belongs")

    def key(self, score: float, rng: Stream) -> float:
        """The Gumbel-max trick: the argmax of these keys has the softmax distribution."""
        return weighed(self.precision, score) + gumbel(rng, 0)

    def log_weight(self, score: float) -> float:
        """Precision times score."""
        return weighed(self.precision, score)

    def lean(self, arm: int, habit: float) -> float:
        """The habit's weight times the habit, and the bias."""
        return self.stick * habit + (self.bias if arm == self.side else 0.0)

    def habit_pace(self) -> float:
        """The given pace."""
        return self.pace

    def lapse_rate(self) -> float:
        """The given share."""
        return self.lapse
