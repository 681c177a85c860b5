"""`armwise list`: every component with its parameters, as its class states them."""

from typing import TYPE_CHECKING, Any

from armwise.cli.options import AsJson
from armwise.cli.output import console, print_json
from armwise.fitting.known import EXAMPLES
from armwise.model.component import written
from armwise.play.catalogue import catalogue

if TYPE_CHECKING:
    from rich.padding import Padding


def list_components(
    as_json: AsJson = False,
) -> None:
    """List every bandit, learner, policy, choice and actor with its parameters, and recorded data.

    Example:

    `armwise list`
    """
    found = catalogue()
    if as_json:
        examples = {name: told.described() for name, told in EXAMPLES.items()}
        print_json({**found, "examples": examples})
        return
    screen = console()
    problems = found.pop("problems")
    for plural, components in found.items():
        screen.print(f"[bold underline]{plural.capitalize()}[/]\n")
        for component in components:
            screen.print(_heading(component))
            screen.print(_block(component))
            screen.print()
    screen.print("[bold underline]Problems[/], which are bandits by name\n")
    for name, meaning in problems.items():
        screen.print(f"  [bold cyan]{name}[/]  {meaning}", soft_wrap=True)
    screen.print("\n[bold underline]Examples[/], which are recorded choices of people\n")
    for name, told in EXAMPLES.items():
        screen.print(f"  [bold cyan]{name}[/]  {told.meaning}", soft_wrap=True)
        screen.print(f"    {told.reference}; {told.licence}", soft_wrap=True, markup=False)


def _heading(component: dict[str, Any]) -> "Padding":
    from rich.padding import Padding
    from rich.text import Text

    text = Text.assemble((component["name"], "bold cyan"), "  ", component["summary"])
    return Padding(text, (0, 0, 0, 2), expand=False)


def _block(component: dict[str, Any]) -> "Padding":
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    rows = Table.grid(padding=(0, 2))
    rows.add_column(no_wrap=True, style="dim")
    rows.add_column(overflow="fold")
    for name in ("class", "equation", "reference"):
        rows.add_row(name, Text(component[name]))
    for item in component["parameters"]:
        meaning = Text.assemble(item["meaning"], (f" ({_allowed(item)})", "dim"))
        grid.add_row(_assignment(item), meaning)
    if component["parameters"]:
        rows.add_row("parameters", grid)
    return Padding(rows, (0, 0, 0, 4), expand=False)


def _assignment(item: dict[str, Any]) -> str:
    text = "(needed)" if item["default"] is None else written(item["default"])
    return f"[green]{item['name']}[/]={text}"


def _allowed(item: dict[str, Any]) -> str:
    return ("whole, " if item["kind"] == "int" else "") + item["range"]
