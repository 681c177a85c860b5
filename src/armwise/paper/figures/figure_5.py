"""Figure 5: switching bandit with 40 arms, regret rate against the trial."""

from typing import TYPE_CHECKING

from armwise.paper.figures import against_trial
from armwise.paper.figures.figure_4 import POLICIES
from armwise.sweeps.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(results: Results, *, note: str = "") -> "Figure":
    """Rows epsilon, columns rho."""
    return against_trial.draw(results, "5", "epsilon", "rho", policies=POLICIES, note=note)
