"""Files that a command writes: refused before the work if they cannot be, never half written."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armwise.errors import InputError

if TYPE_CHECKING:
    import xarray


def writable(option: str, path: Path, endings: Sequence[str]) -> Path:
    """`path`, if a file of one of these kinds can be written there."""
    if path.suffix.lower() not in endings:
        raise InputError(f"{option} must end in {' or '.join(endings)}, unlike '{path}'.")
    if path.is_dir():
        raise InputError(f"{option} must be a file, and '{path}' is a folder.")
    if not path.parent.is_dir():
        raise InputError(f"{option} must lie in a folder that exists, unlike '{path}'.")
    try:  # permissions do not tell all, so try
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


def save_dataset(results: "dict[str, xarray.Dataset]", path: Path) -> None:
    """Write results as netCDF: one as it is, several along `label`."""
    with replacing(path) as draft:
        together(results).to_netcdf(draft, engine="h5netcdf")


def together(results: "dict[str, xarray.Dataset]") -> "xarray.Dataset":
    """Results of the same worlds in one Dataset: what differs between them lies along `label`.

    A single result only gains its label. Parameters that a policy does not have are NaN; attributes
    that differ become lists.
    """
    import xarray

    parts = list(results.values())
    if len(parts) == 1:
        return parts[0].assign_coords(label=next(iter(results)))
    first = parts[0]
    axes: dict[str, Any] = {"label": list(results), "agent": first.agent, "trial": first.trial}
    scalars = dict.fromkeys(name for part in parts for name in part.coords if not part[name].dims)
    for name in scalars:
        values = [part[name].item() if name in part.coords else None for part in parts]
        axes[str(name)] = values[0] if _same(values) else ("label", _filled(values))
    data = {
        name: xarray.concat(
            [part[name].drop_vars(scalars, errors="ignore") for part in parts], "label"
        )
        for name in first.data_vars
    }
    attributes = {key: _merged([part.attrs.get(key) for part in parts]) for key in first.attrs}
    return xarray.Dataset(
        {name: (value.dims, value.data, value.attrs) for name, value in data.items()},
        axes,
        attributes,
    )


def _same(values: list[Any]) -> bool:
    return all(value == values[0] for value in values)


def _filled(values: list[Any]) -> list[Any]:
    empty: Any = "" if any(isinstance(value, str) for value in values) else float("nan")
    return [empty if value is None else value for value in values]


def _merged(values: list[Any]) -> Any:
    return values[0] if _same(values) else values
