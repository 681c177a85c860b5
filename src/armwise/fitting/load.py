"""Recorded choices from files, folders, frames and lists: one call."""

from collections.abc import Mapping, Sequence
from typing import Any

from armwise.errors import InputError, brief, listed, require
from armwise.fitting.choices import Choices, assembled
from armwise.fitting.labels import text_of
from armwise.fitting.reading import Reading
from armwise.fitting.sources import table_of
from armwise.model.forms import BINARY, REAL

COLUMNS = ("subject", "session", "block", "trial", "choice", "outcome", "forced", "available")


def load_choices(
    source: Any,
    *,
    subject: str = "subject",
    session: str = "session",
    block: str = "block",
    trial: str = "trial",
    choice: str = "choice",
    outcome: str = "outcome",
    forced: str = "forced",
    available: str = "available",
    arms: Any = None,
    ignore: Sequence[Any] = (),
    where: Mapping[str, Any] | None = None,
    carry: bool = False,
    missed: str = "skip",
    real: bool = False,
) -> Choices:
    """Recorded choices from a CSV or TSV file, a BIDS folder, a DataFrame, or a list of pairs.

    One row is one trial. The arguments from `subject` to `available` name the columns; only
    `subject`, `choice` and `outcome` must be there. `arms` gives the labels of all arms in order,
    or their number. An empty choice is a missed trial; choices in `ignore` are passed over like
    missed ones. `where` keeps the rows with some values, such as `{"experiment": "main"}`. Beliefs
    begin anew with every block and session; with `carry`, they go on from block to block. Outcomes
    are 0 or 1; with `real`, any finite numbers, for agents with normal beliefs.

    >>> from armwise import *
    >>> import pandas
    >>> played = {"id": ["a", "a", "b"], "choice": ["left", "right", "left"], "won": [1, 0, 1]}
    >>> data = load_choices(pandas.DataFrame(played), subject="id", outcome="won")
    >>> data
    Choices of 2 people: 3 choices among 2 arms (left, right), from the DataFrame.
    """
    if isinstance(source, Choices):
        return source
    require("pandas")
    if missed != "skip":
        raise InputError(
            f"missed must be 'skip', not {brief(missed)}: an agent passes over a missed trial."
        )
    given = (subject, session, block, trial, choice, outcome, forced, available)
    names = dict(zip(COLUMNS, given, strict=True))
    reading = Reading(table_of(source), names, where or {})
    reading.order()
    labels = reading.choose(arms, [text_of(each) for each in listed("ignore", ignore, "['none']")])
    reading.outcomes(real)
    reading.offers(labels, real)
    frame = reading.finished()
    return assembled(frame, labels, reading.notes, reading.table.name, carry)


def choices_for(agent: Any, data: Any) -> Choices:
    """The recorded choices that an agent is to follow: read with the outcomes that it learns from.

    >>> from armwise import *
    >>> agent = Agent(NormalMean(), KalmanFilter(), Softmax())
    >>> choices_for(agent, [([0, 1], [57, 43.5])]).real
    True
    """
    return load_choices(data, real=getattr(agent, "outcomes", BINARY) == REAL)
