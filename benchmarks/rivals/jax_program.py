"""The simulation in JAX, in the manner of the paper: agents in arrays [N, K], trials in a scan.

Numbers have 32 bits, as is JAX's default: up to a few thousand trials that is enough for every
policy, B-UCB included, because its quantile is sought from the upper end. On the
processor it has as many threads as XLA sees fit.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax, random
from jax.scipy.special import betainc, betaln, digamma, ndtri, xlog1py, xlogy

from rivals.cell import EPSILON, Cell, Finding, P, timed

TIE = 1e-6  # scores closer than this, relative to the best, tie: rounding must not decide
NEWTON_STEPS = 5  # one more than 32 bits ever need
PLATFORM = "cpu"  # where it runs


def a_ai(cell: Cell, key: Any, trial: Any, alpha: Any, beta: Any) -> Any:
    return (2 * cell.lam * alpha + 0.5) / (alpha + beta)


def g_ai(cell: Cell, key: Any, trial: Any, alpha: Any, beta: Any) -> Any:
    nu = alpha + beta
    mu, rest = alpha / nu, beta / nu
    ahead = mu + cell.rho * (0.5 - mu)
    risk = -cell.lam * (2 * ahead - 1) + xlogy(ahead, ahead) + xlog1py(1 - ahead, -ahead)
    ambiguity = digamma(nu + 1) - mu * digamma(alpha + 1) - rest * digamma(beta + 1)
    return -(risk + (1 - cell.rho) * ambiguity)


def ucb(cell: Cell, key: Any, trial: Any, alpha: Any, beta: Any) -> Any:
    evidence = jnp.maximum(alpha + beta - 2, 1e-6)
    mean = (alpha - 1) / evidence
    bonus = jnp.log(trial) / evidence
    turn = (jnp.arange(cell.arms) == trial - 1).astype(alpha.dtype)
    return jnp.where(trial <= cell.arms, turn, mean + bonus + jnp.sqrt(mean * bonus))


def rc(cell: Cell, key: Any, trial: Any, alpha: Any, beta: Any) -> Any:
    return jnp.zeros_like(alpha)


def ts(cell: Cell, key: Any, trial: Any, alpha: Any, beta: Any) -> Any:
    if cell.rho > 0:
        key, change_key = random.split(key)
        changed = random.bernoulli(change_key, cell.rho, (cell.agents, 1))
        alpha, beta = jnp.where(changed, 1.0, alpha), jnp.where(changed, 1.0, beta)
    return random.beta(key, alpha, beta)


def o_ts(cell: Cell, key: Any, trial: Any, alpha: Any, beta: Any) -> Any:
    mu = alpha / (alpha + beta)
    return jnp.maximum(ts(cell, key, trial, alpha, beta), mu + cell.rho * (0.5 - mu))


def b_ucb(cell: Cell, key: Any, trial: Any, alpha: Any, beta: Any) -> Any:
    alpha, beta = alpha + cell.rho * (1 - alpha), beta + cell.rho * (1 - beta)
    return -lower_quantile(1.0 / trial, beta, alpha)  # 1 - x is distributed as Be(beta, alpha)


def lower_quantile(tail: Any, a: Any, b: Any) -> Any:
    """Where ln betainc(a, b, y) = ln tail: Newton's steps in ln y, or halves of the bracket.

    JAX has no inverse of betainc, and all entries take as many steps as the slowest.
    """
    mean = a / (a + b)
    width = jnp.sqrt(mean * (1 - mean) / (a + b + 1))
    guess = jnp.clip(mean + width * ndtri(jnp.clip(tail, 1e-6, 0.9)), 0.02 * mean, 1.0)
    scale = betaln(a, b)

    def step(_: Any, state: Any) -> Any:
        low, high, y = state
        reached = betainc(a, b, y)
        low, high = jnp.where(reached < tail, y, low), jnp.where(reached < tail, high, y)
        slope = jnp.exp(xlogy(a, y) + xlog1py(b - 1, -y) - scale) / reached
        newton = y * jnp.exp(jnp.log(tail / reached) / slope)
        inside = (newton >= low) & (newton <= high)  # a step of zero is one, too
        return low, high, jnp.where(inside, newton, (low + high) / 2)

    first = jnp.zeros_like(a), jnp.ones_like(a), guess
    return jnp.where(tail < 1, lax.fori_loop(0, NEWTON_STEPS, step, first)[2], 1.0)


SCORES = {"A-AI": a_ai, "G-AI": g_ai, "UCB": ucb, "RC": rc, "TS": ts, "O-TS": o_ts, "B-UCB": b_ucb}


def pick(key: Any, score: Any) -> Any:
    """The arm with the best score; noise decides among ties."""
    best = score.max(axis=1, keepdims=True)
    noise = random.uniform(key, score.shape)
    return jnp.where(score >= best - TIE * jnp.abs(best), noise, -1.0).argmax(axis=1)


def learn(cell: Cell, alpha: Any, beta: Any, arm: Any, outcome: Any) -> tuple[Any, Any]:
    """SMiLe; with rho = 0 it counts."""
    chosen = jnp.arange(cell.arms) == arm[:, None]
    if cell.rho > 0:
        rows = jnp.arange(cell.agents)
        a, b = alpha[rows, arm], beta[rows, arm]
        q0 = jnp.where(outcome, a, b) / (a + b)
        gamma = (cell.rho * 0.5 / (cell.rho * 0.5 + (1 - cell.rho) * q0))[:, None]
        alpha, beta = alpha + gamma * (1 - alpha), beta + gamma * (1 - beta)
    paid = outcome[:, None]
    return alpha + (chosen & paid), beta + (chosen & ~paid)


def move(cell: Cell, key: Any, best: Any) -> Any:
    """With probability rho the best arm moves to one of the others."""
    if cell.rho == 0:
        return best
    switch_key, where_key = random.split(key)
    other = random.randint(where_key, best.shape, 0, cell.arms - 1)
    other += other >= best
    return jnp.where(random.bernoulli(switch_key, cell.rho, best.shape), other, best)


def simulate(cell: Cell, seed: Any) -> Any:
    """The final regret of every agent."""
    start_key, key = random.split(random.key(seed))

    def step(state: Any, trial: Any) -> Any:
        best, alpha, beta, regret = state
        keys = random.split(random.fold_in(key, trial), 4)
        best = move(cell, keys[0], best)
        score = SCORES[cell.policy](cell, keys[1], trial.astype(alpha.dtype), alpha, beta)
        arm = pick(keys[2], score)
        theta = P + EPSILON * (arm == best)
        outcome = random.uniform(keys[3], theta.shape) < theta
        alpha, beta = learn(cell, alpha, beta, arm, outcome)
        return (best, alpha, beta, regret + (P + EPSILON - theta)), None

    best = random.randint(start_key, (cell.agents,), 0, cell.arms)
    flat = jnp.ones((cell.agents, cell.arms))
    first = best, flat, flat, jnp.zeros(cell.agents)
    return lax.scan(step, first, jnp.arange(1, cell.horizon + 1))[0][3]


@functools.cache
def program(cell: Cell) -> Callable[[int], Any]:
    """The simulation, compiled beforehand."""
    jax.config.update("jax_platforms", PLATFORM)
    compiled = jax.jit(functools.partial(simulate, cell)).lower(0).compile()
    return lambda seed: compiled(seed).block_until_ready()


def prepare(cell: Cell) -> None:
    program(cell)


def run(cell: Cell, seed: int) -> Finding:
    return timed(program(cell), seed)
