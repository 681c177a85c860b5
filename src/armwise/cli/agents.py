"""Agents from the texts of a command line, and the labels that tell them apart."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from armwise import registry
from armwise.errors import InputError, brief
from armwise.model.agent import Agent
from armwise.model.component import written
from armwise.model.roles import Actor, Learner, Policy


def agents_of(
    policies: Sequence[str], learner: str, choice: str, **known: Any
) -> dict[str, Agent | Actor]:
    """An agent per policy, all with the same learner and choice rule, by label.

    An actor is given what is known of its bandit where its own parameters are left open.

    >>> list(agents_of(["a-ai:lam=0.1", "a-ai", "o-ts", "hmm"], "smile", "argmax", rho=0.01))
    ['A-AI lam=0.1', 'A-AI lam=0.5', 'O-TS', 'HMM']
    """
    beliefs = registry.component("learner", learner, **known)
    rule = registry.component("choice", choice)
    parts = [registry.policy_or_actor(text, **known) for text in policies]
    agents = [part if isinstance(part, Actor) else Agent(part, beliefs, rule) for part in parts]
    return dict(zip(labels(parts), agents, strict=True))


def labels(policies: Sequence[Policy | Actor]) -> list[str]:
    """A label each: the policy's own, with the parameters in which its namesakes differ."""
    names = []
    for policy in policies:
        namesakes = [other.parameters() for other in policies if other.label == policy.label]
        different = [
            f"{name}={written(value)}"
            for name, value in policy.parameters().items()
            if any(other.get(name) != value for other in namesakes)
        ]
        names.append(" ".join([policy.label, *different]))
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(f"The policies to compare must differ, and {twice[0]} is given twice.")
    return names


def assumed_rho(learner: Learner, arms: int) -> float:
    """The change probability that a learner assumes at the start."""
    import numpy as np

    memory = np.zeros(learner.memory_size(arms))
    learner.begin(memory, arms)
    return float(learner.assume(memory).rho)


def numbers(option: str, text: str, kind: type[int] | type[float]) -> list[Any]:
    """The numbers of a comma-separated list.

    >>> numbers("--checkpoints", "10,100", int)
    [10, 100]
    """
    try:
        return [kind(item) for item in text.split(",")]
    except ValueError:
        what = "whole numbers" if kind is int else "numbers"
        raise InputError(
            f"{option} must be {what} with commas between, not {brief(text)}."
        ) from None
