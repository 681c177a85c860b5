"""Simulate agents in a world: validation, memory, choice of device, labelled results."""

import contextlib
import itertools
import json
import math
import os
import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from armwise.engine import engine_named, resolved
from armwise.engine.binding import parts_of
from armwise.engine.plan import Plan
from armwise.errors import InputError, unknown, whole_number
from armwise.grammar import Actor, Bandit, Composed
from armwise.random import AGENTS_MAX, TRIALS_MAX
from armwise.version import VERSION

if TYPE_CHECKING:
    import xarray

RECORDABLE = ("arm", "outcome", "gamma", "theta", "alpha", "beta")
SEEDS_MAX = 1 << 64


def simulate(
    bandit: Bandit,
    agent: Composed | Actor,
    horizon: int = 1_000,
    agents: int | range = 1_000,
    seed: int = 0,
    *,
    checkpoints: Any = None,
    record: Sequence[str] = (),
    device: str = "cpu",
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> "xarray.Dataset":
    """Let many copies of an agent play, each in a world of its own.

    `agents` is how many, or a range of their numbers: agent 7 is the same whoever plays beside it.
    `checkpoints` are the trials at which regret is kept: nine per decade unless given as a list or
    as `every(n)`. `record` names further things to keep there: arm, outcome, gamma, theta, alpha,
    beta. `progress` is called with the number of agent-trials done since the last call.

    Returns an `xarray.Dataset` with `regret[agent, trial]`; docs/results.md has its schema.

    >>> from armwise import *
    >>> agent = Agent(ApproximateActiveInference(lam=0.5), Smile(rho=0.01))
    >>> result = simulate(SwitchingBandit(rho=0.01), agent, horizon=100, agents=4, device="python")
    >>> result.regret.shape
    (4, 19)
    """
    plan = plan_of(bandit, agent, horizon, agents, seed, checkpoints, record, threads)
    device = resolved(device)
    backend = engine_named(device)
    backend.prepare(plan)  # compiles, which is no part of the time of a result
    started = time.perf_counter()
    regrets, records = backend.run(plan, progress or (lambda _: None))
    seconds = time.perf_counter() - started
    return _dataset(plan, regrets, records, record, device, seconds)


def simulate_plans(
    plans: list[Plan], progress: Callable[[int], None] | None = None, device: str = "cuda"
) -> "list[xarray.Dataset]":
    """Play plans at once that differ in numbers only, each to its dataset.

    The time is shared out by the work.
    """
    device = resolved(device)
    backend = engine_named(device)
    agents = sum(plan.agents for plan in plans)
    widest = max(plans, key=lambda plan: plan.bandit.arms)
    backend.prepare(widest._replace(agents=agents))
    started = time.perf_counter()
    results = backend.run_many(plans, progress or (lambda _: None))
    seconds = (time.perf_counter() - started) / agents
    return [
        _dataset(plan, regrets, records, (), device, seconds * plan.agents)
        for plan, (regrets, records) in zip(plans, results, strict=True)
    ]


class Every(NamedTuple):
    """Checkpoints at every `step`-th trial."""

    step: int


def every(step: int) -> Every:
    """Checkpoints at every `step`-th trial.

    >>> checkpoints_of(every(25), horizon=100)
    array([ 25,  50,  75, 100])
    """
    return Every(whole_number("every", step, 1))


def log_spaced(horizon: int) -> np.ndarray:
    """Nine checkpoints per decade, and the horizon.

    >>> log_spaced(30)
    array([ 1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 20, 30])
    """
    marks = [d * 10**e for e in range(len(str(horizon))) for d in range(1, 10)]
    return np.array([*(mark for mark in marks if mark < horizon), horizon], dtype=np.int64)


def checkpoints_of(given: Any, horizon: int) -> np.ndarray:
    """The trials at which results are kept, checked."""
    if given is None:
        return log_spaced(horizon)
    if isinstance(given, Every):
        return np.arange(given.step, horizon + 1, given.step, dtype=np.int64)
    marks = [whole_number("A checkpoint", mark, 1) for mark in given]
    if not marks:
        raise InputError("checkpoints must name at least one trial, not none.")
    if any(later <= earlier for earlier, later in itertools.pairwise(marks)):
        raise InputError(f"checkpoints must increase, unlike {_short(marks)}.")
    if marks[-1] > horizon:
        raise InputError(f"checkpoints must not pass the horizon {horizon}, unlike {marks[-1]}.")
    return np.array(marks, dtype=np.int64)


def plan_of(
    bandit: Bandit,
    agent: Composed | Actor,
    horizon: int,
    agents: int | range,
    seed: int,
    checkpoints: Any = None,
    record: Sequence[str] = (),
    threads: int | None = None,
) -> Plan:
    """Everything that is simulated, checked and as plain numbers."""
    if not isinstance(bandit, Bandit):
        raise InputError(f"The world must be a bandit such as SwitchingBandit(), not {bandit!r}.")
    if not isinstance(agent, Actor) and not hasattr(agent, "policy"):
        raise InputError(f"The agent must be an Agent(policy, learner), not {agent!r}.")
    horizon = whole_number("horizon", horizon, 1, TRIALS_MAX)
    if not isinstance(agents, range):
        agents = range(whole_number("agents", agents, 1, AGENTS_MAX))
    if agents.step != 1 or not 0 <= agents.start < agents.stop <= AGENTS_MAX:
        raise InputError(f"agents must be a range such as range(0, 1000), not {agents!r}.")
    for name in record:
        if name not in RECORDABLE:
            raise unknown("record", name, RECORDABLE)
        if isinstance(agent, Actor) and name in ("alpha", "beta"):
            raise InputError(f"{agent.label} keeps no Beta beliefs, so {name} cannot be recorded.")
    width = _width(record, bandit.arms)
    threads = available_threads() if threads is None else whole_number("threads", threads, 1, 4096)
    if isinstance(checkpoints, Every):
        refuse_if_too_large(len(agents), horizon // checkpoints.step, width)
    marks = checkpoints_of(checkpoints, horizon)
    refuse_if_too_large(len(agents), len(marks), width)
    seed = whole_number("seed", seed, 0, SEEDS_MAX)
    return Plan(bandit, agent, horizon, len(agents), agents.start, seed, marks, width, threads)


def available_threads() -> int:
    """The processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_room() -> float:
    """The bytes of memory this process may hope for; infinite where the system does not tell."""
    room = math.inf
    with contextlib.suppress(AttributeError, ValueError, OSError):
        room = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with contextlib.suppress(ValueError, OSError):  # a container's own limit
        room = min(room, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return room


def refuse_if_too_large(agents: int, marks: int, width: int) -> None:
    """Refuse what cannot fit in memory, before anything is allocated."""
    needed, room = 8.0 * agents * marks * (1 + width), memory_room()
    if needed > 0.8 * room:
        raise InputError(
            f"{agents} agents at {marks} checkpoints need {needed / 2**30:.1f} GiB, and this "
            f"machine has {room / 2**30:.1f} GiB: ask for fewer agents, checkpoints or records."
        )


def coordinates(plan: Plan) -> dict[str, Any]:
    """Every parameter as a coordinate: `bandit_rho`, `policy_lam`, ..."""
    found: dict[str, Any] = {"bandit": plan.bandit.label, "seed": np.uint64(plan.seed)}
    for part in (plan.bandit, *parts_of(plan.agent)):
        found[part.role] = part.label
        for name, value in part.parameters().items():
            found[f"{part.role}_{name}"] = str(value) if isinstance(value, tuple) else value
    return found


def _width(record: Sequence[str], arms: int) -> int:
    if not record:
        return 0
    return 3 + arms + (2 * arms if {"alpha", "beta"} & set(record) else 0)


def _dataset(
    plan: Plan,
    regrets: np.ndarray,
    records: np.ndarray,
    record: Sequence[str],
    device: str,
    seconds: float,
) -> "xarray.Dataset":
    import xarray

    arms = plan.bandit.arms
    places: dict[str, Any] = {
        "arm": 0,
        "outcome": 1,
        "gamma": 2,
        "theta": slice(3, 3 + arms),
        "alpha": slice(3 + arms, 3 + 2 * arms),
        "beta": slice(3 + 2 * arms, 3 + 3 * arms),
    }
    data: dict[str, Any] = {
        "regret": (("agent", "trial"), regrets, {"long_name": "cumulative regret"})
    }
    for name in record:
        values = records[:, :, places[name]]
        if name in ("arm", "outcome"):
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
        axes["arm"] = np.arange(arms)
    return xarray.Dataset(data, {**coordinates(plan), **axes}, provenance(plan, device, seconds))


def provenance(plan: Plan, device: str, seconds: float) -> dict[str, Any]:
    """Where a result comes from, for its attributes."""
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
        "world": str(plan.bandit),
        "horizon": plan.horizon,
        "cell": json.dumps(describe(plan), sort_keys=True),
        **known,
    }


def describe(plan: Plan) -> dict[str, Any]:
    """All that determines a result, as plain data."""
    return {
        "bandit": {"name": plan.bandit.label, **plan.bandit.parameters()},
        "agent": [{"role": p.role, "name": p.label, **p.telling()} for p in parts_of(plan.agent)],
        "horizon": plan.horizon,
        "agents": [plan.first, plan.first + plan.agents],
        "seed": plan.seed,
        "checkpoints": [int(trial) for trial in plan.checkpoints],
    }


def _short(items: Sequence[Any]) -> str:
    text = ", ".join(str(item) for item in items[:6])
    return text + (", ..." if len(items) > 6 else "")
