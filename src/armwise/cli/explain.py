"""`armwise explain`: why an arm, for given beliefs."""

from typing import TYPE_CHECKING, Annotated

import typer

from armwise.cli.agents import agents_of, assumed_rho, numbers
from armwise.cli.options import AsJson
from armwise.cli.output import console, print_json
from armwise.errors import InputError
from armwise.model.agent import Agent

if TYPE_CHECKING:
    import xarray
    from rich.table import Table


def explain(
    policy: Annotated[str, typer.Option("--policy", "-p", help="A policy, such as g-ai:lam=0.25.")],
    alpha: Annotated[str, typer.Option(help="One number per arm: successes, with the prior's.")],
    beta: Annotated[str, typer.Option(help="One number per arm: failures, with the prior's.")],
    trial: Annotated[int, typer.Option("--trial", "-t", help="The trial, counted from 1.")] = 1,
    learner: Annotated[
        str, typer.Option(help="The learner; policies read its rho and prior.")
    ] = "smile",
    choice: Annotated[
        str, typer.Option(help="The choice; softmax gives each arm a probability.")
    ] = "argmax",
    seed: Annotated[int, typer.Option(help="The draws of a policy that draws its scores.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Show how a policy scores the arms, and the named terms of each score.

    The belief about an arm is a Beta distribution with parameters alpha and beta; give one number
    per arm for each. A normal belief has its mean in alpha and its variance in beta. Arms count
    from 0.

    Example:

    `armwise explain --policy g-ai:lam=0.25 --alpha 3,1,2 --beta 1,5,2 --trial 7`
    """
    from armwise.play.explain import explain as explained

    [agent] = agents_of([policy], learner, choice).values()
    if not isinstance(agent, Agent):
        raise InputError(f"{agent.label} is an actor, and has no scores to explain.")
    beliefs = numbers("--alpha", alpha, float), numbers("--beta", beta, float)
    terms = explained(agent, *beliefs, trial=trial, seed=seed)
    rho = assumed_rho(agent.learner, terms.sizes["arm"])
    if as_json:
        arms = [{"arm": i, **_row(terms, i)} for i in range(terms.sizes["arm"])]
        print_json({**terms.attrs, "seed": seed, "assumed_rho": rho, "arms": arms})
        return
    drawn = f"; scores are draws of seed {seed}" if agent.policy.stochastic else ""
    head = f"{agent}; trial {trial}; the agent assumes rho = {rho:g}{drawn}"
    _show(terms, head)


def _row(terms: "xarray.Dataset", arm: int) -> dict[str, float]:
    known = [name for name in ("alpha", "beta", "variance") if name in terms.coords]
    names = [*known, *map(str, terms.data_vars)]
    return {name: float(terms[name].values[arm]) for name in names}


def _show(terms: "xarray.Dataset", head: str) -> None:
    screen, best = console(), _best(terms)
    screen.print(head, markup=False)
    endless = screen.options.update(max_width=1_000)
    for digits, gap in ((6, 1), (5, 1), (4, 1), (4, 0), (3, 0)):  # as there is room for
        table = _table(terms, best, digits, gap)
        if screen.measure(table, options=endless).maximum <= screen.width:
            break
    screen.print(table)
    names = ", ".join(map(str, best))
    screen.print(
        f"Best score: arm {names}." if len(best) == 1 else f"Best score: arms {names} tie."
    )


def _table(terms: "xarray.Dataset", best: list[int], digits: int, gap: int) -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, gap, 0, 0))
    for heading in ("arm", *_row(terms, 0)):
        table.add_column(heading, justify="right", overflow="fold")
    for arm in range(terms.sizes["arm"]):
        cells = [f"{value:.{digits}g}" for value in _row(terms, arm).values()]
        table.add_row(str(arm), *cells, style="bold" if arm in best else None)
    return table


def _best(terms: "xarray.Dataset") -> list[int]:
    from armwise.model.ties import TIE

    scores = terms["score"].values
    top = scores.max()
    return [int(arm) for arm, score in enumerate(scores) if score >= top - TIE * abs(top)]
