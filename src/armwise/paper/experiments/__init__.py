"""The sweeps behind the paper's figures and claims, one file each."""

import functools
from pathlib import Path

from armwise.errors import unknown
from armwise.sweeps.cell import Cell
from armwise.sweeps.sweep import Sweep

__all__ = ["bundled", "bundled_cells", "bundled_names"]


def bundled(name: str) -> Sweep:
    """Read the sweep behind a figure or a claim of the paper, by name.

    >>> bundled("figure-4").title
    'Switching bandit of fixed difficulty: regret rate against trial'
    """
    folder = Path(__file__).parent
    if not (folder / f"{name}.toml").is_file():
        raise unknown("experiment", name, bundled_names())
    return Sweep.read(folder / f"{name}.toml")


@functools.cache
def bundled_cells(name: str, profile: str) -> tuple[Cell, ...]:
    """The cells of a sweep in the sizes of a profile.

    >>> len(bundled_cells("claim-44", "quick"))
    6
    """
    return tuple(bundled(name).at(profile).cells())


def bundled_names() -> list[str]:
    """The names of all these sweeps in the order of computation: figures first.

    >>> bundled_names()[-1]
    'claim-44'
    """
    names = [path.stem for path in Path(__file__).parent.glob("*.toml")]
    return sorted(names, key=lambda name: (not name.startswith("figure-"), name))
