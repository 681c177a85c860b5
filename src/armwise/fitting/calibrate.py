"""Simulation-based calibration: is a posterior as sure as it may be?

Groups are drawn from the prior, people from the groups, choices from the people. If a fit is right,
the rank of each true value among its posterior draws is uniform (Talts et al. 2018).
"""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.engine import following_device
from armwise.engine.announce import described
from armwise.errors import InputError, require, whole_number
from armwise.fitting.choices import Choices
from armwise.fitting.group import LKJ, Layout
from armwise.fitting.load import choices_for
from armwise.fitting.parameters import Free, free_parameters
from armwise.fitting.task import task_of
from armwise.fitting.twins import as_choices, play
from armwise.model.agent import Agent

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

DRAWS = 99  # of a posterior, so that there are 100 ranks
LEAST = 0.01  # p below which ranks are said not to be uniform
LEVEL = 0.94


@dataclass(frozen=True, repr=False, eq=False)
class Calibration:
    """Ranks of true group values among posterior draws; `calibrate` makes it.

    `ranks` has a row per group and a column per value: the mean of each parameter on the real line,
    its standard deviation over people, and the correlations. `table` has for each value the p of a
    chi-squared test that ranks are uniform, and how many intervals of 94 % hold the truth; `people`
    is the share of people's values that their intervals hold, per group and parameter.
    """

    name: str
    ranks: "pandas.DataFrame"
    table: "pandas.DataFrame"
    people: "pandas.DataFrame"

    @property
    def passes(self) -> bool:
        """Whether no value's ranks differ from uniform ones."""
        return bool((self.table.p >= LEAST / len(self.table)).all())

    def sentences(self) -> list[str]:
        """What is not calibrated."""
        found = [
            f"The ranks of {name} are not uniform (p = {row.p:.2g})."
            for name, row in self.table.iterrows()
            if row.p < LEAST / len(self.table)
        ]
        covered, groups = self.people.mean(), self.people.sem()
        for name, share in covered.items():
            if abs(share - LEVEL) > 3 * groups[name] + 0.005:
                found.append(
                    f"Intervals of people's {name} hold the truth in {share:.1%}, not 94 %."
                )
        return found or ["No value of the group is told to be more or less certain than it is."]

    def __str__(self) -> str:
        notes = [f"- {sentence}" for sentence in self.sentences()]
        return "\n".join([self._heading(), "", self.table.round(3).to_string(), "", *notes])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        notes = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.sentences())
        return f"<p>{escape(self._heading())}</p>{self.table.round(3).to_html()}<ul>{notes}</ul>"

    def _heading(self) -> str:
        return f"{len(self.ranks)} groups drawn from the prior, made by {self.name} and fitted."

    def plot(self) -> "Figure":
        """A histogram of ranks per value, with the band of uniform ones."""
        from armwise.fitting.figures import of_calibration

        return of_calibration(self)


def calibrate(
    agent: Agent,
    data: Any,
    free: Any,
    *,
    groups: int = 100,
    method: str = "bayes",
    seed: int = 0,
    bandit: Any = None,
    threads: int | None = None,
    device: str = "cpu",
    say: Callable[[str], None] | None = None,
) -> Calibration:
    """Draw groups from the prior, simulate them in the task of the data, and fit them.

    The data say how many people there are, how many trials they have and how arms pay; their own
    choices do not matter. With `method="eb"`, whose group is a point, only people's intervals are
    looked at. The fits are computed on `device`.

    >>> from armwise import *
    >>> agent = Agent(MeanOutcome(), RescorlaWagner(), Softmax())
    >>> data = example("reversal").only(["1", "2", "3", "4", "5"])
    >>> found = calibrate(agent, data, ["rate", "precision"], groups=2, method="eb")
    >>> found.people.columns.tolist()
    ['rate', 'precision']
    """
    from armwise.fitting.fit import fit

    require("pandas", "scipy")
    if method == "ml":
        raise InputError("method must be 'bayes' or 'eb': maximum likelihood knows no prior.")
    device = following_device(device)
    data, parameters = choices_for(agent, data), free_parameters(agent, free)
    say = say or (lambda _: None)
    task = task_of(data, bandit, seed)
    ranks, inside = [], []
    for number in range(whole_number("groups", groups, 2)):
        say(f"group {number + 1} of {groups}")
        rng = np.random.default_rng([seed, number])
        mean, root = group_from_prior(parameters, rng)
        x = mean + rng.standard_normal((len(data), len(mean))) @ root.T
        values = parameters.natural(x)
        made = _made(agent, parameters, values, data, task.thetas, int(rng.integers(1 << 62)))
        found = fit(agent, made, parameters, method=method, threads=threads, device=device)
        ranks.append(ranks_of(found.answer, mean, root, rng))
        inside.append(inside_of(found.people(), parameters.names, values))
    return calibration(
        described(agent), parameters.names, np.array(ranks), np.array(inside), method
    )


def group_from_prior(free: Free, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A group's mean on the real line, and the Cholesky factor of people's covariance."""
    size = len(free)
    mean = free.center + free.width * rng.standard_normal(size)
    for place, each in enumerate(free):
        if each.prior is not None:
            drawn = each.prior.quantile(rng.uniform(size=1))
            mean[place] = each.transform.real(np.asarray(drawn))[0]
    sd = np.abs(rng.standard_normal(size)) * np.array([each.spread for each in free])
    column = np.array([j for i in range(size) for j in range(i)], float)
    power = LKJ + 0.5 * (size - column - 2.0)
    partial = 2.0 * rng.beta(power, power) - 1.0
    psi = np.concatenate([mean, sd, np.arctanh(partial)])
    return mean, sd[:, None] * Layout(size, 0).root(psi)


def _made(
    agent: Agent, free: Free, values: np.ndarray, data: Choices, thetas: np.ndarray, seed: int
) -> Choices:
    played = play(agent, free.names, values[None], data, thetas, seed)
    return as_choices(data, played, 0, "a group from the prior")


def ranks_of(
    answer: Any, mean: np.ndarray, root: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """How many posterior draws lie below the true means, standard deviations and correlations."""
    means, roots = answer.group(DRAWS, rng)
    return (_values_of(means, roots) < _values_of(mean[None], root[None])).sum(axis=0)


def _values_of(means: np.ndarray, roots: np.ndarray) -> np.ndarray:
    """Means, standard deviations and correlations [draw, value] of groups."""
    covariances = roots @ np.swapaxes(roots, 1, 2)
    sds = np.sqrt(np.einsum("ndd->nd", covariances))
    pairs = np.tril_indices(means.shape[1], -1)
    correlations = covariances / (sds[:, :, None] * sds[:, None, :])
    return np.hstack([means, sds, correlations[:, *pairs]])


def inside_of(people: Any, names: tuple[str, ...], values: np.ndarray) -> list[float]:
    """The share of people whose interval holds their value, of every parameter."""
    return [
        float(np.mean((people[f"{name}_low"] <= true) & (true <= people[f"{name}_high"])))
        for name, true in zip(names, values.T, strict=True)
    ]


def calibration(
    name: str, names: tuple[str, ...], ranks: np.ndarray, inside: np.ndarray, method: str
) -> Calibration:
    """What ranks [group, value] and shares of people [group, parameter] say."""
    import pandas
    from scipy import stats

    columns = [f"mean of {name}" for name in names] + [f"sd of {name}" for name in names]
    columns += [f"correlation of {a} and {b}" for i, a in enumerate(names) for b in names[:i]]
    if method != "bayes":
        ranks, columns = ranks[:, :0], []
    table = {}
    bins = int(np.clip(len(ranks) // 5, 2, 20))
    low, high = (1 - LEVEL) / 2 * (DRAWS + 1), (1 + LEVEL) / 2 * (DRAWS + 1)
    for value, column in zip(columns, ranks.T, strict=True):
        counts, _ = np.histogram(column, bins, (0, DRAWS + 1))
        share = float(np.mean((column >= low) & (column < high)))
        table[value] = {"p": float(stats.chisquare(counts).pvalue), "coverage": share}
    shown = pandas.DataFrame(table, index=["p", "coverage"]).T.rename_axis("value")
    return Calibration(
        name,
        pandas.DataFrame(ranks, columns=columns),
        shown,
        pandas.DataFrame(inside, columns=list(names)),
    )
