"""Claims 36 to 43: the varying bandit (figures 6 and S3), and all changing bandits together."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from armwise.analysis.regret import mean_interval
from armwise.paper.claims.claim import Said, claim
from armwise.paper.claims.curves import (
    best,
    best_note,
    best_replicas,
    excess,
    lead,
    random_rate,
    trends,
)
from armwise.paper.claims.decide import (
    MARGIN,
    Finding,
    above,
    below,
    every,
    exact,
    resampled,
    some,
    student,
    within,
)
from armwise.paper.claims.evidence import Data
from armwise.paper.claims.families import (
    ACTIVE,
    ARMS,
    FIGURE_4,
    FIGURE_5,
    RHOS,
    RIVALS,
    VARYING,
    Cell,
    family,
    without,
)
from armwise.paper.claims.verdict import ClaimPart, Note

EASIEST = {"arms": 10, "rho": 0.005}
SUBSTANTIAL = 0.1  # less regret than the rival's, as a share of it
TIGHT = 0.01  # half-width of an interval in units of random choice: about a line's width
AGENTS = 1_000


@claim(36)
def stable(data: Data, trial: int) -> list[ClaimPart]:
    """Spread of the best lam over the 16 panels, and the excess of lam = .25 over it for G-AI."""
    centres, replicas = {}, {}
    spread: list[Any] = []
    close: list[Finding] = []
    for seed, policy in enumerate(ACTIVE):
        lams = data.lams(policy)
        rates = [data.rates(trial, lams, policy=policy, **cell) for cell in VARYING]
        centres[policy] = np.std([best(lams, one) for one in rates])
        replicas[policy] = np.std([best_replicas(lams, one, seed) for one in rates], axis=0)
        for cell, one in zip(VARYING, rates, strict=True):
            spread.append(best_note({"policy": policy, **cell}, lams, one))
            if policy == "G-AI":
                close.append(excess(cell, lams, one, 0.25))
    value = float(centres["A-AI"] - centres["G-AI"])
    spread.append(above({}, resampled(value, replicas["A-AI"] - replicas["G-AI"])))
    return [ClaimPart(spread, fills=centres), ClaimPart(close)]


@claim(37)
def grows(data: Data, trial: int) -> Said:
    """Slopes of the lead over log2 K and log2 rho, for both variants and both rivals."""
    for policy in ACTIVE:
        for cell, slope in (
            *trends(data, trial, policy, "arms", ARMS, family(rho=RHOS)),
            *trends(data, trial, policy, "rho", RHOS, family(arms=ARMS)),
        ):
            yield above({"policy": policy, **cell}, slope)


@claim(38)
def easiest(data: Data, trial: int) -> list[list[Finding]]:
    """A paired difference for A-AI and an equivalence for G-AI."""
    behind = student(-lead(data, trial, "A-AI", "B-UCB", EASIEST))
    equal = student(lead(data, trial, "G-AI", "B-UCB", EASIEST))
    return [[above(EASIEST, behind)], [within(EASIEST, equal, -MARGIN, MARGIN)]]


@claim(39)
def elsewhere(data: Data, trial: int) -> Said:
    """Paired differences in the 15 other panels."""
    for cell in VARYING:
        if cell != EASIEST:
            yield above(cell, student(lead(data, trial, "A-AI", "B-UCB", cell)))


def _changing(four: Data, five: Data, six: Data) -> Iterator[tuple[Data, Cell]]:
    """All changing bandits of figures 4, 5 and 6, each once, with the figure in their names."""
    fives = [cell for cell in FIGURE_5 if cell["epsilon"] != 0.1]
    for figure, data, cells in ((4, four, FIGURE_4), (5, five, fives), (6, six, VARYING)):
        for cell in cells:
            yield data, {"figure": f"figure {figure}", **cell}


@claim(40)
def sampling_loses(four: Data, five: Data, six: Data, trial: int) -> Said:
    """Paired differences in the 40 distinct panels of figures 4, 5 and 6."""
    for data, cell in _changing(four, five, six):
        gain = lead(data, data.horizon, "B-UCB", "O-TS", without("figure", cell))
        yield above(cell, student(gain))


@claim(41)
def rare(data: Data, trial: int) -> Said:
    """Against the better rival: a cell supports if some rival has less regret."""
    arms = tuple(sorted(data.results.values("arms")))
    for cell in family(policy=ACTIVE, arms=arms, rho=0.0005):
        bandit = without("policy", cell)
        leads = [lead(data, trial, cell["policy"], rival, bandit) for rival in RIVALS]
        yield some(cell, [below(cell, student(one)) for one in leads])


@claim(42)
def tight(four: Data, five: Data, six: Data, trial: int) -> ClaimPart:
    """Half-widths at the end of the run compared with 1 % of the rate of random choice."""
    findings, sizes = [], set()
    for data, cell in _changing(four, five, six):
        bandit = without("figure", cell)
        widths = []
        for policy in ("A-AI", *RIVALS):
            rate = data.rate(data.horizon, policy=policy, **bandit) / random_rate(bandit)
            found = mean_interval(rate)
            widths.append(below({}, exact(0.5 * (found.high - found.low)), TIGHT))
            sizes.add(len(rate))
        findings.append(every(cell, widths))
    few = min(sizes)
    lack = f"the claim is about {AGENTS} agents and this run has {few}" if few < AGENTS else None
    return ClaimPart(findings, lack)


@claim(43)
def substantial(four: Data, five: Data, six: Data, trial: int) -> Said:
    """At least 10 % less regret than each rival; notes have Cohen's d of the paired differences."""
    kept = 1.0 - SUBSTANTIAL
    for data, panel in _changing(four, five, six):
        bandit = without("figure", panel)
        for policy in ("A-AI",) if "epsilon" in bandit else ACTIVE:
            mine, *others = (data.rate(data.horizon, policy=p, **bandit) for p in (policy, *RIVALS))
            cell = {"figure": panel["figure"], "policy": policy, **bandit}
            # Its mean is the share saved; its spread is that of the difference to the bound.
            gains = [(kept * other - mine) / other.mean() + SUBSTANTIAL for other in others]
            yield every(cell, [above(cell, student(gain), SUBSTANTIAL) for gain in gains])
            sizes = {r: _cohen(other - mine) for r, other in zip(RIVALS, others, strict=True)}
            yield Note("effect_sizes", {**cell, "cohen_d": sizes})


def _cohen(differences: np.ndarray) -> float:
    spread = float(differences.std(ddof=1))
    mean = float(differences.mean())
    return mean / spread if spread > 0.0 else math.copysign(1e9, mean) if mean else 0.0
