"""Normal beliefs about the logit of theta, kept as Beta beliefs.

The Laplace bridge (MacKay 1998) takes N(m, v) for the Beta distribution whose density, seen over
the logit, has its mode and curvature there: alpha = (1 + e^m) / v, beta = (1 + e^-m) / v. The mean
of this belief is sigmoid(m), and nothing is lost: m = ln(alpha / beta), v = 1 / alpha + 1 / beta.
"""

import math

# Beyond these a belief would lose its digits: such a logit is certain, or nothing is known of it.
FARTHEST, WIDEST = 35.0, 200.0


def belief_of_logit(mean: float, variance: float) -> tuple[float, float]:
    """The Beta belief (alpha, beta) for a logit with this mean and variance.

    >>> belief_of_logit(0.0, 2.0)
    (1.0, 1.0)
    """
    odds = math.exp(min(max(mean, -FARTHEST), FARTHEST))
    width = min(variance, WIDEST)
    return (1.0 + odds) / width, (1.0 + 1.0 / odds) / width


def logit_of_belief(alpha: float, beta: float) -> tuple[float, float]:
    """Mean and variance of the logit for a Beta belief.

    >>> logit_of_belief(1.0, 1.0)
    (0.0, 2.0)
    """
    return math.log(alpha / beta), 1.0 / alpha + 1.0 / beta


def observed(outcome: int, mean: float, variance: float) -> tuple[float, float]:
    """Mean and variance of a logit after an outcome, from those predicted for its trial.

    One Newton step from the prediction: the precision grows by theta (1 - theta).

    >>> observed(1, 0.0, 4.0)
    (1.0, 2.0)
    """
    theta = 1.0 / (1.0 + math.exp(-mean))
    left = 1.0 / (1.0 / variance + theta * (1.0 - theta))
    return mean + left * (outcome - theta), left
