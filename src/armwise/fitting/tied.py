"""Sessions that are tied by their person: normal numbers with a covariance between and within.

A person's values are normal around the group's, and those of the person's sessions around the
person's. With the person integrated out, the sessions of a person are correlated normal numbers,
whose modes are climbed to together.
"""

from typing import NamedTuple

import numpy as np

from armwise.fitting.nest import Nest
from armwise.fitting.newton import DAMPINGS, LONGEST, ROUNDS, STUCK, derivatives
from armwise.fitting.problem import Problem


class Tie(NamedTuple):
    """How the sessions of everybody belong together, given a group.

    People have as many places as the most sessions of anybody; the places of a person are one long
    vector, in which those without a session are empty.
    """

    nest: Nest
    means: np.ndarray  # [person, parameter]: where the person is expected
    between: np.ndarray  # the covariance of people
    within: np.ndarray  # the covariance of a person's sessions
    covariance: np.ndarray  # [person, long, long]: of the places; 1 on the diagonal of empty ones
    precision: np.ndarray  # its inverse; 0 for empty places
    empty: np.ndarray  # [person, long, long]: 1 on the diagonal of empty places

    def wide(self, values: np.ndarray) -> np.ndarray:
        """Vectors of sessions as long vectors of people, 0 in empty places."""
        people, size = self.means.shape
        found = np.zeros((people, self.precision.shape[1] // size, size))
        found[self.nest.owners, self.nest.places] = values
        return found.reshape(people, -1)

    def spread(self, matrices: np.ndarray) -> np.ndarray:
        """Matrices of sessions as blocks on the diagonals of long matrices of people."""
        people, size = self.means.shape
        places = self.precision.shape[1] // size
        found = np.zeros((people, places, size, places, size))
        own, at = self.nest.owners, self.nest.places
        found[own, at, :, at] = matrices
        return found.reshape(people, places * size, -1)

    def away(self, x: np.ndarray) -> np.ndarray:
        """How far sessions are from where their person is expected, as long vectors."""
        return self.wide(x - self.means[self.nest.owners])


def tie_of(nest: Nest, means: np.ndarray, between: np.ndarray, within: np.ndarray) -> Tie:
    """The ties of all sessions given a group."""
    size, counts = means.shape[1], np.bincount(nest.owners)
    most = int(counts.max())
    whole = np.kron(np.eye(most), within) + np.kron(np.ones((most, most)), between)
    covariance = np.zeros((most + 1, *whole.shape))
    precision, empty = covariance.copy(), covariance.copy()
    for count in range(1, most + 1):
        part = slice(0, count * size)
        rest = np.diag(np.arange(most * size) >= count * size).astype(float)
        empty[count], covariance[count] = rest, rest
        covariance[count][part, part] = whole[part, part]
        precision[count][part, part] = np.linalg.inv(whole[part, part])
    some = covariance[counts], precision[counts], empty[counts]
    return Tie(nest, means, between, within, *some)


class Tops(NamedTuple):
    """The modes of all sessions given a group, and what is known around them."""

    x: np.ndarray  # [session, parameter]
    likelihood: np.ndarray  # [session]
    covariance: np.ndarray  # [person, long, long]; 1 on the diagonal of empty places


def climbed_together(problem: Problem, tie: Tie, x: np.ndarray, enough: float) -> Tops:
    """The modes of everybody's sessions given the group, from `x[session, parameter]`.

    `problem` is that of the sessions. Damped Newton, as for people without sessions.
    """
    nest, x = tie.nest, x.copy()
    people, size = tie.means.shape
    likelihood, gradient = np.zeros(len(x)), np.zeros_like(x)
    curvature = np.zeros((len(x), size, size))
    damping, active = np.full(people, 1e-2), np.arange(people)
    fresh = active
    for _ in range(ROUNDS):
        rows = np.flatnonzero(np.isin(nest.owners, fresh))
        if len(rows):
            found = derivatives(problem, x[rows], rows)
            likelihood[rows], gradient[rows], curvature[rows] = found
        slope, bent = _quadratic(tie, x, gradient, curvature)
        steps, gain = _steps(slope[active], bent[active], damping[active])
        active, steps = active[gain > enough], steps[gain > enough]
        if not len(active):
            break
        better, taken = _tried(problem, tie, x, likelihood, active, steps)
        damping[active] *= np.where(better >= 0, DAMPINGS[better], 400.0)
        damping[active] = np.maximum(damping[active], 1e-8)
        fresh = active[better >= 0]
        x += taken
        active = active[damping[active] < STUCK]
    bent = tie.spread(upwards(curvature)) + tie.precision + tie.empty
    return Tops(x, likelihood, np.linalg.inv(bent))


def upwards(curvature: np.ndarray) -> np.ndarray:
    """Curvatures without the directions in which a likelihood bends the other way."""
    widths, axes = np.linalg.eigh(_finite(curvature))
    return np.einsum("uab,ub,ucb->uac", axes, np.maximum(widths, 0.0), axes)


def log_prior(tie: Tie, away: np.ndarray, people: np.ndarray) -> np.ndarray:
    """The logarithm of the prior density of `away[person, try, long]`, but for a constant."""
    return -0.5 * np.einsum("pka,pab,pkb->pk", away, tie.precision[people], away)


def _quadratic(
    tie: Tie, x: np.ndarray, gradient: np.ndarray, curvature: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Slope and minus the Hessian of the log-posterior, as long vectors and matrices."""
    pull = np.einsum("pab,pb->pa", tie.precision, tie.away(x))
    bent = tie.spread(_finite(curvature)) + tie.precision + tie.empty
    return tie.wide(_finite(gradient)) - pull, bent


def _steps(
    slope: np.ndarray, bent: np.ndarray, damping: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Steps [person, damping, long], and what the least damped one is expected to gain."""
    widths, axes = np.linalg.eigh(bent)
    along = np.einsum("pde,pd->pe", axes, slope)
    divisor = np.maximum(np.abs(widths), 1e-6)[:, None] + np.outer(damping, DAMPINGS)[:, :, None]
    steps = np.einsum("pde,pke->pkd", axes, along[:, None, :] / divisor)
    steps *= np.minimum(1.0, LONGEST / np.maximum(np.abs(steps).max(axis=2, keepdims=True), 1e-300))
    return steps, 0.5 * np.einsum("pd,pd->p", steps[:, 0], slope)


def _tried(
    problem: Problem,
    tie: Tie,
    x: np.ndarray,
    likelihood: np.ndarray,
    active: np.ndarray,
    steps: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Which step is the best for each active person, -1 for none; what to add to all sessions."""
    nest, size = tie.nest, x.shape[1]
    rows = np.flatnonzero(np.isin(nest.owners, active))
    owner = np.searchsorted(active, nest.owners[rows])
    first = nest.places[rows][:, None] * size + np.arange(size)
    moves = np.moveaxis(steps, 1, 2)[owner[:, None], first].swapaxes(1, 2)
    reached = np.zeros(steps.shape[:2])
    np.add.at(reached, owner, problem(x[rows][:, None] + moves, rows))
    away = tie.away(x)[active][:, None]
    reached += log_prior(tie, away + steps, active)
    now = np.bincount(owner, likelihood[rows]) + log_prior(tie, away, active)[:, 0]
    best = reached.argmax(axis=1)
    higher = reached[np.arange(len(active)), best] > now
    taken = np.zeros_like(x)
    taken[rows] = moves[np.arange(len(rows)), best[owner]] * higher[owner][:, None]
    return np.where(higher, best, -1), taken


def _finite(values: np.ndarray) -> np.ndarray:
    return np.nan_to_num(values, posinf=0.0, neginf=0.0)
