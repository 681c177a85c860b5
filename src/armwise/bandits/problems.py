"""Problems of the literature by name: the robustness instances, and piecewise problems 1 to 3."""

from armwise.bandits.fixed import FixedBandit
from armwise.bandits.piecewise import PiecewiseBandit
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

PROBLEMS: dict[str, Bandit] = INSTANCES | PIECEWISE
