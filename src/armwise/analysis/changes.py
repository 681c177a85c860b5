"""Measures for changing bandits: change points, regret after a change, recovery, detection, alarms.

All functions read a result that holds every trial:

    simulate(..., checkpoints=every(1), record=["arm", "theta", "gamma"])

A change is a trial in which a theta differs from that of the trial before. Trials since a change
are counted from 0, the trial of the change itself, and end before the next change.
"""

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.errors import InputError, real_number, whole_number

if TYPE_CHECKING:
    import xarray

_RECORDS = {"chosen": "arm", "theta": "theta", "gamma": "gamma"}


def change_points(result: "xarray.Dataset") -> "dict[int, np.ndarray]":
    """The trials, by agent, in which the bandit of that agent changed.

    >>> import xarray
    >>> theta = [[[0.9, 0.1], [0.9, 0.1], [0.2, 0.7], [0.2, 0.7]]]
    >>> axes = {"agent": [5], "trial": [1, 2, 3, 4]}
    >>> change_points(xarray.Dataset({"theta": (("agent", "trial", "arm"), theta)}, axes))
    {5: array([3])}
    """
    theta = _every_trial(result, "theta")
    agents = result["agent"].values.tolist()
    return {
        agent: 2 + np.flatnonzero((row[1:] != row[:-1]).any(axis=1))
        for agent, row in zip(agents, theta, strict=True)
    }


def regret_since_change(result: "xarray.Dataset", trials: int = 100) -> "xarray.DataArray":
    """The mean regret of one trial, by the number of trials since the last change: `[since]`.

    The mean is over all changes of all agents that had no other change before that trial. The
    coordinate `changes` is their number; if it is 0, the mean is NaN.

    >>> import xarray
    >>> theta = [[[0.9, 0.1]] * 2 + [[0.1, 0.9]] * 3]
    >>> data = {"theta": (("agent", "trial", "arm"), theta)}
    >>> data["regret"] = ("agent", "trial"), [[0.0, 0.0, 0.8, 1.6, 1.6]]
    >>> result = xarray.Dataset(data, {"agent": [0], "trial": [1, 2, 3, 4, 5]})
    >>> regret_since_change(result, trials=4).values.round(3)
    array([0.8, 0.8, 0. , nan])
    """
    import xarray

    trials = whole_number("trials", trials, 1)
    paid = np.diff(_every_trial(result, "regret"), axis=1, prepend=0.0)
    total, count = np.zeros(trials), np.zeros(trials, dtype=np.int64)
    for row, first, end in _segments(result):
        piece = paid[row, first:end][:trials]
        total[: len(piece)] += piece
        count[: len(piece)] += 1
    mean = np.divide(total, count, out=np.full(trials, np.nan), where=count > 0)
    axes = {"since": np.arange(trials), "changes": ("since", count)}
    attrs = {"long_name": "mean regret of a trial since the last change"}
    return xarray.DataArray(mean, axes, ("since",), "regret", attrs)


def trials_to_recover(
    result: "xarray.Dataset", share: float = 0.8, window: int = 10
) -> "xarray.DataArray":
    """The number of trials after every change until the best arm is chosen again: `[change]`.

    This is the first trial since the change from which the best arm is chosen in at least `share`
    of the next `window` trials, all of them before the next change; NaN if there is none.

    >>> import xarray
    >>> theta = [[[0.9, 0.1]] * 2 + [[0.1, 0.9]] * 5]
    >>> data = {"theta": (("agent", "trial", "arm"), theta)}
    >>> data["chosen"] = ("agent", "trial"), [[0, 0, 0, 1, 0, 1, 1]]
    >>> result = xarray.Dataset(data, {"agent": [0], "trial": range(1, 8)})
    >>> trials_to_recover(result, share=1.0, window=2).values
    array([3.])
    >>> trials_to_recover(result, share=0.5, window=2).values
    array([0.])
    """
    share = real_number("share", share, 0.0, 1.0, "(]")
    window = whole_number("window", window, 1)
    theta, chosen = _every_trial(result, "theta"), _every_trial(result, "chosen")
    taken = np.take_along_axis(theta, chosen[:, :, None].astype(np.int64), axis=2)[:, :, 0]
    best = taken == theta.max(axis=2)

    def recovery(row: int, first: int, end: int) -> float:
        sums = np.cumsum(np.concatenate([[0], best[row, first:end]]))
        # In floating point, ten times 0.7 is not seven.
        enough = sums[window:] - sums[:-window] >= share * window - 1e-9
        return _first(enough)

    return _by_change(result, recovery, "recovery", "trials to recover after a change")


def detection_delay(result: "xarray.Dataset", threshold: float = 0.5) -> "xarray.DataArray":
    """The number of trials after every change until gamma reached the threshold: `[change]`.

    NaN if it did not before the next change.

    >>> import xarray
    >>> theta = [[[0.9, 0.1]] * 2 + [[0.1, 0.9]] * 3 + [[0.9, 0.1]] * 2]
    >>> data = {"theta": (("agent", "trial", "arm"), theta)}
    >>> data["gamma"] = ("agent", "trial"), [[0.0, 0.6, 0.1, 0.7, 0.8, 0.2, 0.1]]
    >>> result = xarray.Dataset(data, {"agent": [0], "trial": range(1, 8)})
    >>> detection_delay(result, threshold=0.5).values
    array([ 1., nan])
    """
    alarms = _every_trial(result, "gamma") >= _probability(threshold)

    def delay(row: int, first: int, end: int) -> float:
        return _first(alarms[row, first:end])

    return _by_change(result, delay, "delay", "trials until a change is detected")


def false_alarms(result: "xarray.Dataset", threshold: float = 0.5) -> "xarray.DataArray":
    """The number of trials in which gamma reached the threshold without a new change: `[agent]`.

    These are trials before the first change, or after the latest change was detected.

    >>> import xarray
    >>> data = {"theta": (("agent", "trial", "arm"), [[[0.9, 0.1]] * 2 + [[0.1, 0.9]] * 3])}
    >>> data["gamma"] = ("agent", "trial"), [[0.0, 0.6, 0.1, 0.7, 0.8]]
    >>> false_alarms(xarray.Dataset(data, {"agent": [0], "trial": range(1, 6)})).values
    array([2])
    """
    import xarray

    alarms = _every_trial(result, "gamma") >= _probability(threshold)
    count = alarms.sum(axis=1)
    for row, first, end in _segments(result):
        count[row] -= alarms[row, first:end].any()
    attrs = {"long_name": "false alarms", "trials": alarms.shape[1], "threshold": threshold}
    return xarray.DataArray(count, {"agent": result["agent"].values}, ("agent",), "alarms", attrs)


def _segments(result: "xarray.Dataset") -> Iterator[tuple[int, int, int]]:
    """For every change: the row of its agent, its index, and the index of the next change."""
    last = result.sizes["trial"]
    for row, changes in enumerate(change_points(result).values()):
        for first, end in itertools.pairwise([*(changes - 1).tolist(), last]):
            yield row, first, end


def _by_change(result: "xarray.Dataset", measure: Any, name: str, words: str) -> "xarray.DataArray":
    import xarray

    segments = list(_segments(result))
    values = np.array([measure(*segment) for segment in segments], dtype=float)
    agents = result["agent"].values
    axes = {
        "agent": ("change", np.array([agents[row] for row, _, _ in segments], dtype=np.int64)),
        "trial": ("change", np.array([first + 1 for _, first, _ in segments], dtype=np.int64)),
    }
    return xarray.DataArray(values, axes, ("change",), name, {"long_name": words})


def _first(flags: np.ndarray) -> float:
    return float(np.argmax(flags)) if flags.any() else np.nan


def _every_trial(result: "xarray.Dataset", name: str) -> np.ndarray:
    """A variable of a result that holds all trials, with dimensions in the order agent, trial."""
    if name not in getattr(result, "data_vars", {}):
        hint = f": record {_RECORDS[name]}" if name in _RECORDS else ""
        raise InputError(f"The result has no {name}{hint}.")
    trials = result["trial"].values
    if not np.array_equal(trials, np.arange(1, len(trials) + 1)):
        raise InputError("The result must hold every trial: simulate with checkpoints=every(1).")
    dims = ("agent", "trial", "arm")[: result[name].ndim]
    return result[name].transpose(*dims).values


def _probability(threshold: float) -> float:
    return real_number("threshold", threshold, 0.0, 1.0, "(]")
