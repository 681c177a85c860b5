"""The error that users see: a message that names the value and what is allowed."""

import difflib
import importlib.util
import math
import numbers
from collections.abc import Iterable, Mapping, Set
from typing import Any

_ALL = "xarray h5netcdf h5py pandas scipy pydantic matplotlib jinja2 typer rich"
# The optional libraries, with the extra that installs them.
EXTRAS = dict.fromkeys(_ALL.split(), "all") | {"distributed": "dask", "pyarrow": "parquet"}
EXTRAS |= dict.fromkeys(("starlette", "uvicorn", "websockets", "markdown_it"), "lab")
EXTRAS |= dict.fromkeys(("anywidget", "traitlets"), "notebook")


class InputError(ValueError):
    """An input is not usable; the message says which one and what is allowed."""


class Gone(InputError):  # noqa: N818 - a state of a store
    """A store was deleted or moved while it was written: what it kept may be lost."""


def unknown(kind: str, name: object, allowed: Iterable[str], where: str = "") -> InputError:
    """An error for a name that does not exist (`where`), with the nearest one suggested.

    >>> print(unknown("policy", "a-ia", ["a-ai", "g-ai", "o-ts"]))
    There is no policy 'a-ia'; did you mean 'a-ai'? Known: a-ai, g-ai, o-ts.
    """
    names = sorted(allowed)
    near = difflib.get_close_matches(str(name)[:80], names, n=1)
    hint = f"; did you mean '{near[0]}'?" if near else "."
    found = brief(str(name))
    return InputError(
        f"There is no {kind} {found}{where}{hint} Known: {', '.join(names) or 'none'}."
    )


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
    if not same or not low <= number < (high or 1 << 63):
        raise InputError(f"{name} must be {allowed}, not {brief(value)}.")
    return number


def real_number(
    name: str, value: object, low: float, high: float = math.inf, brackets: str = "[)"
) -> float:
    """`value` as a float between two others, or an error that names it.

    A square bracket admits the bound itself.

    >>> real_number("share", 1, 0.0, 1.0, "(]")
    1.0
    """
    try:
        number = float(value)  # type: ignore[arg-type]
        inside = low < number < high or (number == low and brackets[0] == "[")
        inside = inside or (number == high and brackets[1] == "]")
    except (TypeError, ValueError, OverflowError):
        inside = False
    if not inside or isinstance(value, (bool, str, bytes)):
        allowed = f"in {brackets[0]}{low:g}, {high:g}{brackets[1]}"
        raise InputError(f"{name} must be a number {allowed}, not {brief(value)}.")
    return number


def brief(value: object) -> str:
    """A value as it stands in a message: not too long.

    >>> brief("a"), brief("a" * 1_000)
    ("'a'", "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa ... aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'")
    """
    if isinstance(value, int) and abs(value) > 10**80:
        return f"a number with {int(math.log10(abs(value))) + 1} digits"
    try:
        text = " ".join(repr(value).split())
    except (ValueError, RecursionError):  # more digits than Python writes, or nested too deeply
        return "one that is too long to show"
    return text if len(text) <= 80 else f"{text[:39]} ... {text[-40:]}"


def listed(name: str, values: Any, example: str) -> list[Any]:
    """The items of a list or of what is like one, or an error that names it.

    >>> listed("checkpoints", range(10, 12), "[10, 100]")
    [10, 11]
    """
    masked = getattr(values, "mask", None) is not None
    if isinstance(values, (str, bytes, Mapping, Set)) or not isinstance(values, Iterable) or masked:
        raise InputError(f"{name} must be a list such as {example}, not {brief(values)}.")
    dimensions = getattr(values, "ndim", 1)
    if dimensions != 1:
        raise InputError(f"{name} must be one list, not {dimensions}-dimensional.")
    return list(values)


def outcome_of(value: object) -> int:
    """An outcome as 0 or 1, or an error; the same rule holds for replayed and observed outcomes.

    >>> outcome_of(True), outcome_of(0.0)
    (1, 0)
    """
    number = isinstance(value, numbers.Number) or type(value).__name__ in ("bool", "bool_")
    if number and value in (0, 1):
        return 1 if value else 0
    raise InputError(f"An outcome must be 0 or 1, not {brief(value)}.")
