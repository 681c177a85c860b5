"""Learners: beliefs from outcomes. One learner, one file."""

from armwise.learners.adaptive_forgetting import AdaptiveForgetting
from armwise.learners.confirming import Confirming
from armwise.learners.discounted import Discounted
from armwise.learners.hierarchical_gaussian_filter import HierarchicalGaussianFilter
from armwise.learners.kalman_filter import KalmanFilter
from armwise.learners.last_outcome import LastOutcome
from armwise.learners.learned_change import LearnedChange
from armwise.learners.mirrored import Mirrored
from armwise.learners.random_walk_filter import RandomWalkFilter
from armwise.learners.rescorla_wagner import RescorlaWagner
from armwise.learners.sliding_window import SlidingWindow
from armwise.learners.smile import Smile
from armwise.learners.two_rates import TwoRates
from armwise.learners.volatile_kalman_filter import VolatileKalmanFilter

__all__ = [
    "AdaptiveForgetting",
    "Confirming",
    "Discounted",
    "HierarchicalGaussianFilter",
    "KalmanFilter",
    "LastOutcome",
    "LearnedChange",
    "Mirrored",
    "RandomWalkFilter",
    "RescorlaWagner",
    "SlidingWindow",
    "Smile",
    "TwoRates",
    "VolatileKalmanFilter",
]
