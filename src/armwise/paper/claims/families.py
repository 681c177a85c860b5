"""The conditions under which claims are judged: one cell for each panel of a figure."""

import itertools
from typing import Any

ARMS = (10, 20, 40, 80)
EPSILONS = (0.05, 0.1, 0.2)
RHOS = (0.005, 0.01, 0.02, 0.04)
ACTIVE = ("A-AI", "G-AI")
RIVALS = ("O-TS", "B-UCB")

Cell = dict[str, Any]
_ORDER = ("policy", "arms", "epsilon", "rho", "lam")


def family(**axes: Any) -> tuple[Cell, ...]:
    """Every combination of conditions, the last one varying fastest; names are in a fixed order.

    >>> family(rho=(0.1, 0.2), arms=10)
    ({'arms': 10, 'rho': 0.1}, {'arms': 10, 'rho': 0.2})
    """
    lists = [value if isinstance(value, tuple) else (value,) for value in axes.values()]
    cells = [dict(zip(axes, values, strict=True)) for values in itertools.product(*lists)]
    return tuple({name: cell[name] for name in _ORDER if name in cell} for cell in cells)


def without(name: str, cell: Cell) -> Cell:
    """A cell without one of its conditions.

    >>> without("policy", {"policy": "A-AI", "arms": 10})
    {'arms': 10}
    """
    return {key: value for key, value in cell.items() if key != name}


STATIONARY = family(epsilon=EPSILONS, arms=ARMS)  # the panels of figures 2, 3 and S1
FIGURE_2 = family(policy=ACTIVE, epsilon=EPSILONS, arms=ARMS)
FIGURE_4 = family(arms=ARMS, epsilon=0.1, rho=RHOS)
FIGURE_5 = family(arms=40, epsilon=EPSILONS, rho=RHOS)
VARYING = family(arms=ARMS, rho=RHOS)  # the panels of figures 6 and S3
PANELS_S2 = family(arms=10, epsilon=EPSILONS, rho=RHOS)
FIGURE_S2 = family(policy=ACTIVE, arms=10, epsilon=EPSILONS, rho=RHOS)
