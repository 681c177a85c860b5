"""Simulate people whose parameters differ, and people like those in given data."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from armwise.engine.announce import compiling, described
from armwise.engine.arrays import plain_array, shape_of
from armwise.engine.cpu import agent_kernel, bandit_kernel
from armwise.engine.follow import FREE, play_people
from armwise.engine.free import places_of
from armwise.engine.memory import compiled_memory
from armwise.engine.mishaps import compiler_in_words, failing_in_words
from armwise.engine.plan import Plan
from armwise.engine.records import packed
from armwise.engine.stretch import End
from armwise.engine.threads import available_threads, in_threads
from armwise.engine.ways import defining_way
from armwise.errors import InputError, brief, whole_number
from armwise.model.agent import Agent
from armwise.model.draws import TRIALS_MAX
from armwise.model.roles import Bandit

SHARE = 1 << 17  # trials that a thread plays at once


class Played(NamedTuple):
    """What people chose, and what came of it: [person, trial], -1 where there was no choice."""

    choices: np.ndarray
    outcomes: np.ndarray


def simulate_people(
    bandit: Bandit | Any,
    agent: Agent,
    free: Sequence[str],
    values: Any,
    trials: int,
    seed: int = 0,
    *,
    given: Any = None,
    threads: int | None = None,
) -> Played:
    """One person per row of `values[person, parameter]`, each with these `free` parameters.

    Person i makes the choices of agent i of `simulate` with the same seed. `bandit` may also be an
    array of reward probabilities, [trial, arm] or [person, trial, arm]; 0 and 1 are outcomes that
    are known. `given[person, trial]` says where a person is not free (-2): no choice (-1), or a
    choice that was made for them (the arm).

    >>> from armwise import *
    >>> from armwise.engine.batch import simulate_people
    >>> agent = Agent(MeanOutcome(), RescorlaWagner(), Softmax())
    >>> told = simulate_people(SwitchingBandit(arms=3), agent, ["rate"], [[0.2], [0.9]], trials=5)
    >>> told.choices.shape, sorted(set(told.outcomes.ravel().tolist()))
    ((2, 5), [0, 1])
    """
    if not isinstance(agent, Agent):
        raise InputError(f"Only an Agent(policy, learner) has free parameters, not {brief(agent)}.")
    places, horizon = places_of(agent, free), whole_number("trials", trials, 1, TRIALS_MAX)
    values = _values(values, len(places))
    people = len(values)
    rows = _rows(given, people, horizon)
    thetas = _thetas(bandit, agent, people, horizon, whole_number("seed", seed, 0, 1 << 64))
    arms = thetas.shape[2]
    if rows.max(initial=FREE) >= arms:
        raise InputError(f"given must hold numbers from -2 to {arms - 1}, not {rows.max()}.")
    crowd = _Crowd(agent, places, values, thetas, rows, seed)
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
        self, agent: Agent, places: Any, values: Any, thetas: Any, given: Any, seed: int
    ) -> None:
        self.agent, self.way, self.seed = agent, defining_way(agent), seed
        self.places, self.values, self.thetas, self.given = places, values, thetas, given
        self.played = Played(np.full(given.shape, -1), np.full(given.shape, -1))
        self.kernel = agent_kernel(play_people, agent, self.way)

    def play(self, share: tuple[int, int]) -> None:
        """Let some people play all their trials."""
        arms, trials = self.thetas.shape[2], self.given.shape[1]
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
                self.given,
                table[0],
                memory[0],
                kept,
                *self.played,
            )
        if end.wrong:
            raise self._refuse(end)

    def _refuse(self, end: End) -> InputError:
        return InputError(
            f"{self.agent.label}: the score of arm {-1 - end.arm} is NaN in trial {end.trial} of "
            f"person {end.row}."
        )


def _rows(given: Any, people: int, trials: int) -> np.ndarray:
    if given is None:
        return np.full((people, trials), FREE)
    rows = plain_array("given", given, np.int64)
    if rows.shape != (people, trials):
        raise InputError(f"given must be {people} x {trials}, not {shape_of(rows)}.")
    if rows.min(initial=0) < FREE:
        raise InputError(f"given must hold numbers from -2 up, not {rows.min()}.")
    return rows


def _values(values: Any, free: int) -> np.ndarray:
    array = plain_array("values", values, np.float64)
    if array.ndim != 2 or array.shape[1] != free or not np.isfinite(array).all():
        raise InputError(
            f"values must be people x {free}, finite numbers: a row per person, a column per free "
            "parameter."
        )
    return array


def _thetas(bandit: Any, agent: Agent, people: int, trials: int, seed: int) -> np.ndarray:
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
    if array.shape[2] < 2 or not ((array >= 0) & (array <= 1)).all():
        raise InputError("Reward probabilities must be in [0, 1], of at least two arms.")
    return array


def _moved(bandit: Bandit, agent: Agent, people: int, trials: int, seed: int) -> np.ndarray:
    """The thetas that a bandit shows to each person."""
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
    return np.ascontiguousarray(thetas[np.arange(people)[:, None], slot.T, : bandit.arms])
