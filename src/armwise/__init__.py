"""Active inference in multi-armed bandits: simulate, explain, fit and act with one agent."""

from armwise.actors import EXP3S, InformedHMM
from armwise.agent import Agent, load_player
from armwise.bandits import (
    DriftingBandit,
    GivenBandit,
    PiecewiseBandit,
    StationaryBandit,
    SwitchingBandit,
    VaryingBandit,
)
from armwise.bandits.problems import PROBLEMS
from armwise.choices import Argmax, Softmax
from armwise.errors import InputError
from armwise.explain import explain
from armwise.follow import replay, retrace
from armwise.grammar import Actor, Assumed, Bandit, Choice, Learner, Policy
from armwise.learners import Discounted, LearnedChange, SlidingWindow, Smile
from armwise.player import Player, Ticket
from armwise.policies import (
    IMED,
    KLMOSS,
    KLUCB,
    UCB,
    ApproximateActiveInference,
    BayesianUCB,
    EpsilonThompsonSampling,
    ExactActiveInference,
    HorizonActiveInference,
    KLUCBPlus,
    KnowledgeGradient,
    LearnedPreferences,
    OptimisticThompsonSampling,
    RandomChoice,
    SampledActiveInference,
    ThompsonSampling,
)
from armwise.simulate import every, log_spaced, simulate
from armwise.version import VERSION

__version__ = VERSION

__all__ = [
    "EXP3S",
    "IMED",
    "KLMOSS",
    "KLUCB",
    "PROBLEMS",
    "UCB",
    "Actor",
    "Agent",
    "ApproximateActiveInference",
    "Argmax",
    "Assumed",
    "Bandit",
    "BayesianUCB",
    "Choice",
    "Discounted",
    "DriftingBandit",
    "EpsilonThompsonSampling",
    "ExactActiveInference",
    "GivenBandit",
    "HorizonActiveInference",
    "InformedHMM",
    "InputError",
    "KLUCBPlus",
    "KnowledgeGradient",
    "LearnedChange",
    "LearnedPreferences",
    "Learner",
    "OptimisticThompsonSampling",
    "PiecewiseBandit",
    "Player",
    "Policy",
    "RandomChoice",
    "SampledActiveInference",
    "SlidingWindow",
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
