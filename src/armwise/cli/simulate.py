"""`armwise simulate`: let agents play, and compare their regret."""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from armwise import registry
from armwise.cli import comparison, files
from armwise.cli.agents import agents_of, assumed_rho, numbers
from armwise.cli.datasets import labelled
from armwise.cli.options import AsJson, Choice, Device, Learner, Seed, Threads
from armwise.cli.output import console, print_json
from armwise.errors import InputError, require, unknown, whole_number
from armwise.model.agent import Agent
from armwise.model.roles import Actor, Bandit

if TYPE_CHECKING:
    import xarray

Players = dict[str, Agent | Actor]
Policies = Annotated[
    list[str],
    Option(
        "--policy",
        "-p",
        help="A policy, such as a-ai:lam=0.5, or an actor, such as hmm; may be repeated.",
    ),
]
BanditName = Annotated[
    str,
    Option("--bandit", "-b", help="The bandit: switching:arms=20, problem-1; see armwise list."),
]
Horizon = Annotated[int, Option("--horizon", "-T", help="Trials that each agent plays.")]
Agents = Annotated[
    int, Option("--agents", "-N", help="Agents per policy, each with a bandit of its own.")
]
Checkpoints = Annotated[
    str | None,
    Option(help="Trials at which to keep regret, such as 10,100,1000; the last is added."),
]
Every = Annotated[int | None, Option(help="Keep regret at every n-th trial, and at the last.")]
FigureFile = Annotated[
    Path | None, Option(help="Draw regret against trials: a .png, .svg or .pdf file.")
]
Measure = Annotated[str, Option(help="What the figure shows: rate or regret.")]
SaveFile = Annotated[
    Path | None, Option(help="Keep the regret of every agent: a .nc file (netCDF).")
]


def simulate(
    policy: Policies,
    bandit: BanditName = "switching",
    learner: Learner = "smile",
    choice: Choice = "argmax",
    horizon: Horizon = 1000,
    agents: Agents = 1000,
    seed: Seed = 0,
    checkpoints: Checkpoints = None,
    every: Every = None,
    device: Device = "cpu",
    threads: Threads = None,
    figure: FigureFile = None,
    measure: Measure = "rate",
    save: SaveFile = None,
    as_json: AsJson = False,
) -> None:
    """Let many agents play a bandit, and compare the regret of their policies.

    Every policy meets the same bandits, so the differences between policies are paired, agent by
    agent. The table shows the cumulative regret at the last trial, the regret per trial, and the
    difference of regret to the first policy, with 95 % intervals and p values after Holm.

    Example:

    `armwise simulate --bandit switching:arms=10,rho=0.01 --policy a-ai:lam=0.5 --policy o-ts
    --horizon 5000 --agents 1000 --seed 1 --figure regret.png`
    """
    played = registry.component("bandit", bandit)
    given = played.parameters() | {"rho": played.assumed_rho(), "horizon": horizon}
    players = agents_of(policy, learner, choice, **given)
    _check_files(figure, measure, save)
    marks = _checkpoints(checkpoints, every, horizon)
    sizes = {"horizon": horizon, "agents": agents, "seed": seed, "threads": threads}
    _check_size(played, players, sizes, marks)
    # The table and the JSON show the regret at the horizon.
    cell = {**sizes, "checkpoints": [*marks, horizon] if horizon not in marks else [*marks]}
    results = _simulated(played, players, device, cell)
    _write_files(results, figure, measure, save)
    learns = [player for player in players.values() if isinstance(player, Agent)]
    rho = assumed_rho(learns[0].learner, played.arms) if learns else None
    if as_json:
        print_json(comparison.as_data(played, players, results, rho))
    else:
        comparison.show(played, players, results, rho)
        for path in filter(None, (figure, save)):
            console().print(f"Wrote {path}", markup=False, soft_wrap=True)


def _checkpoints(text: str | None, every: int | None, horizon: int) -> Sequence[int]:
    """The trials to keep, checked; --every as a range, which has a length and takes no memory."""
    from armwise.model.draws import TRIALS_MAX
    from armwise.play.checkpoints import checkpoints_of

    if text is not None and every is not None:
        raise InputError("Give --checkpoints or --every, not both.")
    horizon = whole_number("horizon", horizon, 1, TRIALS_MAX)
    if every is not None:
        return range(whole_number("every", every, 1), horizon + 1, every)
    given = None if text is None else numbers("--checkpoints", text, int)
    return checkpoints_of(given, horizon).tolist()


def _check_files(figure: Path | None, measure: str, save: Path | None) -> None:
    from armwise.plotting.regret_curves import MEASURES
    from armwise.plotting.style import ENDINGS

    if measure not in MEASURES:
        raise unknown("measure", measure, MEASURES)
    if figure is not None:
        files.writable("--figure", figure, ENDINGS)
        require("matplotlib")
    if save is not None:
        files.writable("--save", save, [".nc"])
        require("h5netcdf")


def _check_size(
    bandit: Bandit, players: Players, sizes: dict[str, Any], marks: Sequence[int]
) -> None:
    """Refuse what cannot be simulated, or cannot be held all together, before anything starts."""
    from armwise.play.simulate import plan_of, refuse_if_too_large

    for agent in players.values():
        plan = plan_of(bandit, agent, **sizes)
        refuse_if_too_large(plan.agents * len(players), len(marks) + 1, plan.width)


def _simulated(
    bandit: Bandit, players: Players, device: str, cell: dict[str, Any]
) -> "dict[str, xarray.Dataset]":
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from armwise.play.simulate import simulate as run

    screen = console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn())
    results = {}
    bar = Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal)
    with contextlib.nullcontext() if bar.disable else bar:
        task = bar.add_task("", total=len(players) * cell["agents"] * cell["horizon"])
        for label, agent in players.items():
            bar.update(task, description=label)
            results[label] = run(
                bandit, agent, device=device, progress=lambda n: bar.advance(task, n), **cell
            )
    return results


def _write_files(
    results: "dict[str, xarray.Dataset]", figure: Path | None, measure: str, save: Path | None
) -> None:
    if save is not None:
        with files.replacing(save) as draft:
            labelled(results).to_netcdf(draft, engine="h5netcdf")
    if figure is not None:
        from armwise.plotting import regret_curves, style

        with files.replacing(figure) as draft:
            style.save(regret_curves.draw(results, measure), draft)
