"""Claims 27 to 35: the switching bandit of fixed difficulty (figures 4, 5 and S2)."""

import itertools
import math
from typing import Any

import numpy as np

from armwise.paper.claims.claim import Said, claim
from armwise.paper.claims.curves import (
    best,
    best_note,
    best_replicas,
    halves,
    lead,
    near,
    random_rate,
    same,
    trends,
    variants,
)
from armwise.paper.claims.decide import (
    MARGIN,
    Finding,
    above,
    below,
    resampled,
    slope_weights,
    student,
    within,
)
from armwise.paper.claims.evidence import Data
from armwise.paper.claims.families import (
    ARMS,
    EPSILONS,
    FIGURE_4,
    FIGURE_S2,
    PANELS_S2,
    RHOS,
    RIVALS,
    family,
    without,
)


@claim(27)
def wins(data: Data, trial: int) -> Said:
    """Paired differences to both rivals at the end of the run."""
    for cell in FIGURE_4:
        for rival in RIVALS:
            gain = student(lead(data, trial, "A-AI", rival, cell))
            yield above({"rival": f"against {rival}", **cell}, gain)


@claim(28)
def shrinks(data: Data, trial: int) -> Said:
    """Slopes of the lead over log2 K and log2 rho."""
    by_arms = [{"epsilon": 0.1, "arms": arms} for arms in ARMS]
    slopes = itertools.chain(
        trends(data, trial, "A-AI", "arms", ARMS, family(epsilon=0.1, rho=RHOS)),
        trends(data, trial, "A-AI", "rho", RHOS, by_arms),
    )
    return [below(*slope) for slope in slopes]


@claim(29)
def shrinks_too(data: Data, trial: int) -> list[list[Finding]]:
    """Slopes of the lead over log2 epsilon (up) and log2 rho (down)."""
    rising = trends(data, trial, "A-AI", "epsilon", EPSILONS, family(arms=40, rho=RHOS))
    falling = trends(data, trial, "A-AI", "rho", RHOS, family(arms=40, epsilon=EPSILONS))
    return [[above(*slope) for slope in rising], [below(*slope) for slope in falling]]


@claim(30)
def converges(data: Data, trial: int) -> list[list[Finding]]:
    """The rate at 10^4 compared with 5 10^3; and the rate between the two against the margin."""
    still, positive = [], []
    middle = trial // 2
    for bandit in FIGURE_4:
        for policy in ("A-AI", *RIVALS):
            cell = {"policy": policy, **bandit}
            half, whole = (data.regret(t, **cell) / random_rate(bandit) for t in (middle, trial))
            change = student(whole / trial - half / middle)
            still.append(within(cell, change, -MARGIN, MARGIN))
            positive.append(above(cell, student((whole - half) / middle), MARGIN))
    return [still, positive]


@claim(31)
def stays(data: Data, trial: int) -> Said:
    """At 10^4, the lam that was best at 10^3 costs at most the margin. (Minima may be flat.)"""
    trials = (trial // 10, trial)
    for cell in FIGURE_S2:
        lams = data.lams(cell["policy"])
        two = [data.rates(t, lams, **cell) for t in trials]
        before, now = (lams.index(best(lams, halves(rates)[0])) for rates in two)
        judged = halves(two[1])[1] / random_rate(cell)
        yield below(cell, student(judged[:, before] - judged[:, now]), MARGIN)
        for t, rates in zip(trials, two, strict=True):
            yield best_note({**cell, "trial": t}, lams, rates)


@claim(32)
def near_a_half(data: Data, trial: int) -> Said:
    """Excess of lam = .5 over the best lam."""
    return near(data, trial, 0.5, FIGURE_S2)


@claim(33)
def stronger(data: Data, still: Data, trial: int) -> Said:
    """The best lam of figure S2 minus that of figure 2, for ten arms and the same epsilon."""
    for cell in FIGURE_S2:
        lams = data.lams(cell["policy"])
        two = [data.rates(trial, lams, **cell), still.rates(trial, lams, **without("rho", cell))]
        one, other = (best_replicas(lams, rates, seed) for seed, rates in enumerate(two))
        value = best(lams, two[0]) - best(lams, two[1])
        yield above(cell, resampled(value, one - other))


@claim(34)
def grows(data: Data, trial: int) -> Said:
    """Slope of the log of the best lam over log2 K, at epsilon = .2, where the minimum is sharp."""
    weights = slope_weights([math.log2(arms) for arms in ARMS])
    notes = []
    for cell in family(epsilon=0.2, rho=tuple(sorted(data.results.values("rho")))):
        lams = data.lams("A-AI", 1e-6)
        rates = [data.rates(trial, lams, policy="A-AI", arms=arms, **cell) for arms in ARMS]
        logs = [np.log(best_replicas(lams, one, seed)) for seed, one in enumerate(rates)]
        value = sum(w * math.log(best(lams, one)) for w, one in zip(weights, rates, strict=True))
        slope: Any = sum(w * one for w, one in zip(weights, logs, strict=True))
        yield above(cell, resampled(value, slope))
        for arms, one in zip(ARMS, rates, strict=True):
            notes.append(best_note({"arms": arms, **cell}, lams, one))
    yield from notes
    shown = [note.numbers for note in notes]
    found = "; ".join(f"rho = {n['rho']:g}, K = {n['arms']}: {n['best_lam']:g}" for n in shown)
    yield f"lam*: {found}."


@claim(35)
def equivalent(data: Data, trial: int) -> Said:
    """Equivalence at every lam; the largest difference decides a cell."""
    lams = data.lams("A-AI")
    for cell in PANELS_S2:
        yield same(cell, *variants(data, trial, lams, cell))
