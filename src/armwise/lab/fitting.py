"""Who plays like you: agents fitted to the choices of a run, a row each.

Agents with more free parameters fit any choices better. So a row has the evidence: the
log-probability of the choices, averaged over the values that people typically have. A parameter
that explains nothing costs.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from armwise.choices import HabitualSoftmax, Softmax
from armwise.learners import RescorlaWagner, Smile
from armwise.model.agent import Agent
from armwise.policies import (
    ApproximateActiveInference,
    BayesianUCB,
    ExactActiveInference,
    MeanOutcome,
)

RANDOM = "random choice"
FURTHER = "trade off"  # a note of a fit that is worth a place on the page


class Candidate(NamedTuple):
    """An agent, and what is free."""

    agent: Callable[[], Agent]
    free: tuple[str, ...]


CANDIDATES = {  # those that take longest come last
    "RW": Candidate(
        lambda: Agent(MeanOutcome(), RescorlaWagner(), Softmax()), ("rate", "precision")
    ),
    "RW + habit": Candidate(
        lambda: Agent(MeanOutcome(), RescorlaWagner(), HabitualSoftmax()),
        ("rate", "precision", "stick"),
    ),
    "A-AI": Candidate(
        lambda: Agent(ApproximateActiveInference(), Smile(), Softmax()), ("lam", "rho", "precision")
    ),
    "G-AI": Candidate(
        lambda: Agent(ExactActiveInference(), Smile(), Softmax()), ("lam", "rho", "precision")
    ),
    "B-UCB": Candidate(lambda: Agent(BayesianUCB(), Smile(), Softmax()), ("rho", "precision")),
}


def random_row(arms: int, trials: int) -> dict[str, Any]:
    """The row of choices without any reason; it has nothing to fit."""
    return _row(RANDOM, "rc", -trials * math.log(arms), trials)


def fitted_row(
    label: str, choices: Sequence[int], outcomes: Sequence[int], arms: int
) -> dict[str, Any]:
    """The row of a candidate: its values with intervals of 94 %, and the evidence.

    >>> row = fitted_row("RW", [0, 1, 1, -1, 1, 1], [0, 1, 1, 0, 1, 0], arms=2)
    >>> row["trials"], [each["name"] for each in row["values"]]
    (5, ['rate', 'precision'])
    """
    from armwise.fitting.fit import fit  # heavy, and seldom wanted
    from armwise.fitting.load import load_choices

    candidate = CANDIDATES[label]
    data = load_choices([(list(choices), list(outcomes))], arms=arms)
    found = fit(candidate.agent(), data, list(candidate.free))
    person = found.people().iloc[0]
    values = [
        {
            "name": name,
            "value": float(person[name]),
            "low": float(person[f"{name}_low"]),
            "high": float(person[f"{name}_high"]),
        }
        for name in found.names
    ]
    [evidence], [agent] = found.log_evidence(), found.agents()
    trials = int(data.sequences.scored.sum())
    notes = [note for note in found.notes if FURTHER in note]
    return _row(label, str(agent), float(evidence), trials, values, notes)


def _row(
    label: str,
    agent: str,
    evidence: float,
    trials: int,
    values: Sequence[dict[str, Any]] = (),
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    return {
        "label": label,
        "agent": agent,
        "evidence": evidence,
        "per_trial": evidence / max(trials, 1),
        "trials": trials,
        "values": list(values),
        "notes": list(notes),
    }
