"""A mark for the functions that an engine may replace by others, when it binds an agent's code."""

from typing import Any

HOOKS: set[Any] = set()


def hook(function: Any) -> Any:
    """Say that an engine may put another function in the place of this one.

    >>> hook(len) in HOOKS
    True
    """
    HOOKS.add(function)
    return function
