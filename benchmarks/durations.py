"""What it is worth to know when changes come: regular intervals against a constant hazard.

    python benchmarks/durations.py [--agents N]

400 agents take about ten minutes on two cores.
"""

import argparse
import math

import armwise as aw
from parts.table import Table

HORIZON = 5_000
SEED = 2_031
STAGES = (1, 4, 16, 100)
INTERVAL = 100
KINDS = ("varying", "reversal")


def bandits_of(kind: str) -> list[aw.Bandit]:
    """Bandits that change every hundred trials, from no memory to regular."""
    if kind == "varying":
        return [aw.TimedVaryingBandit(interval=INTERVAL, stages=stages) for stages in STAGES]
    return [aw.ReversalBandit(interval=INTERVAL, stages=stages) for stages in STAGES]


def agents_of(stages: int, kind: str) -> dict[str, aw.Actor]:
    """Agents with a constant hazard and with durations; what each is given stands in its name."""
    known = {"p": 0.2, "epsilon": 0.6}
    swapping = {
        "HMM, given thetas and the mean interval": aw.InformedHMM(**known, rho=1 / INTERVAL),
        "HMM-duration, given thetas": aw.DurationHMM(**known),
    }
    given = aw.DurationBOCPD(intervals=(INTERVAL,), stages=(stages,))
    return {
        "BOCPD, given the mean interval": aw.BOCPD(rho=1 / INTERVAL),
        "BOCPD-rho": aw.LearnedBOCPD(),
        "BOCPD-duration": aw.DurationBOCPD(),
        "BOCPD-duration, given the durations": given,
        "two-worlds": aw.TwoWorlds(),
        "universal": aw.Universal(),
        **(swapping if kind == "reversal" else {}),
    }


def table(kind: str, agents: int, only: list[str]) -> Table:
    """Regret rates with standard errors."""
    rows = {name: [name] for name in agents_of(1, kind) if not only or name in only}
    for stages, bandit in zip(STAGES, bandits_of(kind), strict=True):
        for name in rows:
            agent = agents_of(stages, kind)[name]
            found = aw.simulate(bandit, agent, HORIZON, agents, SEED, checkpoints=[HORIZON])
            rates = found.regret.values[:, -1] / HORIZON
            error = rates.std(ddof=1) / math.sqrt(agents)
            rows[name].append(f"{rates.mean():.4f} ± {error:.4f}")
            print(kind, stages, name, rows[name][-1], flush=True)
    head = ["agent", *(f"stages = {stages}" for stages in STAGES)]
    title = f"Regret rate after {HORIZON} trials, {kind}, interval {INTERVAL}, {agents} agents"
    return Table(title, head, list(rows.values()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--agents", type=int, default=400)
    parser.add_argument("--kind", choices=KINDS, help="of bandits")
    parser.add_argument("--only", action="append", default=[], help="an agent; repeat")
    asked = parser.parse_args()
    for kind in [asked.kind] if asked.kind else KINDS:
        print(table(kind, asked.agents, asked.only).markdown())


if __name__ == "__main__":
    main()
