"""The page of a reproduction: self-contained HTML for screens, phones and print."""

import base64
import dataclasses
import datetime
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from armwise.paper.claims.verdict import cell_name, deciding
from armwise.paper.differences import FAR
from armwise.paper.figures import FIGURES, file_of, name_of
from armwise.paper.paper_size import paper_verdicts
from armwise.paper.scope import Scope
from armwise.paper.texts import CAPTIONS, ERRATA
from armwise.play.machine import machine, versions

if TYPE_CHECKING:
    import pandas

VERDICTS = ("holds", "holds with exceptions", "fails", "undecided")


@dataclasses.dataclass
class Page:
    """The contents of the page; `images` are the drawn figures, `notes` their sizes."""

    profile: str
    scope: Scope
    verdicts: list[dict[str, Any]]
    comparison: "pandas.DataFrame"
    timing: "pandas.DataFrame | None"
    missing: dict[str, tuple[int, int]]
    images: dict[str, Path]
    notes: dict[str, str]
    seconds: float

    def counts(self) -> dict[str, int]:
        """The number of claims by verdict."""
        return _counts(verdict["verdict"] for verdict in self.verdicts)

    def paper_counts(self) -> dict[str, int]:
        """The number of these claims by their verdict at the sizes of the paper."""
        kept = paper_verdicts()
        return _counts(kept[verdict["number"]]["verdict"] for verdict in self.verdicts)

    def agreement(self) -> dict[str, dict[str, Any]]:
        """The number of compared published values and their differences, by figure."""
        if self.comparison.empty:
            return {}
        return {figure: _agreement(part) for figure, part in self.comparison.groupby("figure")}

    def far(self) -> list[dict[str, Any]]:
        """The values that are more than four standard errors away."""
        return self.comparison[self.comparison.z.abs() > FAR].to_dict("records")


class Badge(NamedTuple):
    """A verdict in the line of a claim, with the number that decided it."""

    verdict: str
    text: str
    number: str


class Section(NamedTuple):
    """A section of the page: one figure, several or none, and the claims about them."""

    id: str
    name: str
    title: str
    figure: str | None
    claims: list[dict[str, Any]]


def badges(found: dict[str, Any], profile: str) -> list[Badge]:
    """The verdict of this run, preceded by that at paper size if this run is smaller."""
    here, number = found["verdict"], deciding(found)
    kept = paper_verdicts().get(found["number"])
    if profile == "paper" or kept is None:
        return [Badge(here, here, number)]
    if kept["verdict"] == here:
        return [Badge(here, f"{here} here and at paper size", number)]
    there = Badge(kept["verdict"], f"{kept['verdict']} at paper size", kept["deciding"])
    return [there, Badge(here, f"{here} here", number)]


def sections(page: Page) -> list[Section]:
    """The sections of the page: every figure with its claims; then claims about several figures.

    Claims that are only in the text come last.
    """
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for claim, found in zip(page.scope.claims, page.verdicts, strict=True):
        shown = found | {"badges": badges(found, page.profile)}
        groups.setdefault(claim.figures, []).append(shown)
    made = []
    for figure in FIGURES:
        alone = groups.get((figure,), [])
        if alone or figure in page.scope.figures:
            name = file_of(figure).removesuffix(".png")
            made.append(Section(name, name_of(figure), FIGURES[figure].title, figure, alone))
        for several, joint in groups.items():
            if len(several) > 1 and several[-1] == figure:
                name = f"Figures {', '.join(several[:-1])} and {several[-1]}"
                section = f"figures-{'-'.join(several)}"
                made.append(Section(section, name, "all of them together", None, joint))
    if () in groups:
        made.append(Section("text", "Text", "what no figure shows", None, groups[()]))
    return made


def write_page(page: Page, folder: Path) -> Path:
    """Write the self-contained page to a folder (its name is `page_name`); return its path."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "slug": lambda text: text.replace(" ", "-"),
        "rounded": _rounded,
        "embedded": _embedded,
        "cell": cell_name,
        "powers": powers,
    }
    text = environment.get_template("report.html").render(
        page=page,
        sections=sections(page),
        captions=CAPTIONS,
        errata=ERRATA,
        far_limit=FAR,
        made=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        machine=machine(),
        versions=versions(),
    )
    path = folder / page_name(page.scope)
    path.write_text(text, encoding="utf-8")
    return path


def powers(text: str) -> str:
    """The text with powers of ten as they are printed.

    >>> powers("After 5 10^3 trials, and at 10^6")
    'After 5·10³ trials, and at 10⁶'
    """
    factored = re.sub(r"(\d) (10\^\d)", r"\1·\2", text)
    return re.sub(r"10\^(\d)", lambda found: f"10{'⁰¹²³⁴⁵⁶⁷⁸⁹'[int(found[1])]}", factored)


def page_name(scope: Scope) -> str:
    """The file name of a page: index.html for the whole paper, else from the names of its parts.

    >>> from armwise.paper.scope import scope_of
    >>> page_name(scope_of()), page_name(scope_of(["figure-4", "claim-22"]))
    ('index.html', 'figure-4-claim-22.html')
    """
    return f"{'-'.join(scope.names) or 'index'}.html"


def _counts(verdicts: Iterable[str]) -> dict[str, int]:
    found = Counter(verdicts)
    return {name: found.get(name, 0) for name in VERDICTS}


def _agreement(part: "pandas.DataFrame") -> dict[str, Any]:
    far = part.z.abs()
    return {
        "values": len(part),
        "within2": float((far <= 2).mean()),
        "beyond4": int((far > FAR).sum()),
        "worst": float(far.max()),
        "median": float(part.difference.abs().median()),
    }


def _embedded(path: Path) -> str:
    return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode()


def _rounded(value: Any) -> str:
    if value is None or value != value:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
