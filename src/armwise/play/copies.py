"""A process' copy of the player of a file: from a snapshot, kept up by repeating events."""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

from armwise.engine import loop
from armwise.engine.binding import slots_of_agent
from armwise.engine.fingerprint import fingerprint, stamp
from armwise.engine.source import is_own
from armwise.engine.ways import defining_way
from armwise.errors import InputError
from armwise.model.agent import Agent
from armwise.model.roles import AbstractAgent
from armwise.play import state
from armwise.play.events import Event
from armwise.play.player import Player
from armwise.play.tickets import Ticket
from armwise.version import VERSION

_HOME = Path(__file__).parents[1]
_ROOMS = ("numerics", "model", "engine", "policies", "learners", "choices", "actors")
CODE = "code"  # the kind of event with which a program of other code takes a file over


def repeat(player: Player, event: Event, path: Path) -> None:
    """Do to a copy what was done to the player; a choice is taken over where that is the same."""
    kind, now = event.kind, event.time if player.timed else None
    if kind == "choose":
        if not isinstance(player.agent, Agent):  # its memory may change when it chooses
            decide(player, event, path)
        else:
            player.repeat(event.arm, now=now)
    elif kind == "observe":
        player.observe(event.ticket, event.outcome, now=now)  # type: ignore[arg-type]
    elif kind == "forget":
        player.forget(event.ticket, now=now)  # type: ignore[arg-type]
    elif kind == "expire":
        player.expire(now=now)
    elif kind == "add":
        player.add_arm(event.arm, now=now)
    elif kind == "remove":
        player.remove_arm(event.arm, now=now)
    elif kind != CODE:
        raise InputError(f"{path} has an event of unknown kind, {kind!r}.")


def decide(player: Player, event: Event, path: Path) -> Ticket:
    """Choose again; raise InputError if the choice is another one than the file's."""
    now = event.time if player.timed else None
    ticket = player.choose(among=event.given.get("among"), now=now)
    if (ticket.number, ticket.arm) != (event.ticket, event.arm):
        raise InputError(
            f"{path} says that ticket {event.ticket} is arm {event.arm!r}; the agent, asked again, "
            f"chose {ticket.arm!r}."
        )
    return ticket


def code_of(agent: AbstractAgent) -> str:
    """A hash of the code by which an agent acts and learns, as plainly defined, and its tables."""
    slots = slots_of_agent(agent, defining_way(agent))
    try:
        parts = [fingerprint(function, slots) for function in (loop.act, loop.learn)]
    except InputError:  # a component uses an object that no words identify
        parts = [VERSION, *(stamp(part) for part in agent.parts)]
    for part in agent.parts:
        for name in type(part).tables:
            table = np.asarray(getattr(part, name), dtype="<f8")
            parts.append(hashlib.sha256(table.tobytes()).hexdigest())
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:32]


def build_of(agent: AbstractAgent) -> str:
    """A hash of all code that armwise's own agents may be made of; empty if others take part.

    Where it is the same, so is `code_of`, which takes longer to find out.
    """
    if not all(is_own(part) for part in agent.parts):
        return ""
    files = sorted(path for room in _ROOMS for path in (_HOME / room).glob("**/*.py"))
    digest = hashlib.sha256(f"{VERSION} {sys.version} {np.__version__}".encode())
    for path in files:
        digest.update(f"{path.relative_to(_HOME)} ".encode() + path.read_bytes())
    return digest.hexdigest() if files else ""


def snapshot(player: Player, number: int, time: float) -> tuple[int, float, str, str]:
    """A row of the file: the state after an event."""
    text = json.dumps(player.saved(), separators=(",", ":"), allow_nan=False)
    return number, time, text, digest(text)


def digest(text: str) -> str:
    """The checksum of a snapshot."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def restored(agent: AbstractAgent, text: str, path: Path, compile: bool | None = None) -> Player:
    """The player of a snapshot."""
    try:
        player = Player(agent, (0, 1), compile=compile)
        player.restore(state.checked(json.loads(text)))
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise InputError(f"{path} has a snapshot that is not a whole state.") from problem
    return player
