"""`armwise compare`: which of several agents describes people, and can that be told at all."""

from typing import Annotated, Any

import typer

from armwise.cli.fit import compared, comparison_as_data
from armwise.cli.options import AsJson, FitDevice, Threads
from armwise.cli.output import console, print_json
from armwise.cli.studies import BanditOfTask, Confusion, FitStore, PageFolder, Target
from armwise.cli.watch import Watch
from armwise.errors import InputError


def compare(
    target: Target,
    confusion: Confusion = 1,
    bandit: BanditOfTask = None,
    seed: Annotated[int, typer.Option(help="Of the simulated people.")] = 0,
    store: FitStore = None,
    out: PageFolder = None,
    threads: Threads = None,
    device: FitDevice = "cpu",
    as_json: AsJson = False,
) -> None:
    """Compare agents by people who are left out, by evidence, and by random effects.

    Agents are also told apart on simulated people, in the sizes of the data; a winner is named only
    if that works. What a store holds is not computed again.

    Example:

    `armwise compare models.toml --store fits --confusion 2 --out report`
    """
    from armwise.fitting.study import Study

    study = Study.from_file(target).playing(bandit)
    if target.is_dir():
        store = store or target
    if len(study.agent) < 2:
        raise InputError(f"{target} has one agent; two or more are compared.")
    if study.method == "ml":
        raise InputError("Maximum likelihood knows no evidence: set method to 'eb' or 'bayes'.")
    if out is not None:
        from armwise.fitting import page

        page.prepare(out)
    count = len(study.agent)
    steps = [1.0] * count + [float(count)] * count * confusion  # a group is fitted by all
    with Watch(store, steps) as watch:
        asked: dict[str, Any] = {"threads": threads, "device": device}
        fits = study.fits(watch.say, simulated=confusion > 0, store=store, **asked)
        made: dict[str, Any] = {"confusion": confusion, "seed": seed, "bandit": study.task()}
        found = compared(fits, say=watch.say, **asked, **made)
    assert found is not None
    if as_json:
        print_json(comparison_as_data(found))
    else:
        console().print(str(found), markup=False, soft_wrap=True)
    if out is not None:
        written = page.write(out, fits, found)
        console(stderr=True).print(f"The page is {written}.", markup=False, soft_wrap=True)
