"""Claims 16 to 21, 23 and 24: the long run of the stationary bandit (figures 3 and S1)."""

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from armwise.analysis.regret import lai_robbins, stuck
from armwise.paper.claims.claim import Part, claim
from armwise.paper.claims.curves import DECADES, crossings, decades, growth
from armwise.paper.claims.decide import (
    Finding,
    above,
    below,
    contrast,
    proportion,
    resampled,
    resampling,
    settle,
    slope_weights,
    some,
    student,
    within,
)
from armwise.paper.claims.evidence import ARMS, EPSILONS, RIVALS, Data, Evidence

LAST = DECADES[-1]
FASTER = 1.5  # a decade's growth over the last one's, from which growth is not logarithmic
CARRIED = 0.75  # the share of the growth that "carried by" asks for
NONE = 0.01  # a fraction of stuck agents that counts as none
SLOPE = 0.2  # the relative distance from omega that counts as reached
HALF_A_DECADE = 0.5
EARLY = (100, 10_000)


def worlds() -> Iterator[dict[str, Any]]:
    """The panels of figure 3."""
    for epsilon in EPSILONS:
        for arms in ARMS:
            yield {"arms": arms, "epsilon": epsilon}


def early_lead(
    trials: np.ndarray, active: np.ndarray, rivals: list[np.ndarray], cell: dict
) -> Finding:
    """The claim: at some checkpoint of the first 10^4 trials the policy beats both rivals."""
    places = np.flatnonzero((trials >= EARLY[0]) & (trials <= EARLY[1]))
    leads = []
    for i in places:
        scale = min(rival[:, i].mean() for rival in rivals)
        parts = [above(cell, student((rival[:, i] - active[:, i]) / scale)) for rival in rivals]
        leads.append(max(parts, key=lambda part: part.p_for))
    return some(cell, leads)


@claim(
    16,
    "An early lead",
    "At first A-AI (lam = .1) has less regret than both bandit algorithms, "
    "until some trial that depends "
    "on the difficulty.",
    "3",
)
def leads(evidence: Evidence) -> Part:
    """Best checkpoint from 10^2 to 10^4, corrected for the choice; crossing times beside it."""
    data = evidence.data("figure-3")
    _, lack = data.reach(EARLY[1])
    findings, notes = [], []
    for world in worlds():
        trials, active = data.curves(policy="A-AI", **world)
        rivals = [data.curves(policy=rival, **world)[1] for rival in RIVALS]
        findings.append(early_lead(trials, active, rivals, world))
        value, replicas = crossings(data, **world)
        low, high = np.quantile(replicas, [0.025, 0.975])
        notes.append(
            {**world, "crossing": 10**value, "low": float(10**low), "high": float(10**high)}
        )
    measure = "Largest early lead over the better rival, in units of that rival's regret"
    return Part(measure, findings, lack, notes={"crossing_trials": notes})


@claim(
    17,
    "The lead ends at 10^4 for ten arms",
    "With K = 10 arms A-AI is ahead of the bandit algorithms only up to about 10^4 trials.",
    "3",
)
def crossing_at(evidence: Evidence) -> Part:
    """Crossing time within half a decade of 10^4."""
    data = evidence.data("figure-3")
    data.need(100_000)
    findings = []
    for epsilon in EPSILONS:
        cell: dict[str, Any] = {"arms": 10, "epsilon": epsilon}
        estimate = resampled(*crossings(data, **cell))
        findings.append(within(cell, estimate, 4.0 - HALF_A_DECADE, 4.0 + HALF_A_DECADE))
    return Part("log10 of the crossing time (against 3.5 to 4.5)", findings)


def _grows(data: Data) -> list[Finding]:
    data.need(LAST)
    return [
        above(world, growth(*decades(data, policy="A-AI", **world)), FASTER) for world in worlds()
    ]


@claim(
    18,
    "Faster than logarithmic",
    "In the long run the regret of A-AI grows faster than the logarithm of the trial number.",
    "3",
)
def faster(evidence: Evidence) -> Part:
    """Growth from 10^5 to 10^6 over that from 10^4 to 10^5: 1 for ln t, 10 for a linear regret."""
    measure = (
        "Growth of A-AI's regret in the last decade over the one before (ln t: 1; against 1.5)"
    )
    return Part(measure, _grows(evidence.data("figure-3")))


@claim(
    19,
    "Stuck agents carry the divergence",
    "The growth is due to the agents that never found the best arm and are too sure of another.",
    "S1",
)
def carried(evidence: Evidence) -> Part:
    """Share of stuck agents in the growth of the last decade, where growth is not logarithmic."""
    data = evidence.data("figure-3")
    findings = []
    for diverges in settle(_grows(data)):
        world = diverges.cell
        if diverges.status != "supports":
            continue
        late = decades(data, policy="A-AI", **world)[1]
        caught = late * stuck(data.regret(LAST, policy="A-AI", **world), world["epsilon"], LAST)
        weights = resampling(len(late))
        estimate = resampled(caught.sum() / late.sum(), (weights @ caught) / (weights @ late))
        findings.append(above(world, estimate, CARRIED))
    lack = "" if findings else "no cell of this run diverges"
    return Part(
        "Share of stuck agents in the growth from 10^5 to 10^6 (against .75)", findings, lack
    )


@claim(
    20,
    "The others do not get stuck",
    "O-TS and B-UCB have no stuck agents.",
    "S1",
)
def free(evidence: Evidence) -> Part:
    """Fraction of stuck agents below one in a hundred."""
    data = evidence.data("figure-3")
    data.need(LAST)
    findings = []
    for policy in RIVALS:
        for world in worlds():
            lost = stuck(data.regret(LAST, policy=policy, **world), world["epsilon"], LAST)
            cell = {"policy": policy, **world}
            findings.append(below(cell, proportion(int(lost.sum()), len(lost)), NONE))
    return Part("Fraction of stuck agents at 10^6 (against .01)", findings)


@claim(
    21,
    "Fewer arms, more divergence",
    "The divergence of A-AI is the more prominent the fewer arms there are.",
    "3",
)
def fewer(evidence: Evidence) -> list[Part]:
    """Slopes over log2 K of the crossing time, and of the fraction of stuck agents."""
    data = evidence.data("figure-3")
    data.need(LAST)
    weights = slope_weights([math.log2(arms) for arms in ARMS])
    times, fractions, notes = [], [], []
    for epsilon in EPSILONS:
        cell = {"epsilon": epsilon}
        found = [crossings(data, seed, arms=arms, **cell) for seed, arms in enumerate(ARMS)]
        value = sum(w * one[0] for w, one in zip(weights, found, strict=True))
        replicas = sum(w * one[1] for w, one in zip(weights, found, strict=True))
        times.append(above(cell, resampled(value, np.asarray(replicas))))
        regrets = [data.regret(LAST, policy="A-AI", arms=arms, **cell) for arms in ARMS]
        lost = [stuck(regret, epsilon, LAST).astype(float) for regret in regrets]
        fractions.append(below(cell, contrast(weights, lost)))
        notes += [
            {"arms": k, **cell, "stuck": float(s.mean())} for k, s in zip(ARMS, lost, strict=True)
        ]
    return [
        Part("Decades by which the crossing comes later when K doubles", times),
        Part("Change of the stuck fraction when K doubles", fractions, notes={"stuck": notes}),
    ]


@claim(
    23,
    "The others approach the bound",
    "The regret of O-TS and B-UCB comes to grow with the slope omega of the asymptotic bound.",
    "3",
)
def slopes(evidence: Evidence) -> Part:
    """Slope over ln t of the last decade: within 20 % of omega, or nearer to it than before."""
    data = evidence.data("figure-3")
    data.need(LAST)
    findings = []
    for policy in RIVALS:
        for world in worlds():
            cell = {"policy": policy, **world}
            unit = lai_robbins(**world) * math.log(10.0)
            earlier, later = (gain / unit for gain in decades(data, **cell))
            weights = resampling(len(later))
            nearer = abs(weights @ earlier - 1.0) - abs(weights @ later - 1.0)
            value = abs(earlier.mean() - 1.0) - abs(later.mean() - 1.0)
            reached = within(cell, student(later), 1.0 - SLOPE, 1.0 + SLOPE)
            closer = above(cell, resampled(value, nearer))
            both = some(cell, [reached, closer])
            shown = dataclasses.replace(reached, p_for=both.p_for, p_against=both.p_against)
            findings.append(shown)
    measure = (
        "Slope of the last decade in units of omega (supports: within 20 %, or nearer than before)"
    )
    return Part(measure, findings)


@claim(
    24,
    "B-UCB first, O-TS later",
    "Over the first 10^3 trials B-UCB has less regret than O-TS; later O-TS has less.",
    "3",
)
def turns(evidence: Evidence) -> list[Part]:
    """Paired differences at 10^3 and at 10^6."""
    data = evidence.data("figure-3")
    parts = []
    for wanted, sign in ((1_000, 1.0), (LAST, -1.0)):
        trial, lack = data.reach(wanted)
        findings = []
        for world in worlds():
            sampling, bound = (data.regret(trial, policy=policy, **world) for policy in RIVALS)
            lead = sign * (sampling - bound) / sampling.mean()
            findings.append(above(world, student(lead)))
        winner = "B-UCB over O-TS" if sign > 0 else "O-TS over B-UCB"
        measure = f"Lead of {winner} at trial {trial}, in units of O-TS's regret"
        parts.append(Part(measure, findings, lack))
    return parts
