"""armwise: means and standard deviations of posteriors, beside those of an independent sampler."""

import statistics
from typing import Any, NamedTuple

import numpy as np

import armwise as aw
from armwise.fitting.diagnostics import ess_bulk
from armwise.fitting.problem import Problem
from parts import joint
from parts.fits import FREE, MEANS, PERSON, SDS, simulated
from parts.table import Options, Table

PEOPLE, TRIALS, SEEDS = 24, 150, 8
LOW, NODES, GAP = np.array([-5.5, -8.5, -3.0]), 67, 0.15  # of the grid of a person's values
CHAINS, WARM_UP, DRAWS, THIN = 2, 20_000, 6_000, 400
QUICK_DRAWS, QUICK_SEEDS = 500, 2
SHIFT, RATIO = 0.1, 0.05  # goals
NUMBERS = [f"{what} of {name}" for what in ("mean", "sd") for name in FREE]
NUMBERS += [f"correlation of {FREE[a]} and {FREE[b]}" for a, b in ((1, 0), (2, 0), (2, 1))]


class Moments(NamedTuple):
    """Of every number of the group: mean and sd of its posterior, with Monte Carlo errors."""

    mean: np.ndarray
    sd: np.ndarray
    mean_error: np.ndarray
    sd_error: np.ndarray


def measure(options: Options) -> list[Table]:
    seeds, draws = (QUICK_SEEDS, QUICK_DRAWS) if options.quick else (SEEDS, DRAWS)
    data = simulated(PEOPLE, TRIALS)
    options.say("posterior: the likelihood on a grid")
    problem = Problem(PERSON, data, FREE)
    task = joint.tabulated(problem, LOW, NODES, GAP)
    start = np.array([*MEANS, *SDS, 0.0, 0.0, 0.0])
    chains = []
    for seed in range(CHAINS):
        options.say(f"posterior: chain {seed + 1} of {CHAINS}")
        chains.append(joint.chain(task, start, WARM_UP, draws, THIN, seed))
    exact = moments_of(np.array([groups for groups, _ in chains]))
    some = np.ascontiguousarray(np.moveaxis(chains[0][1][:: max(1, draws // 100)], 0, 1))
    wrong = joint.largest_error(task, problem, some)
    fits = []
    for seed in range(seeds):
        options.say(f"posterior: fit {seed + 1} of {seeds}")
        fits.append(numbers_of(aw.fit(PERSON, data, FREE, seed=seed).answer))
    sweeps = CHAINS * draws * THIN
    told = (
        f"A-AI with SMiLe, {PEOPLE} people x {TRIALS} trials x 3, so that what choices say of lam "
        f"and of precision apart is little. Exact: a Gibbs sampler of the group and all people, "
        f"{CHAINS} chains, {sweeps:,} sweeps; likelihoods from splines that are wrong by at most "
        f"{wrong:.4f}. Armwise: {seeds} fits with 4 x 500 draws that differ in their seeds. "
        "Difference and its error are in standard deviations of the exact posterior. Errors are "
        "standard errors of Monte Carlo: for armwise, of the mean over fits; in brackets, the "
        "scatter of one fit."
    )
    columns = ["value", ">exact", ">its error", ">difference", ">error [one fit]"]
    columns += [">ratio of sds", ">exact's error", ">error [one fit]", ""]
    rows = rows_of(exact, [(fit.mean(axis=0), fit.std(axis=0)) for fit in fits])
    return [Table("Posterior beside an independent sampler", columns, rows, [told])]


def rows_of(exact: Moments, fits: list[tuple[np.ndarray, np.ndarray]]) -> list[list[str]]:
    rows = []
    for k, name in enumerate(NUMBERS):
        shifts = [float((mean[k] - exact.mean[k]) / exact.sd[k]) for mean, _ in fits]
        ratios = [float(sd[k] / exact.sd[k]) for _, sd in fits]
        shift, ratio = statistics.mean(shifts), statistics.mean(ratios)
        met = abs(shift) <= SHIFT and abs(ratio - 1.0) <= RATIO
        row = [name, f"{exact.mean[k]:.3f} ± {exact.sd[k]:.3f}"]
        row += [f"{exact.mean_error[k] / exact.sd[k]:.3f}", f"{shift:+.3f}", error(shifts)]
        row += [f"{ratio:.3f}", f"{exact.sd_error[k] / exact.sd[k]:.3f}", error(ratios)]
        rows.append([*row, "met" if met else "missed"])
    return rows


def error(values: list[float]) -> str:
    scatter = statistics.stdev(values)
    return f"{scatter / len(values) ** 0.5:.3f} [{scatter:.3f}]"


def moments_of(draws: np.ndarray) -> Moments:
    """Of `draws[chain, draw, number]`."""
    mean, sd = draws.mean(axis=(0, 1)), draws.std(axis=(0, 1))
    squares = (draws - mean) ** 2
    sd_error = squares.std(axis=(0, 1)) / np.sqrt(ess_bulk(squares)) / (2.0 * sd)
    return Moments(mean, sd, sd / np.sqrt(ess_bulk(draws)), sd_error)


def numbers_of(answer: Any) -> np.ndarray:
    """Means, standard deviations and correlations of a fit, [draw, number]."""
    mean, _, sd, _ = answer.layout.split(answer.psi)
    root = answer.layout.root(answer.psi)
    matrix = root @ np.swapaxes(root, 1, 2)
    return np.hstack([mean, sd, matrix[:, [1, 2, 2], [0, 0, 1]]])
