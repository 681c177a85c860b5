"""What another agent would have earned, estimated from a log: `armwise.offline`."""

import contextlib
import math
import os
from typing import Any, NamedTuple

import numpy as np

from armwise.analysis.intervals import mean_interval
from armwise.analysis.logged import METHODS, Estimate, Log, value
from armwise.errors import InputError, brief, whole_number
from armwise.model.agent import refuse_unless_agent
from armwise.model.roles import AbstractAgent
from armwise.play.arms import Arm
from armwise.play.player import Player

__all__ = ["METHODS", "Estimate", "Followed", "Log", "follow", "logged", "value"]


class Followed(NamedTuple):
    """What an agent chose and got on a log, and the mean outcome with its interval.

    The interval is for the mean theta of the arms that it chose in this run.
    """

    arms: np.ndarray
    outcomes: np.ndarray
    mean: float
    low: float
    high: float
    sem: float


def follow(
    agent: AbstractAgent,
    log: Log,
    trials: int | None = None,
    seed: int = 0,
    confidence: float = 0.95,
) -> Followed:
    """Let an agent that learns play on a log: it gets the next outcome of the arm it chooses.

    Rows with other arms are skipped (Li et al. 2011), so with K arms about one in K is used. As
    long as thetas do not change, and whatever wrote the log, the agent meets what it would have
    met: this is one run of it, until the log ends or for a number of `trials`. Runs with other
    seeds read the same outcomes, so they are no repetitions.

    >>> from armwise import UCB, Agent, offline
    >>> log = offline.Log([0, 1] * 50, [1, 0] * 50, [0.5] * 100)
    >>> offline.follow(Agent(UCB()), log, trials=40).mean > 0.8
    True
    """
    refuse_unless_agent(agent)
    if not isinstance(log, Log):
        raise InputError(f"log must be an offline.Log, not {brief(log)}.")
    most = len(log.arms) if trials is None else whole_number("trials", trials, 2)
    player = Player(agent, range(log.count), seed)
    found: list[tuple[int, int]] = []
    ticket = player.choose()
    for arm, outcome in zip(log.arms.tolist(), log.outcomes.tolist(), strict=True):
        if arm == ticket.arm:
            player.observe(ticket, int(outcome))
            found.append((arm, int(outcome)))
            if len(found) == most:
                break
            ticket = player.choose()
    if len(found) < (2 if trials is None else most):
        raise InputError(
            f"The log ends after {len(found)} trials of the agent, when it waits for arm "
            f"{log.names[int(ticket.arm)]!r}."
        )
    arms, outcomes = np.array(found).T
    return Followed(arms, outcomes, *mean_interval(outcomes, confidence))


class _Row(NamedTuple):
    arm: Arm
    propensity: float | None
    outcome: int | None


def logged(path: str | os.PathLike, agent: AbstractAgent | None = None) -> Log:
    """The choices in the file of a shared player, with their outcomes and propensities.

    The file is replayed, which finds what the agent believed at every choice. Left out are choices
    before the arms last changed, those among some arms only, and those whose outcome is not known:
    open or forgotten tickets. Expired ones are in it if they count as 0; then, choices since the
    oldest that is still open are left out as well, because of these only clicks are known. An agent
    with your own components must be passed.

    >>> import tempfile
    >>> from armwise import Agent, ThompsonSampling, offline
    >>> path = tempfile.mkdtemp() + "/a.db"
    >>> with Agent(ThompsonSampling()).open(path, ["red", "green"], seed=7) as player:
    ...     for _ in range(3):
    ...         player.observe(player.choose(), 0)
    >>> offline.logged(path).propensities.round(3)
    array([0.5  , 0.333, 0.25 ])
    """
    from armwise.play.eventfile import about, connect, refusing
    from armwise.play.opening import agent_of
    from armwise.play.state import place_of

    place = place_of(path)
    described = about(place, path)
    player_agent = agent_of(described, path, agent)
    expired = described["beginning"]["expires"]["outcome"]
    with contextlib.closing(connect(place, writing=False)) as connection, refusing(place):
        connection.execute("BEGIN")
        rows, player = _replayed(connection, place, player_agent)
    known = _known(rows, set(player.open), expired)
    if any(row.propensity is None for row in known):
        raise InputError(f"The propensities of {player_agent} are not known.")
    places = {arm: place for place, arm in enumerate(player.arms)}
    return Log(
        [places[row.arm] for row in known],
        [row.outcome for row in known],
        [row.propensity for row in known],
        tuple(player.arms),
    )


def _known(rows: dict[int, _Row], still: set[int], expired: int | None) -> list[_Row]:
    """The rows whose outcome is known, or counts as that of expired tickets.

    Where these count as 0, the newest rows are left out, too, from the first that is still open
    on: only clicks are known of them, so they would look better than they are.
    """
    if expired is None:
        return [row for row in rows.values() if row.outcome is not None]
    end = min(still, default=math.inf)
    done = [row for number, row in rows.items() if number < end]
    return [row if row.outcome is not None else row._replace(outcome=expired) for row in done]


def _replayed(connection: Any, path: Any, agent: Any) -> tuple[dict[int, _Row], Player]:
    """The choices since the arms last changed, by ticket, and the player after all events."""
    from armwise.play.audit import events_of
    from armwise.play.copies import decide, repeat, restored

    [[text]] = connection.execute("SELECT state FROM snapshot WHERE event = 0").fetchall()
    player = restored(agent, text, path)
    rows: dict[int, _Row] = {}
    for event in events_of(connection, path):
        if event.kind != "choose":
            repeat(player, event, path)
        else:
            ticket = decide(player, event, path)
            if not event.note:
                rows[ticket.number] = _Row(ticket.arm, ticket.probability, None)
        if event.kind in ("add", "remove"):
            rows = {}
        elif event.kind == "observe" and event.ticket in rows:
            rows[event.ticket] = rows[event.ticket]._replace(outcome=event.outcome)
        elif event.kind == "forget":
            rows.pop(event.ticket or 0, None)
    return rows, player
