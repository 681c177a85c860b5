"""The result of a fit as an xarray.DataTree in the schema of ArviZ."""

from typing import TYPE_CHECKING

from armwise.errors import require
from armwise.fitting.answer import Answer
from armwise.fitting.choices import Choices
from armwise.model.agent import Agent, Chooser
from armwise.version import VERSION

if TYPE_CHECKING:
    import xarray


def tree_of(
    agent: Agent | Chooser, data: Choices, method: str, answer: Answer
) -> "xarray.DataTree":
    """What the method found, and what was observed: one row per trial."""
    require("xarray")
    import xarray

    groups = {**answer.groups_of_tree(data.subjects), "observed_data": observed(data)}
    tree = xarray.DataTree.from_dict(groups)
    tree.attrs = {
        "agent": str(agent),
        "method": method,
        "creation_library": "armwise",
        "creation_library_version": VERSION,
        "source": data.source,
    }
    return tree


def observed(data: Choices) -> "xarray.Dataset":
    """Choices and outcomes in rows; -1 where there was no choice."""
    import numpy as np
    import xarray

    found = data.sequences
    lengths = np.diff(np.append(found.begins, len(found.choices)))
    people = np.repeat(found.people, lengths)
    blocks = np.repeat(np.arange(len(found.begins)), lengths)
    rows = {
        "choice": ("row", found.choices),
        "outcome": ("row", found.outcomes),
        "scored": ("row", found.scored),
    }
    axes = {
        "row": np.arange(len(found.choices)),
        "subject": ("row", np.array(data.subjects)[people]),
        "block": ("row", blocks),
        "trial": ("row", np.arange(len(found.choices)) - found.begins[blocks] + 1),
    }
    return xarray.Dataset(rows, axes, {"arms": list(data.arms)})
