"""Fit an agent to the recorded choices of people: one call."""

from collections.abc import Sequence
from typing import Any

from armwise.errors import InputError, require, unknown, whole_number
from armwise.fitting.bayes import Bayes
from armwise.fitting.design import design_of
from armwise.fitting.eb import EmpiricalBayes
from armwise.fitting.identify import refuse_what_cannot_matter
from armwise.fitting.load import load_choices
from armwise.fitting.ml import MaximumLikelihood
from armwise.fitting.problem import Problem
from armwise.fitting.result import Fit
from armwise.model.agent import Agent

METHODS = ("bayes", "eb", "ml")


def fit(
    agent: Agent,
    data: Any,
    free: Any,
    *,
    method: str = "bayes",
    by: str | None = None,
    regress: Sequence[str] | str = (),
    seed: int = 0,
    store: Any = None,
    draws: int = 500,
    chains: int = 4,
    threads: int | None = None,
) -> Fit:
    """Fit the `free` parameters of an agent to the choices of people.

    `data` is what `load_choices` returns or reads. `free` names parameters; each may have a prior
    for the group's median, as in `["lam~lognormal(0.5, 1)", "rho"]` or a dict; without one, the
    prior is where people typically are.

    >>> from armwise import *
    >>> agent = Agent(MeanOutcome(), RescorlaWagner(), Softmax())
    >>> data = example("reversal").only(["1", "2", "3"])
    >>> fit(agent, data, ["rate", "precision"], method="ml").values().round(1).tolist()
    [[0.5, 10.2], [0.6, 3.0], [0.2, 9.2]]
    """
    require("pandas", "scipy")
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    problem = Problem(agent, load_choices(data), free, threads)
    refuse_what_cannot_matter(problem)
    design = design_of(problem.data, by, regress)
    if method == "ml":
        if design.names:
            raise InputError(
                "method='ml' has no group to compare or regress: take 'eb' or 'bayes'."
            )
        return Fit(agent, problem.data, method, MaximumLikelihood(problem), [])
    if method == "eb":
        return Fit(agent, problem.data, method, EmpiricalBayes(problem, design), [])
    answer = Bayes(
        problem,
        design,
        draws=whole_number("draws", draws, 20),
        chains=whole_number("chains", chains, 1),
        seed=whole_number("seed", seed, 0, 1 << 63),
        store=store,
    )
    return Fit(agent, problem.data, method, answer, [])
