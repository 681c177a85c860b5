"""Recovery: can choices like these tell what the values were?"""

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.engine import following_device
from armwise.engine.announce import described
from armwise.errors import InputError, require, whole_number
from armwise.fitting.fitted import Fitted, refuse_unless_fitted
from armwise.fitting.task import task_of
from armwise.fitting.twins import as_choices, like, play

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

WEAK = 0.7  # correlation below which differences between people are not to be read
COVERAGE = 0.94  # of the intervals of a fit


@dataclass(frozen=True, repr=False, eq=False)
class Recovery:
    """Values that were known, and what a fit made of them; `recover` makes it.

    `table` has a row per parameter: r (correlation of true and estimated values over people), bias
    (estimate minus truth, in standard deviations of the truth), coverage (share of people whose
    interval of 94 % holds the truth) and its standard error. r and bias are on the scale on which
    people are normal. `people` has the values, with true_ and estimated_ before the names.
    """

    name: str
    table: "pandas.DataFrame"
    people: "pandas.DataFrame"
    fit: Fitted
    trials: int

    def __str__(self) -> str:
        table = self.table.astype(float).round(3).to_string()
        notes = [f"- {sentence}" for sentence in self.sentences()]
        return "\n".join([self._heading(), "", table, *([""] if notes else []), *notes])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        notes = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.sentences())
        table = self.table.astype(float).round(3).to_html(border=0, index_names=False)
        return f"<p>{escape(self._heading())}</p>{table}<ul>{notes}</ul>"

    def _heading(self) -> str:
        return (
            f"{len(self.people)} people with known values made {self.trials:,} choices by "
            f"{self.name}, and were fitted as the data were."
        )

    def sentences(self) -> list[str]:
        """What is not to be read from these choices."""
        found = []
        error = float(np.sqrt(COVERAGE * (1 - COVERAGE) / len(self.people)))
        for name, row in self.table.iterrows():
            if not row.r >= WEAK:
                found.append(
                    f"{name} is recovered poorly (r = {row.r:.2f}): with as many trials as these, "
                    f"do not interpret how people differ in it."
                )
            if abs(row.coverage - COVERAGE) > 3 * error + 0.02:
                found.append(
                    f"The intervals of {name} hold the truth in {row.coverage:.0%} of people "
                    f"instead of {COVERAGE:.0%}."
                )
        return found

    def plot(self) -> "Figure":
        """True against estimated values, a panel per parameter."""
        from armwise.fitting.figures import of_recovery

        return of_recovery(self)


def recover(
    fit: Fitted,
    *,
    people: int | None = None,
    seed: int = 0,
    method: str | None = None,
    bandit: Any = None,
    threads: int | None = None,
    device: str = "cpu",
) -> Recovery:
    """Simulate people from a fit, in the task and the sizes of its data, and fit them again.

    Their values are drawn from the group that the fit found; after maximum likelihood, which knows
    no group, they are people's own estimates. `people` takes another number of people than the
    data have, `method` another method than the fit's; the new fit is computed on `device`.

    >>> from armwise import *
    >>> data = example("reversal").only(["1", "2", "3", "4"])
    >>> agent = Agent(MeanOutcome(), RescorlaWagner(), Softmax())
    >>> found = recover(fit(agent, data, ["rate", "precision"], method="ml"), people=30)
    >>> found.table.index.tolist()
    ['rate', 'precision']
    """
    from armwise.fitting.fit import fit as fitted

    require("pandas")
    refuse_unless_fitted(fit)
    on: Any = {"threads": threads, "device": following_device(device)}
    count = len(fit.data) if people is None else whole_number("people", people, 2)
    tasks = fit.data if people is None else like(fit.data, count, seed)
    true = known_values(fit, count, seed)
    made = twins_of(fit, true, tasks, seed, bandit, threads)
    method = method or fit.method
    again = fitted(fit.agent, made, fit.free, method=method, nested=fit.nested, **on)
    return _compared(fit, again, true, tasks)


def known_values(fit: Fitted, count: int, seed: int) -> np.ndarray:
    """Values of people like those of a fit, [person, parameter]."""
    if fit.method != "ml":
        return fit.new_people(count, seed)
    values = fit.values()
    return values[np.arange(count) % len(values)]


def twins_of(
    fit: Fitted, values: np.ndarray, tasks: Any, seed: int, bandit: Any, threads: int | None
) -> Any:
    """The choices of people with known values, as data."""
    task = task_of(tasks, bandit, seed)
    own = fit.blocks_of(values, tasks, seed)
    played = play(fit.agent, fit.names, own[None], tasks, task.thetas, seed, threads)
    return as_choices(tasks, played, 0, f"twins by {fit.agent.label}")


def _compared(fit: Fitted, again: Fitted, true: np.ndarray, tasks: Any) -> Recovery:
    import pandas

    if again.data.subjects != tasks.subjects:
        raise InputError("Twins of some people made no choice; leave these people out.")
    estimated, shown = again.values(), again.people()
    real, found = fit.free.real(true), fit.free.real(estimated)
    rows, columns = {}, {}
    for place, name in enumerate(fit.names):
        low, high = shown[f"{name}_low"].to_numpy(), shown[f"{name}_high"].to_numpy()
        inside = ((low <= true[:, place]) & (true[:, place] <= high))[np.isfinite(low)]
        rows[name] = _measures(real[:, place], found[:, place], inside)
        columns[f"true_{name}"] = true[:, place]
        columns[f"estimated_{name}"] = estimated[:, place]
        columns[f"low_{name}"], columns[f"high_{name}"] = low, high
    return Recovery(
        described(fit.agent),
        pandas.DataFrame(rows).T.rename_axis("parameter"),
        pandas.DataFrame(columns, index=pandas.Index(tasks.subjects, name="subject")),
        again,
        int(again.data.sequences.scored.sum()),
    )


def _measures(true: np.ndarray, found: np.ndarray, inside: np.ndarray) -> dict[str, float]:
    """How well one parameter is recovered, on the real line."""
    spread = float(true.std(ddof=1))
    some = np.isfinite(found) & np.isfinite(true)
    varies = spread > 0 and float(found[some].std()) > 0
    covered = float(inside.mean()) if len(inside) else float("nan")
    return {
        "r": float(np.corrcoef(true[some], found[some])[0, 1]) if varies else float("nan"),
        "bias": float((found - true)[some].mean()) / spread if varies else float("nan"),
        "coverage": covered,
        "coverage_se": float(np.sqrt(covered * (1 - covered) / max(1, len(inside)))),
    }
