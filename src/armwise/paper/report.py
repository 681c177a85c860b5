"""The page of a reproduction: self-contained HTML, for a screen, a phone or paper."""

import base64
import dataclasses
import datetime
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armwise.paper.differences import FAR
from armwise.paper.figures import FIGURES, file_of, name_of
from armwise.play.machine import machine, versions

if TYPE_CHECKING:
    import pandas

VERDICTS = ("holds", "holds with exceptions", "fails", "undecided")

CAPTIONS = {
    "1": "What an agent believes about the world: a change may occur (j), it moves the reward "
    "probabilities (theta), they and the chosen arm (a) make the outcome (o). Shaded nodes are "
    "observed; the choice follows from beliefs (dashed).",
    "2": "How strong should preferences be? Regret rate against lambda for exact (G-AI) and "
    "approximate (A-AI) active inference. Too weak is random, too strong is stuck.",
    "3": "Cumulative regret over a long horizon. Active inference is ahead at first and falls "
    "behind: some of its agents commit to a wrong arm for good. Dotted: Lai and Robbins' omega ln "
    "t, with the corrected constant.",
    "4": "When the best arm moves now and then: regret rate of the policies, by the number of arms "
    "and the probability of a switch.",
    "5": "The same with 40 arms, by difficulty.",
    "6": "When every reward probability is drawn anew now and then.",
    "S1": "Where the regret of figure 3 comes from: its distribution over agents at the horizon. "
    "The hump on the right, near the regret of a random choice (dashed), is agents that are stuck.",
    "S2": "The precision of preferences in the switching bandit.",
    "S3": "The precision of preferences in the bandit of varying difficulty.",
    "table1": "Time of one trial, choice and learning, of 1000 agents side by side.",
}

ERRATA = (
    ("Change probability", "the Bayes factor stands upside down", "a surprise must raise gamma"),
    ("SMiLe, second line", "beta relaxes from alpha", "beta relaxes from beta, toward beta0"),
    (
        "Lai–Robbins bound",
        "2 ε (K − 1) / ln(1 + 4 ε²)",
        "2 ε (K − 1) / (−ln(1 − 4 ε²)); the printed one is 17 % too high at ε = 0.2",
    ),
    ("Its divergence", "arguments swapped", "KL(arm, best arm) = −½ ln(1 − 4 ε²)"),
    ("Its left-hand side", "the regret rate", "the cumulative regret"),
    ("Regret", "T θ of the best arm", "the sum over trials of the best arm's θ minus the chosen"),
    (
        "“Parameters grow monotonically”",
        "",
        "only without changes: SMiLe relaxes arms that are not chosen",
    ),
    ("Table 1, “per decision”", "", "per trial of 1000 agents"),
    ("λ = 0.06 for ε = 0.05", "", "from a finer grid than the published one, whose step is 0.05"),
    (
        "Figures 4, 5, 6, S2, S3",
        "regret charged against the state after the trial's transition",
        "against the state that paid; published values are converted before they are compared",
    ),
    (
        "Figures 6, S3",
        "a switch could not follow a switch",
        "independent switches; their rate was rho / (1 + rho)",
    ),
    (
        "All figures",
        "a soft-max of precision 10⁵ in 32-bit floats",
        "an argmax; it differs where many scores nearly tie",
    ),
)


@dataclasses.dataclass
class Page:
    """What the page shows."""

    profile: str
    verdicts: list[dict[str, Any]]
    comparison: "pandas.DataFrame"
    timing: "pandas.DataFrame"
    missing: dict[str, tuple[int, int]]  # sweep -> (cells held, cells wanted)
    drawn: list[str]
    sizes: dict[str, str]
    seconds: float

    def counts(self) -> dict[str, int]:
        """How many claims got which verdict."""
        found = Counter(verdict["verdict"] for verdict in self.verdicts)
        return {name: found.get(name, 0) for name in VERDICTS}

    def agreement(self) -> list[dict[str, Any]]:
        """By figure: how many published values were compared, and how far they are."""
        rows: list[dict[str, Any]] = []
        if self.comparison.empty:
            return rows
        for figure, part in self.comparison.groupby("figure"):
            far = part.z.abs()
            rows.append(
                {
                    "figure": figure,
                    "values": len(part),
                    "within2": float((far <= 2).mean()),
                    "beyond4": int((far > FAR).sum()),
                    "worst": float(far.max()),
                    "median": float(part.difference.abs().median()),
                }
            )
        return rows

    def far(self) -> list[dict[str, Any]]:
        """The values that are more than four standard errors away."""
        return self.comparison[self.comparison.z.abs() > FAR].to_dict("records")


def write_page(page: Page, folder: Path) -> None:
    """Write index.html with everything inside."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"slug": lambda text: text.replace(" ", "-"), "short": _short}
    figures = [
        {
            "id": name,
            "name": name_of(name),
            "title": FIGURES[name].title,
            "caption": CAPTIONS[name],
            "note": page.sizes.get(name, ""),
            "image": _embedded(folder / "figures" / file_of(name)),
        }
        for name in page.drawn
    ]
    text = environment.get_template("report.html").render(
        page=page,
        figures=figures,
        errata=ERRATA,
        verdicts=VERDICTS,
        far_limit=FAR,
        made=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        machine=machine(),
        versions=versions(),
    )
    (folder / "index.html").write_text(text)


def _embedded(path: Path) -> str:
    return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode()


def _short(value: Any) -> str:
    if value is None or value != value:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
