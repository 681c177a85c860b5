"""What is played at once, and how it ended."""

from typing import Any, NamedTuple


class Stretch(NamedTuple):
    """What is played at once: trials `begin` to `end` of `agents` agents from `first` on."""

    seed_low: int
    seed_high: int
    first: int
    agents: int
    arms: int
    begin: int
    end: int
    mark: int  # the number of the first checkpoint that is not over


def stretch_of(numbers: Any) -> Stretch:
    """A stretch from its numbers, as an engine passes them."""
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


FINE, THETA, CHOICE = 0, 1, 2  # nothing is wrong; a theta out of range; a choice that is no arm


class End(NamedTuple):
    """The trial at which a stretch ended; if something was wrong there, of which agent and arm."""

    trial: int
    wrong: int
    row: int
    arm: int
