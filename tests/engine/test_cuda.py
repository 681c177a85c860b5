"""The CUDA engine: kernels compile for several cards, and give the numbers of the cpu engine.

Without a card they are compiled to PTX and interpreted by Numba's simulator. Tests with the marker
`gpu` need a card.
"""

import dataclasses
import json
import math
import os
import subprocess
import sys
import types
import warnings

import numpy as np
import pytest

import armwise as aw
from armwise import engine
from armwise import numerics as special
from armwise.engine.binding import rebind
from armwise.engine.ways import score_lasts
from armwise.errors import InputError
from armwise.model.draws import philox
from armwise.play.simulate import plan_of
from armwise.sweeps.runner import batches

POLICIES = [
    aw.ApproximateActiveInference(lam=0.5),
    aw.ExactActiveInference(lam=0.25),
    aw.UCB(),
    aw.RandomChoice(),
    aw.ThompsonSampling(),
    aw.OptimisticThompsonSampling(),
    aw.BayesianUCB(),
]
BEYOND = [
    aw.HorizonActiveInference(),
    aw.LearnedPreferences(),
    aw.FadingApproximateActiveInference(lam=3.0, decay=2.0),
    aw.FadingExactActiveInference(lam=1.0, decay=2.0),
    aw.IMED(),
]
ACTORS = [aw.BOCPD(), aw.Universal()]
needs_card = pytest.mark.skipif(
    engine.missing_for_cuda() is not None, reason="there is no CUDA card"
)


pytest.importorskip("numba.cuda")
from armwise.engine.cuda.ways import ALONE, SCREENED, SINGLE, together  # noqa: E402


@pytest.fixture
def cuda():
    return pytest.importorskip("armwise.engine.cuda")


def agent_of(policy, rho=0.0):
    return aw.Agent(policy, aw.Smile(rho=rho))


def ptx(cuda, monkeypatch, agent, way, capability):
    """The kernel for this agent as PTX, compiled without a driver."""
    import numba.cuda.dispatcher
    from numba import float64, from_dtype, int64
    from numba import types as kinds

    from armwise.engine.cuda import kernels
    from armwise.engine.cuda.compile import device_function
    from armwise.engine.cuda.ways import cpu_way
    from armwise.engine.memory import record_type

    card = types.SimpleNamespace(compute_capability=capability)
    monkeypatch.setattr(numba.cuda.dispatcher, "get_current_device", lambda: card)
    function, slots = kernels.bound(aw.SwitchingBandit(rho=0.01), agent, way, width=13)

    def compiler(twin):
        return twin if twin.__code__ is function.__code__ else device_function(twin)

    kept = from_dtype(record_type(agent, cpu_way(agent, way)))
    flat = [kinds.Array(float64, 2, "C")] * 2 + [kinds.Array(int64, n, "C") for n in (2, 1, 1)]
    state = [kinds.Array(float64, n, "F") for n in (2, 2, 3, 2)]
    out = [kinds.Array(float64, n, "F") for n in (2, 3)] + [kinds.Array(int64, 2, "F")]
    code, _ = numba.cuda.compile(
        rebind(function, slots, compiler),
        kinds.void(*flat, *state, kinds.Array(kept, 1, "C"), *out),
        device=False,
        cc=capability,
        abi="numba",
    )
    return code


@pytest.mark.parametrize(
    ("player", "way", "capability"),
    [
        (POLICIES[0], together(32), (9, 0)),
        (POLICIES[1], SINGLE, (9, 0)),
        (BEYOND[0], together(16), (9, 0)),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in [
                (POLICIES[0], ALONE, (7, 5)),
                (POLICIES[0], SINGLE, (8, 0)),
                (POLICIES[0], together(16), (8, 9)),
                (POLICIES[4], together(16), (9, 0)),
                (POLICIES[5], SCREENED, (9, 0)),
                (POLICIES[6], ALONE, (9, 0)),
                (BEYOND[1], together(32), (9, 0)),
                *((actor, ALONE, (9, 0)) for actor in ACTORS),
            ]
        ),
    ],
    ids=str,
)
def test_kernels_compile_for_several_cards(cuda, monkeypatch, player, way, capability):
    agent = player if isinstance(player, aw.Actor) else agent_of(player, 0.01)
    code = ptx(cuda, monkeypatch, agent, way, capability)
    assert f".target sm_{capability[0]}{capability[1]}" in code
    assert ".entry" in code


SIMULATED = """
import json, sys, warnings
warnings.simplefilter("ignore")  # NumPy's integers wrap, as a card's do, and say so
import armwise as aw
from armwise.engine import cuda
from armwise.play.simulate import plan_of

from armwise.engine.cuda.ways import ALONE, SCREENED, SINGLE, together
from armwise.engine.ways import score_lasts
found = {}
for policy in (aw.ApproximateActiveInference(), aw.UCB(), aw.ExactActiveInference(),
               aw.ThompsonSampling(), aw.OptimisticThompsonSampling(), aw.BayesianUCB(),
               aw.LearnedPreferences()):
    agent = aw.Agent(policy, aw.Smile(rho=0.1))
    plans = [plan_of(aw.SwitchingBandit(arms=3, rho=rho), agent, 15, 3, 5, [4, 15], ["arm"])
             for rho in (0.1, 0.3)]
    # Lanes cannot speak to each other there: one for each agent.
    ways = [ALONE, together(1)] + [SINGLE] * score_lasts(type(policy))
    ways += [SCREENED._replace(lanes=1)] * (policy.label == "O-TS")
    for way in ways:
        results = cuda.run_many(plans, lambda _: None, way)
        found[f"{policy.label} {way.name}"] = [
            [regrets.tolist(), records.tolist()] for regrets, records in results
        ]
for actor in (aw.BOCPD(), aw.Universal()):
    plan = plan_of(aw.SwitchingBandit(arms=3, rho=0.1), actor, 15, 3, 5, [4, 15], ["arm"])
    ((regrets, records),) = cuda.run_many([plan], lambda _: None)
    found[actor.label] = [[regrets.tolist(), records.tolist()]]
json.dump(found, sys.stdout)
"""


def test_the_simulator_finds_the_numbers_of_the_cpu_engine(cuda):
    told = subprocess.run(
        [sys.executable, "-c", SIMULATED],
        env=os.environ | {"NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(told.stdout)
    assert len(found) == 19
    agents = {policy.label: agent_of(type(policy)(), 0.1) for policy in BEYOND + POLICIES}
    agents |= {actor.label: actor for actor in ACTORS}
    for name, results in found.items():
        for rho, (regrets, records) in zip((0.1, 0.3), results, strict=False):
            bandit = aw.SwitchingBandit(arms=3, rho=rho)
            asked = {"horizon": 15, "agents": 3, "seed": 5, "checkpoints": [4, 15]}
            agent = agents[name.split()[0]]
            expected = aw.simulate(bandit, agent, record=["arm"], **asked)
            np.testing.assert_array_equal(regrets, expected.regret.values, err_msg=name)
            np.testing.assert_array_equal(np.array(records)[:, :, 0], expected.chosen.values)


@pytest.mark.parametrize(
    "learner", [aw.Smile(), aw.Smile(rho=0.05), aw.LearnedChange(), aw.SlidingWindow(window=9)]
)
@pytest.mark.parametrize("policy", [aw.ExactActiveInference(lam=0.1), POLICIES[0]], ids=str)
def test_a_thread_that_keeps_scores_makes_the_choices_of_the_definition(policy, learner):
    """The functions of the way `single`, compiled for a cpu, where they make the same choices.

    Without a change, or with a small weight on preferences, scores often tie.
    """
    from armwise.engine.cpu import run_in
    from armwise.engine.cuda import single
    from armwise.engine.ways import PLAIN

    way = PLAIN._replace(
        name="single",
        view=single.view_single,
        begin=single.begin_single,
        act=single.act_single,
        learn=single.learn_single,
    )
    agent = aw.Agent(policy, learner)
    plan = plan_of(aw.VaryingBandit(arms=7, rho=0.02), agent, 400, 20, 3, range(1, 401), ["arm"])
    for ours, theirs in zip(run_in(plan, way), run_in(plan, PLAIN), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_card_that_is_not_there_is_named_in_a_sentence(monkeypatch):
    sentence = 'The device cuda needs numba-cuda: pip install "armwise[cuda]".'
    monkeypatch.setattr(engine, "missing_for_cuda", lambda: sentence)
    with pytest.raises(InputError, match="needs numba-cuda"):
        engine.resolved("cuda")
    with pytest.warns(UserWarning, match="Computing on the CPU instead"):
        assert engine.resolved("auto") == "cpu"


def test_auto_takes_a_card_if_there_is_one(monkeypatch):
    monkeypatch.setattr(engine, "missing_for_cuda", lambda: None)
    assert engine.resolved("auto") == engine.resolved("cuda") == "cuda"


def test_quantiles_for_cards_are_those_of_the_definition():
    from armwise.engine.cuda import functions as card

    draw = np.random.default_rng(4)
    for low, high, allowed in ((0, 2, 1e-12), (-1, 1, 1e-10), (2, 4, 1e-10), (2, 6, 1e-8)):
        for _ in range(300):
            a, b = 10.0 ** draw.uniform(low, high, 2)
            z = float(draw.choice([draw.uniform(), 10.0 ** draw.uniform(-12, -1)]))
            for ours, theirs in (
                (card.card_quantile, special.beta_quantile),
                (card.card_upper_quantile, special.beta_upper_quantile),
            ):
                expected = theirs(z, a, b)
                spread = max(min(expected, 1.0 - expected), 1e-300)
                spread = min(spread, math.sqrt(a * b / (a + b + 1)) / (a + b))
                assert abs(ours(z, a, b) - expected) < allowed * spread, (z, a, b)


def test_words_and_digammas_for_cards_are_those_of_the_definition():
    from armwise.engine.cuda import functions as card

    draw = np.random.default_rng(5)
    for _ in range(100):
        words = [int(word) for word in draw.integers(0, 1 << 32, 6)]
        with warnings.catch_warnings(action="ignore"):  # NumPy says so where a sum wraps
            found = card.card_philox(*words)
        assert tuple(int(word) for word in found) == philox(*words)
    for x in 10.0 ** draw.uniform(-3, 7, 300):
        expected = special.digamma(x)
        assert card.card_digamma(x) == pytest.approx(expected, rel=1e-12, abs=1e-14)


def test_chunks_hold_every_agent_once(cuda):
    agent = agent_of(POLICIES[0])
    plans = [plan_of(aw.StationaryBandit(), agent, 10, agents, 1) for agents in (7, 1, 12)]
    for most in (1, 5, 8, 100):
        found = cuda.chunks(plans, most)
        assert all(sum(part.agents for part in parts) <= most for parts in found)
        rows = [
            (plans.index(part.plan), part.row + row)
            for parts in found
            for part in parts
            for row in range(part.agents)
        ]
        assert rows == [(0, n) for n in range(7)] + [(1, 0)] + [(2, n) for n in range(12)]
    whole = cuda.chunks(plans, 100)[0]
    first, second = cuda.halves(whole)
    assert sum(part.agents for part in first) == sum(part.agents for part in second) == 10
    assert [part.row for part in first + second] == [0, 0, 0, 2]


def test_batches_hold_cells_that_differ_in_numbers_alone():
    from armwise.sweeps.cell import Cell

    cells = [
        Cell(aw.SwitchingBandit(arms=arms, rho=rho), agent_of(policy), 10, 1_000, 1, (10,))
        for policy in POLICIES[:2]
        for arms in (3, 4)
        for rho in (0.1, 0.2, 0.3)
    ]
    found = batches(cells)
    assert [len(batch) for batch in found] == [6, 6]
    many = batches([dataclasses.replace(cell, agents=5_000) for cell in cells])
    assert [len(batch) for batch in many] == [3, 3, 3, 3]
    assert {cell.name for batch in found for cell in batch} == {cell.name for cell in cells}


@pytest.mark.gpu
@needs_card
@pytest.mark.parametrize("policy", POLICIES + BEYOND, ids=str)
@pytest.mark.parametrize(("arms", "rho"), [(3, 0.0), (10, 0.01), (40, 0.01)])
def test_a_card_finds_the_regrets_of_the_cpu_engine(cuda, policy, arms, rho):
    """Choices may differ where scores differ in the last bits: in few of the agents, if any."""
    bandit, agent = aw.SwitchingBandit(arms=arms, rho=rho), agent_of(policy, rho)
    asked = {"horizon": 300, "agents": 500, "seed": 3}
    expected = aw.simulate(bandit, agent, **asked).regret.values[:, -1]
    plan = plan_of(bandit, agent, **asked)
    ways = [together(16 if arms < 16 else 32)]
    ways += [SINGLE] if score_lasts(type(policy)) else []
    ways += [SCREENED] if policy.label == "O-TS" else []
    ways += [ALONE] if policy.label == "A-AI" else []
    for way in ways:
        ((regrets, _),) = cuda.run_many([plan], lambda _: None, way)
        assert np.mean(regrets[:, -1] != expected) < 0.01


@pytest.mark.gpu
@needs_card
def test_bandits_with_different_numbers_of_arms_share_a_launch(cuda):
    plans = [
        plan_of(aw.SwitchingBandit(arms=arms, rho=0.02), agent_of(POLICIES[0], 0.02), 90, 40, 2)
        for arms in (3, 17, 40)
    ]
    for plan, (regrets, _) in zip(plans, cuda.run_many(plans, lambda _: None), strict=True):
        asked = {"horizon": 90, "agents": 40, "seed": 2}
        expected = aw.simulate(plan.bandit, plan.agent, **asked).regret.values
        np.testing.assert_allclose(regrets, expected, rtol=1e-12)


@pytest.mark.gpu
@needs_card
def test_a_card_computes_what_is_asked_for_whole_or_in_parts(cuda, monkeypatch):
    bandit, agent = aw.SwitchingBandit(arms=4, rho=0.02), agent_of(POLICIES[0], 0.02)
    asked = {"horizon": 60, "agents": 50, "seed": 2, "record": ["arm", "alpha", "beta", "theta"]}
    expected = aw.simulate(bandit, agent, **asked)
    found = aw.simulate(bandit, agent, device="cuda", **asked)
    monkeypatch.setattr(cuda, "room", lambda plan, way: 7)
    again = aw.simulate(bandit, agent, device="cuda", **asked)
    for name in ("regret", "chosen", "alpha", "beta", "theta"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-9)
        np.testing.assert_array_equal(found[name], again[name])
