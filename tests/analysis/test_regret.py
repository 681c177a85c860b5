"""Regret measures against SciPy, closed forms, exact enumeration and brute-force definitions."""

import itertools
import math
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.stats
import xarray
from hypothesis import given
from hypothesis import strategies as st

from armwise import (
    Agent,
    ApproximateActiveInference,
    RandomChoice,
    StationaryBandit,
    SwitchingBandit,
    ThompsonSampling,
    VaryingBandit,
    simulate,
)
from armwise.analysis import intervals, regret
from armwise.errors import InputError

TRIALS = (10, 100, 200)
BANDIT = StationaryBandit(arms=3)


def hand_made(values: Any, trials: Sequence[int] = TRIALS, **coords: Any) -> xarray.Dataset:
    """A result with the coordinates that `simulate` gives it."""
    values = np.asarray(values, dtype=float)
    bandit = {"bandit": "stationary", "bandit_arms": 10, "bandit_epsilon": 0.1, "seed": 0}
    axes = {"agent": np.arange(len(values)), "trial": list(trials)}
    return xarray.Dataset({"regret": (("agent", "trial"), values)}, {**bandit, **axes, **coords})


def random_result(seed: int, agents: int = 20, **coords: Any) -> xarray.Dataset:
    steps = np.random.default_rng(seed).exponential(size=(agents, len(TRIALS)))
    return hand_made(np.cumsum(steps, axis=1), **coords)


def played(policy: Any, bandit: Any = BANDIT, **options: Any) -> xarray.Dataset:
    options = {"horizon": 30, "agents": 6, "device": "python", **options}
    return simulate(bandit, Agent(policy), **options)


# Rates and summaries


def test_rate_is_regret_over_trial_for_every_agent():
    result = random_result(1)
    found = regret.rate(result)
    assert found.dims == ("agent", "trial")
    assert found.name == "rate"
    for i, j in itertools.product(range(20), range(3)):
        assert found.values[i, j] == result.regret.values[i, j] / TRIALS[j]


def test_rate_of_a_simulation_keeps_its_coordinates():
    found = regret.rate(played(RandomChoice()))
    assert found.coords["policy"].item() == "RC"
    assert found.shape == (6, 12)


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_summary_is_scipy_at_every_trial(confidence):
    result = random_result(2, policy="TS")
    found = regret.summary(result, confidence)
    assert set(found.data_vars) == {
        *("mean_regret", "sem", "low", "high", "rate", "rate_low", "rate_high")
    }
    for j, trial in enumerate(TRIALS):
        values, here = result.regret.values[:, j], found.sel(trial=trial)
        oracle = scipy.stats.ttest_1samp(values, 0.0).confidence_interval(confidence)
        assert here.mean_regret.item() == pytest.approx(values.mean(), rel=1e-12)
        assert here.sem.item() == pytest.approx(scipy.stats.sem(values), rel=1e-12)
        assert [here.low.item(), here.high.item()] == pytest.approx([*oracle], rel=1e-9)
        assert here.rate.item() == pytest.approx(values.mean() / trial, rel=1e-12)
        rates = [here.rate_low.item() * trial, here.rate_high.item() * trial]
        assert rates == pytest.approx([*oracle], rel=1e-9)


def test_summary_keeps_provenance_but_no_agents():
    result = random_result(2, policy="TS").assign_attrs(device="cpu")
    found = regret.summary(result, 0.9)
    assert dict(found.sizes) == {"trial": 3}
    assert found.coords["policy"].item() == "TS"
    assert found.attrs == {"device": "cpu", "agents": 20, "confidence": 0.9}


def test_summary_does_not_depend_on_the_order_of_dimensions():
    result = random_result(3)
    xarray.testing.assert_identical(
        regret.summary(result), regret.summary(result.transpose("trial", "agent"))
    )


# Intervals


@pytest.mark.parametrize("n", [2, 3, 10, 1000])
@pytest.mark.parametrize("confidence", [0.01, 0.5, 0.95, 0.999])
def test_mean_interval_is_students(n, confidence):
    values = np.random.default_rng(n).normal(3.0, 2.0, n)
    found = regret.mean_interval(values, confidence)
    sem = scipy.stats.sem(values)
    oracle = scipy.stats.t.interval(confidence, n - 1, values.mean(), sem)
    assert all(type(number) is float for number in found)
    assert [found.mean, found.sem] == pytest.approx([values.mean(), sem], rel=1e-12)
    assert [found.low, found.high] == pytest.approx([*oracle], rel=1e-8, abs=1e-10)


def test_mean_interval_goes_over_the_first_axis():
    values = np.random.default_rng(5).normal(size=(7, 3, 2))
    found = regret.mean_interval(values)
    for place in np.ndindex(3, 2):
        one = regret.mean_interval(list(values[:, *place]))
        assert [part[place] for part in found] == pytest.approx([*one], rel=1e-12)


def test_equal_values_have_no_spread_whatever_the_rounding():
    found = regret.mean_interval(np.column_stack([np.full(7, 0.1), np.arange(7.0)]))
    assert [part[0] for part in found] == [0.1, 0.1, 0.1, 0.0]
    assert found.sem[1] == pytest.approx(scipy.stats.sem(np.arange(7.0)))


def test_mean_interval_covers_as_often_as_it_says():
    n, runs, confidence = 5, 20_000, 0.9
    values = np.random.default_rng(7).normal(size=(n, runs))
    found = regret.mean_interval(values, confidence)
    covered = np.mean((found.low <= 0.0) & (found.high >= 0.0))
    assert abs(covered - confidence) < 5 * math.sqrt(confidence * (1 - confidence) / runs)


def test_bootstrap_covers_as_often_as_it_says():
    # Columns share their resamples, so the Monte Carlo error of both ends is common to all runs.
    n, runs, resamples, confidence = 300, 500, 1000, 0.9
    values = np.random.default_rng(8).normal(size=(n, runs))
    found = regret.bootstrap_interval(values, np.mean, confidence, resamples, seed=1)
    covered = np.mean((found.low <= 0.0) & (found.high >= 0.0))
    # What a normal interval with the standard deviation of n (not n - 1) truly covers.
    margin = scipy.stats.norm.ppf(0.5 + confidence / 2) * math.sqrt((n - 1) / n)
    expected = 1 - 2 * scipy.stats.t.sf(margin, n - 1)
    tail = (1 - confidence) / 2
    variance = expected * (1 - expected) / runs + 2 * tail * (1 - tail) / resamples
    assert abs(covered - expected) < 5 * math.sqrt(variance)


def test_bootstrap_of_a_mean_has_the_exact_bootstrap_moments():
    # The bootstrap distribution of a mean has standard deviation sd / sqrt(n); N resamples.
    values, resamples = np.random.default_rng(9).exponential(size=60), 20_000
    found = regret.bootstrap_interval(values, resamples=resamples)
    sd = values.std() / math.sqrt(len(values))
    assert all(type(number) is float for number in found)
    assert found.mean == values.mean()
    # The relative error of a standard deviation is sqrt((kurtosis + 2) / (4 N)).
    kurtosis = scipy.stats.kurtosis(values) / len(values)
    assert abs(found.sem / sd - 1) < 5 * math.sqrt((kurtosis + 2) / (4 * resamples))


@pytest.mark.parametrize("statistic", [np.mean, np.median, np.max])
def test_bootstrap_ends_are_quantiles_of_all_resamples(statistic):
    # Six values have 6^6 equally likely resamples; N drawn, five standard errors of a tail.
    values, confidence, resamples = np.array([0.0, 1.0, 1.7, 2.9, 5.3, 9.1]), 0.8, 20_000
    exact = statistic(np.array([*itertools.product(values, repeat=6)]), axis=1)
    found = regret.bootstrap_interval(values, statistic, confidence, resamples)
    margin = 5 * math.sqrt(0.1 * 0.9 / resamples)
    assert found.mean == statistic(values)
    for end, level in ((found.low, 0.1), (found.high, 0.9)):
        below, up_to = np.mean(exact < end - 1e-9), np.mean(exact <= end + 1e-9)
        assert below - margin < level < up_to + margin


def test_bootstrap_repeats_by_seed_and_whatever_the_chunks(monkeypatch):
    values = np.random.default_rng(10).exponential(size=(31, 2))
    first = regret.bootstrap_interval(values, seed=3, resamples=101)
    again = regret.bootstrap_interval(values, seed=3, resamples=101)
    other = regret.bootstrap_interval(values, seed=4, resamples=101)
    monkeypatch.setattr(intervals, "_CHUNK", 7 * values.size)
    chunked = regret.bootstrap_interval(values, seed=3, resamples=101)
    for one, two, three, four in zip(first, again, chunked, other, strict=True):
        assert np.array_equal(one, two)
        assert np.array_equal(one, three)
        assert one is first.mean or not np.array_equal(one, four)


def test_bootstrap_memory_stays_bounded():
    sizes = []

    def spy(values: np.ndarray, axis: int) -> Any:
        sizes.append(values.size)
        return values.mean(axis=axis)

    regret.bootstrap_interval(np.zeros((1000, 50)), spy, resamples=200)
    assert max(sizes) <= 1 << 20
    assert sum(sizes) == 201 * 50_000


@pytest.mark.parametrize("n", [1, 2, 7, 50, 1000, 10**6])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_binomial_interval_is_clopper_pearson(n, confidence):
    for k in sorted({0, 1, n // 3, n - 1, n}):
        found = regret.binomial_interval(k, n, confidence)
        oracle = scipy.stats.binomtest(k, n).proportion_ci(confidence, method="exact")
        assert found.mean == k / n
        assert [found.low, found.high] == pytest.approx([*oracle], rel=1e-8, abs=1e-12)
        assert found.sem == pytest.approx(math.sqrt(k / n * (1 - k / n) / n))


def test_binomial_interval_is_exact_at_its_ends():
    none, every = regret.binomial_interval(0, 40), regret.binomial_interval(40, 40)
    assert (none.low, every.high) == (0.0, 1.0)
    assert none.high == pytest.approx(1 - 0.025 ** (1 / 40), rel=1e-10)
    assert every.low == pytest.approx(0.025 ** (1 / 40), rel=1e-10)


@pytest.mark.parametrize("theta", [0.003, 0.1, 0.37, 0.5, 0.99])
def test_binomial_interval_never_covers_too_rarely(theta):
    n, confidence = 25, 0.9
    found = [regret.binomial_interval(k, n, confidence) for k in range(n + 1)]
    covers = [interval.low <= theta <= interval.high for interval in found]
    covered = scipy.stats.binom.pmf(np.arange(n + 1), n, theta) @ covers
    assert covered >= confidence
    assert not all(covers)


# Comparisons


def closed_holm(p_values: Sequence[float]) -> list[float]:
    """Holm's procedure as closed Bonferroni testing: the worst of all families with the member."""
    members = range(len(p_values))
    families = [f for r in members for f in itertools.combinations(members, r + 1)]
    return [
        max(min(1.0, len(f) * min(p_values[j] for j in f)) for f in families if i in f)
        for i in members
    ]


@given(st.lists(st.sampled_from([0.0, 1e-9, 0.004, 0.01, 0.03, 0.3, 0.6, 1.0]), max_size=6))
def test_holm_is_closed_bonferroni_testing(p_values):
    assert regret.holm(p_values).tolist() == pytest.approx(closed_holm(p_values), rel=1e-12)


def test_paired_is_scipys_paired_t_test():
    results = {name: random_result(seed) for seed, name in enumerate(["a", "b", "c", "d"])}
    found = regret.paired(results, trial=100, against="b", confidence=0.9)
    assert [one.first for one in found] == ["a", "c", "d"]
    assert {one.second for one in found} == {"b"}
    base = results["b"].regret.sel(trial=100).values
    for one in found:
        mine = results[one.first].regret.sel(trial=100).values
        oracle = scipy.stats.ttest_rel(mine, base)
        ends = oracle.confidence_interval(0.9)
        assert [one.t, one.p] == pytest.approx([oracle.statistic, oracle.pvalue], rel=1e-9)
        assert [one.low, one.high] == pytest.approx([*ends], rel=1e-9)
        assert one.difference == pytest.approx((mine - base).mean(), rel=1e-12)
        assert one.sem == pytest.approx(scipy.stats.sem(mine - base), rel=1e-12)
        assert one.relative == pytest.approx(mine.mean() / base.mean() - 1, rel=1e-9)
    adjusted = closed_holm([one.p for one in found])
    assert [one.p_holm for one in found] == pytest.approx(adjusted, rel=1e-12)


def test_paired_takes_the_last_common_checkpoint():
    one, two = random_result(1), random_result(2).isel(trial=slice(0, 2))
    [found] = regret.paired({"long": one, "short": two})
    wanted = two.regret.sel(trial=100) - one.regret.sel(trial=100)
    assert found.difference == pytest.approx(wanted.mean().item())
    assert [found] == regret.paired({"long": one, "short": two}, trial=100)


def test_pairing_is_antisymmetric():
    results = {"a": random_result(1), "b": random_result(2)}
    [forth], [back] = regret.paired(results, against=0), regret.paired(results, against=1)
    assert (forth.first, forth.second) == (back.second, back.first)
    assert (forth.difference, forth.t, forth.p) == (-back.difference, -back.t, back.p)
    assert (forth.low, forth.high) == pytest.approx((-back.high, -back.low))


@pytest.mark.parametrize(
    ("shift", "t", "p"), [(0.0, 0.0, 1.0), (1.0, math.inf, 0.0), (-1.0, -math.inf, 0.0)]
)
def test_differences_without_variance(shift, t, p):
    base = hand_made(np.arange(15.0).reshape(5, 3))
    [found] = regret.paired({"base": base, "shifted": base.assign(regret=base.regret + shift)})
    assert (found.t, found.p, found.p_holm) == (t, p, p)
    assert (found.difference, found.low, found.high, found.sem) == (shift, shift, shift, 0.0)


def test_relative_difference_from_nothing_is_undefined():
    [found] = regret.paired({"none": hand_made(np.zeros((4, 3))), "some": random_result(1, 4)})
    assert math.isnan(found.relative)


def test_lists_are_labelled_by_policy_then_by_agent():
    results = [played(RandomChoice()), played(ThompsonSampling())]
    assert [one.first for one in regret.paired(results)] == ["TS"]
    assert [one.first for one in regret.paired(results, against="TS")] == ["RC"]
    twice = [played(ApproximateActiveInference(lam=lam)) for lam in (0.1, 0.5)]
    [found] = regret.paired(twice)
    assert found.second.startswith("a-ai:lam=0.1")
    assert found.first.startswith("a-ai:lam=0.5")
    with pytest.raises(InputError, match="different labels"):
        regret.paired([results[0], results[0]])


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"seed": 1}, "seed is 1 in b and 0 in a."),
        ({"agents": 5}, "agents is 5 from number 0 in b and 6 from number 0 in a."),
        ({"agents": range(3, 9)}, "agents is 6 from number 3 in b and 6 from number 0 in a."),
        ({"bandit": StationaryBandit(arms=4)}, "bandit_arms is 4 in b and 3 in a."),
        ({"bandit": StationaryBandit(3, 0.2)}, "bandit_epsilon is 0.2 in b and 0.1 in a."),
        ({"bandit": SwitchingBandit(3)}, "bandit is switching in b and stationary in a."),
    ],
)
def test_only_the_same_bandits_are_paired(changed, sentence):
    results = {"a": played(RandomChoice()), "b": played(RandomChoice(), **changed)}
    with pytest.raises(InputError) as error:
        regret.paired(results)
    assert str(error.value) == f"Paired results must come from the same bandit, but {sentence}"


def test_agents_of_the_same_number_but_other_names_are_not_paired():
    one, two = random_result(1), random_result(2)
    with pytest.raises(InputError, match=r"agent numbers is \[0, 2, 5\] in b and \[0, 3, 5\] in a"):
        regret.paired({"a": one.isel(agent=[0, 3, 5]), "b": two.isel(agent=[0, 2, 5])})


def test_other_horizons_and_policies_meet_the_same_bandits():
    results = [played(RandomChoice(), horizon=20), played(ThompsonSampling(), horizon=30)]
    [found] = regret.paired(results)
    wanted = results[1].regret.sel(trial=20) - results[0].regret.sel(trial=20)
    assert found.difference == pytest.approx(wanted.mean().item())


# Stuck agents


def test_stuck_fraction_counts_agents_above_half_of_the_worst():
    values = np.zeros((8, 3))
    values[:, 1] = [0.0, 4.9, 5.1, 9.0, 5.0, 7.0, 1.0, 2.0]  # epsilon T / 2 = 5 at T = 100
    values[:2, 2] = 10.5
    result = hand_made(values)
    oracle = scipy.stats.binomtest(3, 8).proportion_ci(method="exact")
    assert regret.stuck_fraction(result, 100) == pytest.approx((3 / 8, *oracle), rel=1e-9)
    assert regret.stuck_fraction(result)[0] == 2 / 8
    assert regret.stuck_fraction(result, 10)[:2] == (0.0, 0.0)


def test_stuck_agents_of_a_simulation():
    best = simulate(StationaryBandit(2, 0.3), Agent(RandomChoice()), 200, 12, device="python")
    fraction, low, high = regret.stuck_fraction(best)
    by_hand = sum(total > 0.3 * 200 / 2 for total in best.regret.values[:, -1]) / 12
    assert fraction == by_hand
    assert low <= fraction <= high


# Bounds


@pytest.mark.parametrize("epsilon", [0.001, 0.05, 0.1, 0.2, 0.4])
@pytest.mark.parametrize("arms", [2, 10, 80])
def test_omega_has_its_closed_form(arms, epsilon):
    closed = 2 * epsilon * (arms - 1) / -math.log1p(-4 * epsilon**2)
    assert regret.lai_robbins(arms, epsilon) == pytest.approx(closed, rel=1e-12)


def test_the_printed_bound_is_17_percent_too_high():
    printed = 2 * 0.2 * 9 / math.log(1 + 4 * 0.2**2)
    assert printed / regret.lai_robbins(10, 0.2) == pytest.approx(1.17, abs=0.005)


def test_omega_for_other_p_and_at_certainty():
    oracle = 9 * 0.3 / scipy.stats.entropy([0.2, 0.8], [0.5, 0.5])
    assert regret.lai_robbins(10, 0.3, p=0.2) == pytest.approx(oracle, rel=1e-12)
    assert regret.lai_robbins(10, 0.5) == 0.0
    assert regret.lai_robbins(3, 0.5, p=0.0) == pytest.approx(2 * 0.5 / math.log(2))


@pytest.mark.parametrize("p", [0.0, 1e-6, 0.3, 0.5, 0.999, 1.0])
@pytest.mark.parametrize("q", [1e-6, 0.3, 0.5, 0.7, 0.999])
def test_divergence_is_scipys(p, q):
    oracle = float(scipy.stats.entropy([p, 1 - p], [q, 1 - q]))
    assert regret.bernoulli_divergence(p, q) == pytest.approx(oracle, rel=1e-9, abs=1e-15)


def test_divergence_at_the_edges():
    assert regret.bernoulli_divergence(0.5, 1.0) == math.inf
    assert regret.bernoulli_divergence(0.5, 0.0) == math.inf
    assert regret.bernoulli_divergence(0.0, 0.0) == 0.0
    assert regret.bernoulli_divergence(1.0, 1.0) == 0.0


def test_divergence_of_neighbours_keeps_its_digits():
    # KL = d^2 / (2 p (1 - p)) (1 + O(d)): the third-order term is 0 at p = 1/2.
    d = 2.0**-20
    assert regret.bernoulli_divergence(0.5, 0.5 + d) == pytest.approx(2 * d * d, rel=1e-9)


def test_lai_robbins_bound_grows_with_the_logarithm():
    omega = regret.lai_robbins(20, 0.1)
    found = regret.lai_robbins_bound(20, 0.1, [1, 10, 1000])
    assert found.tolist() == pytest.approx([0.0, omega * math.log(10), omega * math.log(1000)])
    assert type(regret.lai_robbins_bound(20, 0.1, 10)) is float


@pytest.mark.parametrize("bandit", [StationaryBandit(40, 0.2), SwitchingBandit(40, 0.2)])
def test_random_choice_in_a_bandit_of_fixed_difficulty(bandit):
    assert regret.random_choice_regret(bandit, 1000) == pytest.approx(1000 * 0.2 * 39 / 40)
    assert regret.random_choice_regret(bandit, np.array([1, 2])).tolist() == pytest.approx(
        [0.195, 0.39]
    )


def test_random_choice_in_a_bandit_of_varying_difficulty():
    best, _ = scipy.integrate.quad(lambda x: 1 - x**7, 0, 1)  # the mean of the largest of 7
    found = regret.random_choice_regret(VaryingBandit(arms=7), 100)
    assert found == pytest.approx(100 * (best - 0.5))


@pytest.mark.parametrize(
    "bandit", [StationaryBandit(3, 0.4), SwitchingBandit(3, 0.4, 0.1), VaryingBandit(3, 0.2)]
)
def test_random_agents_have_the_regret_of_random_choice(bandit):
    # N = 200 agents; five standard errors.
    result = played(RandomChoice(), bandit, horizon=40, agents=200, seed=11)
    found = regret.mean_interval(result.regret.values[:, -1])
    assert abs(found.mean - regret.random_choice_regret(bandit, 40)) < 5 * found.sem


# Errors, and what an import costs


TS = {"a": random_result(1), "b": random_result(2)}
VARYING = random_result(1).drop_vars("bandit_epsilon").assign_coords(bandit="varying")
LATER = random_result(2).assign_coords(trial=[11, 101, 201])


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: regret.mean_interval([1.0]), "An interval needs at least two values, not 1."),
        (lambda: regret.mean_interval([]), "An interval needs at least two values, not 0."),
        (lambda: regret.mean_interval([1.0, math.nan]), "values must be finite, not nan."),
        (
            lambda: regret.mean_interval([1, 2], 95),
            "confidence must be a number in (0, 1), not 95.",
        ),
        (
            lambda: regret.bootstrap_interval([1, 2], resamples=1),
            "resamples must be a whole number from 2 up, not 1.",
        ),
        (
            lambda: regret.binomial_interval(11, 10),
            "successes must be a whole number from 0 to 10, not 11.",
        ),
        (
            lambda: regret.binomial_interval(0, 0),
            "trials must be a whole number from 1 to 9999999, not 0.",
        ),
        (lambda: regret.holm([0.1, 1.5]), "A p value must be a number in [0, 1], not 1.5."),
        (lambda: regret.holm([math.nan]), "A p value must be a number in [0, 1], not nan."),
        (
            lambda: regret.rate(random_result(1).regret),
            "A result must be a Dataset with regret[agent, trial], not DataArray.",
        ),
        (
            lambda: regret.summary(xarray.concat([*TS.values()], "lam")),
            "A result must be a Dataset with regret[agent, trial], not [lam, agent, trial].",
        ),
        (
            lambda: regret.paired([TS["a"]]),
            "A comparison needs at least two results, not 1.",
        ),
        (
            lambda: regret.paired(TS, trial=90),
            "trial must be a checkpoint, such as 100, not 90.",
        ),
        (
            lambda: regret.paired({"a": TS["a"], "b": LATER}),
            "Paired results must share a checkpoint, unlike a, b.",
        ),
        (lambda: regret.paired(TS, against="c"), "There is no result 'c'. Known: a, b."),
        (
            lambda: regret.paired(TS, against=2),
            "against must be a whole number from 0 to 1, not 2.",
        ),
        (
            lambda: regret.stuck_fraction(VARYING),
            "Stuck agents need a bandit with epsilon, unlike varying.",
        ),
        (lambda: regret.bernoulli_divergence(0.5, 1.2), "q must be a number in [0, 1], not 1.2."),
        (lambda: regret.lai_robbins(1, 0.1), "arms must be a whole number from 2 up, not 1."),
        (lambda: regret.lai_robbins(10, 0.0), "epsilon must be a number in (0, 0.5], not 0.0."),
        (lambda: regret.lai_robbins(10, 0.6), "epsilon must be a number in (0, 0.5], not 0.6."),
        (lambda: regret.lai_robbins(10, 0.1, 1.0), "p must be a number in [0, 1), not 1.0."),
        (lambda: regret.lai_robbins_bound(10, 0.1, [5, 0]), "trials must be at least 1, not 0."),
        (
            lambda: regret.random_choice_regret("stationary", 10),
            "The bandit must be one such as SwitchingBandit(), not 'stationary'.",
        ),
    ],
)
def test_errors_are_one_sentence_that_names_the_value(call, sentence):
    with pytest.raises(InputError) as error:
        call()
    assert str(error.value) == sentence


def test_importing_leaves_xarray_alone():
    code = "import sys, armwise; print('xarray' in sys.modules, 'scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
