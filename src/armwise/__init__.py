"""Active inference in multi-armed bandits: simulate, explain, fit and act with one agent."""

from armwise.agent import Agent
from armwise.bandits import StationaryBandit, SwitchingBandit, VaryingBandit
from armwise.choices import Argmax, Softmax
from armwise.errors import InputError
from armwise.learners import Smile
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

__version__ = "0.1.0"
