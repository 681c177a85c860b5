"""Which of an agent's parameters are free, and where they are among its packed numbers."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from armwise.engine.ways import is_integrated, lapses, states_draws
from armwise.errors import InputError, brief, listed, unknown
from armwise.model.agent import Agent, Chooser
from armwise.model.component import Component, kind_of, parameters_of
from armwise.model.roles import AbstractAgent, Actor


class Place(NamedTuple):
    """A parameter of an agent: the part it belongs to, its name, its place in the vector."""

    part: Component
    name: str
    kind: str
    at: int

    @property
    def full(self) -> str:
        """The name with the role of the part, such as "policy.lam"."""
        return f"{self.part.role}.{self.name}"


def places_of(agent: AbstractAgent, free: Sequence[str]) -> np.ndarray:
    """The places of the free parameters among the packed numbers.

    >>> from armwise import *
    >>> agent = Agent(ApproximateActiveInference(), Smile(), Softmax())
    >>> places_of(agent, ["precision", "policy.lam"]).tolist()
    [4, 0]
    """
    found = [parameter_named(agent, name) for name in listed("free", free, '["lam", "rho"]')]
    for place in found:
        _refuse_unless_free(place)
    twice = [place.full for place in found if found.count(place) > 1]
    if twice:
        raise InputError(f"{twice[0]} is free twice; once is enough.")
    return np.array([place.at for place in found], dtype=np.int64)


def parameter_named(agent: AbstractAgent, name: str) -> Place:
    """The parameter with a name such as "lam", or "policy.lam" if two parts have one of that name.

    >>> from armwise import *
    >>> parameter_named(Agent(UCB(), Smile(), Softmax()), "rho").full
    'learner.rho'
    """
    known = list(parameters_with_places(agent))
    found = [place for place in known if name in (place.name, place.full)]
    if not found:
        names = [place.full if _shared(place, known) else place.name for place in known]
        raise unknown(f"parameter of {agent.label}", name, names)
    if len(found) > 1:
        both = " and ".join(place.full for place in found)
        raise InputError(f"{brief(name)} could be {both}: name one of them in full.")
    return found[0]


def parameters_with_places(agent: AbstractAgent) -> Iterator[Place]:
    """All parameters of an agent, in the order in which they are packed."""
    at = 0
    for part in agent.parts:
        for field in parameters_of(type(part)):
            kind = kind_of(field)
            yield Place(part, field.name, kind, at)
            at += 1 + len(getattr(part, field.name)) if kind == "vector" else 1
        at += sum(1 + len(getattr(part, table)) for table in type(part).tables)


def refuse_without_probability(agent: Any) -> None:
    """Raise InputError unless the choices of an agent have a probability."""
    if isinstance(agent, Actor):
        raise InputError(
            f"{agent.label} is an actor, whose choices have no probability: give it a choice, as "
            f"in Chooser({type(agent).__name__}(), Softmax(precision=5))."
        )
    if not isinstance(agent, (Agent, Chooser)):
        raise InputError(
            f"Only an Agent(policy, learner, choice) can be replayed, not {brief(agent)}."
        )
    if isinstance(agent, Agent) and agent.policy.stochastic:
        if not is_integrated(agent):
            raise _not_integrated(agent)
    elif not agent.choice.probabilistic and not lapses(agent.choice):
        raise InputError(
            f"Choices by {agent.choice.label} have no probability; replay needs a choice such as "
            "Softmax(precision=5)."
        )


def _not_integrated(agent: Agent) -> InputError:
    if states_draws(agent.policy):
        return InputError(
            f"{agent.label} draws its scores: its choices have a probability with Argmax() or "
            f"LapsingArgmax(), not with {agent.choice.label}."
        )
    return InputError(
        f"{agent.label} draws its scores, so its choices have no probability in closed form."
    )


def _refuse_unless_free(place: Place) -> None:
    part = place.part
    if place.kind != "float":
        words = {"vector": "a list of numbers", "int": "a whole number", "bool": "true or false"}
        raise InputError(
            f"{place.full} of {part.label} is {words[place.kind]}, and only a number can be free."
        )
    if type(part).tables and not type(part).fixed_tables:
        raise InputError(
            f"{place.full} cannot be free: {part.label} keeps tables made from its parameters."
        )


def _shared(place: Place, known: list[Place]) -> bool:
    return sum(place.name == other.name for other in known) > 1
