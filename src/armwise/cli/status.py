"""`armwise status`: what a store holds, and what its sweeps still lack."""

from pathlib import Path
from typing import Any

from armwise.cli.options import AsJson, StoreFolder
from armwise.cli.output import console, print_json, scaled
from armwise.errors import InputError


def status(
    store: StoreFolder,
    as_json: AsJson = False,
) -> None:
    """Show, for every sweep that was run on a store, what is done and what is missing.

    Example:

    `armwise status results`
    """
    data = state(store)
    if as_json:
        print_json(data)
        return
    _show(data)


def state(folder: Path) -> dict[str, Any]:
    """What a store holds, as plain data."""
    from armwise.sweeps.store import Store

    store = Store(folder)
    sizes = _sizes(store.cells)
    sweeps, used = [], set()
    for name, definition in store.definitions().items():
        entry = _sweep(name, definition, sizes)
        used |= set(entry.pop("names"))
        sweeps.append(entry)
    return {
        "store": str(folder),
        "sweeps": sweeps,
        "files": len(sizes),
        "bytes": sum(sizes.values()),
        "other_files": len(sizes.keys() - used),
        "aside": sorted(path.name for path in store.aside.glob("*")),
    }


def _sizes(folder: Path) -> dict[str, int]:
    return {path.stem: path.stat().st_size for path in folder.glob("*.nc")}


def _sweep(name: str, definition: dict[str, Any], sizes: dict[str, int]) -> dict[str, Any]:
    from armwise.sweeps.sweep import Sweep

    empty = {"name": name, "title": definition.get("title", ""), "names": []}
    try:
        cells = Sweep.of(definition, f"The sweep {name}").cells()
    except InputError as problem:  # a user's file that moved, or an algorithm that is gone
        return empty | {"problem": str(problem)}
    done = [cell for cell in cells if cell.name in sizes]
    return empty | {
        "cells": len(cells),
        "done": len(done),
        "missing": len(cells) - len(done),
        "agent_trials": sum(cell.work for cell in done),
        "agent_trials_missing": sum(cell.work for cell in cells) - sum(cell.work for cell in done),
        "bytes": sum(sizes[cell.name] for cell in done),
        "names": [cell.name for cell in done],
    }


def _show(data: dict[str, Any]) -> None:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("sweep", no_wrap=True)
    for heading in ("done", "missing", "agent-trials", "to come", "size"):
        table.add_column(heading, justify="right", no_wrap=True)
    for sweep in data["sweeps"]:
        if "problem" in sweep:
            table.add_row(sweep["name"], "?", "?", "?", "?", "?")
            continue
        numbers = (f"{sweep['done']}", f"{sweep['missing']}")
        works = (scaled(sweep["agent_trials"]), scaled(sweep["agent_trials_missing"]))
        table.add_row(sweep["name"], *numbers, *works, f"{scaled(sweep['bytes'])}B")
    screen = console()
    screen.print(table if data["sweeps"] else f"No sweep was run on {data['store']}.")
    for sweep in data["sweeps"]:
        if "problem" in sweep:
            screen.print(sweep["problem"], markup=False)
    screen.print(
        f"{data['files']} files, {scaled(data['bytes'])}B, in {data['store']}", markup=False
    )
    if data["other_files"]:
        screen.print(
            f"{data['other_files']} files belong to none of these sweeps as they are now: another "
            "definition, or another version of an algorithm."
        )
    if data["aside"]:
        names = ", ".join(data["aside"][:3]) + (", ..." if len(data["aside"]) > 3 else "")
        screen.print(f"Set aside ({len(data['aside'])}): {names}", markup=False)
