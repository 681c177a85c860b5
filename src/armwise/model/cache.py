"""What is worth keeping between processes: files with a checksum in the user's cache folder.

A file appears whole or not at all, and is read only if its checksum fits. What goes wrong here
costs the work of making the thing again, and no result.
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
    """The folder: ARMWISE_CACHE_DIR, or the user's cache folder."""
    chosen = os.environ.get("ARMWISE_CACHE_DIR")
    if chosen:
        return Path(chosen)
    import platformdirs  # where nothing is compiled, nothing is kept

    return Path(platformdirs.user_cache_dir("armwise"))


def load(kind: str, name: str) -> bytes | None:
    """What was kept under a name, if it is there and sound."""
    path = cache_folder() / kind / name
    try:
        content = path.read_bytes()
        os.utime(path)  # it is in use
    except OSError:
        return None
    if hashlib.sha256(content[_CHECKSUM:]).digest() != content[:_CHECKSUM]:
        warnings.warn(f"{path} is damaged, and is made again.", stacklevel=2)
        return None
    return content[_CHECKSUM:]


def save(kind: str, name: str, payload: bytes) -> None:
    """Keep something, if that is possible."""
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
    """What was kept under a name, or what is made now and kept.

    >>> kept("examples", "greeting", lambda: b"hello")
    b'hello'
    """
    found = load(kind, name)
    if found is None:
        found = make()
        save(kind, name, found)
    return found


def forget_unused(folder: Path) -> None:
    """Delete what was not used for long."""
    for path in folder.glob("*"):
        if time.time() - path.stat().st_mtime > FORGET_AFTER_DAYS * 86_400.0:
            path.unlink()
