"""A cache shared by processes: files with a checksum in the user's cache folder.

A file appears whole or not at all, and is used only if its checksum matches. An error here costs
time, because the content must be made again, but never a result.
"""

import contextlib
import hashlib
import os
import secrets
import time
import warnings
from collections.abc import Callable
from pathlib import Path

FORGET_AFTER_DAYS = 60.0
_CHECKSUM = 32  # bytes


def cache_folder() -> Path:
    """The folder in ARMWISE_CACHE_DIR, or else the user's cache folder."""
    chosen = os.environ.get("ARMWISE_CACHE_DIR")
    if chosen:
        return Path(chosen)
    import platformdirs  # imported late: only compiled code and tables are kept

    return Path(platformdirs.user_cache_dir("armwise"))


def load(kind: str, name: str) -> bytes | None:
    """The content kept under a name, or None if it is missing or damaged."""
    path = cache_folder() / kind / name
    try:
        content = path.read_bytes()
        os.utime(path)  # mark as recently used
    except OSError:
        return None
    if hashlib.sha256(content[_CHECKSUM:]).digest() != content[:_CHECKSUM]:
        warnings.warn(f"{path} is damaged and will be made again.", stacklevel=2)
        return None
    return content[_CHECKSUM:]


def save(kind: str, name: str, payload: bytes) -> None:
    """Keep a payload under a name; an OSError is ignored."""
    folder = cache_folder() / kind
    draft = folder / f"{name}.{secrets.token_hex(4)}.tmp"
    try:
        forget_unused(folder)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft.write_bytes(hashlib.sha256(payload).digest() + payload)
        os.replace(draft, folder / name)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)


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
        if time.time() - path.stat().st_mtime > FORGET_AFTER_DAYS * 86_400.0:
            path.unlink()
