"""Why a published value is far from ours: causes that can be checked against our own numbers.

Values that were read off a bitmap can be wrong in two ways that a vertical error of half a pixel
does not cover: if the curve is steep, a small horizontal error is a large vertical one; or another
curve of the same panel passes through the place where the value was read.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas

FAR = 4.0  # standard errors beyond which a difference needs a cause
SIDEWAYS = 0.02  # of lambda: about three pixels of the published panels
NEAR = 2.0  # standard errors within which another curve passes through the value

# The trials whose curves the published panels show.
SHOWN = {"2": (100, 1_000, 10_000), "S2": (1_000, 10_000), "S3": (1_000, 10_000)}

_PANEL = ["bandit", "arms", "epsilon", "rho"]


def explained(comparison: "pandas.DataFrame", table: "pandas.DataFrame") -> "pandas.DataFrame":
    """Return the comparison of one figure with a `cause` for every value that is far away."""
    found = comparison.copy()
    found["cause"] = [
        cause(row, table) if abs(row.z) > FAR else "" for row in comparison.itertuples()
    ]
    return found


def cause(row: Any, table: "pandas.DataFrame") -> str:
    """The causes that explain a far value, or 'not known'."""
    causes = [text for text in (row.note,) if text]
    if row.source == "digitised" and np.isfinite(row.lam):
        panel = _panel(row, table)
        causes += [text for text in (_other_curve(row, panel), _steep(row, panel)) if text]
    return "; ".join(causes) or "not known"


def _panel(row: Any, table: "pandas.DataFrame") -> "pandas.DataFrame":
    kept = np.ones(len(table), dtype=bool)
    for name in _PANEL:
        wanted = getattr(row, name)
        if name in table and isinstance(wanted, str):
            kept &= table[name].to_numpy() == wanted
        elif name in table and np.isfinite(wanted):
            kept &= np.isclose(table[name].to_numpy(dtype=float), wanted)
    return table[kept]


def _other_curve(row: Any, panel: "pandas.DataFrame") -> str:
    """A text if the curve of another policy or trial passes through the value, else ''."""
    here = panel[np.isclose(panel.lam, row.lam) & panel.trial.isin(SHOWN.get(row.figure, ()))]
    error = np.sqrt((here["sem"] / here.trial) ** 2 + row.sem_theirs**2 + row.uncertainty**2)
    passing = here[np.abs(here.rate - row.theirs) <= NEAR * error]
    for other in passing.itertuples():
        if other.policy != row.policy or other.trial != row.trial:
            return (
                f"read off a bitmap where the curve of {other.policy} at trial {other.trial} runs"
            )
    return ""


def _steep(row: Any, panel: "pandas.DataFrame") -> str:
    """A text if a small horizontal error explains the published value, else ''."""
    same = panel[(panel.policy == row.policy) & (panel.trial == row.trial)].sort_values("lam")
    lam, rate = same.lam.to_numpy(dtype=float), same.rate.to_numpy(dtype=float)
    if len(lam) < 2:
        return ""
    fine = np.linspace(max(lam[0], row.lam - SIDEWAYS), min(lam[-1], row.lam + SIDEWAYS), 81)
    reached = np.interp(fine, lam, rate)
    error = NEAR * np.hypot(np.hypot(row.sem_ours, row.sem_theirs), row.uncertainty)
    good = fine[np.abs(reached - row.theirs) <= error]
    if not len(good):
        return ""
    shift = np.abs(good - row.lam).min()
    return f"read off a bitmap where the curve is steep: {shift:.3f} sideways explains it"
