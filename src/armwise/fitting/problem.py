"""What is fitted: an agent, its free parameters on the real line, and the choices of people."""

from typing import Any

import numpy as np

from armwise.engine import following_device
from armwise.engine.batch import Sequences, likelihood_on
from armwise.fitting.choices import Choices
from armwise.fitting.parameters import Free, free_parameters
from armwise.model.agent import Agent, Chooser


class Problem:
    """Log-likelihoods of people as functions of points on the real line."""

    def __init__(
        self,
        agent: Agent | Chooser,
        data: Choices,
        free: Any,
        threads: int | None = None,
        device: str = "cpu",
    ) -> None:
        self.agent, self.data, self.threads = agent, data, threads
        self.device = following_device(device)
        self.free: Free = free_parameters(agent, free)
        self.likelihood = likelihood_on(self.device, agent, self.free.names, data.sequences)
        self.trials = counted(data.sequences)  # that count for the likelihood, of every person
        self.computed = 0  # likelihoods

    @property
    def people(self) -> int:
        """The number of people."""
        return len(self.data)

    def __call__(self, x: np.ndarray, people: np.ndarray | None = None) -> np.ndarray:
        """Log-likelihoods [row, point] at `x[row, point, parameter]`; row r is of `people[r]`."""
        asked = self.likelihood if people is None else self.likelihood.of(people)
        found = asked(self.free.natural(x), threads=self.threads)
        self.computed += found.size
        return found


def counted(data: Sequences) -> np.ndarray:
    """The number of trials of every person that count for the likelihood."""
    ends = np.append(data.begins[1:], len(data.choices))
    per_block = np.add.reduceat(data.scored, data.begins) * (ends > data.begins)
    return np.bincount(data.people, per_block, data.number_of_people).astype(np.int64)


def spread_points(count: int, dimensions: int, shift: np.ndarray | float = 0.5) -> np.ndarray:
    """Points that fill the unit cube evenly: multiples of the generalised golden ratio.

    >>> spread_points(4, 1).ravel().round(2).tolist()
    [0.12, 0.74, 0.35, 0.97]
    """
    ratio = 2.0
    for _ in range(64):
        ratio = (1.0 + ratio) ** (1.0 / (dimensions + 1))
    steps = ratio ** -np.arange(1.0, dimensions + 1)
    return (np.asarray(shift) + np.arange(1, count + 1)[:, None] * steps) % 1.0
