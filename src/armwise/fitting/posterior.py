"""The draws of a fit as Datasets in the schema of ArviZ."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from armwise.fitting.design import Design
from armwise.fitting.group import EFFECT_SD, LKJ, Layout
from armwise.fitting.identify import Combination
from armwise.fitting.parameters import Free
from armwise.fitting.sampling import Draws

PRIOR_DRAWS = 1000
TYPES = {"n_steps": int, "tree_depth": int, "diverging": bool, "accepted": bool}  # of statistics


def trees_of(
    draws: Draws,
    layout: Layout,
    free: Free,
    design: Design,
    subjects: tuple[str, ...],
    known: Sequence[Combination],
) -> dict[str, Any]:
    """Posterior, sample_stats, log_likelihood and prior."""
    import xarray

    data = group_variables(draws.psi, layout, free)
    values = free.natural(draws.x)
    for d, name in enumerate(free.names):
        data[name] = (("chain", "draw", "subject"), values[..., d])
    for each in known:
        product = np.exp(draws.x @ each.weights + each.offset)
        data[each.name] = (("chain", "draw", "subject"), product)
    chains, count = draws.psi.shape[:2]
    axes = {"chain": np.arange(chains), "draw": np.arange(count)}
    labels = labels_of(free, design)
    statistics: dict[str, Any] = {
        name: (("chain", "draw"), values.astype(TYPES.get(name, float)))
        for name, values in draws.told.items()
    }
    statistics["effective_points"] = (("chain", "draw", "subject"), draws.effective)
    likelihood = {"choices": (("chain", "draw", "subject"), draws.likelihood)}
    prior = prior_groups(layout, free, PRIOR_DRAWS, np.random.default_rng(0))[None]
    first = {"chain": [0], "draw": np.arange(PRIOR_DRAWS)}
    people = {"subject": list(subjects)}
    return {
        "posterior": xarray.Dataset(data, {**axes, **people, **labels}),
        "sample_stats": xarray.Dataset(statistics, {**axes, **people}),
        "log_likelihood": xarray.Dataset(likelihood, {**axes, **people}),
        "prior": xarray.Dataset(group_variables(prior, layout, free), {**first, **labels}),
    }


def group_variables(psi: np.ndarray, layout: Layout, free: Free) -> dict[str, Any]:
    """The group's numbers [chain, draw] under names: medians of people, sds, correlations."""
    mean, effects, sds, _ = layout.split(psi)
    natural, root = free.natural(mean), layout.root(psi)
    data: dict[str, Any] = {}
    for d, name in enumerate(free.names):
        data[f"{name}_group"] = (("chain", "draw"), natural[..., d])
        data[f"{name}_spread"] = (("chain", "draw"), sds[..., d])
    if layout.size > 1:
        matrix = root @ np.swapaxes(root, -1, -2)
        pairs = np.tril_indices(layout.size, -1)
        data["correlation"] = (("chain", "draw", "pair"), matrix[..., *pairs])
    if layout.effects:
        data["effect"] = (("chain", "draw", "parameter", "effect_of"), effects)
    return data


def labels_of(free: Free, design: Design) -> dict[str, list[str]]:
    """The coordinates of correlations, one for every pair of parameters, and of effects."""
    names = list(free.names)
    pairs = [f"{b} and {a}" for i, a in enumerate(names) for b in names[:i]]
    found = {"pair": pairs} if pairs else {}
    if design.names:
        found |= {"parameter": names, "effect_of": list(design.names)}
    return found


def prior_groups(layout: Layout, free: Free, count: int, rng: np.random.Generator) -> np.ndarray:
    """Draws of a group from the prior, [draw, number]."""
    psi = np.empty((count, layout.length))
    mean, effects, sds, z = layout.split(psi)
    for d, each in enumerate(free):
        if each.prior is None:
            mean[:, d] = each.center + each.width * rng.standard_normal(count)
        else:
            mean[:, d] = each.transform.real(each.prior.quantile(rng.random(count)))
        sds[:, d] = each.spread * np.abs(rng.standard_normal(count))
    effects[:] = EFFECT_SD * rng.standard_normal(effects.shape)
    n = 0
    for i in range(layout.size):
        for j in range(i):
            shape = LKJ + 0.5 * (layout.size - j - 2.0)
            z[:, n] = np.arctanh(2.0 * rng.beta(shape, shape, count) - 1.0)
            n += 1
    return psi
