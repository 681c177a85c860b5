"""Engines: what runs the loop. Nothing outside this package knows a backend."""

import functools
import importlib
import importlib.util
import warnings
from typing import Any

from armwise.errors import InputError, unknown

DEVICES = ("auto", "cpu", "cuda", "python")


def engine_named(device: str) -> Any:
    """The module of an engine; it has `prepare(plan)`, `run(plan, report)`, `replay(...)`."""
    return importlib.import_module(f"armwise.engine.{device}")


def resolved(device: str) -> str:
    """The device that is meant, if it can be had: `auto` is a card if there is one.

    >>> resolved("cpu")
    'cpu'
    """
    if not isinstance(device, str) or device not in DEVICES:
        raise unknown("device", device, DEVICES)
    if device not in ("auto", "cuda"):
        return device
    missing = missing_for_cuda()
    if missing is None:
        return "cuda"
    if device == "cuda":
        raise InputError(missing)
    warnings.warn(f"{missing} The cpu computes instead.", stacklevel=3)
    return "cpu"


@functools.cache
def missing_for_cuda() -> str | None:
    """What keeps the engine `cuda` from running here, in a sentence."""
    if importlib.util.find_spec("numba_cuda") is None:
        return 'The device cuda needs numba-cuda: pip install "armwise[cuda]".'
    from numba import cuda

    if not cuda.is_available():
        return "The device cuda needs an NVIDIA card and its driver, and none was found."
    return None
