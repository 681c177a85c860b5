"""`armwise plot`: a measure against the trial or a parameter, for any sweep."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armwise.cli import files
from armwise.cli.export import end_if_damaged, held
from armwise.cli.options import Components, StoreFolder, SweepName
from armwise.cli.output import console
from armwise.errors import InputError, require, unknown

if TYPE_CHECKING:
    import pandas


def plot(
    store: StoreFolder,
    out: Annotated[Path, typer.Argument(help="A .png, .svg or .pdf file to write.")],
    measure: Annotated[str, typer.Option(help="rate, regret or stuck.")] = "rate",
    x: Annotated[str, typer.Option(help="trial, or a condition such as lam.")] = "trial",
    hue: Annotated[str | None, typer.Option(help="The condition that colours show.")] = "policy",
    row: Annotated[str | None, typer.Option(help="A row of panels per value of it.")] = None,
    col: Annotated[str | None, typer.Option(help="A column of panels per value of it.")] = None,
    trial: Annotated[
        int | None, typer.Option(help="The trial to show against a parameter; the last otherwise.")
    ] = None,
    where: Annotated[
        list[str] | None, typer.Option(help="Only cells with NAME=VALUE; may be repeated.")
    ] = None,
    sweep: SweepName = None,
    components: Components = None,
) -> None:
    """Draw what a store holds as small multiples with shared axes and 95 % bands.

    Conditions are the names of parameters: arms, epsilon, rho, lam, policy, learner_rho, horizon
    and so on; `armwise export` shows them all.

    Example:

    `armwise plot results rate.png --measure rate --hue policy --row arms --col rho`
    """
    from armwise.plotting import multiples, style

    files.writable("OUT", out, style.ENDINGS)
    require("matplotlib", "pandas")
    results = held(store, sweep, components)
    table = results.frame()
    for text in where or []:
        table = _chosen(table, text)
    figure = multiples.draw(table, measure, x, hue, row, col, trial)
    with files.replacing(out) as draft:
        style.save(figure, draft)
    console().print(f"Wrote {out}", markup=False, soft_wrap=True)
    end_if_damaged(results)


def _chosen(table: "pandas.DataFrame", text: str) -> "pandas.DataFrame":
    """The rows that meet NAME=VALUE."""
    import numpy as np

    from armwise.plotting.multiples import conditions_of

    name, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"--where must read name=value, not '{text}'.")
    if name not in conditions_of(table):
        raise unknown("condition", name, conditions_of(table))
    column = table[name]
    if column.dtype.kind in "iuf":
        try:
            meets = np.isclose(column.astype(float), float(value), rtol=1e-9, atol=1e-12)
        except ValueError:
            raise InputError(f"{name} must be a number, not '{value}'.") from None
    else:
        meets = (column.astype(str).str.lower() == value.lower()).to_numpy()
    if not meets.any():
        known = ", ".join(str(item) for item in column.unique()[:12])
        raise InputError(f"No cell has {text}; {name} takes {known}.")
    return table[meets]
