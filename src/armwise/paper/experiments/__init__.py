"""The sweeps behind the paper's figures and claims, one file each."""

from pathlib import Path

from armwise.errors import unknown
from armwise.sweeps.sweep import Sweep

__all__ = ["bundled", "bundled_names"]


def bundled(name: str) -> Sweep:
    """The sweep behind a figure of the paper, by its name.

    >>> bundled("figure-4").title
    'Switching bandit of fixed difficulty: regret rate against trial'
    """
    folder = Path(__file__).parent
    if not (folder / f"{name}.toml").is_file():
        raise unknown("experiment", name, bundled_names())
    return Sweep.read(folder / f"{name}.toml")


def bundled_names() -> list[str]:
    """The names of the sweeps behind the paper's figures."""
    return sorted(path.stem for path in Path(__file__).parent.glob("*.toml"))
