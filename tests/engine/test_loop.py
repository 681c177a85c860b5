"""The loop: addressed results, equal on every device, whatever the threads, chunks or marks."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import armwise as aw
from armwise.engine import cpu, loop
from armwise.engine.ways import way_of

BANDIT = aw.SwitchingBandit(arms=5, epsilon=0.2, rho=0.02)
AGENT = aw.Agent(aw.ApproximateActiveInference(lam=0.5), aw.Smile(rho=0.02))


def run(**options):
    return aw.simulate(BANDIT, AGENT, **({"horizon": 500, "agents": 70, "seed": 3} | options))


def test_threads_do_not_change_a_bit():
    assert run(threads=1).regret.equals(run(threads=2).regret)


def test_an_agent_is_the_same_whoever_plays_beside_it():
    whole = run()
    for part in (range(0, 1), range(33, 64), range(69, 70)):
        alone = run(agents=part)
        np.testing.assert_array_equal(alone.regret, whole.regret.sel(agent=list(part)))


def test_checkpoints_do_not_change_what_happens():
    dense, sparse = run(checkpoints=aw.every(1)), run(checkpoints=[7, 100, 500])
    np.testing.assert_array_equal(dense.regret.sel(trial=[7, 100, 500]), sparse.regret)


def test_python_and_compiled_code_agree_to_the_bit():
    np.testing.assert_array_equal(
        run(agents=3, device="python").regret, run(agents=3, device="cpu").regret
    )


def test_seeds_differ():
    assert not run(seed=1).regret.equals(run(seed=2).regret)
    assert not run(seed=1).regret.equals(run(seed=1 + 2**32).regret)


def test_a_number_never_compiles_anything_again():
    run()
    other = aw.Agent(aw.ApproximateActiveInference(lam=0.1), aw.Smile(rho=0.3, alpha0=2))
    aw.simulate(aw.SwitchingBandit(arms=9, epsilon=0.05, rho=0.5), other, 20, 3)
    way = way_of(AGENT)
    kernel = cpu.agent_kernel(loop.play_agents, AGENT, way)
    assert kernel is cpu.agent_kernel(loop.play_agents, other, way)
    assert len(kernel.signatures) == 1
    assert len(cpu.bandit_kernel(BANDIT).signatures) == 1


def test_another_bandit_compiles_nothing_of_the_agent():
    run()
    before = dict(cpu._kernels)
    aw.simulate(aw.VaryingBandit(arms=4), AGENT, 20, 3)
    new = cpu._kernels.keys() - before.keys()
    assert new <= {(aw.VaryingBandit, "")}


def test_a_long_run_is_cut_into_stretches_without_a_trace(monkeypatch):
    whole = run(horizon=3_000)
    monkeypatch.setattr(cpu, "PAUSE", 0.0)  # one trial at a time
    np.testing.assert_array_equal(run(horizon=3_000, agents=4).regret, whole.regret[:4])


def test_progress_counts_every_agent_trial():
    done = []
    run(progress=done.append)
    assert sum(done) == 500 * 70


def test_an_interrupt_stops_within_a_moment():
    code = """
        import armwise as aw, os, signal, threading, time
        agent = aw.Agent(aw.BayesianUCB())
        aw.simulate(aw.StationaryBandit(), agent, 10, 2)
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        started = time.perf_counter()
        try:
            aw.simulate(aw.StationaryBandit(arms=80), agent, 10**7, 1000)
        except KeyboardInterrupt:
            print(time.perf_counter() - started)
    """
    out = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    assert 0.4 < float(out.stdout) < 4.0


@pytest.mark.parametrize("room", ["AHEAD", "THETAS"])
def test_how_far_bandits_run_ahead_changes_nothing(monkeypatch, room):
    """With room for few trials, or for few changes of the thetas."""
    agent = aw.Agent(aw.ApproximateActiveInference(), aw.Smile(rho=0.3))
    bandits = [
        aw.SwitchingBandit(arms=3, rho=0.3),
        aw.DriftingBandit(arms=3),
        aw.StationaryBandit(),
    ]
    asked = {"horizon": 500, "agents": 40, "seed": 4, "record": ["theta"]}
    whole = [aw.simulate(bandit, agent, **asked) for bandit in bandits]
    monkeypatch.setattr(cpu, room, 1)
    for bandit, expected in zip(bandits, whole, strict=True):
        found = aw.simulate(bandit, agent, **asked)
        np.testing.assert_array_equal(found.regret, expected.regret)
        np.testing.assert_array_equal(found.theta, expected.theta)


def test_outcomes_that_come_together_are_all_seen():
    """Two outcomes between two decisions: both arms must be scored anew."""
    agent = aw.Agent(aw.ApproximateActiveInference(lam=0.5))
    player = agent.start(["a", "b", "c"], seed=1)
    tickets = [player.choose(among=[arm]) for arm in "ab"]
    player.choose()
    for ticket in tickets:
        player.observe(ticket, 0)
    assert {player.choose().arm for _ in range(20)} == {"c"}


class Forgetful(aw.Actor):
    """Remembers nothing at all."""

    def memory_size(self, arms):
        return 0

    def act(self, memory, arms, trial, rng):
        return trial % arms

    def learn(self, memory, arms, trial, arm, outcome, rng):
        return 0.0


def test_an_agent_may_have_no_memory():
    found = aw.simulate(aw.StationaryBandit(arms=2), Forgetful(), 20, 3, seed=1)
    assert found.regret.shape[0] == 3
