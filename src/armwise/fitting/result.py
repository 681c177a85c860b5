"""The result of a fit: people, agents with their values, a tree for ArviZ, and sentences."""

import functools
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.engine.announce import described
from armwise.engine.free import parameter_named
from armwise.errors import InputError, whole_number
from armwise.fitting.answer import Answer, named, people_words
from armwise.fitting.choices import Choices, one_armed
from armwise.fitting.identify import combinations, mean_correlation, trade_offs
from armwise.fitting.nest import Nest, nest_of
from armwise.fitting.parameters import Free
from armwise.fitting.problem import counted
from armwise.fitting.tree import tree_of
from armwise.model.agent import Agent, Chooser

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure

    from armwise.fitting.predict import Prediction

TRIALS = 10  # of a person, for every free parameter: with fewer, the person is named


class Fit:
    """An agent fitted to people; `fit` makes it.

    `tree` holds everything in the schema of ArviZ, `notes` what is to be known before a number is
    used, in sentences; `print(fit)` says it all.
    """

    def __init__(
        self,
        agent: Agent | Chooser,
        data: Choices,
        method: str,
        answer: Answer,
        notes: Iterable[str],
        nest: Nest | None = None,
    ) -> None:
        self.agent, self.data, self.method = agent, data, method
        self.answer, self.nest = answer, nest
        tied = trade_offs(agent, answer.free.names, mean_correlation(answer.covariances()))
        self.always = one_armed(data)
        who = *_same_arm(data, self.always), *_brief(data, TRIALS * len(answer.free))
        self.notes: tuple[str, ...] = (
            *data.notes,
            *notes,
            *who,
            *answer.notes(data.subjects),
            *tied,
        )

    @property
    def free(self) -> Free:
        """The free parameters with their transforms and priors."""
        return self.answer.free

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the free parameters."""
        return self.free.names

    def values(self) -> np.ndarray:
        """The point estimates [person, parameter]: means on the real line, put back."""
        return self.free.natural(self.answer.x)

    def agents(self) -> list[Agent | Chooser]:
        """An agent for every person, with this person's values."""
        return [agent_with(self.agent, self.names, row) for row in self.values()]

    def people(self) -> "pandas.DataFrame":
        """One row per person: every parameter with its interval of 94 %, and flags."""
        import pandas

        low, high = map(self.free.natural, self.answer.intervals())
        columns = self._columns(self.values(), low, high)
        for each in combinations(self.agent, self.names):
            found = self.answer.combined(each.weights)
            for end, value in zip(("", "_low", "_high"), found, strict=True):
                columns[f"{each.name}{end}"] = np.exp(value + each.offset)
        columns["flags"] = [
            "; ".join([*flags, *(["one arm in every trial"] if always else [])])
            for flags, always in zip(self.answer.flags(), self.always, strict=True)
        ]
        return pandas.DataFrame(columns, index=pandas.Index(self.data.subjects, name="subject"))

    def _columns(self, values: np.ndarray, low: np.ndarray, high: np.ndarray) -> dict[str, Any]:
        """Every parameter with the ends of its interval."""
        columns: dict[str, Any] = {}
        for d, name in enumerate(self.names):
            columns[name] = values[:, d]
            columns[f"{name}_low"] = np.minimum(low[:, d], high[:, d])
            columns[f"{name}_high"] = np.maximum(low[:, d], high[:, d])
        return columns

    @property
    def nested(self) -> str | None:
        """The column that tells sessions apart, if people have several with values of their own."""
        return None if self.nest is None else self.nest.column

    def sessions(self) -> "pandas.DataFrame":
        """One row per session of a fit with `nested`: every parameter with its interval of 94 %."""
        import pandas

        nest = self._nest()
        low, high = map(self.free.natural, self.answer.session_intervals())
        values = self.free.natural(self.answer.sessions_x)
        people = [self.data.subjects[owner] for owner in nest.owners]
        index = pandas.MultiIndex.from_arrays([people, nest.labels], names=["subject", nest.column])
        return pandas.DataFrame(self._columns(values, low, high), index=index)

    def _nest(self) -> Nest:
        if self.nest is None:
            raise InputError("This fit has no sessions: fit with nested='session'.")
        return self.nest

    def sampled_blocks(self, count: int, seed: int = 0) -> np.ndarray:
        """Draws of everybody's values in every block of the data, [draw, block, parameter]."""
        if self.nest is None:
            return self.sampled_people(count, seed)[:, self.data.sequences.people]
        rng = np.random.default_rng([whole_number("seed", seed, 0), 1])
        drawn = self.answer.sessions(whole_number("count", count, 1), rng)
        return self.free.natural(drawn)[:, self.nest.blocks]

    def blocks_of(self, values: np.ndarray, tasks: Choices, seed: int = 0) -> np.ndarray:
        """What people with `values[person, parameter]` have in every block of some tasks.

        With `nested`, their sessions are drawn around them.
        """
        if self.nest is None:
            return values[tasks.sequences.people]
        nest = nest_of(tasks, self.nest.column)
        away = self.answer.around(len(nest.owners), np.random.default_rng([seed, 4]))
        return self.free.natural(self.free.real(values)[nest.owners] + away)[nest.blocks]

    def sampled_people(self, count: int, seed: int = 0) -> np.ndarray:
        """Draws of everybody's values, [draw, person, parameter]."""
        rng = np.random.default_rng([whole_number("seed", seed, 0), 1])
        return self.free.natural(self.answer.people(whole_number("count", count, 1), rng))

    def new_people(self, count: int, seed: int = 0) -> np.ndarray:
        """Values of people who might come tomorrow, [person, parameter]: drawn from the group."""
        rng = np.random.default_rng([whole_number("seed", seed, 0), 2])
        mean, root = self.answer.group(whole_number("count", count, 1), rng)
        z = rng.standard_normal(mean.shape)
        return self.free.natural(mean + np.einsum("nde,ne->nd", root, z))

    def log_evidence(self) -> np.ndarray:
        """The log-probability of each person's choices given the group, [person]."""
        return self.answer.log_evidence()

    def elpd(self) -> np.ndarray:
        """The expected log-density of each person's choices had the person been left out."""
        return self.answer.elpd()

    def predict(self, draws: int = 100, seed: int = 0, bandit: Any = None) -> "Prediction":
        """A predictive check: twins of the people do the task again, and are measured as they were.

        How arms pay comes from the data (columns theta_0, theta_1, ...) or from `bandit`.
        """
        from armwise.fitting.predict import predict

        return predict(self, draws, seed, bandit)

    def retrace(self, terms: bool = False) -> "pandas.DataFrame":
        """What everybody believed and expected, trial by trial, by values of person or session."""
        from armwise.fitting.trace import retrace_people

        if self.nest is None:
            return retrace_people(self.agents(), self.data, terms)
        values = self.free.natural(self.answer.sessions_x)
        agents = [agent_with(self.agent, self.names, row) for row in values]
        found = retrace_people(agents, self.nest.units, terms)
        found = found.iloc[np.argsort(self.nest.rows)].reset_index(drop=True)
        return found.assign(subject=self.data.frame["subject"].to_numpy())

    def plot(self) -> "Figure":
        """Everybody's values with their intervals of 94 %, a panel per parameter."""
        from armwise.fitting.figures import of_fit

        return of_fit(self)

    @functools.cached_property
    def tree(self) -> "xarray.DataTree":
        """The groups of ArviZ's schema, as far as the method has them."""
        return tree_of(self.agent, self.data, self.method, self.answer)

    def _heading(self) -> str:
        counted = int(self.data.sequences.scored.sum())
        return (
            f"{described(self.agent)}, fitted to {counted:,} choices of "
            f"{people_words(len(self.data))} by {self.answer.words}."
        )

    def __str__(self) -> str:
        lines = self.answer.group_lines()
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        table = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        ]
        notes = [f"- {note}" for note in self.notes]
        return "\n".join([self._heading(), "", *table, *([""] if notes else []), *notes])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, *rows = self.answer.group_lines()
        cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
        )
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        table = f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"
        return f"<p>{escape(self._heading())}</p>{table}" + (f"<ul>{notes}</ul>" if notes else "")


def _same_arm(data: Choices, always: np.ndarray) -> list[str]:
    """Who chose one arm in every trial, in a sentence."""
    who = [subject for subject, same in zip(data.subjects, always, strict=True) if same]
    if not who:
        return []
    return [
        f"{people_words(len(who))} chose one arm in every trial, which says little about any "
        f"parameter: {named(who)}."
    ]


def _brief(data: Choices, least: int) -> list[str]:
    """Who made fewer choices than these, in a sentence."""
    few = counted(data.sequences) < least
    who = [subject for subject, short in zip(data.subjects, few, strict=True) if short]
    if not who:
        return []
    return [
        f"{people_words(len(who))} made fewer than {least} choices, {TRIALS} for every free "
        f"parameter, which is little to go by: {named(who)}."
    ]


def agent_with(
    agent: Agent | Chooser, names: Iterable[str], values: Iterable[float]
) -> Agent | Chooser:
    """The agent with other values of some of its parameters.

    >>> from armwise import *
    >>> print(agent_with(Agent(UCB(), Smile(), Softmax()), ["rho", "precision"], [0.25, 4]))
    ucb smile:rho=0.25,alpha0=1,beta0=1 softmax:precision=4
    """
    changed = {part.role: part.parameters() for part in agent.parts}
    for name, value in zip(names, values, strict=True):
        place = parameter_named(agent, name)
        changed[place.part.role][place.name] = float(value)
    parts = (type(part)(**changed[part.role]) for part in agent.parts)
    return type(agent)(*parts)  # type: ignore[arg-type]
