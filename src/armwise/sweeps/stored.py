"""What the sweeps of a store plan, read without running anybody's code.

The definition of a sweep may name a Python file with a user's own components. A store that somebody
was sent must not execute it, so here such a file is loaded only if the reader names it. What was
computed can be read without: every file describes its cell, and the definition lists the cells.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from armwise.errors import InputError, unknown
from armwise.registry import file_and_class
from armwise.sweeps.cell import Cell
from armwise.sweeps.store import NAMES, Store
from armwise.sweeps.sweep import Sweep, base_name

_NAME = re.compile(r"[0-9a-f]{32}")


class Planned(NamedTuple):
    """A sweep of a store: its cells by name, unless they need a file that was not named."""

    name: str
    title: str
    works: dict[str, int]  # the agent-trials of every cell
    cells: dict[str, Cell] | None
    needs: list[str]  # the users' files that the reader did not name
    problem: str = ""

    def refused(self) -> InputError:
        """Why the cells are not there, and how to get them."""
        if self.problem:
            return InputError(self.problem)
        return InputError(
            f"The sweep {self.name} has components from {_listed(self.needs)}, and a store does "
            f"not run code by itself: name what you trust, {self.option()}."
        )

    def option(self) -> str:
        """What to write on the command line."""
        return " ".join(f"--components {base_name(path)}" for path in self.needs)


def planned(
    store: Store, sweep: str | None = None, components: Iterable[str] = ()
) -> list[Planned]:
    """The sweeps that were run on a store, or the one of a name.

    `components` are the users' files that may be run; a definition finds its own by their names.
    """
    definitions = store.definitions()
    if sweep is not None and sweep not in definitions:
        raise unknown("sweep", sweep, definitions)
    given = {base_name(str(path)): str(path) for path in components}
    for name in given.keys() - set(_files_named(definitions)):
        raise InputError(f"No sweep of {store.folder} uses a file {name}.")
    chosen = definitions if sweep is None else [sweep]
    return [_planned(name, definitions[name], given) for name in chosen]


def _files_named(value: Any) -> Iterator[str]:
    """The names of all users' files in definitions, which may be damaged."""
    for each in value.values() if isinstance(value, dict) else value:
        if isinstance(each, str):
            yield base_name(file_and_class(each)[0])
        elif isinstance(each, dict | list):
            yield from _files_named(each)


def _planned(name: str, definition: dict[str, Any], given: dict[str, str]) -> Planned:
    listed = _listed_cells(definition.get(NAMES))
    plain = {key: value for key, value in definition.items() if key != NAMES}
    title = str(plain.get("title", ""))
    try:
        sweep = Sweep.of(plain, f"The sweep {name}")
        needs = [path for path in sweep.files if base_name(path) not in given]
        if needs:
            return Planned(name, title, listed, None, needs)
        cells = {cell.name: cell for cell in sweep.with_files(given).cells()}
    except InputError as problem:  # an algorithm that is gone, or a definition that is none
        return Planned(name, title, listed, None, [], str(problem))
    return Planned(name, title, {key: cell.work for key, cell in cells.items()}, cells, [])


def _listed_cells(found: Any) -> dict[str, int]:
    """The list of cells in a definition, without what is none: names become paths."""
    if not isinstance(found, dict):
        return {}
    return {
        name: work
        for name, work in found.items()
        if _NAME.fullmatch(name) and isinstance(work, int) and work > 0
    }


def stored_cells(
    store: Store, sweep: str | None = None, components: Iterable[str] = ()
) -> dict[str, Cell]:
    """The cells, by name, of one of the sweeps that were run on a store, or of all of them."""
    cells: dict[str, Cell] = {}
    for one in planned(store, sweep, components):
        if one.cells is None:
            raise one.refused()
        cells |= one.cells
    return cells


def _listed(paths: list[str]) -> str:
    return ", ".join(paths)
