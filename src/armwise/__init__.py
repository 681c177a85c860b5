"""Active inference in multi-armed bandits: simulate, explain, fit and act with one agent."""

from armwise.agent import Agent, load_player
from armwise.bandits import StationaryBandit, SwitchingBandit, VaryingBandit
from armwise.choices import Argmax, Softmax
from armwise.errors import InputError
from armwise.explain import explain
from armwise.follow import replay, retrace
from armwise.grammar import Actor, Assumed, Bandit, Choice, Learner, Policy
from armwise.learners import Smile
from armwise.player import Player, Ticket
from armwise.policies import (
    UCB,
    ApproximateActiveInference,
    BayesianUCB,
    ExactActiveInference,
    OptimisticThompsonSampling,
    RandomChoice,
    ThompsonSampling,
)
from armwise.simulate import every, log_spaced, simulate
from armwise.version import VERSION

__version__ = VERSION

__all__ = [
    "UCB",
    "Actor",
    "Agent",
    "ApproximateActiveInference",
    "Argmax",
    "Assumed",
    "Bandit",
    "BayesianUCB",
    "Choice",
    "ExactActiveInference",
    "InputError",
    "Learner",
    "OptimisticThompsonSampling",
    "Player",
    "Policy",
    "RandomChoice",
    "Smile",
    "Softmax",
    "StationaryBandit",
    "SwitchingBandit",
    "ThompsonSampling",
    "Ticket",
    "VaryingBandit",
    "every",
    "explain",
    "load_player",
    "log_spaced",
    "replay",
    "retrace",
    "simulate",
]
