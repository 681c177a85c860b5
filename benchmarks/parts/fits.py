"""armwise: whole fits, by every method, at the sizes of the goals."""

import time
from typing import Any

import numpy as np

import armwise as aw
from armwise.engine.batch import simulate_people
from parts.table import Options, Table, number

ARMS = 3
PERSON = aw.Agent(aw.ApproximateActiveInference(), aw.Smile(rho=0.1), aw.Softmax())
FREE = ["lam", "rho", "precision"]
MEANS, SDS = np.array([-0.3, -3.0, 2.0]), np.array([0.5, 0.7, 0.4])
CORRELATION = np.array([[1.0, 0.3, -0.4], [0.3, 1.0, 0.0], [-0.4, 0.0, 1.0]])
HABIT = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(), aw.HabitualSoftmax())
HABIT_FREE = ["rate", "forgetting", "precision", "stick"]


def measure(options: Options) -> list[Table]:
    people, trials = (12, 100) if options.quick else (50, 500)
    made = simulated(people, trials)
    real = aw.example("reversal")
    real = real.only(real.of_person("attentive") == 1)
    cases = [(PERSON, made, FREE, f"{people} x {trials} x 3")]
    cases += [] if options.quick else [(HABIT, real, HABIT_FREE, "301 x 90 x 4")]
    rows = []
    for agent, data, free, size in cases:
        for method in ("ml", "eb", "bayes"):
            options.say(f"fits: {size}, {method}")
            rows.append(row_of(agent, data, free, size, method))
    told = (
        "Processor seconds of a second fit in this process (the first compiles), all threads "
        "together; people x trials x free parameters. A-AI with SMiLe, simulated; RW with "
        "forgetting and habit, 301 people. Bayes: 4 x 500 draws; the least bulk-ESS and the "
        "largest R-hat are over group and people."
    )
    columns = ["size", "method", ">first", ">second", ">likelihoods", ">least ESS", ">R-hat"]
    return [Table("Whole fits", columns, rows, [told])]


def row_of(agent: Any, data: Any, free: list[str], size: str, method: str) -> list[str]:
    seconds = []
    for _ in range(2):
        started = time.process_time()
        fit = aw.fit(agent, data, free, method=method, seed=1)
        seconds.append(time.process_time() - started)
    row = [size, method, *map(number, seconds)]
    if method != "bayes":
        return [*row, "", "", ""]
    found = fit.answer.diagnostics
    least = min(found["ess_group"], found["ess_people"])
    return [*row, f"{fit.answer.problem.computed:,}", f"{least:.0f}", f"{found['r_hat']:.3f}"]


def simulated(people: int, trials: int, seed: int = 11) -> Any:
    """People who differ as in the prototype of these goals."""
    rng = np.random.default_rng(seed)
    root = np.linalg.cholesky(CORRELATION * np.outer(SDS, SDS))
    x = MEANS + rng.normal(size=(people, 3)) @ root.T
    values = np.stack([np.exp(x[:, 0]), 1 / (1 + np.exp(-x[:, 1])), np.exp(x[:, 2])], axis=1)
    bandit = aw.SwitchingBandit(arms=ARMS, epsilon=0.6, rho=1 / 15, p=0.2)
    told = simulate_people(bandit, PERSON, FREE, values, trials, seed)
    pairs = zip(told.choices.tolist(), told.outcomes.tolist(), strict=True)
    return aw.load_choices(list(pairs), arms=ARMS)
