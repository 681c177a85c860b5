"""The Kalman filter of a restless bandit with real outcomes."""

from typing import Any

from armwise.model.component import parameter
from armwise.model.forms import NORMAL
from armwise.model.roles import Assumed, Learner


class KalmanFilter(Learner):
    """The mean and the variance of every arm, whose mean outcome decays to a centre and diffuses.

    It is exact for `RestlessBandit` with the same numbers. Its gamma is the Kalman gain, the share
    of a prediction error that is learned. The belief in a trial is the one before its outcome, with
    the diffusion since the last; with decay 1 and diffusion 0 arms are stationary. Only the ratios
    of sd0, diffusion and noise move the means, so a fit should hold one of them.
    """

    label = "Kalman"
    equation = (
        "gain = v[a] / (v[a] + noise^2), m[a] <- m[a] + gain (o - m[a]), v[a] <- (1 - gain) v[a]; "
        "all: m <- decay m + (1 - decay) centre, v <- decay^2 v + diffusion^2"
    )
    reference = "Kalman 1960; Daw et al. 2006"
    beliefs = NORMAL

    mean0: float = parameter(
        default=50.0, slider=(0, 100), typical=(20, 80), meaning="mean of the first belief"
    )
    sd0: float = parameter(
        default=15.5,
        slider=(1, 50),
        low=0,
        high=1e6,
        open_low=True,
        typical=(3, 50),
        meaning="standard deviation of the first belief",
    )
    decay: float = parameter(
        default=0.9836,
        slider=(0.8, 1),
        low=0,
        high=1,
        typical=(0.8, 0.995),
        meaning="part of the distance from the centre that is left after a trial",
    )
    centre: float = parameter(
        default=50.0, slider=(0, 100), typical=(20, 80), meaning="mean to which all arms return"
    )
    diffusion: float = parameter(
        default=2.8,
        slider=(0, 20),
        low=0,
        high=1e6,
        typical=(0.5, 20),
        meaning="standard deviation of a step of the means",
    )
    noise: float = parameter(
        default=4.0,
        slider=(1, 20),
        low=0,
        high=1e6,
        open_low=True,
        typical=(1, 20),
        meaning="standard deviation of an outcome around its mean",
    )

    def assume(self, memory: Any) -> Assumed:
        """The first mean and variance, in the places of alpha0 and beta0; no sudden changes."""
        return Assumed(0.0, self.mean0, self.sd0 * self.sd0)

    def touches_all_arms(self, gamma: float) -> bool:
        """True unless arms are taken to be stationary."""
        return self.decay < 1.0 or self.diffusion > 0.0

    def change(self, memory: Any, arm: int, outcome: float, mean: float, variance: float) -> float:
        """The Kalman gain of the chosen arm."""
        return variance / (variance + self.noise * self.noise)

    def update(
        self,
        memory: Any,
        gamma: float,
        arm: int,
        chosen: bool,
        outcome: float,
        mean: float,
        variance: float,
    ) -> tuple[float, float]:
        """Learn the outcome of the chosen arm; then let every arm decay and diffuse."""
        if chosen:
            mean = mean + gamma * (outcome - mean)
            variance = (1.0 - gamma) * variance
        return (
            self.decay * mean + (1.0 - self.decay) * self.centre,
            self.decay * self.decay * variance + self.diffusion * self.diffusion,
        )
