"""What a claim is, and how its findings become a verdict with a summary."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from armwise.errors import InputError
from armwise.paper.claims import decide
from armwise.paper.claims.evidence import Evidence, Missing

_SYMBOLS = {"arms": "K", "trial": "t"}


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The answer to a claim, with the numbers behind it. All of it is plain data."""

    number: int
    title: str
    statement: str
    figure: str
    verdict: str
    summary: str
    numbers: dict[str, Any]
    exceptions: list[str]


@dataclasses.dataclass(frozen=True)
class Part:
    """Findings about one quantity (`measure`), and what the run lacks to decide on them."""

    measure: str
    findings: Sequence[decide.Finding]
    lack: str = ""
    comment: str = ""
    form: str = ".3g"
    notes: dict[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Claim:
    """A statement of the paper and how to check it."""

    number: int
    title: str
    statement: str
    figure: str
    judge: Callable[[Evidence], Part | list[Part]]

    def check(self, evidence: Evidence) -> Verdict:
        """The verdict; what was not run leaves the claim undecided."""
        try:
            found = self.judge(evidence)
        except (Missing, InputError) as lack:
            return self._answer(decide.UNDECIDED, f"Undecided: {lack}", {}, [])
        parts = [_weigh(part) for part in ([found] if isinstance(found, Part) else found)]
        verdict = decide.worst([part[0] for part in parts])
        summary = " ".join(part[1] for part in parts)
        if lacks := list(dict.fromkeys(part[2]["lack"] for part in parts if part[2]["lack"])):
            summary = f"Undecided: {'; '.join(lacks)}. So far: {summary}"
        numbers = {"parts": [part[2] for part in parts]}
        exceptions = [name for part in parts for name in part[3]]
        return self._answer(
            verdict, summary, numbers, exceptions if verdict != decide.UNDECIDED else []
        )

    def _answer(self, verdict: str, summary: str, numbers: dict, exceptions: list[str]) -> Verdict:
        about = (self.number, self.title, self.statement, self.figure)
        return Verdict(*about, verdict, summary, numbers, exceptions)


def claim(
    number: int, title: str, statement: str, figure: str
) -> Callable[[Callable[[Evidence], Part | list[Part]]], Claim]:
    """Turn a function from evidence to findings into a claim."""
    return lambda judge: Claim(number, title, statement, figure, judge)


def name_of(cell: dict[str, Any]) -> str:
    """A cell in words.

    >>> name_of({"policy": "A-AI", "arms": 10, "rho": 0.01})
    'A-AI, K = 10, rho = 0.01'
    """
    words = [
        str(value) if isinstance(value, str) else f"{_SYMBOLS.get(key, key)} = {value:g}"
        for key, value in cell.items()
    ]
    return ", ".join(words)


def _weigh(part: Part) -> tuple[str, str, dict[str, Any], list[str]]:
    settled = decide.settle(part.findings)
    verdict = decide.UNDECIDED if part.lack else decide.conclude(settled)
    numbers = {"measure": part.measure, "verdict": verdict, "lack": part.lack, **part.notes}
    numbers["findings"] = [dataclasses.asdict(finding) for finding in settled]
    summary = " ".join(filter(None, (_sentence(part, settled), part.comment)))
    return verdict, summary, numbers, _exceptions(verdict, settled)


def _sentence(part: Part, settled: list[decide.Finding]) -> str:
    if not settled:
        return "there is no cell to judge."
    if len(settled) == 1:
        [only] = settled
        low, high = format(only.low, part.form), format(only.high, part.form)
        interval = f" (95 % interval {low} to {high})" if only.low < only.high else ""
        return f"{part.measure}: {format(only.estimate, part.form)}{interval}, {only.status}."
    counts = [
        sum(f.status == status for f in settled) for status in ("supports", "contradicts", "open")
    ]
    tally = f"of {len(settled)} cells {counts[0]} support, {counts[1]} contradict, {counts[2]} open"
    least = min(settled, key=lambda finding: finding.estimate)
    most = max(settled, key=lambda finding: finding.estimate)
    if least.estimate == most.estimate:
        return f"{part.measure}: {tally}; all {format(least.estimate, part.form)}."
    ends = [f"{format(f.estimate, part.form)} ({name_of(f.cell)})" for f in (least, most)]
    return f"{part.measure}: {tally}; from {ends[0]} to {ends[1]}."


def _exceptions(verdict: str, settled: list[decide.Finding]) -> list[str]:
    if verdict == decide.EXCEPTIONS:
        return [f"{name_of(f.cell)} ({f.status})" for f in settled if f.status != "supports"]
    if verdict == decide.FAILS:
        return [f"{name_of(f.cell)} (contradicts)" for f in settled if f.status == "contradicts"]
    return []
