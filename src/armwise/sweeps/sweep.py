"""Sweeps as data: lists of bandits, agents and sizes, whose product is a list of cells.

A sweep is a TOML file or the same thing as a Python object:

    title = "How strong should preferences be?"
    horizon = 10_000
    agents = 1_000
    seed = 1
    checkpoints = [100, 1_000, 10_000]      # or { every = 100 }, or absent: nine per decade

    [[bandit]]
    name = "switching"
    arms = [10, 20]
    rho = 0.01

    [[agent]]
    policy = { name = "a-ai", lam = { from = 0.0, to = 1.0, step = 0.05 } }
    # learner = { name = "smile", rho = 0.02 }   assumes the bandit's rho unless it has its own
    # choice = { name = "argmax" }

    [profile.quick]                          # the same sweep, smaller
    agents = 100
    step = 0.1                               # of every { from, to, step }
"""

import itertools
from typing import Annotated, Any

from pydantic import Field

from armwise.model.roles import Bandit
from armwise.sweeps.cell import Cell
from armwise.sweeps.specs import AgentSpec, ComponentSpec, Described, Marks, Profile, marks_of

Sizes = int | Annotated[list[int], Field(min_length=1)]


class Sweep(Described):
    """A sweep: see the module's text for the format.

    >>> sweep = Sweep.of({"horizon": 100, "bandit": [{"name": "stationary", "arms": [2, 5]}],
    ...                   "agent": [{"policy": {"name": "a-ai", "lam": [0.1, 0.5]}}]})
    >>> len(sweep.cells())
    4
    """

    title: str = ""
    horizon: Sizes
    agents: Sizes = 1_000
    seed: Sizes = 1
    checkpoints: list[int] | Marks | None = None
    bandit: list[ComponentSpec] = Field(min_length=1)
    agent: list[AgentSpec] = Field(min_length=1)
    profile: dict[str, Profile] = Field(default_factory=dict)

    def at(self, profile: str | None) -> "Sweep":
        """The sweep in the sizes of a profile; a profile that it does not name changes nothing."""
        change = self.profile.get(profile or "", Profile())
        sizes = {name: value for name, value in change if value is not None and name != "step"}
        smaller = self.model_copy(update=sizes)
        if change.step is not None:
            smaller.bandit = [spec.coarser(change.step) for spec in self.bandit]
            smaller.agent = [spec.coarser(change.step) for spec in self.agent]
        return smaller

    def bandits(self) -> list[Bandit]:
        """The bandits of all tables."""
        return [bandit for spec in self.bandit for bandit in spec.built("bandit")]

    def cells(self) -> list[Cell]:
        """The product of all lists, in order, without repetition."""
        cells: dict[str, Cell] = {}
        sizes = itertools.product(*map(_listed, (self.horizon, self.agents, self.seed)))
        for horizon, agents, seed in sizes:
            marks = marks_of(self.checkpoints, horizon)
            for bandit, spec in itertools.product(self.bandits(), self.agent):
                for agent in spec.agents(bandit, horizon):
                    cell = Cell(bandit, agent, horizon, agents, seed, marks)
                    cells.setdefault(cell.name, cell)
        return list(cells.values())

    def definition(self) -> dict[str, Any]:
        """The sweep as plain data that still holds from another folder: files by full path."""
        sizes = {"title", "horizon", "agents", "seed", "checkpoints"}
        return self.model_dump(mode="json", exclude_none=True, include=sizes) | {
            "bandit": [spec.definition() for spec in self.bandit],
            "agent": [spec.definition() for spec in self.agent],
        }


def _listed(sizes: int | list[int]) -> list[int]:
    return sizes if isinstance(sizes, list) else [sizes]
