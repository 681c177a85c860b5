"""What an engine is asked to do: a cell, checked, as plain numbers."""

from typing import NamedTuple

import numpy as np

from armwise.engine.binding import table_rows
from armwise.engine.shortcuts.kept import STATES
from armwise.model.agent import Agent
from armwise.model.roles import Actor, Bandit

CROWD = 20_000  # agents: with more, a card is busy with a thread for each


class Plan(NamedTuple):
    """Agents `first` to `first + agents - 1` play `horizon` trials of the same kind of world."""

    bandit: Bandit
    agent: Agent | Actor
    horizon: int
    agents: int
    first: int
    seed: int
    checkpoints: np.ndarray  # int64, increasing
    width: int = 0  # numbers recorded at a checkpoint besides regret
    threads: int = 1

    def outputs(self) -> tuple[np.ndarray, np.ndarray]:
        """Empty arrays for regrets and records."""
        marks = len(self.checkpoints)
        regrets = np.full((self.agents, marks), np.nan)
        return regrets, np.full((self.agents if self.width else 0, marks, self.width), np.nan)

    def address(self, first: int, agents: int, begin: int, end: int) -> list[int]:
        """What the loop must know to play trials `begin` to `end` with some of the agents."""
        return [self.seed & 0xFFFFFFFF, self.seed >> 32, first, agents, begin, end, self.width]


def memory_of(
    agent: Agent | Actor, arms: int, agents: int, plain: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """What agents remember: a table and memory for each, all zeros."""
    memory = agent.memory_size(arms)
    rows = table_rows(agent, plain)
    return np.zeros((agents, rows, max(arms, STATES))), np.zeros((agents, memory))
