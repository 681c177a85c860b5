"""Families of worlds as data: the worlds, the agents that play in them, and what each is told.

A family is a TOML file in the format of a sweep, with a few words more:

    title = "Switching worlds of varying difficulty"
    measure = "rate"                         # or "regret"

    [[agent]]
    policy = { name = "g-ai", lam = 0.25 }   # one agent: no lists
    told = "rho"                             # what it is told of the world, in words
    # label = "G-AI, SMiLe"                  # its name in the table
    # bound = true                           # it knows what no agent can: it takes no rank
    # only = ["medium", "full"]              # the profiles it plays in
"""

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field

from armwise import registry
from armwise.bandits.problems import PROBLEMS
from armwise.errors import InputError, unknown
from armwise.leaderboard.tuning import PARTS, tuned, words_in
from armwise.model.component import parameters_of
from armwise.model.roles import Actor, Bandit
from armwise.sweeps.cell import Cell
from armwise.sweeps.sweep import Described, Marks, Mind, Part, Profile, Sweep

PROFILES = ("quick", "medium", "full")
NOTHING, EVERYTHING, STILL = "nothing", "everything", "that nothing changes"

_FOLDER = Path(__file__).parent / "families"
_ORDER = ("stationary", "robustness", "switching", "varying", "problems")
_SYMBOLS = {"arms": "K", "epsilon": "ε", "rho": "ρ", "sigma": "σ"}


class Entry(Mind):
    """An agent of a family: its parts, its name in the table, and what it is told."""

    told: str = ""  # worked out unless given
    label: str = ""
    bound: bool = False
    only: list[Literal["quick", "medium", "full"]] = Field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Contender:
    """An agent with the cells it has to play, by world."""

    label: str
    told: str
    bound: bool
    cells: dict[str, Cell]


class Family(Described):
    """Worlds of one kind and the agents that meet in them: see the module's text."""

    name: str = ""
    title: str
    text: str = ""
    measure: Literal["regret", "rate"]
    horizon: int
    agents: int = Field(default=1_000, ge=2)
    seed: int = 1
    checkpoints: list[int] | Marks | None = None
    world: list[Part] = Field(min_length=1)
    agent: list[Entry] = Field(min_length=1)
    profile: dict[str, Profile] = Field(default_factory=dict)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """From a TOML file, whose name it takes."""
        found = super().read(path)
        return found.model_copy(update={"name": found.name or Path(path).stem})

    def at(self, profile: str) -> "Family":
        """The family in the sizes of a profile, with the agents that play in it."""
        change = self.profile.get(profile, Profile())
        sizes = {name: value for name, value in change if value is not None and name != "step"}
        playing = [entry for entry in self.agent if not entry.only or profile in entry.only]
        return self.model_copy(update=sizes | {"agent": playing})

    def bandits(self) -> dict[str, Bandit]:
        """The worlds, by what tells them apart."""
        anyone = Mind(policy=Part(name="rc"))
        return {words_of(cell.bandit): cell.bandit for cell in self._cells(self.world, [anyone])}

    def contenders(self) -> list[Contender]:
        """Every agent with its cells; labels differ."""
        bandits = self.bandits()
        found = [self._contender(entry, bandits) for entry in self.agent]
        twice = [name for name, count in Counter(c.label for c in found).items() if count > 1]
        if twice:
            raise InputError(f"{self.name}: labels must differ, and {twice[0]} is there twice.")
        return found

    def definitions(self) -> list[dict[str, Any]]:
        """The cells as sweeps, for a store to remember: one for every set of worlds."""
        groups: dict[str, tuple[list[Part], list[Mind]]] = {}
        bandits = list(self.bandits().values())
        for entry in self.agent:
            for worlds, mind in self._told(entry, bandits):
                name = json.dumps([world.model_dump() for world in worlds])
                groups.setdefault(name, (worlds, []))[1].append(mind)
        return [self._sweep(worlds, minds).definition() for worlds, minds in groups.values()]

    def _told(self, entry: Entry, bandits: Sequence[Bandit]) -> list[tuple[list[Part], Mind]]:
        """The entry with its numbers, and the worlds in which they are these."""
        groups: dict[str, tuple[list[Part], Mind]] = {}
        for bandit in bandits:
            mind = tuned(entry, bandit, self.horizon)
            groups.setdefault(mind.model_dump_json(), ([], mind))[0].append(part_of(bandit))
        return list(groups.values())

    def _contender(self, entry: Entry, bandits: dict[str, Bandit]) -> Contender:
        cells = {}
        for name, bandit in bandits.items():
            made = self._cells([part_of(bandit)], [tuned(entry, bandit, self.horizon)])
            if len(made) != 1:
                raise InputError(
                    f"{self.name}: {entry.policy.name} must be one agent, not {len(made)}."
                )
            cells[name] = made[0]
        found = learned_from(entry, list(cells.values()))
        label = entry.label or next(iter(cells.values())).agent.label
        told = entry.told or in_words(found)
        unsaid = [name for name in found if not re.search(rf"\b{re.escape(name)}\b", told)]
        if unsaid and told != EVERYTHING:
            raise InputError(
                f"{self.name}: {label} is said to be told {told}, and is told {in_words(unsaid)}."
            )
        return Contender(label, told, entry.bound, cells)

    def _cells(self, worlds: Sequence[Part], minds: Sequence[Mind]) -> list[Cell]:
        return self._sweep(worlds, minds).cells()

    def _sweep(self, worlds: Sequence[Part], minds: Sequence[Mind]) -> Sweep:
        return Sweep(
            title=self.title,
            horizon=self.horizon,
            agents=self.agents,
            seed=self.seed,
            checkpoints=self.checkpoints,
            world=list(worlds),
            agent=list(minds),
        )


def families(names: Sequence[str] = ()) -> list[Family]:
    """The families that armwise knows, or those of the names and files given.

    >>> [family.name for family in families()]
    ['stationary', 'robustness', 'switching', 'varying', 'problems']
    """
    found = []
    for name in names or _ORDER:
        known = _FOLDER / f"{name}.toml"
        if name not in _ORDER and not name.endswith(".toml"):
            raise unknown("family of worlds", name, _ORDER)
        found.append(Family.read(known if name in _ORDER else name))
    return found


def words_of(bandit: Bandit) -> str:
    """A world in few words.

    >>> from armwise import PROBLEMS, SwitchingBandit
    >>> words_of(PROBLEMS["near-tie"]), words_of(SwitchingBandit(arms=10))
    ('near-tie', 'K = 10, ε = 0.1, ρ = 0.01')
    """
    for name, problem in PROBLEMS.items():
        if problem == bandit:
            return name
    found = bandit.parameters()
    if any(isinstance(value, tuple) for value in found.values()):
        return str(bandit)
    if found.get("p") == 0.5:
        del found["p"]
    return ", ".join(f"{_SYMBOLS.get(name, name)} = {value:g}" for name, value in found.items())


def part_of(bandit: Bandit) -> Part:
    """A world as a sweep has it."""
    values = {
        name: [list(value)] if isinstance(value, tuple) else value
        for name, value in bandit.parameters().items()
    }
    return Part.model_validate({"name": bandit.label.lower(), **values})


def learned_from(entry: Mind, cells: Sequence[Cell]) -> list[str]:
    """What an agent is told of its worlds: the parameters that are filled in from there."""
    told: list[str] = []
    for cell in cells:
        whole = isinstance(cell.agent, Actor)
        part = cell.agent if whole else cell.agent.learner
        given = (entry.policy if whole else entry.learner).model_extra or {}
        known = {*cell.bandit.parameters(), "rho", "horizon"} if whole else {"rho"}
        names = [field.name for field in parameters_of(type(part))]
        told += [name for name in names if name in known - {"arms"} and name not in given]
    if any(words_in(getattr(entry, name)) for name in PARTS):
        told += ["horizon", "number of changes"]
    if all(cell.bandit.assumed_rho() == 0.0 for cell in cells):
        told = [STILL if name == "rho" else name for name in told]
    return list(dict.fromkeys(told))


def in_words(told: Sequence[str]) -> str:
    """What is told, as the table says it.

    >>> in_words([]), in_words(["epsilon", "rho", "p"])
    ('nothing', 'epsilon, rho and p')
    """
    if len(told) < 2:
        return told[0] if told else NOTHING
    return f"{', '.join(told[:-1])} and {told[-1]}"


def own_entry(text: str) -> Entry:
    """A user's agent: a name or a file, with parameters, such as `mine.py:strength=2`.

    >>> own_entry("a-ai:lam=0.3").label
    'A-AI lam=0.3 (added)'
    """
    name, _, tail = text.strip().partition(":")
    label = registry.mind(text).label
    values = dict(item.split("=", 1) for item in tail.split(",") if item)
    numbers = {key.strip(): _number(value) for key, value in values.items()}
    return Entry(
        policy=Part.model_validate({"name": name, **numbers}),
        label=" ".join([label, *filter(None, tail.replace(" ", "").split(",")), "(added)"]),
    )


def _number(text: str) -> Any:
    """A value as TOML has it: a list in a list for a vector."""
    text = text.strip()
    if "/" in text:
        return [[float(item) for item in text.split("/")]]
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return float(text) if any(mark in text for mark in ".enif") else int(text)
