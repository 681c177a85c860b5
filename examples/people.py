"""Fit two agents to people, check them, and compare them: what docs/people.md does at length."""

import armwise as aw

data = aw.example("reversal")
attentive = data.only(data.of_person("attentive") == 1)
some = attentive.only(attentive.subjects[:30])  # of 301, to be quick
print(some)

agents = {
    "A-AI": aw.Agent(aw.ApproximateActiveInference(), aw.Smile(), aw.Softmax()),
    "RW": aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(), aw.Softmax()),
    "RW + habit": aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(), aw.HabitualSoftmax()),
}
free = {
    "A-AI": ["lam", "rho", "precision"],
    "RW": ["rate", "precision"],
    "RW + habit": ["rate", "forgetting", "precision", "stick"],
}
fits = {name: aw.fit(agents[name], some, free[name], method="eb") for name in agents}
print(fits["RW + habit"])
print()
print(fits["RW + habit"].predict(draws=100))
print()
print(aw.recover(fits["RW + habit"], people=100))
print()
comparison = aw.compare(fits, confusion=1)
print(comparison)
comparison.plot().savefig("people.png")
