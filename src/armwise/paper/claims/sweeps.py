"""The sweeps that claims need beyond those of the figures."""

import functools

from armwise.bandits import StationaryBandit
from armwise.learners import Smile
from armwise.model.agent import Agent
from armwise.paper.claims.decaying import DecayingPreference
from armwise.paper.experiments import bundled, bundled_names
from armwise.play.checkpoints import log_spaced
from armwise.sweeps.cell import Cell

# c of lam_t = c / ln t, from far below to far above epsilon.
DECAYS = (0.05, 0.2, 1.0)
DECAY_EPSILONS = (0.1, 0.2)
_DECAY_SIZES = {"quick": (2_000, 40), "paper": (1_000_000, 200)}


def sweeps(profile: str = "quick") -> dict[str, list[Cell]]:
    """The extra cells by the name of their sweep, in the sizes of a profile.

    >>> sorted(sweeps())
    ['claim-22', 'claim-34', 'claim-41', 'claim-44']
    """
    named = [name for name in bundled_names() if name.startswith("claim-")]
    found = {name: list(cells_of(name, profile)) for name in named}
    return found | {"claim-44": list(cells_of("claim-44", profile))}


@functools.cache
def cells_of(name: str, profile: str) -> tuple[Cell, ...]:
    """The cells of a sweep: of a figure, of a claim's file, or of the one that no file can name."""
    if name == "claim-44":
        return tuple(_decaying(profile))
    return tuple(bundled(name).at(profile).cells())


def _decaying(profile: str) -> list[Cell]:
    horizon, agents = _DECAY_SIZES.get(profile, _DECAY_SIZES["paper"])
    marks = tuple(int(mark) for mark in log_spaced(horizon))
    return [
        Cell(StationaryBandit(10, epsilon), _agent(lam), horizon, agents, 3, marks)
        for epsilon in DECAY_EPSILONS
        for lam in DECAYS
    ]


def _agent(lam: float) -> Agent:
    return Agent(DecayingPreference(lam), Smile())
