"""Measures of changing bandits, against cases made by hand and a plain count."""

import numpy as np
import pytest
import xarray

import armwise as aw
from armwise.analysis.changes import (
    change_points,
    detection_delay,
    false_alarms,
    regret_since_change,
    trials_to_recover,
)

A, B = [0.9, 0.1], [0.1, 0.9]


def made(thetas, chosen=None, gamma=None, regret=None, agents=None):
    """A result of given rows, one per agent."""
    data = {"theta": (("agent", "trial", "arm"), thetas)}
    for name, rows in (("chosen", chosen), ("gamma", gamma), ("regret", regret)):
        if rows is not None:
            data[name] = ("agent", "trial"), rows
    trials = np.arange(1, len(thetas[0]) + 1)
    return xarray.Dataset(data, {"agent": agents or range(len(thetas)), "trial": trials})


def test_a_change_is_where_theta_is_not_what_it_was():
    found = change_points(made([[A, A, B, B, A], [A] * 5], agents=[3, 8]))
    assert found[3].tolist() == [3, 5]
    assert found[8].tolist() == []


def test_regret_since_a_change_is_a_mean_over_changes_that_lasted():
    result = made(
        [[A, A, B, B, A], [A, B, B, B, B]],
        regret=np.cumsum([[0.0, 0.0, 0.8, 0.0, 0.4], [0.0, 0.8, 0.8, 0.8, 0.0]], axis=1),
    )
    found = regret_since_change(result, trials=5)
    np.testing.assert_allclose(found, [2.0 / 3, 0.4, 0.8, 0.0, np.nan], atol=1e-12)
    assert found.changes.values.tolist() == [3, 2, 1, 1, 0]


def test_recovery_needs_its_whole_window_before_the_next_change():
    theta = [[A, A, B, B, B, A, A]]
    result = made(theta, chosen=[[0, 0, 0, 1, 1, 0, 1]])
    found = trials_to_recover(result, share=1.0, window=2)
    np.testing.assert_array_equal(found, [1.0, np.nan])
    assert found.trial.values.tolist() == [3, 6]
    assert found.agent.values.tolist() == [0, 0]
    np.testing.assert_array_equal(trials_to_recover(result, 1.0, 1), [1.0, 0.0])
    np.testing.assert_array_equal(trials_to_recover(result, 0.5, 2), [0.0, 0.0])
    np.testing.assert_array_equal(trials_to_recover(result, 1.0, 4), [np.nan, np.nan])


def test_arms_that_tie_for_the_best_are_all_good():
    result = made([[A, [0.5, 0.5], [0.5, 0.5]]], chosen=[[1, 0, 1]])
    np.testing.assert_array_equal(trials_to_recover(result, 1.0, 2), [0.0])


def test_a_share_that_floats_cannot_hold_is_no_trap():
    result = made([[A] + [B] * 10], chosen=[[0] + [0] * 3 + [1] * 7])
    np.testing.assert_array_equal(trials_to_recover(result, 0.7, 10), [0.0])


def test_detections_are_the_first_alarms_and_the_others_are_false():
    gamma = [[0.9, 0.0, 0.5, 0.6, 0.0, 0.1, 0.0, 0.7], [0.0, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4]]
    result = made([[A, A, B, B, B, A, A, A], [A] * 8], gamma=gamma)
    found = detection_delay(result, threshold=0.5)
    np.testing.assert_array_equal(found, [0.0, 2.0])
    assert false_alarms(result, threshold=0.5).values.tolist() == [2, 0]
    assert false_alarms(result, threshold=0.4).values.tolist() == [2, 7]
    np.testing.assert_array_equal(detection_delay(result, threshold=0.65), [np.nan, 2.0])


def test_a_bandit_without_changes_gives_empty_measures():
    result = made([[A] * 4], [[0] * 4], [[0.0] * 4], [[0.0] * 4])
    assert trials_to_recover(result).sizes == {"change": 0}
    assert detection_delay(result).sizes == {"change": 0}
    assert regret_since_change(result, 3).changes.values.tolist() == [0, 0, 0]


def test_a_simulation_agrees_with_a_plain_count():
    result = aw.simulate(
        aw.VaryingBandit(arms=3, rho=0.1),
        aw.Agent(aw.ApproximateActiveInference(), aw.Smile(rho=0.1)),
        horizon=60,
        agents=4,
        seed=2,
        checkpoints=aw.every(1),
        record=["arm", "theta", "gamma"],
        device="python",
    )
    threshold, delays, alarms, sums = 0.2, [], [], {}
    for agent in range(4):
        theta, gamma = result.theta.values[agent], result.gamma.values[agent]
        since, waiting, false = None, False, 0
        for i in range(60):
            if i > 0 and (theta[i] != theta[i - 1]).any():
                since, waiting = 0, True
                delays.append(np.nan)
            if gamma[i] >= threshold:
                if waiting:
                    delays[-1], waiting = since, False
                else:
                    false += 1
            if since is not None:
                paid = theta[i].max() - theta[i][int(result.chosen.values[agent, i])]
                sums.setdefault(since, []).append(paid)
                since += 1
        alarms.append(false)
    assert len(delays) > 5
    np.testing.assert_array_equal(detection_delay(result, threshold), delays)
    assert false_alarms(result, threshold).values.tolist() == alarms
    found = regret_since_change(result, 20)
    wanted = [np.mean(sums.get(i, [np.nan])) for i in range(20)]
    np.testing.assert_allclose(found, wanted, atol=1e-12)


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        (lambda r: change_points(r.drop_vars("theta")), "no theta: record theta"),
        (lambda r: trials_to_recover(r.drop_vars("chosen")), "no chosen: record arm"),
        (lambda r: detection_delay(r.isel(trial=[1, 2])), "every trial"),
        (lambda r: trials_to_recover(r, share=0.0), "share must be a number in"),
        (lambda r: trials_to_recover(r, window=0), "window must be"),
        (lambda r: false_alarms(r, threshold=1.5), "threshold must be a number in"),
        (lambda r: regret_since_change(r, trials=0), "trials must be"),
    ],
)
def test_what_cannot_be_measured_is_refused(measure, words):
    result = made([[A, B, A]], [[0] * 3], [[0.0] * 3], [[0.0] * 3])
    with pytest.raises(aw.InputError, match=words):
        measure(result)
