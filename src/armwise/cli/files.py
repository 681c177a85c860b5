"""Files that a command writes: refused before the work if they cannot be, never half written."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from armwise.errors import InputError


def writable(option: str, path: Path, endings: Sequence[str]) -> Path:
    """`path`, if a file of one of these kinds can be written there."""
    if path.suffix.lower() not in endings:
        raise InputError(f"{option} must end in {' or '.join(endings)}, unlike '{path}'.")
    if path.is_dir():
        raise InputError(f"{option} must be a file, and '{path}' is a folder.")
    if not path.parent.is_dir():
        raise InputError(f"{option} must lie in a folder that exists, unlike '{path}'.")
    try:  # permissions do not say everything, so try
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".armwise-"):
            return path
    except OSError as problem:
        reason = problem.strerror or problem
        raise InputError(f"{option} cannot be written to '{path}' ({reason}).") from None


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A name to write to, which becomes `path` once all is written."""
    draft = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    try:
        yield draft
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
