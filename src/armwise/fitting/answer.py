"""What every method of fitting answers, on the real line."""

from typing import Any

import numpy as np

from armwise.errors import InputError
from armwise.fitting.parameters import Free

CHANCES = (0.03, 0.97)  # the ends of an interval of 94 %
TWO_SIDED = 1.8807936081512509  # standard deviations to either side that hold 94 % of a normal


class Answer:
    """Estimates of people, and of the group that they come from."""

    words = ""  # the method in a sentence
    x: np.ndarray  # the point estimate of everybody, [person, parameter]
    free: Free

    def people(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Draws of everybody's values, [draw, person, parameter]."""
        raise NotImplementedError

    def group(self, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draws of the mean of a person like one of these [draw, parameter], and of the spread.

        The spread is the Cholesky factor of the people's covariance.
        """
        raise NotImplementedError

    def intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """The ends of everybody's intervals, [person, parameter]; NaN where there are none."""
        raise NotImplementedError

    def combined(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The estimate and the interval of a weighted sum on the real line, [person] each."""
        raise NotImplementedError

    def covariances(self) -> np.ndarray:
        """How parameters go together within people, [person, parameter, parameter]."""
        raise NotImplementedError

    def log_evidence(self) -> np.ndarray:
        """The log-probability of everybody's choices given the group."""
        raise NotImplementedError

    sessions_x: np.ndarray  # of a fit with sessions: their point estimates, [session, parameter]

    def sessions(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Draws of all sessions, [draw, session, parameter]."""
        raise NotImplementedError

    def session_intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """The ends of the intervals of all sessions, [session, parameter]."""
        raise NotImplementedError

    def around(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Draws of how far sessions are from their person, [session, parameter]."""
        raise NotImplementedError

    def elpd(self) -> np.ndarray:
        """The expected log-density of everybody's choices by a fit without this person."""
        raise NotImplementedError

    def flags(self) -> list[list[str]]:
        """What is to be said of every person."""
        raise NotImplementedError

    def notes(self, subjects: tuple[str, ...]) -> list[str]:
        """What is to be said of the whole fit, in sentences."""
        raise NotImplementedError

    def group_lines(self) -> list[list[str]]:
        """The table of the group: a header, then a line per parameter."""
        raise NotImplementedError

    def groups_of_tree(self, subjects: tuple[str, ...]) -> dict[str, Any]:
        """The Datasets of the tree, besides what was observed."""
        raise NotImplementedError


def normal_draws(
    mean: np.ndarray, covariance: np.ndarray, count: int, rng: np.random.Generator
) -> np.ndarray:
    """Draws [draw, person, parameter] from a normal for each person."""
    widths, axes = np.linalg.eigh(covariance)
    root = axes * np.sqrt(np.maximum(widths, 0.0))[:, None, :]
    z = rng.standard_normal((count, *mean.shape))
    return mean + np.einsum("pde,npe->npd", root, z)


def normal_interval(
    x: np.ndarray, covariance: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A weighted sum of normal numbers, with the ends of its interval of 94 %."""
    with np.errstate(invalid="ignore"):
        sd = np.sqrt(np.einsum("a,pab,b->p", weights, covariance, weights))
    middle = x @ weights
    return middle, middle - TWO_SIDED * sd, middle + TWO_SIDED * sd


def needs_a_group(what: str, method: str) -> InputError:
    """An error for what maximum likelihood cannot say."""
    return InputError(
        f"{what} needs a distribution over people, which method='{method}' has not: fit with "
        "method='eb' or 'bayes'."
    )


def named(people: list[str], most: int = 8) -> str:
    """Labels of people for a sentence.

    >>> named(["7", "12"]), named(list("abcdefghij"))
    ('7, 12', 'a, b, c, d, e, f, g, h and 2 more')
    """
    more = f" and {len(people) - most} more" if len(people) > most else ""
    return ", ".join(people[:most]) + more


def people_words(count: int) -> str:
    """A number of people in words."""
    return "1 person" if count == 1 else f"{count:,} people"
