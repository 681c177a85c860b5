"""Gittins indices of any Beta belief: from tables for few outcomes, else in closed form."""

import functools
import math
from array import array
from typing import Any

import numpy as np

from armwise.actors._tables import indices, kept_numbers
from armwise.numerics import gittins

TOP = 200  # most outcomes in a table
TABLE = gittins.place(0, TOP + 1)  # entries of a table


@functools.lru_cache(maxsize=8)
def tables_of(discounts: tuple[float, ...]) -> array:
    """The indices for every discount, one table after the other."""

    def make() -> np.ndarray:
        return np.concatenate([indices(each)[:TABLE] for each in discounts])

    return kept_numbers("gittins", gittins.__file__, f"{TABLE} {discounts}", make)


@functools.cache
def entropy_table() -> array:
    """The entropy of the next outcome, ordered as the indices are."""

    def make() -> np.ndarray:
        totals = range(TOP + 1)
        return np.array([entropy((1.0 + s) / (2.0 + n)) for n in totals for s in range(n + 1)])

    return kept_numbers("entropies", __file__, "", make)


def entropy(mean: float) -> float:
    """The entropy of an outcome, in nats."""
    return -(mean * math.log(mean) + (1.0 - mean) * math.log(1.0 - mean))


def spread_of(alpha: float, beta: float) -> float:
    """The standard deviation of Be(alpha, beta), in units of that of U(0, 1).

    Nats of information are priced by what is at stake, which is little where all arms pay alike.
    """
    return math.sqrt(12.0 * alpha * beta / (alpha + beta + 1.0)) / (alpha + beta)


def boundary(s: float) -> float:
    """The function psi of Brezzi and Lai (2002): how far an index exceeds the mean.

    >>> round(boundary(0.1), 4), round(boundary(100.0), 4)
    (0.2236, 1.9406)
    """
    if s <= 0.2:
        return math.sqrt(0.5 * s)
    if s <= 1.0:
        return 0.49 - 0.11 / math.sqrt(s)
    if s <= 5.0:
        return 0.63 - 0.26 / math.sqrt(s)
    if s <= 15.0:
        return 0.77 - 0.58 / math.sqrt(s)
    log = math.log(s)
    return math.sqrt(2.0 * log - math.log(log) - 3.917318608566)  # ln(16 pi)


def index_of(indices: Any, first: int, alpha: float, beta: float, decay: float) -> float:
    """The Gittins index of Be(alpha, beta), from the table that begins at `first`, if it holds it.

    Beyond the table it is the approximation of Brezzi and Lai (2002), for the discount exp(-decay).
    """
    total = alpha + beta - 2.0
    if total <= TOP:
        outcomes = int(max(total, 0.0) + 0.5)
        wins = min(int(max(alpha - 1.0, 0.0) + 0.5), outcomes)
        return indices[first + (outcomes * (outcomes + 1)) // 2 + wins]
    mean = alpha / (alpha + beta)
    variance = mean * (1.0 - mean) / (alpha + beta + 1.0)
    return mean + math.sqrt(variance) * boundary(1.0 / (decay * (alpha + beta + 1.0)))


def worth_of(
    indices: Any,
    first: int,
    entropies: Any,
    alpha: float,
    beta: float,
    decay: float,
    price: float,
) -> float:
    """The index of a belief, minus the priced entropy of the next outcome."""
    total = alpha + beta - 2.0
    if total <= TOP:
        outcomes = int(max(total, 0.0) + 0.5)
        wins = min(int(max(alpha - 1.0, 0.0) + 0.5), outcomes)
        where = (outcomes * (outcomes + 1)) // 2 + wins
        return indices[first + where] - price * entropies[where]
    index = index_of(indices, first, alpha, beta, decay)
    return index - price * entropy(alpha / (alpha + beta))
