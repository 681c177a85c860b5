"""Whatever a caller hands in, the answer is a result or an InputError of one sentence."""

import collections
import decimal
import fractions
import inspect
import math
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import armwise as aw
from armwise.model.component import Component, parameters_of


class LooksLikeAnAgent:
    parts = ()
    label = "agent"


JUNK = {
    "numbers": [None, True, -1, 0, 1, 2, 3.5, 1e308, 10**400, -(10**30), math.nan, math.inf, 1j],
    "more numbers": [decimal.Decimal(3), fractions.Fraction(1, 2), np.float64(2), np.int64(3)],
    "text": ["", "a", "\0", "\ud800", "[bold]", "$x$", "x" * 10_000, b"x", memoryview(b"ab")],
    "lists": [[], [0], [1, 2, 3], (), (1,), {}, {"a": 1}, set(), {1, 2}, range(3), ["a", "a"]],
    "odd lists": [[1, [2]], ["a", "b"], collections.UserList([1, 2]), iter([1, 2])],
    "arrays": [np.array([1, 2]), np.array([[1, 2], [3, 4]]), np.array([math.nan, 1]), np.array(3)],
    "odd arrays": [np.ma.array([1, 2, 3], mask=[0, 1, 0]), np.array(["a"]), np.array([None, 1])],
    "objects": [object(), len, int, sys, Exception("x"), ..., NotImplemented, LooksLikeAnAgent()],
    "components": [aw.UCB, aw.UCB(), aw.Smile(), aw.Softmax(), aw.Agent(aw.UCB())],
    "bandits": [aw.StationaryBandit, aw.StationaryBandit(arms=3), np.datetime64("2020")],
}
BANDIT = aw.SwitchingBandit(arms=3, rho=0.1)
AGENT = aw.Agent(aw.ApproximateActiveInference())
SOFT = aw.Agent(aw.ApproximateActiveInference(), choice=aw.Softmax())
ALL = ["arm", "outcome", "gamma", "theta"]
ASKED = {"horizon": 20, "agents": 3, "checkpoints": aw.every(1), "device": "python"}
RESULT = aw.simulate(BANDIT, AGENT, record=ALL, **ASKED)
OTHER = aw.simulate(BANDIT, SOFT, record=ALL, **ASKED)
FOLLOWED = {"choices": [0, 1], "outcomes": [1, 0], "arms": 2, "device": "python"}
SIMULATED = {"checkpoints": [5], "record": (), "threads": 1, "device": "python"}
PEOPLE = {"trials": 2, "seed": 1, "given": None, "begins": None, "available": None} | {
    "revealed": None,
    "threads": 1,
}
LOG = aw.offline.Log([0, 1] * 4, [1, 0, 0, 1] * 2, [0.5] * 8)
SCHEDULE = {"lam": 3.0, "decay": 2.0, "horizon": 10}
LEVEL = {"theta": 0.6, "level": 0.5}
PRIOR = {"alpha0": 1.0, "beta0": 2.0}
CALLS = {
    aw.simulate: {"bandit": BANDIT, "agent": AGENT, "horizon": 5, "agents": 2, "seed": 1}
    | SIMULATED,
    aw.explain: {"agent": AGENT, "alpha": [1, 2], "beta": [1, 1], "trial": 3},
    aw.replay: {"agent": SOFT, "available": None, "shown": [[-1, 1], [0, 0]]} | FOLLOWED,
    aw.retrace: {"agent": SOFT, "available": [[1, 1], [1, 0]], "shown": None} | FOLLOWED,
    aw.simulate_people: {"bandit": BANDIT, "agent": AGENT, "free": ["lam"], "values": [[0.3]]}
    | PEOPLE,
    aw.Chooser: {"actor": aw.BOCPD(), "choice": aw.Softmax()},
    aw.Agent: {"policy": aw.UCB(), "learner": aw.Smile(), "choice": aw.Argmax()},
    AGENT.start: {"arms": ["a", "b"], "seed": 1},
    aw.load_player: {"path": "nowhere.json", "agent": None},
    aw.open_player: {"path": "nowhere.db", "agent": None, "durable": "batch"},
    aw.offline.Log: {"arms": [0, 1], "outcomes": [1, 0], "propensities": [0.5, 0.5]},
    aw.offline.value: {"log": LOG, "target": [0.5, 0.5], "method": aw.offline.METHODS[1]}
    | {"confidence": 0.9},
    aw.offline.follow: {"agent": AGENT, "log": LOG, "trials": 2, "seed": 1, "confidence": 0.9},
    aw.offline.logged: {"path": "nowhere.db", "agent": None},
    aw.every: {"step": 3},
    aw.regret.summary: {"result": RESULT, "confidence": 0.9},
    aw.regret.paired: {"results": [RESULT, OTHER], "trial": 20, "against": 0, "confidence": 0.9},
    aw.regret.stuck_fraction: {"result": RESULT, "trial": 20, "confidence": 0.9},
    aw.regret.mean_interval: {"values": [1.0, 2.0], "confidence": 0.9},
    aw.regret.bootstrap_interval: {"values": [1.0, 2.0], "confidence": 0.9, "resamples": 9},
    aw.regret.binomial_interval: {"successes": 3, "trials": 10, "confidence": 0.9},
    aw.regret.holm: {"p_values": [0.1, 0.2]},
    aw.regret.bernoulli_divergence: {"p": 0.2, "q": 0.3},
    aw.regret.lai_robbins: {"arms": 3, "epsilon": 0.1, "p": 0.5},
    aw.changes.trials_to_recover: {"result": RESULT, "share": 0.5, "window": 3},
    aw.changes.detection_delay: {"result": RESULT, "threshold": 0.5},
    aw.changes.false_alarms: {"result": RESULT, "threshold": 0.5},
    aw.changes.regret_since_change: {"result": RESULT, "trials": 3},
    aw.regret.information_ratio: {"alpha": [1, 2], "beta": [2, 1], "chances": [0.5, 0.5]},
    aw.theory.stuck_fraction: {"lam": 0.1, "epsilon": 0.1, "arms": 3},
    aw.theory.stuck_limits: {"thetas": [0.6, 0.5], "lam": 0.1},
    aw.theory.expected_regret: {"lam": 0.1, "arms": 3, "epsilon": 0.1, "horizon": 10},
    aw.theory.best_lam: {"arms": 3, "epsilon": 0.1, "horizon": 10},
    aw.theory.regret_bound: {"thetas": [0.6, 0.5], "share": 0.5, "horizon": 10}
    | {"alpha0": 1.0, "beta0": 2.0, "slack": 0.5},
    aw.theory.schedule_bound: {"thetas": [0.6, 0.5], "exact": True} | SCHEDULE,
    aw.theory.capped_bound: {"thetas": [0.6, 0.5]} | SCHEDULE,
    aw.theory.schedule_regret: {"thetas": [0.6, 0.5]} | SCHEDULE,
    aw.theory.decay_exponent: {"thetas": [0.6, 0.5], "lam": 0.5},
    aw.theory.lai_robbins: {"thetas": [0.6, 0.5]},
    aw.theory.price_of_one_precision: {"thetas": [0.6, 0.5]},
    aw.theory.lundberg_rate: LEVEL,
    aw.theory.low_index_chance: LEVEL | {"bonus": 2.0},
    aw.theory.pulls_below_bonus: {"theta": 0.5, "level": 0.6, "bonus": 2.0},
    aw.theory.pulls_below_evidence: {"theta": 0.5, "level": 0.6, "evidence": 2.0} | PRIOR,
    aw.theory.unlucky_price: LEVEL | {"outcomes": 3} | PRIOR,
    aw.theory.wrong_leader_trials: LEVEL | {"arms": 3, "share": 0.5} | PRIOR,
}
COMPONENTS = [
    item
    for item in vars(aw).values()
    if inspect.isclass(item) and issubclass(item, Component) and item.__module__.count(".") > 1
]
METHODS = ("observe", "choose", "forget", "add_arm", "remove_arm", "save")


def refused(function, *given, **named):
    """Whether a call was refused, in one sentence that is not too long."""
    try:
        function(*given, **named)
    except aw.InputError as error:
        words = str(error)
    else:
        return False
    assert "\n" not in words
    assert len(words) < 800
    return True


@pytest.fixture(autouse=True)
def quiet(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("kind", JUNK)
@pytest.mark.parametrize("function", CALLS, ids=lambda function: function.__qualname__)
def test_a_function_takes_or_refuses(function, kind):
    given = CALLS[function]
    for name in given:
        for junk in JUNK[kind]:
            refused(function, **given | {name: junk})


@pytest.mark.parametrize("kind", JUNK)
@pytest.mark.parametrize("component", COMPONENTS, ids=lambda component: component.__name__)
def test_a_component_takes_or_refuses(component, kind):
    for field in parameters_of(component):
        for junk in JUNK[kind]:
            refused(component, **{field.name: junk})


@pytest.mark.parametrize("kind", JUNK)
@pytest.mark.parametrize("method", METHODS)
def test_a_player_takes_or_refuses(method, kind):
    for junk in JUNK[kind]:
        player = AGENT.start(["a", "b", "c"], seed=1)
        if method != "observe":
            refused(getattr(player, method), junk)
            continue
        refused(player.observe, junk, 1)
        refused(player.observe, player.choose(), junk)


@pytest.mark.parametrize("kind", JUNK)
def test_a_state_takes_or_refuses(kind):
    for junk in JUNK[kind]:
        content = junk if isinstance(junk, bytes) else repr(junk).encode()
        Path("state.json").write_bytes(content)
        assert refused(aw.load_player, "state.json")


def test_parameters_that_do_not_exist_are_named():
    with pytest.raises(aw.InputError, match=r"no parameter of A-AI 'lamb'; did you mean 'lam'\?"):
        aw.ApproximateActiveInference(lamb=0.5)
    with pytest.raises(aw.InputError, match=r"UCB has 0 parameters, not 1\."):
        aw.UCB(0.5)
