"""What Python's own code says: which names a function uses, and which arguments it reads."""

import dis
import types
from collections.abc import Iterator
from typing import Any


def globals_of(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The global names a function uses, with their values."""
    codes = [function.__code__]
    seen = set()
    while codes:
        code = codes.pop()
        codes += [item for item in code.co_consts if isinstance(item, types.CodeType)]
        for step in dis.get_instructions(code):
            name = step.argval
            if step.opname == "LOAD_GLOBAL" and name in function.__globals__ and name not in seen:
                seen.add(name)
                yield name, function.__globals__[name]


def reads(function: types.FunctionType, name: str) -> bool:
    """Whether a function reads its argument `name`; where that is not sure, it does.

    >>> reads(lambda trial, rng: trial + 1, "trial"), reads(lambda trial, rng: trial + 1, "rng")
    (True, False)
    """
    values = [step.argval for step in dis.get_instructions(function)]
    flat = [item for value in values for item in (value if isinstance(value, tuple) else (value,))]
    return name in flat
