"""Claims 36 to 43: the varying bandit (figures 6 and S3), and all changing worlds together."""

import math
from typing import Any

import numpy as np

from armwise.analysis.regret import mean_interval
from armwise.paper.claims.claim import Part, claim
from armwise.paper.claims.curves import best, best_note, best_replicas, excess, random_rate
from armwise.paper.claims.decide import (
    MARGIN,
    above,
    below,
    every,
    exact,
    resampled,
    some,
    student,
    within,
)
from armwise.paper.claims.evidence import ACTIVE, ARMS, RHOS, RIVALS, Data, Evidence
from armwise.paper.claims.preferences import UNIT
from armwise.paper.claims.switching import CLAIMED, LEAST, lead, panels, trends

SUBSTANTIAL = 0.1  # less regret than the rival's, as a share of it
TIGHT = 0.01  # half-width of an interval in units of random choice: about a line's width
AGENTS = 1_000


def worlds() -> list[dict[str, Any]]:
    """The panels of figures 6 and S3."""
    return [{"arms": arms, "rho": rho} for arms in ARMS for rho in RHOS]


@claim(
    36,
    "G-AI's minimum is the more stable",
    "In the varying bandit the best lam of G-AI depends less on the "
    "condition than that of A-AI, and lies "
    "near .25.",
    "S3",
)
def stable(evidence: Evidence) -> list[Part]:
    """Spread of lam* over the 16 panels, and the excess of lam = .25 over lam* for G-AI."""
    data = evidence.data("figure-s3")
    trial, lack = data.reach(CLAIMED)
    lack = lack or data.coarse("G-AI")
    centres, replicas, notes, near = {}, {}, [], []
    for seed, policy in enumerate(ACTIVE):
        lams = data.lams(policy)
        rates = [data.rates(trial, lams, policy=policy, **world) for world in worlds()]
        centres[policy] = np.std([best(lams, one) for one in rates])
        replicas[policy] = np.std([best_replicas(lams, one, seed) for one in rates], axis=0)
        for world, one in zip(worlds(), rates, strict=True):
            notes.append(best_note({"policy": policy, **world}, lams, one))
            if policy == "G-AI":
                near.append(excess(world, lams, one, 0.25, MARGIN))
    difference = resampled(
        float(centres["A-AI"] - centres["G-AI"]), replicas["A-AI"] - replicas["G-AI"]
    )
    spread = (
        "Standard deviation of lam* over the panels, A-AI's ({A-AI:.3f}) less G-AI's ({G-AI:.3f})"
    )
    spread = spread.format(**centres)
    return [
        Part(
            f"{spread} at trial {trial}", [above({}, difference)], lack, notes={"best_lam": notes}
        ),
        Part(f"Excess of lam = .25 over lam* for G-AI (against .05), {UNIT}", near, lack),
    ]


@claim(
    37,
    "Harder, larger lead",
    "In the varying bandit the lead of active inference over B-UCB and "
    "O-TS grows with the number of arms "
    "and the rate of switches.",
    "6",
)
def grows(evidence: Evidence) -> Part:
    """Slopes of the lead over log2 K and log2 rho, for both variants and both rivals."""
    data = evidence.data("figure-6")
    trial, lack = data.end(LEAST)
    findings = []
    for policy in ACTIVE:
        found = [
            *trends(data, trial, policy, "arms", ARMS, [{"rho": rho} for rho in RHOS]),
            *trends(data, trial, policy, "rho", RHOS, [{"arms": arms} for arms in ARMS]),
        ]
        findings += [above({"policy": policy, **cell}, slope) for cell, slope in found]
    return Part(f"Change of the lead per doubling at trial {trial}, {UNIT}", findings, lack)


@claim(
    38,
    "The easiest varying bandit",
    "For rho = .005 and ten arms B-UCB has less regret than A-AI, and G-AI keeps up with B-UCB.",
    "6",
)
def easiest(evidence: Evidence) -> list[Part]:
    """A paired difference and an equivalence."""
    data = evidence.data("figure-6")
    trial, lack = data.end(LEAST)
    cell = {"arms": 10, "rho": 0.005}
    behind = -lead(data, trial, "A-AI", "B-UCB", cell)
    equal = lead(data, trial, "G-AI", "B-UCB", cell)
    tail = f"at trial {trial}, {UNIT}"
    better = [above(cell, student(behind))]
    matched = [within(cell, student(equal), -MARGIN, MARGIN)]
    return [
        Part(f"Lead of B-UCB over A-AI {tail}", better, lack),
        Part(f"Lead of G-AI over B-UCB {tail} (against .05)", matched, lack),
    ]


@claim(
    39,
    "Elsewhere A-AI beats B-UCB",
    "In the other panels of the varying bandit A-AI (lam = .5) has less regret than B-UCB.",
    "6",
)
def elsewhere(evidence: Evidence) -> Part:
    """Paired differences in the 15 other panels."""
    data = evidence.data("figure-6")
    trial, lack = data.end(LEAST)
    others = [world for world in worlds() if world != {"arms": 10, "rho": 0.005}]
    findings = [
        above(world, student(lead(data, trial, "A-AI", "B-UCB", world))) for world in others
    ]
    return Part(f"Lead of A-AI over B-UCB at trial {trial}, {UNIT}", findings, lack)


def _changing(evidence: Evidence) -> list[tuple[str, Data, dict[str, Any]]]:
    """All changing worlds of figures 4, 5 and 6, each once."""
    found = [("4", "figure-4", world) for world in panels(4)]
    found += [("5", "figure-5", world) for world in panels(5) if world["epsilon"] != 0.1]
    found += [("6", "figure-6", world) for world in worlds()]
    return [(f"figure {figure}", evidence.data(name), world) for figure, name, world in found]


def _short(evidence: Evidence) -> str:
    """What a run of figures 4 to 6 lacks in trials."""
    found = [evidence.data(f"figure-{figure}").end(LEAST)[1] for figure in (4, 5, 6)]
    return next(filter(None, found), "")


@claim(
    40,
    "B-UCB beats O-TS when the world changes",
    "B-UCB has less regret than O-TS in almost all non-stationary problems.",
    "4, 5, 6",
)
def sampling_loses(evidence: Evidence) -> Part:
    """Paired differences in the 40 distinct panels of figures 4, 5 and 6."""
    findings = [
        above(
            {"figure": figure, **world}, student(lead(data, data.horizon, "B-UCB", "O-TS", world))
        )
        for figure, data, world in _changing(evidence)
    ]
    measure = f"Lead of B-UCB over O-TS at the end of the run, {UNIT}"
    return Part(measure, findings, _short(evidence))


@claim(
    41,
    "Few arms, rare switches: no advantage",
    "With fewer than ten arms and rho below .001 active inference falls "
    "behind, as in a stationary world.",
    "text",
)
def rare(evidence: Evidence) -> Part:
    """Against the better rival: a cell supports where some rival has less regret."""
    data = evidence.data("claim-41")
    trial, lack = data.reach(CLAIMED)
    findings = []
    for policy in ACTIVE:
        for arms in sorted(data.results.values("arms")):
            cell = {"policy": policy, "arms": arms, "rho": 0.0005}
            world = {"arms": arms, "rho": 0.0005}
            leads = [lead(data, trial, policy, rival, world) for rival in RIVALS]
            findings.append(some(cell, [below(cell, student(one)) for one in leads]))
    return Part(
        f"Lead over the better rival at trial {trial} (behind: below 0), {UNIT}", findings, lack
    )


@claim(
    42,
    "Tight confidence intervals",
    "With 1000 agents the 95 % intervals of the regret rates in the "
    "changing worlds are hardly visible.",
    "4, 5, 6",
)
def tight(evidence: Evidence) -> Part:
    """Half-widths at the end of the run against 1 % of the rate of random choice."""
    findings, sizes = [], set()
    for figure, data, world in _changing(evidence):
        widths = []
        for policy in ("A-AI", *RIVALS):
            rate = data.rate(data.horizon, policy=policy, **world) / random_rate(world)
            found = mean_interval(rate)
            widths.append(below({}, exact(0.5 * (found.high - found.low)), TIGHT))
            sizes.add(len(rate))
        findings.append(every({"figure": figure, **world}, widths))
    few = min(sizes)
    lack = f"the claim is about {AGENTS} agents and this run has {few}" if few < AGENTS else ""
    lack = lack or _short(evidence)
    return Part(f"Largest half-width over the policies (against .01), {UNIT}", findings, lack)


@claim(
    43,
    "A substantial advantage",
    "In switching bandits active inference performs substantially better than B-UCB and O-TS.",
    "4, 5, 6",
)
def substantial(evidence: Evidence) -> Part:
    """At least 10 % less regret than each rival; Cohen's d of the paired differences beside it."""
    findings, notes = [], []
    for figure, data, world in _changing(evidence):
        for policy in ("A-AI",) if "epsilon" in world else ACTIVE:
            mine, *others = (data.rate(data.horizon, policy=p, **world) for p in (policy, *RIVALS))
            cell = {"figure": figure, "policy": policy, **world}
            # The mean is the share saved, the spread that of the difference to the bound.
            kept = 1.0 - SUBSTANTIAL
            gains = [(kept * other - mine) / other.mean() + SUBSTANTIAL for other in others]
            findings.append(
                every(cell, [above(cell, student(gain), SUBSTANTIAL) for gain in gains])
            )
            sizes = {r: _cohen(other - mine) for r, other in zip(RIVALS, others, strict=True)}
            notes.append({**cell, "cohen_d": sizes})
    measure = "Share of the better rival's regret that active inference saves (against .1)"
    return Part(measure, findings, _short(evidence), notes={"effect_sizes": notes})


def _cohen(differences: np.ndarray) -> float:
    spread = float(differences.std(ddof=1))
    mean = float(differences.mean())
    return mean / spread if spread > 0.0 else math.copysign(1e9, mean) if mean else 0.0
