"""Figure S2: switching bandit with 10 arms, regret rate against the precision of preferences."""

from typing import TYPE_CHECKING

from armwise.paper.figures import against_lam
from armwise.sweeps.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(results: Results, *, note: str = "") -> "Figure":
    """Rows epsilon, columns rho; T = 10^3, 10^4; the guide is lam = .5."""
    trials = (1_000, 10_000)
    return against_lam.draw(
        results, "S2", "epsilon", "rho", trials=trials, guide=0.5, top=2.0, note=note
    )
