"""What the file of a shared player holds, counted from its events alone: no code of an agent."""

import contextlib
import os
from typing import Any

from armwise.errors import InputError, whole_number
from armwise.play.eventfile import about, connect, refusing
from armwise.play.events import Event
from armwise.play.state import in_words, place_of

_CHOSEN = "SELECT arm, count(*), max(time) FROM event WHERE kind = 'choose' GROUP BY arm"
_PAID = """
SELECT choice.arm, count(*), sum(learned.outcome)
FROM event AS learned JOIN event AS choice ON choice.ticket = learned.ticket
WHERE learned.kind = 'observe' AND choice.kind = 'choose' GROUP BY choice.arm
"""
_LAST = """
SELECT number, time, kind, ticket, arm, outcome, note FROM event
ORDER BY number DESC LIMIT ?
"""
_CHANGED = "SELECT kind, arm FROM event WHERE kind IN ('add', 'remove') ORDER BY number"
_KINDS = "SELECT kind, count(*) FROM event GROUP BY kind"


def overview(path: str | os.PathLike, last: int = 10) -> dict[str, Any]:
    """The agent of a file, what it began with, counts by kind and by arm, and the last events.

    >>> from armwise import UCB, Agent
    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/a.db"
    >>> with Agent(UCB()).open(path, ["red", "green"], seed=7) as player:
    ...     player.observe(player.choose(), 1)
    >>> seen = overview(path)
    >>> seen["agent"], seen["choices"], seen["arms"][0]["arm"], seen["arms"][0]["mean"]
    ('ucb smile:rho=0.0,alpha0=1.0,beta0=1.0 argmax', 1, 'red', 1.0)
    """
    place, last = place_of(path), whole_number("last", last, 0)
    if not place.exists():
        raise InputError(f"There is no file {path}.")
    described = about(place, path)
    with contextlib.closing(connect(place, writing=False)) as connection, refusing(place):
        connection.execute("BEGIN")  # one view of the file, whoever writes meanwhile
        kinds, chosen, paid, changed = (
            connection.execute(query).fetchall() for query in (_KINDS, _CHOSEN, _PAID, _CHANGED)
        )
        events = [Event(*row) for row in connection.execute(_LAST, (last,))]
    counts, beginning = dict(kinds), described["beginning"]
    try:
        return {
            "file": str(path),
            "agent": in_words(described["agent"]),
            "armwise": described["armwise"],
            "began": {name: beginning[name] for name in ("seed", "arms", "choices")},
            "events": sum(counts.values()),
            "choices": counts.get("choose", 0),
            "outcomes": counts.get("observe", 0),
            "forgotten": counts.get("forget", 0),
            "arms": _by_arm(_there(beginning["arms"], changed), chosen, paid),
            "last": [event._asdict() for event in reversed(events)],
        }
    except (KeyError, TypeError, AttributeError) as problem:
        raise InputError(f"{path} was edited or damaged: it does not say what it is.") from problem


def _there(first: list[Any], changed: list[Any]) -> dict[Any, bool]:
    """Every arm that ever was there, and whether it is there now."""
    there = dict.fromkeys(first, True)
    for kind, arm in changed:
        there[arm] = kind == "add"
    return there


def _by_arm(there: dict[Any, bool], chosen: list[Any], paid: list[Any]) -> list[dict[str, Any]]:
    counted = {arm: (count, when) for arm, count, when in chosen}
    learned = {arm: (count, total) for arm, count, total in paid}
    rows = []
    for arm, now in there.items():
        count, when = counted.get(arm, (0, None))
        outcomes, total = learned.get(arm, (0, 0))
        mean = total / outcomes if outcomes else None
        row = {"arm": arm, "there": now, "chosen": count, "outcomes": outcomes, "mean": mean}
        rows.append({**row, "last_chosen": when})
    return rows
