"""Time the policies for table 1: one trial (choice and learning) of 1000 parallel agents."""

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.bandits import StationaryBandit
from armwise.engine.threads import available_threads
from armwise.errors import unknown
from armwise.model.agent import Agent
from armwise.paper import published
from armwise.play.machine import machine
from armwise.play.simulate import simulate
from armwise.registry import component

if TYPE_CHECKING:
    import pandas

POLICIES = ("UCB", "B-UCB", "TS", "O-TS", "G-AI", "A-AI")
ARMS = (10, 20, 40, 80)
LEAST_SECONDS = 0.2  # shortest measurement

# Trials and repeats by profile; the paper's are 10^4 and ten.
SIZES: dict[str, dict[str, Any]] = {
    "quick": {"trials": 100, "repeats": 2},
    "paper": {"trials": 10_000, "repeats": 10},
}


def timed(profile: str, threads: int | None = None) -> "pandas.DataFrame":
    """Measure the times for table 1 with the sizes of a profile."""
    if profile not in SIZES:
        raise unknown("profile", profile, SIZES)
    return measure(**SIZES[profile], threads=threads)


def measure(
    policies: Sequence[str] = POLICIES,
    arms: Sequence[int] = ARMS,
    trials: int = 10_000,
    repeats: int = 10,
    agents: int = 1_000,
    *,
    threads: int | None = None,
) -> "pandas.DataFrame":
    """Time every policy; the defaults are the sizes of the paper.

    `trials` is the smallest number of trials that are timed. In the result, `seconds` is the
    wall-clock time of one trial of all agents, averaged over repeats, and `sem` its standard error
    (NaN for one repeat). `milliseconds` can be compared with `published`, which is for 1000 agents
    on the authors' machine; `machine` and `threads` describe ours.
    """
    import pandas

    threads = threads or available_threads()
    found = []
    for policy in policies:
        for count in arms:
            times, used = _times(policy, count, trials, repeats, agents, threads)
            sem = times.std(ddof=1) / np.sqrt(repeats) if repeats > 1 else np.nan
            row = {"policy": policy, "arms": count, "seconds": times.mean(), "sem": sem}
            found.append(row | {"trials": used})
    frame = pandas.DataFrame(found)
    frame["milliseconds"] = 1e3 * frame.seconds
    theirs = published.values("table1")[["policy", "arms", "value"]]
    frame = frame.merge(theirs.rename(columns={"value": "published"}), how="left")
    sizes = {"agents": agents, "repeats": repeats, "threads": threads}
    return frame.assign(**sizes, machine=machine())


def _times(
    policy: str, arms: int, trials: int, repeats: int, agents: int, threads: int
) -> tuple[np.ndarray, int]:
    """Seconds per trial of every repeat, without compilation, and the number of timed trials."""
    # A bandit that never pays: every outcome is 0, as in the paper.
    bandit = StationaryBandit(arms=arms, p=0.0, epsilon=0.0)
    agent = Agent(component("policy", policy.lower()))

    def seconds(horizon: int) -> float:
        with warnings.catch_warnings(action="ignore", category=UserWarning):  # all arms are equal
            result = simulate(
                bandit, agent, horizon, agents, checkpoints=[horizon], threads=threads
            )
        return float(result.attrs["seconds"])

    seconds(min(2, trials))
    probe = seconds(trials)
    # A fast policy plays more trials, so that starting threads does not count.
    trials = min(max(trials, int(trials * LEAST_SECONDS / probe)), max(trials, 10_000))
    return np.array([seconds(trials) / trials for _ in range(repeats)]), trials
