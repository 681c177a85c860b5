"""The simulation in NumPy, vectorised over agents: arrays [N, K], and a Python loop over trials.

One thread: NumPy's arithmetic has no more.
"""

import functools
from typing import Any

import numpy as np
from scipy.special import betainccinv, digamma, xlogy

from rivals.cell import EPSILON, Cell, Finding, P, timed

TIE = 1e-12  # scores closer than this, relative to the best, tie: rounding must not decide

Generator = np.random.Generator


def a_ai(cell: Cell, rng: Generator, trial: int, alpha: Any, beta: Any) -> Any:
    return (2 * cell.lam * alpha + 0.5) / (alpha + beta)


def g_ai(cell: Cell, rng: Generator, trial: int, alpha: Any, beta: Any) -> Any:
    nu = alpha + beta
    mu, rest = alpha / nu, beta / nu
    ahead = mu + cell.rho * (0.5 - mu)
    risk = -cell.lam * (2 * ahead - 1) + xlogy(ahead, ahead) + xlogy(1 - ahead, 1 - ahead)
    ambiguity = digamma(nu + 1) - mu * digamma(alpha + 1) - rest * digamma(beta + 1)
    return -(risk + (1 - cell.rho) * ambiguity)


def ucb(cell: Cell, rng: Generator, trial: int, alpha: Any, beta: Any) -> Any:
    if trial <= cell.arms:
        return np.broadcast_to(np.arange(cell.arms) == trial - 1, alpha.shape).astype(float)
    evidence = np.maximum(alpha + beta - 2, 1e-12)
    mean = np.maximum(alpha - 1, 0.0) / evidence
    bonus = np.log(trial) / evidence
    return mean + bonus + np.sqrt(mean * bonus)


def rc(cell: Cell, rng: Generator, trial: int, alpha: Any, beta: Any) -> Any:
    return np.zeros_like(alpha)


def ts(cell: Cell, rng: Generator, trial: int, alpha: Any, beta: Any) -> Any:
    if cell.rho > 0:
        changed = rng.random((cell.agents, 1)) < cell.rho
        alpha, beta = np.where(changed, 1.0, alpha), np.where(changed, 1.0, beta)
    return rng.beta(alpha, beta)


def o_ts(cell: Cell, rng: Generator, trial: int, alpha: Any, beta: Any) -> Any:
    mu = alpha / (alpha + beta)
    return np.maximum(ts(cell, rng, trial, alpha, beta), mu + cell.rho * (0.5 - mu))


def b_ucb(cell: Cell, rng: Generator, trial: int, alpha: Any, beta: Any) -> Any:
    alpha, beta = alpha + cell.rho * (1 - alpha), beta + cell.rho * (1 - beta)
    return betainccinv(alpha, beta, 1.0 / trial)


SCORES = {"A-AI": a_ai, "G-AI": g_ai, "UCB": ucb, "RC": rc, "TS": ts, "O-TS": o_ts, "B-UCB": b_ucb}


def pick(rng: Generator, score: Any) -> Any:
    """The arm with the best score; noise decides among ties."""
    best = score.max(axis=1, keepdims=True)
    ties = score >= best - TIE * np.abs(best)
    return np.where(ties, rng.random(score.shape), -1.0).argmax(axis=1)


def learn(cell: Cell, alpha: Any, beta: Any, arm: Any, outcome: Any) -> None:
    """SMiLe, in place; with rho = 0 it counts."""
    rows = np.arange(cell.agents)
    if cell.rho > 0:
        a, b = alpha[rows, arm], beta[rows, arm]
        q0 = np.where(outcome, a, b) / (a + b)
        gamma = (cell.rho * 0.5 / (cell.rho * 0.5 + (1 - cell.rho) * q0))[:, None]
        alpha += gamma * (1 - alpha)
        beta += gamma * (1 - beta)
    alpha[rows, arm] += outcome
    beta[rows, arm] += ~outcome


def move(cell: Cell, rng: Generator, best: Any) -> Any:
    """With probability rho the best arm moves to one of the others."""
    if cell.rho == 0:
        return best
    other = rng.integers(0, cell.arms - 1, cell.agents)
    other += other >= best
    return np.where(rng.random(cell.agents) < cell.rho, other, best)


def simulate(cell: Cell, seed: int) -> Any:
    """The final regret of every agent."""
    rng = np.random.default_rng(seed)
    best = rng.integers(0, cell.arms, cell.agents)
    alpha, beta = np.ones((2, cell.agents, cell.arms))
    regret = np.zeros(cell.agents)
    for trial in range(1, cell.horizon + 1):
        best = move(cell, rng, best)
        arm = pick(rng, SCORES[cell.policy](cell, rng, trial, alpha, beta))
        theta = P + EPSILON * (arm == best)
        outcome = rng.random(cell.agents) < theta
        learn(cell, alpha, beta, arm, outcome)
        regret += P + EPSILON - theta
    return regret


def prepare(cell: Cell) -> None:
    """Nothing is compiled."""


def run(cell: Cell, seed: int) -> Finding:
    return timed(functools.partial(simulate, cell), seed)
