"""The fixed Gaussian bandit: mean outcomes are given and never change."""

from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream, normal
from armwise.model.forms import REAL
from armwise.model.roles import Bandit


class FixedGaussianBandit(Bandit):
    """Real outcomes around the given means, in every trial."""

    label = "fixed-gaussian"
    equation = "theta[k] as given, o ~ N(theta, noise^2)"
    reference = "any problem with known means"
    outcomes = REAL

    means: tuple[float, ...] = parameter(default=(0.0, 1.0), meaning="mean outcome of every arm")
    noise: float = parameter(
        default=1.0,
        slider=(0, 5),
        low=0,
        high=1e6,
        meaning="standard deviation of an outcome around its mean",
    )
    arms: int = parameter(default=0, low=0, meaning="number of arms (0: as many as means)")

    def check(self) -> None:
        """There must be at least two means, one per arm."""
        if len(self.means) < 2:
            raise InputError(f"{self.label}: means must name at least two arms.")
        if self.arms not in (0, len(self.means)):
            raise InputError(
                f"{self.label}: arms must be {len(self.means)}, as many as means, not {self.arms}."
            )
        object.__setattr__(self, "arms", len(self.means))

    def start(self, rng: Stream) -> float:
        """The only state."""
        return 0.0

    def move(self, state: float, trial: int, rng: Stream) -> float:
        """Nothing changes."""
        return state

    def theta(self, state: float, arm: int, previous: float, rng: Stream) -> float:
        """The given mean of the arm."""
        return self.means[arm]

    def luck(self, rng: Stream) -> float:
        """The noise of the outcome."""
        return self.noise * normal(rng, 0)

    def random_rate(self) -> float:
        """The best mean minus the mean of all."""
        return max(self.means) - sum(self.means) / len(self.means)
