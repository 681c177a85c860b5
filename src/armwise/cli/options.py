"""Options that several commands share, each defined once."""

from pathlib import Path
from typing import Annotated

import typer

from armwise.cli.output import only_json
from armwise.engine import following_device
from armwise.errors import whole_number

THREADS_MAX = 4095


def _threads(value: int | None) -> int | None:
    return None if value is None else whole_number("threads", value, 1, THREADS_MAX + 1)


def _following(value: str) -> str:
    """Refuse a device that is not there before anything is computed or written."""
    return following_device(value)


def _as_json(context: typer.Context, value: bool) -> bool:
    """Keep stdout for the JSON until the command ends, whatever a user's component prints."""
    if value:
        context.with_resource(only_json())
    return value


Threads = Annotated[
    int | None,
    typer.Option(help="Threads to use; all processors unless given.", callback=_threads),
]
Device = Annotated[
    str,
    typer.Option(
        help="cpu (compiled), cuda (a graphics card), auto (a card if there is one), python (slow)."
    ),
]
FitDevice = Annotated[
    str,
    typer.Option(
        "--device",
        help="What computes likelihoods: cpu, cuda (a graphics card), auto (a card if there is "
        "one).",
        callback=_following,
    ),
]
Dask = Annotated[
    str | None, typer.Option(help="A Dask cluster: its address, a scheduler file, or local.")
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON object instead.", callback=_as_json)
]

# What an agent is made of.
Learner = Annotated[
    str, typer.Option(help="How agents learn; assumes the bandit's rho unless it is given another.")
]
Choice = Annotated[
    str, typer.Option(help="How scores become an arm: argmax or softmax:precision=5.")
]
Seed = Annotated[int, typer.Option(help="The same seed gives the same numbers.")]

# Where results are.
StoreFolder = Annotated[Path, typer.Argument(help="The folder that keeps the results.")]
Components = Annotated[
    list[str] | None,
    typer.Option(
        "--components",
        help="A file of your own that a sweep of the store uses, such as mine.py, and whose code "
        "you trust. Repeat.",
    ),
]
SweepName = Annotated[str | None, typer.Option(help="One of the store's sweeps only.")]
StoreOption = Annotated[
    Path | None,
    typer.Option("--store", help="The folder that keeps the results; OUT/store unless given."),
]
OutFolder = Annotated[Path, typer.Option("--out", help="The folder of the page and its data.")]
OnlyReport = Annotated[
    bool, typer.Option("--only-report", help="Compute nothing; report on what the store holds.")
]
