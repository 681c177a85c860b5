"""Compare policies that meet the same worlds: paired differences, Holm's correction, a figure."""

import armwise as aw
from armwise import regret
from armwise.plotting import regret_curves, style

bandit = aw.SwitchingBandit(arms=10, epsilon=0.1, rho=0.01)
policies = [
    aw.ApproximateActiveInference(lam=0.5),
    aw.OptimisticThompsonSampling(),
    aw.ThompsonSampling(),
    aw.RandomChoice(),
]
results = {
    policy.label: aw.simulate(
        bandit, aw.Agent(policy, aw.Smile(rho=0.01)), horizon=2_000, agents=300, seed=1
    )
    for policy in policies
}

for c in regret.paired(results, against="A-AI"):
    print(
        f"{c.first:>5} - {c.second}: {c.difference:+7.2f} [{c.low:+.2f}, {c.high:+.2f}] regret, "
        f"p = {c.p_holm:.2g}"
    )

style.save(regret_curves.draw(results, measure="rate"), "comparison.png")
print("The figure is comparison.png.")
