"""Likelihoods on a card: compiled to PTX, interpreted by Numba's simulator, and beside a cpu.

Tests with the marker `gpu` need a card.
"""

import json
import os
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from tests.engine.followed import AGENTS, CASES, PLAIN, found, recorded, vectors

import armwise as aw
from armwise import engine
from armwise.engine.batch import log_likelihoods
from armwise.engine.binding import rebind
from armwise.engine.follow import slots_of_data
from armwise.engine.memory import record_type
from armwise.engine.ways import following_way
from armwise.errors import InputError

pytest.importorskip("numba.cuda")
needs_card = pytest.mark.skipif(
    engine.missing_for_cuda() is not None, reason="there is no CUDA card"
)


def ptx(monkeypatch, agent, capability, available=False, shown=False):
    """The kernel that follows this agent as PTX, compiled without a driver."""
    import numba.cuda.dispatcher
    from numba import boolean, float64, from_dtype, int64
    from numba import types as kinds

    from armwise.engine.cuda.compile import device_function
    from armwise.engine.cuda.following import bound

    card = types.SimpleNamespace(compute_capability=capability)
    monkeypatch.setattr(numba.cuda.dispatcher, "get_current_device", lambda: card)
    way = following_way(agent)
    function, slots = bound(agent, way, slots_of_data(way, available, shown))

    def compiler(twin):
        return twin if twin.__code__ is function.__code__ else device_function(twin)

    whole = kinds.Array(int64, 1, "C")
    numbers = [kinds.Array(float64, 2, "F"), kinds.Array(float64, 1, "C")]
    data = [whole, whole, kinds.Array(boolean, 1, "C"), kinds.Array(boolean, 2, "C")]
    data += [kinds.Array(int64, 2, "C"), whole, whole]
    state = [kinds.Array(float64, n, "F") for n in (3, 2)]
    state += [kinds.Array(from_dtype(record_type(agent, way)), 1, "C")]
    sums = [kinds.Array(float64, 2, "F"), kinds.Array(float64, 1, "C")]
    code, _ = numba.cuda.compile(
        rebind(function, slots, compiler),
        kinds.void(whole, *numbers, whole, *data, *state, *sums),
        device=False,
        cc=capability,
        abi="numba",
    )
    return code


@pytest.mark.parametrize(
    ("agent", "data"),
    [
        (AGENTS[PLAIN][0], {}),
        (AGENTS["rw, habit, lapses"][0], {"available": True, "shown": True}),
        pytest.param(AGENTS["g-ai"][0], {}, marks=pytest.mark.slow),
        pytest.param(AGENTS["hgf"][0], {}, marks=pytest.mark.slow),
        pytest.param(AGENTS["bocpd"][0], {}, marks=pytest.mark.slow),
        pytest.param(aw.Chooser(aw.Universal(), aw.Softmax()), {}, marks=pytest.mark.slow),
        pytest.param(aw.Agent(aw.ThompsonSampling()), {}, marks=pytest.mark.slow),  # an integral
    ],
    ids=str,
)
def test_likelihoods_compile_for_a_card(monkeypatch, agent, data):
    code = ptx(monkeypatch, agent, (9, 0), **data)
    assert ".target sm_90" in code
    assert ".entry" in code


@pytest.fixture(scope="module")
def simulated():
    """What the code for cards finds in Numba's simulator."""
    told = subprocess.run(
        [sys.executable, "-m", "tests.engine.followed"],
        env=os.environ | {"NUMBA_ENABLE_CUDASIM": "1"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
    )
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout)


@pytest.mark.parametrize("case", CASES)
def test_the_simulator_finds_the_likelihoods_of_the_cpu(simulated, case):
    """Both compute in 64 bits, in the same order; a digamma for cards is another one."""
    np.testing.assert_allclose(simulated["found"][case], found(case, "cpu"), rtol=0, atol=1e-10)


def test_launches_chunks_and_the_order_of_people_change_no_bit(simulated):
    whole, *others = simulated["cut"]
    assert np.argwhere(np.isneginf(whole)).tolist() == [[1, 1]]  # a value is not a number
    for other in others:
        np.testing.assert_array_equal(other, whole)


def test_a_card_that_is_not_there_is_named_before_anything_is_computed(monkeypatch):
    monkeypatch.setattr(engine, "missing_for_cuda", lambda: "There is no card.")
    agent, free = AGENTS[PLAIN]
    with pytest.raises(InputError, match="There is no card"):
        log_likelihoods(agent, list(free), vectors(free)[None], recorded(), device="cuda")
    with pytest.warns(UserWarning, match="Computing on the CPU instead"):
        told = log_likelihoods(agent, list(free), vectors(free)[None], recorded(), device="auto")
    np.testing.assert_array_equal(told, found(PLAIN, "cpu"))
    for device, words in (("python", "cpu or cuda, not on python"), ("gpu", "no device 'gpu'")):
        with pytest.raises(InputError, match=words):
            log_likelihoods(agent, list(free), vectors(free)[None], recorded(), device=device)


@pytest.mark.gpu
@needs_card
@pytest.mark.parametrize("case", CASES)
def test_a_card_finds_the_likelihoods_of_the_cpu(case):
    np.testing.assert_allclose(found(case, "cuda"), found(case, "cpu"), rtol=1e-10)


@pytest.mark.gpu
@needs_card
@pytest.mark.parametrize(
    "agent",
    [aw.Agent(aw.ThompsonSampling()), aw.Chooser(aw.Universal(), aw.Softmax(precision=5.0))],
    ids=str,
)
def test_integrals_and_actors_have_the_same_likelihoods(agent):
    asked = agent, [], np.zeros((1, 1, 0)), recorded()
    expected = log_likelihoods(*asked)
    np.testing.assert_allclose(log_likelihoods(*asked, device="cuda"), expected, rtol=1e-7)


@pytest.mark.gpu
@needs_card
def test_a_fit_on_a_card_is_that_of_the_cpu():
    data = aw.example("reversal")
    some = data.only(data.subjects[:10])
    agent = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(), aw.Softmax())
    ours, theirs = (
        aw.fit(agent, some, ["rate", "precision"], method="eb", device=device)
        for device in ("cuda", "cpu")
    )
    np.testing.assert_allclose(ours.values(), theirs.values(), rtol=1e-5)
