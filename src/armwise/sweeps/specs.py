"""The tables of a sweep file: components and agents by name, checkpoints, profiles."""

import itertools
import math
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from armwise import registry
from armwise.errors import InputError, brief, unknown
from armwise.model.agent import Agent, Chooser
from armwise.model.component import Component, parameters_of
from armwise.model.roles import Actor, Bandit, Policy
from armwise.play.checkpoints import checkpoints_of, every
from armwise.sweeps.values import Whole, Wholes, values_of

PARTS = ("policy", "learner", "choice")
_TYPE = re.compile(r"int|Marks|.*\[.*")  # pydantic names the member of a union beside the field
DEPTH_MAX = 20  # of the tables and lists in a file
Made = dict[Any, list[Any]]  # what was built, so that equal parts of many cells are one object


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

    @property
    def file(self) -> str:
        """The user's file that defines the component; '' for one of armwise's own."""
        return registry.file_and_class(self.name)[0]

    def axes(self) -> dict[str, list[Any]]:
        """The values that each parameter takes."""
        return {name: values_of(name, value) for name, value in self.values.items()}

    def count(self) -> int:
        """How many components this is."""
        return math.prod(len(values) for values in self.axes().values())

    def built(self, role: str, **defaults: Any) -> list[Any]:
        """The product of all lists, as components; `defaults` fill in what is left open."""
        axes = self.axes()
        return [
            registry.build(role, self.name, dict(zip(axes, point, strict=True)), **defaults)
            for point in itertools.product(*axes.values())
        ]

    def once(self, made: Made, role: str, given: Mapping[str, Any]) -> list[Any]:
        """The same, built once for all defaults that make no difference to it."""
        cls = registry.class_of(role, self.name)
        fields = () if issubclass(cls, Policy) else parameters_of(cls)
        used = {field.name: given[field.name] for field in fields if field.name in given}
        key = id(self), role, repr(used)
        if key not in made:
            made[key] = self.built(role, **used)
        return made[key]

    def coarser(self, step: float) -> "ComponentSpec":
        """The same with another step in every range."""
        changed = {k: v | {"step": step} for k, v in self.values.items() if isinstance(v, dict)}
        return self.model_copy(update=changed)

    def at(self, path: str) -> str:
        """The name with the file at another path."""
        cls = registry.file_and_class(self.name)[1]
        return f"{path}:{cls}" if cls else path

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

    def count(self) -> int:
        """How many agents this is; an actor has neither learner nor choice to count."""
        return math.prod(part.count() for part in self.parts.values())

    def agents(self, bandit: Bandit, horizon: int, made: Made | None = None) -> list[Any]:
        """The agents of this table, which are given what their parameters leave open.

        A learner is given the bandit's rho; an actor all parameters of the bandit, and the horizon.
        An actor takes a choice if it has scores.
        """
        made = {} if made is None else made
        rho = bandit.assumed_rho()
        given = bandit.parameters() | {"rho": rho, "horizon": horizon}
        firsts = self.policy.once(made, registry.PLAYING, given)
        if isinstance(firsts[0], Actor):
            self._refuse_learner_of(firsts[0])
            if "choice" not in self.model_fields_set:
                return firsts
            choices = self.choice.once(made, "choice", {})
            return [Chooser(*each) for each in itertools.product(firsts, choices)]
        learners = self.learner.once(made, "learner", {"rho": rho})
        choices = self.choice.once(made, "choice", {})
        key = id(firsts), id(learners), id(choices)
        if key not in made:
            parts = itertools.product(firsts, learners, choices)
            made[key] = [Agent(*each) for each in parts]
        return made[key]

    def coarser(self, step: float) -> "AgentSpec":
        """The same with another step in every range of its policy."""
        return self.model_copy(update={"policy": self.policy.coarser(step)})

    @property
    def named(self) -> list[str]:
        """The roles of the parts that the table names."""
        return [role for role in PARTS if role in self.model_fields_set]

    def definition(self) -> dict[str, Any]:
        """The agent as plain data: the parts that were named, since an actor has no others."""
        return {role: getattr(self, role).definition() for role in self.named}

    def _refuse_learner_of(self, actor: Component) -> None:
        if "learner" in self.model_fields_set:
            raise InputError(f"{actor.label} is an actor: it takes no learner.")


class Marks(BaseModel):
    """Checkpoints at every n-th trial."""

    model_config = ConfigDict(extra="forbid")
    every: Whole = Field(gt=0)


class Profile(BaseModel):
    """What a profile changes: sizes, and the step of ranges."""

    model_config = ConfigDict(extra="forbid")
    horizon: Whole | None = None
    agents: Whole | None = None
    checkpoints: Wholes | Marks | None = None
    step: float | None = Field(default=None, gt=0, allow_inf_nan=False)


class Described(BaseModel):
    """Data that users write; what is wrong with it is said in one sentence."""

    model_config = ConfigDict(extra="forbid")

    @classmethod
    def of(cls, data: dict[str, Any], source: str = "") -> Self:
        """From plain data."""
        source = source or f"The {cls.__name__.lower()}"
        refuse_deep(data, source)
        try:
            return cls.model_validate(data)
        except ValidationError as problem:
            # A key that does not exist is often the reason why another is missing.
            first = min(problem.errors(), key=lambda each: each["type"] != "extra_forbidden")
            raise InputError(f"{source}: {cls._sentence(first)}") from None

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """From a TOML file."""
        try:
            data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as problem:
            raise InputError(f"{path} cannot be read: {problem.strerror}.") from None
        except RecursionError:
            raise InputError(f"{path} is nested too deeply to be read.") from None
        except ValueError as problem:  # no TOML, no UTF-8, more digits than Python reads
            raise InputError(f"{path} is not TOML: {_one_line(str(problem))}.") from None
        return cls.of(data, str(path))

    @classmethod
    def _sentence(cls, problem: Any) -> str:
        path = [str(item) for item in problem["loc"] if not _TYPE.fullmatch(str(item))]
        where, message = ".".join(path), problem["msg"]
        if problem["type"] == "extra_forbidden":
            return str(
                unknown("key", where[:80], cls.model_fields)
                if len(path) == 1
                else f"There is no key {where[:80]}."
            )
        if problem["type"] == "missing":
            return f"{where} is missing."
        message = message.removeprefix("Value error, ")
        return f"{where} is {brief(problem['input'])}: {message[0].lower()}{message[1:]}."


def refuse_deep(data: Any, source: str) -> None:
    """Refuse tables and lists within each other beyond any use, which would exhaust a recursion."""
    level = [data]
    for _ in range(DEPTH_MAX):
        inner = [list(each.values()) if isinstance(each, dict) else each for each in level]
        level = [item for each in inner if isinstance(each, list) for item in each]
        level = [item for item in level if isinstance(item, dict | list)]
        if not level:
            return
    raise InputError(f"{source} is nested deeper than {DEPTH_MAX} tables and lists.")


def _one_line(text: str) -> str:
    return " ".join(text.split()).rstrip(".")[:200]


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
