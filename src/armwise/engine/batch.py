"""Log-likelihoods of many people's choices under many values of an agent's parameters, at once.

The data are checked once by whoever makes `Sequences`; what remains is compiled, and runs in
threads that share no state, so their number cannot change a result.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from armwise.engine import following_device
from armwise.engine.announce import compiling, described
from armwise.engine.cpu import agent_kernel
from armwise.engine.follow import follow_people
from armwise.engine.memory import compiled_memory
from armwise.engine.mishaps import compiler_in_words, failing_in_words
from armwise.engine.people import simulate_people
from armwise.engine.prepared import Prepared
from armwise.engine.sequences import Sequences
from armwise.engine.threads import available_threads, in_threads
from armwise.errors import whole_number
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
    device: str = "cpu",
) -> np.ndarray:
    """The log-likelihood of every person's choices for every vector of the `free` parameters.

    `values[person, vector, parameter]` are on the scale of the parameters, or have one row for
    everybody; they must be in the parameters' ranges. The result is [person, vector]; it is -inf
    for values that are not finite. A parameter is named "lam", or "policy.lam" if two parts have
    one of that name. With device "cuda" every value is found by a thread of a graphics card.

    >>> from armwise import *
    >>> from armwise.engine.batch import Sequences, log_likelihoods
    >>> import numpy as np
    >>> played = np.array([0, 1, 1]), np.array([1, 0, 1]), np.array([True, True, True])
    >>> data = Sequences(*played, begins=np.array([0]), people=np.array([0]), arms=2)
    >>> agent = Agent(ApproximateActiveInference(), Smile(), Softmax())
    >>> log_likelihoods(agent, ["lam", "precision"], [[[0.5, 0], [0.5, 1]]], data).round(6).tolist()
    [[-2.079442, -2.302468]]
    """
    return likelihood_on(device, agent, free, data)(values, threads=threads)


def likelihood_on(
    device: str, agent: Agent | Chooser, free: Sequence[str], data: Sequences
) -> Prepared:
    """The likelihood of an agent's parameters, on a device: cpu, cuda, or auto."""
    if following_device(device) == "cpu":
        return Likelihood(agent, free, data)
    from armwise.engine.cuda.likelihood import CardLikelihood

    return CardLikelihood(agent, free, data)


def trial_log_likelihoods(
    agent: Agent | Chooser, free: Sequence[str], values: Any, data: Sequences
) -> np.ndarray:
    """The log-likelihood of every trial, for one vector per person; NaN where it is not scored.

    `values[person, parameter]` may have one row for everybody.
    """
    return Likelihood(agent, free, data).by_trial(values)


class Likelihood(Prepared):
    """The likelihood on processors."""

    def _prepare(self, more: Any) -> None:
        agent = self.agent
        self.kernel = agent_kernel(follow_people, agent, self.way, more=more)
        with compiling(f"{described(agent)} to fit", self.kernel), compiler_in_words(agent.parts):
            self._follow(np.zeros((1, 0, len(self.places))), 0, 0, np.zeros((0, 0)), np.zeros(0))

    def _totals(self, values: np.ndarray, threads: int | None) -> np.ndarray:
        people, vectors = self.data.number_of_people, values.shape[1]
        totals = np.zeros((people, vectors))
        nothing = np.zeros(0)
        work = int(self.lengths.sum()) * vectors
        count = available_threads() if threads is None else whole_number("threads", threads, 1)

        def follow(span: tuple[int, int]) -> None:
            self._follow(values, *span, totals, nothing)

        in_threads(follow, self._spans(vectors), 1 if work < ALONE else count)
        return totals

    def by_trial(self, values: Any) -> np.ndarray:
        """The log-likelihoods [trial] for values [person, parameter]; NaN where not scored."""
        values = self._checked(values, 2)[:, None, :]
        each = np.full(len(self.data.choices), np.nan)
        totals = np.zeros((self.data.number_of_people, 1))
        self._follow(values, 0, self.data.number_of_people, totals, each)
        return each

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
