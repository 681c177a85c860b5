"""One agent in one bandit: simulate, look at the regret, ask why."""

import armwise as aw
from armwise import regret

bandit = aw.SwitchingBandit(arms=10, epsilon=0.1, rho=0.01)
agent = aw.Agent(aw.ApproximateActiveInference(lam=0.5), aw.Smile(rho=0.01))

result = aw.simulate(bandit, agent, horizon=2_000, agents=500, seed=1)
last = regret.summary(result).isel(trial=-1)
print(f"{agent.label} in the {bandit.label} bandit, after {int(last.trial)} trials:")
low, high = float(last.rate_low), float(last.rate_high)
print(f"  regret rate {float(last.rate):.4f} [{low:.4f}, {high:.4f}]")
print(f"  a random choice has {bandit.random_rate():.4f}")

print("\nWhy would it choose which arm?")
print(aw.explain(agent, alpha=[9, 1, 3], beta=[5, 1, 2], trial=20).to_dataframe().round(4))
