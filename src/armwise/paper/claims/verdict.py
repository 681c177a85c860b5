"""From the findings of a claim to its verdict, with a summary in words and all numbers as data."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from armwise.paper.claims import decide
from armwise.paper.claims.decide import Finding

_SYMBOLS = {"arms": "K", "trial": "t"}


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The verdict on a claim with the numbers behind it, as plain data."""

    number: int
    title: str
    statement: str
    figure: str
    verdict: str
    summary: str
    numbers: dict[str, Any]
    exceptions: list[str]


class Note(NamedTuple):
    """Numbers that are kept with the findings, in a list of this name, but decide nothing."""

    name: str
    numbers: dict[str, Any]


@dataclasses.dataclass(frozen=True)
class ClaimPart:
    """Findings about one quantity, with notes and comments among them.

    `lack` says what is missing for a decision: "" means nothing, None what the claim's entry
    requires. `fills` are texts for placeholders in the measure.
    """

    said: Iterable[Finding | Note | str]
    lack: str | None = None
    fills: Mapping[str, Any] = dataclasses.field(default_factory=dict)


class Weighed(NamedTuple):
    """The verdict on a part of a claim."""

    verdict: str
    summary: str
    numbers: dict[str, Any]
    exceptions: list[str]
    lack: str


def weigh(part: ClaimPart, measure: str, lack: str) -> Weighed:
    """The verdict on one part; with a lack it is undecided, but the summary has the findings."""
    said = list(part.said)
    findings = decide.adjust([item for item in said if isinstance(item, Finding)])
    verdict = decide.UNDECIDED if lack else decide.conclude(findings)
    numbers: dict[str, Any] = {"measure": measure, "verdict": verdict, "lack": lack}
    for note in said:
        if isinstance(note, Note):
            numbers.setdefault(note.name, []).append(note.numbers)
    numbers["findings"] = [dataclasses.asdict(finding) for finding in findings]
    comments = [item for item in said if isinstance(item, str)]
    summary = " ".join([_sentence(measure, findings), *comments])
    return Weighed(verdict, summary, numbers, _exceptions(verdict, findings), lack)


def cell_name(cell: dict[str, Any]) -> str:
    """A cell in words.

    >>> cell_name({"policy": "A-AI", "arms": 10, "rho": 0.01})
    'A-AI, K = 10, rho = 0.01'
    """
    words = [
        str(value) if isinstance(value, str) else f"{_SYMBOLS.get(key, key)} = {value:g}"
        for key, value in cell.items()
    ]
    return ", ".join(words)


def _sentence(measure: str, findings: list[Finding]) -> str:
    if not findings:
        return "there is no cell to judge."
    if len(findings) == 1:
        [only] = findings
        interval = f" (95 % interval {only.low:.3g} to {only.high:.3g})"
        return (
            f"{measure}: {only.estimate:.3g}{interval if only.low < only.high else ''}, "
            f"{only.status}."
        )
    statuses = [finding.status for finding in findings]
    supports, contradicts, undecided = map(statuses.count, ("supports", "contradicts", "open"))
    tally = (
        f"of {len(findings)} cells {supports} support, {contradicts} contradict, {undecided} open"
    )
    least = min(findings, key=lambda finding: finding.estimate)
    most = max(findings, key=lambda finding: finding.estimate)
    if least.estimate == most.estimate:
        return f"{measure}: {tally}; all {least.estimate:.3g}."
    ends = [f"{end.estimate:.3g} ({cell_name(end.cell)})" for end in (least, most)]
    return f"{measure}: {tally}; from {ends[0]} to {ends[1]}."


def _exceptions(verdict: str, findings: list[Finding]) -> list[str]:
    if verdict == decide.EXCEPTIONS:
        return [f"{cell_name(f.cell)} ({f.status})" for f in findings if f.status != "supports"]
    if verdict == decide.FAILS:
        return [f"{cell_name(f.cell)} (contradicts)" for f in findings if f.status == "contradicts"]
    return []


def deciding(found: Mapping[str, Any]) -> str:
    """The numbers of the worst part, which decided a verdict, or what is lacking.

    >>> deciding({"summary": "Undecided: the sweep figure-2 was not run.", "numbers": {}})
    'the sweep figure-2 was not run'
    """
    parts = found["numbers"].get("parts")
    if not parts:
        return found["summary"].removeprefix("Undecided: ").removesuffix(".")
    worst = decide.worst([part["verdict"] for part in parts])
    part = next(part for part in parts if part["verdict"] == worst)
    return part["lack"] or _tally(part["measure"], part["findings"])


def _tally(measure: str, findings: list[dict[str, Any]]) -> str:
    """The number of cases that agree with the claim; if there is only one, the estimate.

    >>> _tally("Lead", [{"status": "supports"}, {"status": "open"}])
    '1 of 2 cases agree, 1 open'
    """
    if len(findings) == 1:
        [only] = findings
        interval = f" ({only['low']:.3g} to {only['high']:.3g})"
        return f"{measure}: {only['estimate']:.3g}{interval if only['low'] < only['high'] else ''}"
    statuses = [finding["status"] for finding in findings]
    text = f"{statuses.count('supports')} of {len(findings)} cases agree"
    if against := statuses.count("contradicts"):
        text += f", {against} {'disagrees' if against == 1 else 'disagree'}"
    return f"{text}, {statuses.count('open')} open" if "open" in statuses else text
