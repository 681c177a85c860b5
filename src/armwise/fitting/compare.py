"""Compare fits of several agents to the same people, and say how far the comparison can be trusted.

Three questions: which agent predicts a person whom it has not seen (leave one person out), how
frequent each agent is among people (random-effects selection), and whether agents like these could
be told apart by data of this size at all (the confusion matrix). No winner is named without all
three.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.engine import following_device
from armwise.errors import InputError, require, whole_number
from armwise.fitting.choices import same_choices
from armwise.fitting.confusion import Confusion, confuse
from armwise.fitting.fitted import Fitted, refuse_unless_fitted
from armwise.fitting.scores import bic_of, scores_of
from armwise.fitting.selection import Selection, select

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

SURE = 2.0  # standard errors between the best and another that is worse
TOLD = 0.95  # probability that the picked model is the one that made the data


@dataclass(frozen=True, repr=False, eq=False)
class Comparison:
    """Models side by side; `compare` makes it.

    `table` has a row per model, the best first: `score` (the log predictive density of all people,
    each left out of the fit; with method="eb" the log evidence less a penalty), `difference` to the
    best and its standard error `se`, `evidence`, `frequency`, `exceedance`, `protected`, and `bic`.
    `scores` and `evidence` are [person, model] in the order of `names`.
    """

    names: tuple[str, ...]
    table: "pandas.DataFrame"
    scores: np.ndarray
    evidence: np.ndarray
    selection: Selection
    confusion: Confusion | None
    criterion: str
    people: int

    @property
    def best(self) -> str:
        """The model with the highest score, whether or not it is to be called the winner."""
        return str(self.table.index[0])

    @property
    def rivals(self) -> list[str]:
        """The models from which the best cannot be told: by scores, frequencies, or confusion."""
        close = self.table.index[(-self.table.difference <= SURE * self.table.se)]
        found = [name for name in close if name != self.best]
        if self.table.protected[self.best] < TOLD:
            frequent = self.table.index[self.table.protected > 1.0 - TOLD]
            found += [name for name in frequent if name != self.best]
        if self.confusion is not None:
            makers = self.confusion.makers(self.best)
            if makers[self.best] < TOLD:
                least = (1.0 - TOLD) / len(self.names)
                found += [n for n, share in makers.items() if n != self.best and share > least]
        return list(dict.fromkeys(found))

    @property
    def winner(self) -> str | None:
        """The best model if it can be told from every other, else None."""
        return None if self.confusion is None or self.rivals else self.best

    def sentences(self) -> list[str]:
        """What the comparison says, and what it does not."""
        found = [_best_words(self)]
        if self.confusion is None:
            found.append(
                "No winner is named, because nobody knows yet whether data of this size can tell "
                "these models apart: the confusion matrix finds out (confusion=1)."
            )
        elif self.rivals:
            found.append(
                f"No winner is named: {self.best} cannot be told from {_listed(self.rivals)} "
                f"{self._why()}."
            )
        else:
            found.append(
                f"{self.best} wins: it predicts best, is the most frequent, and by data of this "
                "size it can be told from all other models."
            )
        if self.confusion is not None:
            found.append(self.confusion.sentence(self.best))
        risk = self.selection.omnibus_risk
        first = self.names[int(self.selection.protected.argmax())]
        found.append(
            f"Among people, {first} is the most frequent with protected probability "
            f"{self.selection.protected.max():.3f}; that all are equally frequent has {risk:.2g}."
        )
        counted = self.table.bic.notna().all()
        lowest = str(self.table.bic.idxmin()) if counted else self.best
        if lowest != self.best:
            found.append(
                f"BIC prefers {lowest}. It counts every person's parameters in full, so at few "
                "trials per person it prefers models with few; it is no verdict here."
            )
        return found

    def _why(self) -> str:
        """What keeps the best from being the winner."""
        table, reasons = self.table, []
        others = table[table.index != self.best]
        if (-others.difference <= SURE * others.se).any():
            reasons.append(f"its score is not {SURE:g} standard errors above")
        if table.protected[self.best] < TOLD:
            reasons.append(
                f"it is not clearly the most frequent ({table.protected[self.best]:.2f})"
            )
        if self.confusion is not None and self.confusion.makers(self.best)[self.best] < TOLD:
            reasons.append("data of this size do not tell them apart")
        return f"({'; '.join(reasons)})"

    def __str__(self) -> str:
        notes = [f"- {sentence}" for sentence in self.sentences()]
        return "\n".join([self._heading(), "", _shown(self.table).to_string(), "", *notes])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        notes = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.sentences())
        table = _shown(self.table).to_html(border=0, index_names=False)
        return f"<p>{escape(self._heading())}</p>{table}<ul>{notes}</ul>"

    def _heading(self) -> str:
        return f"{len(self.names)} models of {self.people} people, by {self.criterion}."

    def plot(self) -> "Figure":
        """Scores, frequencies and the confusion matrix."""
        from armwise.fitting.figures import of_comparison

        return of_comparison(self)


def compare(
    fits: Mapping[str, Fitted],
    *,
    confusion: int = 0,
    bic: bool = True,
    seed: int = 0,
    bandit: Any = None,
    method: str | None = None,
    threads: int | None = None,
    device: str = "cpu",
    say: Callable[[str], None] | None = None,
) -> Comparison:
    """Compare fits of the same people by leaving people out, by evidence, and by random effects.

    `confusion` groups of people are simulated from every fit, in the task and the sizes of the
    data, and every model is fitted to them (by `method`, if not that of the fits): the number of
    further fits is confusion x models x models. `say` is called with a line on each. BIC takes
    a fit of everybody alone by every model, which can be long; `bic=False` leaves it out. All these
    fits are computed on `device`.

    >>> from armwise import *
    >>> data = example("reversal").only([str(number) for number in range(1, 9)])
    >>> softmax = Softmax()
    >>> fits = {
    ...     "RW": fit(Agent(MeanOutcome(), RescorlaWagner(), softmax), data, ["rate", "precision"],
    ...               method="eb"),
    ...     "random": fit(Agent(MeanOutcome(), RescorlaWagner(rate=0.5), softmax), data,
    ...                   ["precision"], method="eb"),
    ... }
    >>> compare(fits).table.index.tolist()
    ['RW', 'random']
    """
    require("pandas", "scipy")
    device = following_device(device)
    fits = _checked(fits)
    names = tuple(fits)
    scores, criterion = scores_of(fits)
    evidence = np.column_stack([each.log_evidence() for each in fits.values()])
    selection = select(evidence)
    confused = None
    if whole_number("confusion", confusion, 0, 10_000):
        confused = confuse(fits, confusion, seed, bandit, method, threads, device, say)
    counted = [bic_of(each, threads, device) if bic else np.nan for each in fits.values()]
    table = _table(names, scores, evidence, selection, np.array(counted))
    people = len(next(iter(fits.values())).data)
    return Comparison(names, table, scores, evidence, selection, confused, criterion, people)


def _checked(fits: Mapping[str, Fitted]) -> dict[str, Fitted]:
    if not isinstance(fits, Mapping) or len(fits) < 2:
        raise InputError('Two fits or more are compared, by name: {"A-AI": fit, "RW": other}.')
    found = {str(name): each for name, each in fits.items()}
    for each in found.values():
        refuse_unless_fitted(each)
    first = next(iter(found))
    data = found[first].data
    for name, each in found.items():
        if each.data.subjects != data.subjects or not same_choices(each.data, data):
            raise InputError(f"{name} was fitted to other choices than {first}.")
        if each.method == "ml":
            raise InputError(
                f"{name} was fitted by maximum likelihood, which knows no evidence: fit with "
                "method='eb' or 'bayes'."
            )
    return found


def _table(
    names: tuple[str, ...], scores: np.ndarray, evidence: np.ndarray, selection: Selection, bic: Any
) -> "pandas.DataFrame":
    import pandas

    total = scores.sum(axis=0)
    away = scores - scores[:, [int(total.argmax())]]
    columns = {
        "score": total,
        "difference": away.sum(axis=0),
        "se": away.std(axis=0, ddof=1) * np.sqrt(len(away)),
        "evidence": evidence.sum(axis=0),
        "frequency": selection.frequency,
        "exceedance": selection.exceedance,
        "protected": selection.protected,
        "bic": bic,
    }
    table = pandas.DataFrame(columns, index=pandas.Index(names, name="model"))
    return table.sort_values("score", ascending=False, kind="stable")


def _shown(table: "pandas.DataFrame") -> "pandas.DataFrame":
    if table.bic.isna().all():
        table = table.drop(columns="bic")
    digits = dict.fromkeys(("score", "difference", "se", "evidence", "bic"), 1)
    return table.round({**digits, "frequency": 2, "exceedance": 3, "protected": 3})


def _best_words(comparison: Comparison) -> str:
    second = comparison.table.iloc[1]
    above, people = -second.difference, comparison.people
    return (
        f"{comparison.best} describes people best, {above:.1f} above {second.name} (standard error "
        f"{second.se:.1f}), or {above / people:.2f} per person."
    )


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
