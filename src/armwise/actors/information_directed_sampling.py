"""Information-directed sampling (IDS): little regret per information about the best arm."""

import math
from typing import Any, NamedTuple

from armwise.model.component import parameter
from armwise.model.draws import Stream, uniform
from armwise.model.roles import Actor
from armwise.model.ties import choice_stream, largest
from armwise.numerics.divergence import kl
from armwise.numerics.gamma import log_beta

_LEAST = 1e-100  # smallest value of a distribution function, so that it can be divided by
_NOISE = 1e-12  # below this, a distribution function is mostly rounding error


class Beliefs(NamedTuple):
    """The parts of a memory."""

    logs: Any  # ln theta
    rests: Any  # ln(1 - theta)
    alpha: Any
    beta: Any
    below: Any  # probability that an arm is below theta: a row over the grid for every arm
    mean: Any  # expected theta of an arm given that: a row over the arms for every grid point
    all_below: Any  # probability that all arms are below theta
    weight: Any  # probability of theta and of one arm being the best
    best: Any  # probability that an arm is the best
    joint: Any  # expected theta of an arm if another is the best, times the probability of that
    regret: Any  # expected regret of every arm
    gain: Any  # expected information of every arm about which arm is the best
    key: Any  # minus the smallest ratio of every arm with another


def room_for(arms: int, grid: int) -> int:
    """The length of a memory."""
    return 4 * grid + 2 * arms * grid + 6 * arms + arms * arms


def laid_out(memory: Any, arms: int, grid: int) -> Beliefs:
    """The parts of a memory by name."""
    rows = arms * grid
    a = 4 * grid
    b = a + 2 * rows
    c = b + 6 * arms
    return Beliefs(
        memory[:grid],
        memory[grid : 2 * grid],
        memory[b : b + arms],
        memory[b + arms : b + 2 * arms],
        memory[a : a + rows],
        memory[a + rows : b],
        memory[2 * grid : 3 * grid],
        memory[3 * grid : a],
        memory[b + 2 * arms : b + 3 * arms],
        memory[c : c + arms * arms],
        memory[b + 3 * arms : b + 4 * arms],
        memory[b + 4 * arms : b + 5 * arms],
        memory[b + 5 * arms : c],
    )


def density(known: Beliefs, place: int, alpha: float, beta: float, scale: float) -> float:
    """The density of Be(alpha, beta) times theta (1 - theta); scale = ln B(alpha, beta)."""
    return math.exp(alpha * known.logs[place] + beta * known.rests[place] - scale)


def count(known: Beliefs, arms: int, grid: int, arm: int, outcome: int) -> None:
    """Update an arm with an outcome: I_x(a + 1, b) = I_x(a, b) - x^a (1-x)^b / (a B(a, b)).

    The update of b is analogous.
    """
    alpha, beta = known.alpha[arm], known.beta[arm]
    scale = log_beta(alpha, beta)
    share = -1.0 / alpha if outcome else 1.0 / beta
    below = known.below[arm * grid : (arm + 1) * grid]
    for place in range(grid):
        moved = below[place] + share * density(known, place, alpha, beta, scale)
        below[place] = min(1.0, max(_LEAST, moved))
    known.alpha[arm] += outcome
    known.beta[arm] += 1 - outcome
    set_means(known, arms, grid, arm)


def set_means(known: Beliefs, arms: int, grid: int, arm: int) -> None:
    """Set E[theta_k | theta_k < x] = mu I_x(a + 1, b) / I_x(a, b), or x a / (a + 1) for low x."""
    alpha, beta = known.alpha[arm], known.beta[arm]
    scale = log_beta(alpha, beta)
    mu = alpha / (alpha + beta)
    below = known.below[arm * grid : (arm + 1) * grid]
    for place in range(grid):
        theta = (place + 1.0) / grid
        paid = theta * alpha / (alpha + 1.0)
        if below[place] > _NOISE:
            less = density(known, place, alpha, beta, scale) / alpha
            paid = mu * (below[place] - less) / below[place]
        known.mean[place * arms + arm] = min(theta, max(0.0, paid))


def average(known: Beliefs, arms: int, grid: int) -> None:
    """Set `best` and `joint`: integrals over the distribution of an arm, by the trapezoidal rule.

    P(k best) = int prod_{l != k} F_l dF_k; given theta_k = x is the best, theta_j is below x.
    """
    for place in range(grid):
        known.all_below[place] = 1.0
    for arm in range(arms):
        for place in range(grid):
            known.all_below[place] *= known.below[arm * grid + place]
    total = 0.0
    for arm in range(arms):
        best, paid = weigh(known, arms, grid, arm)
        known.best[arm] = best
        total += best
        add_means(known, arms, grid, arm)
        known.joint[arm * arms + arm] = paid
    for arm in range(arms):
        known.best[arm] /= total
    for place in range(arms * arms):
        known.joint[place] /= total


def weigh(known: Beliefs, arms: int, grid: int, arm: int) -> tuple[float, float]:
    """Set the weight of every theta for the arm as the best; return the sums of w and w theta."""
    below = known.below[arm * grid : (arm + 1) * grid]
    best = 0.0
    paid = 0.0
    left = 0.0  # the distribution function one step to the left
    left_paid = 0.0
    for place in range(grid):
        after = min(place + 1, grid - 1)
        right = below[after]
        right_paid = right * known.mean[after * arms + arm]
        others = known.all_below[place] / below[place]
        known.weight[place] = 0.5 * max(0.0, right - left) * others
        best += known.weight[place]
        paid += 0.5 * max(0.0, right_paid - left_paid) * others
        left = below[place]
        left_paid = left * known.mean[place * arms + arm]
    return best, paid


def add_means(known: Beliefs, arms: int, grid: int, best: int) -> None:
    """Set `joint`: the sum over theta of the weight times the arms' expected thetas below it."""
    joint = known.joint[best * arms : (best + 1) * arms]
    for arm in range(arms):
        joint[arm] = 0.0
    for place in range(grid):
        weight = known.weight[place]
        if weight > 0.0:
            mean = known.mean[place * arms : (place + 1) * arms]
            for arm in range(arms):
                joint[arm] += weight * mean[arm]


def appraise(known: Beliefs, arms: int) -> None:
    """Set the expected regret and information gain of every arm.

    regret_k = sum_j P(j best) (E[theta_j | j best] - E[theta_k | j best]);
    gain_k = sum_j P(j best) kl(E[theta_k | j best], E[theta_k]).
    """
    for arm in range(arms):
        regret = 0.0
        mu = 0.0
        for other in range(arms):
            regret += known.joint[other * arms + other] - known.joint[other * arms + arm]
            mu += known.joint[other * arms + arm]
        gain = 0.0
        for other in range(arms):
            if known.best[other] > 0.0:
                paid = min(1.0, known.joint[other * arms + arm] / known.best[other])
                gain += known.best[other] * kl(paid, mu)
        known.regret[arm] = max(0.0, regret)
        known.gain[arm] = gain


def ratio(share: float, regret: float, other: float, gain: float, other_gain: float) -> float:
    """Squared expected regret divided by information, if one of two arms has a share of choices.

    >>> ratio(0.5, 1.0, 3.0, 2.0, 6.0), ratio(1.0, 0.0, 0.3, 0.0, 0.0)
    (1.0, 0.0)
    """
    lost = share * regret + (1.0 - share) * other
    known = share * gain + (1.0 - share) * other_gain
    if known > 0.0:
        return lost * lost / known
    return 0.0 if lost == 0.0 else math.inf


def best_share(regret: float, other: float, gain: float, other_gain: float) -> float:
    """The share of the first arm that minimises the ratio, which is convex in the share.

    >>> best_share(1.0, 3.0, 1.0, 1.0), best_share(1.0, 1.0, 1.0, 2.0), best_share(3.0, 1.0, 4.0, 0)
    (1.0, 0.0, 0.5)
    """
    first = ratio(1.0, regret, other, gain, other_gain)
    second = ratio(0.0, regret, other, gain, other_gain)
    share = 1.0 if first <= second else 0.0
    if regret != other and gain != other_gain:
        between = other / (regret - other) - 2.0 * other_gain / (gain - other_gain)
        if 0.0 < between < 1.0:
            value = ratio(between, regret, other, gain, other_gain)
            share = between if value < min(first, second) else share
    return share


def pair_key(known: Beliefs, arm: int, other: int) -> float:
    """Minus the smallest ratio of two arms."""
    regret, gain = known.regret[arm], known.gain[arm]
    share = best_share(regret, known.regret[other], gain, known.gain[other])
    return -ratio(share, regret, known.regret[other], gain, known.gain[other])


class InformationDirectedSampling(Actor):
    """Chooses randomly between two arms so that squared regret divided by information is smallest.

    Integrals over theta are sums over a grid. Arms known more precisely than the grid spacing
    cannot be distinguished by them; among those the arm with the better mean is chosen.
    """

    label = "IDS"
    equation = "min over pi of (sum of pi[k] regret[k])^2 / (sum of pi[k] gain[k])"
    reference = "Russo and Van Roy 2014"

    grid: int = parameter(
        default=100, slider=(20, 300), low=10, high=10_000, meaning="points of the grid of theta"
    )

    def memory_size(self, arms: int) -> int:
        """Rows over the grid for every arm, and numbers for every pair of arms."""
        return room_for(arms, self.grid)

    def begin(self, memory: Any, arms: int) -> None:
        """Set every belief to the uniform distribution."""
        known = laid_out(memory, arms, self.grid)
        for place in range(self.grid):
            theta = (place + 1.0) / self.grid
            known.logs[place] = math.log(theta)
            known.rests[place] = math.log(1.0 - theta) if place + 1 < self.grid else -math.inf
        for arm in range(arms):
            known.alpha[arm] = 1.0
            known.beta[arm] = 1.0
            for place in range(self.grid):
                known.below[arm * self.grid + place] = (place + 1.0) / self.grid
            set_means(known, arms, self.grid, arm)

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """One arm of the pair with the smallest ratio, at random."""
        known = laid_out(memory, arms, self.grid)
        average(known, arms, self.grid)
        appraise(known, arms)
        for arm in range(arms):
            known.key[arm] = -math.inf
            for other in range(arms):
                known.key[arm] = max(known.key[arm], pair_key(known, arm, other))
        first = largest(known.key, arms, choice_stream(rng))
        for other in range(arms):
            known.key[other] = pair_key(known, first, other)
        second = largest(known.key, arms, rng)
        share = best_share(
            known.regret[first], known.regret[second], known.gain[first], known.gain[second]
        )
        return first if uniform(rng, 2) < share else second

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Update the belief about the chosen arm; the result is always 0."""
        count(laid_out(memory, arms, self.grid), arms, self.grid, arm, outcome)
        return 0.0
