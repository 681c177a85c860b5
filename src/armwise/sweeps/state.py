"""What a store holds, and what its sweeps still lack, as plain data."""

import os
from collections.abc import Iterable, Set
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from armwise.sweeps.store import Store
from armwise.sweeps.stored import Planned, planned


def state(folder: Path, components: Iterable[str] = ()) -> dict[str, Any]:
    """What a store holds, as plain data: `armwise status --json`."""
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


def _sizes(store: Store) -> dict[str, int]:
    names = store.names()
    with os.scandir(store.cells) if names else nullcontext(()) as items:
        return {name: item.stat().st_size for item in items if (name := item.name[:-3]) in names}


def _damaged(store: Store, names: Set[str]) -> dict[str, str]:
    """What is wrong with the files that changed since they were last checked."""
    return store.problems(names - store.unchanged())


def _sweep(one: Planned, sizes: dict[str, int], sound: Set[str]) -> dict[str, Any]:
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
