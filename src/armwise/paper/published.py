"""The published values of the paper, and how far results are from them.

The values come with the package (`published.csv`), one row per value. They are exact if the
authors' figure is a vector graphic; otherwise they were read off the pixels.
"""

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.errors import unknown
from armwise.numerics.student import student_quantile
from armwise.paper.random_choice import random_rate

if TYPE_CHECKING:
    import pandas

FIGURES = ("2", "3", "4", "5", "6", "S1", "S2", "S3", "table1")
AGENTS = 1_000  # agents behind every published mean
KEYS = ["bandit", "policy", "arms", "epsilon", "rho", "lam", "trial"]

# Figures whose regret refers to the state after the transition of the trial.
_CHARGED_LATE = ("4", "5", "6", "S2", "S3")
# Published trials that are not checkpoints, with the checkpoint that stands for them.
_TRIALS = {50_003: 50_000}
# Our column, and the divisor of its standard error, for every published measure.
_COLUMNS = {"regret_rate": "rate", "cumulative_regret": "regret", "stuck_fraction": "stuck"}

_NOTE_RATE = "published switches never followed one another: their rate was rho / (1 + rho)"
_NOTE_TIES = "nearly tied scores, where the published soft-max (precision 1e5) is not an argmax"
_NOTE_TRIAL = "published at trial 50003"


def values(figure: str) -> "pandas.DataFrame":
    """The published values of a figure, also converted to the paper's definition of regret.

    `value`, `low` and `high` are as published; `definition`, `definition_low` and `definition_high`
    are converted. `sem` (from the 95 % bounds, NaN without bounds) and `uncertainty` (half a pixel,
    NaN for exact values) refer to `definition`.

    >>> row = values("4").iloc[0]
    >>> print(row.policy, row.value, round(row.definition, 8))
    B-UCB 0.08544397 0.08539278
    """
    if figure not in FIGURES:
        raise unknown("published figure", figure, FIGURES)
    frame = _load()
    found = frame[frame.figure == figure].reset_index(drop=True)
    r, random = _mixture(found, figure)
    # Published = (1 - r) * definition + r * RC, and its inverse.
    for name, source in (
        ("definition", "value"),
        ("definition_low", "low"),
        ("definition_high", "high"),
    ):
        found[name] = (found[source] - r * random) / (1.0 - r)
    width = found.definition_high - found.definition_low
    found["sem"] = width / (2.0 * student_quantile(0.975, AGENTS - 1.0))
    found["uncertainty"] = found.uncertainty / (1.0 - r)
    return found


def compare(figure: str, table: "pandas.DataFrame") -> "pandas.DataFrame":
    """Published values beside those of `Results.table()` for the same conditions and trials.

    `z` is the difference in units of sqrt(sem_ours^2 + sem_theirs^2 + uncertainty^2). Digitised
    values have no bounds: their `sem_theirs` is ours scaled to 1000 agents, as `sem_source` says.
    """
    theirs = _keyed(values(figure).replace({"trial": _TRIALS}))
    theirs = theirs[theirs.measure.isin(_COLUMNS)]
    ours = _keyed(table)
    kept = [*KEYS, *(name for name in ("agents", "seed", "choice") if name in ours)]
    measures = [name for name in ("rate", "regret", "stuck", "sem") if name in ours]
    merged = theirs.merge(ours[kept + measures].rename(columns={"sem": "sem_regret"}), on=KEYS)
    return _scored(merged, [*kept, "figure", "measure", "source"])


def _scored(merged: "pandas.DataFrame", kept: list[str]) -> "pandas.DataFrame":
    found = merged[kept].copy()
    measure = merged.measure.to_numpy()
    ours = np.full(len(merged), np.nan)
    for name, column in _COLUMNS.items():
        if column in merged:
            ours = np.where(measure == name, merged[column], ours)
    found["ours"], found["theirs"] = ours, merged.definition
    found["difference"] = found.ours - found.theirs
    found["sem_ours"], found["sem_theirs"], found["sem_source"] = _errors(merged, ours)
    found["uncertainty"] = merged.uncertainty.fillna(0.0)
    spread = np.sqrt(found.sem_ours**2 + found.sem_theirs**2 + found.uncertainty**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        found["z"] = np.where(found.difference == 0.0, 0.0, found.difference / spread)
    found["note"] = _notes(merged)
    return found


def _errors(merged: "pandas.DataFrame", ours: np.ndarray) -> tuple[Any, Any, Any]:
    """Standard errors of our and the published values, and the source of the latter."""
    measure, agents = merged.measure.to_numpy(), merged.agents.to_numpy(dtype=float)
    error = merged.sem_regret / np.where(measure == "regret_rate", merged.trial, 1)
    scaled = error * np.sqrt(agents / AGENTS)
    exact = merged["sem"].notna()
    theirs = np.where(exact, merged["sem"], scaled)
    source = np.where(exact, "bounds", f"ours at {AGENTS} agents")
    # Two fractions: pooled, so that even a fraction of 0 has an error.
    stuck = measure == "stuck_fraction"
    pooled = (agents * ours + AGENTS * merged.definition) / (agents + AGENTS)
    variance = np.maximum(pooled * (1.0 - pooled), 0.0)  # other measures are not fractions
    return (
        np.where(stuck, np.sqrt(variance / agents), error),
        np.where(stuck, np.sqrt(variance / AGENTS), theirs),
        np.where(stuck, "binomial, pooled", source),
    )


def _notes(merged: "pandas.DataFrame") -> list[str]:
    """The known causes of a difference, row by row."""
    found = []
    for row in merged.itertuples():
        notes = [_NOTE_RATE] if row.bandit == "varying" else []
        if row.bandit == "varying" and row.policy == "A-AI" and abs(row.lam - 0.25) < 1e-9:
            notes.append(_NOTE_TIES)
        if row.figure == "3" and row.trial == 50_000:
            notes.append(_NOTE_TRIAL)
        found.append("; ".join(notes))
    return found


def _mixture(frame: "pandas.DataFrame", figure: str) -> tuple[Any, Any]:
    """The weight r and the value RC in published = (1 - r) * definition + r * RC.

    switching: r = rho K / (K - 1), RC = epsilon (K - 1) / K;
    varying: r = rho, RC = K / (K + 1) - 1/2.
    This is exact for any policy: after a switch, an arm chosen before it is no better than chance.
    """
    if figure not in _CHARGED_LATE:
        return 0.0, 0.0
    arms, switching = frame.arms, frame.bandit == "switching"
    r = frame.rho * np.where(switching, arms / (arms - 1), 1.0)
    settings = zip(arms, frame.epsilon, strict=True)
    random = [random_rate(int(k), None if np.isnan(e) else float(e)) for k, e in settings]
    return r, np.array(random)


def _keyed(frame: "pandas.DataFrame") -> "pandas.DataFrame":
    """The frame with all keys as columns, rounded so that equal conditions are equal."""
    found = frame.copy()
    for name in ("epsilon", "rho", "lam"):
        column = found[name] if name in found else np.full(len(found), np.nan)
        found[name] = np.round(np.asarray(column, dtype=float), 9)
    found.loc[found.bandit == "stationary", "rho"] = 0.0
    return found


@functools.lru_cache(maxsize=1)
def _load() -> "pandas.DataFrame":
    import pandas

    return pandas.read_csv(Path(__file__).parent / "published.csv", dtype={"figure": str})
