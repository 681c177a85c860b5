"""Figure 6: bandit of varying difficulty, regret rate against the trial."""

from typing import TYPE_CHECKING

from armwise.paper.figures import against_trial
from armwise.sweeps.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POLICIES = ("G-AI", "A-AI", "O-TS", "B-UCB", "RC")


def draw(results: Results, *, note: str = "") -> "Figure":
    """Rows K, columns rho; random choice was simulated like the others."""
    return against_trial.draw(results, "6", "arms", "rho", policies=POLICIES, note=note)
