"""Components by name: `a-ai:lam=0.5`, `switching:arms=10,rho=0.01`, `mine.py:strength=2`.

A problem of the literature is named without parameters: `problem-1`.
"""

import hashlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from armwise import actors, bandits, choices, learners, policies
from armwise.bandits.problems import PROBLEMS
from armwise.errors import InputError, unknown
from armwise.model.component import Component, kind_of, named, parameters_of
from armwise.model.roles import Actor, Bandit, Choice, Learner, Policy

_ROOMS = {
    "bandit": bandits,
    "learner": learners,
    "policy": policies,
    "choice": choices,
    "actor": actors,
}
_ROLES: dict[str, type[Component]] = {
    "bandit": Bandit,
    "learner": Learner,
    "policy": Policy,
    "choice": Choice,
    "actor": Actor,
}


def known(role: str) -> dict[str, type[Component]]:
    """Every component of a role by its name on the command line.

    >>> sorted(known("choice"))
    ['argmax', 'softmax']
    """
    room = _ROOMS[role]
    found = [getattr(room, name) for name in room.__all__]
    return {cls.label.lower(): cls for cls in sorted(found, key=lambda cls: cls.label)}


def component(role: str, text: str, **defaults: Any) -> Any:
    """The component that `text` describes; `defaults` fill in parameters it leaves open.

    >>> component("policy", "a-ai:lam=0.25")
    ApproximateActiveInference(lam=0.25)
    """
    name, _, tail = text.strip().partition(":")
    if role == "bandit" and name.lower() in PROBLEMS:
        if tail:
            raise InputError(f"The problem {name} has no parameters to set, not '{tail}'.")
        return PROBLEMS[name.lower()]
    cls = _class_in(Path(name), role) if name.endswith(".py") else known(role).get(name.lower())
    if cls is None:
        raise unknown(role, name, [*known(role), *(PROBLEMS if role == "bandit" else ())])
    fields = {field.name: field for field in parameters_of(cls)}
    values = {key: value for key, value in defaults.items() if key in fields}
    for item in filter(None, tail.split(",")):
        key, equals, value = item.partition("=")
        if not equals:
            raise InputError(f"'{item}' in '{text}' must read name=value.")
        key = key.strip()
        kind = kind_of(fields[key]) if key in fields else "float"
        values[key] = _value(kind, value.strip(), f"{name}: {key}")
    return named(cls, values)


def mind(text: str, **defaults: Any) -> Any:
    """The policy or the whole agent that `text` describes; `defaults` are for the latter.

    >>> mind("hmm", rho=0.02).role, mind("a-ai").role
    ('actor', 'policy')
    """
    name = text.strip().partition(":")[0]
    if name.endswith(".py"):
        role = "actor" if _classes(load_file(Path(name)), "actor") else "policy"
    else:
        role = "actor" if name.lower() in known("actor") else "policy"
    if role == "policy" and name.lower() not in known("policy") and not name.endswith(".py"):
        raise unknown("policy or agent", name, [*known("policy"), *known("actor")])
    return component(role, text, **(defaults if role == "actor" else {}))


def _value(kind: str, text: str, where: str) -> Any:
    try:
        if kind == "vector":
            return tuple(float(item) for item in text.split("/"))
        if kind == "bool":
            return {"true": True, "false": False}[text.lower()]
        number = float(text)
        return int(text) if kind == "int" and number == int(number) else number
    except (ValueError, KeyError, OverflowError):
        raise InputError(f"{where} must be a number, not '{text}'.") from None


def _class_in(path: Path, role: str) -> type[Component]:
    """The only component of a role that a user's file defines."""
    found = _classes(load_file(path), role)
    if len(found) != 1:
        names = ", ".join(cls.__name__ for cls in found) or "none"
        raise InputError(f"{path} must define exactly one {role}; it defines {names}.")
    return found[0]


def _classes(module: ModuleType, role: str) -> list[type[Component]]:
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, _ROLES[role])
        and value.__module__ == module.__name__
    ]


def load_file(path: Path) -> ModuleType:
    """A user's file as a module."""
    path = path.resolve()
    name = f"armwise_user_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    if not path.is_file():
        raise InputError(f"There is no file {path}.")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as problem:
        raise InputError(f"{path} cannot be loaded: {problem!r}.") from problem
    return module
