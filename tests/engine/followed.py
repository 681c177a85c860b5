"""Agents and recorded choices that a card follows as processors do, for `test_cuda_likelihood`.

`python -m tests.engine.followed`, in Numba's simulator, prints what the code for cards finds.
"""

import json
import sys
import warnings

import numpy as np

import armwise as aw
from armwise.engine.batch import Sequences, likelihood_on, log_likelihoods

ARMS = 3
PLAIN = "a-ai"
AGENTS = {
    PLAIN: (
        aw.Agent(aw.ApproximateActiveInference(), aw.Smile(), aw.Softmax()),
        {"lam": (0.1, 2.0), "rho": (0.0, 0.3), "precision": (0.0, 8.0)},
    ),
    "g-ai": (
        aw.Agent(aw.ExactActiveInference(), aw.Smile(rho=0.1), aw.Softmax(precision=4.0)),
        {"lam": (0.1, 2.0)},
    ),
    "rw, habit, lapses": (
        aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(), aw.HabitualSoftmax(lapse=0.05)),
        {"rate": (0.1, 0.9), "precision": (0.0, 8.0), "stick": (-1.0, 2.0)},
    ),
    "hgf": (
        aw.Agent(aw.MeanOutcome(), aw.HierarchicalGaussianFilter(), aw.Softmax()),
        {"precision": (0.0, 8.0)},
    ),
    "window": (  # a learner with a memory that must begin anew with every block
        aw.Agent(aw.MeanOutcome(), aw.SlidingWindow(window=4), aw.Softmax()),
        {"precision": (0.0, 8.0)},
    ),
    "bocpd": (  # an actor with tables, which all threads share
        aw.Chooser(aw.BOCPD(), aw.HabitualSoftmax()),
        {"precision": (0.0, 8.0), "stick": (-1.0, 2.0)},
    ),
}


def recorded() -> Sequences:
    """Three people with blocks of different lengths, missed trials and forced choices."""
    rng = np.random.default_rng(3)
    lengths, owners = [6, 9, 4, 8], [0, 0, 1, 2]
    trials = sum(lengths)
    choices = np.where(rng.random(trials) < 0.1, -1, rng.integers(0, ARMS, trials))
    outcomes = np.where(choices >= 0, rng.integers(0, 2, trials), 0)
    scored = (choices >= 0) & (rng.random(trials) < 0.9)
    begins = np.cumsum([0, *lengths[:-1]])
    return Sequences(choices, outcomes, scored, begins, np.array(owners), ARMS)


def offered() -> Sequences:
    """The same, where some arms were not available."""
    data = recorded()
    available = np.random.default_rng(4).random((len(data.choices), ARMS)) < 0.6
    available[np.arange(len(available)), data.choices] = True
    return data._replace(available=available)


def revealed() -> Sequences:
    """The same, where some arms that were not chosen showed their outcome."""
    data = recorded()
    return data._replace(shown=np.random.default_rng(5).integers(-1, 2, (len(data.choices), ARMS)))


CASES = {
    **{name: (name, recorded) for name in AGENTS},
    "available arms": ("rw, habit, lapses", offered),
    "shown outcomes": ("rw, habit, lapses", revealed),
}


def vectors(free: dict, count: int = 2) -> np.ndarray:
    """Vectors of the free parameters, in their ranges."""
    rng = np.random.default_rng(6)
    return np.stack([rng.uniform(low, high, count) for low, high in free.values()], axis=-1)


def found(case: str, device: str) -> list:
    """The log-likelihoods of a case, [person, vector]."""
    name, data = CASES[case]
    agent, free = AGENTS[name]
    values = vectors(free)[None]
    return log_likelihoods(agent, list(free), values, data(), device=device).tolist()


def cut_up() -> list[list]:
    """The same likelihoods in one launch and chunk; in many; with little memory; of some people."""
    from armwise.engine.cuda import likelihood

    agent, free = AGENTS[PLAIN]
    values = np.repeat(vectors(free)[None], 3, axis=0)
    values[1, 1, 0] = np.nan
    there = likelihood_on("cuda", agent, list(free), recorded())
    results = [there(values)]
    several = likelihood.in_launches

    def short(launch, horizon):
        for begin in range(1, horizon + 1, 2):
            launch(begin, min(begin + 1, horizon))

    likelihood.in_launches = short
    likelihood.that_fit = lambda numbers: 4
    results.append(there(values))
    likelihood.in_launches = several
    real = likelihood.zeros

    def scarce(*shape, **options):
        if shape[0] > 2:
            raise MemoryError
        return real(*shape, **options)

    likelihood.zeros = scarce
    results.append(there(values))
    order = np.array([2, 0, 1])
    results.append(there.of(order)(values[order])[np.argsort(order)])
    return [each.tolist() for each in results]


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # NumPy's integers wrap, as a card's do, and say so
    told = {case: found(case, "cuda") for case in CASES}
    json.dump({"found": told, "cut": cut_up()}, sys.stdout)
