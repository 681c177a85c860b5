"""Watch the player that lives in a file, while other programs play: it is only read."""

import math
import time
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from armwise.errors import InputError
from armwise.lab.following import following, stamp_of
from armwise.model.agent import Agent
from armwise.numerics.beta_quantiles import beta_quantile
from armwise.play.audit import audit
from armwise.play.eventfile import about
from armwise.play.history import History, Moment
from armwise.play.opening import agent_of
from armwise.play.overview import overview
from armwise.play.player import Player

LAST = 30  # events that are shown
SHOWN = 500  # choices in the picture
TAIL = 0.025  # beyond each end of a belief's interval
REST = 10.0  # a file is audited again after this many times the time that it took
SUSPICIOUS = 0.5  # the probability of a recent change that is marked


class Watcher:
    """The file of a shared player, as a page sees it."""

    def __init__(self, path: Path, components: Iterable[Path] = ()) -> None:
        overview(path, 0)  # refuses what is no such file
        self.path, self.components = path, [str(file) for file in components]
        self._history: History | None = None
        self._said: dict[str, Any] = {}
        self._audit: dict[str, Any] | None = None
        self._again = 0.0

    def changes(self) -> AsyncIterator[dict[str, Any]]:
        """What there is to tell, now and whenever somebody plays."""
        paths = self.path, Path(f"{self.path}-wal")
        return following(lambda: stamp_of(*paths), (self.told, self.audited))

    def told(self) -> dict[str, Any]:
        """Counts, events, beliefs with their intervals, open tickets, and the last audit."""
        self._said = self._now()
        return dict(self._said)

    def _now(self) -> dict[str, Any]:
        data = overview(self.path, LAST)
        more: dict[str, Any] = {"open": [], "why": None, "facts": {}, "audit": self._audit}
        try:
            history = self._read()
        except InputError as problem:
            return {"kind": "watch", **data, **more, "why": str(problem)}
        player = history.player
        beliefs, more["facts"] = _beliefs(player)
        for row in data["arms"]:
            row |= beliefs.get(row["arm"], _UNKNOWN)
        more["open"] = player.open
        names = [row["arm"] for row in data["arms"]]
        pictured, arrays = picture(history, names)
        return {"kind": "watch", **data, **more, **pictured, "arrays": arrays}

    def audited(self) -> dict[str, Any]:
        """The same after every choice of the file was asked of the agent again."""
        began = time.monotonic()
        if began >= self._again:
            try:
                found = audit(self.path, self._agent())
                self._audit = {"events": found.events, "choices": found.choices}
                self._audit["problems"] = found.problems
            except InputError as problem:
                self._audit = {"events": 0, "choices": 0, "problems": [str(problem)]}
            now = time.monotonic()
            self._again = now + REST * (now - began)
        return {**(self._said or self._now()), "audit": self._audit}

    def _agent(self) -> Any:
        return agent_of(about(self.path, self.path), self.path, components=self.components)

    def _read(self) -> History:
        """The history up to now."""
        if self._history is None:
            self._history = History(self.path, self._agent(), SHOWN)
        self._history.read()
        return self._history


_UNKNOWN: dict[str, Any] = {"belief": None, "believed": None, "low": None, "high": None}


def _beliefs(player: Player) -> tuple[dict[Any, dict[str, Any]], dict[str, Any]]:
    """What is believed about every arm, with the central 95 %, and about the whole bandit."""
    if isinstance(player.agent, Agent):
        return {arm: _interval(*belief) for arm, belief in player.beliefs().items()}, {}
    found = player.summary()
    rows = {
        arm: {"belief": None, "believed": row.get("mean"), "low": row.get("low")}
        | {"high": row.get("high")}
        for arm, row in found.arms.items()
    }
    known = {"agent", "choices", "open tickets", "compiled"}  # shown elsewhere
    return rows, {name: value for name, value in found.facts.items() if name not in known}


def _interval(alpha: float, beta: float) -> dict[str, Any]:
    """A belief with its mean and its central 95 %."""
    low, high = (beta_quantile(p, alpha, beta) for p in (TAIL, 1.0 - TAIL))
    return {"belief": [alpha, beta], "believed": alpha / (alpha + beta), "low": low, "high": high}


def picture(history: History, arms: list[Any]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The last choices over trials: arrays, the first ticket, and where a change is suspected."""
    moments, places = history.moments, {arm: place for place, arm in enumerate(arms)}
    mean = np.full((len(moments), len(arms)), np.nan)
    for row, moment in zip(mean, moments, strict=True):
        for arm, value in moment.means.items():
            row[places[arm]] = value
    arrays = {
        "chosen": np.array([places[moment.arm] for moment in moments]),
        "outcome": np.array([-1 if m.outcome is None else m.outcome for m in moments]),
        "suspicion": np.array([moment.suspicion for moment in moments]),
    }
    if not np.isnan(mean).all():
        arrays["mean"] = mean
    header = {
        "first": moments[0].ticket if moments else 1,
        "suspicion_name": history.name,
        "alarms": history.restarts is not None,
        "suspected": suspected(moments),
    }
    return header, arrays


def suspected(moments: list[Moment]) -> list[int]:
    """Tickets at which a change became probable, another arm is believed to be the best now, or
    the agent restarts after an alarm.

    >>> nothing = Moment(1, "a", {}, {}, 0.1, False, None)
    >>> suspected([nothing, nothing._replace(ticket=2, suspicion=0.7)])
    [2]
    """
    found, before, leader = [], math.nan, None
    for moment in moments:
        begins = moment.alarm or moment.suspicion >= SUSPICIOUS > before
        before = moment.suspicion
        first = max(moment.best, key=moment.best.__getitem__, default=None)
        if first is not None and moment.best[first] > SUSPICIOUS:
            begins = begins or first != (leader or first)
            leader = first
        if begins:
            found.append(moment.ticket)
    return found
