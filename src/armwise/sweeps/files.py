"""Files that appear whole or not at all: drafts that are flushed and then renamed."""

import itertools
import os
import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from armwise.errors import InputError

_DRAFT = re.compile(r"\..+\.(?P<host>[^.]+)\.(?P<pid>\d+)\.\d+\.tmp")
_STALE_AFTER = 86_400.0  # seconds after which a draft of another machine is given up
_numbers = itertools.count()


def put(path: Path, content: bytes) -> None:
    """Write a file under a temporary name, flush it to the disk, and rename it."""
    for attempt in (1, 2):
        draft = draft_of(path)
        try:
            _write(draft, content)
            os.replace(draft, path)
            return
        except FileNotFoundError:
            # A machine that cannot see this process may have taken its draft for dead.
            if attempt == 2 or not path.parent.is_dir():
                raise
        finally:
            draft.unlink(missing_ok=True)


def put_new(path: Path, content: bytes) -> bool:
    """The same, unless there is a file already, be it only just; whether it was written."""
    draft = draft_of(path)
    try:
        _write(draft, content)
        try:
            os.link(draft, path)
        except FileExistsError:
            return False
        except OSError:  # a file system without hard links
            if path.exists():
                return False
            os.replace(draft, path)
        return True
    finally:
        draft.unlink(missing_ok=True)


def draft_of(path: Path) -> Path:
    """A temporary name beside a file, which says whose it is."""
    owner = f"{_host()}.{os.getpid()}.{next(_numbers)}"
    return path.with_name(f".{path.stem}.{owner}.tmp")


def forget_drafts(folder: Path) -> None:
    """Remove drafts left behind by processes that have ended."""
    for draft in folder.glob(".*.tmp"):
        if _abandoned(draft):
            draft.unlink(missing_ok=True)


def sync(folder: Path) -> None:
    """Make the names in a folder survive a loss of power, as the contents of the files do."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write(path: Path, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _host() -> str:
    return re.sub(r"[^A-Za-z0-9-]", "-", socket.gethostname()) or "host"


def _abandoned(draft: Path) -> bool:
    """Whether the process that wrote a draft is gone: here for certain, elsewhere by age."""
    owner = _DRAFT.fullmatch(draft.name)
    if owner is None:
        return False
    if owner["host"] == _host() and int(owner["pid"]) != os.getpid():
        try:
            os.kill(int(owner["pid"]), 0)
        except ProcessLookupError:
            return True
        except (PermissionError, OverflowError):
            pass
    with suppress(OSError):
        return time.time() - draft.stat().st_mtime > _STALE_AFTER
    return False


@contextmanager
def refusing(folder: Path, what: str = "written") -> Iterator[None]:
    """One sentence for whatever the file system refuses."""
    try:
        yield
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise InputError(f"The store {folder} cannot be {what}: {reason}.") from None
