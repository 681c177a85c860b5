"""Priors and transforms: against SciPy, against differences, and what is refused."""

import math

import numpy as np
import pytest
from scipy import stats

import armwise as aw
from armwise.errors import InputError
from armwise.fitting.parameters import free_parameters
from armwise.fitting.priors import read_prior
from armwise.fitting.transforms import LOG, LOGIT, MIRRORED, PLAIN, transform_of
from armwise.model.component import Range

AGENT = aw.Agent(aw.ApproximateActiveInference(), aw.Smile(), aw.HabitualSoftmax())
SENTENCES = {
    "normal(1, 2)": stats.norm(1, 2),
    "lognormal(0.5, 1)": stats.lognorm(1, scale=0.5),
    "beta(2, 5)": stats.beta(2, 5),
    "gamma(2, 0.5)": stats.gamma(2, scale=0.5),
    "uniform(0.1, 0.9)": stats.uniform(0.1, 0.8),
    "halfnormal(1.5)": stats.halfnorm(scale=1.5),
}
RANGES = [Range(), Range(0), Range(0, 1), Range(0, 700), Range(high=3), Range(1e-6, 1 - 1e-6)]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_is_the_distribution_of_scipy(sentence):
    prior, other = read_prior(sentence), SENTENCES[sentence]
    for value in (0.15, 0.5, 0.85):
        density, slope = prior.log_density(value)
        assert density == pytest.approx(other.logpdf(value), abs=1e-12)
        step = 1e-6
        differences = (other.logpdf(value + step) - other.logpdf(value - step)) / (2 * step)
        assert slope == pytest.approx(differences, abs=1e-5)
        assert prior.quantile(0.3) == pytest.approx(other.ppf(0.3))
    assert read_prior(str(prior)) == prior


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ("cauchy(0, 1)", "There is no prior 'cauchy'"),
        ("lognormal(0.5)", "needs \\(median, sd of the logarithm\\)"),
        ("normal(0, 0)", "sd of a normal prior must be greater than 0"),
        ("uniform(2, 1)", "needs low < high"),
        ("normal(a, b)", "needs \\(mean, sd\\)"),
        ("wide", "A prior is a family with numbers"),
        (3, "A prior is a family with numbers"),
    ],
)
def test_what_is_no_prior_is_refused_in_words(sentence, message):
    with pytest.raises(InputError, match=message):
        read_prior(sentence)


@pytest.mark.parametrize("range_", RANGES)
def test_a_transform_and_its_inverse_cancel(range_):
    transform = transform_of(range_)
    x = np.linspace(-6, 6, 25)
    values = transform.natural(x)
    assert all(map(range_.admits, values))
    np.testing.assert_allclose(transform.real(values), x, atol=1e-5)


@pytest.mark.parametrize("range_", RANGES)
def test_the_slope_of_a_transform_is_that_of_differences(range_):
    transform, step = transform_of(range_), 1e-6
    for x in (-2.0, 0.3, 1.5):
        value, size, bent = transform.slope(x)
        up, down = transform.slope(x + step), transform.slope(x - step)
        assert value == pytest.approx(float(transform.natural(np.array(x))))
        assert math.exp(size) == pytest.approx(abs(up[0] - down[0]) / (2 * step), rel=1e-6)
        assert bent == pytest.approx((up[1] - down[1]) / (2 * step), abs=1e-6)


def test_ranges_choose_the_scale():
    kinds = [transform_of(range_).kind for range_ in RANGES]
    assert kinds == [PLAIN, LOG, LOGIT, LOG, MIRRORED, LOGIT]
    assert transform_of(Range(0), 0.0, 2.0).kind == LOGIT  # a prior that is enclosed


@pytest.mark.parametrize("words", ["lognormal(0.5, 1)", "gamma(2, 1)", "uniform(0, 4)", None])
def test_the_prior_on_the_real_line_is_a_density(words):
    [lam] = free_parameters(AGENT, {"lam": words})
    x = np.linspace(-40, 40, 400_001)
    density = np.exp([lam.log_prior(value)[0] for value in x[::20]])
    assert density.sum() * (x[20] - x[0]) == pytest.approx(1.0, abs=1e-4)
    step = 1e-5
    for value in (-1.0, 0.2):
        differences = (lam.log_prior(value + step)[0] - lam.log_prior(value - step)[0]) / (2 * step)
        assert lam.log_prior(value)[1] == pytest.approx(differences, abs=1e-6)


def test_typical_values_are_the_default_prior():
    [lam] = free_parameters(AGENT, ["lam"])
    ends = lam.center + lam.width * stats.norm.ppf([0.05, 0.95])
    np.testing.assert_allclose(np.exp(ends), [0.1, 5.0])


def test_lists_and_tables_say_the_same():
    first = free_parameters(AGENT, ["lam~lognormal(0.5, 1)", "rho"])
    assert first == free_parameters(AGENT, {"lam": "lognormal(0.5, 1)", "rho": {}})
    assert free_parameters(AGENT, first) is first


@pytest.mark.parametrize(
    ("free", "message"),
    [
        ([], "Nothing is free"),
        (["lamb"], "did you mean 'lam'"),
        (["side"], "only a number can be free"),
        (["lam~normal(0, 1)"], "reaches beyond that"),
        ({"lam": {"prior": "lognormal(1, 1)", "sd": 2}}, "There is no setting of lam 'sd'"),
        ({"lam": {"spread": -1}}, "spread of lam must be a number"),
        (["lam", "lam ~ gamma(1, 1)"], "free twice"),
    ],
)
def test_what_cannot_be_free_is_refused_in_words(free, message):
    with pytest.raises(InputError, match=message):
        free_parameters(AGENT, free)
