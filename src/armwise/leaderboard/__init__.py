"""A leaderboard: which agent to use for which bandit. The folder `families/` defines its tables."""

from armwise.leaderboard.board import Standing, cells_of, compute, playing, standing
from armwise.leaderboard.family import PROFILES, Entry, Family, families
from armwise.leaderboard.page import prepare, write

__all__ = [
    "PROFILES",
    "Entry",
    "Family",
    "Standing",
    "cells_of",
    "compute",
    "families",
    "playing",
    "prepare",
    "standing",
    "write",
]
