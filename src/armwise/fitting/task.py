"""The task that people did: how arms pay in every trial, and what changes."""

from typing import Any, NamedTuple

import numpy as np

from armwise.engine.arrays import plain_array
from armwise.errors import InputError
from armwise.fitting.choices import Choices, of_rows
from armwise.model.forms import BINARY, PAID, REAL
from armwise.model.roles import Bandit

_WORDS = {False: ("Reward probabilities", "in [0, 1]"), True: ("What arms pay", "finite numbers")}
THETA = "theta_"  # the columns that hold the reward probabilities of arms


class Task(NamedTuple):
    """How arms pay: `thetas[row, arm]` for the rows of some choices.

    Where outcomes are real, it is what every arm pays in that trial.
    """

    thetas: np.ndarray
    known: bool  # whether it is the very task of the data, so that its best arms are those

    @property
    def best(self) -> np.ndarray:
        """The arm that pays best in every row; -1 where several do."""
        top = self.thetas.max(axis=1, keepdims=True)
        several = (self.thetas == top).sum(axis=1) > 1
        return np.where(several, -1, self.thetas.argmax(axis=1))


def task_of(data: Choices, bandit: Any = None, seed: int = 0) -> Task:
    """How arms pay: from the columns theta_0, theta_1, ... of the data, or from a bandit.

    `bandit` may be a bandit, which every block meets anew, or reward probabilities [trial, arm].
    Where outcomes are real, columns and arrays hold what every arm pays in a trial.

    >>> from armwise import *
    >>> task_of(example("reversal")).thetas[0].tolist()
    [0.2, 0.2, 0.8]
    """
    if bandit is None:
        return Task(_columns(data), True)
    longest = int(lengths_of(data).max())
    if isinstance(bandit, Bandit):
        if bandit.arms != len(data.arms):
            raise InputError(
                f"The bandit must have {len(data.arms)} arms, as the data have, not {bandit.arms}."
            )
        if bandit.outcomes != (REAL if data.real else BINARY):
            paid = PAID[REAL if data.real else BINARY]
            raise InputError(
                f"Outcomes of the data are {paid}, and the {bandit.label} bandit pays "
                f"{PAID[bandit.outcomes]}."
            )
        each = _moved(bandit, longest, len(data.sequences.begins), seed)
    else:
        each = plain_array("Reward probabilities", bandit, np.float64)[None]
        if each.shape[1:] != (longest, len(data.arms)) or not _proper(data, each):
            what, where = _WORDS[data.real]
            raise InputError(f"{what} must be {longest} trials x {len(data.arms)} arms, {where}.")
        each = np.broadcast_to(each, (len(data.sequences.begins), *each.shape[1:]))
    block, trial = places_of_rows(data)
    return Task(each[block, trial], False)


def lengths_of(data: Choices) -> np.ndarray:
    """The number of trials of every block."""
    begins = data.sequences.begins
    return np.diff(np.append(begins, len(data.sequences.choices)))


def places_of_rows(data: Choices) -> tuple[np.ndarray, np.ndarray]:
    """The block of every row, and the trial in it, both from 0."""
    begins = data.sequences.begins
    block = of_rows(data.sequences, np.arange(len(begins)))
    return block, np.arange(len(block)) - begins[block]


def since_change(data: Choices, best: np.ndarray) -> np.ndarray:
    """Trials since the best arm changed, from 0; -1 before the first change of a block."""
    block, _ = places_of_rows(data)
    changes = np.append(False, (best[1:] != best[:-1]) & (block[1:] == block[:-1]))
    rows = np.arange(len(best))
    last = np.maximum.accumulate(np.where(changes, rows, -1))
    return np.where(last >= data.sequences.begins[block], rows - last, -1)


def _columns(data: Choices) -> np.ndarray:
    names = [THETA + label for label in data.arms]
    there = [name for name in names if name in data.frame.columns]
    if len(there) < len(names):
        columns = " and ".join([", ".join(names[:-1]), names[-1]])
        raise InputError(
            f"How arms pay is not in {data.source}: give bandit= (--bandit on the command line), "
            f"or a column of reward probabilities per arm ({columns})."
        )
    thetas = data.frame[names].to_numpy(np.float64)
    if not _proper(data, thetas):
        what, where = _WORDS[data.real]
        raise InputError(f"{what} must be {where}, unlike those of {data.source}.")
    return thetas


def _proper(data: Choices, thetas: np.ndarray) -> bool:
    """Whether thetas are finite outcomes, or reward probabilities."""
    if data.real:
        return bool(np.isfinite(thetas).all())
    return bool(((thetas >= 0) & (thetas <= 1)).all())


def _moved(bandit: Bandit, trials: int, blocks: int, seed: int) -> np.ndarray:
    """The reward probabilities that a bandit shows, or what its arms pay, [block, trial, arm]."""
    from armwise.learners import KalmanFilter, Smile
    from armwise.model.agent import Agent
    from armwise.play.checkpoints import every
    from armwise.play.simulate import simulate
    from armwise.policies import RandomChoice

    real = bandit.outcomes == REAL
    told = simulate(
        bandit,
        Agent(RandomChoice(), KalmanFilter() if real else Smile()),
        trials,
        blocks,
        seed=seed,
        checkpoints=every(1),
        record=["theta", "arm", "outcome"],
    )
    thetas = told["theta"].transpose("agent", "trial", "arm").to_numpy()
    if not real:
        return thetas
    chosen = np.take_along_axis(thetas, told["chosen"].to_numpy()[:, :, None], axis=2)
    return thetas + (told["outcome"].to_numpy()[:, :, None] - chosen)  # the noise of the trial
