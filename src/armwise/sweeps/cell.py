"""A cell: everything that determines a result. Its content hash is its name."""

import dataclasses
import functools
import hashlib
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from armwise.engine import loop
from armwise.engine.binding import slots_of_agent, slots_of_bandit
from armwise.engine.fingerprint import fingerprint
from armwise.engine.plan import Plan
from armwise.engine.ways import PLAIN
from armwise.model.agent import Agent
from armwise.model.roles import Actor, Bandit
from armwise.play.dataset import describe
from armwise.play.simulate import plan_of, simulate, simulate_plans

if TYPE_CHECKING:
    import xarray


@dataclasses.dataclass(frozen=True)
class Cell:
    """One world, one agent, a horizon, a number of agents, a seed and the checkpoints.

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

    def describe(self) -> dict[str, Any]:
        """The cell as plain data, with the version of the algorithms that it uses."""
        data = describe(self.plan(threads=1)) | {"code": code_of(self.bandit, self.agent)}
        parts = (self.bandit, *self.agent.parts)
        tables = [getattr(part, name) for part in parts for name in type(part).tables]
        if tables:  # what made them is no part of the loop
            data["tables"] = hashlib.sha256(repr(tables).encode()).hexdigest()[:16]
        return data

    @functools.cached_property
    def name(self) -> str:
        """The content hash."""
        text = json.dumps(self.describe(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @property
    def work(self) -> int:
        """Agent-trials."""
        return self.agents * self.horizon

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
        result.attrs |= {"cell": json.dumps(self.describe(), sort_keys=True), "name": self.name}
        return result


def run_together(
    cells: list[Cell], progress: Callable[[int], None] | None = None, device: str = "cuda"
) -> "list[xarray.Dataset]":
    """Compute cells at once, on a device that gains by it; they differ in numbers alone."""
    results = simulate_plans([cell.plan() for cell in cells], progress, device)
    for cell, result in zip(cells, results, strict=True):
        result.attrs |= {"cell": json.dumps(cell.describe(), sort_keys=True), "name": cell.name}
    return results


def code_of(bandit: Bandit, agent: Agent | Actor) -> str:
    """A hash of the code of the loop with these components: another algorithm, another name.

    It is the plain definition that counts. Shortcuts and engines must give its numbers.
    """
    return _code_of(type(bandit), tuple(type(part) for part in agent.parts), (bandit, agent))


_codes: dict[Any, str] = {}


def _code_of(bandit: type, parts: tuple[type, ...], example: tuple[Bandit, Any]) -> str:
    if (bandit, parts) not in _codes:
        slots = slots_of_bandit(example[0]) | slots_of_agent(example[1], PLAIN)
        _codes[bandit, parts] = fingerprint(loop.play, slots)[:16]
    return _codes[bandit, parts]
