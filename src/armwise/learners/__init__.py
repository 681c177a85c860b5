"""Learners: beliefs from outcomes. One learner, one file."""

from armwise.learners.adaptive_forgetting import AdaptiveForgetting
from armwise.learners.discounted import Discounted
from armwise.learners.learned_change import LearnedChange
from armwise.learners.sliding_window import SlidingWindow
from armwise.learners.smile import Smile

__all__ = ["AdaptiveForgetting", "Discounted", "LearnedChange", "SlidingWindow", "Smile"]
