"""A stretch of trials that is played at once, and how it ended."""

from typing import Any, NamedTuple


class Stretch(NamedTuple):
    """Trials `begin` to `end` of the agents `first` to `first + agents - 1`."""

    seed_low: int
    seed_high: int
    first: int
    agents: int
    arms: int
    begin: int
    end: int
    mark: int  # index of the first checkpoint not yet reached


def stretch_of(numbers: Any) -> Stretch:
    """Build a stretch from the numbers that an engine passes."""
    return Stretch(
        numbers[0],
        numbers[1],
        numbers[2],
        numbers[3],
        numbers[4],
        numbers[5],
        numbers[6],
        numbers[7],
    )


FINE, THETA, CHOICE = 0, 1, 2  # no error; a theta out of range; a choice that is not an arm


class End(NamedTuple):
    """The trial at which a stretch ended, and the error (FINE if none) with its agent and arm."""

    trial: int
    wrong: int
    row: int
    arm: int
