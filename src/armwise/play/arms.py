"""The names of arms."""

import numbers
from typing import Any

from armwise.errors import InputError, brief, listed
from armwise.model.draws import ARMS_MAX

Arm = str | int


def arm_of(value: Any) -> Arm:
    """The name of an arm: a text or a whole number, also one of NumPy; or InputError."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return int(value)
    raise InputError(f"An arm must be a string or a whole number, not {brief(value)}.")


def arms_of(values: Any) -> list[Arm]:
    """The names of the arms of a player; or InputError."""
    arms = [arm_of(value) for value in listed("arms", values, "['a', 'b']")]
    if not 2 <= len(arms) < ARMS_MAX or len(set(arms)) < len(arms):
        raise InputError(f"arms must be at least 2 different ones, not {arms}.")
    return arms
