"""Random-effects selection: how frequent each model is among people, from evidences per person.

Stephan, Penny, Daunizeau, Moran and Friston 2009, NeuroImage 46; Rigoux, Stephan, Friston and
Daunizeau 2014, NeuroImage 84.
"""

from typing import Any, NamedTuple

import numpy as np

from armwise.errors import InputError, require

ROUNDS = 10_000  # of the iteration; it needs some tens
CLOSE = 1e-10
NODES = 400  # of the quadrature


class Selection(NamedTuple):
    """What evidences say about the models of a population."""

    concentration: np.ndarray  # of the Dirichlet distribution over frequencies: alpha
    frequency: np.ndarray  # expected share of people whose choices are of each model
    exceedance: np.ndarray  # probability that a model is more frequent than all others
    protected: np.ndarray  # the same, unless all are equally frequent
    omnibus_risk: float  # probability that all are equally frequent
    share: np.ndarray  # [person, model]: the probability that a person's choices are of a model


def select(evidence: Any) -> Selection:
    """Frequencies and exceedance probabilities of models, from log evidences [person, model].

    >>> found = select([[0.0, -3.0]] * 8 + [[-3.0, 0.0]] * 2)
    >>> found.frequency.round(2).tolist(), round(float(found.exceedance[0]), 2)
    ([0.77, 0.23], 0.98)
    """
    require("scipy")
    log = np.asarray(evidence, dtype=np.float64)
    if log.ndim != 2 or log.shape[1] < 2 or not len(log) or not np.isfinite(log).all():
        raise InputError("Evidences must be people x models, finite, of at least two models.")
    models = log.shape[1]
    alpha, share = _iterate(log)
    exceedance = exceedance_of(alpha)
    risk = _risk(log, alpha, share)
    protected = (1.0 - risk) * exceedance + risk / models
    return Selection(alpha, alpha / alpha.sum(), exceedance, protected, risk, share)


def _iterate(log: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The variational posterior, from a uniform Dirichlet prior (Stephan 2009, eq. 14)."""
    from scipy.special import digamma, softmax

    alpha = np.ones(log.shape[1])
    for _ in range(ROUNDS):
        share = softmax(log + digamma(alpha), axis=1)
        new = 1.0 + share.sum(axis=0)
        done = np.abs(new - alpha).max() < CLOSE
        alpha = new
        if done:
            break
    return alpha, share


def exceedance_of(concentration: Any) -> np.ndarray:
    """The probability that each frequency of a Dirichlet distribution is the largest.

    A frequency is a gamma variate over the sum of all, so the largest variate is the largest
    frequency: an integral over one variate, with the distribution functions of the others.

    >>> exceedance_of([1.0, 1.0, 1.0]).round(12).tolist()
    [0.333333333333, 0.333333333333, 0.333333333333]
    """
    require("scipy")
    from scipy.special import gammainc, gammaincinv

    alpha = np.asarray(concentration, dtype=np.float64)
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    variates = gammaincinv(alpha[:, None], (1.0 + nodes) / 2.0)  # [model, node]
    below = gammainc(alpha[:, None, None], variates)  # [other, model, node]
    below[np.arange(len(alpha)), np.arange(len(alpha))] = 1.0
    found = below.prod(axis=0) @ weights / 2.0
    return found / found.sum()


def _risk(log: np.ndarray, alpha: np.ndarray, share: np.ndarray) -> float:
    """The Bayesian omnibus risk (Rigoux 2014, eq. 7): the posterior of equal frequencies."""
    from scipy.special import digamma, expit, gammaln, logsumexp, xlogy

    models = len(alpha)
    expected = digamma(alpha) - digamma(alpha.sum())
    divergence = gammaln(alpha.sum()) - gammaln(alpha).sum() - gammaln(models)
    divergence += ((alpha - 1.0) * expected).sum()  # from the uniform Dirichlet prior
    varying = (share * (log + expected) - xlogy(share, share)).sum() - divergence
    equal = (logsumexp(log, axis=1) - np.log(models)).sum()
    return float(expit(equal - varying))
