"""The commands of `armwise`, one file each."""

from typing import Annotated

import typer

from armwise.cli.compare import compare
from armwise.cli.explain import explain
from armwise.cli.export import export
from armwise.cli.fit import fit
from armwise.cli.guard import Guarded
from armwise.cli.leaderboard import leaderboard
from armwise.cli.listing import list_components
from armwise.cli.player import player
from armwise.cli.plot import plot
from armwise.cli.recover import recover
from armwise.cli.reproduce import reproduce
from armwise.cli.run import run
from armwise.cli.simulate import simulate
from armwise.cli.status import status
from armwise.cli.verify import verify
from armwise.version import VERSION

app = typer.Typer(
    cls=Guarded,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("list")(list_components)
app.command("simulate")(simulate)
app.command("explain")(explain)
app.command("fit")(fit)
app.command("compare")(compare)
app.command("recover")(recover)
app.command("run")(run)
app.command("status")(status)
app.command("export")(export)
app.command("plot")(plot)
app.command("verify")(verify)
app.command("reproduce")(reproduce)
app.command("leaderboard")(leaderboard)
app.add_typer(player, name="player")


@app.callback(
    invoke_without_command=True,
    epilog="Start with `armwise list`, then `armwise simulate --help`.",
)
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and end.")] = False,
) -> None:
    """Active inference in multi-armed bandits: simulate agents, and see why they choose an arm.

    Bandits, policies, learners, choices and actors are written as a name with parameters, such as
    `a-ai:lam=0.5` or `switching:arms=10,rho=0.01`. Parameters that are left out keep their
    defaults. A component of your own goes by its file: `mine.py`, `mine.py:strength=2`, or
    `mine.py:Class:strength=2` if the file defines several.
    """
    if version:
        typer.echo(f"armwise {VERSION}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())
