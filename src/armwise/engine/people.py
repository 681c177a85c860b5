"""Simulate people whose parameters differ, and people like those in given data."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from armwise.engine.announce import compiling, described
from armwise.engine.arrays import plain_array, shape_of
from armwise.engine.cpu import agent_kernel, bandit_kernel
from armwise.engine.follow import slots_of_data
from armwise.engine.free import places_of
from armwise.engine.memory import compiled_memory
from armwise.engine.mishaps import compiler_in_words, failing_in_words
from armwise.engine.plan import Plan
from armwise.engine.playing import (
    FREE,
    decide,
    decide_among,
    paid,
    paid_real,
    play_people,
    reveal,
    reveal_others,
)
from armwise.engine.records import packed
from armwise.engine.sequences import refuse_unless_shown
from armwise.engine.shown import UNSEEN
from armwise.engine.stretch import End
from armwise.engine.threads import available_threads, in_threads
from armwise.engine.ways import defining_way
from armwise.errors import InputError, whole_number
from armwise.model.agent import refuse_unless_agent
from armwise.model.draws import TRIALS_MAX
from armwise.model.forms import REAL, refuse_other_outcomes
from armwise.model.roles import AbstractAgent, Actor, Bandit

SHARE = 1 << 17  # trials that a thread plays at once


class Played(NamedTuple):
    """What people chose, and what came of it: [person, trial], -1 where there was no choice.

    Real outcomes are NaN there.
    """

    choices: np.ndarray
    outcomes: np.ndarray
    shown: np.ndarray  # [person, trial, arm], -1 where nothing was shown; no arms if never


class Task(NamedTuple):
    """What differs from a plain task: arrays [person, trial], or [person, trial, arm]."""

    given: np.ndarray
    fresh: np.ndarray
    available: np.ndarray
    revealed: np.ndarray


def simulate_people(
    bandit: Bandit | Any,
    agent: AbstractAgent,
    free: Sequence[str],
    values: Any,
    trials: int,
    seed: int = 0,
    *,
    given: Any = None,
    begins: Any = None,
    available: Any = None,
    revealed: Any = None,
    threads: int | None = None,
) -> Played:
    """One person per row of `values[person, parameter]`, each with these `free` parameters.

    Person i makes the choices of agent i of `simulate` with the same seed. `bandit` may also be an
    array of reward probabilities, [trial, arm] or [person, trial, arm]; 0 and 1 are outcomes that
    are known. Where outcomes are real, the array holds what arms pay. The other arrays have a row
    per person: `given[person, trial]` says where a person is not free (-2): no choice (-1), or a
    choice that was made for them (the arm).
    `begins[person, trial]` is true where beliefs begin anew, `available[person, trial, arm]` where
    an arm may be chosen, and `revealed[person, trial, arm]` where an arm that was not chosen shows
    what it would have paid.

    >>> from armwise import *
    >>> agent = Agent(MeanOutcome(), RescorlaWagner(), Softmax())
    >>> told = simulate_people(SwitchingBandit(arms=3), agent, ["rate"], [[0.2], [0.9]], trials=5)
    >>> told.choices.shape, sorted(set(told.outcomes.ravel().tolist()))
    ((2, 5), [0, 1])
    """
    refuse_unless_agent(agent)
    places, horizon = places_of(agent, free), whole_number("trials", trials, 1, TRIALS_MAX)
    values, seed = _values(values, len(places)), whole_number("seed", seed, 0, 1 << 64)
    thetas = _thetas(bandit, agent, len(values), horizon, seed)
    arms, people = thetas.shape[2], len(values)
    task = Task(
        _rows(given, people, horizon, arms),
        _flags("begins", begins, (people, horizon), (people, horizon)),
        _flags("available", available, (people, horizon, arms), (people, horizon, 0)),
        _flags("revealed", revealed, (people, horizon, arms), (people, horizon, 0)),
    )
    _refuse_unless_possible(agent, task)
    crowd = _Crowd(agent, places, values, thetas, task, seed)
    size = max(1, SHARE // horizon)
    shares = [(0, 0)] + [(at, min(at + size, people)) for at in range(0, people, size)]
    what = f"{described(agent)} to simulate people"
    with compiling(what, crowd.kernel), compiler_in_words(agent.parts):
        crowd.play(shares[0])
    count = available_threads() if threads is None else whole_number("threads", threads, 1)
    in_threads(crowd.play, shares[1:], count if len(shares) > 2 else 1)
    return crowd.played


class _Crowd:
    """People who play, each with numbers of their own."""

    def __init__(
        self, agent: Any, places: Any, values: Any, thetas: Any, task: Task, seed: int
    ) -> None:
        self.agent, self.way, self.seed = agent, defining_way(agent), seed
        self.places, self.values, self.thetas, self.task = places, values, thetas, task
        shapes = task.given.shape, task.given.shape, task.revealed.shape
        self.played = Played(*(np.full(shape, UNSEEN) for shape in shapes))
        if agent.outcomes == REAL:
            self.played = self.played._replace(outcomes=np.full(shapes[1], np.nan))
        some, others = task.available.shape[2] > 0, task.revealed.shape[2] > 0
        more = slots_of_data(self.way, some, others)
        more |= {decide: decide_among} if some else {}
        more |= {reveal: reveal_others} if others else {}
        more |= {paid: paid_real} if agent.outcomes == REAL else {}
        self.kernel = agent_kernel(play_people, agent, self.way, more=more)

    def play(self, share: tuple[int, int]) -> None:
        """Let some people play all their trials."""
        arms, trials = self.thetas.shape[2], self.thetas.shape[1]
        table, memory, kept = compiled_memory(self.agent, self.way, arms, 1)
        task = np.array([arms, *share, self.seed & 0xFFFFFFFF, self.seed >> 32])
        numbers = np.array([*packed(*self.agent.parts), 0.0])
        with failing_in_words(self.agent.parts, range(*share) or range(1), range(1, trials + 1)):
            end = self.kernel(
                numbers,
                self.places,
                self.values,
                task,
                self.thetas,
                *self.task,
                table[0],
                memory[0],
                kept,
                *self.played,
            )
        if end.wrong:
            raise self._refuse(end)

    def _refuse(self, end: End) -> InputError:
        where = f"in trial {end.trial} of person {end.row}"
        if isinstance(self.agent, Actor):
            return InputError(f"{self.agent.label}.act returned {end.arm} {where}: no such arm.")
        return InputError(f"{self.agent.label}: the score of arm {-1 - end.arm} is NaN {where}.")


def _refuse_unless_possible(agent: Any, task: Task) -> None:
    """Raise InputError if the agent cannot do the task, or nobody could."""
    if task.revealed.shape[2]:
        refuse_unless_shown(agent)
    if not task.available.shape[2]:
        return
    if isinstance(agent, Actor):
        raise InputError(
            f"{agent.label} chooses among all its arms: available must be left out, or the actor "
            "have a choice, as in Chooser(actor, Softmax())."
        )
    if not task.available.any(axis=2).all():
        raise InputError("available must leave at least one arm in every trial.")


def _flags(name: str, flags: Any, shape: Any, none: Any) -> np.ndarray:
    """An array of true or false; all false, of the shape `none`, if nothing is given."""
    if flags is None:
        return np.zeros(none, dtype=np.bool_)
    array = plain_array(name, flags, np.bool_)
    if array.shape != shape:
        wanted = " x ".join(map(str, shape))
        raise InputError(f"{name} must be {wanted}, not {shape_of(array)}.")
    return array


def _rows(given: Any, people: int, trials: int, arms: int) -> np.ndarray:
    if given is None:
        return np.full((people, trials), FREE)
    rows = plain_array("given", given, np.int64)
    if rows.shape != (people, trials):
        raise InputError(f"given must be {people} x {trials}, not {shape_of(rows)}.")
    if rows.min(initial=0) < FREE:
        raise InputError(f"given must hold numbers from -2 up, not {rows.min()}.")
    if rows.max(initial=FREE) >= arms:
        raise InputError(f"given must hold numbers from -2 to {arms - 1}, not {rows.max()}.")
    return rows


def _values(values: Any, free: int) -> np.ndarray:
    array = plain_array("values", values, np.float64)
    if array.ndim != 2 or array.shape[1] != free or not np.isfinite(array).all():
        raise InputError(
            f"values must be people x {free}, finite numbers: a row per person, a column per free "
            "parameter."
        )
    return array


def _thetas(bandit: Any, agent: Any, people: int, trials: int, seed: int) -> np.ndarray:
    """The reward probabilities, [person, trial, arm]; one row if they are the same for all."""
    if isinstance(bandit, Bandit):
        return _moved(bandit, agent, people, trials, seed)
    array = plain_array("Reward probabilities", bandit, np.float64)
    array = array[None] if array.ndim == 2 else array
    if array.ndim != 3 or array.shape[0] not in (1, people) or array.shape[1] != trials:
        raise InputError(
            f"Reward probabilities must be {trials} trials x arms, or {people} people x {trials} "
            f"trials x arms, not {shape_of(array)}."
        )
    if array.shape[2] < 2:
        raise InputError("Reward probabilities must be those of at least two arms.")
    if agent.outcomes == REAL and not np.isfinite(array).all():
        raise InputError("What arms pay must be finite numbers.")
    if agent.outcomes != REAL and not ((array >= 0) & (array <= 1)).all():
        raise InputError("Reward probabilities must be in [0, 1].")
    return array


def _moved(bandit: Bandit, agent: Any, people: int, trials: int, seed: int) -> np.ndarray:
    """The thetas that a bandit shows to each person; where outcomes are real, with their noise."""
    refuse_other_outcomes(bandit, agent)
    plan = Plan(bandit, agent, trials, people, 0, seed, np.zeros(0, dtype=np.int64))
    thetas = np.zeros((people, trials + 2, bandit.arms + 1))
    slot = np.zeros((trials, people), dtype=np.int32)
    states, following = np.zeros(people), np.zeros(people)
    slots = np.zeros(people, dtype=np.int64)
    stretch = np.array(plan.stretch(0, people, 1, trials))
    luck = np.zeros((trials, people))
    move = bandit_kernel(bandit)
    with compiling(f"the {bandit.label} bandit", move), compiler_in_words((bandit,)):
        end = move(np.array(packed(bandit)), stretch, states, following, slots, luck, slot, thetas)
    if end.wrong:
        raise plan.refuse(0, end)
    shown = np.ascontiguousarray(thetas[np.arange(people)[:, None], slot.T, : bandit.arms])
    return shown + luck.T[:, :, None] if bandit.outcomes == REAL else shown
