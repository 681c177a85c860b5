"""Tell the user that something is being compiled, if it takes longer than half a second."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from armwise.model.roles import AbstractAgent

SOON = 0.5  # seconds until the message appears in a terminal or a notebook
LATE = 10.0  # seconds until it appears in a log


def silent() -> bool:
    """Whether the user asked for silence by the environment variable ARMWISE_QUIET."""
    return os.environ.get("ARMWISE_QUIET", "") not in ("", "0")


def watched() -> bool:
    """Whether stderr is probably read by a person: in a terminal or a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


@contextmanager
def compiling(what: str, kernel: Any = None) -> Iterator[None]:
    """Say on stderr what is being compiled, unless it is done quickly or the kernel is ready.

    >>> with compiling("nothing"):
    ...     pass
    """
    if silent() or getattr(kernel, "signatures", None):
        yield
        return
    timer = threading.Timer(SOON if watched() else LATE, _say, [f"compiling {what} ..."])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def described(agent: AbstractAgent) -> str:
    """An agent in words: the labels of its parts; argmax is left out.

    >>> from armwise import Agent, Smile, UCB
    >>> described(Agent(UCB(), Smile()))
    'UCB with SMiLe'
    """
    first, *others = agent.parts
    labels = [part.label for part in others if part.label != "argmax"]
    return " with ".join([first.label, " and ".join(labels)] if labels else [first.label])
