"""`armwise recover`: what choices like these can tell about parameters."""

from typing import Annotated, Any

import typer

from armwise.cli.options import AsJson, FitDevice, Threads
from armwise.cli.output import console, plain, print_json
from armwise.cli.studies import BanditOfTask, FitStore, PageFolder, Target
from armwise.cli.watch import Watch
from armwise.errors import unknown


def recover(
    target: Target,
    model: Annotated[str | None, typer.Option(help="One of the agents; all unless given.")] = None,
    people: Annotated[
        int | None, typer.Option(help="How many to simulate; as many as in the data unless given.")
    ] = None,
    bandit: BanditOfTask = None,
    seed: Annotated[int, typer.Option(help="Of the simulated people.")] = 0,
    store: FitStore = None,
    out: PageFolder = None,
    threads: Threads = None,
    device: FitDevice = "cpu",
    as_json: AsJson = False,
) -> None:
    """Simulate people with known values in the sizes of the data, and fit them again.

    Example:

    `armwise recover models.toml --store fits`
    """
    from armwise.fitting.recover import recover as recovered
    from armwise.fitting.study import Study

    study = Study.from_file(target).playing(bandit)
    if target.is_dir():
        store = store or target
    names = list(study.models())
    if model is not None and model not in names:
        raise unknown("agent", model, names, where=f" in {target}")
    if out is not None:
        from armwise.fitting import page

        page.prepare(out)
    if model is not None:
        study = study.model_copy(update={"agent": [study.agent[names.index(model)]]})
    found = {}
    with Watch(store, [1.0] * 2 * len(study.agent)) as watch:
        asked: dict[str, Any] = {"threads": threads, "device": device}
        fits = study.fits(watch.say, simulated=True, store=store, **asked)
        for name, each in fits.items():
            watch.say(f"recovering {name}")
            made: dict[str, Any] = {"people": people, "seed": seed, "bandit": study.task()}
            found[name] = recovered(each, **asked, **made)
    if as_json:
        rows = {n: each.table.reset_index().to_dict(orient="records") for n, each in found.items()}
        print_json({"models": rows})
    else:
        for name, each in found.items():
            if len(found) > 1:
                console().print(plain(name), style="bold underline")
                console().print()
            console().print(f"{each}\n", markup=False, soft_wrap=True)
    if out is not None:
        checks = {name: {"recovery": each} for name, each in found.items()}
        written = page.write(out, fits, None, checks)
        console(stderr=True).print(f"The page is {written}.", markup=False, soft_wrap=True)
