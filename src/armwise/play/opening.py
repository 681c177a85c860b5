"""Open the player of a file, or make it: the same agent, the same beginning, the same code."""

import contextlib
import json
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from armwise.errors import InputError, brief
from armwise.model.agent import refuse_unless_agent
from armwise.model.forms import REAL
from armwise.model.roles import AbstractAgent
from armwise.play import state
from armwise.play.arms import Arm
from armwise.play.audit import audit
from armwise.play.copies import build_of, code_of, snapshot
from armwise.play.eventfile import about, create, warn_if_remote
from armwise.play.player import Player, load_player
from armwise.play.shared import SharedPlayer, refuse_unwritable
from armwise.play.tickets import Expiry
from armwise.version import VERSION

DURABLE = ("commit", "batch")


def open_player(
    path: str | os.PathLike,
    agent: AbstractAgent | None = None,
    arms: Iterable[Arm] | None = None,
    seed: int = 0,
    *,
    expires: Expiry | Any = None,
    durable: str = "commit",
    compile: bool | None = None,
    state_from: str | os.PathLike | None = None,
) -> SharedPlayer:
    """Open the player that lives in a file; with arms, make the file if there is none.

    Where the file exists, arms, seed and `expires` must be those that it began with. `state_from`
    is the JSON file of a saved player, in whose state a new file begins. With `durable` "commit"
    every call waits for the disk; with "batch" what was acknowledged in the last twentieth of a
    second may be lost with the process. A file never makes armwise import code, so you must pass
    an agent with your own components.

    >>> open_player("nowhere.db")
    Traceback (most recent call last):
    armwise.errors.InputError: There is no file nowhere.db.
    """
    place = state.place_of(path)
    if not isinstance(durable, str) or durable not in DURABLE:
        raise InputError(f"durable must be 'commit' or 'batch', not {brief(durable)}.")
    if state_from is not None:
        if arms is not None:
            raise InputError("state_from brings its arms along: leave out arms.")
        if place.exists():
            raise InputError(f"state_from begins a new file, and {path} is there already.")
        _make(place, load_player(state_from, agent), state_from)
    elif arms is not None:
        if agent is None:
            raise InputError(f"{path} can be made for an agent only, and none is given.")
        fresh = Player(agent, arms, seed, expires=expires)
        if not place.exists():
            _make(place, fresh, path)
    if not place.exists():
        raise InputError(f"There is no file {path}.")
    warn_if_remote(place)
    described = about(place, path)
    agent = agent_of(described, path, agent)
    if arms is not None:
        _refuse_other_beginning(described["beginning"], fresh, path)
    return _admitted(SharedPlayer(place, agent, durable == "batch", compile), described)


def agent_of(
    described: dict[str, Any],
    path: Any,
    given: AbstractAgent | None = None,
    components: Iterable[str | os.PathLike] | None = None,
) -> AbstractAgent:
    """The agent that a file names: the one given, or made of armwise's parts and of components."""
    parts = described["agent"]
    try:
        if not parts:
            raise KeyError
        if given is None and components is None:
            return state.agent_of(parts, path, "the agent, as in open_player(path, agent=...)")
        if given is None:
            return state.agent_of(parts, path, "--components with its file", components or ())
        words = state.in_words(parts)
    except (KeyError, TypeError, AttributeError) as problem:
        raise InputError(f"{path} was edited or damaged: it names no agent.") from problem
    refuse_unless_agent(given)
    if state.description(given) != parts:
        raise InputError(f"{path} is the player of {words}, not of {given}.")
    return given


def _make(place: Path, player: Player, path: Any) -> None:
    if player.agent.outcomes == REAL:
        raise InputError(
            f"{player.agent.label} learns from real outcomes, and the file of a shared player "
            "keeps 0 and 1: take agent.start(arms), whose player saves itself."
        )
    refuse_unwritable(player.arms)
    words = {
        "agent": json.dumps(state.description(player.agent)),
        "code": code_of(player.agent),
        "build": build_of(player.agent),
        "armwise": VERSION,
    }
    create(place, words, snapshot(player, 0, time.time()))


def _refuse_other_beginning(beginning: dict[str, Any], fresh: Player, path: Any) -> None:
    arms = fresh.arms if beginning["choices"] else beginning["arms"]
    began = {
        "the arms": (arms, fresh.arms),
        "the seed": (beginning["seed"], fresh.seed),
        "expires =": (state.expiry_of(beginning["expires"], path), fresh.expires),
    }
    for words, (first, wanted) in began.items():
        if first != wanted:
            more = "; add_arm and remove_arm change them" if words == "the arms" else ""
            raise InputError(
                f"{path} began with {words} {brief(first)}, not {brief(wanted)}: say what it began "
                f"with{more}."
            )


def _admitted(player: SharedPlayer, described: dict[str, Any]) -> SharedPlayer:
    """The player; if this code of the agent is another, only if it makes all the same choices."""
    build = build_of(player.agent)
    if build and described["build"] == build:
        return player
    code = code_of(player.agent)
    if described["code"] == code:
        return player
    with contextlib.ExitStack() as failed:
        failed.callback(player.close)
        found = audit(player.path, player.agent)
        if found.problems:
            raise InputError(
                f"{player.path} was written by other code of {player.agent}, which chooses "
                f"otherwise: {found.problems[0]}"
            )
        player.take_over(found.player, found.events, {"code": code, "build": build})
        failed.pop_all()
    return player
