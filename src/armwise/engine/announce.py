"""Tell a person that something compiles, if it takes longer than half a second."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from armwise.model.agent import Agent
from armwise.model.roles import Actor

SOON = 0.5  # seconds after which a terminal or a notebook is told
LATE = 10.0  # and after which a log is


def silent() -> bool:
    """Whether the user asked for silence, with the environment variable ARMWISE_QUIET."""
    return os.environ.get("ARMWISE_QUIET", "") not in ("", "0")


def watched() -> bool:
    """Whether a person sees what is written to stderr: a terminal, or a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


@contextmanager
def compiling(what: str) -> Iterator[None]:
    """Say what compiles, on stderr, unless it is done before anybody wonders.

    >>> with compiling("nothing"):
    ...     pass
    """
    if silent():
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


def described(agent: Agent | Actor) -> str:
    """An agent in words: its parts, but for a choice that is the usual one.

    >>> from armwise import Agent, Smile, UCB
    >>> described(Agent(UCB(), Smile()))
    'UCB with SMiLe'
    """
    first, *others = agent.parts
    labels = [part.label for part in others if part.label != "argmax"]
    return " with ".join([first.label, " and ".join(labels)] if labels else [first.label])
