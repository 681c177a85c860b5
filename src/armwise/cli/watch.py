"""What is being fitted, on stderr, with the time left; and how a command ends that is stopped."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from armwise.cli.guard import INTERRUPTED, end
from armwise.cli.output import console, duration


class Watch:
    """Says what is under way and how long the rest takes, if `steps` take as long as they weigh."""

    def __init__(self, store: Path | None, steps: Sequence[float] = ()) -> None:
        self.store, self.steps = store, steps
        self._console = console(stderr=True)
        self._started, self._begun = time.perf_counter(), 0

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, kind: Any, problem: BaseException | None, _: Any) -> None:
        if isinstance(problem, KeyboardInterrupt):
            kept = (
                "nothing was saved; with --store it would be."
                if self.store is None
                else f"what was done is kept in {self.store}; the same command goes on from there."
            )
            end(f"Interrupted; {kept}", INTERRUPTED)

    def say(self, text: str) -> None:
        """A line at the beginning of a step."""
        left = time_left(time.perf_counter() - self._started, self.steps, self._begun)
        self._begun += 1
        tail = "" if left is None else f", {duration(left)} left"
        self._console.print(f"{text}{tail}", markup=False, soft_wrap=True)


def time_left(seconds: float, steps: Sequence[float], done: int) -> float | None:
    """How long the other steps take if those that are done took this long; None if none is.

    >>> time_left(10.0, [1, 1, 4], 2), time_left(0.0, [1, 1, 4], 0)
    (20.0, None)
    """
    behind = sum(steps[:done])
    return seconds * sum(steps[done:]) / behind if behind and done < len(steps) else None
