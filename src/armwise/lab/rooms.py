"""What a lab has, from its command line: a task, a data folder, a player's file, a store."""

from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from armwise.errors import InputError
from armwise.lab.folder import Folder
from armwise.lab.parts import LIMITS
from armwise.lab.people import Runs
from armwise.lab.stored import StorePage
from armwise.lab.task import Task
from armwise.lab.watching import Watcher
from armwise.lab.words import CITATION
from armwise.lab.workers import Workers
from armwise.version import VERSION

# A first picture in which something is to be seen.
TEACHING: dict[str, Any] = {
    "bandit": {"name": "switching", "arms": 5, "epsilon": 0.45, "rho": 0.015, "p": 0.3},
    "agent": {
        "policy": {"name": "g-ai", "lam": 0.5},
        "learner": {"name": "smile", "rho": 0.015},
        "choice": {"name": "argmax"},
    },
    "horizon": 500,
    "seed": 1,
    "number": 0,
}


class Given(NamedTuple):
    """What the command line named."""

    components: tuple[Path, ...] = ()  # one's own files of components
    task: Path | None = None
    data: Path | None = None
    watch: Path | None = None
    store: Path | None = None


class Rooms:
    """All that pages can ask of one lab."""

    def __init__(self, given: Given) -> None:
        self.given = given
        self.workers = Workers(given.components)
        task = None if given.task is None else Task.read(given.task, self.workers.shelf)
        folder = None if given.data is None else Folder(given.data)
        self.runs = Runs(self.workers, task, folder)
        shelf = self.workers.shelf
        self.pages: dict[str, Watcher | StorePage] = {}
        if given.watch is not None:
            self.pages["watch"] = Watcher(given.watch, shelf.files)
        if given.store is not None:
            self.pages["results"] = StorePage(given.store, shelf)

    def facts(self) -> dict[str, Any]:
        """The answer to `/api/catalogue`."""
        given = self.given
        return {
            "catalogue": self.workers.shelf.catalogue(),
            "teaching": TEACHING,
            "limits": LIMITS,
            "rooms": {
                "task": given.task is not None,
                "watch": given.watch is not None,
                "results": given.store is not None,
                "data": given.data is not None,
            },
            "version": VERSION,
            "citation": CITATION,
        }

    def changes(self, room: str) -> AsyncIterator[dict[str, Any]]:
        """What "watch" or "results" has to tell, now and whenever it changes."""
        if room not in self.pages:
            option = {"watch": "--watch FILE", "results": "--store FOLDER"}[room]
            raise InputError(f"There is nothing to look at: start armwise lab with {option}.")
        return self.pages[room].changes()

    def curves(self, asked: dict[str, Any]) -> dict[str, Any]:
        """A figure of the store."""
        store = self.pages.get("results")
        if not isinstance(store, StorePage):
            raise InputError("There is no store: start armwise lab with --store FOLDER.")
        return store.curves(asked)


def sorted_files(files: Iterable[Path]) -> Given:
    """What files on a command line are: components (.py), a task (.toml)."""
    found: dict[str, Any] = {"components": []}
    for file in files:
        if file.suffix == ".py":
            found["components"].append(file)
        elif file.suffix == ".toml" and "task" not in found:
            found["task"] = file
        else:
            raise InputError(
                f"{file} is nothing for the lab: give it files of components (.py) or one task "
                "(.toml)."
            )
    return Given(**found | {"components": tuple(found["components"])})
