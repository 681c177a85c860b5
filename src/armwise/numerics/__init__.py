"""Scalar mathematics in plain Python, bit-identical when compiled. It does not know bandits."""

from armwise.numerics.best_arm import best_arm_probabilities
from armwise.numerics.beta_quantiles import beta_quantile, beta_upper_quantile
from armwise.numerics.beta_tails import beta_cdf, beta_odds_against, beta_sf, beta_sf_below
from armwise.numerics.divergence import kl, kl_upper, log_at_most
from armwise.numerics.gamma import digamma, log_beta, log_gamma
from armwise.numerics.information import information
from armwise.numerics.normal import normal_quantile
from armwise.numerics.student import student_quantile, student_sf

__all__ = [
    "best_arm_probabilities",
    "beta_cdf",
    "beta_odds_against",
    "beta_quantile",
    "beta_sf",
    "beta_sf_below",
    "beta_upper_quantile",
    "digamma",
    "information",
    "kl",
    "kl_upper",
    "log_at_most",
    "log_beta",
    "log_gamma",
    "normal_quantile",
    "student_quantile",
    "student_sf",
]
