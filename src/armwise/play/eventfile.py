"""The file of a shared player as SQLite sees it: made, opened, checked; and errors as sentences."""

import contextlib
import json
import os
import secrets
import shutil
import sqlite3
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from armwise.errors import InputError
from armwise.play.state import keep_name

try:
    import fcntl
except ImportError:  # Windows: SQLite's own locks and flushes have to do
    fcntl = None  # type: ignore[assignment]

BY_SQLITE = fcntl is None
APPLICATION, VERSION = 0x61726D77, 1  # "armw"
WAIT = 60.0  # seconds until a writer is told that others hold the file
CHECKPOINT = 4_000  # pages of the log, which is then moved to the file
_SCHEMA = f"""
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE event (number INTEGER PRIMARY KEY, time REAL NOT NULL, kind TEXT NOT NULL,
    ticket INTEGER, arm, outcome INTEGER, note TEXT, checksum INTEGER NOT NULL);
CREATE TABLE snapshot (event INTEGER PRIMARY KEY, time REAL NOT NULL, state TEXT NOT NULL,
    checksum TEXT NOT NULL);
"""
_DAMAGED = ("Could not decode to UTF-8", "no such table", "no such column")  # not seen by SQLite
_REMOTE = ("nfs", "cifs", "smb", "afs", "9p", "ceph", "lustre", "gpfs", "fuse.sshfs", "glusterfs")


def create(path: Path, about: dict[str, str], snapshot: tuple[Any, ...]) -> bool:
    """Make the file, whole or not at all; False if another process was quicker."""
    for ending in ("-wal", "-journal"):
        left = Path(f"{path}{ending}")
        if left.exists() and left.stat().st_size and not path.exists():
            raise InputError(f"{left} belongs to a file that is gone: move it away first.")
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with refusing(path):
            connection = sqlite3.connect(draft, isolation_level=None)
            with contextlib.closing(connection):
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(f"BEGIN; {_SCHEMA}")
                connection.executemany("INSERT INTO about VALUES (?, ?)", about.items())
                connection.execute("INSERT INTO snapshot VALUES (?, ?, ?, ?)", snapshot)
                connection.execute("COMMIT")
            made = _published(draft, path)
            keep_name(path)
            return made
    finally:
        for ending in ("", "-wal", "-shm"):
            with contextlib.suppress(OSError):
                os.unlink(f"{draft}{ending}")


def _published(draft: Path, path: Path) -> bool:
    """Give the draft its name, unless there is such a file already."""
    try:
        os.link(draft, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without links; a race is lost by the first, and seen by it
        if path.exists():
            return False
        os.replace(draft, path)
    return True


def connect(path: Path, writing: bool = True) -> sqlite3.Connection:
    """Open a file that exists, and check that it is one of ours."""
    if path.is_dir():
        raise InputError(f"{path} is a folder, and no file of a player.")
    if not path.is_file():
        raise InputError(f"There is no file {path}.")
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty, and no file of a player.")
    with refusing(path):
        connection = _connection(path, writing)
        try:
            _refuse_foreign(connection, path)
            if writing:
                connection.execute(f"PRAGMA synchronous = {'FULL' if BY_SQLITE else 'NORMAL'}")
                connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT}")
        except BaseException:
            connection.close()
            raise
    return connection


def _connection(path: Path, writing: bool) -> sqlite3.Connection:
    def opened(how: str) -> sqlite3.Connection:
        found = sqlite3.connect(
            f"{path.absolute().as_uri()}?{how}",
            timeout=WAIT,
            isolation_level=None,
            check_same_thread=False,
            uri=True,
        )
        try:
            found.execute("SELECT count(*) FROM sqlite_master")
        except BaseException:
            found.close()
            raise
        return found

    if writing:
        return opened("mode=rw")
    try:
        return opened("mode=ro")
    except sqlite3.OperationalError:
        if Path(f"{path}-wal").exists():
            raise
        return opened("immutable=1")  # a folder that cannot be written, and nobody writes


def _refuse_foreign(connection: sqlite3.Connection, path: Path) -> None:
    [application] = connection.execute("PRAGMA application_id").fetchone()
    [version] = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        raise InputError(f"{path} is a database of another program, and no file of a player.")
    if version != VERSION:
        raise InputError(f"{path} has version {version}; this armwise reads version {VERSION}.")


def about(path: Path, name: Any) -> dict[str, Any]:
    """What a file says of itself: its agent, the code of that, and how it began."""
    connection = connect(path, writing=False)
    with contextlib.closing(connection), refusing(path):
        found = dict(connection.execute("SELECT key, value FROM about"))
        first = connection.execute("SELECT state FROM snapshot WHERE event = 0").fetchone()
    try:
        agent, beginning = json.loads(found["agent"]), json.loads(first[0])
        whole = isinstance(found["code"], str) and beginning.keys() >= {"arms", "seed", "expires"}
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        whole = False
    if not whole:
        raise InputError(f"{name} was edited or damaged: it does not say what it is.")
    return {"armwise": "", "build": "", **found, "agent": agent, "beginning": beginning}


@contextlib.contextmanager
def refusing(path: Path) -> Iterator[None]:
    """What SQLite and the system refuse, as a sentence."""
    try:
        yield
    except UnicodeDecodeError as problem:  # SQLite speaks of a name that is damaged
        raise InputError(f"{path} is damaged; armwise player verify says more.") from problem
    except (sqlite3.Error, OSError) as problem:
        raise InputError(_sentence(path, problem)) from problem


def _sentence(path: Path, problem: Exception) -> str:
    name = getattr(problem, "sqlite_errorname", "")
    reason = getattr(problem, "strerror", None) or str(problem)
    if name.startswith("SQLITE_IOERR") and _is_full(path.parent):
        name = "SQLITE_FULL"
    if reason.startswith(_DAMAGED):
        name, reason = "SQLITE_CORRUPT", " ".join(reason.split()[:6])
    for code, words in {
        "SQLITE_FULL": "cannot be written: the disk is full.",
        "SQLITE_IOERR_WRITE": f"cannot be written ({reason}): is there a quota, or a largest size?",
        "SQLITE_CANTOPEN": "cannot be opened: is its folder there, and may you write in it?",
        "SQLITE_READONLY": "cannot be written: it is read-only.",
        "SQLITE_BUSY": f"was held by another process for {WAIT:g} seconds.",
        "SQLITE_NOTADB": "is no file of a shared player, or its beginning is damaged.",
        "SQLITE_CORRUPT": f"is damaged ({reason}); armwise player verify says more.",
    }.items():
        if name.startswith(code):
            return f"{path} {words}"
    return f"{path} cannot be used: {reason}."


def _is_full(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < 1 << 16
    except OSError:
        return False


def take_turn(lock: int | None, wait: bool = True) -> None:
    """Wait for the turn to write, or raise OSError if it is another's.

    The system ends the turn of a process that dies.
    """
    if lock is not None:
        fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def end_turn(lock: int | None) -> None:
    """Let others write."""
    if lock is not None:
        fcntl.flock(lock, fcntl.LOCK_UN)


def warn_if_remote(path: Path) -> None:
    """Say that processes on several machines cannot share a file (Linux tells, others do not)."""
    try:
        mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    except OSError:
        return
    over = [(mount[1], mount[2]) for mount in mounts if _under(path, mount[1])]
    kind = max(over, key=lambda mount: len(mount[0]), default=("", ""))[1]
    if kind.startswith(_REMOTE):
        warnings.warn(
            f"{path} lies in a network folder ({kind}): processes of one machine may share it, "
            "processes of several machines would damage it.",
            stacklevel=3,
        )


def _under(path: Path, folder: str) -> bool:
    return folder == "/" or path.is_relative_to(folder)
