"""The points of people, kept in a folder: a fit that was killed goes on, and nothing is lost.

    DIR/points/PERSON/ROUND   points of one person with their log-likelihoods; never changes
    DIR/fits/FIT              which of these a fit began with

PERSON is a hash of all that a likelihood depends on: the agent's code and fixed values, the free
parameters, the person's choices, and the device, because a card's last bits are its own. ROUND is
a hash of the proposal. Files appear whole or not at all, and begin with the SHA-256 of the rest; a
damaged one is computed again.
"""

import hashlib
import io
from pathlib import Path
from typing import Any

import numpy as np

from armwise.engine.binding import slots_of_agent
from armwise.engine.fingerprint import fingerprint
from armwise.engine.follow import follow_people
from armwise.engine.free import parameters_with_places
from armwise.engine.records import builders_of_agent
from armwise.engine.ways import defining_way
from armwise.errors import InputError
from armwise.fitting.points import Mixture, Round
from armwise.fitting.problem import Problem
from armwise.fitting.rounds import Shape
from armwise.sweeps.files import forget_drafts, put, refusing

LENGTH = 32  # hexadecimal digits of a name
CHECKSUM = 32  # bytes
TOGETHER = 16  # people whose points are computed, then written


class Kept:
    """The kept points of the people of a problem; without a folder, nothing is kept."""

    def __init__(self, folder: Any, problem: Problem) -> None:
        self.problem = problem
        self.folder = None if folder is None else Path(folder)
        self.names = [] if folder is None else people_names(problem)
        if self.folder is not None:
            with refusing(self.folder):
                for part in ("points", "fits"):
                    (self.folder / part).mkdir(parents=True, exist_ok=True)
                forget_drafts(self.folder / "fits")

    def begun_with(self, *about: Any) -> list[list[Round]]:
        """The rounds that a fit begins with: those that were there when it was first asked for.

        What is found is written down first, so that a fit that was killed begins with the same.
        """
        if self.folder is None:
            return [[] for _ in range(self.problem.people)]
        key = hashed(*self.names, *about)
        path = self.folder / "fits" / key
        known = read(path)
        if known is None:
            listed = [sorted(self._rounds(name)) for name in self.names]
            with refusing(self.folder):
                write(path, {"rounds": np.array("\n".join(map(" ".join, listed)))})
        else:
            listed = [line.split() for line in str(known["rounds"]).split("\n")]
        found = []
        for name, rounds in zip(self.names, listed, strict=True):
            paths = [self.folder / "points" / name / each for each in rounds]
            own = [round_ for round_ in map(_round, paths) if round_ is not None]
            found.append(own if len(own) == len(paths) else [])
        return found

    def shapes(self, people: np.ndarray) -> Shape | None:
        """The kept shapes of some people's likelihoods; None if one is missing."""
        if self.folder is None:
            return None
        found = [read(self.folder / "points" / self.names[i] / "shape") for i in people]
        if any(each is None for each in found):
            return None
        return Shape(*(np.array([each[name] for each in found]) for name in Shape._fields))  # type: ignore[index]

    def keep_shapes(self, shape: Shape, people: np.ndarray) -> None:
        """Keep the shapes of some people's likelihoods."""
        if self.folder is None:
            return
        with refusing(self.folder):
            for row, i in enumerate(people):
                path = self.folder / "points" / self.names[i] / "shape"
                path.parent.mkdir(exist_ok=True)
                write(path, {n: getattr(shape, n)[row] for n in Shape._fields})

    def computed(self, mixtures: list[Mixture], people: np.ndarray, seed: list[int]) -> list[Round]:
        """A round of points of some people: read where it is kept, else computed and kept."""
        found: list[Round] = []
        size = len(people) if self.folder is None else TOGETHER
        for first in range(0, len(people), size):
            part = slice(first, first + size)
            found += self._some(mixtures[part], people[part], seed)
        return found

    def _some(self, mixtures: list[Mixture], people: np.ndarray, seed: list[int]) -> list[Round]:
        paths = self._paths(mixtures, people, seed)
        found = [None if path is None else _round(path) for path in paths]
        absent = [row for row, each in enumerate(found) if each is None]
        if absent:
            x = np.stack([mixtures[row].points([*seed, int(people[row])]) for row in absent])
            for row, own, likelihood in zip(
                absent, x, self.problem(x, people[absent]), strict=True
            ):
                found[row] = Round(mixtures[row], own, likelihood)
                self._keep(paths[row], found[row])
        return [each for each in found if each is not None]

    def _paths(self, mixtures: Any, people: np.ndarray, seed: list[int]) -> list[Path | None]:
        if self.folder is None:
            return [None] * len(people)
        return [
            self.folder / "points" / self.names[i] / hashed(seed, int(i), *mixture)
            for i, mixture in zip(people, mixtures, strict=True)
        ]

    def _keep(self, path: Path | None, round_: Any) -> None:
        if path is None:
            return
        with refusing(path.parent.parent.parent):
            path.parent.mkdir(exist_ok=True)
            write(path, {**round_.mixture._asdict(), "x": round_.x, "like": round_.likelihood})

    def _rounds(self, name: str) -> list[str]:
        folder = self.folder / "points" / name  # type: ignore[operator]
        if not folder.is_dir():
            return []
        forget_drafts(folder)
        return [path.name for path in folder.iterdir() if len(path.name) == LENGTH]


def people_names(problem: Problem) -> list[str]:
    """A hash for every person of all that this person's likelihood depends on."""
    agent, data = problem.agent, problem.data.sequences
    way = defining_way(agent)
    slots = slots_of_agent(agent, way) | builders_of_agent(agent)
    free = set(problem.free.names)
    fixed = [
        (place.full, getattr(place.part, place.name))
        for place in parameters_with_places(agent)
        if not free & {place.name, place.full}
    ]
    scales = [(each.name, *each.transform) for each in problem.free]
    device = [] if problem.device == "cpu" else [problem.device]
    common = hashed(fingerprint(follow_people, slots), fixed, scales, data.arms, *device)
    ends = np.append(data.begins[1:], len(data.choices))
    names = []
    for person in range(problem.people):
        own = np.flatnonzero(data.people == person)
        first, last = data.begins[own[0]], ends[own[-1]]
        rows = slice(first, last)
        begins = data.begins[own] - first
        more = [each[rows] for each in (data.available, data.shown) if each is not None]
        kinds = [] if not more else [data.available is not None, data.shown is not None]
        names.append(
            hashed(
                *(common, data.choices[rows], data.outcomes[rows], data.scored[rows], begins),
                *kinds,
                *more,
            )
        )
    return names


def hashed(*values: Any) -> str:
    """A name from values: arrays by their bytes, everything else by its text.

    >>> hashed(1, np.zeros(2)) == hashed(1, np.zeros(2)), hashed(1) == hashed(2)
    (True, False)
    """
    digest = hashlib.sha256()
    for value in values:
        if isinstance(value, np.ndarray):
            digest.update(f"{value.dtype.str} {value.shape} ".encode())
            digest.update(np.ascontiguousarray(value).tobytes())
        else:
            digest.update(f"{value!r} ".encode())
    return digest.hexdigest()[:LENGTH]


def write(path: Path, arrays: dict[str, Any]) -> None:
    """Arrays as a file that appears whole, with a checksum."""
    content = io.BytesIO()
    np.savez(content, **arrays)
    payload = content.getvalue()
    put(path, hashlib.sha256(payload).digest() + payload)


def read(path: Path) -> dict[str, np.ndarray] | None:
    """The arrays of a file, or None if it is missing or damaged."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise InputError(f"{path} cannot be read: {reason}.") from None
    if hashlib.sha256(content[CHECKSUM:]).digest() != content[:CHECKSUM]:
        return None
    with np.load(io.BytesIO(content[CHECKSUM:])) as found:
        return {name: found[name] for name in found.files}


def _round(path: Path) -> Round | None:
    found = read(path)
    if found is None:
        return None
    mixture = Mixture(*(found[name] for name in Mixture._fields))
    return Round(mixture, found["x"], found["like"])
