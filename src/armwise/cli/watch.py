"""What is being fitted, on stderr; how a command that is stopped says what is kept."""

import time
from pathlib import Path
from typing import Any

from armwise.cli.guard import INTERRUPTED, end
from armwise.cli.output import console


class Watch:
    """Says what is under way; one that ends early says what is kept, and how to go on."""

    def __init__(self, store: Path | None) -> None:
        self.store = store
        self._console = console(stderr=True)
        self._started = time.perf_counter()

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
        """A line."""
        self._console.print(text, markup=False, soft_wrap=True)
