"""The one door upwards: names that an agent needs from rooms above, looked up when first used."""

import importlib
from typing import Any


def upstairs(module: str, name: str) -> Any:
    """`name` from a module of armwise that may import this room.

    >>> upstairs("choices", "Argmax")()
    Argmax()
    """
    return getattr(importlib.import_module(f"armwise.{module}"), name)
