"""An agent: a policy, a learner and a choice rule, under one label; an online player's return."""

import json
import os
from pathlib import Path
from typing import Any

from armwise import registry
from armwise.errors import InputError, unknown, whole_number
from armwise.model.agent import Agent
from armwise.model.component import named
from armwise.model.draws import TRIALS_MAX
from armwise.model.roles import Actor
from armwise.play.player import FORMAT, VERSION, Player, checksum, description


def load_player(path: str | os.PathLike, agent: Agent | Actor | None = None) -> Player:
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
