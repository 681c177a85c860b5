"""Which agent made these choices? The log-likelihood of recorded choices under three policies."""

import armwise as aw

# In place of a person: choices and outcomes of one simulated agent, 500 trials.
bandit = aw.SwitchingBandit(arms=3, epsilon=0.3, rho=0.01)
smile = aw.Smile(rho=0.01)
person = aw.Agent(aw.ExactActiveInference(lam=0.5), smile, aw.Softmax(precision=8))
data = aw.simulate(
    bandit, person, 500, agents=1, seed=1, checkpoints=aw.every(1), record=["arm", "outcome"]
)
choices, outcomes = data.chosen.values[0], data.outcome.values[0]

policies = [
    aw.ExactActiveInference(lam=0.5),
    aw.ExactActiveInference(lam=0),  # wants information only
    aw.ApproximateActiveInference(lam=0.5),
]
for policy in policies:
    found = {}
    for precision in (0.5, 1, 2, 4, 8, 16, 32):
        agent = aw.Agent(policy, smile, aw.Softmax(precision=precision))
        found[precision] = aw.replay(agent, choices, outcomes, arms=3)
    best = max(found, key=found.get)
    print(f"{policy!s}: log-likelihood {found[best]:.1f}, at precision {best}")

agent = aw.Agent(policies[0], smile, aw.Softmax(precision=8))
trace = aw.retrace(agent, choices, outcomes, arms=3)
for trial in (1, 10, 100):
    now = trace.sel(trial=trial)
    belief = (now.alpha / (now.alpha + now.beta)).values.round(2)
    print(f"trial {trial}: believed {belief}, chose arm {int(now.chosen)}")
