"""What a decision with its outcome costs in a program of one's own, beside other programs.

One agent, called from Python, one thread: choose an arm, then learn its outcome. All programs take
turns in one process; a round is the mean of some hundred decisions, with the time of the bandit
taken off.
"""

import importlib.util
import itertools
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

import armwise as aw
from armwise.play.player import Player
from parts.table import Options, Table, number, spread
from rivals.decisions import seconds

ROUNDS, QUICK_ROUNDS, DECISIONS = 15, 3, 400
ARMS = 10, 80
UNIVERSAL_ARMS = 10, 40, 80
RIVALS = "pymab", "mabwiser", "NumPy"
GOALS = {"A-AI": 5.0, "UCB": 5.0, "B-UCB": 10.0, "TS": 10.0, "O-TS": 10.0, "H-EFE": 10.0}  # 10 arms
UNIVERSAL_GOAL = 30.0
POLICIES: dict[str, aw.Policy] = {
    "A-AI": aw.ApproximateActiveInference(),
    "UCB": aw.UCB(),
    "B-UCB": aw.BayesianUCB(),
    "TS": aw.ThompsonSampling(),
    "O-TS": aw.OptimisticThompsonSampling(),
    "H-EFE": aw.HorizonActiveInference(),
}
Loop = tuple[Callable[[], int], Callable[[int], None]]


def of_player(player: Player) -> Loop:
    ticket = player.choose()
    player.observe(ticket, 0)

    def decide() -> int:
        nonlocal ticket
        ticket = player.choose()
        return int(ticket.arm)

    return decide, lambda outcome: player.observe(ticket, outcome)


def of_pymab(policy: str, arms: int) -> Loop | None:
    """pymab's UCB is UCB1, and its Bayesian UCB has a fixed quantile."""
    try:
        from pymab import policies
    except ImportError:
        return None
    names = {
        "UCB": "UCBPolicy",
        "B-UCB": "BernoulliBayesianUCBPolicy",
        "TS": "BernoulliThompsonSamplingPolicy",
    }
    if policy not in names:
        return None
    rival, rng, chosen = getattr(policies, names[policy])(n_arms=arms), np.random.default_rng(1), 0

    def decide() -> int:
        nonlocal chosen
        chosen = rival.select_action(rng=rng)
        return chosen

    return decide, lambda outcome: rival.update(action=chosen, reward=outcome)


def of_mabwiser(policy: str, arms: int) -> Loop | None:
    try:
        from mabwiser.mab import MAB, LearningPolicy
    except ImportError:
        return None
    rules = {"UCB": LearningPolicy.UCB1(), "TS": LearningPolicy.ThompsonSampling()}
    if policy not in rules:
        return None
    rival, chosen = MAB(list(range(arms)), rules[policy], seed=1), 0
    rival.fit(list(range(arms)), [0] * arms)

    def decide() -> int:
        nonlocal chosen
        chosen = rival.predict()
        return chosen

    return decide, lambda outcome: rival.partial_fit([chosen], [outcome])


def of_numpy(policy: str, arms: int) -> Loop | None:
    """What one writes in a morning: beliefs in two arrays, the best arm by argmax."""
    rng, trial, chosen = np.random.default_rng(1), 0, 0
    alpha, beta = np.ones((2, arms))

    def ucb() -> Any:
        evidence = np.maximum(alpha + beta - 2, 1e-6)
        mean, bonus = (alpha - 1) / evidence, np.log(trial) / evidence
        return mean + bonus + np.sqrt(mean * bonus)

    scores = {
        "A-AI": lambda: (alpha + 0.5) / (alpha + beta),
        "UCB": ucb,
        "TS": lambda: rng.beta(alpha, beta),
        "O-TS": lambda: np.maximum(rng.beta(alpha, beta), alpha / (alpha + beta)),
    }
    if policy not in scores:
        return None
    score = scores[policy]

    def decide() -> int:
        nonlocal trial, chosen
        trial += 1
        chosen = int(np.argmax(score()))
        return chosen

    def observe(outcome: int) -> None:
        alpha[chosen] += outcome
        beta[chosen] += 1 - outcome

    return decide, observe


def timed(loops: dict[str, Loop | None], arms: int, rounds: int) -> dict[str, list[float]]:
    """Microseconds of every program, round by round."""
    times: dict[str, list[float]] = {name: [] for name, loop in loops.items() if loop is not None}
    for _ in range(rounds):
        for name in times:
            times[name].append(1e6 * seconds(*loops[name], arms, DECISIONS))
    return times


def started(agent: Any, arms: int, compile: bool) -> Loop:
    return of_player(agent.start(range(arms), seed=1, compile=compile))


def compared(label: str, policy: aw.Policy, arms: int, rounds: int) -> list[str]:
    """A row: medians, the slowest ratio against pymab, and whether the goals are met."""
    agent = aw.Agent(policy)
    makers = {"pymab": of_pymab, "mabwiser": of_mabwiser, "NumPy": of_numpy}
    loops = {
        "armwise": started(agent, arms, compile=True),
        **{name: makers[name](label, arms) for name in RIVALS},
        "interpreted": started(agent, arms, compile=False),
    }
    times = timed(loops, arms, rounds)
    middle = {name: statistics.median(each) for name, each in times.items()}
    pairs = zip(times["armwise"], times.get("pymab", ()), strict=False)
    ratios = [theirs / ours for ours, theirs in pairs]
    goal = GOALS[label] if arms == 10 else None
    met = goal is None or middle["armwise"] <= goal
    met = met and middle["armwise"] <= middle.get("pymab", np.inf)
    cells = [number(middle[name]) if name in middle else "" for name in (*RIVALS, "interpreted")]
    stated = [spread(ratios) if ratios else "", "" if goal is None else number(goal)]
    judged = "met" if met else "missed"
    verdict = judged if ratios or goal is not None else ""
    return [label, str(arms), spread(times["armwise"]), *cells, *stated, verdict]


def of_universal(arms: int, rounds: int) -> list[str]:
    times = timed({"armwise": started(aw.Universal(), arms, compile=True)}, arms, rounds)["armwise"]
    verdict = "met" if statistics.median(times) <= UNIVERSAL_GOAL else "missed"
    empty = [""] * (len(RIVALS) + 2)
    return ["universal", str(arms), spread(times), *empty, number(UNIVERSAL_GOAL), verdict]


def measure(options: Options) -> list[Table]:
    rounds, rows = QUICK_ROUNDS if options.quick else ROUNDS, []
    for arms, (label, policy) in itertools.product(ARMS, POLICIES.items()):
        options.say(f"player: {label}, {arms} arms")
        rows.append(compared(label, policy, arms, rounds))
    for arms in UNIVERSAL_ARMS:
        options.say(f"player: universal, {arms} arms")
        rows.append(of_universal(arms, rounds))
    notes = [
        f"Microseconds per decision with its outcome, one thread, median of {rounds} rounds of "
        f"{DECISIONS} decisions, in which the programs play one after the other. interpreted: "
        "armwise before it is compiled. The goals: at ten arms as stated, and never slower than "
        "pymab. pymab's UCB is UCB1 and its Bayesian UCB has a fixed quantile; a program without "
        "the policy has no number.",
    ]
    missing = [name for name in RIVALS[:2] if importlib.util.find_spec(name) is None]
    notes += [f"{name} is left out: it is not installed." for name in missing]
    columns = ["policy", ">arms", ">armwise [min–max]", *(f">{name}" for name in RIVALS)]
    columns += [">interpreted", ">pymab / armwise [min–max]", ">goal", ""]
    return [Table("A decision of a player", columns, rows, notes)]
