"""`armwise status`: what a store holds, and what its sweeps still lack."""

from typing import Any

from armwise.cli.options import AsJson, Components, StoreFolder
from armwise.cli.output import console, plain, print_json, scaled

SHOWN = 3  # damaged files that are named


def status(
    store: StoreFolder,
    components: Components = None,
    as_json: AsJson = False,
) -> None:
    """Show, for every sweep that was run on a store, what is done and what is missing.

    Files that changed since they were last checked are read; `armwise verify` reads them all.

    Example:

    `armwise status results`
    """
    from armwise.sweeps.state import state

    data = state(store, components or ())
    if as_json:
        print_json(data)
        return
    _show(data)


def _show(data: dict[str, Any]) -> None:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("sweep", no_wrap=True)
    for heading in ("done", "missing", "agent-trials", "to come", "size"):
        table.add_column(heading, justify="right", no_wrap=True)
    for sweep in data["sweeps"]:
        if "problem" in sweep:
            table.add_row(plain(sweep["name"]), "?", "?", "?", "?", "?")
            continue
        numbers = (f"{sweep['done']}", f"{sweep['missing']}")
        works = (scaled(sweep["agent_trials"]), scaled(sweep["agent_trials_missing"]))
        table.add_row(plain(sweep["name"]), *numbers, *works, f"{scaled(sweep['bytes'])}B")
    screen = console()
    if data["sweeps"]:
        screen.print(table)
    else:
        _say(f"No sweep was run on {data['store']}.")
    for sweep in data["sweeps"]:
        if "problem" in sweep:
            _say(sweep["problem"])
        elif sweep["needs"]:
            _say(f"{sweep['name']} is counted as of its last run: it uses {sweep['needs'][0]}.")
    _say(f"{data['files']} files, {scaled(data['bytes'])}B, in {data['store']}")
    for sentence in data["damaged"][:SHOWN]:
        _say(sentence)
    if data["damaged"]:
        _say(f"Damaged ({len(data['damaged'])}): running the sweep again computes them anew.")
    if data["other_files"]:
        _say(
            f"{data['other_files']} files belong to none of these sweeps as they are now: another "
            "definition, or another version of an algorithm."
        )
    if data["aside"]:
        names = ", ".join(data["aside"][:3]) + (", ..." if len(data["aside"]) > 3 else "")
        _say(f"Set aside ({len(data['aside'])}): {names}")


def _say(text: str) -> None:
    """A line with names from a store, which may be anything."""
    console().print(plain(text), soft_wrap=True)
