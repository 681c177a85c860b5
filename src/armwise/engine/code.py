"""Facts from Python's bytecode: which names a function uses and which arguments it reads."""

import dis
import functools
import itertools
import types
from collections.abc import Iterator
from typing import Any


def globals_of(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The global names that a function uses, with their values."""
    for name in dict.fromkeys(path[0] for path in global_paths(function.__code__)):
        if name in function.__globals__:
            yield name, function.__globals__[name]


def values_of(function: types.FunctionType) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The values that a function finds by global names, including attributes of modules.

    >>> def area(radius):
    ...     return math.pi * radius**2
    >>> import math
    >>> list(values_of(area))
    [(('math', 'pi'), 3.141592653589793)]
    """
    for path in global_paths(function.__code__):
        if path[0] not in function.__globals__:
            continue
        value, read = function.__globals__[path[0]], 1
        while read < len(path) and isinstance(value, types.ModuleType):
            if not hasattr(value, path[read]):
                break
            value, read = getattr(value, path[read]), read + 1
        yield path[:read], value


@functools.cache
def global_paths(code: types.CodeType) -> tuple[tuple[str, ...], ...]:
    """The global names in a code object and in functions inside it, with attributes read of them.

    >>> global_paths(compile("def f(): return g(h.x.y)", "", "exec").co_consts[0])
    (('g',), ('h', 'x', 'y'))
    """
    paths = []
    steps = [step for step in dis.get_instructions(code) if step.opname not in _IN_BETWEEN]
    for place, step in enumerate(steps):
        if step.opname == "LOAD_GLOBAL":
            rest = itertools.takewhile(lambda s: s.opname in _ATTRIBUTE, steps[place + 1 :])
            paths.append((step.argval, *(each.argval for each in rest)))
    inner = [item for item in code.co_consts if isinstance(item, types.CodeType)]
    paths += [path for each in inner for path in global_paths(each)]
    return tuple(dict.fromkeys(paths))


@functools.cache
def imports_in(code: types.CodeType) -> tuple[str, ...]:
    """The modules that a code object, or a function inside it, imports while it runs.

    >>> imports_in(compile("def f(): import math; return math.pi", "", "exec").co_consts[0])
    ('math',)
    """
    found = [step.argval for step in dis.get_instructions(code) if step.opname == "IMPORT_NAME"]
    inner = [item for item in code.co_consts if isinstance(item, types.CodeType)]
    return tuple(dict.fromkeys(found + [name for each in inner for name in imports_in(each)]))


_ATTRIBUTE = ("LOAD_ATTR", "LOAD_METHOD")
_IN_BETWEEN = ("EXTENDED_ARG", "PUSH_NULL", "CACHE")


def reads(function: types.FunctionType, name: str) -> bool:
    """Whether a function reads its argument `name`; True in doubt.

    >>> reads(lambda trial, rng: trial + 1, "trial"), reads(lambda trial, rng: trial + 1, "rng")
    (True, False)
    """
    values = [step.argval for step in dis.get_instructions(function)]
    flat = [item for value in values for item in (value if isinstance(value, tuple) else (value,))]
    return name in flat
