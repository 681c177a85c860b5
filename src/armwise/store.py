"""A store: one immutable netCDF file per cell, named by the cell's content hash."""

import hashlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from armwise.cell import Cell
from armwise.errors import InputError

if TYPE_CHECKING:
    import xarray


class Damaged(Exception):
    """A file of the store is not what it should be."""


class Store:
    """A folder of results. Files appear whole or not at all, and never change."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.cells = self.folder / "cells"

    def path(self, cell: Cell) -> Path:
        """Where the cell's file is, or will be."""
        return self.cells / f"{cell.name}.nc"

    def has(self, cell: Cell) -> bool:
        """Whether the cell was computed."""
        return self.path(cell).is_file()

    def write(self, cell: Cell, result: "xarray.Dataset") -> None:
        """Keep a result: written under a temporary name, flushed, renamed."""
        try:
            self.cells.mkdir(parents=True, exist_ok=True)
            handle, draft = tempfile.mkstemp(dir=self.cells, prefix=".", suffix=".tmp")
            os.close(handle)
            try:
                result = result.assign_attrs(checksum=checksum(result))
                result.to_netcdf(draft, engine="h5netcdf")
                _flush(Path(draft))
                os.replace(draft, self.path(cell))
                _flush(self.cells)
            finally:
                Path(draft).unlink(missing_ok=True)
        except OSError as problem:
            raise InputError(
                f"{self.folder} cannot be written: {problem.strerror or problem}."
            ) from None

    def read(self, cell: Cell) -> "xarray.Dataset":
        """A result, checked against its checksum and its name."""
        import xarray

        try:
            with xarray.open_dataset(self.path(cell), engine="h5netcdf") as opened:
                result = opened.load()
            if result.attrs.get("name") != cell.name:
                raise Damaged(f"{self.path(cell)} holds another cell.")
            if result.attrs.get("checksum") != checksum(result):
                raise Damaged(f"{self.path(cell)} does not match its checksum.")
        except (OSError, KeyError, ValueError, RuntimeError) as problem:
            raise Damaged(f"{self.path(cell)} cannot be read: {problem}") from None
        return result


def checksum(result: "xarray.Dataset") -> str:
    """A hash of the data: names, shapes and bytes of all variables."""
    digest = hashlib.sha256()
    for name in sorted(map(str, result.variables)):
        values = np.ascontiguousarray(result[name].values)
        digest.update(f"{name}{values.shape}".encode())
        digest.update(values.tobytes() if values.dtype.kind in "biuf" else str(values).encode())
    return digest.hexdigest()


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
