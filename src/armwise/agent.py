"""An agent: a policy, a learner and a choice rule, under one label; an online player's return."""

import dataclasses
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from armwise import registry
from armwise.choices import Argmax
from armwise.component import named
from armwise.errors import InputError, unknown, whole_number
from armwise.grammar import Actor, Choice, Composed, Learner, Policy
from armwise.learners import Smile
from armwise.player import FORMAT, VERSION, Player, checksum, description
from armwise.random import TRIALS_MAX


@dataclasses.dataclass(frozen=True)
class Agent:
    """What is simulated, fitted to choices, and let loose online: one definition for all three.

    >>> from armwise import Agent, ApproximateActiveInference, Smile
    >>> agent = Agent(ApproximateActiveInference(lam=0.5), Smile(rho=0.01))
    >>> print(agent)
    a-ai:lam=0.5 smile:rho=0.01,alpha0=1,beta0=1 argmax
    """

    policy: Policy
    learner: Learner = dataclasses.field(default_factory=Smile)
    choice: Choice = dataclasses.field(default_factory=Argmax)

    def __post_init__(self) -> None:
        for name, role in (("policy", Policy), ("learner", Learner), ("choice", Choice)):
            part = getattr(self, name)
            if not isinstance(part, role):
                raise InputError(f"The {name} of an agent must be a {role.__name__}, not {part!r}.")

    @property
    def label(self) -> str:
        """The policy's label."""
        return self.policy.label

    def start(self, arms: Iterable[str | int], seed: int = 0) -> Player:
        """Let the agent decide online, about arms with names.

        >>> from armwise import Agent, ApproximateActiveInference, Softmax
        >>> agent = Agent(ApproximateActiveInference(lam=0.5), choice=Softmax(precision=2))
        >>> player = agent.start(["red", "green", "blue"], seed=7)
        >>> early, late = player.choose(), player.choose(among=["red", "blue"])
        >>> early.number, late.number, round(late.probability, 3)
        (1, 2, 0.5)
        >>> player.observe(late, 1)
        >>> player.observe(late, 1)
        Traceback (most recent call last):
        armwise.errors.InputError: Ticket 2 is closed: it was observed or forgotten.
        >>> player.add_arm("black")
        >>> player.open, player.beliefs()["black"]
        ([1], (1.0, 1.0))
        """
        return Player(self, arms, seed)

    def __str__(self) -> str:
        return f"{self.policy} {self.learner} {self.choice}"


def load_player(path: str | os.PathLike, agent: Composed | Actor | None = None) -> Player:
    """The player saved at `path`; from here it chooses as it would have done without the break.

    A file never makes armwise import code: an agent with components of your own must be given.

    >>> load_player("nowhere.json")
    Traceback (most recent call last):
    armwise.errors.InputError: There is no file nowhere.json.
    """
    body = _body(Path(path))
    try:
        if agent is None:
            agent = _described(body["agent"], path)
        elif description(agent) != body["agent"]:
            raise InputError(f"{path} was saved by {_words(body['agent'])}, not by {agent}.")
        player = Player(agent, (0, 1))
        player.restore(_checked(body))
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise InputError(f"{path} does not hold the whole state of a player.") from problem
    return player


def _body(path: Path) -> dict[str, Any]:
    """The state in a file, if it is one that was written as a whole and not edited since."""
    try:
        state = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise InputError(f"There is no file {path}.") from None
    except OSError as problem:
        raise InputError(f"{path} cannot be read: {problem.strerror or problem}.") from problem
    except (ValueError, RecursionError) as problem:
        raise InputError(f"{path} is truncated or not JSON.") from problem
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise InputError(f"{path} is not a file of format '{FORMAT}'.")
    if state.get("version") != VERSION:
        found = state.get("version")
        raise InputError(f"{path} has version {found!r}; this armwise reads version {VERSION}.")
    if not isinstance(state.get("body"), dict) or state.get("checksum") != checksum(state["body"]):
        raise InputError(f"{path} was edited or damaged: its checksum does not fit.")
    return state["body"]


def _described(parts: list[dict[str, Any]], path: str | os.PathLike) -> Agent | Actor:
    found: dict[str, Any] = {}
    for part in parts:
        role, name = part["role"], part["name"]
        if not part["own"] or role not in ("policy", "learner", "choice", "actor"):
            raise InputError(
                f"{path} needs the {role} '{name}', which is not armwise's own: give the agent, "
                "as in load_player(path, agent=...)."
            )
        cls = registry.known(role).get(name)
        if cls is None:
            raise unknown(role, name, registry.known(role))
        found[role] = named(cls, part["parameters"])
    if "actor" in found:
        return found["actor"]
    return Agent(**found)


def _checked(body: dict[str, Any]) -> dict[str, Any]:
    """A file with a fitting checksum may still come from elsewhere: nothing odd gets in."""
    whole_number("seed", body["seed"], 0, 1 << 64)
    choices = whole_number("choices", body["choices"], 0, TRIALS_MAX)
    if not body["arms"] or len(set(body["arms"])) < len(body["arms"]):
        raise InputError(f"arms must be different ones, not {body['arms']}.")
    for number, arm in body["open"]:
        whole_number("ticket", number, 1, choices + 1)
        if arm is not None and arm not in body["arms"]:
            raise unknown("arm", arm, map(str, body["arms"]))
    return body


def _words(parts: list[dict[str, Any]]) -> str:
    written = [
        ",".join([part["name"], *(f"{key}={value}" for key, value in part["parameters"].items())])
        for part in parts
    ]
    return " ".join(text.replace(",", ":", 1) for text in written)
