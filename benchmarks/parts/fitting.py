"""armwise: log-likelihoods of many people under many parameters, beside their kernel alone."""

import statistics
import time
from collections.abc import Callable

import numpy as np

import armwise as aw
from armwise.engine.batch import Likelihood, Sequences, log_likelihoods, simulate_people
from parts.table import Options, Table, number

PEOPLE, TRIALS, VECTORS, ARMS = 50, 500, 256, 3
ROUNDS, QUICK_ROUNDS = 9, 3
SMILE = aw.Smile(rho=0.1)
AGENTS = {
    "A-AI": (aw.Agent(aw.ApproximateActiveInference(), SMILE, aw.Softmax()), "lam"),
    "A-AI, habit": (
        aw.Agent(aw.ApproximateActiveInference(), SMILE, aw.HabitualSoftmax(stick=1.0)),
        "lam",
    ),
    "RW": (aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(), aw.Softmax()), "rate"),
    "G-AI": (aw.Agent(aw.ExactActiveInference(), SMILE, aw.Softmax()), "lam"),
}


def measure(options: Options) -> list[Table]:
    rows = []
    for name in list(AGENTS)[: 2 if options.quick else None]:
        options.say(f"fitting: {name}")
        rows.append(row_of(name, QUICK_ROUNDS if options.quick else ROUNDS))
    told = (
        f"Nanoseconds of processor time per trial, {PEOPLE} people by {TRIALS} trials by {VECTORS} "
        "parameter vectors with two free parameters, one thread. Public: `log_likelihoods`. "
        "Kernel: the compiled function alone. Median over rounds; the overhead is the median of "
        "the ratios in a round. Replay: `aw.replay` of one person's trials."
    )
    columns = ["agent", ">kernel", ">public call", ">overhead", ">replay", ">simulated"]
    return [Table("Likelihoods of people", columns, rows, [told])]


def row_of(name: str, rounds: int) -> list[str]:
    agent, parameter = AGENTS[name]
    free, values = [parameter, "precision"], vectors()
    told = simulate_people(aw.SwitchingBandit(arms=ARMS), agent, [], np.zeros((PEOPLE, 0)), TRIALS)
    data = sequences(told.choices, told.outcomes)
    prepared = Likelihood(agent, free, data)
    totals, nothing = np.zeros((PEOPLE, VECTORS)), np.zeros(0)
    trials = PEOPLE * TRIALS

    def kernel() -> None:
        prepared._follow(values, 0, PEOPLE * VECTORS, totals, nothing)

    def public() -> None:
        log_likelihoods(agent, free, values, data, threads=1)

    def replay() -> None:
        aw.replay(agent, told.choices[0], told.outcomes[0], ARMS)

    def simulate() -> None:
        bandit = aw.SwitchingBandit(arms=ARMS)
        simulate_people(bandit, agent, [], np.zeros((PEOPLE, 0)), TRIALS, threads=1)

    public()
    pairs = [(seconds(kernel), seconds(public)) for _ in range(rounds)]
    alone, whole = (
        1e9 / (trials * VECTORS) * statistics.median(each) for each in zip(*pairs, strict=True)
    )
    overhead = statistics.median(whole / alone for alone, whole in pairs) - 1
    once = 1e9 / TRIALS * statistics.median(seconds(replay) for _ in range(rounds))
    played = 1e9 / trials * statistics.median(seconds(simulate) for _ in range(rounds))
    return [name, number(alone), number(whole), f"{overhead:.1%}", number(once), number(played)]


def seconds(call: Callable[[], None]) -> float:
    started = time.process_time()
    call()
    return time.process_time() - started


def vectors() -> np.ndarray:
    rng = np.random.default_rng(1)
    return np.stack([rng.uniform(0.1, 0.9, VECTORS), rng.uniform(1, 8, VECTORS)], axis=-1)[None]


def sequences(choices: np.ndarray, outcomes: np.ndarray) -> Sequences:
    people, trials = choices.shape
    begins = np.arange(0, people * trials, trials)
    scored = np.full(people * trials, True)
    return Sequences(choices.ravel(), outcomes.ravel(), scored, begins, np.arange(people), ARMS)
