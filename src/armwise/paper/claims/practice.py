"""Claims 25, 26 and 45: time per decision (table 1), and the same numbers from the same seed."""

import numpy as np

from armwise.bandits import SwitchingBandit
from armwise.learners import Smile
from armwise.model.agent import Agent
from armwise.paper.claims.claim import Said, claim
from armwise.paper.claims.decide import Estimate, Finding, above, below, exact, student
from armwise.paper.claims.evidence import Evidence, Missing
from armwise.paper.claims.families import ARMS
from armwise.policies import ApproximateActiveInference, OptimisticThompsonSampling
from armwise.sweeps.cell import Cell

OTHERS = ("B-UCB", "TS", "O-TS", "G-AI")
NOISE = 1.1  # smaller ratios of two times are not a difference
ON_PAR = 1.25


@claim(25)
def fastest(evidence: Evidence) -> list[list[Finding]]:
    """Ratios of times; within 10 % is measurement error, within 25 % is on par."""

    def faster(cell: dict, policy: str, bound: float) -> Finding:
        arms = cell["arms"]
        return below(cell, _ratio(evidence, ("A-AI", arms), (policy, arms)), bound)

    least = [
        faster({"against": policy, "arms": arms}, policy, 1 / NOISE)
        for policy in OTHERS
        for arms in ARMS
    ]
    return [least, [faster({"arms": arms}, "UCB", ON_PAR) for arms in ARMS]]


@claim(26)
def slows(evidence: Evidence) -> Said:
    """Time with 80 arms divided by that with 10."""
    growth = {p: _ratio(evidence, (p, ARMS[-1]), (p, ARMS[0])) for p in ("G-AI", "A-AI", "UCB")}
    yield above({"policy": "G-AI"}, growth["G-AI"], NOISE)
    yield f"For A-AI the ratio is {growth['A-AI'].value:.2f}, for UCB {growth['UCB'].value:.2f}."


def _ratio(evidence: Evidence, one: tuple[str, int], two: tuple[str, int]) -> Estimate:
    """A ratio of two times; if there are several runs of each, with its spread over pairs."""
    top, bottom = _times(evidence, *one), _times(evidence, *two)
    if len(top) == len(bottom) > 1:
        return student(top / bottom)
    return exact(float(top.mean() / bottom.mean()))


def _times(evidence: Evidence, policy: str, arms: int) -> np.ndarray:
    table = evidence.timing
    if table is None:
        raise Missing("no times were measured.")
    rows = table[(table["policy"] == policy) & (table["arms"] == arms)]
    if not len(rows):
        raise Missing(f"no time was measured for {policy} with {arms} arms.")
    return np.asarray(rows["ms"], dtype=float)


@claim(45)
def repeats(evidence: Evidence) -> Said:
    """A small cell is bit-identical when run again, also with 2 threads; another seed differs."""
    if not evidence.simulates:
        raise Missing("this report simulates nothing.")
    for policy in (ApproximateActiveInference(lam=0.5), OptimisticThompsonSampling()):
        bandit, agent = SwitchingBandit(10, 0.1, 0.01), Agent(policy, Smile(rho=0.01))
        cell = Cell(bandit, agent, 300, 70, 45, (100, 300))
        other = Cell(bandit, agent, 300, 70, 46, (100, 300))
        first, *again = (
            one.run(threads=threads)["regret"].values.tobytes()
            for one, threads in ((cell, 1), (cell, 1), (cell, 2), (other, 2))
        )
        differ = sum(one != first for one in again[:2]) + (again[2] == first)
        yield below({"policy": policy.label}, exact(float(differ)), 0.5)
