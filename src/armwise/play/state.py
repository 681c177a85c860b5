"""The file of a saved player: JSON with a checksum, written completely or not at all."""

import contextlib
import dataclasses
import hashlib
import json
import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from armwise import registry
from armwise.errors import InputError, brief, real_number, unknown, whole_number
from armwise.model.agent import Agent, Chooser
from armwise.model.component import named, written
from armwise.model.draws import TRIALS_MAX
from armwise.model.roles import AbstractAgent
from armwise.play.tickets import Expiry

FORMAT, VERSION = "armwise player", 2
_PARTS = ("policy", "learner", "choice", "actor")


def write(path: str | os.PathLike, body: dict[str, Any]) -> None:
    """Write a state to a file; the old file stays until the new one is complete."""
    place = place_of(path)
    state = {"format": FORMAT, "version": VERSION, "checksum": checksum(body), "body": body}
    _replace(place, json.dumps(state, indent=1, allow_nan=False) + "\n")


def place_of(path: Any) -> Path:
    """Where a file is, links followed, if this can be the name of a file at all."""
    try:
        text = os.fspath(path)
        if isinstance(text, str) and 0 < len(os.path.basename(text)) < 256:
            return Path(os.path.realpath(text, strict=False))
    except (TypeError, ValueError):
        pass
    raise InputError(f"A file must be named by text or a path, not {brief(path)}.")


def read(path: str | os.PathLike) -> dict[str, Any]:
    """Read the state from a file; raise InputError if it is incomplete or was edited."""
    place = place_of(path)
    try:
        state = json.loads(place.read_bytes())
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
        raise InputError(f"{path} was edited or damaged: its checksum does not match.")
    return state["body"]


def checked(body: dict[str, Any]) -> dict[str, Any]:
    """Return a state if its values are valid: a matching checksum does not prove that."""
    whole_number("seed", body["seed"], 0, 1 << 64)
    choices = whole_number("choices", body["choices"], 0, TRIALS_MAX)
    if not body["arms"] or len(set(body["arms"])) < len(body["arms"]):
        raise InputError(f"arms must be different ones, not {body['arms']}.")
    Expiry(**body["expires"])
    real_number("time", body["time"], 0.0)
    for number, arm, at in body["open"]:
        whole_number("ticket", number, 1, choices + 1)
        if at is not None:
            real_number("the time of a ticket", at, 0.0)
        if arm is not None and arm not in body["arms"]:
            raise unknown("arm", arm, map(str, body["arms"]))
    return body


def expiry_as_data(expiry: Expiry) -> dict[str, Any]:
    """When open tickets expire, as plain data."""
    return dataclasses.asdict(expiry)


def expiry_of(data: Any, path: Any) -> Expiry:
    """When open tickets expire, from plain data in a file."""
    try:
        return Expiry(**data)
    except TypeError:
        raise InputError(
            f"{path} was edited or damaged: it says {brief(data)} of expiry."
        ) from None


def description(agent: AbstractAgent) -> list[dict[str, Any]]:
    """The parts of an agent as plain data, and whether each is armwise's own."""
    found = []
    for part in agent.parts:
        role, name = part.role, part.label.lower()
        named = registry.known(role).get(name)
        own = named is not None and type(part).__module__ == named.__module__
        values = json.loads(json.dumps(part.parameters()))  # lists for tuples, as a file has them
        found.append({"role": role, "name": name, "own": own, "parameters": values})
    return found


def agent_of(
    parts: list[dict[str, Any]],
    path: str | os.PathLike,
    call: str = "the agent, as in load_player(path, agent=...)",
    components: Iterable[str | os.PathLike] = (),
) -> AbstractAgent:
    """The agent that a file describes, of armwise's own parts and those of trusted files."""
    found: dict[str, Any] = {}
    for part in parts:
        role, name = part["role"], part["name"]
        known = registry.known(role) if role in _PARTS else {}
        if not part["own"] or role not in _PARTS:
            known = {}
            for file in components:
                known |= registry.defined(Path(file), role)
            if name not in known:
                raise InputError(
                    f"{path} needs the {role} '{name}', which is not armwise's own: give {call}."
                )
        cls = known.get(name)
        if cls is None:
            raise unknown(role, name, registry.known(role))
        found[role] = named(cls, part["parameters"])
    if "actor" in found:
        return Chooser(**found) if "choice" in found else found["actor"]
    return Agent(**found)


def in_words(parts: list[dict[str, Any]]) -> str:
    """The parts of an agent as they are written on a command line."""
    found = []
    for part in parts:
        values = part["parameters"].items()
        pairs = [
            f"{name}={written(tuple(value) if isinstance(value, list) else value)}"
            for name, value in values
            if value != []
        ]
        found.append(part["name"] + (f":{','.join(pairs)}" if pairs else ""))
    return " ".join(found)


def checksum(body: Any) -> str:
    """The SHA-256 of the canonical JSON of a state."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def keep_name(path: Path) -> None:
    """Wait until the name of a new file is on the disk, where a folder can be flushed."""
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _replace(path: Path, text: str) -> None:
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(draft, "x", encoding="ascii") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
        keep_name(path)
    except OSError as problem:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        raise InputError(f"{path} cannot be written: {problem.strerror or problem}.") from problem
