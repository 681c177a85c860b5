"""A cell: everything that determines a result. Its content hash is its name."""

import dataclasses
import functools
import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.engine import loop
from armwise.engine.binding import slots_of_agent, slots_of_bandit
from armwise.engine.fingerprint import fingerprint, stamp
from armwise.engine.memory import memory_size_of
from armwise.engine.plan import Plan
from armwise.engine.ways import defining_way
from armwise.errors import InputError, whole_number
from armwise.model.agent import Agent, refuse_unless_agent
from armwise.model.component import Component, refuse_label
from armwise.model.draws import AGENTS_MAX, TRIALS_MAX
from armwise.model.roles import Actor, Bandit
from armwise.play.checkpoints import checkpoints_of
from armwise.play.simulate import SEEDS_MAX, plan_of, simulate, simulate_plans

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

    @property
    def text(self) -> str:
        """The cell as JSON, with the version of the algorithms that it uses.

        It is what `json.dumps(description, sort_keys=True)` writes, put together from parts that
        are written once per component, not once per cell.
        """
        bandit, agent = self.bandit, self.agent
        if not isinstance(bandit, Bandit):
            raise InputError(f"The bandit must be one such as SwitchingBandit(), not {bandit!r}.")
        refuse_unless_agent(agent)
        horizon = whole_number("horizon", self.horizon, 1, TRIALS_MAX)
        agents = whole_number("agents", self.agents, 1, AGENTS_MAX)
        seed = whole_number("seed", self.seed, 0, SEEDS_MAX)
        tables = [*_kept(bandit, _tables), *_kept(agent, _tables)]
        more = f', "tables": {json.dumps(tables)}' if tables else ""
        return (
            f'{{"agent": {_kept(agent, _agent_text)}, "agents": [0, {agents}], '
            f'"bandit": {_kept(bandit, _bandit_text)}, '
            f'"checkpoints": {_marks_text(self.checkpoints, horizon)}, '
            f'"code": "{code_of(bandit, agent)}", "horizon": {horizon}, '
            f'"memory": {memory_size_of(agent, bandit.arms)}, "seed": {seed}{more}}}'
        )

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
        return (type(self.bandit), *(type(part) for part in self.agent.parts))

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


def _kept(part: Any, write: Callable[[Any], Any]) -> Any:
    """What `write` makes of a component or an agent, kept with it: it never changes."""
    kept, key = vars(part), write.__name__
    if key not in kept:
        kept[key] = write(part)
    return kept[key]


def _bandit_text(bandit: Bandit) -> str:
    refuse_label(type(bandit))
    return json.dumps({"name": bandit.label, **bandit.parameters()}, sort_keys=True)


def _agent_text(agent: Agent | Actor) -> str:
    for part in agent.parts:
        refuse_label(type(part))
    parts = [{"role": p.role, "name": p.label, **p.parameters()} for p in agent.parts]
    return json.dumps(parts, sort_keys=True)


def _tables(owner: Any) -> list[str]:
    """The hashes of an owner's tables, because the code that makes them is not part of the loop."""
    parts = (owner,) if isinstance(owner, Bandit) else owner.parts
    return [tables_of(part) for part in parts if type(part).tables]


@functools.lru_cache(maxsize=1_024)
def _marks_text(marks: tuple[int, ...], horizon: int) -> str:
    return json.dumps([int(mark) for mark in checkpoints_of(list(marks), horizon)])


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
    kinds = (type(bandit), *map(type, agent.parts))
    if _steady and kinds in _steady[-1]:
        return _steady[-1][kinds]
    key = tuple((type(part), stamp(part)) for part in (bandit, *agent.parts))
    if key not in _codes:
        slots = slots_of_bandit(bandit) | slots_of_agent(agent, defining_way(agent))
        _codes[key] = fingerprint(loop.play, slots)[:16]
    if _steady:
        _steady[-1][kinds] = _codes[key]
    return _codes[key]


@contextmanager
def steady_code() -> Iterator[None]:
    """Within this context, inspect a user's code once instead of once per cell."""
    _steady.append({})
    try:
        yield
    finally:
        _steady.pop()


_codes: dict[Any, str] = {}
_steady: list[dict[Any, str]] = []
