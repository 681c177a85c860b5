"""The fingerprint of code: a hash of everything that a function can reach.

The name of a stored cell is made from source text, which is equal in every version of Python. The
name of a kernel is made from bytecode, because that is what is compiled. Values that code finds by
name are part of both. A value that cannot be put into words is refused, because a name would not
depend on it.
"""

import ast
import enum
import hashlib
import sys
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from armwise.engine.binding import Slots, methods_of
from armwise.engine.code import values_of
from armwise.engine.source import is_own, plain_text, source_tree
from armwise.errors import InputError
from armwise.model.component import Component

_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic)
_LIBRARIES = sys.stdlib_module_names | {"builtins", "numpy", "numba", "llvmlite", "armwise"}


def fingerprint(
    function: Any,
    slots: Slots,
    text: Callable[[FunctionType], str] | None = None,
    words: Callable[[FunctionType, str, Any], str] | None = None,
) -> str:
    """A hash of everything that `function` can reach; it changes if and only if that does.

    `text` describes a function, `words` describes a value.
    """
    text, words = text or source_text, words or named
    digest = hashlib.sha256()
    seen = set()
    waiting = [function]
    while waiting:
        current = waiting.pop()
        current = slots.get(current, current)
        if current in seen:
            continue
        seen.add(current)
        digest.update(text(current).encode())
        for name, value in _found_by(current):
            called = value if isinstance(value, FunctionType) else getattr(value, "py_func", None)
            if called is not None:
                waiting.append(called)
            if called is not value:
                digest.update(f"{name}={words(current, name, value)};".encode())
    return digest.hexdigest()


def stamp(component: Component) -> str:
    """A hash of the code of a user's component; empty for a component of armwise.

    As long as it is equal, kernels made from the component in this process are valid.
    """
    if is_own(component):
        return ""
    methods = methods_of(component)
    return "".join(fingerprint(method, {}, code_text, _shown) for method in methods)


def _found_by(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """All values that a function finds by name: globals, enclosing variables, defaults."""
    for path, value in values_of(function):
        yield ".".join(path), value
    names = function.__code__.co_freevars
    for name, cell in zip(names, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents
    for place, value in enumerate(function.__defaults__ or ()):
        yield f"default {place}", value
    yield from (function.__kwdefaults__ or {}).items()


def _shown(function: FunctionType, name: str, value: Any) -> str:
    return _words(value) or repr(value)


def named(function: FunctionType, name: str, value: Any) -> str:
    """A value in words that identify it; raise InputError if there are none."""
    words = _words(value)
    if words is None and is_own(function):  # such as an object of numba.cuda
        return f"{type(value).__module__}.{type(value).__qualname__}"
    if words is None:
        kind = "an" if type(value).__name__[0] in "aeiou" else "a"
        raise InputError(
            f"{function.__qualname__} uses {name}, {kind} {type(value).__name__}: results are "
            "named by all that they depend on, and this has no name. Use numbers, text, tuples, "
            'NumPy arrays and functions; device="python" runs any Python, slowly.'
        )
    return words


def _words(value: Any) -> str | None:
    if isinstance(value, enum.Enum):
        return f"{type(value).__qualname__}.{value.name} = {value.value!r}"
    if isinstance(value, tuple):
        parts = [_words(each) for each in value]
        names = f"{type(value).__name__}{getattr(value, '_fields', '')}"
        return None if None in parts else f"{names}{parts}"
    if isinstance(value, _PLAIN):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, np.ndarray):
        content = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return None if value.dtype.hasobject else f"{value.dtype.str} {value.shape} {content}"
    if isinstance(value, ModuleType):
        return f"module {value.__name__}"
    if hasattr(value, "py_func"):  # compiled by Numba: its code is hashed as well
        return f"compiled {sorted(getattr(value, 'targetoptions', {}).items())}"
    if isinstance(value, type) and hasattr(value, "_fields"):
        return f"{value.__name__}{value._fields}"
    if isinstance(value, type) and issubclass(value, enum.Enum):
        return f"{value.__qualname__} {[(each.name, each.value) for each in value]}"
    return _words_of_a_library(value)


def _words_of_a_library(value: Any) -> str | None:
    """The name of an object that comes with a library, or None."""
    name = getattr(value, "__qualname__", getattr(value, "__name__", None))
    module = "numpy" if isinstance(value, np.ufunc) else getattr(value, "__module__", None)
    module = module or type(getattr(value, "__self__", None)).__module__  # a bound method
    known = str(module).partition(".")[0] in _LIBRARIES
    return f"{module}.{name}" if name and known else None


def source_text(function: FunctionType) -> str:
    """The source without comments, annotations and docstrings; the bytecode if there is none."""
    tree = source_tree(function)
    if tree is None:
        return code_text(function)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            node.decorator_list = []
            for argument in node.args.args:
                argument.annotation = None
            if ast.get_docstring(node) is not None:
                node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def code_text(function: FunctionType) -> str:
    """The bytecode of a function as text, without line numbers and docstring."""
    return plain_text(function.__code__, function.__doc__)
