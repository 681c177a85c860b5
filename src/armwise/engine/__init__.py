"""Engines, which run the loop on a device. Nothing outside this package depends on a backend."""

import functools
import importlib
import importlib.util
import warnings
from typing import Any

from armwise.errors import InputError, unknown

DEVICES = ("auto", "cpu", "cuda", "python")


def engine_named(device: str) -> Any:
    """The module of an engine, with `prepare(plan)` and (cpu and python only) `replay(...)`."""
    return importlib.import_module(f"armwise.engine.{device}")


def resolved(device: str) -> str:
    """Resolve `auto` to cuda or cpu; raise InputError if the requested device is unavailable.

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
    warnings.warn(f"{missing} Computing on the CPU instead.", stacklevel=3)
    return "cpu"


def following_device(device: str) -> str:
    """Like `resolved`, for likelihoods: recorded choices are followed by compiled code only.

    >>> following_device("cpu")
    'cpu'
    """
    if device == "python":
        raise InputError("Likelihoods are computed on the device cpu or cuda, not on python.")
    return resolved(device)


@functools.cache
def missing_for_cuda() -> str | None:
    """A sentence that says why the engine `cuda` cannot run here, or None if it can."""
    if importlib.util.find_spec("numba_cuda") is None:
        return 'The device cuda needs numba-cuda: pip install "armwise[cuda]".'
    from numba import cuda

    if not cuda.is_available():
        return "The device cuda needs an NVIDIA card and its driver, and none was found."
    return None
