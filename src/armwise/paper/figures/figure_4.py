"""Figure 4: switching bandit of fixed difficulty, regret rate against the trial."""

from typing import TYPE_CHECKING

from armwise.paper.figures import against_trial
from armwise.sweeps.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POLICIES = ("A-AI", "O-TS", "B-UCB")


def draw(results: Results, *, note: str = "") -> "Figure":
    """Rows K, columns rho."""
    return against_trial.draw(results, "4", "arms", "rho", policies=POLICIES, note=note)
