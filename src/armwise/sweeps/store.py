"""A store: one immutable netCDF file per cell, named by the cell's content hash.

    DIR/cells/NAME.nc      one result each; it appears whole or not at all, and never changes
    DIR/sweeps/NAME.json   the definition of every sweep that was run here
    DIR/aside/             files that were damaged or foreign, out of the way
    DIR/index              which files were found sound, to be quick; it may be deleted

A file ends with a line `armwise NAME CHECKSUM`, where CHECKSUM is the SHA-256 of all before it.
netCDF ignores what stands behind its own end, and one pass over the bytes then vouches for data,
labels and attributes as well: `head -c -65 FILE | sha256sum` and `tail -c 65 FILE` agree.
"""

import hashlib
import itertools
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from armwise.errors import Gone, InputError
from armwise.play.dataset import coordinates
from armwise.sweeps import files, index
from armwise.sweeps.cell import Cell
from armwise.sweeps.files import refusing
from armwise.sweeps.netcdf import BROKEN, image, parsed, stored

if TYPE_CHECKING:
    import xarray

_NAME = re.compile(r"[0-9a-f]{32}\.nc")
_HEX = 64
READERS, TOGETHER = 4, 256  # threads that check files, and how many files each takes at a time
_AXES = ("regret", "agent", "trial")
NAMES = "cells"  # the key of a definition that lists the cells of a user's own components


class Damaged(InputError):  # noqa: N818 - a state of a file, and it reads as one
    """A file of the store is not what it should be."""


class Held(NamedTuple):
    """What a file holds, as numbers: the cell's description, its trials, regret[agent, trial]."""

    description: dict[str, Any]
    agents: np.ndarray
    trials: np.ndarray
    regret: np.ndarray


class Store:
    """A folder of results. Files appear whole or not at all, and never change."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.cells = self.folder / "cells"
        self.sweeps = self.folder / "sweeps"
        self.aside = self.folder / "aside"
        self.index = self.folder / "index"
        self._prepared = False

    def path(self, cell: Cell) -> Path:
        """Where the cell's file is, or will be."""
        return self.cells / f"{cell.name}.nc"

    def has(self, cell: Cell) -> bool:
        """Whether the cell was computed."""
        return self.path(cell).is_file()

    def names(self) -> set[str]:
        """The names of all cells that were computed."""
        self._refuse_file()
        with refusing(self.folder, "read"):
            files = os.listdir(self.cells) if self.cells.is_dir() else []
        return {name.removesuffix(".nc") for name in files if _NAME.fullmatch(name)}

    def write(self, cell: Cell, result: "xarray.Dataset") -> None:
        """Keep a result: written under a temporary name, flushed, renamed."""
        marked = result if result.attrs.get("name") == cell.name else cell.stamped(result)
        content = image(marked) + f"armwise {cell.name} ".encode()
        if not self._prepared:
            self.prepare()
        try:
            with refusing(self.folder):
                digest = hashlib.sha256(content).hexdigest()
                files.put(self.path(cell), content + digest.encode() + b"\n")
        except InputError:
            if self.cells.is_dir():
                raise
            raise Gone(
                f"The store {self.folder} is gone: it was deleted or moved while it was written."
            ) from None

    def read(self, cell: Cell) -> "xarray.Dataset":
        """A result, checked against its checksum and its name."""
        with _damaged(self.path(cell)):
            return parsed(self._content(cell.name))

    def held(self, name: str) -> Held:
        """The numbers of a result, checked like the whole and many times faster."""
        with _damaged(self.cells / f"{name}.nc"):
            variables, attributes = stored(self._content(name), _AXES, "cell")
            regret = variables["regret"].values.astype(np.float64)
            agents, trials = (variables[each].values.astype(np.int64) for each in _AXES[1:])
            if regret.shape != (len(agents), len(trials)):
                raise ValueError("its regret has another shape")
            return Held(_described(attributes), agents, trials, regret)

    def regret(self, cell: Cell) -> "xarray.DataArray":
        """The regret of a result alone, checked like the whole and several times faster."""
        import xarray

        held = self.held(cell.name)
        # The name is the hash of all parameters, so the cell knows them as well as the file.
        coords = {**coordinates(cell.plan(threads=1)), "agent": held.agents, "trial": held.trials}
        regret = xarray.DataArray(held.regret, coords, ("agent", "trial"), "regret")
        return regret.assign_attrs(long_name="cumulative regret")

    def description(self, name: str) -> dict[str, Any]:
        """What a file says it is: the description of its cell."""
        with _damaged(self.cells / f"{name}.nc"):
            return _described(stored(self._content(name), _AXES, "cell")[1])

    def check(self, name: str) -> None:
        """Raise Damaged unless the file of this name is whole and holds that cell."""
        self._content(name)

    def problems(self, names: Iterable[str]) -> dict[str, str]:
        """What is wrong with the files of these names, where anything is."""
        ordered = sorted(names)
        parts = [ordered[i : i + TOGETHER] for i in range(0, len(ordered), TOGETHER)]
        with ThreadPoolExecutor(READERS) as pool:  # a disk or a network answers several at a time
            found = pool.map(lambda part: [(name, self._problem(name)) for name in part], parts)
            return {name: problem for part in found for name, problem in part if problem}

    def _problem(self, name: str) -> str | None:
        try:
            self.check(name)
        except Damaged as problem:
            return str(problem)
        except InputError:  # set aside by another process meanwhile
            return None
        return None

    def _content(self, name: str) -> bytes:
        """All bytes of a file, once they match its checksum and its name."""
        path = self.cells / f"{name}.nc"
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            raise InputError(f"{self.folder} has no cell {name}: run its sweep first.") from None
        except (OSError, MemoryError) as problem:
            reason = getattr(problem, "strerror", None) or problem
            raise Damaged(f"{path} cannot be read: {reason}.") from None
        body, line = content[: -_HEX - 1], content[-_HEX - 1 :]
        if line != hashlib.sha256(body).hexdigest().encode() + b"\n":
            raise Damaged(f"{path} does not match its checksum.")
        if not body.endswith(f"armwise {name} ".encode()):
            raise Damaged(f"{path} holds another cell.")
        return body

    def set_aside(self, path: Path) -> Path | None:
        """Move a file out of the way, never over another; None where it is gone already."""
        with refusing(self.folder):
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
        with refusing(self.folder, "read"):
            items = list(os.scandir(self.cells)) if self.cells.is_dir() else []
            return sorted(
                Path(item.path)
                for item in items
                if not item.name.startswith(".")
                and not (_NAME.fullmatch(item.name) and item.is_file())
            )

    def prepare(self) -> None:
        """Make the folders, forget the drafts of dead processes, and see that one can write."""
        with refusing(self.folder):
            for folder in (self.cells, self.sweeps):
                folder.mkdir(parents=True, exist_ok=True)
                files.forget_drafts(folder)
            files.forget_drafts(self.folder)
            trial = files.draft_of(self.cells / "trial")
            trial.touch()
            trial.unlink()
        self._prepared = True

    def remember(
        self, name: str, definition: dict[str, Any], cells: Mapping[str, int] | None = None
    ) -> str:
        """Keep the definition of a sweep, from which follows what is missing, and return its name.

        A definition is never lost to another of the same name, which becomes NAME.2, NAME.3, ...
        `cells`, with the agent-trials of each, are kept for a sweep of a user's own components:
        who reads the store can then do without running their code.
        """
        self._refuse_file()
        with refusing(self.folder):
            self.sweeps.mkdir(parents=True, exist_ok=True)
            kept = definition | ({NAMES: dict(cells)} if cells is not None else {})
            content = (json.dumps(kept, indent=1) + "\n").encode()
            for number in itertools.count(1):
                path = self.sweeps / (f"{name}.{number}.json" if number > 1 else f"{name}.json")
                if files.put_new(path, content) if not path.exists() else False:
                    break
                known = _without_cells(path)
                if known == json.loads(json.dumps(definition)):
                    if path.read_bytes() != content:  # the user's code has changed
                        files.put(path, content)
                    break
            files.sync(self.sweeps)
        return path.stem

    def _refuse_file(self) -> None:
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError(f"{self.folder} is a file, and a store is a folder.")

    def definitions(self) -> dict[str, dict[str, Any]]:
        """The definitions of the sweeps that were run here, by name."""
        if not self.folder.is_dir():
            raise InputError(f"There is no store {self.folder}.")
        if not (self.cells.is_dir() or self.sweeps.is_dir()):
            raise InputError(f"{self.folder} is no store: no sweep was ever run with it.")
        definitions = {}
        for path in sorted(self.sweeps.glob("*.json"), key=lambda path: path.stem):
            if path.name.startswith("."):
                continue
            try:
                definitions[path.stem] = json.loads(path.read_bytes())
            except (OSError, ValueError, RecursionError):
                definitions[path.stem] = None
            if not isinstance(definitions[path.stem], dict):
                raise Damaged(f"{path} is damaged: remove it, and run its sweep again.")
        return definitions

    def unchanged(self) -> set[str]:
        """The names of files that were found sound once, and have the same size and time since."""
        return index.unchanged(self.index, self.cells)

    def note(self, sound: Set[str]) -> None:
        """Take down which files are sound."""
        index.note(self.index, self.cells, sound)

    def flush(self) -> None:
        """Make the names of all files survive a loss of power, as their contents do."""
        with refusing(self.folder):
            files.sync(self.cells)


def _described(attributes: dict[str, Any]) -> dict[str, Any]:
    found = json.loads(attributes["cell"])
    if not isinstance(found, dict):
        raise ValueError("it does not say which cell it is")
    return found


def _without_cells(path: Path) -> Any:
    """A definition without its list of cells; None where it cannot be read."""
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None
    return {k: v for k, v in found.items() if k != NAMES} if isinstance(found, dict) else None


@contextmanager
def _damaged(path: Path) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except (*BROKEN, RecursionError) as problem:
        raise Damaged(f"{path} is not a result of armwise: {problem}.") from None
