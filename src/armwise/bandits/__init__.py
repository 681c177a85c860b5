"""Bandits: how theta starts and how it changes. One bandit, one file."""

from armwise.bandits.drifting import DriftingBandit
from armwise.bandits.fixed import FixedBandit
from armwise.bandits.fixed_gaussian import FixedGaussianBandit
from armwise.bandits.gaussian import GaussianBandit
from armwise.bandits.permuted import PermutedBandit
from armwise.bandits.piecewise import PiecewiseBandit
from armwise.bandits.redrawn import RedrawnBandit
from armwise.bandits.restless import RestlessBandit
from armwise.bandits.reversal import ReversalBandit
from armwise.bandits.reverting import RevertingBandit
from armwise.bandits.stationary import StationaryBandit
from armwise.bandits.switching import SwitchingBandit
from armwise.bandits.timed_switching import TimedSwitchingBandit
from armwise.bandits.timed_varying import TimedVaryingBandit
from armwise.bandits.varying import VaryingBandit

__all__ = [
    "DriftingBandit",
    "FixedBandit",
    "FixedGaussianBandit",
    "GaussianBandit",
    "PermutedBandit",
    "PiecewiseBandit",
    "RedrawnBandit",
    "RestlessBandit",
    "ReversalBandit",
    "RevertingBandit",
    "StationaryBandit",
    "SwitchingBandit",
    "TimedSwitchingBandit",
    "TimedVaryingBandit",
    "VaryingBandit",
]
