"""The tables of a sweep file: components and agents by name, checkpoints, profiles."""

import itertools
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from armwise import registry
from armwise.errors import InputError, unknown
from armwise.model.agent import Agent
from armwise.model.component import Component
from armwise.model.roles import Actor, Bandit
from armwise.play.checkpoints import checkpoints_of, every

PARTS = ("policy", "learner", "choice")
_TYPE = re.compile(r"int|Marks|.*\[.*")  # pydantic names the member of a union beside the field


class ComponentSpec(BaseModel):
    """A component by name; every other key is a parameter: a value, a list, or a range."""

    model_config = ConfigDict(extra="allow")
    name: str

    @classmethod
    def of(cls, name: str, values: Mapping[str, Any]) -> Self:
        """A component with these values; a vector is a list of one list."""
        lists = {key: [list(v)] if isinstance(v, tuple) else v for key, v in values.items()}
        return cls.model_validate({"name": name, **lists})

    @property
    def values(self) -> dict[str, Any]:
        """The parameters as they are written."""
        return self.model_extra or {}

    def built(self, role: str, **defaults: Any) -> list[Any]:
        """The product of all lists, as components; `defaults` fill in what is left open."""
        axes = {name: _values_of(name, value) for name, value in self.values.items()}
        return [
            registry.build(role, self.name, dict(zip(axes, point, strict=True)), **defaults)
            for point in itertools.product(*axes.values())
        ]

    def coarser(self, step: float) -> "ComponentSpec":
        """The same with another step in every range."""
        changed = {k: v | {"step": step} for k, v in self.values.items() if isinstance(v, dict)}
        return self.model_copy(update=changed)

    def definition(self) -> dict[str, Any]:
        """The component as plain data that still holds from another folder."""
        return {"name": registry.anchored(self.name), **self.values}


class AgentSpec(BaseModel):
    """An agent by its parts."""

    model_config = ConfigDict(extra="forbid")
    policy: ComponentSpec
    learner: ComponentSpec = ComponentSpec(name="smile")
    choice: ComponentSpec = ComponentSpec(name="argmax")

    @property
    def parts(self) -> dict[str, ComponentSpec]:
        """The parts by role, the usual ones included."""
        return {role: getattr(self, role) for role in PARTS}

    def agents(self, bandit: Bandit, horizon: int) -> Iterator[Agent | Actor]:
        """The agents of this table, which are given what their parameters leave open.

        A learner is given the bandit's rho; an actor all parameters of the bandit, and the horizon.
        """
        rho = bandit.assumed_rho()
        given = bandit.parameters() | {"rho": rho, "horizon": horizon}
        learners = self.learner.built("learner", rho=rho)
        choices = self.choice.built("choice")
        for first in self.policy.built(registry.PLAYING, **given):
            if isinstance(first, Actor):
                self._refuse_parts_of(first)
                yield first
            else:
                for learner, choice in itertools.product(learners, choices):
                    yield Agent(first, learner, choice)

    def coarser(self, step: float) -> "AgentSpec":
        """The same with another step in every range of its policy."""
        return self.model_copy(update={"policy": self.policy.coarser(step)})

    def definition(self) -> dict[str, Any]:
        """The agent as plain data: the parts that were named, since an actor has no others."""
        named = self.model_fields_set
        return {role: part.definition() for role, part in self.parts.items() if role in named}

    def _refuse_parts_of(self, actor: Component) -> None:
        for role in ("learner", "choice"):
            if role in self.model_fields_set:
                raise InputError(f"{actor.label} is an actor: it takes no {role}.")


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
            source = source or f"The {cls.__name__.lower()}"
            # A key that does not exist is often the reason why another is missing.
            first = min(problem.errors(), key=lambda each: each["type"] != "extra_forbidden")
            raise InputError(f"{source}: {cls._sentence(first)}") from None

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

    @classmethod
    def _sentence(cls, problem: Any) -> str:
        path = [str(item) for item in problem["loc"] if not _TYPE.fullmatch(str(item))]
        where, message = ".".join(path), problem["msg"]
        if problem["type"] == "extra_forbidden":
            return str(
                unknown("key", where, cls.model_fields)
                if len(path) == 1
                else f"There is no key {where}."
            )
        if problem["type"] == "missing":
            return f"{where} is missing."
        return f"{where} is {problem['input']!r}: {message[0].lower()}{message[1:]}."


def marks_of(given: list[int] | Marks | None, horizon: int) -> tuple[int, ...]:
    """The checkpoints within a horizon; it is always one, unless they are at every n-th trial.

    >>> marks_of([10, 100], 50), marks_of(Marks(every=20), 50)
    ((10, 50), (20, 40))
    """
    marks: Any = given
    if isinstance(given, Marks):
        marks = every(given.every)
    elif given is not None:
        marks = sorted({mark for mark in given if mark < horizon} | {horizon})
    return tuple(int(mark) for mark in checkpoints_of(marks, horizon))


def _values_of(name: str, value: Any) -> list[Any]:
    """The values that a parameter takes: of a range, of a list, or the only one."""
    if isinstance(value, dict):
        return _range_of(name, value)
    if isinstance(value, list) and not value:
        raise InputError(f"{name} must have at least one value, not [].")
    return value if isinstance(value, list) else [value]


def _range_of(name: str, value: dict[str, Any]) -> list[float]:
    if set(value) != {"from", "to", "step"}:
        raise InputError(f"A range of {name} must be {{ from, to, step }}, not {value}.")
    low, high, step = (value[key] for key in ("from", "to", "step"))
    numbers = all(isinstance(number, (int, float)) for number in (low, high, step))
    if not numbers or not low <= high or not step > 0:
        raise InputError(f"A range of {name} must rise by a step above 0, unlike {value}.")
    count = round((high - low) / step)
    # Rounded, so that a grid by 0.05 holds 0.15 and not 0.15000000000000002.
    return [round(low + i * step, 12) for i in range(count + 1)]
