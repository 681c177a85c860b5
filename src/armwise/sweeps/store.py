"""A store: one immutable netCDF file per cell, named by the cell's content hash.

    DIR/cells/NAME.nc      one result each; it appears whole or not at all, and never changes
    DIR/sweeps/NAME.json   the definition of every sweep that was run here
    DIR/aside/             files that were damaged or foreign, out of the way

A file ends with a line `armwise NAME CHECKSUM`, where CHECKSUM is the SHA-256 of all before it.
HDF5 ignores what stands behind its own end, and one pass over the bytes then vouches for data,
labels and attributes as well: `head -c -65 FILE | sha256sum` and `tail -c 65 FILE` agree.
"""

import hashlib
import itertools
import json
import os
import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armwise.errors import InputError
from armwise.play.dataset import coordinates
from armwise.sweeps.cell import Cell
from armwise.sweeps.netcdf import image, opened, parsed

if TYPE_CHECKING:
    import xarray

_NAME = re.compile(r"[0-9a-f]{32}\.nc")
_DRAFT = re.compile(r"\..+\.(?P<host>[^.]+)\.(?P<pid>\d+)\.\d+\.tmp")
_HEX = 64
_STALE_AFTER = 86_400.0  # seconds after which a draft of another machine is given up
_numbers = itertools.count()


class Damaged(InputError):  # noqa: N818 - a state of a file, and it reads as one
    """A file of the store is not what it should be."""


class Store:
    """A folder of results. Files appear whole or not at all, and never change."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.cells = self.folder / "cells"
        self.sweeps = self.folder / "sweeps"
        self.aside = self.folder / "aside"

    def path(self, cell: Cell) -> Path:
        """Where the cell's file is, or will be."""
        return self.cells / f"{cell.name}.nc"

    def has(self, cell: Cell) -> bool:
        """Whether the cell was computed."""
        return self.path(cell).is_file()

    def names(self) -> set[str]:
        """The names of all cells that were computed."""
        self._refuse_file()
        with _refusing(self.folder, "read"):
            files = os.listdir(self.cells) if self.cells.is_dir() else []
        return {name.removesuffix(".nc") for name in files if _NAME.fullmatch(name)}

    def write(self, cell: Cell, result: "xarray.Dataset") -> None:
        """Keep a result: written under a temporary name, flushed, renamed."""
        content = image(cell.stamped(result)) + f"armwise {cell.name} ".encode()
        self._put(self.path(cell), content + hashlib.sha256(content).hexdigest().encode() + b"\n")

    def read(self, cell: Cell) -> "xarray.Dataset":
        """A result, checked against its checksum and its name."""
        with _damaged(self.path(cell)):
            return parsed(self._content(cell.name))

    def regret(self, cell: Cell) -> "xarray.DataArray":
        """The regret of a result alone, checked like the whole and several times faster."""
        import xarray

        with _damaged(self.path(cell)), opened(self._content(cell.name)) as file:
            values = file["regret"][()]
            axes = {name: file[name][()] for name in ("agent", "trial")}
        # The name is the hash of all parameters, so the cell knows them as well as the file.
        coords = {**coordinates(cell.plan(threads=1)), **axes}
        regret = xarray.DataArray(values, coords, ("agent", "trial"), "regret")
        return regret.assign_attrs(long_name="cumulative regret")

    def description(self, name: str) -> dict[str, Any]:
        """What a file says it is: the description of its cell."""
        with _damaged(self.cells / f"{name}.nc"), opened(self._content(name)) as file:
            return json.loads(file.attrs["cell"])

    def check(self, name: str) -> None:
        """Raise Damaged unless the file of this name is whole and holds that cell."""
        self._content(name)

    def _content(self, name: str) -> bytes:
        """All bytes of a file, once they match its checksum and its name."""
        path = self.cells / f"{name}.nc"
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            raise InputError(f"{self.folder} has no cell {name}: run its sweep first.") from None
        except OSError as problem:
            raise Damaged(f"{path} cannot be read: {problem.strerror or problem}.") from None
        body, line = content[: -_HEX - 1], content[-_HEX - 1 :]
        if line != hashlib.sha256(body).hexdigest().encode() + b"\n":
            raise Damaged(f"{path} does not match its checksum.")
        if not body.endswith(f"armwise {name} ".encode()):
            raise Damaged(f"{path} holds another cell.")
        return body

    def set_aside(self, path: Path) -> Path | None:
        """Move a file out of the way, never over another; None where it is gone already."""
        with _refusing(self.folder):
            self.aside.mkdir(parents=True, exist_ok=True)
            for number in itertools.count():
                target = self.aside / (f"{path.name}.{number}" if number else path.name)
                if not target.exists():
                    break
            try:
                os.replace(path, target)
            except FileNotFoundError:  # another process was faster
                return None
        return target

    def foreign(self) -> list[Path]:
        """Files in `cells` that are not results. Hidden files are ignored."""
        with _refusing(self.folder, "read"):
            items = list(os.scandir(self.cells)) if self.cells.is_dir() else []
            return sorted(
                Path(item.path)
                for item in items
                if not item.name.startswith(".")
                and not (_NAME.fullmatch(item.name) and item.is_file())
            )

    def prepare(self) -> None:
        """Make the folders, forget the drafts of dead processes, and see that one can write."""
        with _refusing(self.folder):
            for folder in (self.cells, self.sweeps):
                folder.mkdir(parents=True, exist_ok=True)
                for draft in folder.glob(".*.tmp"):
                    if _abandoned(draft):
                        draft.unlink(missing_ok=True)
            trial = self._draft(self.cells / "trial")
            trial.touch()
            trial.unlink()

    def remember(self, name: str, definition: dict[str, Any]) -> None:
        """Keep the definition of a sweep, from which follows what is missing."""
        self._refuse_file()
        path = self.sweeps / f"{name}.json"
        content = (json.dumps(definition, indent=1) + "\n").encode()
        with _refusing(self.folder):
            if path.is_file() and path.read_bytes() == content:
                return
            self.sweeps.mkdir(parents=True, exist_ok=True)
        self._put(path, content)

    def _refuse_file(self) -> None:
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError(f"{self.folder} is a file, and a store is a folder.")

    def definitions(self) -> dict[str, dict[str, Any]]:
        """The definitions of the sweeps that were run here, by name."""
        if not self.folder.is_dir():
            raise InputError(f"There is no store {self.folder}.")
        definitions = {}
        for path in sorted(self.sweeps.glob("*.json")):
            if path.name.startswith("."):
                continue
            try:
                definitions[path.stem] = json.loads(path.read_bytes())
            except (OSError, ValueError):
                raise Damaged(f"{path} is damaged: run its sweep again, or remove it.") from None
        return definitions

    def _put(self, path: Path, content: bytes) -> None:
        with _refusing(self.folder):
            for attempt in (1, 2):
                draft = self._draft(path)
                try:
                    _write(draft, content)
                    os.replace(draft, path)
                    return
                except FileNotFoundError:
                    # A machine that cannot see this process may have taken its draft for dead.
                    if attempt == 2:
                        raise
                    path.parent.mkdir(parents=True, exist_ok=True)
                finally:
                    draft.unlink(missing_ok=True)

    def _draft(self, path: Path) -> Path:
        owner = f"{_host()}.{os.getpid()}.{next(_numbers)}"
        return path.with_name(f".{path.stem}.{owner}.tmp")

    def flush(self) -> None:
        """Make the names of all files survive a loss of power, as their contents do."""
        with _refusing(self.folder):
            handle = os.open(self.cells, os.O_RDONLY)
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
    try:
        return time.time() - draft.stat().st_mtime > _STALE_AFTER
    except OSError:
        return False


@contextmanager
def _refusing(folder: Path, what: str = "written") -> Iterator[None]:
    """One sentence for whatever the file system refuses."""
    try:
        yield
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise InputError(f"The store {folder} cannot be {what}: {reason}.") from None


@contextmanager
def _damaged(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, KeyError, RuntimeError, UnicodeDecodeError) as problem:
        raise Damaged(f"{path} is not a result of armwise: {problem}.") from None
