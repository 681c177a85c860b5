"""How exact and how quick the propensities of players are, and what estimates from logs hold."""

import itertools
import math
import statistics
import time
from typing import Any

import numpy as np
from scipy import integrate, stats

import armwise as aw
from armwise import offline
from armwise.analysis.intervals import binomial_interval
from armwise.engine import background
from armwise.engine.winners import best_of
from parts.table import Options, Table, spread

ARMS, CASES, QUICK_CASES = 10, 8, 4
MICROSECONDS, ERROR = 200.0, 1e-6  # goals
LOGS, QUICK_LOGS, ROWS = 2_000, 200, 1_000
COVERAGE, SLACK = 0.95, 0.02  # goals
THETAS = np.array([0.05, 0.1, 0.2])
TARGET = np.array([0.1, 0.3, 0.6])


def measure(options: Options) -> list[Table]:
    options.say("player: propensities")
    return [propensities(options), coverages(options)]


def propensities(options: Options) -> Table:
    rng, times, errors = np.random.default_rng(1), [], []
    best_of([1.0, 1.0], [1.0, 2.0])  # asks for machine code
    while background.ready("best_arm") is None:
        time.sleep(0.01)
    for case in range(QUICK_CASES if options.quick else CASES):
        shown = rng.integers(1, 10 ** (1 + case % 4), ARMS)
        ones = rng.binomial(shown, rng.beta(1, 10, ARMS))
        alpha, beta = (1.0 + ones).tolist(), (1.0 + shown - ones).tolist()
        errors.append(float(np.abs(np.array(best_of(alpha, beta)[:-1]) - exact(alpha, beta)).max()))
        times += [1e6 * seconds(policy, alpha, beta) for policy in ("TS", "O-TS")]
    took, error = statistics.median(times), max(errors)
    rows = [
        ["microseconds", spread(times), f"{MICROSECONDS:g}", verdict(took <= MICROSECONDS)],
        ["largest error", f"{error:.1e}", f"{ERROR:g}", verdict(error <= ERROR)],
    ]
    note = (
        f"`ticket.probability` of Thompson sampling and its optimistic form at {ARMS} arms, once "
        f"its machine code is there. {len(errors)} sets of beliefs, from a few to thousands of "
        "outcomes; errors against SciPy's quadrature."
    )
    return Table("Propensities", ["what", ">found [min–max]", ">goal", ""], rows, [note])


def seconds(policy: str, alpha: list[float], beta: list[float]) -> float:
    """Per probability of a ticket, of a player with these beliefs."""
    kind: Any = {"TS": aw.ThompsonSampling, "O-TS": aw.OptimisticThompsonSampling}[policy]
    player = aw.Agent(kind()).start(range(ARMS), compile=False)
    body = player.saved()
    body["memory"] |= {"alpha": alpha, "beta": beta}
    player.restore(body)
    tickets = [player.choose() for _ in range(20)]
    started = time.perf_counter()
    for ticket in tickets:
        assert ticket.probability is not None
    return (time.perf_counter() - started) / len(tickets)


def exact(alpha: list[float], beta: list[float]) -> np.ndarray:
    """The probability of every arm to have the largest draw, by SciPy."""
    beliefs = [stats.beta(a, b) for a, b in zip(alpha, beta, strict=True)]

    def density(x: float, arm: int) -> float:
        others = math.prod(float(each.cdf(x)) for k, each in enumerate(beliefs) if k != arm)
        return float(beliefs[arm].pdf(x)) * others

    found = []
    for arm, belief in enumerate(beliefs):
        marks = [0.0, *(float(belief.ppf(q)) for q in (1e-6, 0.01, 0.5, 0.99, 1 - 1e-6)), 1.0]
        pairs = itertools.pairwise(marks)
        found.append(
            sum(integrate.quad(density, low, high, (arm,), epsabs=1e-10)[0] for low, high in pairs)
        )
    return np.array(found)


def fixed(rng: np.random.Generator) -> offline.Log:
    """A log of a fixed way to choose."""
    chances = np.array([0.5, 0.3, 0.2])
    arms = rng.choice(3, ROWS, p=chances)
    return offline.Log(arms, rng.random(ROWS) < THETAS[arms], chances[arms])


def adaptive(rng: np.random.Generator) -> offline.Log:
    """A log of an agent that learns: epsilon-greedy."""
    ones, seen = np.ones(3), np.full(3, 2.0)
    rows = []
    for luck, paid in rng.random((ROWS, 2)):
        chances = np.full(3, 0.2)
        chances[int(np.argmax(ones / seen))] += 0.4
        arm = int(np.searchsorted(np.cumsum(chances), luck * (1 - 1e-12)))
        outcome = paid < THETAS[arm]
        ones[arm] += outcome
        seen[arm] += 1
        rows.append((arm, outcome, chances[arm]))
    return offline.Log(*zip(*rows, strict=True))


def coverages(options: Options) -> Table:
    logs, rows = QUICK_LOGS if options.quick else LOGS, []
    truth = float(THETAS @ TARGET)
    for name, write in {"a fixed way": fixed, "an agent that learns": adaptive}.items():
        options.say(f"player: estimates from logs of {name}")
        rng, hits = np.random.default_rng(7), dict.fromkeys(offline.METHODS, 0)
        for _ in range(logs):
            log = write(rng)
            for method in hits:
                found = offline.value(log, TARGET, method)
                hits[method] += found.low <= truth <= found.high
        for method, count in hits.items():
            low, high = binomial_interval(count, logs)[1:3]
            share = count / logs
            stated = f"{share:.1%} [{low:.1%}, {high:.1%}]"
            rows.append([method, name, stated, verdict(abs(share - COVERAGE) <= SLACK)])
    note = (
        f"How many of {logs:,} logs of {ROWS:,} rows have the true value of another way to choose "
        f"in the 95 % interval, thetas {', '.join(map(str, THETAS))}. The goal: 95 ± 2 %."
    )
    columns = ["estimate", "who wrote the log", ">share [95 % interval]", ""]
    return Table("Estimates from logs", columns, rows, [note])


def verdict(met: bool) -> str:
    return "met" if met else "missed"
