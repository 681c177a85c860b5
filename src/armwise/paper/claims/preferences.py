"""Claims 1 to 9: the precision of preferences in the stationary bandit (figure 2)."""

from collections.abc import Iterator

import numpy as np

from armwise.analysis.regret import stuck
from armwise.paper.claims.claim import Said, claim
from armwise.paper.claims.curves import (
    best,
    best_note,
    best_replicas,
    halves,
    near,
    random_rate,
    same,
    variants,
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
from armwise.paper.claims.evidence import Data
from armwise.paper.claims.families import ARMS, FIGURE_2, STATIONARY, Cell, family
from armwise.paper.claims.verdict import ClaimPart

HARDEST = family(policy="A-AI", arms=ARMS, epsilon=0.05)
LOCKED = 0.75  # "strong" preferences
LARGE = 1.5
STUCK = 0.05


@claim(1)
def interior(data: Data, trial: int) -> Said:
    """Choose the best lam with half of the agents; compare both ends with it in the other half."""
    for cell in FIGURE_2:
        lams = data.lams(cell["policy"], 0.0, 1.0, least=3)
        rates = data.rates(trial, lams, **cell)
        chosen, judged = halves(rates / random_rate(cell))
        index = 1 + int(chosen[:, 1:-1].mean(axis=0).argmin())
        gains = judged[:, [0, -1]] - judged[:, [index]]
        yield every(cell, [above(cell, student(gain)) for gain in gains.T])
        yield best_note(cell, lams, rates)


@claim(2)
def exploration(data: Data, trial: int) -> Said:
    """Equivalence with the analytic rate."""
    for cell in FIGURE_2:
        rate = data.rate(trial, lam=0.0, **cell) / random_rate(cell) - 1.0
        yield within(cell, student(rate), -MARGIN, MARGIN)


@claim(3)
def lock_in(data: Data, trial: int) -> list[list[Finding]]:
    """Test for a plateau on which more than one agent in twenty is stuck."""
    flat, caught = [], []
    for cell in FIGURE_2:
        rates = data.rates(trial, data.lams(cell["policy"], LOCKED), **cell)
        flat.append(same(cell, rates, rates.mean(axis=1, keepdims=True)))
        lost = stuck(rates * trial, cell["epsilon"], trial).sum(axis=0)
        caught.append(every(cell, [above(cell, proportion(k, len(rates)), STUCK) for k in lost]))
    return [flat, caught]


@claim(4)
def near_a_tenth(data: Data, trial: int) -> Said:
    """Excess of lam = .1 over the best lam, which is chosen with the other half of the agents."""
    return near(data, trial, 0.1, FIGURE_2)


@claim(5)
def sharp(data: Data, trial: int) -> list[list[Finding]]:
    """The best lam on a grid with step .01 (.04 to .08 counts), and the cost of .03 and .12."""
    place, edge = [], []
    for cell in HARDEST:
        lams = data.lams("A-AI")
        rates = data.rates(trial, lams, **cell)
        replicas = best_replicas(lams, rates)
        place.append(within(cell, resampled(best(lams, rates), replicas), 0.039, 0.081))
        edge.append(_edge(data, trial, cell))
    return [place, edge]


def _edge(data: Data, trial: int, cell: Cell) -> Finding:
    """The cost of half of .06 and of twice that."""
    lams = np.asarray(data.lams("A-AI"))
    here, low, high = (float(lams[np.argmin(abs(lams - lam))]) for lam in (0.06, 0.03, 0.12))
    rates = data.rates(trial, [here, low, high], **cell) / random_rate(cell)
    costs = rates[:, 1:] - rates[:, :1]
    return every(cell, [above(cell, student(cost), MARGIN) for cost in costs.T])


@claim(6)
def falls(data: Data, trial: int) -> Said:
    """The best lam at 10^3 minus that at 10^4, for the same agents."""
    trials = (trial // 10, trial)
    for cell in FIGURE_2:
        lams = data.lams(cell["policy"])
        early, late = (data.rates(t, lams, **cell) for t in trials)
        replicas = best_replicas(lams, early) - best_replicas(lams, late)
        yield above(cell, resampled(best(lams, early) - best(lams, late), replicas))
        for t, rates in zip(trials, (early, late), strict=True):
            yield best_note({**cell, "trial": t}, lams, rates)


@claim(7)
def weak(data: Data, trial: int) -> ClaimPart:
    """Equivalence at every lam below .25."""
    return _equal(data, trial, 0.0, 0.249)


@claim(8)
def middle(data: Data, trial: int) -> Said:
    """Mean difference over lam from .25 to .75."""
    lams = data.lams("A-AI", 0.25, LOCKED)
    for cell in STATIONARY:
        active, exact = variants(data, trial, lams, cell)
        yield above(cell, student((exact - active).mean(axis=1) / random_rate(cell)))


@claim(9)
def strong(data: Data, trial: int) -> ClaimPart:
    """Equivalence at every lam from 1.5."""
    return _equal(data, trial, LARGE, np.inf)


def _equal(data: Data, trial: int, low: float, high: float) -> ClaimPart:
    """A-AI and G-AI at every lam of a range: the largest difference decides a cell."""
    lams = data.lams("A-AI", low, high)

    def findings() -> Iterator[Finding]:
        for cell in STATIONARY:
            yield same(cell, *variants(data, trial, lams, cell))

    shown = f"{lams[0]:g} to {lams[-1]:g}" if len(lams) > 1 else f"{lams[0]:g}"
    return ClaimPart(findings(), fills={"lams": shown})
