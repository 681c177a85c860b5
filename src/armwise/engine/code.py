"""Facts from Python's bytecode: which names a function uses and which arguments it reads."""

import dis
import functools
import types
from collections.abc import Iterator
from typing import Any


def globals_of(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The global names that a function uses, with their values."""
    for name in global_names(function.__code__):
        if name in function.__globals__:
            yield name, function.__globals__[name]


@functools.cache
def global_names(code: types.CodeType) -> tuple[str, ...]:
    """The global names in a code object and in the functions inside it, in order.

    >>> global_names(compile("def f(): return g(h)", "", "exec").co_consts[0])
    ('g', 'h')
    """
    steps = dis.get_instructions(code)
    names = [step.argval for step in steps if step.opname == "LOAD_GLOBAL"]
    inner = [item for item in code.co_consts if isinstance(item, types.CodeType)]
    names += [name for each in inner for name in global_names(each)]
    return tuple(dict.fromkeys(names))


def reads(function: types.FunctionType, name: str) -> bool:
    """Whether a function reads its argument `name`; True in doubt.

    >>> reads(lambda trial, rng: trial + 1, "trial"), reads(lambda trial, rng: trial + 1, "rng")
    (True, False)
    """
    values = [step.argval for step in dis.get_instructions(function)]
    flat = [item for value in values for item in (value if isinstance(value, tuple) else (value,))]
    return name in flat
