"""Whole agents, which do not factor into learner, policy and choice. One agent, one file."""

from armwise.actors.exp3s import EXP3S
from armwise.actors.informed_hmm import InformedHMM

__all__ = ["EXP3S", "InformedHMM"]
