"""Random-effects selection against published values, Monte Carlo, and the exact evidence."""

import numpy as np
import pytest
from scipy import integrate, special

import armwise as aw
from armwise.fitting.selection import exceedance_of, select


def test_the_published_example_of_two_models():
    """Stephan et al. 2009: alpha = (11.8, 2.2) is a frequency of 84.3 %, exceedance .997."""
    alpha = np.array([11.8, 2.2])
    assert round(float(exceedance_of(alpha)[0]), 3) == 0.997
    assert round(float(alpha[0] / alpha.sum()), 3) == 0.843


@pytest.mark.parametrize(
    "alpha", [[11.8, 2.2], [4.7, 11.2, 7.1], [1, 1, 1, 1], [90, 100, 3, 1], [301, 300]]
)
def test_exceedance_is_how_often_a_draw_is_the_largest(alpha):
    draws = 400_000
    largest = np.random.default_rng(3).dirichlet(alpha, draws).argmax(axis=1)
    shares = np.bincount(largest, minlength=len(alpha)) / draws
    error = 5 * np.sqrt(0.25 / draws)  # five standard errors, at worst
    assert exceedance_of(alpha) == pytest.approx(shares, abs=error)


def test_exceedance_of_two_is_a_tail_of_a_beta_distribution():
    for a, b in ((1.5, 4.0), (30.0, 20.0), (400.0, 380.0)):
        expected = 1.0 - special.betainc(a, b, 0.5)
        # A distribution function with a power below 2 is not smooth at the end of the quadrature.
        assert exceedance_of([a, b])[0] == pytest.approx(expected, abs=1e-7)


def plain_selection(log):
    """The same by the formulas of the papers, with loops."""
    people, models = len(log), len(log[0])
    alpha = [1.0] * models
    for _ in range(2_000):
        shares = []
        for line in log:
            weights = [
                np.exp(line[k] + special.digamma(alpha[k]) - special.digamma(sum(alpha)))
                for k in range(models)
            ]
            shares.append([weight / sum(weights) for weight in weights])
        alpha = [1.0 + sum(shares[n][k] for n in range(people)) for k in range(models)]
    log_r = [special.digamma(a) - special.digamma(sum(alpha)) for a in alpha]
    varying = 0.0
    for n in range(people):
        for k in range(models):
            varying += shares[n][k] * (log[n][k] + log_r[k] - np.log(shares[n][k]))
    varying += special.gammaln(models)  # of the uniform prior
    varying -= special.gammaln(sum(alpha)) - sum(special.gammaln(a) for a in alpha)
    varying -= sum((alpha[k] - 1.0) * log_r[k] for k in range(models))
    equal = sum(np.log(np.mean(np.exp(line))) for line in log)
    return np.array(alpha), varying, equal


def test_selection_is_that_of_the_papers_written_again():
    log = np.random.default_rng(5).normal([0.0, 1.0, 0.5], 2.0, (15, 3))
    found = select(log)
    alpha, varying, equal = plain_selection(log.tolist())
    assert found.concentration == pytest.approx(alpha, rel=1e-7)
    assert found.frequency == pytest.approx(alpha / alpha.sum(), rel=1e-7)
    risk = 1.0 / (1.0 + np.exp(varying - equal))
    assert found.omnibus_risk == pytest.approx(risk, rel=1e-7)
    assert found.protected == pytest.approx((1 - risk) * found.exceedance + risk / 3, rel=1e-7)


def test_the_bound_is_near_the_exact_evidence_and_below_it():
    """With two models the evidence is an integral over one frequency."""
    log = np.random.default_rng(6).normal([0.7, 0.0], 1.5, (6, 2))
    _, bound, _ = plain_selection(log.tolist())

    def product(r):
        return np.prod(r * np.exp(log[:, 0]) + (1 - r) * np.exp(log[:, 1]))

    exact = np.log(integrate.quad(product, 0.0, 1.0)[0])
    assert exact - 0.5 < bound < exact


def test_equal_evidences_say_nothing_and_clear_ones_say_all():
    none = select(np.zeros((20, 4)))
    assert none.frequency == pytest.approx([0.25] * 4)
    assert none.protected == pytest.approx([0.25] * 4)
    assert none.omnibus_risk > 0.9
    clear = select(np.tile([0.0, -30.0, -30.0], (40, 1)))
    assert clear.protected[0] > 0.999
    assert clear.omnibus_risk < 1e-6


def test_one_outlier_does_not_decide_for_all():
    """The point of random effects (Stephan et al. 2009): sums of evidences follow one person."""
    log = np.array([[0.0, -3.0]] * 9 + [[-200.0, 0.0]])
    assert log.sum(axis=0).argmax() == 1
    assert select(log).exceedance.argmax() == 0


def test_shifting_a_persons_evidences_changes_nothing():
    random = np.random.default_rng(7)
    log = random.normal(size=(12, 3))
    moved = select(log + random.normal(0, 1_000, (12, 1)))
    assert moved.protected == pytest.approx(select(log).protected, abs=1e-9)


@pytest.mark.parametrize("evidence", [[[1.0]], [], [[0.0, np.nan]], [1.0, 2.0]])
def test_evidences_that_are_none_are_refused(evidence):
    with pytest.raises(aw.InputError, match="people x models"):
        select(evidence)
