"""Claims 27 to 35: the switching bandit of fixed difficulty (figures 4, 5 and S2)."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from armwise.paper.claims.claim import Part, claim
from armwise.paper.claims.curves import best, best_note, best_replicas, halves, random_rate, same
from armwise.paper.claims.decide import (
    MARGIN,
    Finding,
    above,
    below,
    contrast,
    every,
    resampled,
    slope_weights,
    student,
    within,
)
from armwise.paper.claims.evidence import ACTIVE, ARMS, EPSILONS, RHOS, RIVALS, Data, Evidence
from armwise.paper.claims.preferences import UNIT, near

CLAIMED = 10_000
LEAST = 5_000  # the text's horizon; the figures are drawn to 10^4


def lead(data: Data, trial: int, policy: str, rival: str, world: dict[str, Any]) -> np.ndarray:
    """By how much less regret an agent has than its rival in the same world."""
    mine, other = (data.rate(trial, policy=p, **world) for p in (policy, rival))
    return (other - mine) / random_rate(world)


def trends(
    data: Data,
    trial: int,
    policy: str,
    along: str,
    steps: Sequence[float],
    fixed: Sequence[dict[str, Any]],
) -> Iterator[tuple[dict[str, Any], Any]]:
    """Slopes of the lead over log2 of a parameter, for both rivals and every other setting."""
    weights = slope_weights([math.log2(step) for step in steps])
    for rest in fixed:
        for rival in RIVALS:
            leads = [lead(data, trial, policy, rival, {**rest, along: step}) for step in steps]
            cell = {"along": f"over {along}", "policy": policy, "rival": f"against {rival}", **rest}
            yield {k: v for k, v in cell.items() if k != "policy"}, contrast(weights, leads)


def panels(figure: int) -> list[dict[str, Any]]:
    """The panels of figure 4 or 5."""
    if figure == 4:
        return [{"arms": arms, "epsilon": 0.1, "rho": rho} for arms in ARMS for rho in RHOS]
    return [{"arms": 40, "epsilon": epsilon, "rho": rho} for epsilon in EPSILONS for rho in RHOS]


@claim(
    27,
    "A-AI wins in every switching bandit",
    "With lam = .5 A-AI has a lower regret rate than B-UCB and O-TS for "
    "every number of arms and every "
    "rate of switches.",
    "4",
)
def wins(evidence: Evidence) -> Part:
    """Paired differences to both rivals at the end of the run."""
    data = evidence.data("figure-4")
    trial, lack = data.end(LEAST)
    findings = [
        above(
            {"rival": f"against {rival}", **world},
            student(lead(data, trial, "A-AI", rival, world)),
        )
        for world in panels(4)
        for rival in RIVALS
    ]
    return Part(f"Lead of A-AI at trial {trial}, {UNIT}", findings, lack)


@claim(
    28,
    "Harder, smaller lead",
    "The lead of A-AI shrinks when switches are more frequent and when there are more arms.",
    "4",
)
def shrinks(evidence: Evidence) -> Part:
    """Slopes of the lead over log2 K and log2 rho."""
    data = evidence.data("figure-4")
    trial, lack = data.end(LEAST)
    base = {"epsilon": 0.1}
    found = [
        *trends(data, trial, "A-AI", "arms", ARMS, [{**base, "rho": rho} for rho in RHOS]),
        *trends(data, trial, "A-AI", "rho", RHOS, [{**base, "arms": arms} for arms in ARMS]),
    ]
    findings = [below(cell, slope) for cell, slope in found]
    return Part(f"Change of A-AI's lead per doubling at trial {trial}, {UNIT}", findings, lack)


@claim(
    29,
    "The same across epsilon",
    "With 40 arms, too, the lead of A-AI shrinks as the task gets harder: "
    "for smaller epsilon and larger rho.",
    "5",
)
def shrinks_too(evidence: Evidence) -> list[Part]:
    """Slopes of the lead over log2 epsilon (up) and log2 rho (down)."""
    data = evidence.data("figure-5")
    trial, lack = data.end(LEAST)
    base = {"arms": 40}
    fixed = [{**base, "rho": rho} for rho in RHOS]
    rising = trends(data, trial, "A-AI", "epsilon", EPSILONS, fixed)
    fixed = [{**base, "epsilon": epsilon} for epsilon in EPSILONS]
    falling = trends(data, trial, "A-AI", "rho", RHOS, fixed)
    tail = f"at trial {trial}, {UNIT}"
    easier, faster = [above(*pair) for pair in rising], [below(*pair) for pair in falling]
    return [
        Part(f"Change of A-AI's lead when epsilon doubles {tail}", easier, lack),
        Part(f"Change of A-AI's lead when rho doubles {tail}", faster, lack),
    ]


@claim(
    30,
    "Rates converge",
    "After 5 10^3 trials the regret rates of all algorithms hardly change "
    "any more, and not to zero.",
    "4",
)
def converges(evidence: Evidence) -> list[Part]:
    """Rate at 10^4 against 5 10^3; and the rate between the two against the margin."""
    data = evidence.data("figure-4")
    data.need(CLAIMED)
    still, positive = [], []
    for world in panels(4):
        for policy in ("A-AI", *RIVALS):
            cell = {"policy": policy, **world}
            scale = random_rate(world)
            half, whole = (data.regret(trial, **cell) / scale for trial in (CLAIMED // 2, CLAIMED))
            change = whole / CLAIMED - half / (CLAIMED / 2)
            still.append(within(cell, student(change), -MARGIN, MARGIN))
            positive.append(above(cell, student((whole - half) / (CLAIMED / 2)), MARGIN))
    return [
        Part(f"Rate at 10^4 less rate at 5 10^3, {UNIT}", still),
        Part(f"Rate from 5 10^3 to 10^4 (against .05), {UNIT}", positive),
    ]


def sweep_cells(policies: tuple[str, ...] = ACTIVE) -> Iterator[dict[str, Any]]:
    """The panels of figure S2."""
    for policy in policies:
        for epsilon in EPSILONS:
            for rho in RHOS:
                yield {"policy": policy, "arms": 10, "epsilon": epsilon, "rho": rho}


@claim(
    31,
    "The best lam stays",
    "When the best arm switches, the best lam settles after a while and "
    "does not depend on the horizon.",
    "S2",
)
def stays(evidence: Evidence) -> Part:
    """At 10^4, the lam that was best at 10^3 costs no more than the margin. Minima may be flat."""
    data = evidence.data("figure-s2")
    late, lack = data.reach(CLAIMED)
    early = late // 10
    findings, notes = [], []
    for cell in sweep_cells():
        lams = data.lams(cell["policy"])
        two = [data.rates(trial, lams, **cell) for trial in (early, late)]
        pick = [lams.index(best(lams, halves(rates)[0])) for rates in two]
        judged = halves(two[1])[1] / random_rate(cell)
        findings.append(below(cell, student(judged[:, pick[0]] - judged[:, pick[1]]), MARGIN))
        notes += [
            best_note({**cell, "trial": t}, lams, r)
            for t, r in zip((early, late), two, strict=True)
        ]
    measure = (
        f"Cost at trial {late} of the lam that was best at trial {early} (against .05), {UNIT}"
    )
    return Part(measure, findings, lack or data.coarse("A-AI"), notes={"best_lam": notes})


@claim(
    32,
    "lam = .5 is nearly optimal",
    "For ten arms lam = .5 is close enough to the best lam over a range of switching bandits.",
    "S2",
)
def near_a_half(evidence: Evidence) -> Part:
    """Excess of lam = .5 over lam*."""
    data = evidence.data("figure-s2")
    trial, lack = data.reach(CLAIMED)
    return near(data, trial, lack, 0.5, list(sweep_cells()))


@claim(
    33,
    "Stronger preferences than in a stationary world",
    "The best lam of a switching bandit is larger than that of a stationary one after 10^4 trials.",
    "S2",
)
def stronger(evidence: Evidence) -> Part:
    """Lam* of figure S2 less lam* of figure 2, ten arms, the same epsilon."""
    data, still = evidence.data("figure-s2"), evidence.data("figure-2")
    trial, lack = min(data.reach(CLAIMED), still.reach(CLAIMED))
    findings = []
    for cell in sweep_cells():
        lams = data.lams(cell["policy"])
        world = {name: value for name, value in cell.items() if name != "rho"}
        two = [data.rates(trial, lams, **cell), still.rates(trial, lams, **world)]
        replicas = [best_replicas(lams, rates, seed) for seed, rates in enumerate(two)]
        value = best(lams, two[0]) - best(lams, two[1])
        findings.append(above(cell, resampled(value, replicas[0] - replicas[1])))
    measure = f"lam* of the switching less lam* of the stationary bandit at trial {trial}"
    return Part(measure, findings, lack or data.coarse("A-AI"))


@claim(
    34,
    "More arms, stronger preferences",
    "The more arms a switching bandit has, the larger the best lam.",
    "text",
)
def grows(evidence: Evidence) -> Part:
    """Slope of ln lam* over log2 K, with epsilon = .2, where the minimum is distinct."""
    data = evidence.data("claim-34")
    trial, lack = data.reach(5_000)
    weights = slope_weights([math.log2(arms) for arms in ARMS])
    findings, notes = [], []
    for rho in sorted(data.results.values("rho")):
        cell = {"epsilon": 0.2, "rho": rho}
        lams = data.lams("A-AI", 1e-6)
        rates = [data.rates(trial, lams, policy="A-AI", arms=arms, **cell) for arms in ARMS]
        logs = [np.log(best_replicas(lams, one, seed)) for seed, one in enumerate(rates)]
        value = sum(w * math.log(best(lams, one)) for w, one in zip(weights, rates, strict=True))
        slope: Any = sum(w * one for w, one in zip(weights, logs, strict=True))
        findings.append(above(cell, resampled(value, slope)))
        notes += [
            best_note({"arms": k, **cell}, lams, one) for k, one in zip(ARMS, rates, strict=True)
        ]
    found = "; ".join(f"rho = {n['rho']:g}, K = {n['arms']}: {n['best_lam']:g}" for n in notes)
    measure = f"Rise of ln lam* when K doubles at trial {trial}"
    return Part(measure, findings, lack, f"lam*: {found}.", notes={"best_lam": notes})


@claim(
    35,
    "No visible difference of the variants",
    "In switching bandits of fixed difficulty G-AI and A-AI do not differ visibly.",
    "S2",
)
def alike(evidence: Evidence) -> Part:
    """Equivalence at every lam; the largest difference decides a cell."""
    data = evidence.data("figure-s2")
    trial, lack = data.reach(CLAIMED)
    findings: list[Finding] = []
    for cell in sweep_cells(("A-AI",)):
        world = {name: value for name, value in cell.items() if name != "policy"}
        lams = data.lams("A-AI")
        one, two = (data.rates(trial, lams, policy=policy, **world) for policy in ACTIVE)
        findings.append(every(world, same(world, one, two, MARGIN)))
    measure = (
        f"Rate of A-AI less that of G-AI where they differ most over lam, at trial {trial}, {UNIT}"
    )
    return Part(measure, findings, lack)
