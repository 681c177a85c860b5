"""The task of an engine: one simulation, checked, as plain numbers."""

from typing import NamedTuple

import numpy as np

from armwise.engine.source import is_own
from armwise.engine.stretch import THETA, End, Stretch
from armwise.errors import InputError
from armwise.model.agent import Agent
from armwise.model.component import Component
from armwise.model.forms import REAL
from armwise.model.roles import Actor, Bandit

FILLS_CARD = 20_000  # with more agents, one thread for each keeps a card busy


class Plan(NamedTuple):
    """Agents `first` to `first + agents - 1` play `horizon` trials of the same kind of bandit."""

    bandit: Bandit
    agent: Agent | Actor
    horizon: int
    agents: int
    first: int
    seed: int
    checkpoints: np.ndarray  # int64, increasing
    width: int = 0  # numbers recorded at a checkpoint besides regret
    threads: int = 1

    @property
    def parts(self) -> tuple[Component, ...]:
        """The bandit and the parts of the agent."""
        return (self.bandit, *self.agent.parts)

    def outputs(self) -> tuple[np.ndarray, np.ndarray]:
        """Empty arrays for regrets and records."""
        marks = len(self.checkpoints)
        regrets = np.full((self.agents, marks), np.nan)
        return regrets, np.full((self.agents, marks, self.width), np.nan)

    def stretch(self, row: int, agents: int, begin: int, end: int) -> Stretch:
        """Trials `begin` to `end` of some of the agents."""
        low, high = self.seed & 0xFFFFFFFF, self.seed >> 32
        first, arms = self.first + row, self.bandit.arms
        mark = int(np.searchsorted(self.checkpoints, begin))
        return Stretch(low, high, first, agents, arms, begin, end, mark)

    def refuse(self, row: int, end: End) -> InputError:
        """The error that explains why a stretch of agents from `row` on ended early."""
        where = f"in trial {end.trial} of agent {self.first + row + end.row}"
        if end.wrong == THETA:
            allowed = "finite" if self.bandit.outcomes == REAL else "in [0, 1]"
            return InputError(
                f"{self.bandit.label}: the theta of arm {end.arm} is not {allowed} {where}."
            )
        if isinstance(self.agent, Actor):
            return InputError(
                f"{self.agent.label}.act returned {end.arm} {where}; it must return an arm from 0 "
                f"to {self.bandit.arms - 1}."
            )
        return InputError(f"{self.agent.label}: the score of arm {-1 - end.arm} is NaN {where}.")

    def refuse_nan_beliefs(self, row: int, trial: int, table: np.ndarray) -> None:
        """Raise InputError if a user's learner gave an agent a belief that is NaN."""
        if not isinstance(self.agent, Agent) or is_own(self.agent.learner):
            return
        strange = np.isnan(table[:, :2]).any(axis=1)
        if strange.any():
            place, arm = np.argwhere(strange)[0]
            raise InputError(
                f"{self.agent.learner.label}: the belief about arm {arm} is NaN after trial "
                f"{trial} of agent {self.first + row + place}."
            )
