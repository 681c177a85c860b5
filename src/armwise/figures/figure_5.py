"""Figure 5: switching bandit with 40 arms, regret rate against the trial."""

from typing import TYPE_CHECKING

from armwise.figures import against_trial
from armwise.figures.figure_4 import POLICIES
from armwise.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(results: Results, *, note: str = "") -> "Figure":
    """Rows epsilon, columns rho."""
    return against_trial.draw(results, "5", "epsilon", "rho", policies=POLICIES, note=note)
