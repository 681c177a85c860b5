"""Learners: beliefs from outcomes. One learner, one file."""

from armwise.learners.smile import Smile

__all__ = ["Smile"]
