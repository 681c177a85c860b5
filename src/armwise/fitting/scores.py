"""What models are ranked by: one number per person and model, and BIC."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from armwise.engine.batch import log_likelihoods
from armwise.fitting.fitted import Fitted


def scores_of(fits: Mapping[str, Fitted]) -> tuple[np.ndarray, str]:
    """What models are ranked by, [person, model], and its name."""
    methods = {each.method for each in fits.values()}
    if methods == {"bayes"}:
        columns = [each.elpd() for each in fits.values()]
        return np.column_stack(columns), "the log predictive density of people who are left out"
    columns = [each.log_evidence() - penalty(each) for each in fits.values()]
    penalised = "the log evidence, less half the logarithm of the number of people for every "
    return np.column_stack(columns), penalised + "parameter of the group"


def penalty(fit: Fitted) -> float:
    """What the parameters of a group that is a point estimate cost, per person."""
    free, people = len(fit.names), len(fit.data)
    covariances = 1 if fit.nested is None else 2  # of people, and of sessions
    return (free + covariances * free * (free + 1) / 2) * np.log(people) / 2 / people


def bic_of(fit: Fitted, threads: int | None = None, device: str = "cpu") -> float:
    """The Bayesian information criterion, summed over people who are fitted one by one."""
    from armwise.fitting.fit import fit as fitted

    on: Any = {"threads": threads, "device": device}
    most = fit if fit.method == "ml" else fitted(fit.agent, fit.data, fit.free, method="ml", **on)
    data = fit.data.sequences
    found = log_likelihoods(fit.agent, fit.names, most.values()[:, None, :], data, **on)
    trials = np.bincount(fit.data.persons[data.scored], minlength=len(fit.data))
    return float((len(fit.names) * np.log(trials) - 2.0 * found[:, 0]).sum())
