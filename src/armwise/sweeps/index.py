"""Which files of a store were found sound, so that a run need not read them all again.

    DIR/index     a line per file: its name, its size, the time of its last change

The index is a convenience that may be deleted: a file that it does not list as it is now is read
and checked. A file changed within the last two seconds is never listed, since the clock of a file
system may give a later change the same time. `armwise verify`, and every command that reads a
result, check the file itself.
"""

import os
import time
from collections.abc import Set
from contextlib import suppress
from pathlib import Path

from armwise.sweeps import files

SETTLED = 2_000_000_000  # nanoseconds after which a change gets another time
SUFFIX = ".nc"


def unchanged(index: Path, cells: Path) -> set[str]:
    """The names of the files that are as the index lists them."""
    try:
        known = set(index.read_text(encoding="ascii").splitlines())
    except (OSError, ValueError):
        return set()
    return {name for name, line in _lines(cells).items() if line in known} if known else set()


def note(index: Path, cells: Path, sound: Set[str]) -> None:
    """List the sound files; where that cannot be written, it is only slower next time."""
    latest = time.time_ns() - SETTLED
    lines = [line for name, line in _lines(cells, latest).items() if name in sound]
    with suppress(OSError):
        files.put(index, "".join(f"{line}\n" for line in sorted(lines)).encode("ascii"))


def _lines(cells: Path, latest: int | None = None) -> dict[str, str]:
    found = {}
    with suppress(OSError), os.scandir(cells) as items:
        for item in items:
            if item.name.endswith(SUFFIX):
                with suppress(OSError):
                    stat = item.stat()
                    if latest is None or stat.st_mtime_ns < latest:
                        name = item.name[: -len(SUFFIX)]
                        found[name] = f"{name} {stat.st_size} {stat.st_mtime_ns}"
    return found
