"""The page of a leaderboard: one HTML file with everything inside, and its numbers as JSON."""

import base64
import dataclasses
import datetime
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from armwise.errors import InputError, require
from armwise.leaderboard.board import Standing
from armwise.leaderboard.figure import draw
from armwise.leaderboard.score import LEVEL
from armwise.play.machine import machine, versions
from armwise.plotting import style

Say = Callable[[str], None]


def write(
    standings: Sequence[Standing], profile: str, folder: str | Path, say: Say | None = None
) -> Path:
    """Write figures, leaderboard.json and index.html to `folder`; return the path of the page."""
    say = say or (lambda _: None)
    folder = prepare(folder)
    try:
        images = {}
        for standing in standings:
            if standing.rows:
                say(f"drawing {standing.family.name}")
                images[standing.family.name] = _drawn(standing, profile, folder / "figures")
        say("writing the page")
        text = json.dumps(as_data(standings, profile), indent=1, allow_nan=False)
        (folder / "leaderboard.json").write_text(text + "\n", encoding="utf-8")
        (folder / "index.html").write_text(rendered(standings, profile, images), encoding="utf-8")
    except OSError as problem:
        raise InputError(f"{folder} cannot be written: {problem.strerror}.") from None
    return folder / "index.html"


def prepare(folder: str | Path) -> Path:
    """Create and return the folder of a page; raise InputError early if nothing can be written."""
    require("matplotlib", "jinja2")
    try:
        (Path(folder) / "figures").mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"{folder} cannot be written: {problem.strerror}.") from None
    return Path(folder)


def as_data(standings: Sequence[Standing], profile: str) -> dict[str, Any]:
    """The leaderboard as plain data, with None in place of NaN and infinities."""
    tables = []
    for standing in standings:
        family, nothing = standing.family, standing.best_given_nothing
        tables.append(
            {
                "family": family.name,
                "title": family.title,
                "measure": family.measure,
                "horizon": family.horizon,
                "copies": family.agents,
                "seed": family.seed,
                "cells": {"held": standing.held, "wanted": standing.wanted},
                "best": standing.best.agent if standing.best else None,
                "as_good": [row.agent for row in standing.as_good],
                "best_given_nothing": nothing.agent if nothing else None,
                "waiting": standing.waiting,
                "rows": [_plain(dataclasses.asdict(row)) for row in standing.rows],
            }
        )
    made = {"profile": profile, "level": LEVEL, "machine": machine(), "versions": versions()}
    return {**made, "families": tables}


def rendered(standings: Sequence[Standing], profile: str, images: dict[str, str]) -> str:
    """The page as HTML text."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"digits": three_digits, "slug": lambda text: text.replace(" ", "-")}
    return environment.get_template("page.html").render(
        standings=standings,
        profile=profile,
        images=images,
        level=LEVEL,
        made=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        machine=machine(),
        versions=versions(),
    )


def three_digits(value: float | None) -> str:
    """A number with about three digits, for a table.

    >>> three_digits(0.12345), three_digits(1234.5), three_digits(None), three_digits(2.0)
    ('0.123', '1234', '', '2')
    """
    if value is None or math.isnan(value):
        return ""
    return f"{value:.0f}" if abs(value) >= 1_000.0 else f"{value:.3g}"


def note_of(standing: Standing, profile: str) -> str:
    """The note in a figure's corner: the profile and its sizes."""
    family = standing.family
    return f"{profile} profile: {family.agents} copies, {family.horizon} trials"


def _drawn(standing: Standing, profile: str, folder: Path) -> str:
    """Draw a family to files and return the figure as a data URI for the page."""
    figure = draw(standing, note=note_of(standing, profile))
    style.save(figure, folder / f"{standing.family.name}.svg")
    path = style.save(figure, folder / f"{standing.family.name}.png")
    return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value
