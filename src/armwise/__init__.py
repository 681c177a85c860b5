"""Active inference in multi-armed bandits: simulate, explain, fit and act with one agent."""

import importlib
from typing import TYPE_CHECKING, Any

from armwise import numerics
from armwise.actors import (
    BOCPD,
    EXP3S,
    GLRUCB,
    AveragedHMM,
    ChangeOracle,
    CusumUCB,
    DiscountedUCB,
    DurationBOCPD,
    DurationHMM,
    GittinsBOCPD,
    InformationDirectedSampling,
    InformedHMM,
    LearnedBOCPD,
    MonitoredUCB,
    MovingBest,
    ParticleFilter,
    RedrawnArms,
    RestartOracle,
    SeparateArms,
    TwoWorlds,
    Universal,
    WindowUCB,
)
from armwise.analysis import changes, regret, theory
from armwise.bandits import (
    DriftingBandit,
    FixedBandit,
    FixedGaussianBandit,
    GaussianBandit,
    PermutedBandit,
    PiecewiseBandit,
    RedrawnBandit,
    RestlessBandit,
    ReversalBandit,
    RevertingBandit,
    StationaryBandit,
    SwitchingBandit,
    TimedSwitchingBandit,
    TimedVaryingBandit,
    VaryingBandit,
)
from armwise.bandits.problems import PROBLEMS
from armwise.choices import Argmax, HabitualSoftmax, LapsingArgmax, Softmax
from armwise.errors import InputError
from armwise.learners import (
    AdaptiveForgetting,
    Confirming,
    Discounted,
    HierarchicalGaussianFilter,
    KalmanFilter,
    LastOutcome,
    LearnedChange,
    Mirrored,
    RandomWalkFilter,
    RescorlaWagner,
    SlidingWindow,
    Smile,
    TwoRates,
    VolatileKalmanFilter,
)
from armwise.model import draws
from armwise.model.agent import Agent, Chooser
from armwise.model.component import parameter
from armwise.model.quantile_policy import QuantilePolicy
from armwise.model.roles import Actor, Assumed, Bandit, Choice, Drawn, Learner, Policy
from armwise.play.checkpoints import every, log_spaced
from armwise.play.explain import explain
from armwise.play.replay import replay, retrace
from armwise.play.simulate import simulate
from armwise.play.trace import trace
from armwise.policies import (
    IMED,
    KLMOSS,
    KLUCB,
    UCB,
    ApproximateActiveInference,
    BayesianUCB,
    CappedActiveInference,
    DeviationBonus,
    EpsilonThompsonSampling,
    ExactActiveInference,
    ExactHorizonActiveInference,
    FadingApproximateActiveInference,
    FadingExactActiveInference,
    HorizonActiveInference,
    InformationBonus,
    KLUCBPlus,
    KnowledgeGradient,
    LearnedPreferences,
    MeanOutcome,
    NormalDeviationBonus,
    NormalMean,
    NormalThompsonSampling,
    NormalTotalUncertainty,
    OptimisticThompsonSampling,
    RandomChoice,
    SampledActiveInference,
    ThompsonSampling,
    TotalUncertainty,
)
from armwise.version import VERSION

if TYPE_CHECKING:
    from armwise.engine.people import simulate_people
    from armwise.fitting.calibrate import calibrate
    from armwise.fitting.choices import Choices
    from armwise.fitting.compare import compare
    from armwise.fitting.examples import example
    from armwise.fitting.fit import fit
    from armwise.fitting.load import load_choices
    from armwise.fitting.recover import recover
    from armwise.fitting.result import Fit
    from armwise.fitting.trace import retrace_people
    from armwise.lab.notebook import show
    from armwise.play import offline
    from armwise.play.catalogue import catalogue
    from armwise.play.opening import open_player
    from armwise.play.player import Player, Ticket, load_player
    from armwise.play.shared import SharedPlayer
    from armwise.play.tickets import Expiry
    from armwise.sweeps.results import Results
    from armwise.sweeps.runner import run
    from armwise.sweeps.store import Store
    from armwise.sweeps.sweep import Sweep

__version__ = VERSION

__all__ = [
    "BOCPD",
    "EXP3S",
    "GLRUCB",
    "IMED",
    "KLMOSS",
    "KLUCB",
    "PROBLEMS",
    "UCB",
    "Actor",
    "AdaptiveForgetting",
    "Agent",
    "ApproximateActiveInference",
    "Argmax",
    "Assumed",
    "AveragedHMM",
    "Bandit",
    "BayesianUCB",
    "CappedActiveInference",
    "ChangeOracle",
    "Choice",
    "Choices",
    "Chooser",
    "Confirming",
    "CusumUCB",
    "DeviationBonus",
    "Discounted",
    "DiscountedUCB",
    "Drawn",
    "DriftingBandit",
    "DurationBOCPD",
    "DurationHMM",
    "EpsilonThompsonSampling",
    "ExactActiveInference",
    "ExactHorizonActiveInference",
    "Expiry",
    "FadingApproximateActiveInference",
    "FadingExactActiveInference",
    "Fit",
    "FixedBandit",
    "FixedGaussianBandit",
    "GaussianBandit",
    "GittinsBOCPD",
    "HabitualSoftmax",
    "HierarchicalGaussianFilter",
    "HorizonActiveInference",
    "InformationBonus",
    "InformationDirectedSampling",
    "InformedHMM",
    "InputError",
    "KLUCBPlus",
    "KalmanFilter",
    "KnowledgeGradient",
    "LapsingArgmax",
    "LastOutcome",
    "LearnedBOCPD",
    "LearnedChange",
    "LearnedPreferences",
    "Learner",
    "MeanOutcome",
    "Mirrored",
    "MonitoredUCB",
    "MovingBest",
    "NormalDeviationBonus",
    "NormalMean",
    "NormalThompsonSampling",
    "NormalTotalUncertainty",
    "OptimisticThompsonSampling",
    "ParticleFilter",
    "PermutedBandit",
    "PiecewiseBandit",
    "Player",
    "Policy",
    "QuantilePolicy",
    "RandomChoice",
    "RandomWalkFilter",
    "RedrawnArms",
    "RedrawnBandit",
    "RescorlaWagner",
    "RestartOracle",
    "RestlessBandit",
    "Results",
    "ReversalBandit",
    "RevertingBandit",
    "SampledActiveInference",
    "SeparateArms",
    "SharedPlayer",
    "SlidingWindow",
    "Smile",
    "Softmax",
    "StationaryBandit",
    "Store",
    "Sweep",
    "SwitchingBandit",
    "ThompsonSampling",
    "Ticket",
    "TimedSwitchingBandit",
    "TimedVaryingBandit",
    "TotalUncertainty",
    "TwoRates",
    "TwoWorlds",
    "Universal",
    "VaryingBandit",
    "VolatileKalmanFilter",
    "WindowUCB",
    "calibrate",
    "catalogue",
    "changes",
    "compare",
    "draws",
    "every",
    "example",
    "explain",
    "fit",
    "load_choices",
    "load_player",
    "log_spaced",
    "numerics",
    "offline",
    "open_player",
    "parameter",
    "recover",
    "regret",
    "replay",
    "retrace",
    "retrace_people",
    "run",
    "show",
    "simulate",
    "simulate_people",
    "theory",
    "trace",
]

# Imported when they are first asked for: they, or the libraries they need, take time to load.
_LATER = {
    "Choices": "armwise.fitting.choices",
    "Expiry": "armwise.play.tickets",
    "Fit": "armwise.fitting.result",
    "Player": "armwise.play.player",
    "Results": "armwise.sweeps.results",
    "SharedPlayer": "armwise.play.shared",
    "Store": "armwise.sweeps.store",
    "Sweep": "armwise.sweeps.sweep",
    "Ticket": "armwise.play.player",
    "calibrate": "armwise.fitting.calibrate",
    "catalogue": "armwise.play.catalogue",
    "compare": "armwise.fitting.compare",
    "example": "armwise.fitting.examples",
    "fit": "armwise.fitting.fit",
    "load_choices": "armwise.fitting.load",
    "load_player": "armwise.play.player",
    "open_player": "armwise.play.opening",
    "recover": "armwise.fitting.recover",
    "retrace_people": "armwise.fitting.trace",
    "run": "armwise.sweeps.runner",
    "show": "armwise.lab.notebook",
    "simulate_people": "armwise.engine.people",
}


def __getattr__(name: str) -> Any:
    if name == "offline":  # a module
        return importlib.import_module("armwise.play.offline")
    if name not in _LATER:
        raise AttributeError(f"module 'armwise' has no attribute '{name}'")
    return getattr(importlib.import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
