"""Figure S3: bandit of varying difficulty, regret rate against the precision of preferences."""

from typing import TYPE_CHECKING

from armwise.paper.figures import against_lam
from armwise.sweeps.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(results: Results, *, note: str = "") -> "Figure":
    """Rows K, columns rho; T = 10^3, 10^4; the guide is lam = .25."""
    trials = (1_000, 10_000)
    return against_lam.draw(results, "S3", "arms", "rho", trials=trials, guide=0.25, note=note)
