"""Results of the engine as a labelled dataset with provenance."""

import contextlib
import json
import platform
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.engine.plan import Plan
from armwise.engine.recording import place_of
from armwise.model.forms import BINARY
from armwise.version import VERSION

if TYPE_CHECKING:
    import xarray


def coordinates(plan: Plan) -> dict[str, Any]:
    """The coordinates that name all components and parameters: `bandit_rho`, `policy_lam`, ..."""
    found: dict[str, Any] = {"bandit": plan.bandit.label, "seed": np.uint64(plan.seed)}
    for part in (plan.bandit, *plan.agent.parts):
        found[part.role] = part.label
        for name, value in part.parameters().items():
            found[f"{part.role}_{name}"] = str(value) if isinstance(value, tuple) else value
    return found


def dataset(
    plan: Plan,
    regrets: np.ndarray,
    records: np.ndarray,
    record: Sequence[str],
    device: str,
    seconds: float,
) -> "xarray.Dataset":
    """Return regrets and records as a dataset with names, coordinates and attributes."""
    import xarray

    data: dict[str, Any] = {
        "regret": (("agent", "trial"), regrets, {"long_name": "cumulative regret"})
    }
    for name in record:
        values = records[:, :, place_of(name, plan.bandit.arms)]
        if name == "arm" or (name == "outcome" and plan.bandit.outcomes == BINARY):
            values = values.astype(np.int64)
        data["chosen" if name == "arm" else name] = (
            ("agent", "trial", "arm")[: values.ndim],
            values,
        )
    axes = {
        "agent": np.arange(plan.first, plan.first + plan.agents),
        "trial": plan.checkpoints,
    }
    if any("arm" in dims for dims, *_ in data.values()):
        axes["arm"] = np.arange(plan.bandit.arms)
    return xarray.Dataset(data, {**coordinates(plan), **axes}, provenance(plan, device, seconds))


def provenance(plan: Plan, device: str, seconds: float) -> dict[str, Any]:
    """The provenance of a result, for its attributes."""
    import xarray

    known: dict[str, float] = {}
    with contextlib.suppress(NotImplementedError):
        known = {"random_rate": plan.bandit.random_rate()}
    return {
        "armwise": VERSION,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "xarray": xarray.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
        "device": device,
        "threads": plan.threads,
        "seconds": seconds,
        "agent": str(plan.agent),
        "bandit": str(plan.bandit),
        "horizon": plan.horizon,
        "cell": json.dumps(describe(plan), sort_keys=True),
        **known,
    }


def describe(plan: Plan) -> dict[str, Any]:
    """Everything that determines a result, as plain data."""
    return {
        "bandit": {"name": plan.bandit.label, **plan.bandit.parameters()},
        "agent": [{"role": p.role, "name": p.label, **p.parameters()} for p in plan.agent.parts],
        "horizon": plan.horizon,
        "agents": [plan.first, plan.first + plan.agents],
        "seed": plan.seed,
        "checkpoints": [int(trial) for trial in plan.checkpoints],
    }
