"""armwise: whether posteriors are as sure as they may be; groups add up in a file."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import armwise as aw
from armwise.engine.batch import simulate_people
from armwise.fitting.calibrate import calibration, group_from_prior, inside_of, ranks_of
from armwise.fitting.parameters import free_parameters
from parts.fits import ARMS, FREE, PERSON
from parts.table import Options, Table

GROUPS, PEOPLE, TRIALS, DRAWS = 200, 20, 150, 200
FREE_ONES = free_parameters(PERSON, FREE)


def measure(options: Options) -> list[Table]:
    """Groups that are in the file are not made again; it is named by ARMWISE_CALIBRATION."""
    path = Path(os.environ.get("ARMWISE_CALIBRATION", "benchmarks/calibration.jsonl"))
    return [table_of(made(path, 4 if options.quick else GROUPS, one, options.say))]


def made(
    path: Path, groups: int, one: Callable[[int], dict[str, Any]], say: Callable[[str], None]
) -> list[dict[str, Any]]:
    """What came of so many groups; those that are not in the file are made, and added to it."""
    kept = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    known = {each["group"]: each for each in map(json.loads, kept)}
    for number in range(groups):
        if number not in known:
            say(f"calibration: group {number + 1} of {groups}")
            known[number] = one(number)
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(known[number]) + "\n")
    return [known[number] for number in range(groups)]


def one(number: int) -> dict[str, Any]:
    """A group from the prior, fitted: ranks of its values, and the share of people's intervals."""
    rng = np.random.default_rng([16, number])
    mean, root = group_from_prior(FREE_ONES, rng)
    values = FREE_ONES.natural(mean + rng.standard_normal((PEOPLE, len(mean))) @ root.T)
    bandit = aw.SwitchingBandit(arms=ARMS, epsilon=0.6, rho=1 / 15, p=0.2)
    seed = int(rng.integers(1 << 62))
    told = simulate_people(bandit, PERSON, FREE, values, TRIALS, seed)
    pairs = zip(told.choices.tolist(), told.outcomes.tolist(), strict=True)
    data = aw.load_choices(list(pairs), arms=ARMS)
    started = time.process_time()
    fit = aw.fit(PERSON, data, FREE, draws=DRAWS, seed=number)
    seconds = time.process_time() - started
    ranks = ranks_of(fit.answer, mean, root, rng).tolist()
    inside = inside_of(fit.people(), FREE_ONES.names, values)
    return {"group": number, "seconds": seconds, "ranks": ranks, "inside": inside}


def table_of(known: list[dict[str, Any]]) -> Table:
    names = tuple(FREE_ONES.names)
    ranks, inside = (np.array([each[name] for each in known]) for name in ("ranks", "inside"))
    found = calibration("A-AI with SMiLe", names, ranks, inside, "bayes")
    rows = [
        [str(name), f"{row.p:.3f}", f"{row.coverage:.1%}"] for name, row in found.table.iterrows()
    ]
    each = inside.mean(axis=1)
    error = each.std(ddof=1) / np.sqrt(len(each))
    told = (
        f"{len(known)} groups drawn from the prior, {PEOPLE} people x {TRIALS} trials x 3, fitted "
        f"by Bayes' rule with 4 x {DRAWS} draws. p: a chi-squared test that ranks of the truth "
        "among 99 draws are uniform. Coverage: intervals of 94 % that hold the truth."
    )
    shares = ", ".join(f"{n} {s:.1%}" for n, s in zip(names, inside.mean(axis=0), strict=True))
    people = (
        f"Intervals of 94 % of people's values hold {each.mean():.1%} (standard error {error:.1%}, "
        f"over groups): {shares}."
    )
    return Table("Calibration of posteriors", ["value", ">p", ">coverage"], rows, [told, people])
