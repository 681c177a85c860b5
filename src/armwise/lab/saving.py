"""Numbers of the page as netCDF files: those of armwise itself, in full precision."""

from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.lab.copies import Tally
from armwise.lab.parts import Shelf
from armwise.lab.tracing import question
from armwise.lab.wire import packed
from armwise.play.trace import trace
from armwise.sweeps.netcdf import image
from armwise.version import VERSION

if TYPE_CHECKING:
    import xarray


def trace_file(shelf: Shelf, asked: dict[str, Any], device: str) -> bytes:
    """What `armwise.trace` returns, as the bytes of an answer that holds a file."""
    found = trace(*question(shelf, asked), device=device)
    return file_answer(asked.get("id"), found)


def copies_file(tally: Tally, number: Any) -> bytes:
    """Many copies: mean regret by trial with 95 % intervals, and the last regret of every copy."""
    return file_answer(number, copies_set(tally))


def copies_set(tally: Tally) -> "xarray.Dataset":
    """What is known of many copies as a dataset."""
    import xarray

    asked = tally.asked
    columns = zip(*(each.interval() for each in tally.each.values()), strict=True)
    data: dict[str, Any] = {
        name: (("policy", "trial"), np.stack(rows))
        for name, rows in zip(("mean", "low", "high"), columns, strict=True)
    }
    last = np.stack([np.concatenate(parts) for parts in tally.last.values()])
    data["last"] = (("policy", "agent"), last)
    about = {"bandit": str(asked.bandit), "seed": str(asked.seed), "horizon": asked.horizon}
    agents = [str(agent) for agent in asked.agents.values()]
    axes = {"policy": list(asked.agents), "trial": tally.trials, "agent": np.arange(tally.done)}
    return xarray.Dataset(data, {**axes, "description": ("policy", agents)}, about)


def file_answer(number: Any, found: "xarray.Dataset") -> bytes:
    """An answer whose header is followed by the bytes of a netCDF file."""
    content = image(found.assign_attrs(armwise=VERSION))
    return packed({"id": number, "kind": "file", "bytes": len(content)}, {}) + content
