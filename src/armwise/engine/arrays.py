"""Arrays of one type and layout, writable, so that nothing is compiled a second time for them."""

from typing import Any

import numpy as np

from armwise.errors import InputError, brief


def plain_array(name: str, values: Any, kind: Any) -> np.ndarray:
    """The values as an array of this kind; a copy only where it must be.

    >>> plain_array("values", [[1, 2]], float)
    array([[1., 2.]])
    """
    try:
        given = np.asarray(values)
        with np.errstate(invalid="ignore"):  # a NaN that becomes a whole number is refused below
            array = np.require(given, kind, ["C", "A", "W"])
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} must be an array of numbers, not {brief(values)}.") from None
    if array.dtype.kind == "i" and given.dtype.kind == "f" and (array != given).any():
        raise InputError(f"{name} must be an array of whole numbers, not {brief(values)}.")
    return array


def shape_of(array: np.ndarray) -> str:
    """The shape of an array in words.

    >>> shape_of(np.zeros((2, 3))), shape_of(np.zeros(()))
    ('2 x 3', 'one number')
    """
    return " x ".join(map(str, array.shape)) or "one number"
