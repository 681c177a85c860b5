"""Threads around compiled code, which releases the interpreter's lock."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def available_threads() -> int:
    """The number of processors that this process may use.

    >>> available_threads() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_threads(work: Callable[[Any], None], shares: Iterable[Any], threads: int) -> None:
    """Do all shares of some work; the first error is raised, and what has not begun is left.

    >>> done = []
    >>> in_threads(done.append, range(3), threads=1)
    >>> done
    [0, 1, 2]
    """
    if threads == 1:
        for share in shares:
            work(share)
        return
    pool = ThreadPoolExecutor(threads)
    try:
        for future in [pool.submit(work, share) for share in shares]:
            future.result()
    finally:
        pool.shutdown(cancel_futures=True)
