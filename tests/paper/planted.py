"""Planted results: bandits in which the paper is right, wrong, or lost in noise.

A stub of `Results` whose regret is a formula plus noise. Rates are in units of random choice.
"""

import itertools
import math
import zlib

import numpy as np
import xarray

from armwise.analysis.regret import lai_robbins
from armwise.paper.claims import Evidence
from armwise.paper.claims.curves import random_rate

ARMS, EPSILONS, RHOS = (10, 20, 40, 80), (0.05, 0.1, 0.2), (0.005, 0.01, 0.02, 0.04)
FINE = [round(0.05 * i, 12) for i in range(41)]
AGENTS = 60


def product(**axes):
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


class Planted:
    """What `Results` offers, over conditions that need no cells."""

    def __init__(self, conditions, trials, regret, agents=AGENTS, noise=0.01):
        self.conditions, self.trials = conditions, np.asarray(trials)
        self.formula, self.agents, self.noise = regret, agents, noise
        self.whole = {frozenset(c.items()): c for c in conditions}

    def select(self, **wanted):
        if (cell := self.whole.get(frozenset(wanted.items()))) is not None:
            return [cell]
        return [c for c in self.conditions if all(c.get(k) == v for k, v in wanted.items())]

    def values(self, name, **wanted):
        if name == "horizon":
            return [int(self.trials[-1])]
        return list(dict.fromkeys(c[name] for c in self.select(**wanted) if name in c))

    def regret(self, **wanted):
        [cell] = self.select(**wanted)
        rng = np.random.default_rng(zlib.crc32(repr(sorted(cell.items())).encode()))
        noise = self.noise * random_rate(cell) * rng.normal(size=(self.agents, 1)) * self.trials
        found = np.stack(
            [self.formula(cell, int(t)) * np.ones(self.agents) for t in self.trials], 1
        )
        coords = {"agent": np.arange(self.agents), "trial": self.trials}
        return xarray.DataArray(found + noise, coords, ("agent", "trial"))


class PlantedEvidence(Evidence):
    def __init__(self, sweeps, timing=None):
        super().__init__("nowhere", "planted", timing)
        self.sweeps = sweeps

    def results(self, name):
        return self.sweeps.get(name)


def rates(formula):
    """Regret from a rate in units of random choice."""
    return lambda cell, trial: formula(cell, trial) * random_rate(cell) * trial


def difficulty(cell):
    return math.log2(cell["arms"] / 10) + math.log2(cell["rho"] / 0.005)


# --- the stationary bandit against lam -----------------------------------------------------------


def stationary_right(cell, trial):
    lam = cell["lam"]
    if lam >= 0.75:
        return (np.arange(AGENTS) < 0.7 * AGENTS).astype(float)  # 70 % never find the best arm
    optimum = {100: 0.5, 1_000: 0.4, 10_000: 0.1}[trial]
    base = np.interp(lam, [0.0, optimum, 0.75], [1.0, 0.3, 0.7])
    return base + (0.02 if cell["policy"] == "G-AI" and lam >= 0.25 else 0.0)


def stationary_wrong(cell, trial):
    root = math.sqrt(cell["lam"])
    base = 0.6 - 0.3 * root if trial == 10_000 else 0.1 + 0.2 * root
    return base - (0.1 if cell["policy"] == "G-AI" else 0.0)


def sharp_right(cell, trial):
    return 0.3 + 4.0 * abs(cell["lam"] - 0.06)


def sharp_wrong(cell, trial):
    return 0.3 + 0.5 * abs(cell["lam"] - 0.15)


# --- the stationary bandit against trial ---------------------------------------------------------


def _stuck(share, loss):
    return np.where(np.arange(AGENTS) < share * AGENTS, loss, 0.0)


def long_right(cell, trial):
    omega = lai_robbins(cell["arms"], cell["epsilon"])
    early, late = math.log(min(trial, 1_000)), math.log(max(trial, 1_000) / 1_000)
    if cell["policy"] == "O-TS":
        return omega * 0.9 * (early + late)
    if cell["policy"] == "B-UCB":
        return omega * (0.8 * early + 1.15 * late)
    doublings = math.log2(cell["arms"] / 10)
    onset, share = 10_000 * 2**doublings, 0.9 - 0.1 * doublings
    return omega * 0.3 * (early + late) + _stuck(share, cell["epsilon"] * max(0.0, trial - onset))


def long_wrong(cell, trial):
    omega = lai_robbins(cell["arms"], cell["epsilon"])
    lost = _stuck(0.2, cell["epsilon"] * trial)
    if cell["policy"] == "A-AI":
        return 20.0 * omega * math.log(trial)
    early = omega * math.log(trial) + lost
    return early * ((1.2 if trial <= 1_000 else 0.8) if cell["policy"] == "B-UCB" else 1.0)


def always_ahead(cell, trial):
    return 0.1 * lai_robbins(cell["arms"], cell["epsilon"]) * math.log(trial)


def fading_right(cell, trial):
    return _stuck(0.5, cell["epsilon"] * trial) + math.log(trial)


# --- the switching bandit ------------------------------------------------------------------------


def _switching(sign):
    def rate(cell, trial):
        easier = 1.0 + math.log2(cell["epsilon"] / 0.05)
        lead = sign * 0.5 * easier / (2.0 * (1.0 + difficulty(cell)))
        rival = {"A-AI": 0.0, "B-UCB": lead, "O-TS": lead + sign * 0.03}[cell["policy"]]
        settled = 1.0 if sign > 0 or trial <= 5_000 else 0.5
        return (1.0 + rival) * settled

    return rate


def preference_right(cell, trial):
    return 0.5 + 0.3 * abs(cell["lam"] - 0.5)


def preference_wrong(cell, trial):
    gap = 0.1 if cell["policy"] == "G-AI" else 0.0
    return 0.5 + 0.3 * abs(cell["lam"] - (1.8 if trial == 10_000 else 0.0)) + gap


def _arms(sign):
    def rate(cell, trial):
        optimum = 0.5 * 2 ** (sign * (math.log2(cell["arms"] / 10) - 1.5) * 0.8)
        return 0.5 + 0.3 * abs(cell["lam"] - optimum)

    return rate


# --- the varying bandit --------------------------------------------------------------------------


def _varying(sign):
    def rate(cell, trial):
        hard, policy = difficulty(cell), cell["policy"]
        easiest = 0.0 if sign > 0 else 0.2
        lead = {
            "G-AI": 0.1 * hard,
            "A-AI": 0.12 * hard - 0.1,
            "B-UCB": 0.0,
            "O-TS": -0.03,
            "RC": 0.0,
        }
        return 0.8 - sign * lead[policy] + (easiest if policy == "G-AI" else 0.0)

    return rate


def _stable(steady):
    def rate(cell, trial):
        optimum = 0.25 if cell["policy"] == steady else 0.35 + 0.05 * difficulty(cell)
        return 0.4 + abs(cell["lam"] - optimum)

    return rate


def _rare(sign):
    return lambda cell, trial: 0.5 + (0.1 * sign if cell["policy"] in ("A-AI", "G-AI") else 0.0)


def sweeps(right=True, noise=0.01, agents=AGENTS):
    """Every sweep that a claim reads, as if the paper were right or wrong."""
    sign, ai, all_three = (1 if right else -1), ["A-AI", "G-AI"], ["A-AI", "O-TS", "B-UCB"]
    logs = [d * 10**e for e in range(2, 6) for d in range(1, 10)] + [1_000_000]
    still = product(policy=ai, arms=ARMS, epsilon=EPSILONS, lam=FINE)
    fine = product(policy=["A-AI"], arms=ARMS, epsilon=[0.05], lam=[i / 100 for i in range(1, 21)])
    four = product(policy=all_three, arms=ARMS, epsilon=[0.1], rho=RHOS)
    five = product(policy=all_three, arms=[40], epsilon=EPSILONS, rho=RHOS)
    six = product(policy=[*all_three, "G-AI", "RC"], arms=ARMS, rho=RHOS)
    many = product(policy=ai, arms=[10], epsilon=EPSILONS, rho=RHOS, lam=FINE)
    vary = product(policy=ai, arms=ARMS, rho=RHOS, lam=FINE[:21])
    three = product(policy=["O-TS", "B-UCB"], arms=ARMS, epsilon=EPSILONS)
    three += product(policy=["A-AI"], arms=ARMS, epsilon=EPSILONS, lam=[0.1])
    other = product(policy=["A-AI"], arms=[10], epsilon=[0.1, 0.2], lam=[0.02, 0.05, 0.2])
    fade = product(
        policy=["fading-A-AI"], arms=[10], epsilon=[0.1, 0.2], lam=[0.05, 0.2, 1.0], decay=[1.0]
    )
    grid = product(policy=["A-AI"], arms=ARMS, epsilon=[0.2], rho=[0.005, 0.01], lam=FINE[2:])
    few = product(policy=[*all_three, "G-AI"], arms=[3, 5], rho=[0.0005])
    tall = 0.0 if noise < 1.0 else noise  # cumulative regret carries its own spread
    flat = [1_000, 10_000]

    def made(conditions, trials, formula, spread=noise):
        return Planted(conditions, trials, formula, agents, spread)

    return {
        "figure-2": made(
            still, [100, *flat], rates(stationary_right if right else stationary_wrong)
        ),
        "figure-2-fine": made(fine, flat, rates(sharp_right if right else sharp_wrong)),
        "figure-3": made(three, logs, long_right if right else long_wrong, tall),
        "figure-4": made(four, [5_000, 10_000], rates(_switching(sign))),
        "figure-5": made(five, [5_000, 10_000], rates(_switching(sign))),
        "figure-6": made(six, [10_000], rates(_varying(sign))),
        "figure-s2": made(many, flat, rates(preference_right if right else preference_wrong)),
        "figure-s3": made(vary, flat, rates(_stable("G-AI" if right else "A-AI"))),
        "claim-22": made(other, logs, long_right if right else long_wrong, tall),
        "claim-34": made(grid, [5_000], rates(_arms(sign))),
        "claim-41": made(few, [10_000], rates(_rare(sign))),
        "claim-44": made(fade, logs, fading_right if right else always_ahead, tall),
    }
