"""Claims 22 and 44: other preferences, fixed or fading, in the stationary bandit.

A trap (claim 22). After n failures in its first n trials the best arm has the
score (2 lam + 1/2) / (n + 2). For any lam > 0 some n brings this below lam p, half of the score
of an arm known to pay p; with positive probability another arm's mean stays above p / 2 for ever,
and the best arm is never tried again. So every fixed lam > 0 has regret linear in t in the end,
while O-TS and B-UCB have logarithmic regret; and lam = 0 explores for ever. No run is needed, and
none could show it.

Fading preferences (claim 44). With lam_t = c / ln t an arm that looks worse by d is tried again
while nu < ln t / (4 c d). So every other arm is sampled ln t / (4 c epsilon) times, which costs
(K - 1) / (4 c) ln t. The best arm is shut out at t with a probability of about t^(-2 epsilon / c)
(large deviations, worst case d = epsilon), which does no harm where c is below about 2 epsilon.
"""

import math
from typing import Any

import numpy as np

from armwise.analysis.regret import lai_robbins, stuck
from armwise.paper.claims.claim import Part, claim
from armwise.paper.claims.curves import decades, growth
from armwise.paper.claims.decide import Finding, above, exact, settle, some
from armwise.paper.claims.evidence import RIVALS, Data, Evidence
from armwise.paper.claims.longrun import EARLY, FASTER, LAST, early_lead

LAM = 0.1  # of figure 3
P = 0.5  # what the other arms pay
FADING = tuple({"epsilon": epsilon, "lam": c} for epsilon in (0.1, 0.2) for c in (0.05, 0.2, 1.0))


@claim(
    22,
    "No lam leads for ever",
    "A lam can be set for an early lead at any difficulty, but no fixed lam keeps the lead.",
    "3",
)
def for_ever(evidence: Evidence) -> list[Part]:
    """That some lam leads early is data; that none does so for ever is the module's argument."""
    data, main = evidence.data("claim-22"), evidence.data("figure-3")
    _, lack = min(data.reach(EARLY[1]), main.reach(EARLY[1]))
    last = min(data.horizon, main.horizon)
    lams = sorted([LAM, *data.lams("A-AI")])
    leads, words = [], []
    for epsilon in (0.1, 0.2):
        world = {"arms": 10, "epsilon": epsilon}
        found = [
            _against(main if lam == LAM else data, main, {**world, "lam": lam}) for lam in lams
        ]
        leads.append(some(world, [early for early, _ in found]))
        ahead = [f"{lam:g}" for lam, (_, gap) in zip(lams, found, strict=True) if gap < 0.0]
        words.append(f"{', '.join(ahead) or 'none'} (epsilon = {epsilon:g})")
    traps = [above({"lam": lam}, exact(trap(lam, 0.2))) for lam in lams]
    comment = f"At trial {last} the mean regret is still the least for lam = {' and '.join(words)}."
    return [
        Part(
            "Largest early lead of the best lam, in units of the better rival's regret", leads, lack
        ),
        Part(
            "Probability of the failures that shut the best arm out (epsilon = .2)",
            traps,
            "",
            comment,
        ),
    ]


def trap(lam: float, epsilon: float) -> float:
    """The probability that the best arm fails until its score is below half of an arm paying p.

    >>> trap(0.1, 0.2) > trap(0.05, 0.2) > 0
    True
    """
    failures = math.floor((2.0 * lam + 0.5) / (lam * P)) - 1
    return (1.0 - P - epsilon) ** failures


def _against(data: Data, main: Data, cell: dict[str, Any]) -> tuple[Finding, float]:
    """The early lead of a lam, and its mean regret less the better rival's at the end."""
    trials, active = data.curves(policy="A-AI", **cell)
    world = {name: value for name, value in cell.items() if name != "lam"}
    # Agents of the same number met the same world, however many played.
    rivals = [main.curves(policy=rival, **world)[1] for rival in RIVALS]
    size = min(len(active), len(rivals[0]))
    active, rivals = active[:size], [rival[:size] for rival in rivals]
    gap = active[:, -1].mean() - min(rival[:, -1].mean() for rival in rivals)
    return early_lead(trials, active, rivals, cell), float(gap)


@claim(
    44,
    "Fading preferences do not help",
    "Letting lam fall as 1 / ln t does not make the regret of active inference logarithmic.",
    "text",
)
def fading(evidence: Evidence) -> Part:
    """Growth per decade of A-AI with lam_t = c / ln t, for three c."""
    data = evidence.data("claim-44")
    data.need(LAST)
    findings, notes = [], []
    for cell in FADING:
        found = decades(data, **cell)
        findings.append(above(cell, growth(*found), FASTER))
        lost = stuck(data.regret(LAST, **cell), cell["epsilon"], LAST)
        unit = lai_robbins(10, cell["epsilon"])
        slope = float(np.mean(found[1])) / math.log(10.0) / unit
        predicted = 9.0 / (4.0 * cell["lam"]) / unit
        sizes = {"stuck": int(lost.sum()), "agents": len(lost)}
        notes.append({**cell, **sizes, "slope_in_omegas": slope, "predicted": predicted})
    logarithmic = [
        n for f, n in zip(settle(findings), notes, strict=True) if f.status == "contradicts"
    ]
    words = "; ".join(
        f"epsilon = {n['epsilon']:g}, c = {n['lam']:g} with slope {n['slope_in_omegas']:.2f} omega "
        f"({n['predicted']:.2f} predicted) and {n['stuck']} of {n['agents']} agents stuck"
        for n in logarithmic
    )
    measure = "Growth of the regret in the last decade over the one before (ln t: 1; against 1.5)"
    comment = (
        f"Logarithmic: {words or 'none'}. No c does for all epsilon: it must be below 2 epsilon."
    )
    return Part(measure, findings, "", comment, notes={"cells": notes})
