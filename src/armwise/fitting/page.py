"""The page of a study: one HTML file with everything inside, and the estimates as CSV."""

import base64
import datetime
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armwise.engine.free import parameter_named
from armwise.errors import InputError, require
from armwise.fitting.compare import Comparison
from armwise.fitting.fitted import Fitted
from armwise.fitting.task import task_of
from armwise.model.component import parameters_of
from armwise.play.machine import machine, versions
from armwise.plotting import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLES = {"prediction": "Do its twins behave as people do?", "recovery": "What can be recovered?"}


def prepare(folder: str | Path) -> Path:
    """Create and return the folder of a page; raise InputError early if nothing can be written."""
    require("matplotlib", "jinja2")
    try:
        (Path(folder) / "figures").mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"{folder} cannot be written: {problem.strerror}.") from None
    return Path(folder)


def write(
    folder: str | Path,
    fits: Mapping[str, Fitted],
    comparison: Comparison | None = None,
    checks: Mapping[str, Mapping[str, Any]] | None = None,
) -> Path:
    """Write figures, people-*.csv and index.html to a folder; return the path of the page.

    `checks` has for a model's name its "prediction", its "recovery", or both; by default every
    model's prediction, if the data say how arms pay.
    """
    folder = prepare(folder)
    checks = predictions_of(fits) if checks is None else checks
    try:
        models = [_model(folder, name, each, checks.get(name, {})) for name, each in fits.items()]
        shown = None if comparison is None else _comparison(folder, comparison)
        page = folder / "index.html"
        page.write_text(rendered(fits, models, shown), encoding="utf-8")
    except OSError as problem:
        raise InputError(f"{folder} cannot be written: {problem.strerror}.") from None
    return page


def predictions_of(fits: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Every model's prediction; none if nobody knows how arms paid."""
    try:
        task_of(next(iter(fits.values())).data)
    except InputError:
        return {}
    return {
        name: {"prediction": each.predict()} for name, each in fits.items() if each.method != "ml"
    }


def rendered(
    fits: Mapping[str, Fitted], models: list[dict[str, Any]], comparison: dict[str, Any] | None
) -> str:
    """The page as HTML text."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,  # but for what results say of themselves, which is escaped by them
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    data = next(iter(fits.values())).data
    count = f"{len(fits)} agents" if len(fits) > 1 else "An agent"
    return environment.get_template("page.html").render(
        title=f"{count} fitted to {data.source}",
        data=str(data),
        notes=data.notes,
        models=models,
        comparison=comparison,
        made=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        machine=machine(),
        versions=versions(),
    )


def slug(name: str) -> str:
    """A name for a file.

    >>> slug("RW + habit (2 rates)")
    'rw-habit-2-rates'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "model"


def _model(folder: Path, name: str, fit: Any, checks: Mapping[str, Any]) -> dict[str, Any]:
    file = f"people-{slug(name)}.csv"
    fit.people().to_csv(folder / file)
    if fit.nested is not None:
        fit.sessions().to_csv(folder / f"sessions-{slug(name)}.csv")
    parts = [
        {
            "title": TITLES[kind],
            "html": check._repr_html_(),
            "figure": _drawn(check.plot(), folder, f"{kind}-{slug(name)}"),
        }
        for kind, check in checks.items()
    ]
    words = [f"{each}: {meaning_of(fit.agent, each)}" for each in fit.names]
    return {
        "name": name,
        "html": fit._repr_html_(),
        "words": "; ".join(words),
        "figure": _drawn(fit.plot(), folder, f"people-{slug(name)}"),
        "parts": parts,
        "file": file,
        "sessions": fit.nested and f"sessions-{slug(name)}.csv",
    }


def meaning_of(agent: Any, name: str) -> str:
    """What a parameter means.

    >>> from armwise import *
    >>> meaning_of(Agent(MeanOutcome(), RescorlaWagner(), Softmax()), "rate")
    'learning rate'
    """
    place = parameter_named(agent, name)
    [field] = (each for each in parameters_of(type(place.part)) if each.name == place.name)
    return str(field.metadata["meaning"])


def _comparison(folder: Path, comparison: Comparison) -> dict[str, Any]:
    return {
        "winner": comparison.winner,
        "sentences": comparison.sentences(),
        "html": comparison._repr_html_(),
        "figure": _drawn(comparison.plot(), folder, "comparison"),
    }


def _drawn(figure: "Figure", folder: Path, name: str) -> str:
    """Write a figure to files and return it as a data URI for the page."""
    style.save(figure, folder / "figures" / f"{name}.svg")
    path = style.save(figure, folder / "figures" / f"{name}.png")
    return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode()
