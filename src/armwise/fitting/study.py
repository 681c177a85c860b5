"""A study as data: recorded choices, and the agents that are fitted to them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from armwise import registry
from armwise.engine.announce import described
from armwise.engine.free import refuse_without_probability
from armwise.errors import InputError, require, unknown
from armwise.fitting.choices import Choices
from armwise.fitting.design import design_of
from armwise.fitting.examples import example
from armwise.fitting.known import EXAMPLES
from armwise.fitting.load import COLUMNS, load_choices
from armwise.fitting.nest import nest_of
from armwise.fitting.parameters import free_parameters
from armwise.fitting.task import task_of
from armwise.model.agent import Agent, Chooser
from armwise.model.forms import REAL
from armwise.model.roles import Actor, Bandit
from armwise.sweeps import files
from armwise.sweeps.specs import ComponentSpec, Described

FILE = "study.json"
Free = list[str] | dict[str, Any]


class DataSpec(BaseModel):
    """Where the choices are, and how to read them: the arguments of `load_choices`."""

    model_config = ConfigDict(extra="forbid")
    file: str | None = None
    example: str | None = None
    columns: dict[str, str] = {}
    arms: int | list[int | str] | None = None
    ignore: list[int | str] = []
    where: dict[str, Any] = {}
    carry: bool = False

    def choices(self, real: bool = False) -> Choices:
        """The choices; those of an example have outcomes 0 and 1."""
        if (self.file is None) == (self.example is None):
            raise InputError("[data] must name either a file or an example.")
        if self.example is not None:
            return self._of_example(example(self.example))
        asked: dict[str, Any] = self.model_dump(include={"arms", "ignore", "where", "carry"})
        for name in self.columns:
            if name not in COLUMNS:
                raise unknown("column of choices", name, COLUMNS)
        return load_choices(self.file, **{**self.columns, **asked}, real=real)

    def _of_example(self, data: Choices) -> Choices:
        changed = self.model_fields_set - {"example", "where"}
        if changed:
            raise InputError(f"An example is read as it is, without {sorted(changed)[0]}.")
        for name, value in self.where.items():
            data = data.only(data.of_person(name) == value)
        return data


class ModelSpec(BaseModel):
    """An agent by its parts, and what is free."""

    model_config = ConfigDict(extra="forbid")
    name: str | None = None
    policy: ComponentSpec
    learner: ComponentSpec = ComponentSpec(name="smile")
    choice: ComponentSpec = ComponentSpec(name="softmax")
    free: Free | None = None

    @model_validator(mode="before")
    @classmethod
    def _texts(cls, given: Any) -> Any:
        """A part may be a text as on the command line, such as "a-ai:lam=0.5"."""
        if not isinstance(given, dict):
            return given
        found = dict(given)
        roles = {"policy": registry.PLAYING, "learner": "learner", "choice": "choice"}
        for role, kinds in roles.items():
            if isinstance(found.get(role), str):
                found[role] = ComponentSpec.of(*registry.parsed(kinds, found[role]))
        return found

    def agent(self) -> Agent | Chooser:
        """The agent; an actor chooses by the choice."""
        first = self._one("policy", registry.PLAYING)
        if not isinstance(first, Actor):
            return Agent(first, self._one("learner", "learner"), self._one("choice", "choice"))
        if "learner" in self.model_fields_set:
            raise InputError(f"{first.label} learns by itself: leave out learner.")
        return Chooser(first, self._one("choice", "choice"))

    def _one(self, part: str, role: str) -> Any:
        built = getattr(self, part).built(role)
        if len(built) > 1:
            raise InputError(f"{part} must be one, not {len(built)}: values are no lists here.")
        return built[0]


class Study(Described):
    """Choices, agents, and the method of fitting.

    `bandit` is how arms pay in checks that simulate, if the data do not say it.
    """

    data: DataSpec
    bandit: ComponentSpec | None = None
    agent: list[ModelSpec] = Field(min_length=1)
    free: Free | None = None
    method: str = "bayes"
    by: str | None = None
    regress: tuple[str, ...] = ()
    nested: str | None = None
    seed: int = Field(default=0, ge=0)

    @field_validator("bandit", mode="before")
    @classmethod
    def _text(cls, given: Any) -> Any:
        """A bandit may be a text as on the command line, such as "switching:arms=3,rho=0.1"."""
        return cls._bandit(given) if isinstance(given, str) else given

    @staticmethod
    def _bandit(text: str) -> ComponentSpec:
        return ComponentSpec.of(*registry.parsed("bandit", text))

    def playing(self, bandit: str | None) -> "Study":
        """The same study with another bandit, if one is given."""
        return self.model_copy(update={"bandit": self._bandit(bandit)}) if bandit else self

    def task(self) -> Bandit | None:
        """The bandit of checks that simulate; None if the data say how arms pay."""
        if self.bandit is None:
            return None
        built = self.bandit.built("bandit")
        if len(built) > 1:
            raise InputError(f"bandit must be one, not {len(built)}: values are no lists here.")
        return built[0]

    @classmethod
    def from_file(cls, path: str | Path) -> "Study":
        """From a TOML file, or from the folder that an earlier fit wrote."""
        path = Path(path)
        if path.is_dir():
            return cls._from_folder(path)
        study = cls.read(path)
        if study.data.file is not None:
            study.data.file = str(path.parent / study.data.file)
        return study

    @classmethod
    def _from_folder(cls, folder: Path) -> "Study":
        try:
            kept = json.loads((folder / FILE).read_text(encoding="utf-8"))
        except OSError:
            raise InputError(f"'{folder}' holds no fits: it has no {FILE}.") from None
        except ValueError:
            raise InputError(f"{folder / FILE} is damaged; fit again.") from None
        study = cls.of(kept, str(folder / FILE))
        parts = [part for each in study.agent for part in (each.policy, each.learner, each.choice)]
        for part in [*parts, study.bandit]:
            if part is not None and part.file:
                raise InputError(
                    f"'{folder}' uses {part.file}, and code is not run because a folder says so: "
                    "name the TOML file instead."
                )
        return study

    def models(self) -> dict[str, tuple[Agent | Chooser, Any]]:
        """Agents and what is free, by name."""
        found: dict[str, tuple[Agent | Chooser, Any]] = {}
        for model in self.agent:
            agent = model.agent()
            name, free = model.name or described(agent), model.free or self.free
            if not free:
                raise InputError(f'{name} has nothing free: free = ["precision"], for example.')
            if name in found:
                raise InputError(f"Two agents are called {name}: give each a name of its own.")
            found[name] = agent, free
        return found

    def fits(
        self, say: Callable[[str], None] | None = None, simulated: bool = False, **options: Any
    ) -> dict[str, Any]:
        """All models, fitted, by name; `options` are further arguments of `fit`.

        If people are to be `simulated`, it must be known how arms pay.
        """
        from armwise.fitting.fit import METHODS, fit

        require("pandas", "scipy", "xarray")
        models = self.models()
        for agent, free in models.values():  # all that can be refused is, before anything is fitted
            refuse_without_probability(agent)
            free_parameters(agent, free)
        if self.method not in METHODS:
            raise unknown("method", self.method, METHODS)
        data = self.data.choices(any(agent.outcomes == REAL for agent, _ in models.values()))
        design_of(data, self.by, self.regress)
        if self.nested is not None:
            nest_of(data, self.nested)
        if simulated:
            task_of(data, self.task())
        given = {name: value for name, value in options.items() if value is not None}
        found = {}
        for name, (agent, free) in models.items():
            if say is not None:
                say(f"fitting {name}")
            found[name] = fit(
                agent,
                data,
                free,
                method=self.method,
                by=self.by,
                regress=self.regress,
                nested=self.nested,
                seed=self.seed,
                **given,
            )
        return found

    def remember(self, folder: Path) -> "Study":
        """Keep the study in a folder, together with what is kept there of the same data."""
        if self.data.file is not None:
            self.data.file = str(Path(self.data.file).resolve())
        models = {model.name or described(model.agent()): model for model in self.agent}
        bandit = self.bandit
        if (folder / FILE).is_file():
            known = Study.of(json.loads((folder / FILE).read_text(encoding="utf-8")), str(folder))
            if known.data != self.data or known.method != self.method:
                raise InputError(
                    f"'{folder}' holds fits to other data or by another method: take another."
                )
            models = {m.name or described(m.agent()): m for m in known.agent} | models
            bandit = bandit or known.bandit
        both = self.model_copy(update={"agent": list(models.values()), "bandit": bandit})
        text = both.model_dump_json(indent=1, exclude_unset=True) + "\n"
        with files.refusing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            files.put(folder / FILE, text.encode())
        return both


def data_spec(text: str, **options: Any) -> DataSpec:
    """The data that a command line names: a file, a folder, or one of the examples."""
    if not Path(text).exists() and not Path(text).suffix and Path(text).name == text:
        if text not in EXAMPLES:
            raise unknown("file or example", text, EXAMPLES)
        return DataSpec(example=text, **options)
    return DataSpec(file=text, **options)
