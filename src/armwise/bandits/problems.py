"""Bandits by name: the robustness instances, piecewise problems 1 to 3, worlds of all kinds.

Their outcomes are 0 and 1, but for those of `REAL_VALUED`.
"""

from armwise.bandits.drifting import DriftingBandit
from armwise.bandits.fixed import FixedBandit
from armwise.bandits.permuted import PermutedBandit
from armwise.bandits.piecewise import PiecewiseBandit
from armwise.bandits.redrawn import RedrawnBandit
from armwise.bandits.restless import RestlessBandit
from armwise.bandits.reversal import ReversalBandit
from armwise.bandits.reverting import RevertingBandit
from armwise.bandits.stationary import StationaryBandit
from armwise.bandits.switching import SwitchingBandit
from armwise.bandits.varying import VaryingBandit
from armwise.model.roles import Bandit

HORIZON = 5_000  # of the piecewise problems


def _segments(*rows: tuple[float, ...]) -> PiecewiseBandit:
    length = HORIZON // len(rows)
    return PiecewiseBandit(
        arms=len(rows[0]),
        means=tuple(value for row in rows for value in row),
        changes=tuple(float(number * length + 1) for number in range(1, len(rows))),
    )


# Ten arms each. A policy that claims to be general should do well on all of them.
INSTANCES: dict[str, Bandit] = {
    "uniform": VaryingBandit(arms=10, rho=0.0),
    "near-tie": FixedBandit(thetas=(0.6, 0.57, *[0.5] * 8)),
    "linear": FixedBandit(thetas=tuple(round(0.1 + 0.8 * arm / 9, 4) for arm in range(10))),
    "high": FixedBandit(thetas=(0.9, *[0.8] * 9)),
    "low": FixedBandit(thetas=(0.2, *[0.1] * 9)),
    "near-tie-and-poor": FixedBandit(thetas=(0.6, 0.57, *[0.3] * 8)),
}

# Besson, Kaufmann, Maillard and Seznec 2022; three arms, equal segments, 5000 trials.
PIECEWISE: dict[str, PiecewiseBandit] = {
    "problem-1": _segments(
        (0.3, 0.5, 0.9), (0.3, 0.2, 0.9), (0.3, 0.2, 0.1), (0.7, 0.2, 0.1), (0.7, 0.5, 0.1)
    ),
    "problem-2": _segments(
        (0.4, 0.5, 0.9), (0.5, 0.4, 0.7), (0.6, 0.3, 0.5), (0.7, 0.2, 0.3), (0.8, 0.1, 0.1)
    ),
    "problem-3": _segments((0.1, 0.2, 0.9), (0.4, 0.9, 0.1), (0.5, 0.1, 0.2), (0.2, 0.2, 0.3)),
}

# Worlds that differ in all that may differ. An agent that claims to do well in any world should.
WORLDS: dict[str, Bandit] = {
    "clicks": RedrawnBandit(arms=8, low=0.01, high=0.04, interval=2_500),
    "one-good-click": SwitchingBandit(arms=5, p=0.02, epsilon=0.02, rho=0.0005),
    "high-bases": RedrawnBandit(arms=12, low=0.8, high=0.98, interval=300),
    "low-bases": RedrawnBandit(arms=5, low=0.05, high=0.25, interval=400),
    "high-and-one-better": SwitchingBandit(arms=15, p=0.8, epsilon=0.15, rho=0.01),
    "few-are-good": RedrawnBandit(arms=30, alpha=1.0, beta=12.0, interval=1_000),
    "all-or-nothing": RedrawnBandit(arms=4, alpha=0.2, beta=0.2, interval=60),
    "all-middling": RedrawnBandit(arms=8, alpha=10.0, beta=10.0, interval=250),
    "one-of-five": RedrawnBandit(arms=5, single=True, interval=150),
    "one-of-thirty": RedrawnBandit(arms=30, single=True, interval=30),
    "one-of-eight-low": RedrawnBandit(arms=8, low=0.02, high=0.3, single=True, interval=100),
    "six-permuted": PermutedBandit(thetas=(0.15, 0.3, 0.45, 0.6, 0.75, 0.9), interval=120),
    "four-rotating": PermutedBandit(thetas=(0.8, 0.6, 0.4, 0.2), shift=True, interval=80),
    "two-reversed": ReversalBandit(arms=2, low=0.3, high=0.7, interval=200),
    "two-reversed-regularly": ReversalBandit(arms=2, low=0.1, high=0.9, interval=50, stages=50),
    "six-reversed": ReversalBandit(arms=6, interval=150),
    "slow-drift": DriftingBandit(arms=6, sigma=0.03),
    "fast-drift": DriftingBandit(arms=12, sigma=0.12),
    "reverting-drift": RevertingBandit(arms=8, sigma=0.15, pull=0.02),
    "regular-redraws": RedrawnBandit(arms=6, interval=150, stages=150),
    "two-still": VaryingBandit(arms=2, rho=0.0),
    "hundred-still": VaryingBandit(arms=100, rho=0.0),
    "one-good-still": StationaryBandit(arms=15, p=0.3, epsilon=0.1),
    "every-ten-trials": RedrawnBandit(arms=5, interval=10),
    "hundred-redrawn": RedrawnBandit(arms=100, interval=500),
    "rare-redraws": RedrawnBandit(arms=12, interval=4_000),
    "three-fast": SwitchingBandit(arms=3, epsilon=0.3, rho=0.03),
    "two-redrawn": RedrawnBandit(arms=2, interval=50),
}

# Real outcomes.
REAL_VALUED: dict[str, Bandit] = {"daw-2006": RestlessBandit()}

PROBLEMS: dict[str, Bandit] = INSTANCES | PIECEWISE | WORLDS | REAL_VALUED
