"""Fit an agent to the recorded choices of people: one call."""

from collections.abc import Sequence
from typing import Any

from armwise.engine import following_device
from armwise.errors import InputError, require, unknown, whole_number
from armwise.fitting.alone import Alone
from armwise.fitting.answer import Answer
from armwise.fitting.bayes import Bayes
from armwise.fitting.design import design_of
from armwise.fitting.eb import EmpiricalBayes
from armwise.fitting.identify import refuse_what_cannot_matter
from armwise.fitting.load import choices_for
from armwise.fitting.ml import MaximumLikelihood
from armwise.fitting.nest import nest_of
from armwise.fitting.nested_bayes import NestedBayes
from armwise.fitting.nested_eb import NestedEmpiricalBayes
from armwise.fitting.problem import Problem
from armwise.fitting.result import Fit
from armwise.model.agent import Agent, Chooser

METHODS = ("bayes", "eb", "ml")


def fit(
    agent: Agent | Chooser,
    data: Any,
    free: Any,
    *,
    method: str = "bayes",
    by: str | None = None,
    regress: Sequence[str] | str = (),
    nested: str | None = None,
    seed: int = 0,
    store: Any = None,
    draws: int = 500,
    chains: int = 4,
    threads: int | None = None,
    device: str = "cpu",
) -> Fit:
    """Fit the `free` parameters of an agent to the choices of people.

    `data` is what `load_choices` returns or reads. `free` names parameters; each may have a prior
    for the group's median, as in `["lam~lognormal(0.5, 1)", "rho"]` or in a dict, with how far
    people differ: `{"lam": {"prior": "lognormal(0.5, 1)", "spread": 0.5}}`. Without one, the prior
    is where people typically are.

    `method` is "bayes", the hierarchical posterior; "eb", the group as a point; or "ml", everybody
    alone. `by` names a column whose groups are compared, `regress` columns of numbers: they shift
    the means of people. `nested` names a column of sessions: a person's sessions then vary around
    the person, as people do around the group. In `store`, a folder, the likelihoods of people are kept: a fit that was
    killed goes on there, with equal bits, and other priors or columns compute none again. With
    `device` "cuda", or "auto", a graphics card computes the likelihoods.

    >>> from armwise import *
    >>> data = example("reversal")
    >>> agent = Agent(MeanOutcome(), RescorlaWagner(), Softmax())
    >>> few = data.only(data.subjects[:20])
    >>> print(fit(agent, few, ["rate", "precision~lognormal(5, 1)"], method="eb"))
    mean with RW and softmax, fitted to 1,800 choices of 20 people by empirical Bayes: the group as a point estimate.
    <BLANKLINE>
    parameter  median of people  nine in ten people  reliability
    rate       0.859             0.383 to 0.984      0.84
    precision  4.98              1.59 to 15.6        0.93
    <BLANKLINE>
    - 20 of 406 people were taken.
    """  # noqa: E501
    require("pandas", "scipy")
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    device = following_device(device)
    problem = Problem(agent, choices_for(agent, data), free, threads, device)
    refuse_what_cannot_matter(problem)
    design = design_of(problem.data, by, regress)
    nest = None if nested is None else nest_of(problem.data, nested)
    if method == "ml":
        if design.names:
            raise InputError(
                "method='ml' has no group to compare or regress: take 'eb' or 'bayes'."
            )
        if nest is not None:
            raise InputError(
                "method='ml' fits everybody alone, so it ties no sessions together: take 'eb', or "
                "make every session a person of its own."
            )
        return Fit(agent, problem.data, method, MaximumLikelihood(problem), [])
    units = problem if nest is None else Problem(agent, nest.units, problem.free, threads, device)
    answer: Answer
    if method == "eb":
        if nest is None:
            answer = EmpiricalBayes(problem, design)
        else:
            answer = NestedEmpiricalBayes(units, nest, design)
        return Fit(agent, problem.data, method, answer, [], nest)
    sizes = {
        "draws": whole_number("draws", draws, 20),
        "chains": whole_number("chains", chains, 1),
        "seed": whole_number("seed", seed, 0, 1 << 63),
    }
    if problem.people == 1:
        answer = Alone(problem, **sizes)
    elif nest is None:
        answer = Bayes(problem, design, store=store, **sizes)
    else:
        answer = NestedBayes(units, nest, design, store=store, **sizes)
    return Fit(agent, problem.data, method, answer, [], nest)
