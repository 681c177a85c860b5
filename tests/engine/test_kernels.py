"""Compiled kernels on disk: found again, never stale, never loaded damaged."""

import hashlib
import json
import os
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import armwise as aw
from armwise.engine import compile as compiling
from armwise.engine import cpu
from armwise.engine.kernels import KernelCache

BANDIT = aw.SwitchingBandit(arms=5, epsilon=0.2, rho=0.02)
AGENT = aw.Agent(aw.ApproximateActiveInference(lam=0.5), aw.Smile(rho=0.02))


def run(**options):
    return aw.simulate(BANDIT, AGENT, **({"horizon": 500, "agents": 2, "seed": 3} | options))


@pytest.fixture
def empty(monkeypatch, tmp_path):
    """A process that has compiled nothing, with a cache folder of its own."""
    monkeypatch.setenv("ARMWISE_CACHE_DIR", str(tmp_path))
    for module, name in ((cpu, "_kernels"), (compiling, "_kernels"), (compiling, "_shared")):
        monkeypatch.setattr(module, name, {})
    return tmp_path


POLICY = """
    import json, sys
    import armwise as aw
    from armwise.engine import cpu
    from helper import weight

    class Mine(aw.Policy):
        def score(self, shared, arm, alpha, beta, rng):
            return weight(alpha, beta)

    if __name__ == "__main__":
        bandit, agent = aw.StationaryBandit(arms=3), aw.Agent(Mine())
        result = aw.simulate(bandit, agent, 50, 20, seed=5)
        hits = sum(sum(kernel.stats.cache_hits.values()) for kernel in cpu._kernels.values())
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
    assert (first["hits"], second["hits"]) == (0, 2)  # the bandit and the agent
    assert first["regret"] == second["regret"]
    assert files == sorted(p for p in (tmp_path / "cache").rglob("*") if p.is_file())
    # The edit is in a file that the component only imports.
    helper.write_text("def weight(alpha, beta):\n    return beta / (alpha + beta)\n")
    third = run_script(tmp_path)
    assert third["hits"] == 1  # the bandit alone
    assert third["regret"] != first["regret"]


def test_without_a_writable_cache_everything_still_runs(empty, monkeypatch):
    blocked = empty / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("ARMWISE_CACHE_DIR", str(blocked))
    np.testing.assert_array_equal(run().regret, run(device="python").regret)


def test_a_damaged_kernel_is_compiled_again(empty):
    expected = run().regret
    files = list((empty / "kernels").iterdir())
    assert len(files) == 2
    for path in files:
        path.write_bytes(path.read_bytes()[:-1])
    cpu._kernels.clear()
    compiling._kernels.clear()
    with pytest.warns(UserWarning, match="is damaged and will be made again"):
        np.testing.assert_array_equal(run().regret, expected)
    cpu._kernels.clear()
    compiling._kernels.clear()
    np.testing.assert_array_equal(run().regret, expected)


@pytest.mark.parametrize("content", [b"", b"not a pickle", pickle.dumps((1, 2, 3))])
def test_a_kernel_that_cannot_be_loaded_is_compiled(empty, content):
    """The checksum fits, and what it is of does not."""
    expected = run().regret
    for path in (empty / "kernels").iterdir():
        path.write_bytes(hashlib.sha256(content).digest() + content)
    cpu._kernels.clear()
    compiling._kernels.clear()
    with pytest.warns(UserWarning, match="A compiled kernel cannot be loaded"):
        np.testing.assert_array_equal(run().regret, expected)


def test_a_kernel_that_cannot_be_kept_is_used(empty, monkeypatch):
    def dumps(_):
        raise pickle.PicklingError("no")

    monkeypatch.setattr("armwise.engine.kernels.pickle.dumps", dumps)
    with pytest.warns(UserWarning, match="A compiled kernel cannot be kept"):
        np.testing.assert_array_equal(run().regret, run(device="python").regret)
    assert not (empty / "kernels").exists()


class Card:
    """As much of a card's context as a cache looks at."""

    def codegen(self):
        return self

    def magic_tuple(self):
        return ("a card", (9, 0))


def test_kernels_for_cards_are_kept_alike(empty):
    made = []
    cache = KernelCache("a" * 32, dict, lambda target, states: made.append(target) or states)
    card = Card()
    assert cache.load_overload(("void",), card) is None
    cache.save_overload(("void",), {"code": b"bits"})
    assert cache.load_overload(("void",), card) == {"code": b"bits"}
    assert made == [card]
    assert cache.load_overload(("other",), card) is None
    stored = next((empty / "kernels").iterdir()).read_bytes()
    assert pickle.loads(stored[32:]) == {"code": b"bits"}
