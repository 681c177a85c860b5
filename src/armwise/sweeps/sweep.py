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
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import Field

from armwise.errors import InputError, whole_number
from armwise.model.draws import AGENTS_MAX, TRIALS_MAX
from armwise.model.roles import Bandit
from armwise.play.simulate import SEEDS_MAX
from armwise.sweeps.cell import Cell, steady_code
from armwise.sweeps.specs import (
    AgentSpec,
    ComponentSpec,
    Described,
    Made,
    Marks,
    Profile,
    marks_of,
)
from armwise.sweeps.values import CELLS_MAX, Whole, Wholes

Sizes = Whole | Wholes


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
    checkpoints: Wholes | Marks | None = None
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

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """From a TOML file; its profiles are checked too, used or not."""
        sweep = super().read(path)
        for name in sweep.profile:
            try:
                sweep.at(name).check()
            except InputError as problem:
                raise InputError(f"{path}: the profile {name}: {problem}") from None
        return sweep

    @property
    def parts(self) -> list[ComponentSpec]:
        """The components of all tables."""
        return [*self.bandit, *(part for spec in self.agent for part in spec.parts.values())]

    @property
    def files(self) -> list[str]:
        """The users' files that define components of the sweep."""
        return list(dict.fromkeys(part.file for part in self.parts if part.file))

    def bandits(self) -> list[Bandit]:
        """The bandits of all tables."""
        return [bandit for spec in self.bandit for bandit in spec.built("bandit")]

    def count(self) -> int:
        """How many cells these are at most: equal ones count once, and actors have no learner."""
        sizes = map(_listed, (self.horizon, self.agents, self.seed))
        bandits = sum(spec.count() for spec in self.bandit)
        return math.prod(map(len, sizes)) * bandits * sum(spec.count() for spec in self.agent)

    def check(self) -> None:
        """Refuse sizes and ranges that cannot be, before anything is built."""
        horizons, agents, seeds = map(_listed, (self.horizon, self.agents, self.seed))
        for horizon in horizons:
            marks_of(self.checkpoints, whole_number("horizon", horizon, 1, TRIALS_MAX))
        for count in agents:
            whole_number("agents", count, 1, AGENTS_MAX)
        for seed in seeds:
            whole_number("seed", seed, 0, SEEDS_MAX)
        if self.count() > CELLS_MAX:
            raise InputError(
                f"That are {self.count():,} cells, and a sweep may have {CELLS_MAX:,}: share them "
                "among several sweeps."
            )

    def each(self) -> Iterator[Cell]:
        """The product of all lists, in order, one by one; equal cells may come again."""
        self.check()
        made: Made = {}
        bandits = self.bandits()
        sizes = itertools.product(*map(_listed, (self.horizon, self.agents, self.seed)))
        for horizon, agents, seed in sizes:
            marks = marks_of(self.checkpoints, horizon)
            for bandit, spec in itertools.product(bandits, self.agent):
                for agent in spec.agents(bandit, horizon, made):
                    yield Cell(bandit, agent, horizon, agents, seed, marks)

    def cells(self) -> list[Cell]:
        """The product of all lists, in order, without repetition."""
        cells: dict[str, Cell] = {}
        with steady_code():
            for cell in self.each():
                cells.setdefault(cell.name, cell)
        return list(cells.values())

    def definition(self) -> dict[str, Any]:
        """The sweep as plain data that still holds from another folder: files by full path."""
        sizes = {"title", "horizon", "agents", "seed", "checkpoints"}
        return self.model_dump(mode="json", exclude_none=True, include=sizes) | {
            "bandit": [spec.definition() for spec in self.bandit],
            "agent": [spec.definition() for spec in self.agent],
        }

    def with_files(self, files: Mapping[str, str]) -> "Sweep":
        """The sweep with users' files taken from elsewhere: from the path of the file's name."""

        def moved(part: ComponentSpec) -> ComponentSpec:
            path = files.get(base_name(part.file))
            return part if path is None else part.model_copy(update={"name": part.at(path)})

        agents = [
            spec.model_copy(update={role: moved(getattr(spec, role)) for role in spec.named})
            for spec in self.agent
        ]
        return self.model_copy(
            update={"bandit": [moved(part) for part in self.bandit], "agent": agents}
        )


def base_name(path: str) -> str:
    """The last part of a path of any system.

    >>> base_name("/home/me/mine.py"), base_name("C:\\\\work\\\\mine.py")
    ('mine.py', 'mine.py')
    """
    return path.replace("\\", "/").rpartition("/")[2]


def _listed(sizes: int | list[int]) -> list[int]:
    return sizes if isinstance(sizes, list) else [sizes]
