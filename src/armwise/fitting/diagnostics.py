"""Whether draws can be trusted: R-hat, effective sample size, and Pareto k.

Vehtari, Gelman, Simpson, Carpenter and Buerkner 2021 for the first two, of ranks; Vehtari, Simpson,
Gelman, Yao and Gabry 2024 for the smoothing of weights and its k.
"""

import numpy as np

from armwise.errors import require


def r_hat(draws: np.ndarray) -> np.ndarray:
    """R-hat of `draws[chain, draw, ...]`: the larger of that of ranks and of folded ranks.

    >>> same = np.random.default_rng(1).standard_normal((4, 200))
    >>> bool(r_hat(same) < 1.02), bool(r_hat(same + np.arange(4)[:, None]) > 1.5)
    (True, True)
    """
    halves = _halves(draws)
    folded = np.abs(halves - np.median(halves, axis=(0, 1)))
    return np.maximum(_plain_r_hat(_ranked(halves)), _plain_r_hat(_ranked(folded)))


def ess_bulk(draws: np.ndarray) -> np.ndarray:
    """The effective number of draws for the middle of a distribution, `draws[chain, draw, ...]`."""
    return _ess(_ranked(_halves(draws)))


def ess_tail(draws: np.ndarray) -> np.ndarray:
    """The effective number of draws for the ends of an interval of 90 %."""
    halves = _halves(draws)
    ends = np.quantile(halves, [0.05, 0.95], axis=(0, 1))
    return np.minimum(*(_ess((halves <= end).astype(float)) for end in ends))


def _halves(draws: np.ndarray) -> np.ndarray:
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, -half:]])


def _ranked(draws: np.ndarray) -> np.ndarray:
    """The normal scores of the ranks, ties at their mean rank."""
    require("scipy")
    from scipy import special, stats

    flat = draws.reshape(draws.shape[0] * draws.shape[1], -1)
    ranks = stats.rankdata(flat, axis=0)
    return special.ndtri((ranks - 0.375) / (len(flat) + 0.25)).reshape(draws.shape)


def _plain_r_hat(draws: np.ndarray) -> np.ndarray:
    count = draws.shape[1]
    within = draws.var(axis=1, ddof=1).mean(axis=0)
    between = draws.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.sqrt((count - 1) / count + between / within)


def _ess(draws: np.ndarray) -> np.ndarray:
    """Geyer's initial monotone sequence, for the mean of `draws[chain, draw, ...]`."""
    chains, count = draws.shape[:2]
    flat = draws.reshape(chains, count, -1)
    away = flat - flat.mean(axis=1, keepdims=True)
    power = np.abs(np.fft.rfft(away, 2 * count, axis=1)) ** 2
    covariance = np.fft.irfft(power, axis=1)[:, :count] / count
    within = covariance[:, 0].mean(axis=0) * count / (count - 1.0)
    total = within * (count - 1.0) / count
    if chains > 1:
        total = total + flat.mean(axis=1).var(axis=0, ddof=1)
    found = np.full(flat.shape[2], np.nan)
    for k in np.flatnonzero(total > 0):
        rho = 1.0 - (within[k] - covariance[:, :, k].mean(axis=0)) / total[k]
        found[k] = chains * count / _time(rho)
    return found.reshape(draws.shape[2:])[()]


def _time(rho: np.ndarray) -> float:
    """The autocorrelation time: sums of pairs, while they are positive, made monotone."""
    rho[0] = 1.0
    pairs = rho[0 : len(rho) // 2 * 2 : 2] + rho[1::2][: len(rho) // 2]
    ends = np.flatnonzero(pairs <= 0.0)
    last = int(ends[0]) if len(ends) else len(pairs)
    used = np.minimum.accumulate(pairs[:last])
    rest = max(0.0, float(rho[2 * last])) if 2 * last < len(rho) else 0.0
    return max(2.0 * float(used.sum()) - 1.0 + rest, 1.0 / np.log10(len(rho) * 4.0))


def smoothed(log_weights: np.ndarray) -> tuple[np.ndarray, float]:
    """Log-weights with their largest replaced by quantiles of a Pareto distribution, and its k.

    The weights are normalised. Sums over them can be trusted where k is below .7.

    >>> weights, k = smoothed(np.random.default_rng(1).normal(size=1000))
    >>> bool(abs(np.exp(weights).sum() - 1.0) < 1e-9), bool(k < 0.7)
    (True, True)
    """
    found = log_weights - log_weights.max()
    count = len(found)
    tail = int(np.ceil(min(0.2 * count, 3.0 * np.sqrt(count))))
    k = np.inf
    if tail >= 5:
        order = np.argsort(found, kind="stable")
        largest = order[-tail:]
        cutoff = max(float(found[order[-tail - 1]]), -700.0)
        excess = np.exp(found[largest]) - np.exp(cutoff)
        if excess[-1] <= 1e-12:
            k = -np.inf
        else:
            k, scale = _pareto(excess)
            shares = (np.arange(tail) + 0.5) / tail
            with np.errstate(over="ignore"):  # a tail too heavy to be a number ends at the top
                rising = np.expm1(-k * np.log1p(-shares)) / k if abs(k) > 1e-9 else None
            stretched = -np.log1p(-shares) if rising is None else rising
            found[largest] = np.log(np.exp(cutoff) + scale * stretched)
            found = np.minimum(found, 0.0)
    return found - np.logaddexp.reduce(found), float(k)


def _pareto(excess: np.ndarray) -> tuple[float, float]:
    """Shape and scale of a generalised Pareto distribution (Zhang and Stephens 2009)."""
    count = len(excess)
    candidates = 30 + int(np.sqrt(count))
    quarter = excess[int(count / 4.0 + 0.5) - 1]
    theta = 1.0 - np.sqrt(candidates / (np.arange(1, candidates + 1) - 0.5))
    theta = theta / (3.0 * max(quarter, 1e-300)) + 1.0 / excess[-1]
    shape = np.log1p(-theta[:, None] * excess).mean(axis=1)
    fits = count * (np.log(-theta / shape) - shape - 1.0)
    weights = 1.0 / np.exp(fits - fits[:, None]).sum(axis=1)
    best = float((theta * weights).sum() / weights.sum())
    k = float(np.log1p(-best * excess).mean())
    return (count * k + 5.0) / (count + 10.0), -k / best
