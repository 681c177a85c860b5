"""Table 1: the time of one trial, choice and learning, of 1000 parallel agents."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.bandits import StationaryBandit
from armwise.model.agent import Agent
from armwise.paper import published
from armwise.paper.figures import panels
from armwise.play.machine import machine
from armwise.play.simulate import available_threads, simulate
from armwise.plotting import layout, style
from armwise.registry import component

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

POLICIES = ("UCB", "B-UCB", "TS", "O-TS", "G-AI", "A-AI")
ARMS = (10, 20, 40, 80)
LEAST_SECONDS = 0.2  # of a measurement


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

    `trials` is the least number of trials that are timed. `seconds` is the wall-clock time of one
    trial of all agents, the mean of the repeats, `sem` its standard error (NaN for one repeat);
    `milliseconds` stands beside `published`, which is for 1000 agents on the authors' machine. Ours
    is described in `machine` and `threads`.
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


def draw(frame: "pandas.DataFrame", *, note: str = "") -> "Figure":
    """One panel per number of arms: filled dots are ours, hollow ones published; log axis."""
    from matplotlib.figure import Figure

    policies = list(dict.fromkeys(frame.policy))
    counts = sorted(set(frame.arms))
    with style.settings():
        figure = Figure(figsize=(layout.WIDTH, 1.7 + 0.22 * len(policies)), layout="constrained")
        row = figure.subplots(1, len(counts), sharex=True, sharey=True, squeeze=False)[0]
        for axes, count in zip(row, counts, strict=True):
            _panel(axes, panels.rows(frame, arms=count), policies)
            axes.set_title(panels.equals("arms", count))
            axes.set_xlabel("milliseconds")
        row[0].set_yticks(range(len(policies)), policies)
        row[0].set_ylim(len(policies) - 0.5, -0.5)
        row[0].set_xscale("log")
        layout.legend(figure, _keys(frame), title=_title(frame))
        layout.corner(figure, note)
    return figure


def _times(
    policy: str, arms: int, trials: int, repeats: int, agents: int, threads: int
) -> tuple[np.ndarray, int]:
    """Seconds per trial of every repeat, and of how many trials; compilation is over before."""
    # A world that never pays: every outcome is 0, as in the paper.
    world = StationaryBandit(arms=arms, p=0.0, epsilon=0.0)
    agent = Agent(component("policy", policy.lower()))

    def seconds(horizon: int) -> float:
        result = simulate(world, agent, horizon, agents, checkpoints=[horizon], threads=threads)
        return float(result.attrs["seconds"])

    seconds(min(2, trials))
    probe = seconds(trials)
    # A fast policy plays more trials: starting threads must not count.
    trials = min(max(trials, int(trials * LEAST_SECONDS / probe)), max(trials, 10_000))
    return np.array([seconds(trials) / trials for _ in range(repeats)]), trials


def _panel(axes: Any, frame: "pandas.DataFrame", policies: Sequence[str]) -> None:
    for row in frame.itertuples():
        place, colour = policies.index(row.policy), panels.look(row.policy)["color"]
        axes.plot(
            [row.milliseconds, row.published],
            [place, place],
            color="#BBBBBB",
            linewidth=1,
            zorder=1,
        )
        panels.marks(axes, [row.published], [place], colour)
        axes.plot([row.milliseconds], [place], "o", color=colour, markersize=4.5, zorder=4)
    axes.grid(axis="x", color="#EEEEEE")


def _keys(frame: "pandas.DataFrame") -> list[Any]:
    threads = int(frame.threads.iloc[0])
    plural = "s" if threads > 1 else ""
    ours = {"color": "#555555", "linestyle": "none", "marker": "o", "markersize": 4.5}
    return [layout.key(f"measured ({threads} thread{plural})", **ours), panels.published_key()]


def _title(frame: "pandas.DataFrame") -> str:
    return f"choice and learning, one trial of {int(frame.agents.iloc[0])} agents"
