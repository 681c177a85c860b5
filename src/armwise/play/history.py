"""What the player of a file believed before each of its last choices: for pictures."""

import contextlib
import math
from collections import deque
from pathlib import Path
from typing import Any, NamedTuple

from armwise.errors import InputError
from armwise.model.agent import Agent
from armwise.model.roles import AbstractAgent
from armwise.play.arms import Arm
from armwise.play.audit import events_of
from armwise.play.copies import digest, repeat, restored
from armwise.play.eventfile import connect, refusing
from armwise.play.events import Event
from armwise.play.player import Player

SUSPECTED = "change within"  # how the name of an actor's fact about a recent change begins
RESTARTED = "restarted"  # the fact of actors that restart on an alarm: when each arm did last
_SINCE = "SELECT count(*) FROM event WHERE kind = 'choose' AND number > ?"


class Moment(NamedTuple):
    """A choice, and what was believed before it."""

    ticket: int
    arm: Arm
    means: dict[Arm, float]  # the expected theta of every arm, if the agent has one
    best: dict[Arm, float]  # the probability that an arm is the best, if the agent says so
    suspicion: float  # the probability of a recent change; NaN if the agent has none
    alarm: bool  # whether the agent restarted since the choice before
    outcome: int | None  # None while the ticket waits


class History:
    """The last choices of a file with the beliefs before each; `read` takes further events in.

    >>> from armwise import BOCPD
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.db"
    >>> with BOCPD().open(path, ["red", "green"]) as player:
    ...     for outcome in (1, 1, 0):
    ...         player.observe(player.choose(), outcome)
    >>> found = History(path, BOCPD(), 10)
    >>> found.read()
    >>> [moment.outcome for moment in found.moments], found.name
    ([1, 1, 0], 'change within 20 outcomes')
    """

    def __init__(self, path: Path, agent: AbstractAgent, most: int) -> None:
        self.path, self.agent, self.most = path, agent, most
        self.name = ""  # of the suspicion, once the agent has said something about it
        self.restarts: dict[Arm, float] | None = None  # of an agent that restarts on an alarm
        self._moments: dict[int, Moment] = {}
        self._order: deque[int] = deque()
        self._player: Player | None = None
        self._last = 0

    @property
    def moments(self) -> list[Moment]:
        """The last choices, in order."""
        return [self._moments[ticket] for ticket in self._order]

    @property
    def player(self) -> Player:
        """The player after the last event that was read."""
        if self._player is None:
            self.read()
        assert self._player is not None
        return self._player

    def read(self) -> None:
        """Take in what was written since. After an error it begins anew."""
        try:
            connection = connect(self.path, writing=False)
            with contextlib.closing(connection), refusing(self.path):
                connection.execute("BEGIN")  # one view of the file, whoever writes meanwhile
                if self._player is None:
                    self._player = self._begun(connection)
                for event in events_of(connection, self.path, self._last):
                    self._take(self._player, event)
        except InputError:
            self._player = None
            raise

    def _begun(self, connection: Any) -> Player:
        """The player of the last snapshot behind which there are choices enough."""
        query = "SELECT event, state, checksum FROM snapshot ORDER BY event DESC"
        marks = [row for row in connection.execute(query) if digest(row[1]) == row[2]]
        if not marks:
            raise InputError(f"{self.path} was edited or damaged: its snapshots are.")
        enough = (
            row for row in marks if connection.execute(_SINCE, row[:1]).fetchone()[0] >= self.most
        )
        self._last, text, _ = next(enough, marks[-1])
        self._moments.clear()
        self._order.clear()
        self.restarts = None
        return restored(self.agent, text, self.path)

    def _take(self, player: Player, event: Event) -> None:
        if event.kind == "choose" and event.ticket is not None:
            moment = self._moment(player, event.ticket, event.arm)
            self._order.append(event.ticket)
            self._moments[event.ticket] = moment
            while len(self._order) > self.most:
                del self._moments[self._order.popleft()]
        elif event.kind == "observe" and event.ticket in self._moments:
            moment = self._moments[event.ticket]
            self._moments[event.ticket] = moment._replace(outcome=event.outcome)
        repeat(player, event, self.path)
        self._last = event.number

    def _moment(self, player: Player, ticket: int, arm: Arm) -> Moment:
        """What is believed now, before a choice."""
        if isinstance(player.agent, Agent):
            means = {arm: a / (a + b) for arm, (a, b) in player.beliefs().items()}
            return Moment(ticket, arm, means, {}, math.nan, False, None)
        stated, facts = _stated(player)
        name = next((each for each in facts if each.startswith(SUSPECTED)), "")
        self.name = self.name or name
        suspicion = float(facts[name]) if name else math.nan
        means = dict(zip(player.arms, stated, strict=False))
        best = dict(zip(player.arms, facts.get("best", []), strict=False))
        return Moment(ticket, arm, means, best, suspicion, self._alarm(player, facts), None)

    def _alarm(self, player: Player, facts: dict[str, Any]) -> bool:
        """Whether any arm restarted since the choice before."""
        if RESTARTED not in facts:
            return False
        now = dict(zip(player.arms, facts[RESTARTED], strict=True))
        before, self.restarts = self.restarts, now
        return before is not None and any(
            before.get(arm, when) != when for arm, when in now.items()
        )


def _stated(player: Player) -> tuple[list[float], dict[str, Any]]:
    """What an actor says of its arms now: their expected thetas, if it has any, and other facts."""
    actor, arms = player.agent.parts[0], len(player.arms)
    memory = player._solo.memory.tolist()
    facts = actor.facts(memory, arms)
    mixture = actor.mixture(memory, arms)
    if not mixture:
        return facts.get("mean", []), facts
    return [sum(w * a[k] / (a[k] + b[k]) for w, a, b in mixture) for k in range(arms)], facts
