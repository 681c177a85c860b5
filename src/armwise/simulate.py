"""Simulate agents in a world: validation, memory, choice of engine, labelled results."""

import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.engine import engine as engine_named
from armwise.engine.binding import parts_of
from armwise.engine.plan import Plan, memory_size, state_size
from armwise.errors import InputError, unknown, whole_number
from armwise.grammar import Actor, Bandit, Composed
from armwise.random import AGENTS_MAX, TRIALS_MAX

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
    engine: str = "cpu",
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> "xarray.Dataset":
    """Let many copies of an agent play, each in a world of its own.

    `agents` is how many, or a range of their numbers: agent 7 is the same whoever plays beside it.
    `checkpoints` are the trials at which regret is kept: nine per decade unless given as a list, or as
    `every(n)`. `record` names further things to keep there: arm, outcome, gamma, theta, alpha, beta.
    `progress` is called with the number of agent-trials done since the last call.

    Returns an `xarray.Dataset` with `regret[agent, trial]`; docs/results.md has its schema.

    >>> from armwise import *
    >>> agent = Agent(ApproximateActiveInference(lam=0.5), Smile(rho=0.01))
    >>> result = simulate(SwitchingBandit(rho=0.01), agent, horizon=100, agents=4, engine="python")
    >>> result.regret.shape
    (4, 19)
    """
    plan = plan_of(bandit, agent, horizon, agents, seed, checkpoints, record, threads)
    refuse_if_too_large(plan)
    backend = engine_named(engine)
    started = time.perf_counter()
    regrets, records = backend.run(plan, progress or (lambda _: None))
    seconds = time.perf_counter() - started
    return _dataset(plan, regrets, records, record, engine, seconds)


def every(step: int) -> Callable[[int], np.ndarray]:
    """Checkpoints at every `step`-th trial.

    >>> every(25)(100)
    array([ 25,  50,  75, 100])
    """
    step = whole_number("every", step, 1)
    return lambda horizon: np.arange(step, horizon + 1, step, dtype=np.int64)


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
    marks = [whole_number("A checkpoint", c, 1) for c in (given(horizon) if callable(given) else given)]
    if not marks:
        raise InputError("checkpoints must name at least one trial, not none.")
    if any(later <= earlier for earlier, later in zip(marks, marks[1:], strict=False)):
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
    return Plan(
        bandit,
        agent,
        horizon,
        len(agents),
        agents.start,
        whole_number("seed", seed, 0, SEEDS_MAX),
        checkpoints_of(checkpoints, horizon),
        _width(record, bandit.arms),
        whole_number("threads", threads or available_threads(), 1, 4096),
    )


def available_threads() -> int:
    """The processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def refuse_if_too_large(plan: Plan) -> None:
    """Refuse a plan that cannot fit in memory, before anything is allocated."""
    marks = len(plan.checkpoints)
    state = plan.threads * 32 * state_size(plan.bandit, plan.agent)
    needed = 8 * (plan.agents * marks * (1 + plan.width) + state)
    try:
        room = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not every system tells
        return
    if needed > 0.8 * room:
        raise InputError(
            f"{plan.agents} agents at {marks} checkpoints need {needed / 2**30:.1f} GiB, and this "
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
    engine: str,
    seconds: float,
) -> "xarray.Dataset":
    import xarray

    arms = plan.bandit.arms
    places = {
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
        data["chosen" if name == "arm" else name] = (("agent", "trial", "arm")[: values.ndim], values)
    axes = {
        "agent": np.arange(plan.first, plan.first + plan.agents),
        "trial": plan.checkpoints,
    }
    if any("arm" in dims for dims, *_ in data.values()):
        axes["arm"] = np.arange(arms)
    return xarray.Dataset(data, {**coordinates(plan), **axes}, provenance(plan, engine, seconds))


def provenance(plan: Plan, engine: str, seconds: float) -> dict[str, Any]:
    """Where a result comes from, for its attributes."""
    import xarray

    from armwise import __version__

    return {
        "armwise": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "xarray": xarray.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
        "engine": engine,
        "threads": plan.threads,
        "seconds": seconds,
        "agent": str(plan.agent),
        "world": str(plan.bandit),
        "horizon": plan.horizon,
        "cell": json.dumps(describe(plan), sort_keys=True),
    }


def describe(plan: Plan) -> dict[str, Any]:
    """All that determines a result, as plain data."""
    return {
        "bandit": {"name": plan.bandit.label, **plan.bandit.parameters()},
        "agent": [{"role": p.role, "name": p.label, **p.parameters()} for p in parts_of(plan.agent)],
        "horizon": plan.horizon,
        "agents": [plan.first, plan.first + plan.agents],
        "seed": plan.seed,
        "checkpoints": [int(trial) for trial in plan.checkpoints],
    }


def _short(items: Sequence[Any]) -> str:
    text = ", ".join(str(item) for item in items[:6])
    return text + (", ..." if len(items) > 6 else "")
