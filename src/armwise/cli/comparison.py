"""What `armwise simulate` found, as a table for people and as data for programs."""

import math
from typing import TYPE_CHECKING, Any

from armwise.cli.output import console, plain
from armwise.model.agent import Agent
from armwise.model.roles import Actor, Bandit

if TYPE_CHECKING:
    import xarray

    from armwise.analysis.regret import Comparison

Players = dict[str, Agent | Actor]


def as_data(
    bandit: Bandit, players: Players, results: "dict[str, xarray.Dataset]", rho: float | None
) -> dict[str, Any]:
    """The comparison as plain data; learner and choice are None if every agent is an actor."""
    composed = [agent for agent in players.values() if isinstance(agent, Agent)]
    first = next(iter(results.values()))
    return {
        "bandit": str(bandit),
        "learner": str(composed[0].learner) if composed else None,
        "choice": str(composed[0].choice) if composed else None,
        "horizon": first.attrs["horizon"],
        "agents": first.sizes["agent"],
        "seed": int(first["seed"]),
        "assumed_rho": rho,
        "policies": [_policy(label, players[label], result) for label, result in results.items()],
        "comparisons": [pair._asdict() for pair in comparisons(results).values()],
    }


def _policy(label: str, agent: Agent | Actor, result: "xarray.Dataset") -> dict[str, Any]:
    from armwise.plotting.regret_curves import summarised

    table = summarised(result)
    last = table.isel(trial=-1)
    return {
        "label": label,
        "policy": str(agent.policy if isinstance(agent, Agent) else agent),
        "checkpoints": table["trial"].values,
        "mean_regret": table["mean_regret"].values,
        "sem": table["sem"].values,
        "regret_rate": float(last["rate"]),
        "ci95": [float(last["rate_low"]), float(last["rate_high"])],
        "agents": result.sizes["agent"],
        "seconds": float(result.attrs["seconds"]),
    }


def comparisons(results: "dict[str, xarray.Dataset]") -> "dict[str, Comparison]":
    """How the regret of each policy but the first differs from the first's, at the horizon."""
    from armwise.analysis.regret import paired

    if len(results) < 2 or next(iter(results.values())).sizes["agent"] < 2:
        return {}
    return {pair.first: pair for pair in paired(results)}


def show(
    bandit: Bandit, players: Players, results: "dict[str, xarray.Dataset]", rho: float | None
) -> None:
    """Print a table."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    data = as_data(bandit, players, results, rho)
    screen = console()
    size = ", ".join(f"{name} {data[name]}" for name in ("agents", "horizon", "seed"))
    screen.print(f"{data['bandit']}; {size}", markup=False)
    if rho is not None:
        parts = f"{data['learner']}; {data['choice']}; {_assumption(bandit, rho)}"
        screen.print(parts, markup=False)
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("policy", no_wrap=True)
    headings, compared = ["regret", "rate (95 %)"], comparisons(results)
    if compared:
        headings += [f"difference to {escape(next(iter(results)))} (95 %)", "p (Holm)"]
    for heading in headings:
        table.add_column(heading, justify="right", overflow="fold")
    for policy in data["policies"]:
        pair = compared.get(policy["label"])
        table.add_row(plain(policy["label"]), *_own(policy), *(_other(pair) if compared else ()))
    screen.print(table)


def _assumption(bandit: Bandit, rho: float) -> str:
    true = bandit.assumed_rho()
    suffix = "as the bandit has" if rho == true else f"the bandit has {true:g}"
    return f"agents assume rho = {rho:g} ({suffix})"


def _own(policy: dict[str, Any]) -> tuple[str, ...]:
    """Regret, and the rate with half of its interval, which is symmetric."""
    low, high = policy["ci95"]
    rate = f"{policy['regret_rate']:.5f}"
    margin = "" if math.isnan(low) else f" ± {(high - low) / 2:.5f}"
    return rounded(float(policy["mean_regret"][-1])), rate + margin


def _other(pair: "Comparison | None") -> tuple[str, ...]:
    if pair is None:
        return "", ""
    p = "< 0.001" if pair.p_holm < 0.001 else f"{pair.p_holm:.3f}"
    digits = digits_of(pair.difference)
    margin = (pair.high - pair.low) / 2
    return f"{pair.difference:+.{digits}f} ± {margin:.{digits}f}", p


def rounded(value: float) -> str:
    """A number with about four digits, never in scientific notation.

    >>> rounded(12345.678), rounded(12.345678), rounded(-0.012345)
    ('12345.7', '12.35', '-0.0123')
    """
    return f"{value:.{digits_of(value)}f}"


def digits_of(value: float) -> int:
    """How many digits after the point make about four in all.

    >>> digits_of(12345.678), digits_of(0.012345)
    (1, 4)
    """
    return 1 if abs(value) >= 100 else 2 if abs(value) >= 10 else 3 if abs(value) >= 1 else 4
