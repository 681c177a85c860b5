"""`armwise fit`: agents fitted to the recorded choices of people."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from armwise.cli.options import AsJson, FitDevice, Threads
from armwise.cli.output import console, plain, print_json
from armwise.cli.studies import FitStore, PageFolder, Source, study_of
from armwise.cli.watch import Watch

if TYPE_CHECKING:
    from armwise.fitting.compare import Comparison
    from armwise.fitting.fitted import Fitted


def fit(
    data: Source,
    policy: Annotated[
        str | None, typer.Option("--policy", "-p", help="A policy, such as a-ai:lam=0.5.")
    ] = None,
    learner: Annotated[
        str | None, typer.Option(help="How the agent learns, such as smile.")
    ] = None,
    choice: Annotated[
        str | None, typer.Option(help="How scores become an arm: softmax or habitual:lapse=0.02.")
    ] = None,
    free: Annotated[
        list[str] | None,
        typer.Option(
            help="A free parameter, with a prior or without: lam~lognormal(0.5,1). Repeat."
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="What to call the agent.")] = None,
    column: Annotated[
        list[str] | None, typer.Option(help="How a column is called: choice=response. Repeat.")
    ] = None,
    arms: Annotated[str | None, typer.Option(help="All arms, or their number.")] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(help="A choice to pass over, such as none. Repeat.")
    ] = None,
    where: Annotated[
        list[str] | None, typer.Option(help="Only rows with column=value. Repeat.")
    ] = None,
    method: Annotated[
        str | None, typer.Option(help="bayes, eb (fast) or ml (no group).", show_default="bayes")
    ] = None,
    by: Annotated[str | None, typer.Option(help="A column of groups to compare.")] = None,
    regress: Annotated[
        list[str] | None, typer.Option(help="A column of numbers to regress on. Repeat.")
    ] = None,
    nested: Annotated[
        str | None, typer.Option(help="A column of sessions, which vary around their person.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same numbers.")] = 0,
    store: FitStore = None,
    out: PageFolder = None,
    threads: Threads = None,
    device: FitDevice = "cpu",
    as_json: AsJson = False,
) -> None:
    """Fit agents to people, and compare them if there are several.

    DATA has one row per trial with the columns subject, choice and outcome, and perhaps block,
    trial and others. An agent is a policy, a learner and a choice with a probability.

    Examples:

    `armwise fit reversal --policy mean --learner rw --free rate --free precision`

    `armwise fit models.toml --store fits --out report`
    """
    options = {"policy": policy, "learner": learner, "choice": choice, "free": free, "name": name}
    reading = {"column": column, "arms": arms, "ignore": ignore, "where": where}
    asked = {"method": method, "by": by, "regress": regress, "nested": nested, "seed": seed}
    study = study_of(data, **options, **reading, **asked)
    if out is not None:
        from armwise.fitting import page

        page.prepare(out)
    if store is not None:
        study.remember(store)
    with Watch(store, [1.0] * len(study.agent)) as watch:
        fits = study.fits(watch.say, store=store, threads=threads, device=device)
        comparison = compared(fits, threads, device=device) if len(fits) > 1 else None
    if as_json:
        print_json(as_data(fits, comparison))
    else:
        show(fits, comparison)
    if out is not None:
        written = page.write(out, fits, comparison)
        console(stderr=True).print(f"The page is {written}.", markup=False, soft_wrap=True)


def compared(fits: "dict[str, Any]", threads: int | None, **options: Any) -> "Comparison | None":
    """The comparison of fits that have a group; None after maximum likelihood."""
    from armwise.fitting.compare import compare

    if any(each.method == "ml" for each in fits.values()):
        return None
    return compare(fits, threads=threads, **options)


def show(fits: "dict[str, Any]", comparison: "Comparison | None") -> None:
    """Print what was found."""
    screen = console()
    for name, each in fits.items():
        if len(fits) > 1:
            screen.print(plain(name), style="bold underline")
            screen.print()
        screen.print(f"{each}\n", markup=False, soft_wrap=True)
    if comparison is not None:
        screen.print(str(comparison), markup=False, soft_wrap=True)


def as_data(fits: "dict[str, Fitted]", comparison: "Comparison | None") -> dict[str, Any]:
    """Everything as plain data."""
    first = next(iter(fits.values())).data
    found: dict[str, Any] = {
        "data": {
            "source": first.source,
            "people": len(first),
            "choices": int((first.sequences.choices >= 0).sum()),
            "arms": list(first.arms),
            "notes": list(first.notes),
        },
        "models": {name: model_as_data(each) for name, each in fits.items()},
    }
    if comparison is not None:
        found["comparison"] = comparison_as_data(comparison)
    return found


def model_as_data(fit: Any) -> dict[str, Any]:
    """One fit as plain data."""
    people = fit.people().reset_index().to_dict(orient="records")
    header, *lines = fit.answer.group_lines()
    found = {
        "agent": str(fit.agent),
        "method": fit.method,
        "free": list(fit.names),
        "notes": list(fit.notes),
        "group": [dict(zip(header, line, strict=True)) for line in lines],
        "people": people,
    }
    if fit.nested is not None:
        found["sessions"] = fit.sessions().reset_index().to_dict(orient="records")
    if fit.method != "ml":
        found["log_evidence"] = fit.log_evidence()
    if fit.method == "bayes":
        found["elpd"] = fit.elpd()
    return found


def comparison_as_data(comparison: "Comparison") -> dict[str, Any]:
    """A comparison as plain data."""
    confused = comparison.confusion
    return {
        "criterion": comparison.criterion,
        "models": comparison.table.reset_index().to_dict(orient="records"),
        "best": comparison.best,
        "winner": comparison.winner,
        "rivals": comparison.rivals,
        "sentences": comparison.sentences(),
        "confusion": None
        if confused is None
        else {"models": confused.names, "persons": confused.persons, "groups": confused.groups},
    }
