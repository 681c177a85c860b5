"""How long it takes until armwise does something."""

import tempfile

from parts.fresh import seconds
from parts.table import Options, Table, spread

RUN = """
import armwise as aw
agent = aw.Agent(aw.{policy}(), aw.Smile(rho=0.01))
aw.simulate(aw.SwitchingBandit(rho=0.01), agent, horizon=10, agents=2, seed=1)
"""
POLICIES = ("ApproximateActiveInference", "BayesianUCB")


def measure(options: Options) -> list[Table]:
    rounds = 2 if options.quick else 5
    seconds("import armwise")  # warms the disk's cache
    found: dict[str, list[float]] = {}
    for turn in range(rounds):
        options.say(f"start-up: round {turn + 1}")
        found.setdefault("python alone", []).append(seconds("pass"))
        found.setdefault("import armwise", []).append(seconds("import armwise"))
        with tempfile.TemporaryDirectory() as cache:
            for policy in POLICIES:
                for state in ("no cached kernel", "cached kernel"):
                    took = seconds(RUN.format(policy=policy), ARMWISE_CACHE_DIR=cache)
                    found.setdefault(f"first result, {policy}, {state}", []).append(took)
    rows = [[name, spread(times)] for name, times in found.items()]
    note = f"Whole processes, Python's own start included; median of {rounds}."
    return [Table("Start-up", ["what", ">seconds [min–max]"], rows, [note])]
