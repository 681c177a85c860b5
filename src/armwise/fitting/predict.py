"""Predictive checks: do people with the values of a fit behave as the people did?"""

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.engine.announce import described
from armwise.errors import require, whole_number
from armwise.fitting import behaviour
from armwise.fitting.choices import Choices
from armwise.fitting.fitted import Fitted
from armwise.fitting.task import task_of
from armwise.fitting.twins import Played, play

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

LEVEL = 95
ENDS = (50 - LEVEL / 2, 50 + LEVEL / 2)  # percentiles


@dataclass(frozen=True, repr=False, eq=False)
class Prediction:
    """People beside their twins; `Fit.predict` makes it.

    `measures` has a row per measure, `curves` one per measure and trial, `people` one per measure
    and person. Each has what was observed, and the mean and the 95 % interval of the twins.
    """

    name: str
    data: Choices
    measures: "pandas.DataFrame"
    curves: "pandas.DataFrame"
    people: "pandas.DataFrame"
    twins: Played
    draws: int

    def __str__(self) -> str:
        lines = [self._heading(), "", _table(self.measures), ""]
        return "\n".join([*lines, *(f"- {sentence}" for sentence in self.sentences())])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        notes = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.sentences())
        table = self.measures.round(3).to_html(border=0, index_names=False)
        return f"<p>{escape(self._heading())}</p>{table}<ul>{notes}</ul>"

    def _heading(self) -> str:
        return f"{len(self.data)} people beside {self.draws} twins of each, by {self.name}."

    def sentences(self) -> list[str]:
        """What the twins do not do as people did."""
        found = []
        for name, row in self.measures.iterrows():
            if not row.inside:
                side = "below" if row.observed < row.low else "above"
                found.append(
                    f"{behaviour.MEASURES[name].capitalize()}: {row.observed:.3f}, {side} the "
                    f"{row.low:.3f} to {row.high:.3f} of the twins."
                )
        for name, rows in self.curves.groupby("curve", sort=False):
            outside = (rows.observed < rows.low) | (rows.observed > rows.high)
            share = float(outside.mean())
            if share > 2 * (1 - LEVEL / 100):
                found.append(
                    f"{behaviour.CURVES[name].capitalize()}: people leave the twins' {LEVEL} % "
                    f"band at {share:.0%} of its points; 5 % is chance."
                )
        if not found:
            found = ["Nothing that was measured tells people from their twins."]
        return found

    def plot(self) -> "Figure":
        """Curves and measures of people with the bands of their twins."""
        from armwise.fitting.figures import of_prediction

        return of_prediction(self)


def predict(fit: Fitted, draws: int = 100, seed: int = 0, bandit: Any = None) -> Prediction:
    """Let the fitted people do the task again, `draws` times with other draws of their values.

    How arms pay comes from the data (columns theta_0, theta_1, ...) or from `bandit`.
    """
    require("pandas")
    draws = whole_number("draws", draws, 2, 100_000)
    data = fit.data
    task = task_of(data, bandit, seed)
    values = fit.sampled_blocks(draws, seed)
    twins = play(fit.agent, fit.names, values, data, task.thetas, seed)
    layout = behaviour.layout_of(data, task.best if task.known else None)
    observed = data.sequences.choices, data.sequences.outcomes
    copies = list(zip(twins.choices, twins.outcomes, strict=True))
    persons = behaviour.per_person(layout, *observed)
    of_twins = [behaviour.per_person(layout, *copy) for copy in copies]
    drawn = [behaviour.curves(layout, *copy) for copy in copies]
    return Prediction(
        described(fit.agent),
        data,
        _measures(persons, of_twins),
        _curves(behaviour.curves(layout, *observed), drawn),
        _people(data, persons, of_twins),
        twins,
        draws,
    )


def _measures(
    observed: dict[str, np.ndarray], drawn: list[dict[str, np.ndarray]]
) -> "pandas.DataFrame":
    """Means over people."""
    import pandas

    rows = {}
    for name in behaviour.MEASURES:
        if name in observed:
            means = np.array([np.nanmean(each[name]) for each in drawn])
            rows[name] = _row(np.nanmean(observed[name]), means)
    table = pandas.DataFrame(rows).T.rename_axis("measure")
    table["inside"] = (table.observed >= table.low) & (table.observed <= table.high)
    return table


def _curves(
    observed: dict[str, np.ndarray], drawn: list[dict[str, np.ndarray]]
) -> "pandas.DataFrame":
    import pandas

    frames = []
    for name in behaviour.CURVES:
        if name in observed:
            at = behaviour.abscissa(name, len(observed[name]))
            columns = _row(observed[name], np.array([each[name] for each in drawn]))
            frames.append(pandas.DataFrame({"curve": name, "trial": at, **columns}))
    return pandas.concat(frames, ignore_index=True).dropna(subset=["observed", "predicted"])


def _people(
    data: Choices, observed: dict[str, np.ndarray], drawn: list[dict[str, np.ndarray]]
) -> "pandas.DataFrame":
    import pandas

    frames = []
    for name in behaviour.MEASURES:
        if name in observed:
            columns = _row(observed[name], np.array([each[name] for each in drawn]))
            subjects = {"subject": data.subjects, "measure": name}
            frames.append(pandas.DataFrame({**subjects, **columns}))
    return pandas.concat(frames, ignore_index=True)


def _row(observed: Any, drawn: np.ndarray) -> dict[str, Any]:
    """What was observed, and the mean and the interval of the draws."""
    import warnings

    with warnings.catch_warnings():  # a measure that nobody has any trial for is missing
        warnings.simplefilter("ignore", RuntimeWarning)
        low, high = np.nanpercentile(drawn, ENDS, axis=0)
        return {
            "observed": observed,
            "predicted": np.nanmean(drawn, axis=0),
            "low": low,
            "high": high,
        }


def _table(measures: "pandas.DataFrame") -> str:
    shown = measures.drop(columns="inside").astype(float).round(3)
    return shown.to_string()
