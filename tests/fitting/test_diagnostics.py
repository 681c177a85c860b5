"""R-hat, effective draws and Pareto k: against closed forms, and ArviZ where it is installed."""

import numpy as np
import pytest

from armwise.fitting.diagnostics import ess_bulk, ess_tail, r_hat, smoothed


def chains(keep=0.6, columns=4, seed=1):
    """Autoregressive chains: the sum of correlations is (1 + keep) / (1 - keep)."""
    noise = np.random.default_rng(seed).standard_normal((4, 1000, columns))
    draws = noise.copy()
    draws[:, 0] /= np.sqrt(1 - keep**2)
    for n in range(1, draws.shape[1]):
        draws[:, n] = keep * draws[:, n - 1] + noise[:, n]
    return draws


@pytest.mark.parametrize("keep", [0.0, 0.6, -0.3])
def test_effective_draws_of_an_autoregression(keep):
    found = ess_bulk(chains(keep, columns=16)).mean()
    # The estimate of one column scatters by a tenth; 16 of them by less than a twentieth.
    assert found == pytest.approx(4000 * (1 - keep) / (1 + keep), rel=0.15)


def test_chains_that_disagree_are_found_out():
    draws = chains()
    draws[0] += 2.0
    assert (r_hat(draws) > 1.1).all()
    assert (r_hat(chains(0.0)) < 1.01).all()


def test_a_pareto_tail_is_measured():
    weights = np.random.default_rng(1).pareto(1 / 0.9, size=20_000)  # k = 0.9
    assert smoothed(np.log(weights))[1] == pytest.approx(0.9, abs=0.15)
    assert smoothed(np.random.default_rng(1).normal(size=4000))[1] < 0.5


def test_they_are_those_of_arviz():
    arviz = pytest.importorskip("arviz")
    if not hasattr(arviz, "psislw"):
        pytest.skip("needs ArviZ below 1.0")
    draws = chains()
    for column in range(draws.shape[2]):
        one = draws[:, :, column]
        assert ess_bulk(draws)[column] == pytest.approx(float(arviz.ess(one)))
        assert ess_tail(draws)[column] == pytest.approx(float(arviz.ess(one, method="tail")))
        assert r_hat(draws)[column] == pytest.approx(float(arviz.rhat(one)))
    log_weights = np.random.default_rng(2).standard_t(4, size=2000)
    weights, k = smoothed(log_weights)
    others, other = arviz.psislw(log_weights.copy())
    assert k == pytest.approx(float(other))
    np.testing.assert_allclose(weights, others, atol=1e-9)
