"""Watch the player that lives in a file, while other programs play: it is only read."""

import time
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

from armwise.errors import InputError
from armwise.lab.following import following, stamp_of
from armwise.model.agent import Agent
from armwise.numerics.beta_quantiles import beta_quantile
from armwise.play.audit import audit, latest
from armwise.play.eventfile import about
from armwise.play.opening import agent_of
from armwise.play.overview import overview

LAST = 30  # events that are shown
TAIL = 0.025  # beyond each end of a belief's interval
REST = 10.0  # a file is audited again after this many times the time that it took


class Watcher:
    """The file of a shared player, as a page sees it."""

    def __init__(self, path: Path, components: Iterable[Path] = ()) -> None:
        overview(path, 0)  # refuses what is no such file
        self.path, self.components = path, [str(file) for file in components]
        self._audit: dict[str, Any] | None = None
        self._again = 0.0

    def changes(self) -> AsyncIterator[dict[str, Any]]:
        """What there is to tell, now and whenever somebody plays."""
        paths = self.path, Path(f"{self.path}-wal")
        return following(lambda: stamp_of(*paths), (self.told, self.audited))

    def told(self) -> dict[str, Any]:
        """Counts, events, beliefs with their intervals, open tickets, and the last audit."""
        data = overview(self.path, LAST)
        beliefs, waiting, why = self._beliefs()
        for row in data["arms"]:
            row |= _interval(beliefs.get(row["arm"]))
        more = {"open": waiting, "why": why, "audit": self._audit}
        return {"kind": "watch", **data, **more}

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
        return self.told()

    def _agent(self) -> Any:
        return agent_of(about(self.path, self.path), self.path, components=self.components)

    def _beliefs(self) -> tuple[dict[Any, Any], list[int], str | None]:
        try:
            player = latest(self.path, self._agent())
        except InputError as problem:
            return {}, [], str(problem)
        if not isinstance(player.agent, Agent):
            return {}, player.open, f"{player.agent.label} keeps no belief about single arms."
        return player.beliefs(), player.open, None


def _interval(belief: tuple[float, float] | None) -> dict[str, Any]:
    """A belief with its central 95 %."""
    if belief is None:
        return {"belief": None, "low": None, "high": None}
    alpha, beta = belief
    low, high = (beta_quantile(p, alpha, beta) for p in (TAIL, 1.0 - TAIL))
    return {"belief": [alpha, beta], "low": low, "high": high}
