"""Learners: beliefs from outcomes. One learner, one file."""

from armwise.learners.discounted import Discounted
from armwise.learners.learned_change import LearnedChange
from armwise.learners.sliding_window import SlidingWindow
from armwise.learners.smile import Smile

__all__ = ["Discounted", "LearnedChange", "SlidingWindow", "Smile"]
