"""Claims 16 to 21, 23 and 24: the long run of the stationary bandit (figures 3 and S1)."""

import dataclasses
import math
from collections.abc import Iterator

import numpy as np

from armwise.analysis.regret import lai_robbins, stuck
from armwise.paper.claims.claim import Said, claim
from armwise.paper.claims.curves import FASTER, LAST, crossings, decades, early_lead, growth
from armwise.paper.claims.decide import (
    Finding,
    above,
    adjust,
    below,
    contrast,
    proportion,
    resampled,
    resampling,
    slope_weights,
    some,
    student,
    within,
)
from armwise.paper.claims.evidence import Data
from armwise.paper.claims.families import ARMS, EPSILONS, RIVALS, STATIONARY, Cell, family
from armwise.paper.claims.verdict import ClaimPart, Note

CARRIED = 0.75  # share of the growth that "carried by" requires
NONE = 0.01  # smaller fractions of stuck agents count as none
SLOPE = 0.2  # relative distance from omega within which it counts as reached
HALF_A_DECADE = 0.5


@claim(16)
def leads(data: Data, trial: int) -> Said:
    """Lead at the best checkpoint from 10^2 to 10^4, corrected for the choice; crossing times."""
    for cell in STATIONARY:
        trials, active = data.curves(policy="A-AI", **cell)
        rivals = [data.curves(policy=rival, **cell)[1] for rival in RIVALS]
        yield early_lead(trials, active, rivals, cell)
        value, replicas = crossings(data, **cell)
        low, high = np.quantile(replicas, [0.025, 0.975])
        times = {"crossing": 10**value, "low": float(10**low), "high": float(10**high)}
        yield Note("crossing_trials", {**cell, **times})


@claim(17)
def crossing_at(data: Data, trial: int) -> Said:
    """Crossing time within half a decade of 10^4."""
    for cell in family(arms=10, epsilon=EPSILONS):
        estimate = resampled(*crossings(data, **cell))
        yield within(cell, estimate, 4.0 - HALF_A_DECADE, 4.0 + HALF_A_DECADE)


@claim(18)
def faster(data: Data, trial: int) -> Said:
    """Growth from 10^5 to 10^6 over that from 10^4 to 10^5: 1 for ln t, 10 for a linear regret."""
    return _grows(data)


def _grows(data: Data) -> Iterator[Finding]:
    for cell in STATIONARY:
        yield above(cell, growth(*decades(data, policy="A-AI", **cell)), FASTER)


@claim(19)
def carried(data: Data, trial: int) -> ClaimPart:
    """Share of stuck agents in the growth of the last decade, if growth is not logarithmic."""
    growing = adjust(list(_grows(data)))
    findings = [_carried(data, one.cell) for one in growing if one.status == "supports"]
    return ClaimPart(findings, None if findings else "no cell of this run diverges")


def _carried(data: Data, cell: Cell) -> Finding:
    late = decades(data, policy="A-AI", **cell)[1]
    caught = late * stuck(data.regret(LAST, policy="A-AI", **cell), cell["epsilon"], LAST)
    weights = resampling(len(late))
    estimate = resampled(caught.sum() / late.sum(), (weights @ caught) / (weights @ late))
    return above(cell, estimate, CARRIED)


@claim(20)
def free(data: Data, trial: int) -> Said:
    """Test that fewer than one agent in a hundred is stuck."""
    for cell in family(policy=RIVALS, epsilon=EPSILONS, arms=ARMS):
        lost = stuck(data.regret(trial, **cell), cell["epsilon"], trial)
        yield below(cell, proportion(int(lost.sum()), len(lost)), NONE)


@claim(21)
def fewer(data: Data, trial: int) -> list[Said]:
    """Slopes over log2 K of the crossing time, and of the fraction of stuck agents."""
    weights = slope_weights([math.log2(arms) for arms in ARMS])
    times: list[Finding] = []
    fractions: list[Finding | Note | str] = []
    for epsilon in EPSILONS:
        cell = {"epsilon": epsilon}
        found = [crossings(data, seed, arms=arms, **cell) for seed, arms in enumerate(ARMS)]
        value = sum(w * one[0] for w, one in zip(weights, found, strict=True))
        replicas = sum(w * one[1] for w, one in zip(weights, found, strict=True))
        times.append(above(cell, resampled(value, np.asarray(replicas))))
        regrets = [data.regret(trial, policy="A-AI", arms=arms, **cell) for arms in ARMS]
        lost = [stuck(regret, epsilon, trial).astype(float) for regret in regrets]
        fractions.append(below(cell, contrast(weights, lost)))
        for arms, share in zip(ARMS, lost, strict=True):
            fractions.append(Note("stuck", {"arms": arms, **cell, "stuck": float(share.mean())}))
    return [times, fractions]


@claim(23)
def slopes(data: Data, trial: int) -> Said:
    """Slope over ln t of the last decade: within 20 % of omega, or closer to it than before."""
    for cell in family(policy=RIVALS, epsilon=EPSILONS, arms=ARMS):
        unit = lai_robbins(cell["arms"], cell["epsilon"]) * math.log(10.0)
        earlier, later = (gain / unit for gain in decades(data, **cell))
        weights = resampling(len(later))
        nearer = abs(weights @ earlier - 1.0) - abs(weights @ later - 1.0)
        value = abs(earlier.mean() - 1.0) - abs(later.mean() - 1.0)
        reached = within(cell, student(later), 1.0 - SLOPE, 1.0 + SLOPE)
        both = some(cell, [reached, above(cell, resampled(value, nearer))])
        yield dataclasses.replace(reached, p_for=both.p_for, p_against=both.p_against)


@claim(24)
def turns(data: Data, early: int, late: int) -> list[list[Finding]]:
    """Paired differences at 10^3 and at 10^6."""

    def leads(trial: int, ahead: float) -> list[Finding]:
        found = []
        for cell in STATIONARY:
            sampling, bound = (data.regret(trial, policy=policy, **cell) for policy in RIVALS)
            found.append(above(cell, student(ahead * (sampling - bound) / sampling.mean())))
        return found

    return [leads(early, 1.0), leads(late, -1.0)]
