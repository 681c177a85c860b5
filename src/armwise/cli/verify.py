"""`armwise verify`: re-read every file of a store, and compute some of its cells again."""

import random
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armwise.cli.guard import FAILED
from armwise.cli.options import Device
from armwise.cli.output import console, print_json
from armwise.errors import InputError, whole_number

if TYPE_CHECKING:
    from armwise.sweeps.cell import Cell
    from armwise.sweeps.store import Store


def verify(
    store: Annotated[Path, typer.Argument(help="The folder that keeps the results.")],
    sample: Annotated[int, typer.Option(help="How many cells to compute again.")] = 5,
    seed: Annotated[int, typer.Option(help="Which cells: the same seed, the same sample.")] = 0,
    device: Device = "cpu",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check every file of a store, and compute a random sample of cells again, bit for bit.

    Nothing is changed. Ends with exit code 1 if a file is damaged or a number differs.

    Example:

    `armwise verify results --sample 10`
    """
    from armwise.sweeps.results import stored_cells
    from armwise.sweeps.store import Store

    place = Store(store)
    cells = stored_cells(place)
    found = _read(place, cells)
    known = sorted(found["sound"] & cells.keys())
    count = min(len(known), whole_number("sample", sample, 0))
    chosen = random.Random(seed).sample(known, count)
    found["differ"] = [cells[name] for name in chosen if not _same(place, cells[name], device)]
    data = _data(place, found, chosen)
    print_json(data) if as_json else _show(data)
    if data["damaged"] or data["differ"]:
        raise typer.Exit(FAILED)


def _read(store: "Store", cells: "dict[str, Cell]") -> dict[str, Any]:
    """Every file, sorted: sound, damaged, of another version of an algorithm, of no sweep."""
    from armwise.sweeps.store import Damaged

    versions = {_versionless(cell.describe()) for cell in cells.values()}
    found: dict[str, Any] = {"sound": set(), "damaged": [], "versions": [], "strangers": []}
    found["damaged"] += [f"{path} is no result of armwise." for path in store.foreign()]
    for name in sorted(store.names()):
        try:
            if name in cells:
                store.check(name)
                found["sound"].add(name)
            elif _versionless(store.description(name)) in versions:
                found["versions"].append(name)
            else:
                found["strangers"].append(name)
        except Damaged as problem:
            found["damaged"].append(str(problem))
        except InputError:  # set aside by a run meanwhile
            continue
    return found


def _versionless(description: dict[str, Any]) -> str:
    import json

    return json.dumps(description | {"code": ""}, sort_keys=True)


def _same(store: "Store", cell: "Cell", device: str) -> bool:
    """Whether a cell, computed again, has the same bits in all variables."""
    kept, again = store.read(cell), cell.run(device=device)
    if set(kept.variables) != set(again.variables):
        return False
    return all(
        kept[name].dtype == again[name].dtype
        and kept[name].values.tobytes() == again[name].values.tobytes()
        for name in map(str, kept.variables)
    )


def _data(store: "Store", found: dict[str, Any], chosen: list[str]) -> dict[str, Any]:
    return {
        "store": str(store.folder),
        "files": len(store.names()),
        "sound": len(found["sound"]) + len(found["versions"]) + len(found["strangers"]),
        "damaged": found["damaged"],
        "other_version": found["versions"],
        "of_no_sweep": found["strangers"],
        "recomputed": chosen,
        "differ": [f"{cell.name} ({cell.agent} in {cell.bandit})" for cell in found["differ"]],
    }


def _show(data: dict[str, Any]) -> None:
    screen = console()

    def say(text: str) -> None:
        screen.print(text, markup=False, soft_wrap=True)

    say(f"{data['sound']} of {data['files']} files match their checksums.")
    for sentence in data["damaged"]:
        say(sentence)
    kinds = {
        "other_version": "were computed by another version of an algorithm",
        "of_no_sweep": "belong to no sweep of this store",
    }
    for kind, words in kinds.items():
        if data[kind]:
            names = ", ".join(data[kind][:3]) + (", ..." if len(data[kind]) > 3 else "")
            say(f"{len(data[kind])} files {words}: {names}.")
    same = len(data["recomputed"]) - len(data["differ"])
    say(f"{same} of {len(data['recomputed'])} cells, computed again, are the same bit for bit.")
    for name in data["differ"]:
        say(f"{name} differs.")
    if data["damaged"] or data["differ"]:
        say("Run the sweep again to set damaged files aside and compute them anew.")
