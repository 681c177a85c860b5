"""How long it takes until armwise shows its first result."""

import shutil
import statistics
import tempfile
from pathlib import Path

from parts.fresh import told
from parts.table import Options, Table, spread

AGENTS = {
    "A-AI": "aw.Agent(aw.ApproximateActiveInference(), aw.Smile(rho=0.01))",
    "B-UCB": "aw.Agent(aw.BayesianUCB(), aw.Smile(rho=0.01))",
    "O-TS": "aw.Agent(aw.OptimisticThompsonSampling(), aw.Smile(rho=0.01))",
    "universal": "aw.Universal()",
}
RUN = """
import time
import armwise as aw
agent = {agent}
print(float(aw.simulate(aw.SwitchingBandit(rho=0.01), agent, 100, 20, seed=1).regret.mean()))
started = time.perf_counter()
aw.simulate(aw.VaryingBandit(rho=0.01), agent, 100, 20, seed=1)
print(time.perf_counter() - started)
"""
GOALS = {"A-AI": 3.0, "B-UCB": 6.0, "O-TS": 6.0, "universal": 6.0}
SECOND_BANDIT, WARM = 1.5, 1.2  # goals in seconds, for every agent


def measure(options: Options) -> list[Table]:
    rounds = 2 if options.quick else 5
    told("import armwise")  # warms the disk's cache
    found: dict[str, list[float]] = {"python alone": [], "import armwise": []}
    goals: dict[str, float] = {}
    for turn in range(rounds):
        options.say(f"start-up: round {turn + 1}")
        found["python alone"].append(told("pass")[0])
        found["import armwise"].append(told("import armwise")[0])
        with tempfile.TemporaryDirectory() as cache:
            for name, agent in AGENTS.items():
                for what, took, goal in first_results(name, agent, cache):
                    found.setdefault(what, []).append(took)
                    goals[what] = goal
    rows = [row(what, times, goals.get(what)) for what, times in found.items()]
    note = (
        f"Median of {rounds} rounds. A first result is a whole process, Python's own start "
        "included. Without kernels, the folder of compiled kernels is empty; tables of Gittins "
        "indices, which the universal agent computes once on a machine, are there but in its first "
        "line. The second bandit is new to the same process."
    )
    return [Table("Start-up", ["what", ">seconds [min–max]", ">goal", ""], rows, [note])]


def first_results(name: str, agent: str, cache: str) -> list[tuple[str, float, float]]:
    """Seconds of a first result without and with kernels, and of a second bandit."""
    code, environment = RUN.format(agent=agent), {"ARMWISE_CACHE_DIR": cache}
    found = []
    if name == "universal":
        took, _ = told(code, **environment)
        found.append((f"{name}: first result, no kernels and no tables", took, GOALS[name]))
    shutil.rmtree(Path(cache) / "kernels", ignore_errors=True)
    took, printed = told(code, **environment)
    second = float(printed.split()[1])
    found.append((f"{name}: first result, no kernels", took - second, GOALS[name]))
    found.append((f"{name}: second bandit, no kernels", second, SECOND_BANDIT))
    took, printed = told(code, **environment)
    found.append((f"{name}: first result, kernels", took - float(printed.split()[1]), WARM))
    return found


def row(what: str, times: list[float], goal: float | None) -> list[str]:
    if goal is None:
        return [what, spread(times), "", ""]
    verdict = "met" if statistics.median(times) <= goal else "missed"
    return [what, spread(times), f"{goal:g}", verdict]
