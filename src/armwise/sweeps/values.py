"""The values that a parameter of a sweep takes: one, a list of them, or a range."""

import math
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from armwise.errors import InputError, brief

VALUES_MAX = 100_000  # of one range
CELLS_MAX = 1_000_000  # of one sweep
_SLACK = Decimal("1e-9")  # of a step: what rounding may take from the last value of a range
_ENDS = ("from", "to", "step")


def _no_truth(value: Any) -> Any:
    """Refuse what pydantic takes for a whole number and is none: true, and text."""
    if isinstance(value, bool | str):
        raise ValueError("input should be a whole number")
    return value


Whole = Annotated[int, BeforeValidator(_no_truth)]
Wholes = Annotated[list[Whole], Field(min_length=1)]


def values_of(name: str, value: Any) -> list[Any]:
    """The values that a parameter takes: of a range, of a list, or the only one.

    >>> values_of("lam", {"from": 0.0, "to": 1.0, "step": 0.3}), values_of("lam", 0.5)
    ([0.0, 0.3, 0.6, 0.9], [0.5])
    """
    if isinstance(value, dict):
        return _range_of(name, value)
    if name == "prior" and isinstance(value, list) and all(map(_is_number, value)):
        return [value]  # one pair of a mean and a weight
    if isinstance(value, list) and not value:
        raise InputError(f"{name} must have at least one value, not [].")
    return value if isinstance(value, list) else [value]


def _range_of(name: str, value: dict[str, Any]) -> list[int | float]:
    """From the first value in steps, and never past the last."""
    if set(value) != set(_ENDS):
        raise InputError(f"A range of {name} must be {{ from, to, step }}, not {brief(value)}.")
    ends = [value[key] for key in _ENDS]
    if not all(map(_is_number, ends)) or ends[0] > ends[1] or ends[2] <= 0:
        raise InputError(
            f"A range of {name} must rise by a step above 0, in finite numbers, unlike "
            f"{brief(value)}."
        )
    low, high, step = (Decimal(str(end)) for end in ends)
    count = int((high - low) / step + _SLACK) + 1
    if count > VALUES_MAX:
        many = f"{count:,}" if count < 10**15 else "countless"
        raise InputError(
            f"A range of {name} by {ends[2]!r} has {many} values; at most {VALUES_MAX:,} "
            "are allowed."
        )
    # In decimals, so that a grid by 0.05 holds 0.15 and not 0.15000000000000002.
    kind = int if all(isinstance(end, int) for end in ends) else float
    found = [kind(low + i * step) for i in range(count)]
    if len(set(found)) < count:
        raise InputError(f"A range of {name} by {ends[2]!r} has values that are not told apart.")
    return found


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False
