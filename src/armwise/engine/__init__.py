"""Engines: what runs the loop. Nothing outside this package knows a backend."""

import importlib
from typing import Any

from armwise.errors import unknown

ENGINES = ("cpu", "python")


def engine(name: str) -> Any:
    """The module of an engine; it has `prepare(plan)`, `run(plan, report)`, `replay(...)`."""
    if name not in ENGINES:
        raise unknown("engine", name, ENGINES)
    return importlib.import_module(f"armwise.engine.{name}")
