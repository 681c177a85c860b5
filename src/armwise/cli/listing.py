"""`armwise list`: every component with its parameters, as its class states them."""

import dataclasses
import inspect
from typing import TYPE_CHECKING, Any

from armwise import registry
from armwise.bandits.problems import PROBLEMS
from armwise.cli.options import AsJson
from armwise.cli.output import console, print_json
from armwise.fitting.known import EXAMPLES
from armwise.model.component import Component, Range, kind_of, parameters_of, written

if TYPE_CHECKING:
    from rich.padding import Padding

ROLES = {
    "bandits": "bandit",
    "learners": "learner",
    "policies": "policy",
    "choices": "choice",
    "actors": "actor",
}


def list_components(
    as_json: AsJson = False,
) -> None:
    """List every bandit, learner, policy, choice and actor with its parameters, and recorded data.

    Example:

    `armwise list`
    """
    catalogue = {plural: described(role) for plural, role in ROLES.items()}
    problems = {name: str(bandit) for name, bandit in PROBLEMS.items()}
    if as_json:
        examples = {name: told.described() for name, told in EXAMPLES.items()}
        print_json({**catalogue, "problems": problems, "examples": examples})
        return
    screen = console()
    for plural, components in catalogue.items():
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


def described(role: str) -> list[dict[str, Any]]:
    """Every component of a role as plain data."""
    return [_described(name, cls) for name, cls in registry.known(role).items()]


def _described(name: str, cls: type[Component]) -> dict[str, Any]:
    return {
        "name": name,
        "label": cls.label,
        "class": cls.__name__,
        "summary": (inspect.getdoc(cls) or "").partition("\n")[0],
        "equation": cls.equation,
        "reference": cls.reference,
        "parameters": [_parameter(field) for field in parameters_of(cls)],
    }


def _parameter(field: dataclasses.Field) -> dict[str, Any]:
    kind = kind_of(field)
    allowed = "true or false" if kind == "bool" else str(field.metadata.get("range", Range()))
    return {
        "name": field.name,
        "kind": kind,
        "default": None if field.default is dataclasses.MISSING else field.default,
        "range": allowed,
        "meaning": field.metadata.get("meaning", ""),
    }


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
