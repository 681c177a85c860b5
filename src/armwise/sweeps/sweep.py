"""Sweeps as data: lists of worlds, agents and sizes, whose product is a list of cells.

A sweep is a TOML file or the same thing as a Python object:

    title = "How strong should preferences be?"
    horizon = 10_000
    agents = 1_000
    seed = 1
    checkpoints = [100, 1_000, 10_000]      # or { every = 100 }, or absent: nine per decade

    [[world]]
    name = "switching"
    arms = [10, 20]
    rho = 0.01

    [[agent]]
    policy = { name = "a-ai", lam = { from = 0.0, to = 1.0, step = 0.05 } }
    # learner = { name = "smile", rho = 0.02 }   assumes the world's rho unless told otherwise
    # choice = { name = "argmax" }

    [profile.quick]                          # the same sweep, smaller
    agents = 100
    step = 0.1                               # of every { from, to, step }
"""

import itertools
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from armwise import registry
from armwise.errors import InputError
from armwise.model.agent import Agent
from armwise.model.roles import Actor, Bandit
from armwise.play.checkpoints import checkpoints_of, every
from armwise.sweeps.cell import Cell


class Part(BaseModel):
    """A component by name; every other key is a parameter: a value, a list, or a range."""

    model_config = ConfigDict(extra="allow")
    name: str


class Mind(BaseModel):
    """An agent by its parts."""

    model_config = ConfigDict(extra="forbid")
    policy: Part
    learner: Part = Part(name="smile")
    choice: Part = Part(name="argmax")


class Marks(BaseModel):
    """Checkpoints at every n-th trial."""

    model_config = ConfigDict(extra="forbid")
    every: int = Field(gt=0)


class Profile(BaseModel):
    """What a profile changes: sizes, and the step of ranges."""

    model_config = ConfigDict(extra="forbid")
    horizon: int | None = None
    agents: int | None = None
    checkpoints: list[int] | Marks | None = None
    step: float | None = Field(default=None, gt=0)


class Described(BaseModel):
    """Data that users write; what is wrong with it is said in one sentence."""

    model_config = ConfigDict(extra="forbid")

    @classmethod
    def of(cls, data: dict[str, Any], source: str = "") -> Self:
        """From plain data."""
        try:
            return cls.model_validate(data)
        except ValidationError as problem:
            first = problem.errors()[0]
            where = ".".join(str(item) for item in first["loc"])
            named = source or f"The {cls.__name__.lower()}"
            raise InputError(f"{named}: {where}: {first['msg']}.") from None

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """From a TOML file."""
        try:
            data = tomllib.loads(Path(path).read_text())
        except OSError as problem:
            raise InputError(f"{path} cannot be read: {problem.strerror}.") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
            raise InputError(f"{path} is not TOML: {problem}.") from None
        return cls.of(data, str(path))


class Sweep(Described):
    """A sweep: see the module's text for the format.

    >>> sweep = Sweep.of({"horizon": 100, "world": [{"name": "stationary", "arms": [2, 5]}],
    ...                   "agent": [{"policy": {"name": "a-ai", "lam": [0.1, 0.5]}}]})
    >>> len(sweep.cells())
    4
    """

    title: str = ""
    horizon: int | list[int]
    agents: int | list[int] = 1_000
    seed: int | list[int] = 1
    checkpoints: list[int] | Marks | None = None
    world: list[Part] = Field(min_length=1)
    agent: list[Mind] = Field(min_length=1)
    profile: dict[str, Profile] = {}

    def at(self, profile: str | None) -> "Sweep":
        """The sweep in the sizes of a profile; a profile that it does not name changes nothing."""
        if profile is None or profile not in self.profile:
            return self
        change = self.profile[profile]
        sizes = change.model_dump(exclude_none=True, exclude={"step"})
        smaller = self.model_copy(update=sizes | {"checkpoints": change.checkpoints})
        if change.checkpoints is None:
            smaller.checkpoints = self.checkpoints
        if change.step is not None:
            smaller.world = [_coarser(part, change.step) for part in self.world]
            smaller.agent = [
                mind.model_copy(update={"policy": _coarser(mind.policy, change.step)})
                for mind in self.agent
            ]
        return smaller

    def cells(self) -> list[Cell]:
        """The product of all lists, in order, without repetition."""
        found: dict[str, Cell] = {}
        sizes = itertools.product(_list(self.horizon), _list(self.agents), _list(self.seed))
        for horizon, agents, seed in sizes:
            marks = self._checkpoints(horizon)
            for world in self.world:
                for bandit in _components("bandit", world):
                    for mind in self.agent:
                        for agent in _agents(mind, bandit, horizon):
                            cell = Cell(bandit, agent, horizon, agents, seed, marks)
                            found.setdefault(cell.name, cell)
        return list(found.values())

    def definition(self) -> dict[str, Any]:
        """The sweep as plain data that still holds from another folder: files by full path."""
        data = self.model_dump(mode="json", exclude_none=True, exclude={"profile", "agent"})
        # A whole agent has no parts: those that were not named must not be named now.
        data["agent"] = [
            mind.model_dump(mode="json", exclude_unset=True, include=set(Mind.model_fields))
            for mind in self.agent
        ]
        return _anchored(data)

    def _checkpoints(self, horizon: int) -> tuple[int, ...]:
        given: Any = self.checkpoints
        if isinstance(given, Marks):
            given = every(given.every)
        elif given is not None:
            given = sorted({mark for mark in given if mark < horizon} | {horizon})
        return tuple(int(mark) for mark in checkpoints_of(given, horizon))


def _anchored(value: Any) -> Any:
    if isinstance(value, dict):
        found = {key: _anchored(item) for key, item in value.items()}
        if str(found.get("name", "")).endswith(".py"):
            found["name"] = str(Path(found["name"]).resolve())
        return found
    return [_anchored(item) for item in value] if isinstance(value, list) else value


def _agents(mind: Mind, bandit: Bandit, horizon: int) -> Iterator[Agent | Actor]:
    """The agents that a table describes; a whole one knows what the world tells of itself."""
    known = bandit.parameters() | {"rho": bandit.assumed_rho(), "horizon": horizon}
    learners = _components("learner", mind.learner, rho=known["rho"])
    choices = _components("choice", mind.choice)
    for part in _components("mind", mind.policy, **known):
        if isinstance(part, Actor):
            for name in ("learner", "choice"):
                if name in mind.model_fields_set:
                    raise InputError(f"{part.label} is a whole agent: it takes no {name}.")
            yield part
        else:
            for learner, choice in itertools.product(learners, choices):
                yield Agent(part, learner, choice)


def _components(role: str, part: Part, **defaults: Any) -> list[Any]:
    axes = {name: _values(name, value) for name, value in (part.model_extra or {}).items()}
    made = []
    for combination in itertools.product(*axes.values()):
        text = ",".join(f"{name}={_text(v)}" for name, v in zip(axes, combination, strict=True))
        words = f"{part.name}:{text}"
        made.append(
            registry.mind(words, **defaults)
            if role == "mind"
            else registry.component(role, words, **defaults)
        )
    return made


def _values(name: str, value: Any) -> list[Any]:
    if isinstance(value, dict):
        if set(value) != {"from", "to", "step"}:
            raise InputError(f"A range of {name} must be {{ from, to, step }}, not {value}.")
        count = round((value["to"] - value["from"]) / value["step"])
        # Rounded, so that a grid by 0.05 holds 0.15 and not 0.15000000000000002.
        return [round(value["from"] + i * value["step"], 12) for i in range(count + 1)]
    return _list(value)


def _text(value: Any) -> str:
    """A number, or a list of them where a parameter is a vector."""
    return "/".join(map(repr, value)) if isinstance(value, list) else repr(value)


def _coarser(part: Part, step: float) -> Part:
    extra = {
        name: value | {"step": step} if isinstance(value, dict) else value
        for name, value in (part.model_extra or {}).items()
    }
    return Part.model_validate({"name": part.name, **extra})


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]
