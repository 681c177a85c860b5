"""Log-likelihoods of many people under many parameters, on a card."""

import math
import warnings
from typing import Any, cast

import numpy as np
from numba import cuda
from numba.core.errors import NumbaPerformanceWarning

from armwise.engine.announce import compiling, described
from armwise.engine.cuda.following import kernel
from armwise.engine.cuda.launch import in_launches, on_card, zeros
from armwise.engine.cuda.memory import that_fit
from armwise.engine.cuda.ways import BLOCK
from armwise.engine.free import parameters_with_places
from armwise.engine.memory import memory_size_of, record_type, rows_of
from armwise.engine.mishaps import compiler_in_words
from armwise.engine.prepared import Prepared
from armwise.errors import InputError
from armwise.model.forms import REAL


class CardLikelihood(Prepared):
    """The likelihood on a card: a thread for each value."""

    def _prepare(self, more: Any) -> None:
        if self.agent.outcomes == REAL:
            raise InputError(
                f"{described(self.agent)} learns from real numbers, and its likelihood is computed "
                "on the device cpu only."
            )
        places = list(parameters_with_places(self.agent))
        single = [place.at for place in places if place.kind != "vector"]
        self.single = self.numbers[single]
        self.free = np.searchsorted(single, self.places)  # places among the single numbers
        self.vectors = np.delete(self.numbers, single)
        self.kernel = kernel(self.agent, self.way, more)
        self.there: Any = None
        what = f"{described(self.agent)} to fit, for a card"
        with compiling(what), compiler_in_words(self.agent.parts):
            _Pairs(self, np.zeros((1, len(self.free))), np.zeros(1, dtype=np.int64)).launch(0, -1)

    def of(self, people: np.ndarray) -> "CardLikelihood":
        """The likelihood of some of the people, in this order; a person may come more than once."""
        some = cast(CardLikelihood, super().of(people))
        some.there = None
        return some

    def data_there(self) -> tuple[Any, ...]:
        """The data on the card, put there once."""
        if self.there is None:
            self.there = tuple(on_card(array) for array in self.arrays)
        return self.there

    def _totals(self, values: np.ndarray, threads: int | None) -> np.ndarray:
        people, vectors = self.data.number_of_people, values.shape[1]
        finite = np.isfinite(values).all(axis=-1)
        totals = np.full((people, vectors), -math.inf)
        pairs = np.flatnonzero(np.broadcast_to(finite, totals.shape))
        most = that_fit(self._numbers_each())
        waiting = [pairs[first : first + most] for first in range(0, len(pairs), most)]
        flat = values.reshape(-1, values.shape[2])
        while waiting:
            some = waiting.pop(0)
            rows = flat[some if len(values) > 1 else some % vectors]
            try:
                found = self._found(rows, some // vectors)
            except MemoryError:  # taken by another process since that_fit() looked
                if len(some) == 1:
                    raise
                waiting = np.array_split(some, 2) + waiting
                continue
            totals.flat[some] = np.where(np.isnan(found), -math.inf, found)
        return totals

    def _numbers_each(self) -> int:
        """How many numbers a thread keeps on the card, and some for what is rounded up."""
        table = (rows_of(self.agent, self.way) + 1) * self.data.arms
        return int(len(self.single) + table + memory_size_of(self.agent, self.data.arms) + 16)

    def _found(self, rows: np.ndarray, owners: np.ndarray) -> np.ndarray:
        pairs = _Pairs(self, rows, owners)
        in_launches(pairs.launch, int(self.lengths[owners].max()))
        return pairs.sums.copy_to_host()[: len(owners)].sum(axis=1)


class _Pairs:
    """Pairs of a person and a vector of parameters on the card, with their state."""

    def __init__(self, of: CardLikelihood, rows: np.ndarray, owners: np.ndarray) -> None:
        self.of, self.count = of, len(owners)
        agent, arms, pairs = of.agent, int(of.data.arms), max(2, len(owners))
        numbers = np.zeros((max(2, len(of.single)), pairs))
        numbers[: len(of.single)] = of.single[:, None]
        numbers[of.free, : self.count] = rows.T
        self.sums = zeros(pairs, 2)
        self.arguments = (
            on_card(numbers.T),
            on_card(of.vectors),
            on_card(owners),
            *of.data_there(),
            zeros(pairs, rows_of(agent, of.way), arms),
            zeros(pairs, memory_size_of(agent, arms)),
            on_card(np.zeros(pairs, dtype=record_type(agent, of.way))),
            self.sums,
            on_card(np.zeros(0)),  # no room for the log-likelihoods of single trials
        )

    def launch(self, begin: int, end: int) -> None:
        """Follow everybody's trials from `begin` to `end`, and wait for the end."""
        task = np.array([self.of.data.arms, self.count, begin - 1, end])
        grid = math.ceil(self.count / BLOCK)
        with warnings.catch_warnings(action="ignore", category=NumbaPerformanceWarning):
            self.of.kernel[grid, BLOCK](on_card(task), *self.arguments)
            cuda.synchronize()
