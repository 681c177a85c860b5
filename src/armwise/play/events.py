"""The events of a shared player: every call that changed it, in order, each with a checksum."""

import json
import zlib
from pathlib import Path
from typing import Any, NamedTuple

from armwise.errors import InputError


class Event(NamedTuple):
    """A row of the file: a call that changed the player."""

    number: int
    time: float  # seconds since 1970, never less than that of the event before
    kind: str  # choose, observe, forget, expire, add, remove, code
    ticket: int | None = None
    arm: Any = None
    outcome: int | None = None
    note: str | None = None  # what else the call was given, as JSON

    @property
    def given(self) -> dict[str, Any]:
        """What else the call was given."""
        return json.loads(self.note) if self.note else {}


BEGINNING = Event(0, 0.0, "begin")
_FIELDS = ", ".join([*Event._fields, "checksum"])
INSERT = f"INSERT INTO event ({_FIELDS}) VALUES ({', '.join('?' * (len(Event._fields) + 1))})"
EVENTS = f"SELECT {_FIELDS} FROM event WHERE number > ? ORDER BY number"


def chained(event: Event, before: int) -> int:
    """The checksum of an event, which vouches for all events before it as well.

    >>> chained(Event(1, 0.0, "forget", 1), 0) == chained(Event(1, 0.0, "forget", 2), 0)
    False
    """
    return zlib.crc32(repr(tuple(event)).encode("utf-8", "surrogatepass"), before)


def verified(path: Path, event: Event, checksum: int, last: Event, before: int) -> int:
    """The checksum of an event, if it is the next one and as it was written."""
    found = chained(event, before)
    if event.number == last.number + 1 and checksum == found:
        return found
    raise InputError(
        f"{path} was edited or damaged: event {last.number + 1} is not as it was written."
    )
