"""What the file of a shared player holds, counted from its events alone: no code of an agent."""

import contextlib
import math
import os
from typing import Any

from armwise.errors import InputError, whole_number
from armwise.play.eventfile import about, connect, refusing
from armwise.play.events import Event
from armwise.play.state import in_words, place_of
from armwise.play.tickets import MOST

_CHOSEN = "SELECT arm, count(*), max(time) FROM event WHERE kind = 'choose' GROUP BY arm"
_PAID = """
SELECT choice.arm, count(*), sum(learned.outcome)
FROM event AS learned JOIN event AS choice ON choice.ticket = learned.ticket
WHERE learned.kind = 'observe' AND choice.kind = 'choose' GROUP BY choice.arm
"""
# What was chosen and never closed by a call: open, or expired in number or in time.
_WAITING = """
SELECT arm, count(*), sum(ticket <= ? OR time <= ?) FROM event
WHERE kind = 'choose' AND ticket NOT IN
    (SELECT ticket FROM event WHERE kind IN ('observe', 'forget'))
GROUP BY arm
"""
_CLOSED = """
SELECT ticket, outcome FROM event WHERE kind IN ('observe', 'forget') AND ticket <= ?
"""
_NEWEST = "SELECT max(ticket), max(time) FROM event"
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
    ('ucb smile:rho=0,alpha0=1,beta0=1 argmax', 1, 'red', 1.0)
    """
    place, last = place_of(path), whole_number("last", last, 0)
    if not place.exists():
        raise InputError(f"There is no file {path}.")
    described = about(place, path)
    beginning = described["beginning"]
    with contextlib.closing(connect(place, writing=False)) as connection, refusing(place):
        connection.execute("BEGIN")  # one view of the file, whoever writes meanwhile
        kinds, chosen, paid, changed, [newest] = (
            connection.execute(query).fetchall()
            for query in (_KINDS, _CHOSEN, _PAID, _CHANGED, _NEWEST)
        )
        until = _expired_until(beginning["expires"], newest)
        waiting = connection.execute(_WAITING, until).fetchall()
        arms = _by_arm(_there(beginning["arms"], changed), chosen, paid, waiting)
        closed = connection.execute(_CLOSED, (beginning["choices"],)).fetchall()
        _count_brought(arms, beginning, dict(closed), until)
        events = [Event(*row) for row in connection.execute(_LAST, (last,))]
    _count_failures(arms, beginning["expires"])
    counts = dict(kinds)
    return {
        "file": str(path),
        "agent": in_words(described["agent"]),
        "armwise": described["armwise"],
        "began": {name: beginning[name] for name in ("seed", "arms", "choices", "expires")},
        "events": sum(counts.values()),
        "choices": counts.get("choose", 0),
        "outcomes": counts.get("observe", 0),
        "forgotten": counts.get("forget", 0),
        "expired": sum(row["expired"] for row in arms),
        "open": sum(row["open"] for row in arms),
        "arms": arms,
        "last": [event._asdict() for event in reversed(events)],
    }


def _expired_until(expires: dict[str, Any], newest: tuple[Any, Any]) -> tuple[float, float]:
    """The last ticket, and the time of the last ticket, that has expired."""
    ticket, time = newest
    limit, seconds = expires["tickets"] or MOST, expires["seconds"]
    until = -math.inf if seconds is None or time is None else time - seconds
    return (ticket or 0) - limit, until


def _count_failures(arms: list[dict[str, Any]], expires: dict[str, Any]) -> None:
    """The mean outcome of every arm; expired and open tickets are in it if they count as 0."""
    counted = [
        name
        for name, outcome in {"expired": expires["outcome"], "open": expires["meanwhile"]}.items()
        if outcome == 0
    ]
    for row in arms:
        count = row["outcomes"] + sum(row[name] for name in counted)
        row["mean"] = row["ones"] / count if count else None


def _count_brought(
    arms: list[dict[str, Any]],
    beginning: dict[str, Any],
    closed: dict[int, int | None],
    until: tuple[float, float],
) -> None:
    """Count the tickets that were open in the state with which the file began."""
    rows = {row["arm"]: row for row in arms}
    for number, arm, time in beginning["open"]:
        row = rows.get(arm)
        if row is None:  # it was removed before
            continue
        if number not in closed:
            late = number <= until[0] or (time is not None and time <= until[1])
            row["expired" if late else "open"] += 1
        elif closed[number] is not None:
            row["outcomes"] += 1
            row["ones"] += closed[number]


def _there(first: list[Any], changed: list[Any]) -> dict[Any, bool]:
    """Every arm that ever was there, and whether it is there now."""
    there = dict.fromkeys(first, True)
    for kind, arm in changed:
        there[arm] = kind == "add"
    return there


def _by_arm(
    there: dict[Any, bool], chosen: list[Any], paid: list[Any], waiting: list[Any]
) -> list[dict[str, Any]]:
    counted = {arm: (count, when) for arm, count, when in chosen}
    learned = {arm: (count, ones) for arm, count, ones in paid}
    unclosed = {arm: (count - gone, gone) for arm, count, gone in waiting}
    rows = []
    for arm, now in there.items():
        count, when = counted.get(arm, (0, None))
        outcomes, ones = learned.get(arm, (0, 0))
        still, gone = unclosed.get(arm, (0, 0))
        row = {"arm": arm, "there": now, "chosen": count, "last_chosen": when, "ones": ones}
        rows.append({**row, "outcomes": outcomes, "expired": gone, "open": still})
    return rows
