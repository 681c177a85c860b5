"""`armwise player`: look into the file of a shared player, explain it, and check it."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armwise.cli.guard import FAILED
from armwise.cli.options import AsJson
from armwise.cli.output import console, plain, print_json
from armwise.errors import InputError

if TYPE_CHECKING:
    from armwise.model.roles import AbstractAgent

player = typer.Typer(no_args_is_help=True, help="Look into the file of a shared player.")
File = Annotated[Path, typer.Argument(help="The file of a shared player, such as headlines.db.")]
Own = Annotated[
    list[str] | None,
    typer.Option(
        "--components",
        help="A file of your own that the player's agent uses, such as mine.py, and whose code you "
        "trust. Repeat.",
    ),
]


@player.command("show")
def show(
    file: File,
    last: Annotated[int, typer.Option(help="How many of the last events to print.")] = 10,
    components: Own = None,
    as_json: AsJson = False,
) -> None:
    """Show who plays in a file, what happened to every arm, and the last events.

    Nothing is changed, and whoever writes the file goes on. Beliefs are shown where the agent is
    made of armwise's own components, or of those named with --components.

    Example:

    `armwise player show headlines.db --last 5`
    """
    from armwise.play.overview import overview

    data = overview(file, last)
    beliefs, why = _beliefs(file, components)
    for row in data["arms"]:
        row["belief"] = beliefs.get(row["arm"])
    data["unknown"] = why
    print_json(data) if as_json else _show(data)


def _beliefs(file: Path, components: list[str] | None) -> tuple[dict[Any, Any], str | None]:
    """The beliefs about the arms of now; or why they are not known."""
    from armwise.model.agent import Agent
    from armwise.play.audit import latest

    try:
        agent = _agent(file, components)
        return latest(file, agent).beliefs() if isinstance(agent, Agent) else {}, None
    except InputError as problem:
        return {}, str(problem)


def _agent(file: Path, components: list[str] | None) -> "AbstractAgent":
    from armwise.play.eventfile import about
    from armwise.play.opening import agent_of

    for named in components or ():
        if not Path(named).is_file():
            raise InputError(f"There is no file {named}.")
    return agent_of(about(file, file), file, components=components or ())


def _show(data: dict[str, Any]) -> None:
    from rich import box
    from rich.table import Table

    screen = console()
    began = data["began"]
    screen.print(plain(f"{data['file']}: {data['agent']}, seed {began['seed']}"), soft_wrap=True)
    if began["choices"]:
        screen.print(f"It began with the state of a player after {began['choices']} choices.")
    screen.print(
        f"{data['choices']} choices: {data['outcomes']} outcomes, {data['expired']} expired, "
        f"{data['forgotten']} forgotten, {data['open']} open"
    )
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    counted = ("chosen", "outcomes", "ones", "expired", "open")
    for heading in ("arm", *counted, "mean", "belief", "last chosen"):
        side: Any = "left" if heading == "arm" else "right"
        table.add_column(heading, justify=side, no_wrap=heading == "last chosen")
    for row in data["arms"]:
        mean = "" if row["mean"] is None else f"{row['mean']:.3g}"
        counts = [str(row[name]) for name in counted]
        last = _when(row["last_chosen"], "%m-%d %H:%M")
        table.add_row(plain(str(row["arm"])), *counts, mean, _belief(row), last)
    screen.print(table)
    for event in data["last"]:
        screen.print(plain(_line(event)), soft_wrap=True)
    if data["unknown"]:
        screen.print(plain(f"No beliefs: {data['unknown']}"), soft_wrap=True)


def _belief(row: dict[str, Any]) -> str:
    if not row["there"]:
        return "withdrawn"
    if row["belief"] is None:
        return ""
    alpha, beta = row["belief"]
    return f"Be({alpha:.6g}, {beta:.6g})"


def _when(seconds: float | None, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    return "never" if seconds is None else time.strftime(form, time.localtime(seconds))


def _line(event: dict[str, Any]) -> str:
    """An event in words.

    >>> _line({"number": 3, "time": None, "kind": "observe", "ticket": 1, "outcome": 1})
    '3  never  observe  ticket=1  outcome=1'
    """
    names = ("ticket", "arm", "outcome", "note")
    given = [f"{name}={event[name]!r}" for name in names if event.get(name) is not None]
    return "  ".join([str(event["number"]), _when(event["time"]), event["kind"], *given])


@player.command("explain")
def explain(file: File, components: Own = None, as_json: AsJson = False) -> None:
    """Say what the player believes about every arm, and why it would choose it next.

    Nothing is changed, and whoever writes the file goes on. For every arm: the mean with its 95 %
    interval, the probability of being the best, the score with its terms and the probability of
    being chosen in the next trial, and the share of the last 100 choices.

    Example:

    `armwise player explain headlines.db`
    """
    from armwise.play.audit import latest
    from armwise.play.state import place_of

    place = place_of(file)
    found = latest(place, _agent(place, components)).summary()
    if as_json:
        arms = [{"arm": arm, **row} for arm, row in found.arms.items()]
        print_json({"file": str(file), **found.facts, "arms": arms})
        return
    for line in repr(found).splitlines():
        console().print(plain(line), soft_wrap=True)


@player.command("verify")
def verify(file: File, components: Own = None, as_json: AsJson = False) -> None:
    """Replay a file from its beginning: every checksum, every choice, every snapshot.

    Nothing is changed. Ends with exit code 1 if the file is damaged or was edited, or if the agent,
    asked again, chooses otherwise: another version of armwise may have written it.

    Example:

    `armwise player verify headlines.db`
    """
    from armwise.play.audit import audit
    from armwise.play.state import place_of

    place = place_of(file)
    found = audit(place, _agent(place, components))
    data = {"file": str(file), "events": found.events, "choices": found.choices}
    data |= {"snapshots": found.snapshots, "problems": found.problems}
    if as_json:
        print_json(data)
    else:
        screen = console()
        screen.print(
            f"{found.events} events replayed: {found.choices} choices, decided again, are the "
            f"same. Snapshots compared: {found.snapshots}."
        )
        for problem in found.problems:
            screen.print(plain(problem), soft_wrap=True)
    if found.problems:
        raise typer.Exit(FAILED)
