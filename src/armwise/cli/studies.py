"""What the commands about people share: their options, and the study that these describe."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armwise.errors import InputError

if TYPE_CHECKING:
    from armwise.fitting.study import Study

Source = Annotated[
    str,
    typer.Argument(
        help="Recorded choices (a CSV or TSV file, a folder in BIDS, or an example such as "
        "reversal), or a TOML file with data and agents.",
        show_default=False,
    ),
]
Target = Annotated[
    Path,
    typer.Argument(
        help="A TOML file with data and agents, or the folder of `armwise fit --store`."
    ),
]
FitStore = Annotated[
    Path | None,
    typer.Option(
        "--store",
        help="A folder that keeps what is computed; the same command goes on where it was stopped.",
    ),
]
PageFolder = Annotated[
    Path | None, typer.Option("--out", help="A folder for a page with figures, and the estimates.")
]
BanditOfTask = Annotated[
    str | None,
    typer.Option(
        "--bandit",
        help="How arms pay to simulated people, if the data do not say: switching:arms=3,rho=0.1.",
    ),
]
Confusion = Annotated[
    int,
    typer.Option(
        help="Groups that are simulated from each agent, for the confusion matrix; 0 for none."
    ),
]


def study_of(source: str, **options: Any) -> "Study":
    """The study of a TOML file, or of data and options."""
    from armwise.fitting.study import Study, data_spec

    parts = {name: options.pop(name) for name in ("policy", "learner", "choice", "free", "name")}
    reading = {name: options.pop(name) for name in ("column", "arms", "ignore", "where")}
    if source.lower().endswith(".toml"):
        given = [name for name, value in (parts | reading).items() if value]
        if given:
            raise InputError(f"A TOML file says what --{given[0]} says; leave that out.")
        return Study.from_file(source)
    if not parts["policy"]:
        raise InputError("--policy must name an agent, such as --policy a-ai; see armwise list.")
    data = data_spec(source, **_reading(**reading))
    agent = {name: value for name, value in parts.items() if value}
    kept = {name: value for name, value in options.items() if value}
    plain = {"data": data.model_dump(exclude_unset=True), "agent": [agent], **kept}
    return Study.of(plain, "The command line")


def _reading(column: Any, arms: str | None, ignore: Any, where: Any) -> dict[str, Any]:
    """The arguments of `load_choices` that options give."""
    found: dict[str, Any] = {}
    if column:
        found["columns"] = dict(_pair("--column", text) for text in column)
    if arms:
        found["arms"] = int(arms) if arms.isdigit() else [name.strip() for name in arms.split(",")]
    if ignore:
        found["ignore"] = list(ignore)
    if where:
        found["where"] = {
            name: _typed(value) for name, value in (_pair("--where", t) for t in where)
        }
    return found


def _pair(option: str, text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"{option} must read name=value, not '{text}'.")
    return name.strip(), value.strip()


def _typed(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text
