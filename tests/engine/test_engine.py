"""The engine: addressed results, binding of components, and the cache of compiled code."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import armwise as aw
from armwise.engine import loop
from armwise.engine.binding import fingerprint, slots_of
from armwise.model.roles import Policy

WORLD = aw.SwitchingBandit(arms=5, epsilon=0.2, rho=0.02)
AGENT = aw.Agent(aw.ApproximateActiveInference(lam=0.5), aw.Smile(rho=0.02))


def run(**options):
    return aw.simulate(WORLD, AGENT, **({"horizon": 500, "agents": 70, "seed": 3} | options))


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


def test_a_number_never_compiles_anything_anew():
    from armwise.engine.cpu import kernel

    run()
    other = aw.Agent(aw.ApproximateActiveInference(lam=0.1), aw.Smile(rho=0.3, alpha0=2))
    aw.simulate(aw.SwitchingBandit(arms=9, epsilon=0.05, rho=0.5), other, 20, 3)
    compiled = kernel(loop.play, WORLD, AGENT)
    assert compiled is kernel(loop.play, aw.SwitchingBandit(), other)
    assert len(compiled.signatures) == 1


def test_a_long_run_is_cut_into_stretches_without_a_trace(monkeypatch):
    from armwise.engine import cpu

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


def test_the_fingerprint_follows_the_code_and_nothing_else():
    class First(Policy):
        """One way."""

        def score(self, shared, arm, alpha, beta, rng):
            return alpha  # a comment

    class Second(Policy):
        def score(self, shared, arm, alpha, beta, rng):
            """Another way, of the same code."""
            return alpha

    class Third(Policy):
        def score(self, shared, arm, alpha, beta, rng):
            return beta

    prints = [
        fingerprint(loop.play, slots_of(WORLD, aw.Agent(policy())))
        for policy in (First, Second, Third)
    ]
    assert prints[0] == prints[1] != prints[2]


def test_a_component_that_cannot_be_compiled_is_refused_in_a_sentence():
    class Helpful(Policy):
        def helper(self, x):
            return x

        def score(self, shared, arm, alpha, beta, rng):
            return self.helper(alpha)

    class Silent(Policy):
        pass

    class Short(Policy):
        def score(self, alpha, beta):
            return alpha

    for policy, words in (
        (Helpful(), r"calls self\.helper: write it as a function"),
        (Silent(), r"Silent defines no score\("),
        (Short(), r"Short\.score must take \(self, shared, arm, alpha, beta, rng\)"),
    ):
        with pytest.raises(aw.InputError, match=words):
            aw.simulate(WORLD, aw.Agent(policy), 10, 2)


POLICY = """
    import json, sys
    import armwise as aw
    from armwise.engine.cpu import kernel
    from armwise import loop
    from armwise.model.roles import Policy
    from helper import weight

    class Mine(Policy):
        def score(self, shared, arm, alpha, beta, rng):
            return weight(alpha, beta)

    if __name__ == "__main__":
        world, agent = aw.StationaryBandit(arms=3), aw.Agent(Mine())
        result = aw.simulate(world, agent, 50, 20, seed=5)
        hits = sum(kernel(loop.play, world, agent).stats.cache_hits.values())
        print(json.dumps({"hits": hits, "regret": float(result.regret[:, -1].mean())}))
"""


def run_script(folder: Path) -> dict:
    environment = os.environ | {"ARMWISE_CACHE_DIR": str(folder / "cache")}
    out = subprocess.run(
        [sys.executable, "mine.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(out.stdout)


def test_compiled_code_is_found_again_never_stale_and_does_not_grow(tmp_path):
    (tmp_path / "mine.py").write_text(textwrap.dedent(POLICY))
    helper = tmp_path / "helper.py"
    helper.write_text("def weight(alpha, beta):\n    return alpha / (alpha + beta)\n")
    first = run_script(tmp_path)
    files = sorted(p for p in (tmp_path / "cache").rglob("*") if p.is_file())
    second = run_script(tmp_path)
    assert (first["hits"], second["hits"]) == (0, 1)
    assert first["regret"] == second["regret"]
    assert files == sorted(p for p in (tmp_path / "cache").rglob("*") if p.is_file())
    # The edit is in a file that the component only imports.
    helper.write_text("def weight(alpha, beta):\n    return beta / (alpha + beta)\n")
    third = run_script(tmp_path)
    assert third["hits"] == 0
    assert third["regret"] != first["regret"]


def test_without_a_writable_cache_everything_still_runs(tmp_path, monkeypatch):
    from armwise.engine import compile as compiling

    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("ARMWISE_CACHE_DIR", str(blocked))
    monkeypatch.setattr(compiling, "_kernels", {})
    before = run(agents=2, device="python")
    np.testing.assert_array_equal(run(agents=2).regret, before.regret)


def test_kernels_unused_for_long_are_forgotten(tmp_path):
    from armwise.engine.compile import FORGET_AFTER_DAYS, _forget_unused

    for name, days in (("old", FORGET_AFTER_DAYS + 1), ("new", FORGET_AFTER_DAYS - 1)):
        (tmp_path / name).mkdir()
        stamp = tmp_path / name / "used"
        stamp.touch()
        then = stamp.stat().st_mtime - 86400 * days
        os.utime(stamp, (then, then))
    _forget_unused(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


class PlainSmile(aw.Smile):
    """SMiLe that spares nothing: every arm is updated in every trial."""

    def spreads(self, gamma):
        return True


@pytest.mark.parametrize("policy", [aw.ApproximateActiveInference, aw.ExactActiveInference])
@pytest.mark.parametrize("choice", [aw.Argmax(), aw.Softmax(precision=20)])
@pytest.mark.parametrize("rho", [0.0, 0.1])
def test_what_is_spared_changes_nothing(policy, choice, rho):
    class Plain(policy):
        """The same policy, scored anew in every trial."""

        lasts = False

    asked = {"horizon": 400, "agents": 3, "seed": 8, "device": "python", "checkpoints": aw.every(1)}
    spared = aw.simulate(WORLD, aw.Agent(policy(lam=0.3), aw.Smile(rho=rho), choice), **asked)
    plain = aw.simulate(WORLD, aw.Agent(Plain(lam=0.3), PlainSmile(rho=rho), choice), **asked)
    np.testing.assert_array_equal(spared.regret, plain.regret)


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
