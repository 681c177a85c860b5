"""A value that code finds by name, in words that identify it.

A value without such words is refused, because a name made from it would not depend on it.
"""

import enum
import hashlib
import sys
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from armwise.engine.reach import code_in, is_of_a_library
from armwise.engine.source import is_own
from armwise.errors import InputError

_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic)
_ARRAYS = (np.ndarray, np.memmap, np.recarray)  # no masks, no units
_OF_UFUNCS = ("numpy", "scipy.special")


def named(function: FunctionType, name: str, value: Any) -> str:
    """A value in words that identify it; raise InputError if there are none."""
    words = words_of(value)
    if words is None and is_own(function):  # such as an object of numba.cuda
        return f"{type(value).__module__}.{type(value).__qualname__}"
    if words is None and isinstance(value, ModuleType):
        raise InputError(
            f"{function.__qualname__} uses the module {name} as a value: import it at the top of "
            f"the file, and write {name.rpartition('.')[2]}.NAME for what is in it."
        )
    if words is None:
        kind = "class" if isinstance(value, type) else type(value).__name__
        article = "an" if kind[0] in "aeiou" else "a"
        raise InputError(
            f"{function.__qualname__} uses {name}, {article} {kind}: results are named by all that "
            "they depend on, and this has no name. Use numbers, text, tuples, NumPy arrays and "
            'functions; device="python" runs any Python, slowly, outside of sweeps.'
        )
    return words


def words_of(value: Any) -> str | None:
    """A value in words that identify it, or None; code is hashed elsewhere."""
    if isinstance(value, enum.Enum):
        return f"{type(value).__qualname__}.{value.name} = {value.value!r}"
    if isinstance(value, tuple):
        parts = [None if code_in(each) else words_of(each) for each in value]
        names = f"{type(value).__name__}{getattr(value, '_fields', '')}"
        known = None not in parts and is_plain_class(type(value))
        return f"{names}{parts}" if known else None
    if isinstance(value, np.ndarray | np.void):
        return _array(value)
    if isinstance(value, _PLAIN):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, ModuleType):
        return f"module {value.__name__}" if is_of_a_library(value.__name__) else None
    if code_in(value) is not None:
        return f"compiled {sorted(getattr(value, 'targetoptions', {}).items())}"
    if isinstance(value, type) and hasattr(value, "_fields"):
        defaults = getattr(value, "_field_defaults", {})
        words = [words_of(each) for each in defaults.values()]
        text = f"{value.__name__}{value._fields}{list(zip(defaults, words, strict=True)) or ''}"
        return None if None in words or not is_plain_class(value) else text
    if isinstance(value, type) and issubclass(value, enum.Enum):
        return f"{value.__qualname__} {[(each.name, each.value) for each in value]}"
    return _words_of_a_library(value)


def _array(value: Any) -> str | None:
    if value.dtype.hasobject or (isinstance(value, np.ndarray) and type(value) not in _ARRAYS):
        return None
    content = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    kind = value.dtype.str if value.dtype.names is None else repr(value.dtype)
    return f"{kind} {value.shape} {content}"


def is_plain_class(kind: type) -> bool:
    """Whether a class of tuples has fields and nothing else: no methods, no other values."""
    fields = getattr(kind, "_fields", ())
    more = {name for name in vars(kind) if not name.startswith("_")} - set(fields)
    return kind is tuple or is_of_a_library(kind.__module__) or not more


def _words_of_a_library(value: Any) -> str | None:
    """The name under which a library has this very object, or None."""
    name = str(getattr(value, "__qualname__", getattr(value, "__name__", None)))
    homes = _OF_UFUNCS if isinstance(value, np.ufunc) else (getattr(value, "__module__", None),)
    for home in homes:
        home = str(home or "builtins")
        found: Any = sys.modules.get(home)
        for each in name.split("."):
            found = getattr(found, each, None)
        if found is value and is_of_a_library(home.replace("scipy.special", "numpy")):
            return f"{home}.{name}"
    return None
