"""What a check or a comparison needs to know of a fit."""

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from armwise.errors import InputError, brief
from armwise.fitting.choices import Choices
from armwise.model.agent import Agent, Chooser

if TYPE_CHECKING:
    import pandas


@runtime_checkable
class Fitted(Protocol):
    """An agent fitted to people: `armwise.fitting.result.Fit` in all but name."""

    agent: Agent | Chooser
    data: Choices
    method: str

    @property
    def free(self) -> Any:
        """The free parameters."""

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""

    def values(self) -> np.ndarray:
        """The point estimates, [person, parameter]."""

    def people(self) -> "pandas.DataFrame":
        """One row per person: every parameter with its interval."""

    @property
    def nested(self) -> str | None:
        """The column that tells sessions of people apart, if they have values of their own."""

    def sampled_blocks(self, count: int, seed: int = 0) -> np.ndarray:
        """Draws of everybody's values in every block, [draw, block, parameter]."""

    def blocks_of(self, values: np.ndarray, tasks: Choices, seed: int = 0) -> np.ndarray:
        """What people with these values have in every block of some tasks."""

    def new_people(self, count: int, seed: int = 0) -> np.ndarray:
        """Values of people who might come tomorrow, [person, parameter]."""

    def plot(self) -> Any:
        """Everybody's values with their intervals."""

    def log_evidence(self) -> np.ndarray:
        """The log-probability of each person's choices given the group."""

    def elpd(self) -> np.ndarray:
        """The expected log-density of each person's choices had the person been left out."""


def refuse_unless_fitted(value: Any) -> None:
    """Raise InputError unless the value is what `fit` returns.

    >>> refuse_unless_fitted("RW")
    Traceback (most recent call last):
    armwise.errors.InputError: This takes a fit, as fit(agent, data, free) makes it, not 'RW'.
    """
    if not isinstance(value, Fitted):
        raise InputError(
            f"This takes a fit, as fit(agent, data, free) makes it, not {brief(value)}."
        )
