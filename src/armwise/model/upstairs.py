"""The one door upwards: names that an agent needs from rooms above, looked up when first used."""

import importlib
from typing import Any


def upstairs(module: str, name: str) -> Any:
    """Look up `name` in a module of armwise that stands above this room.

    >>> upstairs("choices", "Argmax")()
    Argmax()
    """
    return getattr(importlib.import_module(f"armwise.{module}"), name)
