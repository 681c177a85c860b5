"""Compile a bound function with Numba: once per process, and once per machine thanks to a cache."""

import threading
import types
from typing import Any

from armwise.engine import loop
from armwise.engine.binding import Slots, rebind
from armwise.engine.code import values_of
from armwise.engine.fingerprint import code_text, fingerprint
from armwise.engine.kernels import KernelCache, kernel_name
from armwise.engine.reach import code_in
from armwise.engine.records import BUILT
from armwise.engine.source import OWN
from armwise.engine.words import words_of
from armwise.model import ties
from armwise.numerics import beta_quantiles, beta_tails, gamma, normal, student
from armwise.numerics.best_arm import best_arm
from armwise.numerics.best_normal import best_normal

OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "no_cfunc_wrapper": True,
}
FAST = {"reassoc", "contract", "nsz", "arcp"}  # infinities and NaN keep their meaning
INNER: dict[str, Any] = {"no_cpython_wrapper": True}  # called only by compiled code

# Special functions are long and called from several places; everything else is inlined.
SPECIAL = {
    item.__code__
    for module in (beta_quantiles, beta_tails, gamma, normal, student)
    for item in vars(module).values()
    if isinstance(item, types.FunctionType)
} | {best_arm.__code__, best_normal.__code__}
_kernels: dict[str, Any] = {}
_lock = threading.Lock()  # players compile in a thread of their own
_shared: dict[Any, Any] = {}  # compiled functions that kernels call, by code and globals


def compiled(function: Any, slots: Slots, *, hold: bool = False, fast: bool = False) -> Any:
    """The compiled copy of `function` with its names bound; its first call compiles or loads it.

    A short one may `hold` the interpreter's lock: to give it away takes longer than the call. With
    `fast`, sums may be taken in another order, which is what vector instructions need.
    """
    device = "cpu" + ", held" * hold + ", fast" * fast
    name = kernel_name(fingerprint(function, slots, code_text), device)
    with _lock:
        if name not in _kernels:
            outer = OPTIONS | {"nogil": not hold, "fastmath": FAST if fast else False}
            made = _dispatcher(function, slots, outer)
            made._cache = KernelCache(name)
            _kernels[name] = made
        return _kernels[name]


def _dispatcher(function: Any, slots: Slots, outer: dict[str, Any]) -> Any:
    """The function and everything it calls, ready to be compiled at its first call."""
    from numba import njit  # slow to import, hence only when something is compiled

    from armwise.engine import lean

    slots = slots | {ties.maximum: lean.maximum}
    outermost = slots.get(function, function)
    with_loops = {slots[each].__code__ for each in (loop.act, loop.learn) if each in slots}

    def inner(twin: types.FunctionType) -> Any:
        own = twin.__code__.co_filename.startswith((OWN, BUILT))
        lowered = lean.INNER_OWN if own else lean.INNER
        if twin.__code__ in with_loops:
            lowered = lean.MIDDLE_OWN if own else lean.MIDDLE
        options = OPTIONS | INNER | {"forceinline": twin.__code__ not in SPECIAL}
        # A user's code may look beyond the end of an array: that must not end the process.
        made = njit(**options, boundscheck=not own, pipeline_class=lowered)(twin)
        return lean.take_any_value(made) if own else made

    def compiler(twin: Any) -> Any:
        if twin.__code__.co_filename.startswith(OWN):
            for name, plain in (("max", lean.larger), ("min", lean.smaller)):
                if name in twin.__code__.co_names:
                    twin.__globals__[name] = compiler(plain)
        if twin.__code__ is outermost.__code__:
            return njit(**outer, pipeline_class=lean.OUTER)(twin)
        key = _key(twin)
        if key not in _shared:
            _shared[key] = inner(twin)
        return _shared[key]

    return rebind(function, slots, compiler)


def _key(twin: types.FunctionType) -> Any:
    """Two bound functions are the same if their code and the values of all its names are equal."""
    used = set(twin.__code__.co_names)
    values: list[tuple[Any, Any]] = [item for item in twin.__globals__.items() if item[0] in used]
    values += values_of(twin)  # what is in a module may have changed since
    values += enumerate(cell.cell_contents for cell in twin.__closure__ or ())
    values += enumerate(twin.__defaults__ or ())
    return twin.__code__, tuple((name, _identity(value)) for name, value in values)


def _identity(value: Any) -> Any:
    """A value as it is now: 1, 1.0 and True are equal, but a compiler distinguishes them."""
    if isinstance(value, tuple):
        return type(value), tuple(map(_identity, value))
    if code_in(value) is None and not isinstance(value, types.ModuleType):
        return words_of(value) or id(value)
    return id(value)
