"""Twins: people with the values of a fit, who do the task of the data."""

from typing import Any, NamedTuple

import numpy as np

from armwise.engine.batch import simulate_people
from armwise.errors import InputError
from armwise.fitting.behaviour import is_real
from armwise.fitting.choices import Choices, assembled
from armwise.fitting.offers import SHOWN, UNSEEN
from armwise.fitting.task import lengths_of, places_of_rows
from armwise.model.agent import Agent, Chooser
from armwise.model.forms import REAL

MISSED, FREE = -1, -2


class Played(NamedTuple):
    """What twins did, [draw, row], for the rows of the data; -1 where there was no choice."""

    choices: np.ndarray
    outcomes: np.ndarray
    shown: np.ndarray  # [draw, row, arm]: outcomes of arms not chosen; no arms if never shown


def play(
    agent: Agent | Chooser,
    free: tuple[str, ...],
    values: np.ndarray,
    data: Choices,
    thetas: np.ndarray,
    seed: int = 0,
    threads: int | None = None,
) -> Played:
    """Let twins with `values[draw, person, parameter]` do the task of the data.

    They meet the same reward probabilities `thetas[row, arm]`, miss the same trials, make the same
    forced choices, choose among the same arms, and see what others would have paid where people
    did. A draw is a fresh copy of everybody. Values may have a row per block instead of person.
    """
    wide = _Wide(data)
    found = data.sequences
    task = {
        "given": wide(_given(data), MISSED),
        "available": None if found.available is None else wide(found.available, True),
        "revealed": None if found.shown is None else wide(_revealed(data), False),
    }
    seeds = np.random.SeedSequence(seed).generate_state(len(values), np.uint64)
    played = []
    for draw, each in enumerate(values):
        own = each if len(each) == len(found.people) else each[found.people]
        told = simulate_people(
            wide(_paid(agent, data, thetas, int(seeds[draw])), 0.0),
            agent,
            free,
            own,
            wide.trials,
            int(seeds[draw]),
            **task,
            threads=threads,
        )
        rows = [array[wide.block, wide.trial] for array in told]
        if not data.real:
            rows[1] = np.where(rows[0] >= 0, rows[1], MISSED).astype(np.int64)
        played.append(rows)
    return Played(*(np.array(arrays) for arrays in zip(*played, strict=True)))


def _paid(agent: Agent | Chooser, data: Choices, thetas: np.ndarray, seed: int) -> np.ndarray:
    """How arms pay, as the agent meets it.

    One that learns from real outcomes is shown what arms pay: of probabilities, draws of 0 and 1.
    """
    if data.real or agent.outcomes != REAL:
        return thetas
    return (np.random.default_rng(seed).random(thetas.shape) < thetas).astype(float)


class _Wide:
    """Puts rows into [block, trial], with room for the longest block."""

    def __init__(self, data: Choices) -> None:
        self.block, self.trial = places_of_rows(data)
        self.blocks, self.trials = len(data.sequences.begins), int(lengths_of(data).max())

    def __call__(self, rows: np.ndarray, nothing: Any) -> np.ndarray:
        found = np.full((self.blocks, self.trials, *rows.shape[1:]), nothing, dtype=rows.dtype)
        found[self.block, self.trial] = rows
        return found


def as_choices(data: Choices, played: Played, draw: int, source: str) -> Choices:
    """The data with the choices and outcomes of twins instead of people's own."""
    import pandas

    def whole(values: np.ndarray, there: np.ndarray) -> Any:
        if is_real(values):
            return np.where(there, values, np.nan)
        return pandas.array(np.where(there, values.astype(float), np.nan), dtype="Int64")

    choices, outcomes, shown = (array[draw] for array in played)
    label = pandas.Categorical.from_codes(choices, data.arms)
    frame = data.frame.assign(choice=label, outcome=whole(outcomes, choices >= 0))
    if shown.shape[1]:
        for place, arm in enumerate(data.arms):
            seen = shown[:, place]
            frame[f"{SHOWN}{arm}"] = whole(seen, seen != UNSEEN)
    return assembled(frame, data.arms, (), source, data.carry)


def like(data: Choices, people: int, seed: int = 0) -> Choices:
    """Tasks for some number of people: those of the data, each as often as the others.

    >>> from armwise import *
    >>> data = load_choices([([0, 1, 1], [1, 0, 1]), ([1, 0], [1, 1])])
    >>> like(data, 4).subjects
    ('1', '2', '1 again', '2 again')
    """
    import pandas

    if people < 2:
        raise InputError(f"people must be a whole number from 2 up, not {people}.")
    whole, rest = divmod(people, len(data))
    order = np.random.default_rng(seed).permutation(len(data))[:rest]
    frames, persons = [], data.persons
    for time in range(whole + (rest > 0)):
        some = np.arange(len(data)) if time < whole else np.sort(order)
        rows = data.frame[np.isin(persons, some)]
        name = "" if time == 0 else " again" if time == 1 else f" again {time}"
        frames.append(rows.assign(subject=rows["subject"].astype(str) + name))
    frame = pandas.concat(frames, ignore_index=True)
    return assembled(frame, data.arms, (), data.source, data.carry)


def _given(data: Choices) -> np.ndarray:
    """What a twin is not free to do in every row: to miss (-1), or a forced choice (the arm)."""
    found = data.sequences
    return np.where(found.choices < 0, MISSED, np.where(found.scored, FREE, found.choices))


def _revealed(data: Choices) -> np.ndarray:
    """Where an arm shows what it would have paid, [row, arm]; always, if all others did."""
    found = data.sequences
    assert found.shown is not None
    seen = found.shown != UNSEEN
    own = np.arange(len(data.arms)) == found.choices[:, None]
    return seen | ((seen | own).all(axis=1) & (found.choices >= 0))[:, None]
