"""What an agent with a person's values believed and expected, trial by trial, as a tidy frame."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.engine.free import refuse_without_probability
from armwise.engine.sequences import Sequences
from armwise.engine.trace import Trace, prediction_errors, terms_of, trace_choices
from armwise.errors import InputError, require
from armwise.fitting.choices import Choices, of_rows
from armwise.fitting.load import choices_for
from armwise.model.agent import Agent, Chooser
from armwise.model.forms import BETA, NAMES, mean_of

if TYPE_CHECKING:
    import pandas

KEYS = ("subject", "session", "block", "trial", "choice", "outcome")


def retrace_people(
    agents: Agent | Chooser | Sequence[Agent | Chooser], data: Any, terms: bool = False
) -> "pandas.DataFrame":
    """One row per trial: what agents believed about each arm before the choice, and after it.

    `agents` is one agent for everybody, or one per person, such as `fit.agents()`. For arm k there
    are mean_k, alpha_k, beta_k (of normal beliefs mean_k, variance_k), score_k and probability_k;
    `prediction_error` is the outcome minus the mean of the chosen arm, `gamma` the change
    probability after the outcome. With `terms`, the policy's named terms of every arm are added,
    which takes longer. Rows are those of `data.frame`; where there was no choice, they are empty.

    >>> from armwise import *
    >>> person = Agent(MeanOutcome(), RescorlaWagner(rate=0.5), Softmax(precision=2))
    >>> data = load_choices([([0, 1, 1], [1, 0, 1])])
    >>> retrace_people(person, data)["prediction_error"].tolist()
    [0.5, -0.5, 0.75]
    """
    require("pandas")
    import pandas

    first = next(iter(agents), None) if isinstance(agents, Sequence) else agents
    data = choices_for(first, data)
    frames = []
    for agent, some in _portions(agents, data):
        refuse_without_probability(agent)
        frames.append(pandas.DataFrame(_columns(agent, some, data.arms, terms)))
    found = pandas.concat(frames, ignore_index=True)
    keys = [name for name in KEYS if name in data.frame.columns]
    return pandas.concat([data.frame[keys].reset_index(drop=True), found], axis=1)


def _portions(agents: Any, data: Choices) -> list[tuple[Agent | Chooser, Sequences]]:
    """An agent with the trials that it follows: one for everybody, or one per person."""
    if not isinstance(agents, Sequence):
        return [(agents, data.sequences)]
    if len(agents) != len(data):
        raise InputError(f"{len(data)} people need as many agents, not {len(agents)}.")
    return [(agent, of_one(data.sequences, person)) for person, agent in enumerate(agents)]


def of_one(data: Sequences, person: int) -> Sequences:
    """The trials of one person."""
    rows = of_rows(data, data.people) == person
    begins = data.begins[data.people == person]
    return Sequences(
        data.choices[rows],
        data.outcomes[rows],
        data.scored[rows],
        begins - begins[0],
        np.zeros(len(begins), dtype=np.int64),
        data.arms,
        None if data.available is None else data.available[rows],
        None if data.shown is None else data.shown[rows],
    )


def _columns(
    agent: Agent | Chooser, data: Sequences, arms: tuple[str, ...], terms: bool
) -> dict[str, np.ndarray]:
    """What an agent made of its trials, by column."""
    told: Trace = trace_choices(agent, data)
    form = agent.learner.beliefs if isinstance(agent, Agent) else BETA
    found = {
        "probability": np.exp(told.log_probability),
        "prediction_error": prediction_errors(data, told, form),
        "gamma": told.gamma,
    }
    of_arms = {"mean": mean_of(form, told.alpha, told.beta)}
    of_arms |= dict(zip(NAMES[form], (told.alpha, told.beta), strict=True))
    of_arms |= {"score": told.score, "probability": told.probability}
    if terms and isinstance(agent, Agent):
        of_arms |= terms_of(agent, data, told)
    for name, values in of_arms.items():
        for place, label in enumerate(arms):
            found[f"{name}_{label}"] = values[:, place]
    return found
