"""The fixed bandit: reward probabilities are given and never change."""

from armwise.errors import InputError
from armwise.model.component import parameter
from armwise.model.draws import Stream
from armwise.model.roles import Bandit


class FixedBandit(Bandit):
    """Arm k pays with the k-th of the given probabilities, in every trial."""

    label = "fixed"
    equation = "theta[k] as given"
    reference = "any problem with known means"

    thetas: tuple[float, ...] = parameter(
        default=(0.5, 0.6), low=0, high=1, meaning="reward probability of every arm"
    )
    arms: int = parameter(default=0, low=0, meaning="number of arms (0: as many as thetas)")

    def check(self) -> None:
        """There must be at least two probabilities, one per arm."""
        if len(self.thetas) < 2:
            raise InputError(f"{self.label}: thetas must name at least two arms.")
        if self.arms not in (0, len(self.thetas)):
            raise InputError(
                f"{self.label}: arms must be {len(self.thetas)}, as many as thetas, "
                f"not {self.arms}."
            )
        object.__setattr__(self, "arms", len(self.thetas))

    def start(self, rng: Stream) -> float:
        """The only state."""
        return 0.0

    def move(self, state: float, trial: int, rng: Stream) -> float:
        """Nothing changes."""
        return state

    def theta(self, state: float, arm: int, previous: float, rng: Stream) -> float:
        """The given probability of the arm."""
        return self.thetas[arm]

    def random_rate(self) -> float:
        """The best probability minus the mean of all."""
        return max(self.thetas) - sum(self.thetas) / len(self.thetas)
