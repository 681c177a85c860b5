"""armwise: whether posteriors of people and their sessions are as sure as they may be."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

import armwise as aw
from armwise.engine.batch import simulate_people
from armwise.fitting.parameters import free_parameters
from parts.calibration import made
from parts.table import Options, Table

GROUPS, PEOPLE, SESSIONS, TRIALS, DRAWS = 60, 10, 2, 80, 100
LEVEL, BINS = 0.94, 6
PERSON = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(rate=0.4), aw.Softmax())
FREE = {"precision": "lognormal(4, 0.5)"}
NUMBERS = ["mean", "sd of people", "sd of sessions", "people", "sessions"]


def measure(options: Options) -> list[Table]:
    """Groups that are in the file are not made again; ARMWISE_NESTED_CALIBRATION names it."""
    default = "benchmarks/nested_calibration.jsonl"
    path = Path(os.environ.get("ARMWISE_NESTED_CALIBRATION", default))
    known = made(path, 4 if options.quick else GROUPS, one, options.say)
    return [table_of(np.array([each["shares"] for each in known]))]


def one(number: int) -> dict[str, Any]:
    """A group from the prior, fitted: the share of draws below each true value.

    People and sessions are represented by one of each, since those of a group are not independent.
    """
    rng = np.random.default_rng([17, number])
    [free] = free_parameters(PERSON, FREE)
    mean = free.center + free.width * rng.standard_normal()
    between, within = free.spread * np.abs(rng.standard_normal(2))
    owners = np.repeat(np.arange(PEOPLE), SESSIONS)
    people = mean + between * rng.standard_normal(PEOPLE)
    x = people[owners] + within * rng.standard_normal(len(owners))
    data = chosen(x, owners, int(rng.integers(1 << 62)))
    fit = aw.fit(PERSON, data, FREE, nested="session", draws=DRAWS, seed=number)
    answer = fit.answer
    draws = [answer.psi[:, 0], answer.psi[:, 1], answer.within[:, 1]]
    draws += [answer.flat[:, 0, 0], answer.flat_sessions[:, 0, 0]]
    true = [mean, between, within, people[0], x[0]]
    shares = [float((own < value).mean()) for own, value in zip(draws, true, strict=True)]
    return {"group": number, "shares": shares}


def chosen(x: np.ndarray, owners: np.ndarray, seed: int) -> Any:
    """Choices of sessions whose values on the real line are these."""
    bandit = aw.SwitchingBandit(arms=3, epsilon=0.6, rho=0.1, p=0.2)
    told = simulate_people(bandit, PERSON, ["precision"], np.exp(x)[:, None], TRIALS, seed)
    rows = {"subject": np.repeat(owners, TRIALS)}
    rows["session"] = np.repeat(np.tile(np.arange(SESSIONS), PEOPLE), TRIALS)
    rows |= {"choice": told.choices.ravel(), "outcome": told.outcomes.ravel()}
    return aw.load_choices(pd.DataFrame(rows), arms=3)


def table_of(shares: np.ndarray) -> Table:
    """A test of every number: `shares[group, number]` are uniform if the fit is right."""
    rows, low = [], (1.0 - LEVEL) / 2.0
    for name, column in zip(NUMBERS, shares.T, strict=True):
        counts, _ = np.histogram(column, BINS, (0.0, 1.0))
        inside = ((column >= low) & (column <= 1.0 - low)).mean()
        p = stats.chisquare(counts).pvalue, stats.kstest(column, "uniform").pvalue
        rows.append([name, *(f"{each:.3f}" for each in p), f"{inside:.1%}"])
    told = (
        f"{len(shares)} groups drawn from the prior, {PEOPLE} people x {SESSIONS} sessions x "
        f"{TRIALS} trials, RW with a free precision, fitted with `nested` and 4 x {DRAWS} draws. "
        f"p: a chi-squared test with {BINS} bins, and Kolmogorov's, that the share of draws below "
        "the truth is uniform; of people and sessions, the first of every group. Coverage: "
        "intervals of 94 % that hold the truth."
    )
    columns = ["value", ">p, chi-squared", ">p, Kolmogorov", ">coverage"]
    return Table("Calibration of posteriors with sessions", columns, rows, [told])
