"""What a function can reach: every value that its code finds by a name."""

import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

from armwise.engine.code import imports_in, values_of

_LIBRARIES = sys.stdlib_module_names | {"builtins", "numpy", "numba", "llvmlite", "armwise"}


def found_by(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """All values that a function finds: globals, enclosing variables, defaults, imports.

    >>> def area(radius, pi=3.0):
    ...     return pi * radius**2
    >>> list(found_by(area))
    [('default 0', 3.0)]
    """
    for path, value in values_of(function):
        yield from _each(".".join(path), value)
    names = function.__code__.co_freevars
    for name, cell in zip(names, function.__closure__ or (), strict=True):
        yield from _each(name, cell.cell_contents)
    for place, value in enumerate(function.__defaults__ or ()):
        yield from _each(f"default {place}", value)
    for name, value in (function.__kwdefaults__ or {}).items():
        yield from _each(name, value)
    for name in imports_in(function.__code__):
        yield name, sys.modules.get(name) or ModuleType(name)


def _each(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A value, or the functions and other values in a tuple of functions."""
    if type(value) is tuple and holds_code(value):
        for place, item in enumerate(value):
            yield from _each(f"{name}[{place}]", item)
    else:
        yield name, value


def holds_code(value: Any) -> bool:
    """Whether a value is a function, compiled or not, or a tuple with one."""
    if type(value) is tuple:
        return any(map(holds_code, value))
    return isinstance(value, FunctionType) or code_in(value) is not None


def code_in(value: Any) -> FunctionType | None:
    """The Python function in what Numba makes of one; None elsewhere."""
    found = getattr(value, "py_func", None)
    return found if isinstance(found, FunctionType) else None


def uncompiled(value: Any) -> Any:
    """The Python function of one that a user compiled, so that armwise compiles what it hashed.

    Numba keeps the values that globals had at its first call, and does not look for the ends of
    arrays.
    """
    code = code_in(value)
    return value if code is None or is_of_a_library(str(code.__module__)) else code


def is_of_a_library(module: str) -> bool:
    """Whether a module comes with Python, NumPy, Numba or armwise.

    >>> is_of_a_library("numpy.linalg"), is_of_a_library("mine")
    (True, False)
    """
    return module.partition(".")[0] in _LIBRARIES
