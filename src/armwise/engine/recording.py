"""The quantities recorded in a trial, and their places in a line."""

from typing import Any

from armwise.numerics.hook import hook

ARM, OUTCOME, GAMMA, THETAS = 0, 1, 2, 3  # of a simulation; then alpha, beta
# Of recorded choices: places of single numbers, and the first of alpha, beta, score, probability.
LOG_PROBABILITY, CHANGE, RHO, ALPHA0, BETA0, FOLLOWED = 0, 1, 2, 3, 4, 5

TRACED = ("alpha", "beta", "score", "probability")  # one number per arm
RECORDABLE = ("arm", "outcome", "gamma", "theta", "alpha", "beta", "mean", "variance")
_PER_ARM = {"theta": 0, "alpha": 1, "beta": 2, "mean": 1, "variance": 2}


def width_of(names: Any, arms: int) -> int:
    """The length of a line in which these quantities are recorded.

    >>> width_of(["arm", "alpha"], arms=2), width_of([], arms=2)
    (9, 0)
    """
    if not names:
        return 0
    return THETAS + arms * (3 if set(names) - set(RECORDABLE[:4]) else 1)


def place_of(name: str, arms: int) -> Any:
    """The place of a quantity in a line: an index, or a slice for one number per arm.

    >>> place_of("gamma", arms=2), place_of("beta", arms=2)
    (2, slice(7, 9, None))
    """
    if name in ("arm", "outcome", "gamma"):
        return (ARM, OUTCOME, GAMMA)[RECORDABLE.index(name)]
    first = THETAS + arms * _PER_ARM[name]
    return slice(first, first + arms)


def followed_place(name: str, arms: int) -> slice:
    """The place of alpha, beta, score or probability in a line of recorded choices.

    >>> followed_place("beta", arms=2)
    slice(7, 9, None)
    """
    first = FOLLOWED + arms * TRACED.index(name)
    return slice(first, first + arms)


@hook
def take_down(
    line: Any, arm: int, outcome: int, gamma: float, arms: int, thetas: Any, table: Any
) -> None:
    """Record a trial besides its regret: does nothing unless the engine binds `record`."""


def record(
    line: Any, arm: int, outcome: int, gamma: float, arms: int, thetas: Any, table: Any
) -> None:
    """Write arm, outcome, gamma and thetas into a line, and the beliefs if there is room."""
    line[ARM] = arm
    line[OUTCOME] = outcome
    line[GAMMA] = gamma
    for k in range(arms):
        line[THETAS + k] = thetas[k]
    if len(line) > THETAS + arms:
        for k in range(arms):
            line[THETAS + arms + k] = table[0][k]
            line[THETAS + 2 * arms + k] = table[1][k]


def slots_of_recording(width: int) -> dict[Any, Any]:
    """Replace `take_down` by `record` if lines have a width above 0."""
    return {take_down: record} if width else {}
