"""Components: frozen records of named, documented, validated parameters.

A parameter carries its admissible range and its meaning as data on its field. Validation, error
messages, `armwise list`, fits and sweeps all read them from there.
"""

import dataclasses
import math
import numbers
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple, Self, dataclass_transform

from armwise.errors import InputError, brief, unknown

LABEL_MAX = 100  # characters


class Range(NamedTuple):
    """An interval of admissible values; an open end is excluded."""

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False

    def admits(self, value: float) -> bool:
        """Whether `value` lies inside.

        >>> Range(0, 1).admits(1.0), Range(0, 1, open_high=True).admits(1.0)
        (True, False)
        """
        above = value > self.low if self.open_low else value >= self.low
        below = value < self.high if self.open_high else value <= self.high
        return above and below

    def __str__(self) -> str:
        if self.high == math.inf:
            if self.low == -math.inf:
                return "any finite number"
            return f"{'greater than' if self.open_low else 'at least'} {self.low:.12g}"
        left, right = "(" if self.open_low else "[", ")" if self.open_high else "]"
        return f"in {left}{self.low:.12g}, {self.high:.12g}{right}"


def parameter(
    *,
    meaning: str,
    default: Any = dataclasses.MISSING,
    low: float = -math.inf,
    high: float = math.inf,
    open_low: bool = False,
    open_high: bool = False,
    typical: tuple[float, float] | None = None,
) -> Any:
    """A field of a component, with its range and meaning as data.

    `typical` is where nine in ten people are, from low to high; fits begin there. It is a fact
    about people: no choice and no stored result depends on it.

    >>> class Example(Component):
    ...     lam: float = parameter(default=0.5, low=0, meaning="precision of the preferences")
    >>> Example(lam=-1)
    Traceback (most recent call last):
    armwise.errors.InputError: Example: lam must be at least 0, not -1.
    """
    range_ = Range(low, high, open_low, open_high)
    if typical is not None and not (typical[0] < typical[1] and all(map(range_.admits, typical))):
        raise InputError(f"typical must be two rising numbers, each {range_}, not {typical}.")
    metadata = {"range": range_, "meaning": meaning, "typical": typical}
    return dataclasses.field(default=default, metadata=metadata)


@dataclass_transform(frozen_default=True, field_specifiers=(parameter, dataclasses.field))
class Component:
    """Base of all components. A subclass defines parameters and the methods of its role."""

    role: ClassVar[str] = "component"
    label: ClassVar[str] = ""  # the short name shown in figures; by default the class name
    equation: ClassVar[str] = ""
    reference: ClassVar[str] = ""
    tables: ClassVar[
        tuple[str, ...]
    ] = ()  # names of attributes that are vectors made from the parameters
    fixed_tables: ClassVar[bool] = False  # whether no single number among them changes a table
    _declared: ClassVar[dict[str, dataclasses.Field]] = {}

    def __new__(cls, *given: Any, **values: Any) -> Self:
        """Refuse parameters that do not exist, and suggest the nearest."""
        if vars(cls)["__dataclass_fields__"] is not cls._declared:
            raise InputError(f"{cls.__name__}: leave out @dataclass, every component is one.")
        known = names_of(cls)
        for name in values:
            if name not in known:
                raise unknown(f"parameter of {cls.label}", name, known)
        if len(given) > len(known):
            count = f"{len(known)} parameter" + "s" * (len(known) != 1)
            raise InputError(f"{cls.label} has {count}, not {len(given)}.")
        return super().__new__(cls)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.label = cls.__dict__.get("label", cls.__name__)
        refuse_label(cls)
        if "__init__" in vars(cls):
            raise InputError(
                f"{cls.__name__}: leave out __init__, and write each parameter as in "
                "`strength: float = 1.0` in the class."
            )
        dataclasses.dataclass(frozen=True, repr=False)(cls)
        # The methods below do the same. A second decorator would fail here, in other words.
        del cls.__setattr__, cls.__delattr__
        cls._declared = vars(cls)["__dataclass_fields__"]

    def __setattr__(self, name: str, value: Any) -> None:
        raise dataclasses.FrozenInstanceError(f"{self.label} cannot change: {name} is fixed")

    def __delattr__(self, name: str) -> None:
        raise dataclasses.FrozenInstanceError(f"{self.label} cannot change: {name} is fixed")

    def __post_init__(self, prior: Any = None) -> None:
        if prior is not None:
            _set_prior(self, prior)
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            object.__setattr__(self, field.name, _admitted(self.label, field, value))
        self.check()

    def check(self) -> None:
        """Raise InputError if parameters are admissible one by one but not together."""

    def parameters(self) -> dict[str, Any]:
        """The values of the parameters by name."""
        return {field.name: getattr(self, field.name) for field in parameters_of(type(self))}

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.parameters().items())
        return f"{type(self).__qualname__}({values})"

    def __str__(self) -> str:
        given = {name: value for name, value in self.parameters().items() if value != ()}
        values = ",".join(f"{name}={written(value)}" for name, value in given.items())
        return self.label.lower() + (f":{values}" if values else "")


def refuse_label(component: type[Component]) -> None:
    """A label goes into files, tables, pages and figures: refused before the work, not after.

    >>> class Odd(Component):
    ...     label = "$"
    Traceback (most recent call last):
    armwise.errors.InputError: Odd: label must be printable text without $, not '$'.
    """
    label = component.label
    if not isinstance(label, str) or not label.strip() or not label.isprintable() or "$" in label:
        raise InputError(
            f"{component.__name__}: label must be printable text without $, not {brief(label)}."
        )
    if len(label) > LABEL_MAX:
        raise InputError(
            f"{component.__name__}: label must have at most {LABEL_MAX} characters, not "
            f"{len(label)}."
        )


def parameters_of(component: type[Component]) -> Iterator[dataclasses.Field]:
    """The fields of a component class, in order of definition."""
    return iter(dataclasses.fields(component))  # type: ignore[arg-type]


def names_of(component: type[Component]) -> list[str]:
    """The names by which values are given: those of the parameters, and perhaps `prior`."""
    also = ["prior"] if has_prior(component) else []
    return [*(field.name for field in parameters_of(component)), *also]


def has_prior(component: type[Component]) -> bool:
    """Whether alpha0 and beta0 can be given together, as a mean and a weight."""
    return "prior" in vars(component)["__dataclass_fields__"] and not any(
        field.name == "prior" for field in parameters_of(component)
    )


def kind_of(field: dataclasses.Field) -> str:
    """The kind of number a field holds: 'float', 'int', 'bool' or 'vector'."""
    name = field.type if isinstance(field.type, str) else str(field.type)
    for kind, spelling in (("vector", "tuple"), ("int", "int"), ("bool", "bool")):
        if spelling in name:
            return kind
    return "float"


def named(component: type[Component], values: dict[str, Any]) -> Component:
    """Build a component from named values; refuse an unknown name and suggest the nearest one."""
    known = names_of(component)
    for name in values:
        if name not in known:
            raise unknown(f"parameter of {component.label}", name, known)
    missing = [
        field.name
        for field in parameters_of(component)
        if field.default is dataclasses.MISSING and field.name not in values
    ]
    if missing:
        raise InputError(f"{component.label} needs a value for {', '.join(missing)}.")
    return component(**values)


def _set_prior(component: Component, prior: Any) -> None:
    """Set alpha0 and beta0 by the mean of the prior and its weight in outcomes."""
    label = component.label
    try:
        mean, weight = (float(each) for each in prior)
    except (TypeError, ValueError):
        mean = weight = math.nan
    if isinstance(prior, str | bytes) or not (0.0 < mean < 1.0 and 0.0 < weight < math.inf):
        raise InputError(
            f"{label}: prior must be a mean between 0 and 1 and a weight above 0, such as "
            f"(0.02, 50), not {brief(prior)}."
        )
    for field in parameters_of(type(component)):
        if field.name in ("alpha0", "beta0") and getattr(component, field.name) != field.default:
            raise InputError(f"{label}: give prior, or alpha0 and beta0, not both.")
    alpha0 = mean * weight
    if abs(alpha0 - round(alpha0)) < 1e-12 * weight:  # 0.07 * 100 is 7
        alpha0 = float(round(alpha0))
    object.__setattr__(component, "alpha0", alpha0)
    object.__setattr__(component, "beta0", weight - alpha0)


def _admitted(owner: str, field: dataclasses.Field, value: Any) -> Any:
    kind, range_ = kind_of(field), field.metadata.get("range", Range())
    if kind == "vector":
        try:
            items = (value,) if isinstance(value, str) else tuple(value)
        except TypeError:
            items = (value,)
        return tuple(_number(owner, field.name, item, "float", range_) for item in items)
    return _number(owner, field.name, value, kind, range_)


def _number(owner: str, name: str, value: Any, kind: str, range_: Range) -> Any:
    if kind == "bool":
        number = isinstance(value, numbers.Real) or type(value).__name__ in ("bool", "bool_")
        if number and value in (True, False):
            return bool(value)
        raise InputError(f"{owner}: {name} must be true or false, not {brief(value)}.")
    whole = kind == "int"
    allowed = ("a whole number " if whole else "") + str(range_)
    try:
        usable = isinstance(value, numbers.Real) and not isinstance(value, bool)
        usable = usable and math.isfinite(value) and range_.admits(float(value))
        usable = usable and (not whole or value == int(value))
    except OverflowError:  # a whole number beyond all floats
        usable = False
    if not usable:
        raise InputError(f"{owner}: {name} must be {allowed}, not {brief(value)}.")
    return int(value) if whole else float(value)


def written(value: Any) -> str:
    """The value of a parameter as it is written on a command line.

    >>> written(0.5), written(3), written((0.5, 0.25))
    ('0.5', '3', '0.5/0.25')
    """
    if isinstance(value, tuple):
        return "/".join(written(item) for item in value)
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)
