"""The free parameters of a fit: their transforms, their priors, and where people usually are."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from armwise.engine.free import Place, parameter_named, places_of
from armwise.errors import InputError, brief, listed, real_number, unknown
from armwise.fitting.priors import LOG_ROOT, OUTSIDE, Prior, read_prior
from armwise.fitting.transforms import MIRRORED, Transform, transform_of
from armwise.model.agent import Agent, Chooser
from armwise.model.component import Range, parameters_of, written

NINE_IN_TEN = 1.6448536269514722  # sds to either side of the mean that hold 90 % of a normal
SPREAD = 1.0  # how far people differ: scale of the half-normal prior of the sd across people
FOLD = 5.0  # without `typical`, people are between a fifth and five times the default


class FreeParameter(NamedTuple):
    """One free parameter: on the real line, people are normal around `center`."""

    name: str
    transform: Transform
    prior: Prior | None  # of the group's median on the parameter's scale; None: from `typical`
    center: float  # where the group's mean is expected, and how uncertain that is
    width: float
    spread: float

    def log_prior(self, x: float) -> tuple[float, float]:
        """The logarithm of the prior density of the group's mean on the real line, and its slope.

        >>> from armwise import *
        >>> [each] = free_parameters(Agent(UCB(), Smile()), ["rho~uniform(0, 1)"])
        >>> round(each.log_prior(0.0)[0], 9) == round(math.log(0.25), 9)
        True
        """
        if self.prior is None:
            z = (x - self.center) / self.width
            return -0.5 * z * z - math.log(self.width) - LOG_ROOT, -z / self.width
        value, size, bent = self.transform.slope(x)
        density, slope = self.prior.log_density(value)
        upwards = -1.0 if self.transform.kind == MIRRORED else 1.0
        return density + size, slope * upwards * math.exp(size) + bent

    def __str__(self) -> str:
        if self.prior is not None:
            return f"{self.name} ~ {self.prior}"
        ends = self.center + NINE_IN_TEN * self.width * np.array([-1, 1])
        low, high = np.sort(self.transform.natural(ends))
        return f"{self.name} typically {low:.3g} to {high:.3g}"


class Free(tuple[FreeParameter, ...]):
    """The free parameters, in the order in which they were named."""

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(each.name for each in self)

    @property
    def center(self) -> np.ndarray:
        """Where the group's means are expected, on the real line."""
        return np.array([each.center for each in self])

    @property
    def width(self) -> np.ndarray:
        """How uncertain that is: standard deviations."""
        return np.array([each.width for each in self])

    def natural(self, x: np.ndarray) -> np.ndarray:
        """From the real line to the parameters' scales, along the last axis."""
        return np.stack([each.transform.natural(x[..., d]) for d, each in enumerate(self)], axis=-1)

    def real(self, values: np.ndarray) -> np.ndarray:
        """From the parameters' scales to the real line, along the last axis."""
        return np.stack([each.transform.real(values[..., d]) for d, each in enumerate(self)], -1)


def free_parameters(agent: Agent | Chooser, free: Any) -> Free:
    """Read what is free: names, "name~prior", or a table of names with priors.

    >>> from armwise import *
    >>> agent = Agent(ApproximateActiveInference(), Smile(), Softmax())
    >>> for each in free_parameters(agent, ["lam~lognormal(0.5, 1)", "rho"]): print(each)
    lam ~ lognormal(0.5, 1)
    rho typically 0.005 to 0.3
    """
    if isinstance(free, Free):
        return free
    given = _table(free)
    if not given:
        raise InputError("Nothing is free: name at least one parameter, as in free=['lam'].")
    places_of(agent, list(given))  # refuses what cannot be free, and what is named twice
    return Free(_read(name, parameter_named(agent, name), words) for name, words in given.items())


def _table(free: Any) -> dict[str, Any]:
    if isinstance(free, Mapping):
        return {str(name): words for name, words in free.items()}
    found: dict[str, Any] = {}
    for item in listed("free", free, '["lam", "rho~beta(1, 10)"]'):
        name, separator, sentence = str(item).partition("~")
        if name.strip() in found:
            raise InputError(f"{name.strip()} is free twice; once is enough.")
        found[name.strip()] = sentence if separator else None
    return found


def _read(name: str, place: Place, words: Any) -> FreeParameter:
    spread = SPREAD
    if isinstance(words, Mapping):
        for key in words:
            if key not in ("prior", "spread"):
                raise unknown(f"setting of {name}", key, ("prior", "spread"))
        spread = real_number(f"spread of {name}", words.get("spread", SPREAD), 0.0, brackets="()")
        words = words.get("prior")
    prior = None if words is None else read_prior(words)
    [field] = (each for each in parameters_of(type(place.part)) if each.name == place.name)
    admitted = field.metadata.get("range", Range())
    interval = () if prior is None else _admitted(name, prior, admitted)
    transform = transform_of(admitted, *interval)
    ends = prior.quantile(np.array([0.05, 0.95])) if prior is not None else None
    if ends is None:
        ends = field.metadata.get("typical") or _around(getattr(place.part, place.name), transform)
    low, high = np.sort(transform.real(np.asarray(ends)))
    return FreeParameter(
        name, transform, prior, float(low + high) / 2, float(high - low) / 2 / NINE_IN_TEN, spread
    )


def _admitted(name: str, prior: Prior, admitted: Range) -> tuple[float, float]:
    """The interval of a prior; raise InputError if it leaves the range of the parameter."""
    if prior.outside(admitted) > OUTSIDE:
        raise InputError(f"{name} must be {admitted}, but {prior} reaches beyond that.")
    return prior.interval


def _around(default: float, transform: Transform) -> np.ndarray:
    """Around the default value, where nobody said where people are."""
    middle = float(transform.real(default))
    if abs(middle) > 20:  # the default is at an end of the range: take the middle of the scale
        middle = 0.0
    return transform.natural(middle + np.log(FOLD) * np.array([-1.0, 1.0]))


def shown(value: float) -> str:
    """A value as it stands in a sentence: three digits.

    >>> shown(0.123456), shown(12345.6)
    ('0.123', '12300')
    """
    return written(float(f"{value:.3g}")) if np.isfinite(value) else brief(float(value))
