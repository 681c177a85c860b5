"""A cache shared by processes: files with a checksum in the user's cache folder.

A file appears whole or not at all, and is used only if its checksum matches and nobody else could
have written it. An error here costs time, because the content must be made again, but no result.
"""

import contextlib
import errno
import hashlib
import os
import secrets
import stat
import time
import warnings
from collections.abc import Callable
from pathlib import Path

FORGET_AFTER_DAYS = 60.0
_CHECKSUM = 32  # bytes

_said: set[str] = set()


def cache_folder() -> Path | None:
    """The folder in ARMWISE_CACHE_DIR, or else the user's cache folder; None if there is none."""
    chosen = os.environ.get("ARMWISE_CACHE_DIR")
    if chosen:
        return Path(chosen).absolute()
    import platformdirs  # imported late: only compiled code and tables are kept

    try:
        folder = Path(platformdirs.user_cache_dir("armwise"))
    except RuntimeError:
        return None
    return folder if folder.is_absolute() else None  # "~" if no home is known


def load(kind: str, name: str) -> bytes | None:
    """The content kept under a name, or None if it is missing, damaged or not private."""
    root = cache_folder()
    if root is None:
        return None
    path = root / kind / name
    try:
        _check_private(path.parent)
        with path.open("rb") as file:
            _check_private(path, os.fstat(file.fileno()))
            content = file.read()
        os.utime(path)  # mark as recently used
    except FileNotFoundError:
        return None
    except OSError as problem:
        _warn(problem)
        return None
    if hashlib.sha256(content[_CHECKSUM:]).digest() != content[:_CHECKSUM]:
        warnings.warn(f"{path} is damaged and will be made again.", stacklevel=2)
        return None
    return content[_CHECKSUM:]


def save(kind: str, name: str, payload: bytes) -> None:
    """Keep a payload under a name, if possible; an OSError is only a warning."""
    root = cache_folder()
    if root is None:
        return
    folder = root / kind
    draft = folder / f"{name}.{secrets.token_hex(4)}.tmp"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _check_private(folder)
        forget_unused(folder)
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(hashlib.sha256(payload).digest() + payload)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, folder / name)
    except OSError as problem:
        _warn(problem)
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)


def _check_private(path: Path, found: os.stat_result | None = None) -> None:
    """Raise PermissionError if others may write here, because loading a kernel runs it."""
    if not hasattr(os, "getuid"):  # on Windows, the user's folders are the user's own
        return
    found = found or path.stat()
    if found.st_uid != os.getuid():
        raise PermissionError(errno.EPERM, "it belongs to another user", str(path))
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(errno.EPERM, "others may write to it", str(path))


def _warn(problem: OSError) -> None:
    """Warn once, with the reason, that nothing is kept."""
    words = f"{problem.filename or cache_folder()}: {problem.strerror or problem}"
    if words not in _said:
        _said.add(words)
        warnings.warn(f"Compiled code is not kept: {words}.", stacklevel=3)


def kept(kind: str, name: str, make: Callable[[], bytes]) -> bytes:
    """The content kept under a name; if there is none, make it and keep it.

    >>> kept("examples", "greeting", lambda: b"hello")
    b'hello'
    """
    found = load(kind, name)
    if found is None:
        found = make()
        save(kind, name, found)
    return found


def forget_unused(folder: Path) -> None:
    """Delete the files that were not used for `FORGET_AFTER_DAYS`."""
    for path in folder.glob("*"):
        with contextlib.suppress(FileNotFoundError):  # another process did
            if time.time() - path.stat().st_mtime > FORGET_AFTER_DAYS * 86_400.0:
                path.unlink()
