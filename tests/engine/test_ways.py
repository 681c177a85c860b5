"""The sign that says which functions play an agent, and what it reads in a policy's code."""

from pathlib import Path

import pytest

import armwise as aw
from armwise import registry
from armwise.engine import ways
from armwise.engine.code import reads
from armwise.engine.ways import way_of
from armwise.testing import learner_for

EXPECTED = {
    "A-AI": ways.KEPT,
    "G-AI": ways.KEPT_SCREENED,
    "RC": ways.KEPT,
    "UCB": ways.FULL,
    "TS": ways.THOMPSON,
    "O-TS": ways.THOMPSON,
    "B-UCB": ways.MONOTONE,
    "H-EFE": ways.LOOKAHEAD,
    "exact-H-EFE": ways.SCREENED,
    "capped-A-AI": ways.SCREENED,
    "LP-AI": ways.LOOKAHEAD,
    "IMED": ways.FULL,
    "KL-UCB": ways.FULL,
    "KL-UCB+": ways.FULL,
    "KL-MOSS": ways.FULL,
    "KG": ways.FULL,
    "eps-TS": ways.FULL,
    "S-AI": ways.FULL,
    "mean": ways.KEPT,
    "info-bonus": ways.KEPT,
    "sd-bonus": ways.KEPT,
    "total-sd": ways.FULL,
    "fading-A-AI": ways.FULL,
    "fading-G-AI": ways.SCREENED,
    "N-mean": ways.KEPT,
    "N-sd-bonus": ways.KEPT,
    "N-total-sd": ways.FULL,
    "N-TS": ways.FULL,
}


@pytest.mark.parametrize("policy", registry.known("policy").values(), ids=lambda cls: cls.label)
def test_every_policy_is_played_in_its_way(policy):
    learner = learner_for(policy, aw.Smile())
    assert way_of(aw.Agent(policy(), learner)).name == EXPECTED[policy.label].name
    assert way_of(aw.Agent(policy(), learner, aw.Softmax())) == ways.SAMPLED
    assert way_of(aw.Agent(policy(), learner, aw.HabitualSoftmax())) == ways.HABITUAL


class Bonus(aw.Policy):
    """As simple as a user's first policy: it knows no hint."""

    def score(self, shared, arm, alpha, beta, rng):
        return alpha / (alpha + beta) + 0.1 / (alpha + beta)


class WithAnotherName(aw.Policy):
    """Its author calls the trial `t`."""

    def prepare(self, t, arms, assumed, rng):
        return 1.0 / t

    def score(self, shared, arm, alpha, beta, rng):
        return alpha / (alpha + beta) + shared


class PassesOn(aw.Policy):
    """Its draws are used by somebody else."""

    def score(self, shared, arm, alpha, beta, rng):
        return aw.draws.uniform(rng, 0)


class InAComprehension(aw.Policy):
    """The trial is read by a function inside the method."""

    def prepare(self, trial, arms, assumed, rng):
        return max([1.0 / trial for _ in range(2)])

    def score(self, shared, arm, alpha, beta, rng):
        return shared


@pytest.mark.parametrize(
    ("policy", "way"),
    [
        (Bonus, ways.KEPT),
        (WithAnotherName, ways.FULL),
        (PassesOn, ways.FULL),
        (InAComprehension, ways.FULL),
    ],
)
def test_whether_a_score_lasts_is_read_from_the_code(policy, way):
    assert way_of(aw.Agent(policy())) == way


class ByNumber(aw.ExactActiveInference):
    """Equal beliefs do not mean equal scores."""

    def score(self, shared, arm, alpha, beta, rng):
        return super().score(shared, arm, alpha, beta, rng) + arm


@pytest.mark.parametrize(
    ("policy", "twins"),
    [(aw.ExactActiveInference, True), (aw.HorizonActiveInference, True), (ByNumber, False)],
)
def test_equal_beliefs_mean_equal_scores_if_the_score_reads_nothing_else(policy, twins):
    assert bool(way_of(aw.Agent(policy())).more) == twins


def test_the_example_that_newcomers_copy_is_as_fast_as_a_ai():
    file = Path(__file__).parents[2] / "examples" / "own_policy.py"
    policy = registry.component("policy", f"{file}:RootBonus")
    assert way_of(aw.Agent(policy)) == way_of(aw.Agent(aw.ApproximateActiveInference()))


def test_a_name_that_two_instructions_share_is_read():
    """Python 3.13 loads two variables in one instruction."""
    assert reads(lambda shared, trial: shared + trial, "trial")
    assert not reads(lambda shared, trial: shared + 1, "trial")


def test_ways_have_names_of_their_own():
    found = [value for value in vars(ways).values() if isinstance(value, ways.Way)]
    assert len({way.name for way in found}) == len(found) == 16
