"""Addressed randomness: a draw is a pure function of (seed, agent, purpose, trial, arm, draw).

Nothing is consumed, so results cannot depend on threads, chunks, devices or on which other agents
run, and agent i meets the same bandit under every policy. The generator is Philox4x32 with seven
rounds, the fewest that pass BigCrush (Salmon et al. 2011, "Parallel random numbers: as easy as 1,
2, 3"). Its words are held in signed 64-bit integers and masked after every shift. This gives the
same bits for Python's unbounded integers and for the wrapping integers of compiled code.
"""

import math
from typing import NamedTuple

from armwise.numerics.beta_quantiles import beta_quantile
from armwise.numerics.hook import hook
from armwise.numerics.normal import normal_quantile

BANDIT, AGENT, CHOICE = 0, 1, 2  # purposes: draws of the bandit, of the policy, of the choice rule
PEAK = 4  # added to a purpose for the draws of `peak`
EVERY_ARM = 0xFFFFFF  # stands for the arm in a draw that all arms share
NOT_DRAWN = -1.0
AGENTS_MAX = TRIALS_MAX = 1 << 32
ARMS_MAX = EVERY_ARM

_MASK = 0xFFFFFFFF


class Stream(NamedTuple):
    """The address of a family of draws: everything but the number of the draw."""

    seed_low: int
    seed_high: int
    agent: int
    purpose: int
    trial: int
    arm: int
    drawn: float  # the luck of the arm if already known, else NOT_DRAWN


def stream(seed: int, agent: int, purpose: int, trial: int = 0, arm: int = EVERY_ARM) -> Stream:
    """The stream at an address; `seed` has 64 bits.

    >>> uniform(stream(seed=1, agent=0, purpose=BANDIT, trial=1), 0)
    0.23391401512296783
    """
    return Stream(seed & _MASK, seed >> 32, agent, purpose, trial, arm, NOT_DRAWN)


def for_arm(rng: Stream, arm: int) -> Stream:
    """The same address at one arm."""
    return Stream(rng.seed_low, rng.seed_high, rng.agent, rng.purpose, rng.trial, arm, NOT_DRAWN)


def with_luck(rng: Stream, arm: int, known: float) -> Stream:
    """The same address at one arm whose luck is known."""
    return Stream(rng.seed_low, rng.seed_high, rng.agent, rng.purpose, rng.trial, arm, known)


def for_trial(rng: Stream, trial: int) -> Stream:
    """The same address at another trial."""
    return Stream(rng.seed_low, rng.seed_high, rng.agent, rng.purpose, trial, rng.arm, NOT_DRAWN)


@hook
def philox(c0: int, c1: int, c2: int, c3: int, k0: int, k1: int) -> tuple[int, int, int, int]:
    """Philox4x32-7: four 32-bit words from a counter of four words and a key of two."""
    for _ in range(7):
        p0 = 0xD2511F53 * c0
        p1 = 0xCD9E8D57 * c2
        c0 = ((p1 >> 32) ^ c1 ^ k0) & _MASK
        c1 = p1 & _MASK
        c2 = ((p0 >> 32) ^ c3 ^ k1) & _MASK
        c3 = p0 & _MASK
        k0 += 0x9E3779B9
        k1 += 0xBB67AE85
    return c0, c1, c2, c3


def _fraction(high: int, low: int) -> float:
    # 52 random bits plus a half: never 0, never 1, and every value is exact.
    return ((high >> 6) * 67108864.0 + (low >> 6) + 0.5) * 2.220446049250313e-16


def pair(rng: Stream, block: int) -> tuple[float, float]:
    """Two independent uniforms in (0, 1): draws 2 * block and 2 * block + 1."""
    w0, w1, w2, w3 = philox(
        rng.trial, rng.agent, rng.arm | (rng.purpose << 24), block, rng.seed_low, rng.seed_high
    )
    return _fraction(w0, w1), _fraction(w2, w3)


def uniform(rng: Stream, draw: int) -> float:
    """A uniform in the open interval (0, 1)."""
    first, second = pair(rng, draw >> 1)
    return second if draw & 1 else first


def integer(rng: Stream, draw: int, count: int) -> int:
    """A whole number from 0 to count - 1; its bias is below count / 2**52."""
    return int(uniform(rng, draw) * count)


def normal(rng: Stream, draw: int) -> float:
    """A standard normal, by inversion of one uniform."""
    return normal_quantile(uniform(rng, draw))


def gumbel(rng: Stream, draw: int) -> float:
    """A standard Gumbel: argmax(log w + Gumbel) picks an arm with probability w / sum(w)."""
    return -math.log(-math.log(uniform(rng, draw)))


def log_gamma_draw(rng: Stream, block: int, shape: float) -> float:
    """The logarithm of a Gamma(shape, 1) variate, from the draws of blocks `block` and up.

    Marsaglia and Tsang (2000). A shape below one is raised by one and scaled back in logarithms,
    where even a tiny shape cannot underflow.
    """
    raised = shape if shape >= 1.0 else shape + 1.0
    d = raised - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    boost = 0.0
    if shape < 1.0:
        boost = math.log(uniform(rng, 2 * block)) / shape
        block += 1
    while True:
        u, v = pair(rng, block)
        block += 1
        x = normal_quantile(u)
        w = 1.0 + c * x
        if w > 0.0:
            w = w * w * w
            if math.log(v) < 0.5 * x * x + d - d * w + d * math.log(w):
                return math.log(d * w) + boost


def gamma_draw(rng: Stream, block: int, shape: float) -> float:
    """A Gamma(shape, 1) variate."""
    return math.exp(log_gamma_draw(rng, block, shape))


def luck(rng: Stream) -> float:
    """The arm's uniform in (0, 1), drawn so that the largest of 16 is known before the others.

    Arms come in groups of 16. The largest of 16 uniforms is distributed as the 16th root of a
    uniform. Each of the 16 arms is equally likely to have it; the others are uniform below it (by
    their draw 0). So one draw bounds all 16.
    """
    if rng.drawn >= 0.0:
        return rng.drawn
    power, place = peak(rng, rng.arm >> 4)
    top = root(power)
    return top if rng.arm & 15 == place else top * uniform(rng, 0)


def peak(rng: Stream, group: int) -> tuple[float, int]:
    """The 16th power of the largest luck in a group of arms, and its place in the group."""
    power, where = pair(
        Stream(
            rng.seed_low, rng.seed_high, rng.agent, rng.purpose + PEAK, rng.trial, group, NOT_DRAWN
        ),
        0,
    )
    return power, int(where * 16.0)


def root(power: float) -> float:
    """The 16th root, by square roots, which every device rounds in the same way."""
    return math.sqrt(math.sqrt(math.sqrt(math.sqrt(power))))


def beta_draw(rng: Stream, alpha: float, beta: float) -> float:
    """A Be(alpha, beta) variate: the quantile at `luck`, so bounds on luck bound the variate."""
    return beta_quantile(luck(rng), alpha, beta)
