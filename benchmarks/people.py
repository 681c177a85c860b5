"""The numbers and figures of docs/people.md: seventeen agents, 301 people.

    python benchmarks/people.py                     # everything, into docs/figures
    python benchmarks/people.py --method eb         # minutes instead of an hour
    python benchmarks/people.py --only recovery

The agents are those of examples/people.toml; fits are kept in --store.
"""

import argparse
import time
from pathlib import Path

import numpy as np

import armwise as aw
from armwise.fitting.recover import known_values, twins_of
from armwise.fitting.scores import bic_of
from armwise.fitting.study import Study
from armwise.plotting import style

ROOT = Path(__file__).parent.parent
BEST = ("RW-2 f + h", "RW f + h", "bonus + h", "sd bonus + h", "G-AI + h", "mean + h")
CHECKED = ("RW-2 f + h", "bonus + h", "mean + h", "RW", "A-AI")
SPREADS = (0.5, 1.0, 2.0)  # of people around their group: half, as, and twice as by default
PARTS = ("fits", "confusion", "bic", "recovery", "prediction", "bonus", "priors", "people")


def main():
    asked = arguments()
    started = time.process_time()
    fits = Fits(asked)
    for name in PARTS:
        if not asked.only or name in asked.only:
            print(f"\n## {name}\n", flush=True)
            PART[name](fits, asked)
            print(f"\n{time.process_time() - started:.0f} CPU seconds so far", flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--method", default="bayes")
    parser.add_argument("--store", default=None)
    parser.add_argument("--only", nargs="*", choices=PARTS)
    parser.add_argument("--figures", type=Path, default=ROOT / "docs" / "figures")
    return parser.parse_args()


class Fits(dict):
    """Fits by name, made when they are first asked for."""

    def __init__(self, asked):
        study = Study.from_file(ROOT / "examples" / "people.toml")
        self.models, self.data = study.models(), study.data.choices()
        self.options = {"method": asked.method}
        self.options |= {} if asked.store is None else {"store": asked.store}

    def __missing__(self, name):
        agent, free = self.models[name]
        self[name] = aw.fit(agent, self.data, free, **self.options)
        return self[name]


def some(fits, names):
    return {name: fits[name] for name in names}


def of_all(fits, asked):
    """Every model, and how they compare."""
    everybody = some(fits, fits.models)
    for name, fit in everybody.items():
        print(f"{name}: {fit}\n")
    found = aw.compare(everybody)
    print(found)
    style.save(found.plot(), asked.figures / "people-comparison.png")


def confusion(fits, asked):
    """Which of the best can be told apart; by empirical Bayes, which takes minutes."""
    again = {n: aw.fit(f.agent, f.data, f.free, method="eb") for n, f in some(fits, BEST).items()}
    found = aw.compare(again, confusion=2, say=print)
    print(found)
    print(np.round(found.confusion.persons, 2))
    print(np.round(found.confusion.groups, 2))


def bic(fits, asked):
    """Which of two models BIC prefers if it is known that people had a bonus."""
    maker, other = fits["bonus + h"], fits["mean + h"]
    for seed in (1, 2):
        values = known_values(maker, len(maker.data), seed)
        made = twins_of(maker, values, maker.data, seed, None, None)
        found = {
            name: bic_of(aw.fit(each.agent, made, each.free, method="ml"))
            for name, each in (("bonus + h", maker), ("mean + h", other))
        }
        print(f"group {seed}, made by bonus + h: BIC {found}", flush=True)


def recovery(fits, asked):
    """What 90 trials can tell about the parameters."""
    for name in ("RW-2 f + h", "bonus + h"):
        found = aw.recover(fits[name], seed=1)
        print(f"{name}: {found}\n", flush=True)
        if name == "bonus + h":
            style.save(found.plot(), asked.figures / "people-recovery-bonus-h.png")


def prediction(fits, asked):
    """Do twins behave as people do?"""
    for name, fit in some(fits, CHECKED).items():
        found = fit.predict(200, seed=1)
        print(f"{name}: {found}\n", flush=True)
        label = name.lower().replace(" + ", "-").replace(" ", "-")
        if name in ("RW-2 f + h", "A-AI"):
            style.save(found.plot(), asked.figures / f"people-prediction-{label}.png")


def bonus(fits, asked):
    """The sign of the information bonus, with a habit in the model and without."""
    for name in ("bonus", "bonus + h"):
        fit = fits[name]
        means, _ = fit.answer.group(4_000, np.random.default_rng(1))
        values = fit.free.natural(means)[:, fit.names.index("bonus")]
        low, middle, high = np.percentile(values, [3, 50, 97])
        above = float(np.mean(fit.values()[:, 0] > 0))
        print(f"{name}: {middle:.2f} [{low:.2f}, {high:.2f}]; above 0 in {above:.0%} of people")


def priors(fits, asked):
    """The same comparison if people are taken to differ half or twice as much beforehand."""
    for spread in SPREADS:
        again = {}
        for name, fit in some(fits, BEST).items():
            free = {each: {"spread": spread} for each in fit.names}
            again[name] = aw.fit(fit.agent, fit.data, free, method=asked.method)
        print(f"spread {spread}:\n{aw.compare(again).table.round(2).to_string()}\n", flush=True)


def people(fits, asked):
    """The same comparison for those who failed a question of attention, and by platform."""
    data = aw.example("reversal")
    attentive, platform = data.of_person("attentive"), data.of_person("platform")
    groups = {
        "inattentive": attentive == 0,
        "mturk": (attentive == 1) & (platform == "mturk"),
        "prolific": (attentive == 1) & (platform == "prolific"),
    }
    for group, chosen in groups.items():
        again = {
            name: aw.fit(fit.agent, data.only(chosen), fit.free, method=asked.method)
            for name, fit in some(fits, (*BEST, "RW", "A-AI")).items()
        }
        print(f"{group}:\n{aw.compare(again).table.round(2).to_string()}\n", flush=True)


PART = dict(
    zip(PARTS, (of_all, confusion, bic, recovery, prediction, bonus, priors, people), strict=True)
)

if __name__ == "__main__":
    main()
