"""The two forms of outcomes and of beliefs: 0 and 1 with Beta, real numbers with normal beliefs.

A belief is a pair of numbers per arm, whatever its form. Learners and policies say in `beliefs`
which pair they mean, bandits in `outcomes` what they pay; what does not fit together is refused.
"""

import math
from typing import Any

from armwise.errors import InputError, brief

BINARY, REAL = "binary", "real"  # outcomes
BETA, NORMAL, ANY = "beta", "normal", "any"  # beliefs

NAMES = {BETA: ("alpha", "beta"), NORMAL: ("mean", "variance")}  # of the pair
WORDS = {BETA: "Beta", NORMAL: "normal"}
OUTCOMES = {BETA: BINARY, NORMAL: REAL}  # that beliefs of a form are about
PAID = {BINARY: "0 or 1", REAL: "real numbers"}


def mean_of(form: str, first: Any, second: Any) -> Any:
    """The expected outcome of a belief of a form; of numbers or of arrays.

    >>> mean_of(BETA, 1.0, 3.0), mean_of(NORMAL, 1.0, 3.0)
    (0.25, 1.0)
    """
    return first if form == NORMAL else first / (first + second)


def refuse_unless_form(label: str, form: Any, allowed: tuple[str, ...]) -> None:
    """Raise InputError unless the `beliefs` of a component are a form."""
    if form not in allowed:
        words = " or ".join(map(repr, allowed))
        raise InputError(f"{label}: beliefs must be {words}, not {brief(form)}.")


def refuse_other_outcomes(bandit: Any, agent: Any) -> None:
    """Raise InputError unless an agent learns from the outcomes that a bandit pays."""
    if bandit.outcomes not in PAID:
        words = " or ".join(map(repr, PAID))
        raise InputError(f"{bandit.label}: outcomes must be {words}, not {brief(bandit.outcomes)}.")
    learner = getattr(agent, "learner", agent)
    if bandit.outcomes != agent.outcomes:
        raise InputError(
            f"The {bandit.label} bandit pays {PAID[bandit.outcomes]}, and {learner.label} learns "
            f"from {PAID[agent.outcomes]}."
        )


def finite(value: object) -> float:
    """A real outcome as a float, or an error that names it.

    >>> finite(3)
    3.0
    """
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number) or isinstance(value, (bool, str, bytes)):
        raise InputError(f"An outcome must be a finite number, not {brief(value)}.")
    return number
