"""netCDF-4 in memory: a Dataset to the bytes of a file and back, without the detour of a library.

A sweep keeps thousands of small files. xarray takes tens of milliseconds for one, most of them on
generality that results do not need; HDF5's own calls take about three. The file is an ordinary
netCDF-4: dimension scales, text as variable-length strings, `coordinates` as CF asks for.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import xarray

TEXT_MAX = 32_000  # bytes of text that surely fit in the header of an object
_CORE_GROWTH = 1 << 18  # bytes by which a file in memory grows


def image(result: "xarray.Dataset") -> bytes:
    """The bytes of a netCDF-4 file that holds `result`.

    >>> import xarray
    >>> result = xarray.Dataset({"regret": ("trial", [0.5, 1.0])}, {"trial": [1, 2], "rho": 0.1})
    >>> parsed(image(result)).identical(result)
    True
    """
    from h5py import h5ds, h5f, h5p

    access = h5p.create(h5p.FILE_ACCESS)
    access.set_fapl_core(_CORE_GROWTH, False)
    file = h5f.create(b"image", h5f.ACC_TRUNC, fapl=access)
    scales: dict[Any, Any] = {}
    for number, name in enumerate(result.sizes):
        scales[name] = _variable(file, str(name), result[name].values)
        h5ds.set_scale(scales[name], str(name).encode())
        _attribute(scales[name], "_Netcdf4Dimid", np.int32(number))
    coords = " ".join(str(name) for name in result.coords if name not in scales)
    for name, variable in result.variables.items():
        written = scales.get(name) or _variable(file, str(name), variable.values)
        for key, value in variable.attrs.items():
            _attribute(written, key, value)
        if name not in scales:
            for axis, dim in enumerate(variable.dims):
                h5ds.attach_scale(written, scales[dim], axis)
        if name in result.data_vars and coords:
            _attribute(written, "coordinates", coords)
    for key, value in result.attrs.items():
        _attribute(file, str(key), value)
    h5f.flush(file)
    return file.get_file_image()


def parsed(content: bytes) -> "xarray.Dataset":
    """The Dataset in the bytes of a file that `image` made."""
    import xarray

    data: dict[str, Any] = {}
    coords: dict[str, Any] = {}
    with opened(content) as file:
        attributes = {name: _plain(value) for name, value in file.attrs.items()}
        variables = {name: _read(file[name]) for name in file}
    listed = {
        name for _, _, attrs in variables.values() for name in attrs.get("coordinates", "").split()
    }
    for name, (dims, values, attrs) in variables.items():
        kept = {key: value for key, value in attrs.items() if key != "coordinates"}
        group = coords if name in listed or dims == (name,) else data
        group[name] = (dims, values, kept)
    return xarray.Dataset(data, coords, attributes)


def opened(content: bytes) -> Any:
    """The bytes of a file as an open `h5py.File`; raises OSError where they are not HDF5."""
    import h5py

    return h5py.File(h5py.h5f.open_file_image(content))


_HIDDEN = ("CLASS", "NAME", "REFERENCE_LIST", "DIMENSION_LIST", "_Netcdf4Dimid", "dtype")


def _read(variable: Any) -> tuple[tuple[str, ...], Any, dict[str, Any]]:
    attrs = {key: _plain(value) for key, value in variable.attrs.items() if key not in _HIDDEN}
    if variable.is_scale:
        dims: tuple[str, ...] = (variable.name.lstrip("/"),)
    else:
        dims = tuple(dim[0].name.lstrip("/") for dim in variable.dims)
    values = variable[()]
    if variable.attrs.get("dtype") is not None:
        values = np.asarray(values, dtype=bool)
    if isinstance(values, bytes):
        values = values.decode()
    elif variable.dtype.kind == "O":
        values = np.array([text.decode() for text in values.flat]).reshape(values.shape)
    return dims, values, attrs


def _plain(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


def _variable(file: Any, name: str, values: np.ndarray) -> Any:
    import h5py
    from h5py import h5d, h5s, h5t

    truth = values.dtype.kind == "b"
    if values.dtype.kind in "UO":
        values = values.astype(h5py.string_dtype())
        kind = h5t.py_create(h5py.string_dtype(), logical=True)
    else:
        values = np.asarray(values, np.int8 if truth else values.dtype, order="C")
        kind = h5t.py_create(values.dtype)
    shape = h5s.create_simple(values.shape) if values.ndim else h5s.create(h5s.SCALAR)
    variable = h5d.create(file, name.encode(), kind, shape)
    variable.write(h5s.ALL, h5s.ALL, values)
    if truth:  # netCDF has no truth values; this is how xarray writes and finds them
        _attribute(variable, "dtype", "bool")
    return variable


def _attribute(owner: Any, name: str, value: Any) -> None:
    import h5py
    from h5py import h5a, h5s, h5t

    scalar = h5s.create(h5s.SCALAR)
    if not isinstance(value, str):
        number = np.asarray(value)
        shape = h5s.create_simple(number.shape) if number.ndim else scalar
        h5a.create(owner, name.encode(), h5t.py_create(number.dtype), shape).write(number)
        return
    text = value.encode()
    size = max(1, len(text))  # HDF5 has no text of no length
    if size <= TEXT_MAX:
        kind = h5t.C_S1.copy()
        kind.set_size(size)
        kind.set_strpad(h5t.STR_NULLPAD)
        kind.set_cset(h5t.CSET_UTF8)
        h5a.create(owner, name.encode(), kind, scalar).write(np.array(text, f"S{size}"), kind)
    else:
        kind = h5t.py_create(h5py.string_dtype(), logical=True)
        content = np.array(value, dtype=h5py.string_dtype())
        h5a.create(owner, name.encode(), kind, scalar).write(content)
