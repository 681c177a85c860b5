"""Bandits and agents from what a page sends: registered names and numbers, and never a file."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from armwise import registry
from armwise.bandits.problems import PROBLEMS
from armwise.errors import InputError, brief, unknown, whole_number
from armwise.model.agent import Agent
from armwise.model.component import Component, named
from armwise.model.draws import AGENTS_MAX
from armwise.model.forms import BETA, BINARY, NORMAL, REAL
from armwise.model.roles import Actor, Bandit
from armwise.play.catalogue import ROLES, catalogue, described

ARMS = 100
TRACE = 100_000  # trials x arms of a trace
WORK = 2_000_000_000  # decisions of many copies
AGENTS = 6  # that are compared
MEMORY = 1 << 20  # numbers that an agent may remember
MESSAGE = 16_384  # bytes
SEEDS = 1 << 53  # larger numbers are not exact in a page

LIMITS = {"arms": ARMS, "trace": TRACE, "work": WORK, "agents": AGENTS, "message": MESSAGE}

Own = dict[str, dict[str, type[Component]]]


class Shelf:
    """All components by name: armwise's own, and those of files that the command line named."""

    def __init__(self, files: Iterable[str | Path] = ()) -> None:
        self.files = [Path(file).resolve() for file in files]
        self.own: Own = {role: {} for role in ROLES.values()}
        for file in self.files:
            for role, classes in registry.components_in(file).items():
                for cls in classes:
                    self._add(role, cls, file)

    def _add(self, role: str, cls: type[Component], file: Path) -> None:
        name = cls.label.lower()
        if name in self.known(role):
            raise InputError(f"{file}: there is a {role} {name} already; give it another label.")
        _refuse_unless_shown(cls)
        self.own[role][name] = cls

    def known(self, role: str) -> dict[str, type[Component]]:
        """The components of a role by name."""
        known = registry.known(role) | self.own[role]
        return {name: cls for name, cls in known.items() if _is_shown(cls)}

    def catalogue(self) -> dict[str, Any]:
        """What `armwise.catalogue()` has for outcomes 0 and 1, and the components of own files."""
        found = catalogue()
        for plural, role in ROLES.items():
            found[plural] = [each for each in found[plural] if each["name"] in self.known(role)]
            found[plural] += [described(name, cls) for name, cls in self.own[role].items()]
        names = [name for name, bandit in PROBLEMS.items() if _is_shown(type(bandit))]
        return found | {"problems": {name: found["problems"][name] for name in names}}

    def component(self, role: str, given: Any) -> Component:
        """A component of a role, from an object with its name and its parameters."""
        name = _name_in(given, role)
        _refuse_unless_shown(registry.known(role).get(name))
        if name not in self.known(role):
            raise unknown(role, name, self.known(role))
        return named(self.known(role)[name], {k: v for k, v in given.items() if k != "name"})

    def bandit(self, given: Any) -> Bandit:
        """The bandit that a page describes."""
        name = _name_in(given, "bandit")
        found: Any = PROBLEMS.get(name)
        _refuse_unless_shown(type(found))
        if found is not None and len(given) > 1:
            raise InputError(f"The problem {name} has no parameters to set.")
        found = found or self.component("bandit", given)
        whole_number("arms", found.arms, 2, ARMS + 1)
        return found

    def agent(self, given: Any, arms: int = 2) -> Agent | Actor:
        """The agent that a page describes; with an actor's name as its policy, the actor."""
        if not isinstance(given, dict) or not isinstance(given.get("policy"), dict):
            raise InputError("An agent must be an object with a policy.")
        if _name_in(given["policy"], "policy") in self.known("actor"):
            found: Any = self.component("actor", given["policy"])
        else:
            learner = given.get("learner") or {"name": "smile"}
            choice = given.get("choice") or {"name": "argmax"}
            parts = {"policy": given["policy"], "learner": learner, "choice": choice}
            found = Agent(**{role: self.component(role, part) for role, part in parts.items()})  # type: ignore[arg-type]
        if found.memory_size(arms) > MEMORY:
            raise InputError(
                f"{found.label} would remember {found.memory_size(arms)} numbers: the lab has room "
                f"for {MEMORY}."
            )
        return found


def _name_in(given: Any, role: str) -> str:
    if not isinstance(given, dict) or not isinstance(given.get("name"), str):
        raise InputError(f"A {role} must be an object with a name, not {brief(given)}.")
    return given["name"].lower()


def _is_shown(cls: Any) -> bool:
    """Whether a component is about outcomes 0 and 1, which the lab shows."""
    real = getattr(cls, "outcomes", BINARY) == REAL
    return not real and getattr(cls, "beliefs", BETA) != NORMAL


def _refuse_unless_shown(cls: Any) -> None:
    if not _is_shown(cls):
        raise InputError(f"The lab shows outcomes 0 and 1, and {cls.label} is about real ones.")


def kind_of_agent(given: Any) -> str:
    """The names of an agent's parts: agents of one kind share their compiled code."""
    if not isinstance(given, dict):
        return "?"
    return " ".join(kind_of(given.get(role)) for role in ("policy", "learner", "choice"))


def kind_of(given: Any) -> str:
    """The name of a component, or what stands in its place."""
    return str(given.get("name")).lower() if isinstance(given, dict) else "-"


def numbers_of(asked: dict[str, Any]) -> tuple[int, int]:
    """The seed and the number of an agent, checked."""
    seed = whole_number("seed", asked.get("seed", 0), 0, SEEDS)
    return seed, whole_number("number", asked.get("number", 0), 0, AGENTS_MAX)


def horizon_of(asked: dict[str, Any], arms: int) -> int:
    """The trials of a trace: at most 100 000 over all arms."""
    return whole_number("horizon", asked.get("horizon"), 1, TRACE // arms + 1)
