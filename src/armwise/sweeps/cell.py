"""A cell: everything that determines a result. Its content hash is its name."""

import dataclasses
import functools
import hashlib
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.engine import loop
from armwise.engine.binding import slots_of_agent, slots_of_bandit
from armwise.engine.fingerprint import fingerprint, stamp
from armwise.engine.plan import Plan
from armwise.engine.ways import defining_way
from armwise.model.agent import Agent
from armwise.model.component import Component
from armwise.model.roles import Actor, Bandit
from armwise.play.dataset import describe
from armwise.play.simulate import plan_of, simulate, simulate_plans

if TYPE_CHECKING:
    import xarray


@dataclasses.dataclass(frozen=True)
class Cell:
    """One bandit, one agent, a horizon, a number of agents, a seed and the checkpoints.

    >>> from armwise import Agent, ApproximateActiveInference, StationaryBandit
    >>> cell = Cell(StationaryBandit(), Agent(ApproximateActiveInference()), 100, 10, 1, (10, 100))
    >>> cell.name == dataclasses.replace(cell, seed=2).name
    False
    """

    bandit: Bandit
    agent: Any
    horizon: int
    agents: int
    seed: int
    checkpoints: tuple[int, ...]

    def plan(self, threads: int | None = None) -> Plan:
        """The cell, checked, as an engine takes it."""
        return plan_of(
            self.bandit,
            self.agent,
            self.horizon,
            self.agents,
            self.seed,
            list(self.checkpoints),
            threads=threads,
        )

    @functools.cached_property
    def text(self) -> str:
        """The cell as JSON, with the version of the algorithms that it uses."""
        data = describe(self.plan(threads=1)) | {"code": code_of(self.bandit, self.agent)}
        data["memory"] = self.agent.memory_size(self.bandit.arms)
        tables = [tables_of(part) for part in self.components if type(part).tables]
        if tables:  # what made them is not part of the loop
            data["tables"] = tables
        return json.dumps(data, sort_keys=True)

    @functools.cached_property
    def name(self) -> str:
        """The content hash."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:32]

    @property
    def components(self) -> tuple[Component, ...]:
        """The bandit and the parts of the agent."""
        return (self.bandit, *self.agent.parts)

    @property
    def kind(self) -> tuple[type[Component], ...]:
        """The components without their numbers: what a kernel is compiled for."""
        return tuple(type(part) for part in self.components)

    @property
    def work(self) -> int:
        """Agent-trials."""
        return self.agents * self.horizon

    @property
    def size(self) -> int:
        """What the time of the cell is roughly proportional to."""
        return self.work * self.bandit.arms

    def stamped(self, result: "xarray.Dataset") -> "xarray.Dataset":
        """A result that says which cell it is."""
        return result.assign_attrs(cell=self.text, name=self.name)

    def run(
        self,
        threads: int | None = None,
        progress: Callable[[int], None] | None = None,
        device: str = "cpu",
    ) -> "xarray.Dataset":
        """Compute the cell."""
        result = simulate(
            self.bandit,
            self.agent,
            self.horizon,
            self.agents,
            self.seed,
            checkpoints=list(self.checkpoints),
            threads=threads,
            progress=progress,
            device=device,
        )
        return self.stamped(result)


@functools.lru_cache(maxsize=1_024)
def tables_of(component: Component) -> str:
    """A hash of the tables that a component computes from its parameters."""
    digest = hashlib.sha256()
    for name in type(component).tables:
        digest.update(np.asarray(getattr(component, name), dtype="<f8").tobytes())
    return digest.hexdigest()[:16]


def run_batch(
    cells: list[Cell], progress: Callable[[int], None] | None = None, device: str = "cuda"
) -> "list[xarray.Dataset]":
    """Compute several cells in one launch.

    They must use the same components, horizon and checkpoints.
    """
    results = simulate_plans([cell.plan() for cell in cells], progress, device)
    return [cell.stamped(result) for cell, result in zip(cells, results, strict=True)]


def code_of(bandit: Bandit, agent: Agent | Actor) -> str:
    """A hash of the code of the loop with these components: another algorithm, another name.

    It is the plain definition that counts. Shortcuts and engines must give its numbers.
    """
    parts = (bandit, *agent.parts)
    key = tuple((type(part), stamp(part)) for part in parts)
    if key not in _codes:
        slots = slots_of_bandit(bandit) | slots_of_agent(agent, defining_way(agent))
        _codes[key] = fingerprint(loop.play, slots)[:16]
    return _codes[key]


_codes: dict[Any, str] = {}
