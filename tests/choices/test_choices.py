"""Choice rules: uniform ties, softmax frequencies, probabilities that sum to one.

Frequencies are tested at the significance 1e-5 with fixed seeds.
"""

import functools
import math
from typing import NamedTuple

import numba
import numpy as np
import pytest
import scipy.special
import scipy.stats

import armwise as aw
from armwise.engine.binding import rebind, slots_of_agent
from armwise.engine.definition import log_probability, pick
from armwise.engine.ways import PLAIN
from armwise.model.draws import CHOICE, EVERY_ARM, NOT_DRAWN, Stream, stream

SIGNIFICANCE = 1e-5
N = 50_000


class Parameters(NamedTuple):
    """What a compiled choice rule sees of itself."""

    precision: float


def repeat(choice, scores, counts, seed):
    """Choose again and again; count the arms."""
    keys = np.empty(len(scores))
    for trial in range(N):
        rng = Stream(seed, 0, 1, CHOICE, trial, EVERY_ARM, NOT_DRAWN)
        counts[pick(choice, scores, keys, len(scores), rng)] += 1


@functools.cache
def repeater(rule):
    return rebind(repeat, bound(rule()), numba.njit)


def bound(choice):
    return slots_of_agent(aw.Agent(aw.ApproximateActiveInference(), choice=choice), PLAIN)


def counted(choice, scores, seed=6):
    """How often each arm is chosen in N trials."""
    counts = np.zeros(len(scores), dtype=np.int64)
    parameters = Parameters(getattr(choice, "precision", 0.0))
    repeater(type(choice))(parameters, np.array(scores, dtype=float), counts, seed)
    assert counts.sum() == N
    return counts


def assert_uniform(counts):
    assert scipy.stats.chisquare(counts).pvalue > SIGNIFICANCE


@pytest.mark.parametrize(
    ("scores", "best"),
    [
        ([0.5, 0.5, 0.5, 0.5], [0, 1, 2, 3]),
        ([0.1, 0.7, 0.3, 0.7, 0.7], [1, 3, 4]),
        ([0.0, 0.0, 0.0], [0, 1, 2]),
        ([-2.0, -1.0, -1.0], [1, 2]),
        ([1.0, 1.0 - 5e-13, 1.0 - 2e-12], [0, 1]),
        ([-1.0, -1.0 - 5e-13, -1.0 - 2e-12], [0, 1]),
        ([1e9, 1e9 - 1e-4, 1e9 - 1e-2], [0, 1]),
        ([1e-9, 1e-9 - 1e-22, 1e-9 - 1e-20], [0, 1]),
        ([-math.inf, 0.2, -math.inf, 0.2], [1, 3]),
        ([0.1] * 80, range(80)),
    ],
)
def test_argmax_chooses_uniformly_among_the_best(scores, best):
    counts = counted(aw.Argmax(), scores)
    assert counts[list(best)].sum() == N
    assert_uniform(counts[list(best)])


@pytest.mark.parametrize("scores", [[0.1, 0.3, 0.2], [-3.0, -5.0], [0.0, 1e-300, -1.0]])
def test_argmax_always_chooses_a_single_best_arm(scores):
    assert counted(aw.Argmax(), scores)[np.argmax(scores)] == N


def test_ties_of_neighbouring_trials_are_broken_independently():
    choose = rebind(pick, bound(aw.Argmax()))
    arms = [
        choose(aw.Argmax(), [0.5] * 3, [0.0] * 3, 3, stream(6, 0, CHOICE, t)) for t in range(6_000)
    ]
    steps = np.zeros((3, 3))
    np.add.at(steps, (arms[::2], arms[1::2]), 1)
    assert_uniform(steps.ravel())


@pytest.mark.parametrize("precision", [0.5, 2.0, 20.0])
@pytest.mark.parametrize("scores", [[0.1, 0.5, 0.3], [0.9, 0.9, 0.2, 1.0], [-4.0, -4.1]])
def test_softmax_frequencies_are_its_probabilities(precision, scores):
    expected = N * scipy.special.softmax(precision * np.array(scores))
    found = counted(aw.Softmax(precision=precision), scores)
    often = expected >= 5  # the rest, if any, shares one bin
    if not often.all():
        expected = np.append(expected[often], expected[~often].sum())
        found = np.append(found[often], found[~often].sum())
    assert scipy.stats.chisquare(found, expected).pvalue > SIGNIFICANCE


def test_softmax_without_precision_is_uniform():
    assert_uniform(counted(aw.Softmax(precision=0.0), [0.1, 5.0, -3.0, 0.2]))


def test_softmax_of_high_precision_is_an_argmax_with_ties():
    counts = counted(aw.Softmax(precision=1e5), [0.5, 0.4, 0.5, 0.499])
    assert counts[[1, 3]].tolist() == [0, 0]
    assert_uniform(counts[[0, 2]])


@pytest.mark.parametrize("precision", [0.0, 2.0])
def test_softmax_never_chooses_an_arm_that_may_not_be_chosen(precision):
    counts = counted(aw.Softmax(precision=precision), [0.3, -math.inf, 0.3])
    assert counts[1] == 0
    assert_uniform(counts[[0, 2]])


@pytest.mark.parametrize("precision", [0.0, 0.3, 5.0, 1e5])
@pytest.mark.parametrize(
    "scores", [[0.1, 0.5, 0.3], [-700.0, 700.0], [1e-3] * 10, [3.0, -2.0, 0.0, 3.0]]
)
def test_log_probabilities_are_those_of_scipy_and_sum_to_one(precision, scores):
    choice, arms = aw.Softmax(precision=precision), len(scores)
    chance = rebind(log_probability, bound(choice))
    found = [chance(choice, scores, arms, arm) for arm in range(arms)]
    # The largest weight, 1e5 * 700, is known to 2**-53 of itself: 1e-8; else a few roundings.
    tolerance = 1e-14 + 4 * 2**-53 * precision * max(abs(score) for score in scores)
    expected = scipy.special.log_softmax(precision * np.array(scores))
    assert found == pytest.approx(expected, rel=1e-14, abs=tolerance)
    assert math.fsum(map(math.exp, found)) == pytest.approx(1.0, rel=arms * 1e-15)


@pytest.mark.parametrize("rule", [aw.Argmax, lambda: aw.Softmax(precision=3.0)])
def test_interpreted_and_compiled_choices_are_the_same(rule):
    choice, scores = rule(), [0.2, 0.4, 0.4, 0.1]
    slow, fast = (rebind(pick, bound(choice), compiler) for compiler in (None, numba.njit))
    parameters = Parameters(getattr(choice, "precision", 0.0))
    for trial in range(300):
        rng = stream(9, 2, CHOICE, trial)
        found = fast(parameters, np.array(scores), np.zeros(4), 4, rng)
        assert slow(choice, scores, [0.0] * 4, 4, rng) == found


def test_only_softmax_has_probabilities():
    assert aw.Softmax().probabilistic
    assert not aw.Argmax().probabilistic


@pytest.mark.parametrize("precision", [-1.0, math.nan, math.inf, "high"])
def test_a_precision_that_is_no_precision_is_refused(precision):
    with pytest.raises(aw.InputError, match="precision must be at least 0"):
        aw.Softmax(precision=precision)
