"""Compiler errors about a user's code, in one sentence."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from armwise.engine.source import OWN, is_own
from armwise.errors import InputError

_PLACE = re.compile(r'File "([^"]+)", line (\d+):')
_UNKNOWN_CALL = re.compile(r"No implementation of function Function\(<built-in function (\w+)>\)")
_SAYS_NOTHING = ("Failed in", "During:", "File ", "<source elided>")


@contextmanager
def compiler_in_words(parts: Any) -> Iterator[None]:
    """Turn an error of Numba about a user's components into an InputError."""
    try:
        yield
    except InputError:
        raise
    except Exception as problem:
        own = [part for part in parts if not is_own(part)]
        if not own:
            raise
        raise InputError(sentence(", ".join(part.label for part in own), str(problem))) from None


@contextmanager
def failing_in_words(parts: Any, agents: range, trials: range) -> Iterator[None]:
    """Turn an exception in compiled code of a user into an InputError."""
    try:
        yield
    except InputError:
        raise
    except (IndexError, ArithmeticError, TypeError, ValueError, AssertionError) as problem:
        own = ", ".join(part.label for part in parts if not is_own(part))
        if not own:
            raise
        raise InputError(
            f"{own} failed between trials {trials[0]} and {trials[-1]} of agents {agents[0]} to "
            f"{agents[-1]} ({type(problem).__name__}: {str(problem).rstrip('.')}); "
            'device="python" shows where, slowly.'
        ) from None


def sentence(names: str, text: str) -> str:
    """The reason and the line of the user's file, extracted from the compiler's message.

    >>> print(sentence("Mine", 'Failed in pipeline\\nUnknown x.\\n\\nFile "/mine.py", line 3:'))
    Mine cannot be compiled (/mine.py, line 3): Unknown x. Compiled code knows numbers, tuples of \
numbers, and the arrays it is given; device="python" runs any Python, slowly.
    """
    places = [(os.path.abspath(file), line) for file, line in _PLACE.findall(text)]
    places = [place for place in places if not place[0].startswith(OWN)]
    where = f" ({places[-1][0]}, line {places[-1][1]})" if places else ""
    lines = (line.strip() for line in text.splitlines())
    reasons = [line for line in lines if line and not line.startswith(_SAYS_NOTHING)]
    reason = reasons[0].rstrip(".: ") if reasons else "no reason is known"
    if "NRT required" in reason:
        reason = "it makes a list, a dictionary, a text or an array"
    if "unify return type" in reason:
        reason = "a function returns values of different kinds"
    if "exception_match" in reason:
        reason = "it catches exceptions of one kind, and here `except Exception` alone is known"
    called = _UNKNOWN_CALL.match(reason)
    if called:
        reason = f"{called[1]}(...) is not known here, or not with these arguments"
    return (
        f"{names} cannot be compiled{where}: {reason}. Compiled code knows numbers, tuples of "
        'numbers, and the arrays it is given; device="python" runs any Python, slowly.'
    )
