"""`armwise verify`: re-read every file of a store, and compute some of its cells again."""

import json
import random
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armwise.cli.guard import FAILED
from armwise.cli.options import AsJson, Components, Device, StoreFolder
from armwise.cli.output import console, plain, print_json
from armwise.errors import InputError, whole_number

if TYPE_CHECKING:
    from armwise.sweeps.cell import Cell
    from armwise.sweeps.store import Store
    from armwise.sweeps.stored import Planned


def verify(
    store: StoreFolder,
    sample: Annotated[int, typer.Option(help="How many cells to compute again.")] = 5,
    seed: Annotated[int, typer.Option(help="Which cells: the same seed, the same sample.")] = 0,
    device: Device = "cpu",
    components: Components = None,
    as_json: AsJson = False,
) -> None:
    """Check every file of a store, and compute a random sample of cells again, bit for bit.

    Nothing is changed. Ends with exit code 1 if a file is damaged or a number differs. Cells with
    components of your own are computed again only if you name their file with --components.

    Example:

    `armwise verify results --sample 10`
    """
    from armwise.engine import resolved
    from armwise.sweeps.store import Store
    from armwise.sweeps.stored import planned

    count, device = whole_number("sample", sample, 0), resolved(device)
    results = Store(store)
    sweeps = planned(results, components=components or ())
    files = _read(results, sweeps)
    cells = {name: cell for one in sweeps for name, cell in (one.cells or {}).items()}
    known = sorted(files["sound"] & cells.keys())
    chosen = random.Random(seed).sample(known, min(len(known), count))
    files["differ"] = [cells[name] for name in chosen if not _same(results, cells[name], device)]
    data = _data(results, files, chosen) | {
        "unknown": [str(one.refused()) for one in sweeps if one.cells is None]
    }
    print_json(data) if as_json else _show(data, results)
    if data["damaged"] or data["differ"]:
        raise typer.Exit(FAILED)


def _read(store: "Store", sweeps: "list[Planned]") -> dict[str, Any]:
    """Every file, sorted: sound, damaged, of another version of an algorithm, of no sweep."""
    from armwise.sweeps.store import Damaged

    wanted = {name for one in sweeps for name in one.works}
    texts = (cell.text for one in sweeps for cell in (one.cells or {}).values())
    versions: set[str] | None = None
    files: dict[str, Any] = {"sound": set(), "damaged": [], "versions": [], "strangers": []}
    files["damaged"] += [f"{path} is not a result of armwise." for path in store.foreign()]
    for name in sorted(store.names()):
        try:
            if name in wanted:
                store.check(name)
                files["sound"].add(name)
                continue
            if versions is None:  # seldom needed, and it takes a while
                versions = {_versionless(json.loads(text)) for text in texts}
            known = _versionless(store.description(name)) in versions
            files["versions" if known else "strangers"].append(name)
        except Damaged as problem:
            files["damaged"].append(str(problem))
        except InputError:  # set aside by a run meanwhile
            continue
    return files


def _versionless(description: dict[str, Any]) -> str:
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


def _data(store: "Store", files: dict[str, Any], chosen: list[str]) -> dict[str, Any]:
    return {
        "store": str(store.folder),
        "files": len(store.names()),
        "sound": len(files["sound"]) + len(files["versions"]) + len(files["strangers"]),
        "damaged": files["damaged"],
        "other_version": files["versions"],
        "of_no_sweep": files["strangers"],
        "recomputed": chosen,
        "differ": [f"{cell.name} ({cell.agent} in {cell.bandit})" for cell in files["differ"]],
    }


def _show(data: dict[str, Any], store: "Store") -> None:
    def say(text: str) -> None:
        console().print(plain(text), soft_wrap=True)

    say(f"{data['sound']} of {data['files']} files match their checksums.")
    for sentence in data["damaged"]:
        say(sentence)
    kinds = {
        "other_version": "were computed by another version of an algorithm",
        "of_no_sweep": "belong to no sweep of this store",
    }
    for kind, reason in kinds.items():
        if data[kind]:
            names = ", ".join(data[kind][:3]) + (", ..." if len(data[kind]) > 3 else "")
            say(f"{len(data[kind])} files {reason}: {names}.")
    for sentence in data["unknown"]:
        say(f"Not computed again: {sentence}")
    same = len(data["recomputed"]) - len(data["differ"])
    say(f"{same} of {len(data['recomputed'])} cells, computed again, are the same bit for bit.")
    for name in data["differ"]:
        say(f"{name} differs.")
    if data["damaged"]:
        say(
            "Damaged files: running their sweep again sets them aside and computes them anew; "
            f"those of no sweep stay until they are removed from {store.cells}."
        )
    if data["differ"]:
        say(
            "Numbers that differ: the files are whole, so running again keeps them. Another "
            "machine, device or version of a library may have made them: their attributes say "
            f"which. To compute them anew, move these files out of {store.cells} first."
        )
