"""Simulate agents in a bandit: validation, memory, choice of device, labelled results."""

import contextlib
import math
import os
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armwise.engine import engine_named, resolved
from armwise.engine.plan import Plan
from armwise.engine.recording import RECORDABLE, width_of
from armwise.engine.rehearsal import never_differ, rehearse
from armwise.engine.threads import available_threads
from armwise.errors import InputError, brief, listed, require, unknown, whole_number
from armwise.model.agent import Agent, refuse_unless_agent
from armwise.model.draws import AGENTS_MAX, ARMS_MAX, TRIALS_MAX
from armwise.model.forms import NAMES, REAL, WORDS, refuse_other_outcomes
from armwise.model.roles import AbstractAgent, Actor, Bandit
from armwise.play.checkpoints import Every, checkpoints_of
from armwise.play.dataset import dataset
from armwise.play.progress import shown

if TYPE_CHECKING:
    import xarray

SEEDS_MAX = 1 << 64


def simulate(
    bandit: Bandit,
    agent: Agent | Actor,
    horizon: int = 1_000,
    agents: int | range = 1_000,
    seed: int = 0,
    *,
    checkpoints: Any = None,
    record: Sequence[str] = (),
    device: str = "cpu",
    threads: int | None = None,
    progress: Callable[[int], None] | bool | None = None,
) -> "xarray.Dataset":
    """Let many copies of an agent play, each against its own bandit.

    `agents` is their count, or a range of their numbers: agent 7 does not depend on the others.
    `checkpoints` are the trials at which regret is kept: by default nine per decade, or a list, or
    `every(n)`. `record` names further quantities to keep there: arm, outcome, gamma, theta, alpha,
    beta; of normal beliefs, mean and variance. `progress` is True for a bar, or a function that is
    called with the number of agent-trials done since the last call.

    Return an `xarray.Dataset` with `regret[agent, trial]`; docs/results.md describes its schema.

    >>> from armwise import *
    >>> agent = Agent(ApproximateActiveInference(lam=0.5), Smile(rho=0.01))
    >>> result = simulate(SwitchingBandit(rho=0.01), agent, horizon=100, agents=4, device="python")
    >>> result.regret.shape
    (4, 19)
    """
    require("xarray")
    plan = plan_of(bandit, agent, horizon, agents, seed, checkpoints, record, threads)
    device = _device_of(agent, device)
    rehearse(plan)
    _warn_if_all_arms_are_equal(plan)
    run = engine_named(device).prepare(plan)  # compiles, which does not count as time
    started = time.perf_counter()
    with shown(progress, plan.agent.label, plan.agents * plan.horizon) as report:
        regrets, records = run(report)
    seconds = time.perf_counter() - started
    return dataset(plan, regrets, records, record, device, seconds)


def simulate_plans(
    plans: list[Plan], progress: Callable[[int], None] | None = None, device: str = "cuda"
) -> "list[xarray.Dataset]":
    """Play plans together that differ only in numbers; return a dataset for each.

    The time is divided among them in proportion to their agents.
    """
    device = _device_of(plans[0].agent, device)
    backend = engine_named(device)
    agents = sum(plan.agents for plan in plans)
    widest = max(plans, key=lambda plan: plan.bandit.arms)
    backend.prepare(widest._replace(agents=agents))
    started = time.perf_counter()
    results = backend.run_many(plans, progress or (lambda _: None))
    seconds = (time.perf_counter() - started) / agents
    return [
        dataset(plan, regrets, records, (), device, seconds * plan.agents)
        for plan, (regrets, records) in zip(plans, results, strict=True)
    ]


def plan_of(
    bandit: Bandit,
    agent: Agent | Actor,
    horizon: int,
    agents: int | range,
    seed: int,
    checkpoints: Any = None,
    record: Sequence[str] = (),
    threads: int | None = None,
) -> Plan:
    """Check all arguments of a simulation and return them as a `Plan`."""
    if not isinstance(bandit, Bandit):
        raise InputError(f"The bandit must be one such as SwitchingBandit(), not {brief(bandit)}.")
    refuse_unless_agent(agent)
    if type(bandit.arms) is not int or not 0 < bandit.arms < ARMS_MAX:
        raise InputError(
            f"{bandit.label}: arms must be a whole number from 1 up, as in `arms: int = ...`, not "
            f"{brief(bandit.arms)}."
        )
    horizon = whole_number("horizon", horizon, 1, TRIALS_MAX)
    if not isinstance(agents, range):
        agents = range(whole_number("agents", agents, 1, AGENTS_MAX))
    if agents.step != 1 or not 0 <= agents.start < agents.stop <= AGENTS_MAX:
        raise InputError(f"agents must be a range such as range(0, 1000), not {brief(agents)}.")
    refuse_other_outcomes(bandit, agent)
    record = listed("record", record, "['arm', 'outcome']")
    for name in record:
        if not isinstance(name, str) or name not in RECORDABLE:
            raise unknown("record", name, RECORDABLE)
        form = agent.learner.beliefs if isinstance(agent, Agent) else ""
        for kind, pair in NAMES.items():
            if name in pair and kind != form:
                raise InputError(
                    f"{agent.label} keeps no {WORDS[kind]} beliefs, so {name} cannot be recorded."
                )
    width = width_of(record, bandit.arms)
    threads = available_threads() if threads is None else whole_number("threads", threads, 1, 4096)
    if isinstance(checkpoints, Every):
        refuse_if_too_large(len(agents), horizon // checkpoints.step, width)
    marks = checkpoints_of(checkpoints, horizon)
    refuse_if_too_large(len(agents), len(marks), width)
    seed = whole_number("seed", seed, 0, SEEDS_MAX)
    return Plan(bandit, agent, horizon, len(agents), agents.start, seed, marks, width, threads)


def _device_of(agent: AbstractAgent, device: str) -> str:
    """The device that will play an agent; cards play outcomes 0 and 1 only."""
    found = resolved(device)
    if found != "cuda" or agent.outcomes != REAL:
        return found
    if device == "auto":
        return "cpu"
    raise InputError(f"{agent.label} learns from real outcomes, which cards do not play: use cpu.")


def _warn_if_all_arms_are_equal(plan: Plan) -> None:
    equal = never_differ(plan)
    with contextlib.suppress(NotImplementedError):
        equal = plan.bandit.random_rate() == 0.0
    if equal:
        warnings.warn(
            f"Every arm of {plan.bandit} is equally good all the time: all regrets will be 0.",
            stacklevel=3,
        )


def memory_room() -> float:
    """Bytes of memory available to this process; inf if unknown."""
    room = math.inf
    with contextlib.suppress(AttributeError, ValueError, OSError):
        room = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with contextlib.suppress(ValueError, OSError):  # a container's own limit
        room = min(room, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return room


def refuse_if_too_large(agents: int, marks: int, width: int) -> None:
    """Raise InputError if results would not fit into memory, before anything is allocated."""
    needed, room = 8.0 * agents * marks * (1 + width), memory_room()
    if needed > 0.8 * room:
        raise InputError(
            f"{agents} agents at {marks} checkpoints need {needed / 2**30:.1f} GiB, but this "
            f"machine has {room / 2**30:.1f} GiB: ask for fewer agents, checkpoints or records."
        )
