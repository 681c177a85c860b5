"""Claims: an entry of claims.toml and the function that judges it.

    @claim(27)
    def wins(data: Data, trial: int) -> Said:
        for cell in FIGURE_4:
            yield above(cell, student(...))

The function gets the data of each of the claim's sweeps and the trial (or trials) to judge at, or
all of the evidence if the entry names no sweep. It yields findings, notes and comments. If there
are several measures, it returns a list of findings or a `ClaimPart` for each.
"""

import functools
import itertools
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from armwise.errors import InputError
from armwise.paper.claims import decide
from armwise.paper.claims.decide import Finding
from armwise.paper.claims.evidence import Data, Evidence, Missing
from armwise.paper.claims.verdict import ClaimPart, Note, Verdict, Weighed, weigh

Said = Iterable[Finding | Note | str]
_LISTS = ("sweep", "trial", "measure")


class Claim(NamedTuple):
    """A statement of the paper and how to check it; the fields are those of claims.toml."""

    judge: Callable[..., Any]
    number: int
    title: str
    statement: str
    figure: str
    measure: tuple[str, ...]
    sweep: tuple[str, ...] = ()
    trial: tuple[int, ...] = ()
    at_least: int = 0
    needs: int = 0
    grid: float = 0.0

    @property
    def figures(self) -> tuple[str, ...]:
        """The figures that show what the claim is about; none if it is only in the text."""
        if self.figure == "text":
            return ()
        return tuple(self.figure.replace(" ", "").split(","))

    def check(self, evidence: Evidence) -> Verdict:
        """The verdict; it is undecided if results are missing."""
        try:
            parts = self._parts(evidence)
        except (Missing, InputError) as lack:
            return self._answer(decide.UNDECIDED, f"Undecided: {lack}", {}, [])
        verdict = decide.worst([part.verdict for part in parts])
        summary = " ".join(part.summary for part in parts)
        if lacks := list(dict.fromkeys(part.lack for part in parts if part.lack)):
            summary = f"Undecided: {'; '.join(lacks)}. So far: {summary}"
        exceptions = [name for part in parts for name in part.exceptions]
        return self._answer(
            verdict,
            summary,
            {"parts": [part.numbers for part in parts]},
            exceptions if verdict != decide.UNDECIDED else [],
        )

    def _parts(self, evidence: Evidence) -> list[Weighed]:
        data = [evidence.data(name) for name in self.sweep]
        places = self._places(data) if data else [(0, "")]
        found = self.judge(*data, *(trial for trial, _ in places)) if data else self.judge(evidence)
        parts = [found] if len(self.measure) == 1 else found
        # Several measures share one trial unless each has its own.
        triples = zip(parts, self.measure, itertools.cycle(places), strict=False)
        return [_weigh(*triple) for triple in triples]

    def _places(self, data: list[Data]) -> list[tuple[int, str]]:
        """The trials to judge at, each with a text on what the data lack there ('' for nothing)."""
        for one in data:
            one.need(self.needs)
        horizon = min(one.horizon for one in data)
        if self.trial:
            return [(min(trial, horizon), self._lack(data, trial)) for trial in self.trial]
        return [(self.needs or horizon, self._lack(data, self.at_least))]

    def _lack(self, data: list[Data], trial: int) -> str:
        lacks = [one.short_of(trial) for one in data]
        lacks += [one.coarser_than(self.grid) for one in data if self.grid]
        return next(filter(None, lacks), "")

    def _answer(self, verdict: str, summary: str, numbers: dict, exceptions: list[str]) -> Verdict:
        about = (self.number, self.title, self.statement, self.figure)
        return Verdict(*about, verdict, summary, numbers, exceptions)


def claim(number: int) -> Callable[[Callable[..., Any]], Claim]:
    """Decorator that makes a function the judge of the claim with this number."""
    return lambda judge: Claim(judge, **stated()[number])


@functools.cache
def stated() -> dict[int, dict[str, Any]]:
    """The entries of claims.toml by number.

    >>> stated()[13]["statement"]
    'For large x, psi(x) is close to ln x - 1 / (2x).'
    """
    entries = tomllib.loads((Path(__file__).parent / "claims.toml").read_text(encoding="utf-8"))[
        "claim"
    ]
    for entry in entries:
        for name in _LISTS:
            if name in entry:
                value = entry[name]
                entry[name] = tuple(value) if isinstance(value, list) else (value,)
    return {entry["number"]: entry for entry in entries}


def _weigh(said: Said | ClaimPart, measure: str, place: tuple[int, str]) -> Weighed:
    part = said if isinstance(said, ClaimPart) else ClaimPart(said)
    trial, lack = place
    measure = measure.format(trial=trial, early=trial // 10, **part.fills)
    return weigh(part, measure, lack if part.lack is None else part.lack)
