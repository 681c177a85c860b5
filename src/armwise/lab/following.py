"""Look at something again and again, and tell whoever watches when it changed."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Any

EVERY = 1.0  # seconds between two looks


async def following(
    stamp: Callable[[], Any], tells: Iterable[Callable[[], dict[str, Any]]], every: float = EVERY
) -> AsyncIterator[dict[str, Any]]:
    """What `tells` say, one after the other, at first and whenever `stamp` differs."""
    last: Any = None
    while True:
        now = await asyncio.to_thread(stamp)
        if now != last:
            last = now
            for tell in tells:
                yield await asyncio.to_thread(tell)
        await asyncio.sleep(every)


def stamp_of(*paths: Path) -> tuple[Any, ...]:
    """Sizes and times of files, which change when somebody writes; None for one that is not there.

    >>> stamp_of(Path("nowhere"))
    (None,)
    """
    return tuple(_stamp(path) for path in paths)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
