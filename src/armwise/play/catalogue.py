"""All components as plain data: what `armwise list`, forms and the reference are made of."""

import dataclasses
import inspect
import math
from typing import Any

from armwise import registry
from armwise.bandits.problems import PROBLEMS
from armwise.model.component import Component, Range, kind_of, parameters_of
from armwise.model.roles import Bandit, Learner, Policy

ROLES = {
    "bandits": "bandit",
    "learners": "learner",
    "policies": "policy",
    "choices": "choice",
    "actors": "actor",
}


def catalogue() -> dict[str, Any]:
    """Every bandit, learner, policy, choice and actor as plain data, and the problems by name.

    A parameter has a `kind` ("float", "int", "bool" or "vector"), a `default` (None if a value is
    needed), its admissible `range` in words and as `low` and `high` (None where there is no limit;
    `open_low` and `open_high` say that the limit itself is excluded), a `meaning`, where people
    `typical`ly are, and the useful part of the range, for a `slider` (None if unknown). Bandits say
    which `outcomes` they pay, "binary" or "real"; policies and learners have `beliefs`, "beta" or
    "normal" ("any" if a policy does not read them).

    >>> from armwise import catalogue
    >>> found = catalogue()
    >>> list(found)
    ['bandits', 'learners', 'policies', 'choices', 'actors', 'problems']
    >>> [lam] = [each for each in found["policies"] if each["name"] == "a-ai"][0]["parameters"]
    >>> lam["name"], lam["default"], lam["range"], lam["high"], lam["slider"]
    ('lam', 0.5, 'at least 0', None, [0, 2])
    """
    found: dict[str, Any] = {
        plural: [described(name, cls) for name, cls in registry.known(role).items()]
        for plural, role in ROLES.items()
    }
    return found | {"problems": {name: str(bandit) for name, bandit in PROBLEMS.items()}}


def described(name: str, cls: type[Component]) -> dict[str, Any]:
    """A component as plain data, under a name."""
    found = {
        "name": name,
        "label": cls.label,
        "class": cls.__name__,
        "summary": (inspect.getdoc(cls) or "").partition("\n")[0],
        "equation": cls.equation,
        "reference": cls.reference,
        "parameters": [_parameter(field) for field in parameters_of(cls)],
    }
    if issubclass(cls, Bandit):
        found["outcomes"] = cls.outcomes
    if issubclass(cls, Policy | Learner):
        found["beliefs"] = cls.beliefs
    return found | ({"terms": list(cls.term_names)} if issubclass(cls, Policy) else {})


def _parameter(field: dataclasses.Field) -> dict[str, Any]:
    kind, about = kind_of(field), field.metadata
    range_ = about.get("range", Range())
    pairs = {name: about.get(name) for name in ("typical", "slider")}
    return {
        "name": field.name,
        "kind": kind,
        "default": None if field.default is dataclasses.MISSING else field.default,
        "range": "true or false" if kind == "bool" else str(range_),
        "low": range_.low if math.isfinite(range_.low) else None,
        "high": range_.high if math.isfinite(range_.high) else None,
        "open_low": range_.open_low,
        "open_high": range_.open_high,
        "meaning": about.get("meaning", ""),
        **{name: pair and list(pair) for name, pair in pairs.items()},
    }
