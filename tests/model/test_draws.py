"""Addressed randomness: known answers, distributions, independence, the same bits when compiled.

Distributions are tested with N = 100 000 draws at fixed seeds. A correct sampler falls below the
significance level once in ten thousand seeds, so a failure is a finding, not bad luck.
"""

import functools
import math
from fractions import Fraction

import numba
import numpy as np
import pytest
import scipy.special
import scipy.stats

from armwise.engine.binding import rebind
from armwise.model import draws as random
from armwise.model.draws import (
    AGENT,
    BANDIT,
    CHOICE,
    EVERY_ARM,
    NOT_DRAWN,
    Stream,
    beta_draw,
    for_arm,
    for_trial,
    gamma_draw,
    gumbel,
    integer,
    log_gamma_draw,
    luck,
    normal,
    pair,
    peak,
    philox,
    root,
    stream,
    uniform,
    with_luck,
)
from armwise.numerics.hook import hook

N = 100_000
SIGNIFICANCE = 1e-4
FLOOR = 1e-300  # below it doubles lose digits, then underflow: a draw there is censored
LAST = 0xFFFFFFFF

KNOWN_ANSWERS = [
    (
        "00000000 00000000 00000000 00000000",
        "00000000 00000000",
        "5f6fb709 0d893f64 4f121f81 4f730a48",
    ),
    (
        "ffffffff ffffffff ffffffff ffffffff",
        "ffffffff ffffffff",
        "5207ddc2 45165e59 4d8ee751 8c52f662",
    ),
    (
        "243f6a88 85a308d3 13198a2e 03707344",
        "a4093822 299f31d0",
        "4dfccaba 190a87f0 c47362ba b6b5242a",
    ),
]
BETAS = [
    (1.0, 1.0),
    (1.0, 7.0),
    (5.0, 1.0),
    (2.0, 3.0),
    (50.0, 1.5),
    (0.3, 0.4),
    (0.001, 2.0),
    (1e4, 3e4),
    (1e6, 1e6),
    (0.4, 3.0),
    (1.0 + 2**-52, 1.0 + 2**-51),
]
SHAPES = [0.001, 0.3, 1.0, 2.5, 1e4]


@hook
def draw(rng, a, b):
    """Stands for one of the samplers below."""
    raise NotImplementedError


def draw_uniform(rng, a, b):
    return uniform(rng, int(a))


def draw_normal(rng, a, b):
    return normal(rng, 0)


def draw_gumbel(rng, a, b):
    return gumbel(rng, 0)


def draw_integer(rng, a, b):
    return float(integer(rng, 0, int(a)))


def draw_gamma(rng, a, b):
    return gamma_draw(rng, 0, a)


def draw_log_gamma(rng, a, b):
    return log_gamma_draw(rng, int(b), a)


def draw_luck(rng, a, b):
    return luck(rng)


def draw_beta(rng, a, b):
    return beta_draw(rng, a, b)


SAMPLERS = [
    (draw_uniform, 1.0, 0.0),
    (draw_normal, 0.0, 0.0),
    (draw_gumbel, 0.0, 0.0),
    (draw_integer, 10.0, 0.0),
    (draw_luck, 0.0, 0.0),
    *((draw_log_gamma, shape, 3.0) for shape in SHAPES),
    *((draw_beta, a, b) for a, b in BETAS),
]


def fill(out, addresses, a, b):
    for row in range(len(out)):
        low, high, agent, purpose, trial, arm = addresses[row]
        out[row] = draw(Stream(low, high, agent, purpose, trial, arm, NOT_DRAWN), a, b)


@functools.cache
def filler(sampler):
    return rebind(fill, {draw: sampler}, numba.njit)


def addresses(count=N, seed=7, agent=3, purpose=AGENT, arm=1):
    """Rows of addresses, one per trial."""
    rows = np.empty((count, 6), dtype=np.int64)
    rows[:] = stream(seed, agent, purpose, 0, arm)[:6]
    rows[:, 4] = np.arange(count)
    return rows


def sample(sampler, a=0.0, b=0.0, rows=None):
    rows = addresses() if rows is None else rows
    out = np.empty(len(rows))
    filler(sampler)(out, rows, float(a), float(b))
    return out


def interpreted(sampler, rows, a, b):
    return np.array([sampler(Stream(*map(int, row), NOT_DRAWN), a, b) for row in rows])


def levels(values, cdf):
    """The probability transform; values below the floor are spread over what lies below it."""
    found = cdf(values)
    censored = values < FLOOR
    spread = np.random.default_rng(0).uniform(0.0, 1.0, len(values))
    return np.where(censored, spread * cdf(np.array([FLOOR])), found)


def assert_uniform(values):
    assert scipy.stats.kstest(values, "uniform").pvalue > SIGNIFICANCE


@pytest.mark.parametrize("compiler", [None, numba.njit], ids=["interpreted", "compiled"])
@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN_ANSWERS)
def test_philox_gives_the_known_answers(compiler, counter, key, expected):
    words = [int(word, 16) for word in f"{counter} {key}".split()]
    found = rebind(philox, {}, compiler)(*words)
    assert " ".join(f"{word:08x}" for word in found) == expected


@pytest.mark.parametrize(
    ("high", "low"), [(0, 0), (LAST, LAST), (0, LAST), (LAST, 0), (123456789, 987654321)]
)
def test_a_fraction_is_exact_and_inside_the_open_interval(high, low):
    found = random._fraction(high, low)
    words = ((high >> 6) << 26) + (low >> 6)
    assert Fraction(found) == Fraction(2 * words + 1, 2**53)
    assert 0.0 < found < 1.0


def test_luck_is_uniform_and_independent_over_the_arms_of_a_group():
    groups = np.array([sample(draw_luck, rows=addresses(arm=arm)) for arm in (*range(16), 16, 40)])
    for values in groups:
        assert_uniform(values)
    # The product of two independent uniforms has the distribution function x - x ln x.
    for first, second in ((0, 1), (3, 15), (7, 8), (2, 16), (16, 17)):
        product = groups[first] * groups[second]
        assert_uniform(product * (1.0 - np.log(product)))
        above = np.mean((groups[first] > 0.95) & (groups[second] > 0.95))
        assert above == pytest.approx(0.0025, abs=5.0 * math.sqrt(0.0025 / N))
    assert_uniform(groups[:16].max(axis=0) ** 16)


def test_the_peak_of_a_group_is_its_largest_luck():
    for trial in range(200):
        rng = stream(2, 5, AGENT, trial)
        for group in (0, 3):
            lucks = [luck(for_arm(rng, 16 * group + place)) for place in range(16)]
            power, place = peak(rng, group)
            assert max(lucks) == lucks[place] == root(power)
            assert min(lucks) > 0.0
            assert max(lucks) < 1.0


def test_luck_that_is_known_is_not_drawn_again():
    rng = stream(2, 5, AGENT, 1)
    assert luck(with_luck(rng, 3, 0.25)) == 0.25


def test_roots_stay_inside_the_open_interval():
    assert 0.0 < root(random._fraction(0, 0)) < root(random._fraction(LAST, LAST)) < 1.0


def test_a_seed_of_64_bits_is_split_into_words():
    words = stream(0x0123456789ABCDEF, 4, CHOICE, 5, 6)
    assert words == (0x89ABCDEF, 0x01234567, 4, CHOICE, 5, 6, NOT_DRAWN)


def test_an_address_moves_to_another_arm_or_trial_and_keeps_the_rest():
    origin = stream(1, 2, AGENT, 3)
    assert origin == (1, 0, 2, AGENT, 3, EVERY_ARM, NOT_DRAWN)
    assert for_arm(origin, 5) == (1, 0, 2, AGENT, 3, 5, NOT_DRAWN)
    assert for_trial(origin, 9) == (1, 0, 2, AGENT, 9, EVERY_ARM, NOT_DRAWN)


def test_a_pair_holds_the_draws_of_its_block():
    rng = stream(5, 6, AGENT, 7, 8)
    for block in range(5):
        assert pair(rng, block) == (uniform(rng, 2 * block), uniform(rng, 2 * block + 1))


@pytest.mark.parametrize("number", [0, 1, 2, 5])
def test_uniforms_are_uniform_in_the_open_interval(number):
    values = sample(draw_uniform, number)
    assert values.min() > 0.0
    assert values.max() < 1.0
    assert_uniform(values)


def test_normals_are_normal():
    assert_uniform(scipy.stats.norm.cdf(sample(draw_normal)))


def test_gumbels_are_gumbel():
    assert_uniform(scipy.stats.gumbel_r.cdf(sample(draw_gumbel)))


@pytest.mark.parametrize("shape", SHAPES)
def test_gammas_are_gamma(shape):
    values = sample(draw_gamma, shape)
    assert_uniform(levels(values, lambda x: scipy.special.gammainc(shape, x)))


@pytest.mark.parametrize("shape", SHAPES)
def test_logarithms_of_gammas_do_not_underflow(shape):
    values = sample(draw_log_gamma, shape)
    # Below exp(-35) the first term of the series is exact to 1e-15.
    series = np.exp(shape * np.minimum(values, -35.0) - scipy.special.gammaln(shape + 1.0))
    known = np.where(values < -35.0, series, scipy.special.gammainc(shape, np.exp(values)))
    assert np.isfinite(values).all()
    assert_uniform(known)


@pytest.mark.parametrize(("a", "b"), BETAS)
def test_betas_are_beta_in_every_branch(a, b):
    values = sample(draw_beta, a, b)
    assert ((values >= 0.0) & (values <= 1.0)).all()
    assert_uniform(levels(values, lambda x: scipy.special.betainc(a, b, x)))


@pytest.mark.parametrize("count", [2, 3, 10, 80])
def test_integers_are_uniform_below_their_count(count):
    values = sample(draw_integer, count)
    found = np.bincount(values.astype(int))
    assert len(found) == count
    assert scipy.stats.chisquare(found).pvalue > SIGNIFICANCE


@pytest.mark.parametrize("column", [0, 1, 2, 3, 4, 5], ids=Stream._fields[:6])
@pytest.mark.parametrize("sampler", [draw_uniform, draw_beta], ids=["uniform", "beta"])
def test_neighbouring_addresses_are_independent(column, sampler):
    rows = addresses(arm=4, agent=8, purpose=BANDIT)
    beside = rows.copy()
    beside[:, column] += 1
    # Under independence a correlation has the standard error 1 / sqrt(N).
    first, second = (sample(sampler, 2.0, 3.0, each) for each in (rows, beside))
    assert abs(np.corrcoef(first, second)[0, 1]) < 5.0 / np.sqrt(N)
    spread = [np.abs(values - np.median(values)) for values in (first, second)]
    assert abs(np.corrcoef(*spread)[0, 1]) < 5.0 / np.sqrt(N)


@pytest.mark.parametrize(("one", "other"), [(0, 1), (1, 2), (0, 2), (0, 3)])
def test_draws_of_one_address_are_independent(one, other):
    found = np.corrcoef(sample(draw_uniform, one), sample(draw_uniform, other))[0, 1]
    assert abs(found) < 5.0 / np.sqrt(N)


def test_the_two_gammas_behind_a_beta_share_no_draw():
    one, other = (sample(draw_log_gamma, 0.5, block) for block in (0, 1 << 20))
    assert abs(np.corrcoef(one, other)[0, 1]) < 5.0 / np.sqrt(N)


def test_distinct_addresses_give_distinct_draws():
    axes = [(0, 1, LAST), (0, 1, LAST), (0, 1, 2, LAST), (BANDIT, AGENT, CHOICE), (0, 1, 2, LAST)]
    grid = np.meshgrid(*axes, (0, 1, 255, 256, EVERY_ARM - 2, EVERY_ARM), indexing="ij")
    rows = np.stack([axis.ravel() for axis in grid], axis=1).astype(np.int64)
    values = np.concatenate([sample(draw_uniform, k, rows=rows) for k in (0, 1, 2, 1 << 21)])
    # 10 368 draws of 52 bits: two agree by chance with probability 1e-8.
    assert len(np.unique(values)) == len(values) == 4 * 3 * 3 * 4 * 3 * 4 * 6


@pytest.mark.parametrize(("sampler", "a", "b"), SAMPLERS)
def test_interpreted_and_compiled_draws_have_the_same_bits(sampler, a, b):
    rows = addresses(200)
    edges = np.array([[LAST, LAST, LAST, CHOICE, LAST, EVERY_ARM], [0, 0, 0, BANDIT, 0, 0]])
    rows = np.concatenate([rows, edges])
    assert np.array_equal(sample(sampler, a, b, rows), interpreted(sampler, rows, a, b))
