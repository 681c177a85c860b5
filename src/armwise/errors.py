"""The error that users see: a message that names the value and what is allowed."""

import difflib
import importlib.util
import numbers
from collections.abc import Iterable

_ALL = "xarray h5netcdf h5py pandas pydantic matplotlib jinja2 typer rich"
# The optional libraries, with the extra that installs them.
EXTRAS = dict.fromkeys(_ALL.split(), "all") | {"distributed": "dask", "pyarrow": "parquet"}


class InputError(ValueError):
    """An input is not usable; the message says which one and what is allowed."""


def unknown(kind: str, name: object, allowed: Iterable[str], where: str = "") -> InputError:
    """An error for a name that does not exist (`where`), with the nearest one suggested.

    >>> print(unknown("policy", "a-ia", ["a-ai", "g-ai", "o-ts"]))
    There is no policy 'a-ia'; did you mean 'a-ai'? Known: a-ai, g-ai, o-ts.
    """
    names = sorted(allowed)
    near = difflib.get_close_matches(str(name), names, n=1)
    hint = f"; did you mean '{near[0]}'?" if near else "."
    return InputError(f"There is no {kind} '{name}'{where}{hint} Known: {', '.join(names)}.")


def missing(library: str) -> InputError:
    """An error for an optional library that is not installed, with the command that installs it.

    >>> print(missing("xarray"))
    xarray is not installed: pip install "armwise[all]".
    """
    return InputError(f'{library} is not installed: pip install "armwise[{EXTRAS[library]}]".')


def require(*libraries: str) -> None:
    """Raise InputError for the first of some optional libraries that is not installed.

    >>> require("xarray")
    """
    for library in libraries:
        if importlib.util.find_spec(library) is None:
            raise missing(library)


def whole_number(name: str, value: object, low: int, high: int | None = None) -> int:
    """`value` as an int at least `low` (and below `high`), or an error that names it.

    >>> whole_number("agents", 10, 1)
    10
    """
    allowed = f"a whole number from {low}" + (f" to {high - 1}" if high is not None else " up")
    try:
        number = int(value)  # type: ignore[call-overload]
        same = number == value and not isinstance(value, bool)
    except (TypeError, ValueError, OverflowError):
        same = False
    if not same or number < low or (high is not None and number >= high):
        raise InputError(f"{name} must be {allowed}, not {value!r}.")
    return number


def outcome_of(value: object) -> int:
    """An outcome as 0 or 1, or an error; the same rule holds for replayed and observed outcomes.

    >>> outcome_of(True), outcome_of(0.0)
    (1, 0)
    """
    number = isinstance(value, numbers.Number) or type(value).__name__ in ("bool", "bool_")
    if number and value in (0, 1):
        return 1 if value else 0
    raise InputError(f"An outcome must be 0 or 1, not {value!r}.")
