"""Summaries of regret: rates, intervals, paired comparisons, stuck agents and bounds."""

import functools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from armwise.analysis.information import InformationRatio, information_ratio
from armwise.analysis.intervals import (
    Interval,
    binomial_interval,
    bootstrap_interval,
    holm,
    mean_interval,
    plain,
)
from armwise.errors import InputError, brief, listed, real_number, unknown, whole_number
from armwise.model.roles import Bandit
from armwise.numerics.divergence import kl
from armwise.numerics.student import student_sf

if TYPE_CHECKING:
    import xarray

__all__ = [
    "Comparison",
    "InformationRatio",
    "Interval",
    "bernoulli_divergence",
    "binomial_interval",
    "bootstrap_interval",
    "holm",
    "information_ratio",
    "lai_robbins",
    "lai_robbins_bound",
    "mean_interval",
    "paired",
    "random_choice_regret",
    "rate",
    "stuck",
    "stuck_fraction",
    "summary",
]


class Comparison(NamedTuple):
    """The regret of `first` minus that of `second`, agent by agent: below 0, `first` is better."""

    first: str
    second: str
    difference: float
    low: float
    high: float
    sem: float
    t: float
    p: float
    p_holm: float
    relative: float  # the difference in units of the mean regret of `second`


def rate(result: "xarray.Dataset") -> "xarray.DataArray":
    """The regret per trial so far, R_T / T, of every agent.

    >>> import xarray
    >>> result = xarray.Dataset({"regret": (("agent", "trial"), [[1.0, 3.0]])}, {"trial": [10, 20]})
    >>> rate(result).values
    array([[0.1 , 0.15]])
    """
    found = _regret(result) / result["trial"]
    return found.rename("rate").assign_attrs(long_name="regret rate")


def summary(result: "xarray.Dataset", confidence: float = 0.95) -> "xarray.Dataset":
    """Mean regret and regret rate over agents at every trial, with Student's intervals.

    >>> import xarray
    >>> regret = [[1.0, 3.0], [2.0, 3.0]]
    >>> result = xarray.Dataset({"regret": (("agent", "trial"), regret)}, {"trial": [10, 20]})
    >>> summary(result).mean_regret.values, summary(result).rate.values
    (array([1.5, 3. ]), array([0.15, 0.15]))
    """
    import xarray

    regret = _regret(result)
    names = ("mean_regret", "low", "high", "sem")
    parts = zip(names, mean_interval(regret.values, confidence), strict=True)
    coords = regret.isel(agent=0, drop=True).coords
    attrs = {**result.attrs, "agents": regret.sizes["agent"], "confidence": confidence}
    found = xarray.Dataset({name: ("trial", part) for name, part in parts}, coords, attrs)
    for name, source in (("rate", "mean_regret"), ("rate_low", "low"), ("rate_high", "high")):
        found[name] = found[source] / found["trial"]
    return found


def paired(
    results: "Mapping[str, xarray.Dataset] | Sequence[xarray.Dataset]",
    trial: int | None = None,
    against: int | str = 0,
    confidence: float = 0.95,
) -> list[Comparison]:
    """Compare the regret of each result with that of `against`, agent by agent, at `trial`.

    Seed, agents and bandit must be equal, so that all agents met the same bandits. `trial` is by
    default the last common checkpoint. The tests are two-sided paired t tests; `p_holm` is adjusted
    for all of them.

    >>> from armwise import Agent, RandomChoice, StationaryBandit, ThompsonSampling

    >>> from armwise import simulate
    >>> options = dict(horizon=50, agents=8, device="python")
    >>> random = simulate(StationaryBandit(epsilon=0.4), Agent(RandomChoice()), **options)
    >>> thompson = simulate(StationaryBandit(epsilon=0.4), Agent(ThompsonSampling()), **options)
    >>> [found] = paired([random, thompson])
    >>> found.first, found.second, found.difference < 0
    ('TS', 'RC', True)
    """
    named = _labelled(results)
    labels = list(named)
    if len(labels) < 2:
        raise InputError(f"A comparison needs at least two results, not {len(labels)}.")
    if not isinstance(against, str):
        against = labels[whole_number("against", against, 0, len(labels))]
    elif against not in named:
        raise unknown("result", against, labels)
    others = [label for label in labels if label != against]
    for label in others:
        _same_bandits(label, _bandit_of(named[label]), against, _bandit_of(named[against]))
    marks = [result["trial"].values for result in named.values()]
    common = functools.reduce(lambda one, two: np.intersect1d(one, two), marks)
    if not len(common):
        raise InputError(f"Paired results must share a checkpoint, unlike {', '.join(labels)}.")
    trial, base = _at(named[against], trial, common)
    regrets = {label: _at(named[label], trial, common)[1] for label in others}
    found = [compared(label, regrets[label], against, base, confidence) for label in others]
    adjusted = holm([one.p for one in found]).tolist()
    return [one._replace(p_holm=p) for one, p in zip(found, adjusted, strict=True)]


def stuck(regret: np.ndarray, epsilon: float, trials: Any) -> np.ndarray:
    """Whether each agent has more than half of the largest possible regret: R_T > epsilon T / 2.

    >>> stuck(np.array([4.0, 6.0]), 0.1, 100)
    array([False,  True])
    """
    return regret > 0.5 * epsilon * trials


def stuck_fraction(
    result: "xarray.Dataset", trial: int | None = None, confidence: float = 0.95
) -> tuple[float, float, float]:
    """The fraction of agents that are stuck, and the ends of its exact binomial interval.

    >>> import xarray
    >>> regret = ("agent", "trial"), [[4.0], [6.0], [9.0], [1.0]]
    >>> result = xarray.Dataset({"regret": regret}, {"trial": [100], "bandit_epsilon": 0.1})
    >>> stuck_fraction(result)[0]
    0.5
    """
    coords = _regret(result).coords
    if "bandit_epsilon" not in coords:
        bandit = str(np.asarray(coords.get("bandit", "this one")))
        raise InputError(f"Stuck agents need a bandit with epsilon, unlike {bandit}.")
    trial, regret = _at(result, trial, result["trial"].values)
    lost = stuck(regret, float(coords["bandit_epsilon"]), trial)
    return binomial_interval(int(lost.sum()), len(lost), confidence)[:3]


def bernoulli_divergence(p: float, q: float) -> float:
    """The divergence of two Bernoulli distributions.

    KL(p, q) = p ln(p / q) + (1 - p) ln((1 - p) / (1 - q))

    >>> bernoulli_divergence(0.5, 0.5), round(bernoulli_divergence(0.5, 0.7), 6)
    (0.0, 0.087177)
    """
    return kl(real_number("p", p, 0.0, 1.0, "[]"), real_number("q", q, 0.0, 1.0, "[]"))


def lai_robbins(arms: int, epsilon: float, p: float = 0.5) -> float:
    """The constant of Lai and Robbins (1985): omega = (K - 1) epsilon / KL(p, p + epsilon).

    For p = 1/2 it is 2 epsilon (K - 1) / (-ln(1 - 4 epsilon^2)).

    >>> round(lai_robbins(10, 0.1), 3)
    44.094
    """
    # Misprints of the paper: ln(1 + 4 epsilon^2) for -ln(1 - 4 epsilon^2), 17 % too high at
    # epsilon = .2; and KL with swapped arguments, although the worse arm must come first.
    arms = whole_number("arms", arms, 2)
    p = real_number("p", p, 0.0, 1.0)
    epsilon = real_number("epsilon", epsilon, 0.0, 1.0 - p, "(]")
    return (arms - 1) * epsilon / bernoulli_divergence(p, p + epsilon)


def lai_robbins_bound(arms: int, epsilon: float, trials: Any, p: float = 0.5) -> Any:
    """The asymptotic lower bound omega ln t on the regret of any good policy, up to an offset.

    >>> round(lai_robbins_bound(10, 0.1, 1000), 1)
    304.6
    """
    return plain(lai_robbins(arms, epsilon, p) * np.log(_from_one(trials)))


def random_choice_regret(bandit: Bandit, trials: Any) -> Any:
    """The expected regret of uniformly random choices, for a number of trials or an array of them.

    It is T epsilon (K - 1) / K for the stationary and the switching bandit, T (K / (K + 1) - 1/2)
    for the varying bandit, and T `random_rate()` in general.

    >>> from armwise import StationaryBandit
    >>> round(random_choice_regret(StationaryBandit(arms=10, epsilon=0.1), 1000), 9)
    90.0
    """
    if not isinstance(bandit, Bandit):
        raise InputError(f"The bandit must be one such as SwitchingBandit(), not {brief(bandit)}.")
    return plain(_from_one(trials) * bandit.random_rate())


def _regret(result: "xarray.Dataset") -> "xarray.DataArray":
    regret = getattr(result, "data_vars", {}).get("regret")
    if regret is None or set(regret.dims) != {"agent", "trial"}:
        kind = type(result).__name__ if regret is None else f"[{', '.join(map(str, regret.dims))}]"
        raise InputError(f"A result must be a Dataset with regret[agent, trial], not {kind}.")
    return regret.transpose("agent", "trial")


def _at(result: "xarray.Dataset", trial: int | None, marks: np.ndarray) -> tuple[int, np.ndarray]:
    trial = int(marks[-1]) if trial is None else whole_number("trial", trial, 1)
    if trial not in marks:
        near = int(marks[np.argmin(abs(marks - trial))])
        raise InputError(f"trial must be a checkpoint, such as {near}, not {trial}.")
    return trial, _regret(result).sel(trial=trial).values


def _labelled(results: Any) -> "dict[str, xarray.Dataset]":
    if isinstance(results, Mapping):
        return {str(label): result for label, result in results.items()}
    results = listed("results", results, "[one, other]")
    found = [_regret(result).coords for result in results]
    whole = [str(result.attrs.get("agent", "?")) for result in results]
    short = [c.get("policy", c.get("actor", agent)) for c, agent in zip(found, whole, strict=True)]
    # If a policy occurs with several settings, the whole agent is the label.
    for labels in ([str(np.asarray(label)) for label in short], whole):
        if len(set(labels)) == len(labels):
            return dict(zip(labels, results, strict=True))
    raise InputError(f"Results must have different labels, unlike {' and '.join(whole)}.")


def _bandit_of(result: "xarray.Dataset") -> dict[str, Any]:
    coords, agents = _regret(result).coords, result["agent"].values.tolist()
    found = {"agents": f"{len(agents)} from number {min(agents)}", "agent numbers": agents}
    for name, value in coords.items():
        if name in ("seed", "bandit") or str(name).startswith("bandit_"):
            found[str(name)] = value.values.tolist()
    return found


def _same_bandits(first: str, one: dict[str, Any], second: str, two: dict[str, Any]) -> None:
    for name in one | two:
        if one.get(name) != two.get(name):
            raise InputError(
                f"Paired results must come from the same bandit, but {name} is {one.get(name)} in "
                f"{first} and {two.get(name)} in {second}."
            )


def compared(
    first: str, one: np.ndarray, second: str, two: np.ndarray, confidence: float = 0.95
) -> Comparison:
    """Compare regrets of the same agents, number by number, with a paired t test.

    >>> compared("A", np.array([1.0, 2.0, 4.0]), "B", np.array([2.0, 4.0, 5.0])).difference
    -1.3333333333333333
    """
    mean, low, high, sem = mean_interval(one - two, confidence)
    t, p = (math.copysign(math.inf, mean), 0.0) if mean else (0.0, 1.0)
    if sem > 0.0:
        t = mean / sem
        p = min(1.0, 2.0 * student_sf(abs(t), len(one) - 1.0))
    base = float(two.mean())
    relative = mean / base if base else math.nan
    return Comparison(first, second, mean, low, high, sem, t, p, p, relative)


def _from_one(trials: Any) -> np.ndarray:
    found = np.asarray(trials, dtype=float)
    if not np.all(found >= 1.0):
        raise InputError(f"trials must be at least 1, not {found.min():g}.")
    return found
