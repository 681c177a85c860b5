"""Values estimated from logs: against sums by hand, and against truths that are known."""

import math

import numpy as np
import pytest

from armwise.analysis.intervals import binomial_interval
from armwise.analysis.logged import METHODS, Log, value
from armwise.errors import InputError

THETAS = np.array([0.05, 0.1, 0.2])
TARGET = np.array([0.1, 0.3, 0.6])
TRUTH = float(THETAS @ TARGET)


def by_hand(log, target, method):
    """The mean of the estimate, a row at a time and in plain Python."""
    ones, seen = [0.5] * log.count, [1.0] * log.count
    total = weights = 0.0
    for arm, outcome, propensity in zip(log.arms, log.outcomes, log.propensities, strict=True):
        weight = target[arm] / propensity
        weights += weight
        if method == "doubly robust":
            believed = [o / s for o, s in zip(ones, seen, strict=True)]
            total += sum(t * b for t, b in zip(target, believed, strict=True))
            total += weight * (outcome - believed[arm])
            ones[arm] += outcome
            seen[arm] += 1.0
        else:
            total += weight * outcome
    return total / (weights if method == "self-normalised" else len(log.arms))


def fixed(rng, rows):
    """A log of a fixed way to choose, which is not the target."""
    chances = np.array([0.5, 0.3, 0.2])
    arms = rng.choice(3, rows, p=chances)
    return Log(arms, rng.random(rows) < THETAS[arms], chances[arms])


def adaptive(rng, rows):
    """A log of an agent that learns: mostly the best arm so far, now and then any."""
    ones, seen = np.ones(3), np.full(3, 2.0)
    arms, outcomes, propensities = [], [], []
    luck = rng.random((rows, 3))
    for row in range(rows):
        chances = np.full(3, 0.2)
        chances[int(np.argmax(ones / seen))] += 0.4
        arm = int(np.searchsorted(np.cumsum(chances), luck[row, 0] * (1 - 1e-12)))
        outcome = luck[row, 1] < THETAS[arm]
        ones[arm] += outcome
        seen[arm] += 1
        arms.append(arm)
        outcomes.append(outcome)
        propensities.append(chances[arm])
    return Log(arms, outcomes, propensities)


@pytest.mark.parametrize("method", METHODS)
def test_an_estimate_is_the_sum_by_hand(method):
    log = fixed(np.random.default_rng(1), 200)
    assert value(log, TARGET, method).mean == pytest.approx(by_hand(log, TARGET, method), rel=1e-12)
    rows = np.tile(TARGET, (200, 1))
    assert value(log, rows, method) == pytest.approx(value(log, TARGET, method), rel=1e-12)
    names = Log(log.arms, log.outcomes, log.propensities, ("a", "b", "c"))
    by_name = dict(zip("abc", TARGET, strict=True))
    assert value(names, by_name, method) == value(log, TARGET, method)


@pytest.mark.parametrize("method", METHODS)
def test_the_value_of_the_way_that_wrote_the_log_is_its_mean_outcome(method):
    log = fixed(np.random.default_rng(2), 400)
    found = value(log, [0.5, 0.3, 0.2], method)
    assert found.effective == pytest.approx(400)
    if method != "doubly robust":
        assert found.mean == pytest.approx(log.outcomes.mean(), rel=1e-12)
        assert found.sem == pytest.approx(log.outcomes.std(ddof=1) / math.sqrt(400), rel=1e-9)


@pytest.mark.parametrize(("write", "logs"), [(fixed, 1_500), (adaptive, 120)])
def test_intervals_hold_the_truth_as_often_as_they_say(write, logs):
    """The short form; the long one is slow. Five standard errors of the number of logs."""
    covered(write, logs, rows=1_000, within=5 * math.sqrt(0.95 * 0.05 / logs))


@pytest.mark.slow
@pytest.mark.parametrize("write", [fixed, adaptive])
def test_intervals_hold_the_truth_in_95_of_100_logs(write):
    """4,000 logs of 3,000 rows: two points are 5.8 standard errors."""
    covered(write, 4_000, rows=3_000, within=0.02)


def covered(write, logs, rows, within):
    rng = np.random.default_rng(3)
    found = {method: [] for method in METHODS}
    for _ in range(logs):
        log = write(rng, rows)
        for method in METHODS:
            found[method].append(value(log, TARGET, method))
    for method, estimates in found.items():
        means = np.array([each.mean for each in estimates])
        spread = means.std(ddof=1)
        bias = 1 / rows if method == "self-normalised" else 0.0  # it vanishes like 1 / rows
        assert abs(means.mean() - TRUTH) < 5 * spread / math.sqrt(logs) + bias, method
        sems = np.mean([each.sem for each in estimates])
        assert sems == pytest.approx(spread, rel=5 / math.sqrt(2 * logs) + 0.02), method
        share = np.mean([each.low <= TRUTH <= each.high for each in estimates])
        assert abs(share - 0.95) <= within, (
            method,
            share,
            binomial_interval(round(share * logs), logs),
        )


def test_doubly_robust_has_less_spread_than_inverse_propensity():
    log = fixed(np.random.default_rng(4), 5_000)
    sems = {method: value(log, TARGET, method).sem for method in METHODS}
    assert sems["doubly robust"] < sems["inverse propensity"]
    assert sems["self-normalised"] < sems["inverse propensity"]


def test_a_wider_confidence_is_a_wider_interval():
    log = fixed(np.random.default_rng(5), 100)
    narrow, wide = (value(log, TARGET, confidence=level) for level in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.mean == wide.mean < narrow.high < wide.high


def test_arms_that_the_log_never_tried_are_a_warning():
    log = Log([0, 0, 1, 1], [0, 1, 1, 1], [0.5] * 4, ("a", "b", "c"))
    with pytest.warns(UserWarning, match=r"never tried, with probability 0\.4"):
        value(log, [0.3, 0.3, 0.4])
    with pytest.raises(InputError, match="no row with an arm that the target would choose"):
        value(log, [0.0, 0.0, 1.0])


def test_an_arm_that_was_given_up_is_a_warning():
    """After ten rows its propensity is next to nothing, and it is not seen again."""
    arms = [1] * 5 + [0] * 195
    log = Log(arms, [1, 0] * 100, [0.5] * 10 + [0.999] * 190)
    with pytest.warns(UserWarning, match=r"hardly tried: weights have the mean 0\.05"):
        value(log, [0.0, 1.0])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (([0], [1], [0.5]), "at least 2, not 1, 1 and 1"),
        (([0, 1], [1], [0.5, 0.5]), "at least 2, not 2, 1 and 2"),
        (([0, -1], [1, 0], [0.5, 0.5]), "whole number from 0 up, not -1"),
        (([0, 0.5], [1, 0], [0.5, 0.5]), "whole number from 0 up, not 0.5"),
        (([0, 1], [1, 2], [0.5, 0.5]), "must be 0 or 1, not 2"),
        (([0, 1], [1, math.nan], [0.5, 0.5]), "must be 0 or 1, not nan"),
        (([0, 1], [1, 0], [0.5, 0.0]), "above 0 and at most 1, not 0"),
        (([0, 1], [1, 0], [0.5, 1.5]), "above 0 and at most 1, not 1.5"),
        ((["a", "b"], [1, 0], [0.5, 0.5]), "arms must be a list of numbers"),
        (([0, 2], [1, 0], [0.5, 0.5], ("a", "b")), "names must name all 3 arms, not 2"),
    ],
)
def test_a_log_that_cannot_be_is_a_sentence(given, sentence):
    with pytest.raises(InputError, match=sentence):
        Log(*given)


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ([0.5, 0.6], "at least 0 and sum to 1"),
        ([1.5, -0.5], "at least 0 and sum to 1"),
        ([math.nan, 1.0], "at least 0 and sum to 1"),
        ([1.0], r"must have 2 probabilities.*not the shape \(1, 1\)"),
        ("best", "target must be probabilities"),
        ({"c": 1.0}, "has no arm 'c', which the target names"),
    ],
)
def test_a_target_that_cannot_be_is_a_sentence(target, sentence):
    log = Log([0, 1], [1, 0], [0.5, 0.5], ("a", "b"))
    with pytest.raises(InputError, match=sentence):
        value(log, target)
    with pytest.raises(InputError, match="method must be one of"):
        value(log, [0.5, 0.5], "dr")
    with pytest.raises(InputError, match="confidence must be a number"):
        value(log, [0.5, 0.5], confidence=1.0)
