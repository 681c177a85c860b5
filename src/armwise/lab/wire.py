"""How an answer with arrays is written: a length, a header, float32 numbers end to end."""

import json
import math
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np


def packed(header: Mapping[str, Any], arrays: Mapping[str, Any]) -> bytes:
    """The bytes of an answer, which a page can view in place.

    >>> told = packed({"kind": "trace"}, {"regret": [0.5, 1.0]})
    >>> header, arrays = unpacked(told)
    >>> header["kind"], header["arrays"], arrays["regret"].tolist()
    ('trace', [['regret', [2]]], [0.5, 1.0])
    """
    found = {name: np.ascontiguousarray(values, dtype="<f4") for name, values in arrays.items()}
    shapes = [[name, list(values.shape)] for name, values in found.items()]
    text = written({**header, "arrays": shapes}).encode()
    text += b" " * (-len(text) % 4)
    return b"".join([struct.pack("<I", len(text)), text, *(a.tobytes() for a in found.values())])


def unpacked(told: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The header and the arrays of an answer."""
    [size] = struct.unpack_from("<I", told)
    header = json.loads(told[4 : 4 + size])
    arrays, at = {}, 4 + size
    for name, shape in header["arrays"]:
        count = math.prod(shape)
        arrays[name] = np.frombuffer(told, "<f4", count, at).reshape(shape)
        at += 4 * count
    return header, arrays


def written(data: Any) -> str:
    """JSON that a browser reads: a number that is not finite becomes null."""
    return json.dumps(_finite(data), allow_nan=False)


def _finite(data: Any) -> Any:
    if isinstance(data, float) and not math.isfinite(data):
        return None
    if isinstance(data, Mapping):
        return {name: _finite(value) for name, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_finite(value) for value in data]
    return data.item() if isinstance(data, np.generic) else data
