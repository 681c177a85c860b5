"""A fork copies locks as they are: so whoever forks holds them, and no call is cut in two.

What is inside another is held after it: first the logs of files, then players.
"""

import os
import threading
import weakref
from typing import Any

logs: "weakref.WeakSet[Any]" = weakref.WeakSet()
players: "weakref.WeakSet[Any]" = weakref.WeakSet()
_held: list[Any] = []
_adding = threading.Lock()


def survive(each: Any, among: "weakref.WeakSet[Any]") -> None:
    """Call the `hold` of an object before every fork, and its `let_go` after it."""
    with _adding:
        among.add(each)


def _hold() -> None:
    with _adding:
        found = [*logs, *players]
    for each in found:
        each.hold()
        _held.append(each)
    _adding.acquire()  # last: who adds may be in a call


def _let_go() -> None:
    _adding.release()
    while _held:
        _held.pop().let_go()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_let_go)
