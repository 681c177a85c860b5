"""Families of bandits as data: the bandits, the agents that play them, and what each is given.

A family is a TOML file in the format of a sweep, with a few additional keys:

    title = "Switching bandits of varying difficulty"
    measure = "rate"                         # or "regret"

    [[agent]]
    policy = { name = "g-ai", lam = 0.25 }   # a single agent: no lists
    given = "rho"                            # what it knows about its bandit, in words
    # label = "G-AI, SMiLe"                  # its name in the table
    # bound = true                           # it knows what no agent can know: it has no rank
    # only = ["medium", "full"]              # the profiles it plays in
"""

import dataclasses
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field

from armwise import registry
from armwise.bandits.problems import PROBLEMS
from armwise.errors import InputError, unknown
from armwise.leaderboard.tuning import tuned, tunings_in
from armwise.model.agent import Agent
from armwise.model.component import parameters_of, written
from armwise.model.roles import Bandit
from armwise.sweeps.cell import Cell
from armwise.sweeps.specs import AgentSpec, ComponentSpec, Described, Marks, Profile, marks_of
from armwise.sweeps.sweep import Sweep

PROFILES = ("quick", "medium", "full")
NOTHING, EVERYTHING, STILL = "nothing", "everything", "that nothing changes"

_FOLDER = Path(__file__).parent / "families"
_ORDER = ("stationary", "robustness", "switching", "varying", "problems", "anything")
_SYMBOLS = {"arms": "K", "epsilon": "ε", "rho": "ρ", "sigma": "σ"}


class Entry(AgentSpec):
    """An agent of a family: its parts, its name in the table, and what it is given."""

    given: str = ""  # derived from the parts by default
    label: str = ""
    bound: bool = False
    only: list[Literal["quick", "medium", "full"]] = Field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Contender:
    """An agent with its cells by bandit."""

    label: str
    given: str
    bound: bool
    cells: dict[str, Cell]


class Family(Described):
    """Bandits of one kind and the agents that play them (see the docstring of the module)."""

    name: str = ""
    title: str
    text: str = ""
    measure: Literal["regret", "rate"]
    horizon: int
    agents: int = Field(default=1_000, ge=2)
    seed: int = 1
    checkpoints: list[int] | Marks | None = None
    bandit: list[ComponentSpec] = Field(min_length=1)
    agent: list[Entry] = Field(min_length=1)
    profile: dict[str, Profile] = Field(default_factory=dict)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a family from a TOML file; its default name is that of the file."""
        family = super().read(path)
        return family.model_copy(update={"name": family.name or Path(path).stem})

    def at(self, profile: str) -> "Family":
        """The family in the sizes of a profile, with the agents that play in it."""
        change = self.profile.get(profile, Profile())
        sizes = {name: value for name, value in change if value is not None and name != "step"}
        playing = [entry for entry in self.agent if not entry.only or profile in entry.only]
        return self.model_copy(update=sizes | {"agent": playing})

    def bandits(self) -> dict[str, Bandit]:
        """The bandits by title."""
        built = [bandit for spec in self.bandit for bandit in spec.built("bandit")]
        return {title_of(bandit): bandit for bandit in built}

    def contenders(self) -> list[Contender]:
        """Every agent with its cells; raise InputError if two labels are equal."""
        bandits = self.bandits()
        contenders = [self._contender(entry, bandits) for entry in self.agent]
        counts = Counter(one.label for one in contenders)
        twice = [label for label, count in counts.items() if count > 1]
        if twice:
            raise InputError(f"{self.name}: labels must differ, but {twice[0]} occurs twice.")
        return contenders

    def definitions(self) -> list[dict[str, Any]]:
        """The cells as definitions of sweeps, one for every set of bandits, for a store to keep."""
        groups: dict[tuple[str, ...], list[AgentSpec]] = {}
        bandits = self.bandits()
        for entry in self.agent:
            for agent, names in self._tuned(entry, bandits):
                groups.setdefault(tuple(names), []).append(agent)
        return [
            self._sweep([spec_of(bandits[name]) for name in names], agents).definition()
            for names, agents in groups.items()
        ]

    def _tuned(self, entry: Entry, bandits: dict[str, Bandit]) -> list[tuple[AgentSpec, list[str]]]:
        """The entry with tuned numbers, once per setting, with the bandits that it applies to."""
        groups: dict[str, tuple[AgentSpec, list[str]]] = {}
        for name, bandit in bandits.items():
            agent = tuned(entry, bandit, self.horizon)
            groups.setdefault(agent.model_dump_json(), (agent, []))[1].append(name)
        return list(groups.values())

    def _contender(self, entry: Entry, bandits: dict[str, Bandit]) -> Contender:
        cells = {name: self._cell(entry, bandit) for name, bandit in bandits.items()}
        names = given_to(entry, list(cells.values()))
        label = entry.label or next(iter(cells.values())).agent.label
        stated = entry.given or in_words(names)
        unsaid = [name for name in names if not re.search(rf"\b{re.escape(name)}\b", stated)]
        if unsaid and stated != EVERYTHING:
            raise InputError(
                f"{self.name}: {label} is declared to be given {stated}, but it is also "
                f"given {in_words(unsaid)}."
            )
        return Contender(label, stated, entry.bound, cells)

    def _cell(self, entry: Entry, bandit: Bandit) -> Cell:
        agents = list(tuned(entry, bandit, self.horizon).agents(bandit, self.horizon))
        if len(agents) != 1:
            name = entry.policy.name
            raise InputError(f"{self.name}: {name} must be one agent, not {len(agents)}.")
        marks = marks_of(self.checkpoints, self.horizon)
        return Cell(bandit, agents[0], self.horizon, self.agents, self.seed, marks)

    def _sweep(self, bandits: list[ComponentSpec], agents: list[AgentSpec]) -> Sweep:
        return Sweep(
            title=self.title,
            horizon=self.horizon,
            agents=self.agents,
            seed=self.seed,
            checkpoints=self.checkpoints,
            bandit=bandits,
            agent=agents,
        )


def families(names: Sequence[str] = ()) -> list[Family]:
    """The families with these names or files; by default all families of armwise.

    >>> [family.name for family in families()]
    ['stationary', 'robustness', 'switching', 'varying', 'problems', 'anything']
    """
    for name in names:
        if name not in _ORDER and not name.endswith(".toml"):
            raise unknown("family", name, _ORDER)
    return [
        Family.read(_FOLDER / f"{name}.toml" if name in _ORDER else name)
        for name in names or _ORDER
    ]


def title_of(bandit: Bandit) -> str:
    """A short title of a bandit.

    >>> from armwise import PROBLEMS, SwitchingBandit
    >>> title_of(PROBLEMS["near-tie"]), title_of(SwitchingBandit(arms=10))
    ('near-tie', 'K = 10, ε = 0.1, ρ = 0.01')
    """
    for name, problem in PROBLEMS.items():
        if problem == bandit:
            return name
    values = bandit.parameters()
    if any(isinstance(value, tuple) for value in values.values()):
        return str(bandit)
    if values.get("p") == 0.5:
        del values["p"]
    return ", ".join(f"{_SYMBOLS.get(name, name)} = {value:g}" for name, value in values.items())


def spec_of(bandit: Bandit) -> ComponentSpec:
    """A bandit as it is written in a sweep."""
    return ComponentSpec.of(bandit.label.lower(), bandit.parameters())


def given_to(entry: AgentSpec, cells: Sequence[Cell]) -> list[str]:
    """The knowledge an agent is given: its parameters that are filled in from the bandits."""
    names = [name for cell in cells for name in _filled(entry, cell)]
    if any(tunings_in(spec) for spec in entry.parts.values()):
        names += ["horizon", "number of changes"]
    if all(cell.bandit.assumed_rho() == 0.0 for cell in cells):
        names = [STILL if name == "rho" else name for name in names]
    return list(dict.fromkeys(names))


def _filled(entry: AgentSpec, cell: Cell) -> list[str]:
    if not isinstance(cell.agent, Agent):
        part, spec = cell.agent.parts[0], entry.policy
        known = {*cell.bandit.parameters(), "rho", "horizon"} - {"arms"}
    else:
        part, spec, known = cell.agent.learner, entry.learner, {"rho"}
    names = [field.name for field in parameters_of(type(part))]
    return [name for name in names if name in known and name not in spec.values]


def in_words(names: Sequence[str]) -> str:
    """The given knowledge as text for the table.

    >>> in_words([]), in_words(["epsilon", "rho", "p"])
    ('nothing', 'epsilon, rho and p')
    """
    if len(names) < 2:
        return names[0] if names else NOTHING
    return f"{', '.join(names[:-1])} and {names[-1]}"


def own_entry(text: str) -> Entry:
    """The entry of a user's agent: a name or a file with parameters, as `mine.py:strength=2`.

    >>> own_entry("a-ai:lam=0.3").label
    'A-AI lam=0.3 (added)'
    """
    name, values = registry.parsed(registry.PLAYING, text)
    label = registry.build(registry.PLAYING, name, values).label
    settings = [f"{key}={written(value)}" for key, value in values.items()]
    return Entry(
        policy=ComponentSpec.of(name, values), label=" ".join([label, *settings, "(added)"])
    )
