"""Policies: a score for every arm from the belief about it. One policy, one file."""

from armwise.policies.approximate_active_inference import ApproximateActiveInference
from armwise.policies.bayesian_ucb import BayesianUCB
from armwise.policies.exact_active_inference import ExactActiveInference
from armwise.policies.optimistic_thompson_sampling import OptimisticThompsonSampling
from armwise.policies.random_choice import RandomChoice
from armwise.policies.thompson_sampling import ThompsonSampling
from armwise.policies.ucb import UCB

__all__ = [
    "UCB",
    "ApproximateActiveInference",
    "BayesianUCB",
    "ExactActiveInference",
    "OptimisticThompsonSampling",
    "RandomChoice",
    "ThompsonSampling",
]
