"""netCDF in memory: a Dataset to the bytes of a file and back, without the detour of a library.

A sweep keeps many small files. The classic format of netCDF (CDF-2) is a header and the numbers, so
a result of a few numbers takes 2 kB and some microseconds, where netCDF-4 takes 15 kB and several
milliseconds. Every netCDF library reads it, xarray with SciPy.

The format has no wide or unsigned whole numbers. Those that need it are stored as a double (exact
up to 2^53) or as text, and the attribute `kind` says what they are.
"""

import math
import struct
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import xarray

_MAGIC = b"CDF\x02"
_DIMENSIONS, _VARIABLES, _ATTRIBUTES = 10, 11, 12
_BYTE, _CHAR, _SHORT, _INT, _FLOAT, _DOUBLE = 1, 2, 3, 4, 5, 6
_STORED = {_BYTE: ">i1", _CHAR: "S1", _SHORT: ">i2", _INT: ">i4", _FLOAT: ">f4", _DOUBLE: ">f8"}
_TYPES = {"i1": _BYTE, "i4": _INT, "f4": _FLOAT, "f8": _DOUBLE}
_NATURAL = {_BYTE: "int8", _SHORT: "int16", _INT: "int64", _FLOAT: "float32", _DOUBLE: "float64"}
_BYTES = {type_: np.dtype(kind).itemsize for type_, kind in _STORED.items()}
_ONE, _TWO, _FOUR = struct.Struct(">I"), struct.Struct(">II"), struct.Struct(">IIII")
_INT_MAX, _EXACT = (1 << 31) - 1, 1 << 53

# What reading a file that is no result may raise.
BROKEN = (struct.error, ValueError, KeyError, IndexError, TypeError, OverflowError, MemoryError)


class Stored(NamedTuple):
    """A variable as the file has it."""

    type: int
    values: np.ndarray  # big-endian; text as bytes along a last axis
    dims: tuple[str, ...]
    attrs: dict[str, Any]


def image(result: "xarray.Dataset") -> bytes:
    """The bytes of a netCDF file that holds `result`.

    >>> import xarray
    >>> result = xarray.Dataset({"regret": ("trial", [0.5, 1.0])}, {"trial": [1, 2], "rho": 0.1})
    >>> parsed(image(result)).identical(result)
    True
    """
    coords = " ".join(str(name) for name in result.coords if name not in result.sizes)
    variables = {}
    for name, variable in result.variables.items():
        extra = {"coordinates": coords} if name in result.data_vars and coords else {}
        dims = tuple(map(str, variable.dims))
        variables[str(name)] = _stored(variable.values, dims, {**variable.attrs, **extra})
    # What is read most comes first, to be found soon; but only the last may pass 4 GiB.
    size = sum(each.values.nbytes for each in variables.values())
    first = (lambda each: -len(each.dims)) if size <= _INT_MAX else lambda each: each.values.nbytes
    ordered = dict(sorted(variables.items(), key=lambda item: first(item[1])))
    return written(ordered, {str(key): value for key, value in result.attrs.items()})


def written(variables: dict[str, Stored], attributes: dict[str, Any]) -> bytes:
    """The bytes of a file with these variables, in this order."""
    lengths: dict[str, int] = {}
    for variable in variables.values():
        lengths |= zip(variable.dims, variable.values.shape, strict=True)
    places = {name: number for number, name in enumerate(lengths)}
    head = [_MAGIC, bytes(4), _count(_DIMENSIONS, lengths)]
    head += [_name(name) + struct.pack(">I", length) for name, length in lengths.items()]
    head += [_attributes(attributes), _count(_VARIABLES, variables)]
    entries = []
    for name, each in variables.items():
        ids = [places[dim] for dim in each.dims]
        shape = struct.pack(f">{len(ids) + 1}I", len(ids), *ids)
        entries.append(_name(name) + shape + _attributes(each.attrs))
    begin = sum(map(len, head)) + sum(len(entry) + 16 for entry in entries)
    data = []
    for entry, each in zip(entries, variables.values(), strict=True):
        content = _padded(each.values.tobytes())
        size = min(len(content), 0xFFFFFFFF)
        head.append(entry + struct.pack(">IIQ", each.type, size, begin))
        data.append(content)
        begin += len(content)
    return b"".join(head + data)


def _stored(values: np.ndarray, dims: tuple[str, ...], attrs: dict[str, Any]) -> Stored:
    kind = values.dtype.kind
    if kind == "b":  # netCDF has no truth values; this is how xarray writes and finds them
        return Stored(_BYTE, values.astype("i1"), dims, {**attrs, "dtype": "bool"})
    if kind in "UO":
        return _text(values, dims, attrs)
    if kind in "iu":
        top = max(abs(int(values.min())), abs(int(values.max()))) if values.size else 0
        if top > _EXACT:
            found = _text(values.astype(str), dims, attrs)
        else:
            type_ = _INT if top <= _INT_MAX else _DOUBLE
            found = Stored(type_, values.astype(_STORED[type_]), dims, attrs)
    else:
        type_ = _TYPES[values.dtype.str[1:]]
        found = Stored(type_, values.astype(_STORED[type_]), dims, attrs)
    if values.dtype.name != _NATURAL.get(found.type):
        found.attrs["kind"] = values.dtype.name
    return found


def _text(values: np.ndarray, dims: tuple[str, ...], attrs: dict[str, Any]) -> Stored:
    """Text as bytes along a last dimension, whose name says its length."""
    encoded = np.array([str(text).encode() for text in values.ravel()], dtype="S")
    width = max(1, encoded.dtype.itemsize)
    letters = encoded.astype(f"S{width}").view("S1").reshape(*values.shape, width)
    return Stored(_CHAR, letters, (*dims, f"string{width}"), {**attrs, "_Encoding": "utf-8"})


def _count(tag: int, items: Any) -> bytes:
    return struct.pack(">II", tag if items else 0, len(items))


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % 4)


def _name(name: str) -> bytes:
    text = name.encode()
    return struct.pack(">I", len(text)) + _padded(text)


def _attributes(attrs: dict[str, Any]) -> bytes:
    parts = [_count(_ATTRIBUTES, attrs)]
    for name, value in attrs.items():
        if isinstance(value, str):
            type_, count, content = _CHAR, len(value.encode()), value.encode()
        else:
            given = np.atleast_1d(np.asarray(value))
            whole = given.dtype.kind in "iub" and int(np.abs(given.astype("f8")).max()) <= _INT_MAX
            type_, count = (_INT if whole else _DOUBLE), len(given)
            content = given.astype(_STORED[type_]).tobytes()
        parts.append(_name(name) + struct.pack(">II", type_, count) + _padded(content))
    return b"".join(parts)


def parsed(content: bytes) -> "xarray.Dataset":
    """The Dataset in the bytes of a file that `image` made."""
    import xarray

    variables, attributes = stored(content)
    coords = {
        name for each in variables.values() for name in each.attrs.get("coordinates", "").split()
    }
    data: dict[str, Any] = {}
    known: dict[str, Any] = {}
    for name, each in variables.items():
        dims, values, attrs = _decoded(each)
        (known if name in coords or dims == (name,) else data)[name] = dims, values, attrs
    return xarray.Dataset(data, known, attributes)


def _decoded(each: Stored) -> tuple[tuple[str, ...], Any, dict[str, Any]]:
    hidden = ("coordinates", "kind", "dtype", "_Encoding")
    attrs = {key: value for key, value in each.attrs.items() if key not in hidden}
    dims, values = each.dims, each.values
    kind = each.attrs.get("kind") or each.attrs.get("dtype") or _NATURAL.get(each.type, "str")
    if each.type == _CHAR:
        width, dims = values.shape[-1], dims[:-1]
        texts = np.ascontiguousarray(values).view(f"S{width}")[..., 0]
        values = np.array([text.decode() for text in texts.ravel()]).reshape(texts.shape)
        if kind == "str":
            return dims, values if dims else values.item(), attrs
    return dims, values.astype(kind), attrs


def stored(
    content: bytes, names: Collection[str] = (), attribute: str = ""
) -> tuple[dict[str, Stored], dict[str, Any]]:
    """The variables of a file, and its attributes; raises one of BROKEN for other bytes.

    With `names`, it stops when these variables are found; with `attribute`, it reads no other.
    """
    reader = _Reader(content)
    dims = [(reader.text(), reader.whole()) for _ in range(reader.count(_DIMENSIONS))]
    attributes = reader.attributes(attribute)
    found: dict[str, Stored] = {}
    for _ in range(reader.count(_VARIABLES)):
        name = reader.text()
        used = [dims[reader.whole()] for _ in range(reader.whole())]
        attrs = reader.attributes(attribute)
        type_, _, high, low = reader.wholes()
        shape = tuple(length for _, length in used)
        values = np.frombuffer(content, _STORED[type_], math.prod(shape), (high << 32) + low)
        found[name] = Stored(type_, values.reshape(shape), tuple(dim for dim, _ in used), attrs)
        if names and len(found) >= len(names) and all(each in found for each in names):
            break
    return found, attributes


class _Reader:
    """Takes a header apart, from its begin to its end."""

    def __init__(self, content: bytes) -> None:
        if content[:4] != _MAGIC:
            raise ValueError("it is not netCDF")
        self.content, self.place = content, 8

    def whole(self) -> int:
        [found] = _ONE.unpack_from(self.content, self.place)
        self.place += 4
        return found

    def wholes(self) -> tuple[int, int, int, int]:
        found = _FOUR.unpack_from(self.content, self.place)
        self.place += 16
        return found

    def count(self, tag: int) -> int:
        found, count = _TWO.unpack_from(self.content, self.place)
        self.place += 8
        if (found != tag and (found or count)) or count > len(self.content):
            raise ValueError("its header is broken")
        return count

    def text(self) -> str:
        [size] = _ONE.unpack_from(self.content, self.place)
        begin = self.place + 4
        self.place = begin + size + -size % 4
        return self.content[begin : begin + size].decode()

    def attributes(self, only: str) -> dict[str, Any]:
        found = {}
        for _ in range(self.count(_ATTRIBUTES)):
            name = self.text()
            type_, count = _TWO.unpack_from(self.content, self.place)
            begin, size = self.place + 8, count * _BYTES[type_]
            self.place = begin + size + -size % 4
            if not only or name == only:
                found[name] = _value(type_, self.content[begin : begin + size])
        return found


def _value(type_: int, content: bytes) -> Any:
    if type_ == _CHAR:
        return content.decode()
    values = np.frombuffer(content, _STORED[type_]).astype(_NATURAL[type_])
    return values.item() if len(values) == 1 else values
