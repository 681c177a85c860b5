"""Tables of Gittins indices for actors, computed once per machine."""

import functools
import hashlib
from array import array
from pathlib import Path

import numpy as np

from armwise.model.cache import kept
from armwise.numerics import gittins


@functools.lru_cache(maxsize=16)
def indices(discount: float) -> np.ndarray:
    """The Gittins indices for a discount, ordered by `gittins.place`."""
    code = Path(gittins.__file__).read_bytes()
    name = hashlib.sha256(code + f"{discount!r} {np.__version__}".encode()).hexdigest()[:32]
    found = kept("gittins", name, lambda: gittins.index_table(discount).tobytes())
    return np.frombuffer(found)


@functools.lru_cache(maxsize=16)
def index_table(discount: float) -> tuple[float, ...]:
    """The indices for a discount, as a table of an actor."""
    return tuple(indices(discount).tolist())


@functools.cache
def _minus_entropies() -> np.ndarray:
    return gittins.worths_of(np.zeros(gittins.SIZE))


@functools.lru_cache(maxsize=16)
def worth_tables(*discounts: float) -> array:
    """Every index minus the entropy of the arm's next outcome, one table after the other.

    An array, because a tuple of so many numbers takes longer to make than a player to start.
    """
    found = array("d")
    for discount in discounts:
        found.frombytes((indices(discount) + _minus_entropies()).tobytes())
    return found
