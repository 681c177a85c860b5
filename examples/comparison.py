"""Compare policies that meet the same bandits: paired differences with Holm's correction."""

import armwise as aw

bandit = aw.SwitchingBandit(arms=10, epsilon=0.1, rho=0.01)
smile = aw.Smile(rho=0.01)
policies = [
    aw.ApproximateActiveInference(lam=0.5),
    aw.OptimisticThompsonSampling(),
    aw.ThompsonSampling(),
    aw.RandomChoice(),
]
results = {
    policy.label: aw.simulate(bandit, aw.Agent(policy, smile), horizon=2_000, agents=300, seed=1)
    for policy in policies
}

for label, result in results.items():
    last = aw.regret.summary(result).isel(trial=-1)
    print(f"{label:>5}: regret {float(last.mean_regret):.0f} after {int(last.trial)} trials")
for c in aw.regret.paired(results, against="A-AI"):
    print(
        f"{c.first:>5} - {c.second}: {c.difference:+7.2f} [{c.low:+.2f}, {c.high:+.2f}] regret, "
        f"p = {c.p_holm:.2g}"
    )
