"""Claims 1 to 9: the precision of preferences in the stationary bandit (figure 2)."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from armwise.analysis.regret import stuck
from armwise.paper.claims.claim import Part, claim
from armwise.paper.claims.curves import (
    best,
    best_note,
    best_replicas,
    excess,
    halves,
    random_rate,
    same,
)
from armwise.paper.claims.decide import (
    MARGIN,
    Finding,
    above,
    every,
    proportion,
    resampled,
    student,
    within,
)
from armwise.paper.claims.evidence import ACTIVE, ARMS, EPSILONS, Data, Evidence, Missing

UNIT = "in units of RC"  # the regret rate of random choice
LOCKED = 0.75  # "strong" preferences
LARGE = 1.5
STUCK = 0.05


def cells(policies: tuple[str, ...] = ACTIVE) -> Iterator[dict[str, Any]]:
    """The cells of figure 2."""
    for policy in policies:
        for epsilon in EPSILONS:
            for arms in ARMS:
                yield {"policy": policy, "arms": arms, "epsilon": epsilon}


@claim(
    1,
    "An interior optimum",
    "For every difficulty there is a precision lam* between 0 and 1 at "
    "which both variants of active "
    "inference have less regret after 10^4 trials than with very weak or very strong preferences.",
    "2",
)
def interior(evidence: Evidence) -> Part:
    """Lam* from half of the agents; both ends against it with the other half."""
    data = evidence.data("figure-2")
    trial, lack = data.reach(10_000)
    findings, notes = [], []
    for cell in cells():
        lams = data.lams(cell["policy"], 0.0, 1.0)
        rates = data.rates(trial, lams, **cell)
        chosen, judged = halves(rates / random_rate(cell))
        place = 1 + int(chosen[:, 1:-1].mean(axis=0).argmin())
        gains = judged[:, [0, -1]] - judged[:, [place]]
        findings.append(every(cell, [above(cell, student(gain)) for gain in gains.T]))
        notes.append(best_note(cell, lams, rates))
    measure = f"Smaller gain of lam* over lam = 0 and lam = 1 at trial {trial}, {UNIT}"
    return Part(measure, findings, lack, notes={"best_lam": notes})


@claim(
    2,
    "No preferences, no advantage",
    "Without preferences (lam = 0) active inference only explores, and its regret rate is that of "
    "random choice.",
    "2",
)
def exploration(evidence: Evidence) -> Part:
    """Equivalence with the analytic rate."""
    data = evidence.data("figure-2")
    findings = []
    for cell in cells():
        rate = data.rate(data.horizon, lam=0.0, **cell) / random_rate(cell) - 1.0
        findings.append(within(cell, student(rate), -MARGIN, MARGIN))
    return Part(
        f"Regret rate at lam = 0 and trial {data.horizon} less that of random choice, {UNIT}",
        findings,
    )


@claim(
    3,
    "Strong preferences lock in",
    "With strong preferences (lam of .75 and more) an agent commits to "
    "whatever arm first looked best: "
    "the regret rate no longer depends on lam, and a share of the agents never finds the best arm.",
    "2",
)
def lock_in(evidence: Evidence) -> list[Part]:
    """A plateau, and more than one stuck agent in twenty on it."""
    data = evidence.data("figure-2")
    trial, lack = data.reach(10_000)
    flat, caught = [], []
    for cell in cells():
        rates = data.rates(trial, data.lams(cell["policy"], LOCKED), **cell)
        level = np.repeat(rates.mean(axis=1, keepdims=True), rates.shape[1], axis=1)
        flat.append(every(cell, same(cell, rates, level, MARGIN)))
        lost = stuck(rates * trial, cell["epsilon"], trial).sum(axis=0)
        caught.append(every(cell, [above(cell, proportion(k, len(rates)), STUCK) for k in lost]))
    return [
        Part(
            f"Plateau: largest distance from the mean over lam >= .75 at trial {trial}, {UNIT}",
            flat,
            lack,
        ),
        Part("Least fraction of stuck agents over lam >= .75 (against .05)", caught, lack),
    ]


@claim(
    4,
    "lam = .1 is nearly optimal",
    "After 10^4 trials the least regret rate lies close to lam = .1 over a range of difficulties.",
    "2",
)
def near_a_tenth(evidence: Evidence) -> Part:
    """Excess of lam = .1 over lam*, lam* from the other half of the agents."""
    data = evidence.data("figure-2")
    trial, lack = data.reach(10_000)
    return near(data, trial, lack, 0.1, list(cells()))


def near(data: Data, trial: int, lack: str, lam: float, family: list[dict[str, Any]]) -> Part:
    """A lam against the best one, cell by cell."""
    findings, notes = [], []
    for cell in family:
        lams = data.lams(cell["policy"])
        if not np.isclose(lams, lam).any():
            raise Missing(f"lam = {lam:g} is not on the grid of this run ({data.name}).")
        rates = data.rates(trial, lams, **cell)
        findings.append(excess(cell, lams, rates, lam, MARGIN))
        notes.append(best_note(cell, lams, rates))
    measure = f"Excess of lam = {lam:g} over lam* at trial {trial} (against .05), {UNIT}"
    inside = [n for n in notes if n["low"] - 1e-9 <= lam <= n["high"] + 1e-9]
    comment = f"The 95 % interval of lam* holds {lam:g} in {len(inside)} of {len(notes)} cells."
    lack = lack or data.coarse(family[0]["policy"])
    return Part(measure, findings, lack, comment, notes={"best_lam": notes})


@claim(
    5,
    "A sharp minimum for the hardest problem",
    "For epsilon = .05 the minimum after 10^4 trials is sharp and lies at lam = .06.",
    "2",
)
def sharp(evidence: Evidence) -> list[Part]:
    """Where lam* is on a grid by .01 (.04 to .08 counts), and what half or twice .06 would cost."""
    data = evidence.data("figure-2-fine")
    trial, lack = data.reach(10_000)
    lack = lack or data.coarse("A-AI", 0.01)
    place, edge = [], []
    for arms in ARMS:
        cell = {"policy": "A-AI", "arms": arms, "epsilon": 0.05}
        lams = data.lams("A-AI")
        rates = data.rates(trial, lams, **cell)
        replicas = best_replicas(lams, rates)
        place.append(within(cell, resampled(best(lams, rates), replicas), 0.039, 0.081))
        edge.append(_edge(data, trial, cell))
    return [
        Part(f"lam* at trial {trial} (against .04 to .08)", place, lack),
        Part(f"Smaller cost of lam = .03 and .12 against .06 (against .05), {UNIT}", edge, lack),
    ]


def _edge(data: Data, trial: int, cell: dict[str, Any]) -> Finding:
    lams = np.asarray(data.lams("A-AI"))
    here, low, high = (float(lams[np.argmin(abs(lams - lam))]) for lam in (0.06, 0.03, 0.12))
    rates = data.rates(trial, [here, low, high], **cell) / random_rate(cell)
    costs = rates[:, 1:] - rates[:, :1]
    return every(cell, [above(cell, student(cost), MARGIN) for cost in costs.T])


@claim(
    6,
    "The best lam falls with time",
    "The longer the game, the weaker the preferences with the least regret rate.",
    "2",
)
def falls(evidence: Evidence) -> Part:
    """Lam* at 10^3 less lam* at 10^4, the same agents in both."""
    data = evidence.data("figure-2")
    late, lack = data.reach(10_000)
    early = late // 10
    findings, notes = [], []
    for cell in cells():
        lams = data.lams(cell["policy"])
        two = [data.rates(trial, lams, **cell) for trial in (early, late)]
        replicas = best_replicas(lams, two[0]) - best_replicas(lams, two[1])
        value = best(lams, two[0]) - best(lams, two[1])
        findings.append(above(cell, resampled(value, replicas)))
        notes += [
            best_note({**cell, "trial": t}, lams, r)
            for t, r in zip((early, late), two, strict=True)
        ]
    lack = lack or data.coarse("A-AI")
    return Part(
        f"lam* at trial {early} less lam* at trial {late}",
        findings,
        lack,
        notes={"best_lam": notes},
    )


def _both(evidence: Evidence, low: float, high: float) -> Part:
    """A-AI and G-AI at every lam of a range: the largest difference decides a cell."""
    data = evidence.data("figure-2")
    trial, lack = data.reach(10_000)
    lams = data.lams("A-AI", low, high)
    if not lams:
        raise Missing("no lam of this run is in the range of the claim.")
    findings = []
    for cell in cells(("A-AI",)):
        world = {"arms": cell["arms"], "epsilon": cell["epsilon"]}
        one, two = (data.rates(trial, lams, policy=policy, **world) for policy in ACTIVE)
        findings.append(every(world, same(world, one, two, MARGIN)))
    shown = f"{lams[0]:g} to {lams[-1]:g}" if len(lams) > 1 else f"{lams[0]:g}"
    measure = f"Rate of A-AI less that of G-AI where they differ most over lam = {shown}"
    return Part(f"{measure} at trial {trial}, {UNIT}", findings, lack)


@claim(
    7,
    "Equal for weak preferences",
    "For lam below .25 exploration dominates both variants, and their regret rates are similar.",
    "2",
)
def weak(evidence: Evidence) -> Part:
    """Equivalence at every lam below .25."""
    return _both(evidence, 0.0, 0.249)


@claim(
    8,
    "A-AI better in between",
    "For lam of middle size the approximate variant has a slightly lower "
    "regret rate than the exact one.",
    "2",
)
def middle(evidence: Evidence) -> Part:
    """Mean difference over lam from .25 to .75."""
    data = evidence.data("figure-2")
    trial, lack = data.reach(10_000)
    lams = data.lams("A-AI", 0.25, LOCKED)
    findings = []
    for cell in cells(("A-AI",)):
        world = {"arms": cell["arms"], "epsilon": cell["epsilon"]}
        active, exact = (data.rates(trial, lams, policy=policy, **world) for policy in ACTIVE)
        gain = (exact - active).mean(axis=1) / random_rate(world)
        findings.append(above(world, student(gain)))
    measure = (
        f"Rate of G-AI less that of A-AI, mean over lam from .25 to .75 at trial {trial}, {UNIT}"
    )
    return Part(measure, findings, lack)


@claim(
    9,
    "Equal for strong preferences",
    "For large lam both variants act on expected value alone and are equally bad.",
    "2",
)
def strong(evidence: Evidence) -> Part:
    """Equivalence at every lam from 1.5."""
    return _both(evidence, LARGE, np.inf)
