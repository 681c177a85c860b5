"""What an agent with a person's values believed and expected, trial by trial, as a tidy frame."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.engine.free import refuse_without_probability
from armwise.engine.python import score_beliefs
from armwise.errors import InputError, require
from armwise.fitting.load import load_choices
from armwise.fitting.task import lengths_of
from armwise.model.agent import Agent
from armwise.model.draws import AGENT, stream
from armwise.play.explain import leans, probabilities
from armwise.play.replay import retrace

if TYPE_CHECKING:
    import pandas


def retrace_people(
    agents: Agent | Sequence[Agent], data: Any, terms: bool = False
) -> "pandas.DataFrame":
    """One row per trial: what agents believed about each arm before the choice, and after it.

    `agents` is one agent for everybody, or one per person, such as `fit.agents()`. For arm k there
    are mean_k, alpha_k, beta_k, score_k and probability_k; `prediction_error` is the outcome minus
    the mean of the chosen arm, `change` the change probability after the outcome. With `terms`, the
    policy's named terms of the chosen arm are added, which takes longer. Rows are those of
    `data.frame`; where there was no choice, what follows from it is missing.

    >>> from armwise import *
    >>> person = Agent(MeanOutcome(), RescorlaWagner(rate=0.5), Softmax(precision=2))
    >>> data = load_choices([([0, 1, 1], [1, 0, 1])])
    >>> retrace_people(person, data)["prediction_error"].tolist()
    [0.5, -0.5, 0.75]
    """
    require("pandas", "xarray")
    import pandas

    data = load_choices(data)
    everybody = [agents] * len(data) if isinstance(agents, Agent) else list(agents)
    if len(everybody) != len(data):
        raise InputError(f"{len(data)} people need as many agents, not {len(everybody)}.")
    frames, sequences = [], data.sequences
    for begin, length, person in zip(
        sequences.begins, lengths_of(data), sequences.people, strict=True
    ):
        rows = slice(int(begin), int(begin + length))
        block = sequences.choices[rows], sequences.outcomes[rows]
        frames.append(_traced(everybody[person], *block, data.arms, terms))
    found = pandas.concat(frames, ignore_index=True)
    keys = [name for name in _KEYS if name in data.frame.columns]
    return pandas.concat([data.frame[keys].reset_index(drop=True), found], axis=1)


_KEYS = ("subject", "session", "block", "trial", "choice", "outcome")


def _traced(
    agent: Agent, choices: np.ndarray, outcomes: np.ndarray, arms: tuple[str, ...], terms: bool
) -> "pandas.DataFrame":
    """One block."""
    import pandas

    refuse_without_probability(agent)
    told = retrace(agent, choices.tolist(), outcomes.tolist(), len(arms))
    alpha, beta, score = (told[name].values for name in ("alpha", "beta", "score"))
    mean = alpha / (alpha + beta)
    chosen, rows = choices >= 0, np.arange(len(choices))
    habits = _habits(agent, choices, len(arms))
    chance = np.array(
        [
            probabilities(agent.choice, line, leans(agent.choice, range(len(arms)), habit))
            for line, habit in zip(score, habits, strict=True)
        ]
    )
    columns: dict[str, Any] = {
        "probability": np.where(chosen, chance[rows, choices], np.nan),
        "prediction_error": np.where(chosen, outcomes - mean[rows, choices], np.nan),
        "change": np.where(chosen, told["gamma"].values, np.nan),
    }
    if terms:
        columns |= _terms(agent, alpha, beta, choices)
    kinds = {"mean": mean, "alpha": alpha, "beta": beta, "score": score, "probability": chance}
    for name, values in kinds.items():
        for place, label in enumerate(arms):
            columns[f"{name}_{label}"] = values[:, place]
    return pandas.DataFrame(columns)


def _habits(agent: Agent, choices: np.ndarray, arms: int) -> np.ndarray:
    """How much each arm was chosen before, as the choice sees it: [trial, arm]."""
    pace, habit = agent.choice.habit_pace(), np.zeros(arms)
    found = np.zeros((len(choices), arms))
    for trial, arm in enumerate(choices):
        found[trial] = habit
        if arm >= 0:
            habit = habit + pace * ((np.arange(arms) == arm) - habit)
    return found


def _terms(
    agent: Agent, alpha: np.ndarray, beta: np.ndarray, choices: np.ndarray
) -> dict[str, np.ndarray]:
    """The policy's named terms of the chosen arm."""
    found: dict[str, np.ndarray] = {}
    for row, arm in enumerate(choices):
        if arm < 0:
            continue
        beliefs = list(zip(alpha[row], beta[row], strict=True))
        shared, _ = score_beliefs(agent, beliefs, row + 1, stream(0, 0, AGENT, row + 1))
        for name, value in agent.policy.terms(shared, *beliefs[arm]).items():
            found.setdefault(name, np.full(len(choices), np.nan))[row] = float(value)
    return found
