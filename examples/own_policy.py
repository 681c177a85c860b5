"""A policy of your own: one small class in your own file, at full speed."""

import math

import armwise as aw
from armwise.testing import check_contract


class RootBonus(aw.Policy):
    """Mean plus a bonus that falls with the square root of the evidence."""

    label = "ROOT"
    equation = "mu + c / sqrt(nu)"
    reference = "an example"

    c: float = aw.parameter(default=0.5, low=0, meaning="weight of the bonus")

    def score(self, shared, arm, alpha, beta, rng):
        nu = alpha + beta
        return alpha / nu + self.c / math.sqrt(nu)


if __name__ == "__main__":
    check_contract(RootBonus())
    bandit = aw.StationaryBandit(arms=10, epsilon=0.2)
    for policy in (RootBonus(c=0.2), RootBonus(c=1.0), aw.ApproximateActiveInference(lam=0.1)):
        result = aw.simulate(bandit, aw.Agent(policy), horizon=2_000, agents=500, seed=1)
        print(f"{policy!s:>12}: mean regret {float(result.regret[:, -1].mean()):.1f}")
