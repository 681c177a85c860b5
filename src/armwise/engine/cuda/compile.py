"""Compile a bound kernel for a card: once per process, and once per machine thanks to a cache."""

import functools
import importlib.metadata
from typing import Any

from numba import config, cuda

from armwise.engine.binding import Slots, rebind
from armwise.engine.compile import SPECIAL
from armwise.engine.fingerprint import code_text, fingerprint
from armwise.engine.kernels import KernelCache, kernel_name


def compiled(function: Any, slots: Slots) -> Any:
    """The compiled copy of a kernel with its names bound; its first launch compiles or loads it."""
    made = rebind(function, slots, functools.partial(_compiled, function))
    device = f"cuda {importlib.metadata.version('numba-cuda')}"
    name = kernel_name(fingerprint(function, slots, code_text), device)
    made._cache = KernelCache(name, _reduce, _rebuild)
    return made


def _compiled(outermost: Any, twin: Any) -> Any:
    return cuda.jit(twin) if twin.__code__ is outermost.__code__ else device_function(twin)


def device_function(twin: Any) -> Any:
    """A compiled function that kernels call; all but the long special functions are inlined."""
    if config.ENABLE_CUDASIM:  # the simulator does not accept options
        return cuda.jit(device=True)(twin)
    return cuda.jit(device=True, forceinline=twin.__code__ not in SPECIAL)(twin)


def _reduce(made: Any) -> Any:
    return made._reduce_states()


def _rebuild(target: Any, states: Any) -> Any:
    from numba.cuda.dispatcher import _Kernel

    return _Kernel._rebuild(**states)
