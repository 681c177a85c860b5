"""Actors: agents that do not factor into learner, policy and choice. One actor, one file."""

from armwise.actors.averaged_hmm import AveragedHMM
from armwise.actors.bocpd import BOCPD
from armwise.actors.change_oracle import ChangeOracle
from armwise.actors.cusum_ucb import CusumUCB
from armwise.actors.discounted_ucb import DiscountedUCB
from armwise.actors.duration_bocpd import DurationBOCPD
from armwise.actors.duration_hmm import DurationHMM
from armwise.actors.exp3s import EXP3S
from armwise.actors.gittins_bocpd import GittinsBOCPD
from armwise.actors.glr_ucb import GLRUCB
from armwise.actors.information_directed_sampling import InformationDirectedSampling
from armwise.actors.informed_hmm import InformedHMM
from armwise.actors.learned_bocpd import LearnedBOCPD
from armwise.actors.monitored_ucb import MonitoredUCB
from armwise.actors.moving_best import MovingBest
from armwise.actors.particle_filter import ParticleFilter
from armwise.actors.redrawn_arms import RedrawnArms
from armwise.actors.restart_oracle import RestartOracle
from armwise.actors.separate_arms import SeparateArms
from armwise.actors.two_worlds import TwoWorlds
from armwise.actors.universal import Universal
from armwise.actors.window_ucb import WindowUCB

__all__ = [
    "BOCPD",
    "EXP3S",
    "GLRUCB",
    "AveragedHMM",
    "ChangeOracle",
    "CusumUCB",
    "DiscountedUCB",
    "DurationBOCPD",
    "DurationHMM",
    "GittinsBOCPD",
    "InformationDirectedSampling",
    "InformedHMM",
    "LearnedBOCPD",
    "MonitoredUCB",
    "MovingBest",
    "ParticleFilter",
    "RedrawnArms",
    "RestartOracle",
    "SeparateArms",
    "TwoWorlds",
    "Universal",
    "WindowUCB",
]
