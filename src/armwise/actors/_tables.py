"""Tables of Gittins indices for actors, computed once per machine."""

import functools
import hashlib
from array import array
from collections.abc import Callable
from pathlib import Path

import numpy as np

from armwise.model.cache import kept
from armwise.numerics import gittins


def kept_numbers(kind: str, code: str, given: str, make: Callable[[], np.ndarray]) -> array:
    """Numbers from disk, or made now and kept; the file with the `code` and what it is `given`
    determine them.

    An array, because a tuple of so many numbers takes longer to make than a player to start.
    """
    text = f"{given} {np.__version__}"
    name = hashlib.sha256(Path(code).read_bytes() + text.encode()).hexdigest()[:32]
    found = array("d")
    found.frombytes(kept(kind, name, lambda: make().tobytes()))
    return found


@functools.lru_cache(maxsize=16)
def indices(discount: float) -> np.ndarray:
    """The Gittins indices for a discount, ordered by `gittins.place`."""
    make = functools.partial(gittins.index_table, discount)
    return np.asarray(kept_numbers("gittins", gittins.__file__, repr(discount), make))


@functools.lru_cache(maxsize=16)
def index_table(discount: float) -> tuple[float, ...]:
    """The indices for a discount, as a table of an actor."""
    return tuple(indices(discount).tolist())


@functools.cache
def _minus_entropies() -> np.ndarray:
    return gittins.worths_of(np.zeros(gittins.SIZE))


@functools.lru_cache(maxsize=16)
def worth_tables(*discounts: float) -> array:
    """Every index minus the entropy of the arm's next outcome, one table after the other."""
    found = array("d")
    for discount in discounts:
        found.frombytes((indices(discount) + _minus_entropies()).tobytes())
    return found
