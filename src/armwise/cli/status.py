"""`armwise status`: what a store holds, and what its sweeps still lack."""

import os
from collections.abc import Iterable, Set
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armwise.cli.options import AsJson, Components, StoreFolder
from armwise.cli.output import console, plain, print_json, scaled

if TYPE_CHECKING:
    from armwise.sweeps.store import Store
    from armwise.sweeps.stored import Planned

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
    data = state(store, components or ())
    if as_json:
        print_json(data)
        return
    _show(data)


def state(folder: Path, components: Iterable[str] = ()) -> dict[str, Any]:
    """What a store holds, as plain data."""
    from armwise.sweeps.store import Store
    from armwise.sweeps.stored import planned

    store = Store(folder)
    sweeps = planned(store, components=components)
    sizes = _sizes(store)
    damaged = _damaged(store, sizes.keys())
    sound = sizes.keys() - damaged.keys()
    used = {name for sweep in sweeps for name in sweep.works}
    return {
        "store": str(folder),
        "sweeps": [_sweep(one, sizes, sound) for one in sweeps],
        "files": len(sizes),
        "bytes": sum(sizes.values()),
        "damaged": sorted(damaged.values()),
        "other_files": len(sizes.keys() - used),
        "aside": sorted(path.name for path in store.aside.glob("*")),
    }


def _sizes(store: "Store") -> dict[str, int]:
    names = store.names()
    with os.scandir(store.cells) if names else nullcontext(()) as items:
        return {name: item.stat().st_size for item in items if (name := item.name[:-3]) in names}


def _damaged(store: "Store", names: Set[str]) -> dict[str, str]:
    """What is wrong with the files that changed since they were last checked."""
    return store.problems(names - store.unchanged())


def _sweep(one: "Planned", sizes: dict[str, int], sound: Set[str]) -> dict[str, Any]:
    found: dict[str, Any] = {"name": one.name, "title": one.title}
    if one.problem or (one.cells is None and not one.works):
        return found | {"problem": str(one.refused())}
    works = one.works
    done = works.keys() & sound
    worked = sum(works[name] for name in done)
    return found | {
        "cells": len(works),
        "done": len(done),
        "missing": len(works) - len(done),
        "agent_trials": worked,
        "agent_trials_missing": sum(works.values()) - worked,
        "bytes": sum(sizes[name] for name in done),
        "needs": one.needs,
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
