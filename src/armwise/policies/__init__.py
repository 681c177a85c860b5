"""Policies: a score for every arm from the belief about it. One policy, one file."""

from armwise.policies.approximate_active_inference import ApproximateActiveInference
from armwise.policies.bayesian_ucb import BayesianUCB
from armwise.policies.capped_active_inference import CappedActiveInference
from armwise.policies.deviation_bonus import DeviationBonus
from armwise.policies.epsilon_thompson_sampling import EpsilonThompsonSampling
from armwise.policies.exact_active_inference import ExactActiveInference
from armwise.policies.exact_horizon_active_inference import ExactHorizonActiveInference
from armwise.policies.fading_approximate_active_inference import FadingApproximateActiveInference
from armwise.policies.fading_exact_active_inference import FadingExactActiveInference
from armwise.policies.horizon_active_inference import HorizonActiveInference
from armwise.policies.imed import IMED
from armwise.policies.information_bonus import InformationBonus
from armwise.policies.kl_moss import KLMOSS
from armwise.policies.kl_ucb import KLUCB
from armwise.policies.kl_ucb_plus import KLUCBPlus
from armwise.policies.knowledge_gradient import KnowledgeGradient
from armwise.policies.learned_preferences import LearnedPreferences
from armwise.policies.mean_outcome import MeanOutcome
from armwise.policies.normal_deviation_bonus import NormalDeviationBonus
from armwise.policies.normal_mean import NormalMean
from armwise.policies.normal_thompson_sampling import NormalThompsonSampling
from armwise.policies.normal_total_uncertainty import NormalTotalUncertainty
from armwise.policies.optimistic_thompson_sampling import OptimisticThompsonSampling
from armwise.policies.random_choice import RandomChoice
from armwise.policies.sampled_active_inference import SampledActiveInference
from armwise.policies.thompson_sampling import ThompsonSampling
from armwise.policies.total_uncertainty import TotalUncertainty
from armwise.policies.ucb import UCB

__all__ = [
    "IMED",
    "KLMOSS",
    "KLUCB",
    "UCB",
    "ApproximateActiveInference",
    "BayesianUCB",
    "CappedActiveInference",
    "DeviationBonus",
    "EpsilonThompsonSampling",
    "ExactActiveInference",
    "ExactHorizonActiveInference",
    "FadingApproximateActiveInference",
    "FadingExactActiveInference",
    "HorizonActiveInference",
    "InformationBonus",
    "KLUCBPlus",
    "KnowledgeGradient",
    "LearnedPreferences",
    "MeanOutcome",
    "NormalDeviationBonus",
    "NormalMean",
    "NormalThompsonSampling",
    "NormalTotalUncertainty",
    "OptimisticThompsonSampling",
    "RandomChoice",
    "SampledActiveInference",
    "ThompsonSampling",
    "TotalUncertainty",
]
