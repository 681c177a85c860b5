"""Twins: people with the values of a fit, who do the task of the data."""

from typing import NamedTuple

import numpy as np

from armwise.engine.batch import simulate_people
from armwise.errors import InputError
from armwise.fitting.choices import Choices, assembled
from armwise.fitting.task import lengths_of, places_of_rows
from armwise.model.agent import Agent

MISSED, FREE = -1, -2


class Played(NamedTuple):
    """What twins did, [draw, row], for the rows of the data; -1 where there was no choice."""

    choices: np.ndarray
    outcomes: np.ndarray


def play(
    agent: Agent,
    free: tuple[str, ...],
    values: np.ndarray,
    data: Choices,
    thetas: np.ndarray,
    seed: int = 0,
    threads: int | None = None,
) -> Played:
    """Let twins with `values[draw, person, parameter]` do the task of the data.

    They meet the same reward probabilities `thetas[row, arm]`, miss the same trials, and make the
    same forced choices. A draw is a fresh copy of everybody.
    """
    block, trial = places_of_rows(data)
    blocks, longest = len(data.sequences.begins), int(lengths_of(data).max())
    wide = np.zeros((blocks, longest, len(data.arms)))
    wide[block, trial] = thetas
    given = np.full((blocks, longest), MISSED)
    given[block, trial] = _given(data)
    seeds = np.random.SeedSequence(seed).generate_state(len(values), np.uint64)
    shape = (len(values), len(block))
    played = Played(np.empty(shape, dtype=np.int64), np.empty(shape, dtype=np.int64))
    for draw, each in enumerate(values):
        found = simulate_people(
            wide,
            agent,
            free,
            each[data.sequences.people],
            longest,
            int(seeds[draw]),
            given=given,
            threads=threads,
        )
        played.choices[draw] = found.choices[block, trial]
        played.outcomes[draw] = found.outcomes[block, trial]
    return played


def as_choices(data: Choices, choices: np.ndarray, outcomes: np.ndarray, source: str) -> Choices:
    """The data with these choices and outcomes instead of people's own."""
    import pandas

    won = pandas.array(np.where(choices < 0, np.nan, outcomes.astype(float)), dtype="Int64")
    label = pandas.Categorical.from_codes(choices, data.arms)
    frame = data.frame.assign(choice=label, outcome=won)
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
