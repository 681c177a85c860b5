"""The trials at which results are kept."""

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from armwise.errors import InputError, listed, whole_number


class Every(NamedTuple):
    """Checkpoints at every `step`-th trial."""

    step: int


def every(step: int) -> Every:
    """Checkpoints at every `step`-th trial.

    >>> checkpoints_of(every(25), horizon=100)
    array([ 25,  50,  75, 100])
    """
    return Every(whole_number("every", step, 1))


def log_spaced(horizon: int) -> np.ndarray:
    """Nine checkpoints per decade, and the horizon.

    >>> log_spaced(30)
    array([ 1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 20, 30])
    """
    marks = [d * 10**e for e in range(len(str(horizon))) for d in range(1, 10)]
    return np.array([*(mark for mark in marks if mark < horizon), horizon], dtype=np.int64)


def checkpoints_of(given: Any, horizon: int) -> np.ndarray:
    """Check the given checkpoints and return them as an array of trials."""
    if given is None:
        return log_spaced(horizon)
    if isinstance(given, Every):
        return np.arange(given.step, horizon + 1, given.step, dtype=np.int64)
    given = listed("checkpoints", given, "[10, 100]")
    marks = [whole_number("A checkpoint", mark, 1) for mark in given]
    if not marks:
        raise InputError("checkpoints must name at least one trial, not none.")
    if any(later <= earlier for earlier, later in itertools.pairwise(marks)):
        raise InputError(f"checkpoints must increase, unlike {_short(marks)}.")
    if marks[-1] > horizon:
        raise InputError(f"checkpoints must not pass the horizon {horizon}, unlike {marks[-1]}.")
    return np.array(marks, dtype=np.int64)


def _short(items: Sequence[Any]) -> str:
    text = ", ".join(str(item) for item in items[:6])
    return text + (", ..." if len(items) > 6 else "")
