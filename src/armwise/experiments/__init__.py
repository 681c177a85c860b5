"""Sweeps as data: the format users write, and one file per figure of the paper."""

from armwise.experiments.sweep import Sweep, published, published_names

__all__ = ["Sweep", "published", "published_names"]
