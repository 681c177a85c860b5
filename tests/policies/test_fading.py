"""Preferences that fade: lam_t = lam / ln(e + t)^decay."""

import copy
import math
import pickle

import numpy as np
import pytest

import armwise as aw
from armwise import registry
from armwise.engine import loop
from armwise.engine.cpu import agent_kernel
from armwise.engine.ways import FULL, KEPT, KEPT_SCREENED, SCREENED, way_of
from armwise.model.draws import AGENT, stream
from armwise.model.roles import Assumed
from armwise.play.dataset import describe
from armwise.play.simulate import plan_of
from armwise.policies.exact_active_inference import expected_entropy
from armwise.sweeps.cell import Cell
from armwise.sweeps.runner import batches

NEAR, EXACT = aw.FadingApproximateActiveInference, aw.FadingExactActiveInference
CONSTANT = {NEAR: aw.ApproximateActiveInference, EXACT: aw.ExactActiveInference}
POLICIES = [NEAR, EXACT]
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
    near, exact = NEAR(lam=3.0, decay=decay), EXACT(lam=3.0, decay=decay)
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
    constant = CONSTANT[policy](lam=fallen(2.0, 1.0, 500))
    found = fading.named_terms(shared_of(fading, 500), 3.0, 4.0)
    assert found.pop("lam") == pytest.approx(constant.lam, rel=1e-12)
    assert found == pytest.approx(
        constant.named_terms(shared_of(constant, 500), 3.0, 4.0), rel=1e-12
    )


@pytest.mark.parametrize("trial", [1, 40, 10**6])
@pytest.mark.parametrize("rho", [0.0, 0.003, 0.2])
@pytest.mark.parametrize("prior", [(1.0, 1.0), (0.2, 3.0)])
def test_every_score_lies_between_its_bounds(trial, rho, prior):
    policy = EXACT(lam=3.0, decay=2.0)
    shared = shared_of(policy, trial, rho, prior)
    for alpha in BELIEFS:
        for beta in BELIEFS:
            score = policy.score(shared, 1, alpha, beta, None)
            rounding = 1e-10 * (1 + abs(score))
            low, high = policy.bounds(shared, 1, alpha, beta)
            assert low - rounding <= score <= high + rounding


def test_scores_are_kept_only_while_the_precision_lasts():
    ways = [way_of(aw.Agent(policy())).name for policy in (*POLICIES, *CONSTANT.values())]
    assert ways == [way.name for way in (FULL, SCREENED, KEPT, KEPT_SCREENED)]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("rho", [0.0, 0.02])
def test_choices_compiled_are_those_of_the_definition(policy, rho):
    """A decay of 0 is the constant precision."""
    for decay in (0.0, 2.0):
        agent = aw.Agent(policy(lam=3.0, decay=decay), aw.Smile(rho=rho))
        plain = aw.simulate(BANDIT, agent, device="python", **ASKED)
        short = aw.simulate(BANDIT, agent, device="cpu", **ASKED)
        np.testing.assert_array_equal(short.chosen, plain.chosen)
        np.testing.assert_array_equal(short.regret, plain.regret)
    constant = aw.Agent(CONSTANT[policy](lam=3.0), aw.Smile(rho=rho))
    fading = aw.Agent(policy(lam=3.0, decay=0.0), aw.Smile(rho=rho))
    found = [aw.simulate(BANDIT, agent, **ASKED).chosen for agent in (constant, fading)]
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_kernel_is_compiled_for_all_numbers(policy):
    agents = [aw.Agent(policy(lam=lam, decay=decay)) for lam, decay in [(1, 1), (2, 3)]]
    kernels = [agent_kernel(loop.play_agents, agent, way_of(agent)) for agent in agents]
    assert kernels[0] is kernels[1]


@pytest.mark.parametrize("policy", POLICIES)
def test_cells_of_either_kind_do_not_share_a_launch(policy):
    agents = [aw.Agent(kind(lam=lam)) for kind in (policy, CONSTANT[policy]) for lam in (1, 2)]
    cells = [Cell(BANDIT, agent, 10, 1_000, 1, (10,)) for agent in agents]
    assert sorted(len(batch) for batch in batches(cells)) == [2, 2]


def test_a_schedule_has_a_name_and_describes_itself():
    fading = registry.component("policy", "fading-a-ai:lam=3,decay=2")
    assert fading == NEAR(lam=3.0, decay=2.0)
    assert str(fading) == "fading-a-ai:lam=3,decay=2"
    described = describe(plan_of(BANDIT, aw.Agent(fading), 10, 1, 1))["agent"][0]
    assert set(described) == {"role", "name", "lam", "decay"}


@pytest.mark.parametrize("policy", POLICIES)
def test_a_schedule_can_be_copied_sent_and_saved(policy, tmp_path):
    fading = policy(lam=3.0, decay=2.0)
    for twin in (copy.deepcopy(fading), pickle.loads(pickle.dumps(fading)), spoken(fading)):
        assert twin == fading
    player = aw.Agent(fading).start(["red", "green"])
    player.observe(player.choose(), 1)
    player.save(tmp_path / "player.json")
    restored = aw.load_player(tmp_path / "player.json")
    assert restored.agent == aw.Agent(fading)
    assert [restored.choose().arm for _ in range(9)] == [player.choose().arm for _ in range(9)]


def spoken(policy):
    """The policy from its own words."""
    return registry.component("policy", str(policy))


def test_a_decay_below_zero_is_refused():
    with pytest.raises(aw.InputError, match="decay must be in"):
        EXACT(decay=-1)


def test_preferences_that_fade_fast_enough_do_not_get_stuck():
    """After 20 000 trials no agent of 200 with 3 / ln^2 is, and many with lam = 0.5 are."""
    bandit = aw.StationaryBandit(arms=10, epsilon=0.2)
    asked = {"horizon": 20_000, "agents": 200, "seed": 5, "checkpoints": [15_000, 20_000]}
    stuck = []
    for policy in (aw.ApproximateActiveInference(lam=0.5), NEAR(lam=3.0, decay=2.0)):
        regret = aw.simulate(bandit, aw.Agent(policy), **asked).regret.values
        stuck.append(np.mean(regret[:, 1] - regret[:, 0] > 0.5 * 0.2 * 5_000))
    assert stuck[0] > 0.05
    assert stuck[1] == 0.0
