"""Preferences that fade: lam_t = lam / ln(e + t)^decay."""

import copy
import dataclasses
import math
import pickle

import numpy as np
import pytest

import armwise as aw
from armwise import registry
from armwise.engine import loop
from armwise.engine.binding import slots_of
from armwise.engine.cpu import kernel
from armwise.engine.shortcuts.kept import screened, search, settled_act
from armwise.model.draws import AGENT, stream
from armwise.model.roles import Actor, Assumed
from armwise.paper.claims.decaying import DecayingPreference
from armwise.play.dataset import describe
from armwise.play.simulate import plan_of
from armwise.policies.exact_active_inference import expected_entropy
from armwise.sweeps.cell import Cell
from armwise.sweeps.runner import batches
from armwise.testing import check_contract

POLICIES = [aw.ApproximateActiveInference, aw.ExactActiveInference]
BELIEFS = [0.1, 0.5, 1.0, 3.7, 17.0, 1e3, 1e5]
BANDIT = aw.SwitchingBandit(arms=6, epsilon=0.3, rho=0.02)
ASKED = {"horizon": 600, "agents": 4, "seed": 8, "checkpoints": aw.every(1), "record": ["arm"]}


def shared_of(policy, trial, rho=0.0, prior=(1.0, 1.0)):
    return policy.prepare(trial, 4, Assumed(rho, *prior), stream(1, 0, AGENT, trial))


def fallen(lam, decay, trial):
    return lam * math.log(math.e + trial - 1) ** -decay


@pytest.mark.parametrize("trial", [1, 2, 10, 10**4, 10**9])
@pytest.mark.parametrize("decay", [0.0, 1.0, 2.0, 0.5])
def test_scores_are_those_of_the_precision_in_the_trial(trial, decay):
    """Both policies, by their formulas: A-AI exactly, G-AI with P(o) of Eq. preference."""
    lam = fallen(3.0, decay, trial)
    near = aw.ApproximateActiveInference(lam=3.0, decay=decay)
    exact = aw.ExactActiveInference(lam=3.0, decay=decay)
    for alpha, beta in [(1.0, 1.0), (4.0, 2.5), (0.3, 90.0)]:
        nu, mu = alpha + beta, alpha / (alpha + beta)
        found = near.score(shared_of(near, trial), 0, alpha, beta, None)
        assert found == pytest.approx(2 * lam * mu + 0.5 / nu, rel=1e-12)
        preferred = [math.exp(-lam), math.exp(lam)]
        logs = [math.log(p / sum(preferred)) for p in preferred]
        entropy = -(mu * math.log(mu) + (1 - mu) * math.log(1 - mu))
        extrinsic = mu * logs[1] + (1 - mu) * logs[0]
        found = exact.score(shared_of(exact, trial), 0, alpha, beta, None)
        expected = extrinsic + entropy - expected_entropy(alpha, beta)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("policy", POLICIES)
def test_terms_follow_the_precision(policy):
    fading = policy(lam=2.0, decay=1.0)
    constant = policy(lam=fallen(2.0, 1.0, 500))
    found = fading.terms(shared_of(fading, 500), 3.0, 4.0)
    assert found == pytest.approx(constant.terms(shared_of(constant, 500), 3.0, 4.0), rel=1e-12)


def test_the_first_power_is_the_schedule_that_the_paper_tried():
    tried, ours = DecayingPreference(lam=0.7), aw.ApproximateActiveInference(lam=0.7, decay=1.0)
    for trial in (1, 5, 1_000):
        expected = tried.score(shared_of(tried, trial), 0, 3.0, 2.0, None)
        assert ours.score(shared_of(ours, trial), 0, 3.0, 2.0, None) == pytest.approx(expected)


@pytest.mark.parametrize("trial", [1, 40, 10**6])
@pytest.mark.parametrize("rho", [0.0, 0.003, 0.2])
@pytest.mark.parametrize("prior", [(1.0, 1.0), (0.2, 3.0)])
def test_every_score_lies_between_floor_and_ceiling(trial, rho, prior):
    policy = aw.ExactActiveInference(lam=3.0, decay=2.0)
    shared = shared_of(policy, trial, rho, prior)
    for alpha in BELIEFS:
        for beta in BELIEFS:
            score = policy.score(shared, 1, alpha, beta, None)
            rounding = 1e-10 * (1 + abs(score))
            assert policy.ceiling(shared, 1, alpha, beta) >= score - rounding
            assert policy.floor(shared, 1, alpha, beta) <= score + rounding


@pytest.mark.parametrize("policy", POLICIES)
def test_scores_last_only_while_the_precision_does(policy):
    constant, fading = aw.Agent(policy()), aw.Agent(policy(decay=1.0))
    assert constant.policy.lasts
    assert not fading.policy.lasts
    assert slots_of(None, constant)[Actor.act] is settled_act
    assert slots_of(None, fading)[Actor.act] in (search, screened)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("rho", [0.0, 0.02])
def test_choices_compiled_are_those_of_the_definition(policy, rho):
    """In one process with the constant precision, whose kernel must not be taken for it."""
    for decay in (0.0, 2.0, 0.5, 0.0):
        agent = aw.Agent(policy(lam=3.0, decay=decay), aw.Smile(rho=rho))
        plain = aw.simulate(BANDIT, agent, device="python", **ASKED)
        swift = aw.simulate(BANDIT, agent, device="cpu", **ASKED)
        np.testing.assert_array_equal(swift.chosen, plain.chosen)
        np.testing.assert_array_equal(swift.regret, plain.regret)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_kernel_is_compiled_for_either_but_not_for_numbers(policy):
    agents = [aw.Agent(policy(lam=lam, decay=decay)) for lam, decay in [(1, 0), (1, 1), (2, 3)]]
    assert kernel(loop.play, BANDIT, agents[0]) is not kernel(loop.play, BANDIT, agents[1])
    assert kernel(loop.play, BANDIT, agents[1]) is kernel(loop.play, BANDIT, agents[2])


@pytest.mark.parametrize("policy", POLICIES)
def test_cells_of_either_kind_do_not_share_a_launch(policy):
    agents = [aw.Agent(policy(lam=lam, decay=decay)) for decay in (0, 1) for lam in (1, 2)]
    cells = [Cell(BANDIT, agent, 10, 1_000, 1, (10,)) for agent in agents]
    assert sorted(len(batch) for batch in batches(cells)) == [2, 2]


@pytest.mark.parametrize("policy", POLICIES)
def test_the_contract(policy):
    check_contract(policy(lam=3.0, decay=2.0))


def test_a_schedule_has_a_name_and_a_constant_precision_keeps_its_own():
    fading = registry.component("policy", "a-ai:lam=3,decay=2")
    assert fading == aw.ApproximateActiveInference(lam=3.0, decay=2.0)
    assert str(fading) == "a-ai:lam=3,decay=2"
    constant = aw.ApproximateActiveInference(lam=3.0)
    assert str(constant) == "a-ai:lam=3"
    assert repr(constant) == "ApproximateActiveInference(lam=3.0)"
    for policy, found in ((constant, {"lam"}), (fading, {"lam", "decay"})):
        plan = plan_of(BANDIT, aw.Agent(policy), 10, 1, 1)
        assert set(describe(plan)["agent"][0]) == {"role", "name"} | found


@pytest.mark.parametrize("policy", POLICIES)
def test_a_schedule_can_be_copied_sent_and_saved(policy, tmp_path):
    fading = policy(lam=3.0, decay=2.0)
    for twin in (copy.deepcopy(fading), pickle.loads(pickle.dumps(fading)), spoken(fading)):
        assert twin == fading
        assert not twin.lasts
    assert dataclasses.replace(policy(), decay=2.0, lam=3.0) == fading
    assert dataclasses.replace(fading, decay=0.0) == policy(lam=3.0)
    player = aw.Agent(fading).start(["red", "green"])
    player.observe(player.choose(), 1)
    player.save(tmp_path / "player.json")
    restored = aw.load_player(tmp_path / "player.json")
    assert restored.agent == aw.Agent(fading)
    assert [restored.choose().arm for _ in range(9)] == [player.choose().arm for _ in range(9)]


def spoken(policy):
    """The policy from its own words."""
    return registry.component("policy", str(policy))


@pytest.mark.parametrize("policy", POLICIES)
def test_a_policy_made_from_one_of_these_stays_what_it_is(policy):
    class Own(policy):
        """A user's own, which knows of no decay."""

    assert type(Own(lam=0.2)) is Own
    with pytest.raises(aw.InputError, match="Own: decay must be 0 in a policy made from"):
        Own(decay=1.0)


def test_a_decay_below_zero_is_refused():
    with pytest.raises(aw.InputError, match="decay must be in"):
        aw.ExactActiveInference(decay=-1)


def test_preferences_that_fade_fast_enough_do_not_get_stuck():
    """After 20 000 trials no agent of 200 with 3 / ln^2 is, and many with lam = 0.5 are."""
    world = aw.StationaryBandit(arms=10, epsilon=0.2)
    asked = {"horizon": 20_000, "agents": 200, "seed": 5, "checkpoints": [15_000, 20_000]}
    stuck = []
    for policy in (
        aw.ApproximateActiveInference(lam=0.5),
        aw.ApproximateActiveInference(lam=3.0, decay=2.0),
    ):
        regret = aw.simulate(world, aw.Agent(policy), **asked).regret.values
        stuck.append(np.mean(regret[:, 1] - regret[:, 0] > 0.5 * 0.2 * 5_000))
    assert stuck[0] > 0.05
    assert stuck[1] == 0.0
