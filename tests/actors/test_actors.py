"""Whole agents against their recursions, and wherever an agent can be named."""

import json
import math

import numpy as np
import pytest

import armwise as aw
from armwise import registry
from armwise.cli.agents import agents_of
from armwise.errors import InputError
from armwise.sweeps.sweep import Sweep
from armwise.sweeps.table import condition, condition_of

BANDIT = aw.SwitchingBandit(arms=4, epsilon=0.3, rho=0.05)


def played(actor, horizon=80):
    asked = {"checkpoints": aw.every(1), "record": ["arm", "outcome"], "device": "python"}
    result = aw.simulate(BANDIT, actor, horizon, 1, seed=2, **asked)
    return result.chosen.values[0].astype(int), result.outcome.values[0].astype(int)


def test_the_informed_agent_chooses_the_arm_that_is_most_probably_the_best():
    arms, outcomes = played(aw.InformedHMM(epsilon=0.3, rho=0.05))
    stay = 0.95 * np.eye(4) + 0.05 / 3 * (1 - np.eye(4))
    belief = np.full(4, 0.25)
    for arm, outcome in zip(arms, outcomes, strict=True):
        assert belief[arm] == pytest.approx(belief.max(), rel=1e-9)
        theta = np.where(np.arange(4) == arm, 0.8, 0.5)
        belief *= theta if outcome else 1 - theta
        belief = stay @ (belief / belief.sum())


def test_an_informed_agent_is_better_than_one_that_has_to_learn():
    asked = {"horizon": 2_000, "agents": 200, "seed": 4, "checkpoints": [2_000]}
    informed = aw.simulate(BANDIT, aw.InformedHMM(epsilon=0.3, rho=0.05), **asked).regret.mean()
    learner = aw.Agent(aw.ApproximateActiveInference(lam=0.5), aw.Smile(rho=0.05))
    assert float(informed) < float(aw.simulate(BANDIT, learner, **asked).regret.mean())


def test_exponential_weights_follow_their_formula():
    actor = aw.EXP3S(horizon=80, switches=2)
    arms, outcomes = played(actor)
    rate = min(1.0, math.sqrt(4 * (2 * math.log(4 * 80) + math.e) / ((math.e - 1) * 80)))
    memory = np.zeros(actor.memory_size(4))
    actor.begin(memory, 4)
    weights = np.ones(4)
    for trial, (arm, outcome) in enumerate(zip(arms, outcomes, strict=True), 1):
        chances = (1 - rate) * weights / weights.sum() + rate / 4
        gains = np.where(np.arange(4) == arm, outcome / chances[arm], 0.0)
        weights = weights * np.exp(rate * gains / 4) + math.e / 80 * weights.sum() / 4
        actor.learn(memory, 4, trial, int(arm), int(outcome), None)
        np.testing.assert_allclose(memory, weights / weights.sum(), rtol=1e-9)


def test_an_actor_is_named_like_a_policy_and_given_what_is_known():
    known = BANDIT.parameters() | {"rho": BANDIT.rho}
    agents = agents_of(["a-ai", "hmm", "eps-ts"], "smile", "argmax", **known)
    assert agents["HMM"] == aw.InformedHMM(epsilon=0.3, rho=0.05)
    assert agents["eps-TS"].policy.epsilon == 0.0
    with pytest.raises(InputError, match="policy or actor"):
        agents_of(["hnm"], "smile", "argmax")


def test_a_sweep_takes_actors():
    sweep = Sweep.of(
        {
            "horizon": 10,
            "agents": 2,
            "bandit": [{"name": "switching", "arms": 3, "rho": [0.1, 0.2]}],
            "agent": [{"policy": {"name": "hmm"}}, {"policy": {"name": "a-ai"}}],
        }
    )
    agents = [cell.agent for cell in sweep.cells()]
    assert [agent.rho for agent in agents if agent.label == "HMM"] == [0.1, 0.2]
    assert len(agents) == 4


def test_an_actor_takes_no_parts():
    agent = {"policy": {"name": "hmm"}, "learner": {"name": "smile"}}
    data = {"horizon": 10, "bandit": [{"name": "switching"}], "agent": [agent]}
    with pytest.raises(InputError, match="HMM is an actor: it takes no learner"):
        Sweep.of(data).cells()


def test_an_actor_with_scores_takes_a_choice():
    choices = [{"name": "softmax", "precision": [2, 8]}, {"name": "habitual"}]
    agents = [{"policy": {"name": "hmm"}, "choice": choice} for choice in choices]
    data = {"horizon": 10, "agents": 2, "bandit": [{"name": "switching"}], "agent": agents}
    cells = Sweep.of(data).cells()
    assert [cell.agent.choice.label for cell in cells] == ["softmax", "softmax", "habitual"]
    assert len({cell.name for cell in cells}) == 3
    for cell in cells:
        assert condition_of(json.loads(cell.text)) == condition(cell)
    assert condition(cells[1])["choice_precision"] == 8
    agents[0]["policy"]["name"] = "exp3.s"
    with pytest.raises(InputError, match=r"EXP3\.S has no scores"):
        Sweep.of(data).cells()


def test_a_file_may_hold_an_actor(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "import armwise as aw\n\n\nclass Stubborn(aw.Actor):\n"
        "    def memory_size(self, arms):\n        return 1\n\n"
        "    def act(self, memory, arms, trial, rng):\n        return 0\n\n"
        "    def learn(self, memory, arms, trial, arm, outcome, rng):\n        return 0.0\n"
    )
    assert registry.policy_or_actor(str(path)).role == "actor"


def test_a_player_that_is_a_whole_comes_back_from_a_file(tmp_path):
    player = aw.Player(aw.InformedHMM(), ["red", "green"], seed=3)
    player.observe(player.choose(), 1)
    player.save(tmp_path / "state.json")
    again = aw.load_player(tmp_path / "state.json")
    assert again.choose().arm == player.choose().arm
    assert json.loads((tmp_path / "state.json").read_text())["body"]["agent"][0]["name"] == "hmm"
