"""Log-likelihoods of many people's choices under many values of an agent's parameters, at once.

The data are checked once by whoever makes `Sequences`; what remains is compiled, and runs in
threads that share no state, so their number cannot change a result.
"""

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from armwise.engine.announce import compiling, described
from armwise.engine.arrays import plain_array, shape_of
from armwise.engine.cpu import agent_kernel
from armwise.engine.follow import follow_people
from armwise.engine.free import places_of, refuse_without_probability
from armwise.engine.memory import compiled_memory
from armwise.engine.mishaps import compiler_in_words, failing_in_words
from armwise.engine.people import simulate_people
from armwise.engine.records import packed
from armwise.engine.sequences import Sequences, arrays_of, slots_of
from armwise.engine.threads import available_threads, in_threads
from armwise.engine.ways import following_way
from armwise.errors import InputError, whole_number
from armwise.model.agent import Agent, Chooser

__all__ = [
    "Likelihood",
    "Sequences",
    "log_likelihoods",
    "simulate_people",
    "trial_log_likelihoods",
]

SHARE = 1 << 19  # trials that a thread follows at once: some hundredths of a second
ALONE = 1 << 14  # fewer trials than these are not worth a second thread


def log_likelihoods(
    agent: Agent | Chooser,
    free: Sequence[str],
    values: Any,
    data: Sequences,
    *,
    threads: int | None = None,
) -> np.ndarray:
    """The log-likelihood of every person's choices for every vector of the `free` parameters.

    `values[person, vector, parameter]` are on the scale of the parameters, or have one row for
    everybody; they must be in the parameters' ranges. The result is [person, vector]; it is -inf
    for values that are not finite. A parameter is named "lam", or "policy.lam" if two parts have
    one of that name.

    >>> from armwise import *
    >>> from armwise.engine.batch import Sequences, log_likelihoods
    >>> import numpy as np
    >>> played = np.array([0, 1, 1]), np.array([1, 0, 1]), np.array([True, True, True])
    >>> data = Sequences(*played, begins=np.array([0]), people=np.array([0]), arms=2)
    >>> agent = Agent(ApproximateActiveInference(), Smile(), Softmax())
    >>> log_likelihoods(agent, ["lam", "precision"], [[[0.5, 0], [0.5, 1]]], data).round(6).tolist()
    [[-2.079442, -2.302468]]
    """
    return Likelihood(agent, free, data)(values, threads=threads)


def trial_log_likelihoods(
    agent: Agent | Chooser, free: Sequence[str], values: Any, data: Sequences
) -> np.ndarray:
    """The log-likelihood of every trial, for one vector per person; NaN where it is not scored.

    `values[person, parameter]` may have one row for everybody.
    """
    return Likelihood(agent, free, data).by_trial(values)


class Likelihood:
    """The likelihood of one agent's parameters given data: prepared once, called often."""

    def __init__(self, agent: Agent | Chooser, free: Sequence[str], data: Sequences) -> None:
        refuse_without_probability(agent)
        self.agent, self.data, self.way = agent, data, following_way(agent)
        self.places = places_of(agent, free)
        self.numbers = np.array([*packed(*agent.parts), 0.0])
        self.arrays = arrays_of(agent, data)
        *_, begins, blocks = self.arrays
        self.lengths = np.diff(begins[blocks])  # trials of every person
        more = slots_of(agent, data, self.way)
        self.kernel = agent_kernel(follow_people, agent, self.way, more=more)
        with compiling(f"{described(agent)} to fit", self.kernel), compiler_in_words(agent.parts):
            self._follow(np.zeros((1, 0, len(self.places))), 0, 0, np.zeros((0, 0)), np.zeros(0))

    def __call__(self, values: Any, *, threads: int | None = None) -> np.ndarray:
        """The log-likelihoods [person, vector] for values [person, vector, parameter]."""
        values = self._checked(values, 3)
        people, vectors = self.data.number_of_people, values.shape[1]
        totals = np.zeros((people, vectors))
        nothing = np.zeros(0)
        work = int(self.lengths.sum()) * vectors
        count = available_threads() if threads is None else whole_number("threads", threads, 1)

        def follow(span: tuple[int, int]) -> None:
            self._follow(values, *span, totals, nothing)

        in_threads(follow, self._spans(vectors), 1 if work < ALONE else count)
        return totals

    def of(self, people: np.ndarray) -> "Likelihood":
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

    def by_trial(self, values: Any) -> np.ndarray:
        """The log-likelihoods [trial] for values [person, parameter]; NaN where not scored."""
        values = self._checked(values, 2)[:, None, :]
        each = np.full(len(self.data.choices), np.nan)
        totals = np.zeros((self.data.number_of_people, 1))
        self._follow(values, 0, self.data.number_of_people, totals, each)
        return each

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

    def _spans(self, vectors: int) -> Iterator[tuple[int, int]]:
        """Pairs of a person and a vector in shares of about equal work."""
        begin, work = 0, 0
        for person, length in enumerate(self.lengths.tolist()):
            one, first, last = max(1, length), person * vectors, (person + 1) * vectors
            while work + (last - first) * one >= SHARE:
                first = min(last, first + max(1, (SHARE - work) // one))
                yield begin, first
                begin, work = first, 0
            work += (last - first) * one
        yield begin, len(self.lengths) * vectors

    def _follow(
        self, values: np.ndarray, first: int, last: int, totals: np.ndarray, each: np.ndarray
    ) -> None:
        arms, vectors = int(self.data.arms), max(1, values.shape[1])
        table, memory, kept = compiled_memory(self.agent, self.way, arms, 1)
        people = range(first // vectors, max(last - 1, first) // vectors + 1)
        trials = range(1, 1 + int(self.lengths.max(initial=1)))
        task = np.array([arms, first, last])
        state = table[0], memory[0], kept
        with failing_in_words(self.agent.parts, people, trials):
            self.kernel(
                self.numbers.copy(), self.places, values, task, *self.arrays, *state, totals, each
            )


def _ranges(first: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All whole numbers of some ranges in a row, and where each range begins in that row."""
    lengths = last - first
    at = np.cumsum(lengths) - lengths
    return np.arange(lengths.sum()) + np.repeat(first - at, lengths), at
