"""The Gaussian bandit: mean outcomes are drawn once, and stay."""

from armwise.bandits._normal import expected_best
from armwise.model.component import parameter
from armwise.model.draws import ARMS_MAX, Stream, normal
from armwise.model.forms import REAL
from armwise.model.roles import Bandit


class GaussianBandit(Bandit):
    """Real outcomes around means that are drawn from a normal distribution at the start."""

    label = "gaussian"
    equation = "theta[k] ~ N(mean0, sd0^2), o ~ N(theta, noise^2)"
    reference = "Sutton and Barto 2018, section 2.3"
    outcomes = REAL

    arms: int = parameter(
        default=10, slider=(2, 20), low=2, high=ARMS_MAX - 1, meaning="number of arms"
    )
    mean0: float = parameter(default=0.0, slider=(-5, 5), meaning="centre of the arms' means")
    sd0: float = parameter(
        default=1.0,
        slider=(0.1, 5),
        low=0,
        high=1e6,
        meaning="standard deviation of the arms' means",
    )
    noise: float = parameter(
        default=1.0,
        slider=(0, 5),
        low=0,
        high=1e6,
        meaning="standard deviation of an outcome around its mean",
    )

    def start(self, rng: Stream) -> float:
        """The only state."""
        return 0.0

    def move(self, state: float, trial: int, rng: Stream) -> float:
        """Nothing changes."""
        return state

    def theta(self, state: float, arm: int, previous: float, rng: Stream) -> float:
        """A draw of the arm's mean."""
        return self.mean0 + self.sd0 * normal(rng, 0)

    def luck(self, rng: Stream) -> float:
        """The noise of the outcome."""
        return self.noise * normal(rng, 0)

    def random_rate(self) -> float:
        """The expected largest of K means, minus the mean of one."""
        return self.sd0 * expected_best(self.arms)
