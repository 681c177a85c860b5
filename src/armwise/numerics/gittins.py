"""Gittins indices of Bernoulli arms with a flat prior.

The index of an arm is the sure reward per trial that is worth as much as the arm, if the player may
leave the arm for it at any time. It is found by calibration: the value of the arm is computed
backwards for many sure rewards, then interpolated to the reward at which leaving and playing on
are worth the same.
"""

import numpy as np

MOST = 500  # most outcomes of an arm in a table; with more, the mean serves as the index
SIZE = (MOST + 1) * (MOST + 2) // 2  # entries of a table
BEYOND = 2  # the backward computation begins at this multiple of the most outcomes
REWARDS = 401  # number of sure rewards that are compared


def place(successes: int, failures: int) -> int:
    """The position of an arm's index in a table.

    >>> place(0, 0), place(0, 1), place(1, 0), place(0, 2)
    (0, 1, 2, 3)
    """
    total = successes + failures
    return total * (total + 1) // 2 + successes


def index_table(discount: float, most: int = MOST) -> np.ndarray:
    """The indices of all arms with at most `most` outcomes, ordered by `place`.

    >>> round(float(index_table(0.9, 50)[0]), 3)
    0.703
    """
    sure = np.linspace(0.0, 1.0, REWARDS)
    last = BEYOND * most
    means = (1.0 + np.arange(last + 1)) / (2.0 + last)
    value = np.maximum(means[:, None], sure) / (1.0 - discount)
    found: list[np.ndarray] = []
    for total in range(last - 1, -1, -1):
        mean = ((1.0 + np.arange(total + 1)) / (2.0 + total))[:, None]
        going_on = mean * (1.0 + discount * value[1:]) + (1.0 - mean) * discount * value[:-1]
        leaving = sure / (1.0 - discount)
        if total <= most:
            found.append(_crossing(going_on - leaving, sure))
        value = np.maximum(going_on, leaving)
    return np.concatenate(found[::-1])


def worths_of(indices: np.ndarray) -> np.ndarray:
    """Every index minus the entropy of the arm's next outcome, ordered by `place`."""
    totals = np.arange(MOST + 1).repeat(np.arange(MOST + 1) + 1)
    successes = np.arange(SIZE) - totals * (totals + 1) // 2
    mean = (1.0 + successes) / (2.0 + totals)
    entropy = -(mean * np.log(mean) + (1.0 - mean) * np.log1p(-mean))
    return indices - entropy


def _crossing(advantage: np.ndarray, sure: np.ndarray) -> np.ndarray:
    """The sure reward at which each row, which decreases from above 0 to below, crosses 0."""
    after = np.clip((advantage > 0.0).sum(axis=1), 1, len(sure) - 1)
    rows = np.arange(len(advantage))
    high, low = advantage[rows, after - 1], advantage[rows, after]
    part = np.divide(high, high - low, out=np.zeros_like(high), where=high > low)
    return sure[after - 1] + np.clip(part, 0.0, 1.0) * (sure[after] - sure[after - 1])
