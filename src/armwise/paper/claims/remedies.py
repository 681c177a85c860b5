"""Claims 22 and 44: other preferences, fixed or fading, in the stationary bandit.

A trap (claim 22). After n failures in its first n trials the best arm has the score
(2 lam + 1/2) / (n + 2). For any lam > 0 some n brings this below lam p, half of the score of an arm
known to pay p. With positive probability another arm's mean stays above p / 2 forever, and the best
arm is never tried again. So for every fixed lam > 0 the regret is finally linear in t, while O-TS
and B-UCB have logarithmic regret; and lam = 0 explores forever. This needs no run, and no run could
show it.

Fading preferences (claim 44). With lam_t = c / ln t an arm that looks worse by d is tried again
while nu < ln t / (4 c d). So every other arm is sampled ln t / (4 c epsilon) times, which costs
(K - 1) / (4 c) ln t. The best arm is shut out at t with a probability of about t^(-2 epsilon / c)
(large deviations, worst case d = epsilon), which does no harm if c is below about 2 epsilon.
"""

import math
from typing import Any

import numpy as np

from armwise.analysis.regret import lai_robbins, stuck
from armwise.paper.claims.claim import Said, claim
from armwise.paper.claims.curves import FASTER, LAST, decades, early_lead, growth
from armwise.paper.claims.decide import Finding, above, adjust, exact, some
from armwise.paper.claims.evidence import Data
from armwise.paper.claims.families import RIVALS, Cell, family, without
from armwise.paper.claims.verdict import ClaimPart, Note

LAM = 0.1  # the lam of figure 3
P = 0.5  # reward probability of the other arms


@claim(22)
def forever(data: Data, main: Data, trial: int) -> list[ClaimPart]:
    """Data show that some lam leads early; the module's docstring shows that none does forever."""
    lams = sorted([LAM, *data.lams("A-AI")])
    leads, ahead = [], []
    for cell in family(arms=10, epsilon=(0.1, 0.2)):
        found = [_against(main if lam == LAM else data, main, {**cell, "lam": lam}) for lam in lams]
        leads.append(some(cell, [early for early, _ in found]))
        still = [f"{lam:g}" for lam, (_, gap) in zip(lams, found, strict=True) if gap < 0.0]
        ahead.append(f"{', '.join(still) or 'none'} (epsilon = {cell['epsilon']:g})")
    traps: list[Any] = [above({"lam": lam}, exact(trap(lam, 0.2))) for lam in lams]
    last = min(data.horizon, main.horizon)
    traps.append(
        f"At trial {last} the mean regret is still the least for lam = {' and '.join(ahead)}."
    )
    return [ClaimPart(leads), ClaimPart(traps, lack="")]


def trap(lam: float, epsilon: float) -> float:
    """The probability that the best arm fails until its score is below half that of another arm.

    >>> trap(0.1, 0.2) > trap(0.05, 0.2) > 0
    True
    """
    failures = math.floor((2.0 * lam + 0.5) / (lam * P)) - 1
    return (1.0 - P - epsilon) ** failures


def _against(data: Data, main: Data, cell: Cell) -> tuple[Finding, float]:
    """The early lead of a lam, and its mean regret minus the better rival's at the end."""
    trials, active = data.curves(policy="A-AI", **cell)
    # Agents with the same number met the same bandit, for any number of agents.
    rivals = [main.curves(policy=rival, **without("lam", cell))[1] for rival in RIVALS]
    size = min(len(active), len(rivals[0]))
    active, rivals = active[:size], [rival[:size] for rival in rivals]
    gap = active[:, -1].mean() - min(rival[:, -1].mean() for rival in rivals)
    return early_lead(trials, active, rivals, cell), float(gap)


@claim(44)
def fading(data: Data, trial: int) -> Said:
    """Growth per decade of A-AI with lam_t = c / ln t, for three c."""
    findings, notes = [], []
    for cell in family(epsilon=(0.1, 0.2), lam=(0.05, 0.2, 1.0)):
        earlier, later = decades(data, **cell)
        findings.append(above(cell, growth(earlier, later), FASTER))
        lost = stuck(data.regret(LAST, **cell), cell["epsilon"], LAST)
        unit = lai_robbins(10, cell["epsilon"])
        slope = float(np.mean(later)) / math.log(10.0) / unit
        sizes = {"stuck": int(lost.sum()), "agents": len(lost), "slope_in_omegas": slope}
        notes.append({**cell, **sizes, "predicted": 9.0 / (4.0 * cell["lam"]) / unit})
    statuses = [finding.status for finding in adjust(findings)]
    words = "; ".join(
        f"epsilon = {n['epsilon']:g}, c = {n['lam']:g} with slope {n['slope_in_omegas']:.2f} omega "
        f"({n['predicted']:.2f} predicted) and {n['stuck']} of {n['agents']} agents stuck"
        for n, status in zip(notes, statuses, strict=True)
        if status == "contradicts"
    )
    logarithmic = f"Logarithmic: {words or 'none'}."
    limit = "No c does for all epsilon: it must be below 2 epsilon."
    return [*findings, *(Note("cells", note) for note in notes), f"{logarithmic} {limit}"]
