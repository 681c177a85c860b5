"""Figure 2: stationary bandit, regret rate against the precision of preferences."""

from typing import TYPE_CHECKING

from armwise.paper.figures import against_lam
from armwise.sweeps.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(results: Results, *, note: str = "") -> "Figure":
    """Rows epsilon, columns K; T = 10^2, 10^3, 10^4; the guide is lam = .1."""
    trials = (100, 1_000, 10_000)
    return against_lam.draw(results, "2", "epsilon", "arms", trials=trials, guide=0.1, note=note)
