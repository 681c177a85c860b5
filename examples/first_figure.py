"""The README's figure: what three agents lose while the best arm moves now and then."""

import sys

import matplotlib.pyplot as plt

import armwise as aw

bandit = aw.SwitchingBandit(arms=10, epsilon=0.2, rho=0.005)
smile = aw.Smile(rho=0.005)  # is given how often the best arm moves
agents = {
    "O-TS": aw.Agent(aw.OptimisticThompsonSampling(), smile),
    "A-AI": aw.Agent(aw.ApproximateActiveInference(lam=0.5), smile),
    "universal": aw.Universal(),  # is given nothing
}
looks = {"O-TS": ("#E69F00", "-."), "A-AI": ("#009E73", "--"), "universal": ("#882255", "-")}

plt.rc("font", size=11)
figure, axes = plt.subplots(figsize=(7.2, 3.6), layout="constrained")
for name, agent in agents.items():
    result = aw.simulate(bandit, agent, horizon=2_000, agents=500, seed=1, checkpoints=aw.every(20))
    found = aw.regret.summary(result)
    colour, line = looks[name]
    axes.plot(found.trial, found.mean_regret, line, color=colour, linewidth=2)
    axes.fill_between(found.trial, found.low, found.high, color=colour, alpha=0.2, linewidth=0)
    last = float(found.mean_regret[-1])
    axes.annotate(f" {name}", (2_000, last), va="center", annotation_clip=False)
    print(f"{name:>9}: mean regret {last:.0f} after 2000 trials")

axes.plot([0, 2_000], [0, 2_000 * bandit.random_rate()], ":", color="#555555", linewidth=1.5)
axes.annotate(" random choice", (2_000, 2_000 * bandit.random_rate()), va="center")
axes.set(xlim=(0, 2_000), ylim=(0, None), xlabel="trial", ylabel="cumulative regret")
axes.spines[["top", "right"]].set_visible(False)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "first.png", dpi=160)
