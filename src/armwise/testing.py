"""The contract that every component keeps, as a check that you can run on your own components.

>>> from armwise.testing import check_contract
>>> from armwise import ApproximateActiveInference
>>> check_contract(ApproximateActiveInference(lam=0.5), devices=("python",))
"""

import itertools
import math
from typing import Any

import numpy as np

from armwise.bandits import RestlessBandit, SwitchingBandit
from armwise.choices import Argmax, LapsingArgmax
from armwise.engine.definition import pick
from armwise.engine.python import interpreted, score_beliefs
from armwise.learners import KalmanFilter, Smile
from armwise.model.agent import Agent, Chooser
from armwise.model.component import Component
from armwise.model.draws import AGENT, CHOICE, stream
from armwise.model.forms import BETA, NAMES, NORMAL, REAL
from armwise.model.roles import Actor, Bandit, Choice, Learner, Policy
from armwise.play.checkpoints import every
from armwise.play.replay import retrace
from armwise.play.simulate import simulate
from armwise.policies import ApproximateActiveInference, NormalMean

BELIEFS = [1e-3, 0.1, 1.0, 1.5, 2.0, 17.0, 1e3, 1e5, 1e7]
MEANS = [-1e6, -3.0, 0.0, 1e-6, 1.0, 60.0, 1e6]  # of normal beliefs
VARIANCES = [0.0, 1e-12, 0.1, 1.0, 250.0, 1e6]


def check_contract(component: Component, devices: tuple[str, ...] = ("python", "cpu")) -> None:
    """Raise AssertionError, with the reason, if a component breaks the contract of its role."""
    bandit, agent = _setting(component)
    _check_runs(bandit, agent, devices)
    if isinstance(component, Policy):
        _check_scores_finite(component)
        _check_draws(component)
    if isinstance(component, Learner):
        _check_beliefs(component)
    if isinstance(component, Choice):
        _check_ties_uniform(component)
    if isinstance(component, Bandit):
        _check_probabilities(component)
    if isinstance(component, Actor) and type(component).score_arms is not Actor.score_arms:
        _check_scores_chosen(bandit, component)


def learner_for(policy: Policy, otherwise: Learner) -> Learner:
    """A learner that keeps the beliefs a policy reads; for Beta beliefs, the other one.

    >>> learner_for(NormalMean(), Smile()).label, learner_for(ApproximateActiveInference(), Smile())
    ('Kalman', Smile(rho=0.0, alpha0=1.0, beta0=1.0))
    """
    return KalmanFilter() if policy.beliefs == NORMAL else otherwise


def policy_for(learner: Learner, otherwise: Policy) -> Policy:
    """A policy that reads the beliefs a learner keeps; for Beta beliefs, the other one."""
    return NormalMean() if learner.beliefs == NORMAL else otherwise


def agent_for(bandit: Bandit, otherwise: Any) -> Any:
    """An agent that learns from what a bandit pays; for outcomes 0 and 1, the other one."""
    return Agent(NormalMean(), KalmanFilter()) if bandit.outcomes == REAL else otherwise


def _setting(component: Component) -> tuple[Bandit, Any]:
    """A bandit and an agent, one of which is or contains the component."""
    bandit: Bandit = SwitchingBandit(arms=4, epsilon=0.3, rho=0.05)
    policy: Policy = ApproximateActiveInference()
    learner: Learner = Smile(rho=0.05)
    choice: Choice = Argmax()
    if isinstance(component, Actor):
        return bandit, component
    if isinstance(component, Bandit):
        return component, agent_for(component, Agent(policy, learner, choice))
    if isinstance(component, Policy):
        policy, learner = component, learner_for(component, learner)
    elif isinstance(component, Learner):
        policy, learner = policy_for(component, policy), component
    elif isinstance(component, Choice):
        choice = component
    agent = Agent(policy, learner, choice)
    return RestlessBandit() if agent.outcomes == REAL else bandit, agent


def _check_runs(bandit: Bandit, agent: Any, devices: tuple[str, ...]) -> None:
    """Check that results are bit-identical on all devices, for any chunks and threads."""
    beliefs = () if isinstance(agent, Actor) else NAMES[agent.learner.beliefs]
    asked: dict[str, Any] = {
        "horizon": 60,
        "seed": 11,
        "checkpoints": every(1),
        "record": ("arm", "outcome", "gamma", "theta", *beliefs),
    }
    reference = None
    for device in devices:
        whole = simulate(bandit, agent, agents=5, device=device, threads=1, **asked)
        parts = [
            simulate(bandit, agent, agents=part, device=device, threads=2, **asked)
            for part in (range(0, 2), range(2, 5))
        ]
        for name in whole.data_vars:
            joined = np.concatenate([part[name].values for part in parts])
            _equal(joined, whole[name].values, f"{name} depends on chunks or threads ({device})")
            if reference is not None:
                _equal(whole[name].values, reference[name].values, f"{name} differs on {device}")
        reference = reference if reference is not None else whole
    assert reference is not None, "no device was given"
    assert np.isfinite(reference.regret).all(), "regret is not finite"
    assert (reference.regret.diff("trial") >= -1e-12).all(), "regret falls"


def _check_scores_finite(policy: Policy) -> None:
    normal = policy.beliefs == NORMAL
    first, second = NAMES[NORMAL if normal else BETA]
    pairs = itertools.product(*((MEANS, VARIANCES) if normal else (BELIEFS, BELIEFS)))
    learners = [KalmanFilter()] if normal else [Smile(rho=rho) for rho in (0.0, 0.01, 1.0)]
    for pair in pairs:
        beliefs = [(1.0, 1.0), (5.0, 2.0), pair, (9.0, 9.0)]
        for learner, trial in itertools.product(learners, (1, 5, 1_000, 10**9)):
            rng = stream(3, 0, AGENT, trial)
            score = score_beliefs(Agent(policy, learner), beliefs, trial, rng)[1][2]
            where = f"{first}={pair[0]}, {second}={pair[1]}, trial={trial}, {learner}"
            assert math.isfinite(score), f"score is {score} at {where}"


def _check_draws(policy: Policy) -> None:
    """Check that scores depend on draws if, and only if, the policy is declared `stochastic`."""
    agent = Agent(policy, learner_for(policy, Smile(rho=0.05)))
    beliefs = [(2.0, 3.0), (3.0, 2.0), (4.0, 4.0)]
    scores = [
        score_beliefs(agent, beliefs, trial=5, rng=stream(seed, 0, AGENT, 5))[1]
        for seed in range(20)
    ]
    drawn = any(other != scores[0] for other in scores)
    found = "depend" if drawn else "do not depend"
    assert drawn == policy.stochastic, (
        f"stochastic is {policy.stochastic}, but scores {found} on rng"
    )


def _check_beliefs(learner: Learner) -> None:
    memory = np.zeros(learner.memory_size(2))
    learner.begin(memory, 2)
    assumed = learner.assume(memory)
    assert 0.0 <= assumed.rho <= 1.0, f"the assumed rho is {assumed.rho}"
    alpha, beta = [assumed.alpha0] * 2, [assumed.beta0] * 2
    for step in range(200):
        arm, outcome = step % 2, (step // 3) % 2
        gamma = learner.change(memory, arm, outcome, alpha[arm], beta[arm])
        assert 0.0 <= gamma <= 1.0, f"the change probability is {gamma}"
        for k in range(2):
            alpha[k], beta[k] = learner.update(
                memory, gamma, k, k == arm, outcome, alpha[k], beta[k]
            )
            if learner.beliefs == NORMAL:
                right = math.isfinite(alpha[k]) and 0.0 <= beta[k] < math.inf
                assert right, f"a belief became N({alpha[k]}, {beta[k]})"
            else:
                assert min(alpha[k], beta[k]) > 0, f"a belief became Be({alpha[k]}, {beta[k]})"


def _check_ties_uniform(choice: Choice) -> None:
    """Check that equal scores are chosen equally often: chi-square below its 99.999 % point."""
    choose = interpreted(pick, Agent(ApproximateActiveInference(), choice=choice))
    counts = np.zeros(4)
    for trial in range(1, 4_001):
        counts[choose(choice, [0.5] * 4, [0.0] * 4, 4, stream(5, 0, CHOICE, trial))] += 1
    chi_square = float(((counts - 1000.0) ** 2 / 1000.0).sum())
    assert chi_square < 25.9, f"equal scores are chosen {counts.astype(int).tolist()} times"


def _check_probabilities(bandit: Bandit) -> None:
    _, agent = _setting(bandit)
    asked: dict[str, Any] = {"horizon": 200, "checkpoints": every(1), "record": ("theta",)}
    theta = simulate(bandit, agent, agents=3, device="python", **asked).theta
    if bandit.outcomes == REAL:
        assert np.isfinite(theta).all(), "theta is not finite"
    else:
        assert ((theta >= 0) & (theta <= 1)).all(), "theta leaves [0, 1]"


def _equal(found: np.ndarray, expected: np.ndarray, reason: str) -> None:
    assert np.array_equal(found, expected, equal_nan=True), reason


def _check_scores_chosen(bandit: Bandit, actor: Actor) -> None:
    """An actor chooses an arm with the largest of the scores that it gives."""
    asked: dict[str, Any] = {"checkpoints": every(1), "record": ("arm", "outcome"), "seed": 5}
    told = simulate(bandit, actor, 60, 1, device="python", **asked)
    chosen, outcomes = told.chosen.values[0], told.outcome.values[0]
    agent = Chooser(actor, LapsingArgmax(lapse=0.5))
    likely = retrace(agent, chosen, outcomes, bandit.arms, device="python").log_probability
    unlikely = np.flatnonzero(likely.values < np.log(0.5 / bandit.arms + 1e-9))
    assert not len(unlikely), (
        f"{actor.label} chose an arm in trial {unlikely[0] + 1} that has not the largest score"
    )
