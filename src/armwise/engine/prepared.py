"""What every likelihood of parameters given data does, whatever device computes it."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from armwise.engine.arrays import plain_array, shape_of
from armwise.engine.free import places_of, refuse_without_probability
from armwise.engine.records import packed
from armwise.engine.sequences import Sequences, arrays_of, slots_of
from armwise.engine.ways import following_way
from armwise.errors import InputError
from armwise.model.agent import Agent, Chooser


class Prepared:
    """A likelihood of one agent's parameters given data: checked once, called often.

    A device says how it is computed, in `_prepare` and `_totals`.
    """

    def __init__(self, agent: Agent | Chooser, free: Sequence[str], data: Sequences) -> None:
        refuse_without_probability(agent)
        self.agent, self.data, self.way = agent, data, following_way(agent)
        self.places = places_of(agent, free)
        self.numbers = np.array([*packed(*agent.parts), 0.0])
        self.arrays = arrays_of(agent, data)
        *_, begins, blocks = self.arrays
        self.lengths = np.diff(begins[blocks])  # trials of every person
        self._prepare(slots_of(agent, data, self.way))

    def _prepare(self, more: Any) -> None:
        """Compile the kernel, with `more` slots bound."""
        raise NotImplementedError

    def __call__(self, values: Any, *, threads: int | None = None) -> np.ndarray:
        """The log-likelihoods [person, vector] for values [person, vector, parameter]."""
        return self._totals(self._checked(values, 3), threads)

    def _totals(self, values: np.ndarray, threads: int | None) -> np.ndarray:
        """The log-likelihoods [person, vector] for values of the right shape."""
        raise NotImplementedError

    def of(self, people: np.ndarray) -> "Prepared":
        """The likelihood of some of the people, in this order; a person may come more than once."""
        *of_trials, begins, blocks = self.arrays
        first, last = begins[blocks[people]], begins[blocks[people + 1]]
        rows, at = _ranges(first, last)
        own, _ = _ranges(blocks[people], blocks[people + 1])
        counts = blocks[people + 1] - blocks[people]
        some = copy.copy(self)
        moved = begins[own] + np.repeat(at - first, counts)
        owners = np.repeat(np.arange(len(people)), counts)
        choices, outcomes, scored, *per_arm = (array[rows] for array in of_trials)
        some.data = Sequences(choices, outcomes, scored, moved, owners, self.data.arms)
        ends = np.append(0, np.cumsum(counts))
        some.arrays = choices, outcomes, scored, *per_arm, np.append(moved, len(rows)), ends
        some.lengths = last - first
        return some

    def _checked(self, values: Any, dimensions: int) -> np.ndarray:
        array = plain_array("values", values, np.float64)
        people, free = self.data.number_of_people, len(self.places)
        if array.ndim != dimensions or array.shape[0] not in (1, people) or array.shape[-1] != free:
            middle = "vectors x " if dimensions == 3 else ""
            raise InputError(
                f"values must be {people} (or 1) x {middle}{free}, for {people} people and {free} "
                f"free parameters, not {shape_of(array)}."
            )
        return array


def _ranges(first: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All whole numbers of some ranges in a row, and where each range begins in that row."""
    lengths = last - first
    at = np.cumsum(lengths) - lengths
    return np.arange(lengths.sum()) + np.repeat(first - at, lengths), at
