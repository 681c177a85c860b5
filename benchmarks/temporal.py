"""The numbers and figures of docs/temporal-reversal.md: 50 people, two arms that swap.

    python benchmarks/temporal.py                   # everything, into docs/figures
    python benchmarks/temporal.py --only recovery

The agents are those of examples/temporal-reversal.toml, fitted by empirical Bayes.
"""

import argparse
import math
import time
from pathlib import Path

import numpy as np

import armwise as aw
from armwise.fitting.recover import twins_of
from armwise.fitting.scores import scores_of
from armwise.fitting.selection import select
from armwise.fitting.study import Study
from armwise.plotting import style

ROOT = Path(__file__).parent.parent
CHECKED = ("RW-2 f", "HMM", "HMM-duration")
CONDITIONS = ("regular", "irregular")
PAYS = (0.8, 0.2)  # the right arm and the other
CHANCE = 1 / 20  # of a swap in a trial, to find the swaps
STAGES = (1, 2, 3, 4, 8)
AROUND = (-8, -4, -2, -1, 0, 1, 2, 4, 8)
MAKERS = (1, 2, 4)
PARTS = ("task", "fits", "conditions", "regularity", "foreseen", "prediction", "recovery", "passed")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="*", choices=PARTS)
    parser.add_argument("--figures", type=Path, default=ROOT / "docs" / "figures")
    asked = parser.parse_args()
    raw = with_thetas(people())
    started, fits = time.process_time(), Fits(with_cues(raw), raw)
    for name in PARTS:
        if not asked.only or name in asked.only:
            print(f"\n## {name}\n", flush=True)
            PART[name](fits, asked)
            print(f"\n{time.process_time() - started:.0f} CPU seconds so far", flush=True)


def people():
    """The 50 people of the main experiment."""
    return Study.from_file(ROOT / "examples" / "temporal-reversal.toml").data.choices()


class Fits(dict):
    """Fits by name, made when they are first asked for."""

    def __init__(self, data, raw=None):
        study = Study.from_file(ROOT / "examples" / "temporal-reversal.toml")
        self.models, self.data, self.raw = study.models(), data, raw

    def __missing__(self, name):
        agent, free = self.models[name]
        self[name] = aw.fit(agent, self.data, free, method="eb")
        return self[name]

    def of_all(self):
        return {name: self[name] for name in self.models}


def states_of(frame):
    """The right arm in every trial, for the people of one condition, who all met the same.

    What cues say is certain, and outcomes count by their probabilities: the most probable path of a
    hidden Markov model (Viterbi).
    """
    trials = int(frame["trial"].max())
    said = np.zeros((trials, 2))
    for arm in (0, 1):
        rows = frame[frame["choice"].astype(str) == str(arm)].drop_duplicates("trial")
        for state in (0, 1):
            pays = PAYS[0] if arm == state else PAYS[1]
            won = rows["outcome"].astype(int).to_numpy()
            said[rows["trial"] - 1, state] += np.log(np.where(won, pays, 1 - pays))
    cues = frame[frame["cue"].notna()].drop_duplicates("trial")
    said[cues["trial"] - 1, 1 - cues["cue"].astype(int)] = -1e6
    stay, move = math.log(1 - CHANCE), math.log(CHANCE)
    best, back = said[0], []
    for row in said[1:]:
        paths = best[:, None] + np.array([[stay, move], [move, stay]])
        back.append(paths.argmax(axis=0))
        best = paths.max(axis=0) + row
    path = [int(best.argmax())]
    for step in reversed(back):
        path.append(int(step[path[-1]]))
    return np.array(path[::-1])


def with_thetas(data):
    """The data with how arms paid, which is the same for all of a condition."""
    frame = data.frame.copy()
    for _, rows in frame.groupby("condition"):
        right = states_of(rows)[rows["trial"] - 1]
        for arm in (0, 1):
            frame.loc[rows.index, f"theta_{arm}"] = np.where(right == arm, *PAYS)
    return aw.load_choices(frame)


def with_cues(data):
    """The data in which a cue is an outcome 1 of the arm that it shows: learned from, not scored.

    For twins, too, it is certain.
    """
    frame = data.frame.copy()
    shown = frame["cue"].notna()
    arm = frame["cue"].fillna(0).astype(int)
    frame["choice"] = frame["choice"].astype(object).where(~shown, arm.astype(str))
    frame["outcome"] = frame["outcome"].where(~shown, 1)
    for each in (0, 1):
        frame[f"theta_{each}"] = frame[f"theta_{each}"].where(~shown, (arm == each).astype(float))
    frame["forced"] = shown.astype(int)
    return aw.load_choices(frame.drop(columns="ignored", errors="ignore"), arms=[0, 1])


def task(fits, asked):
    """What the states are found to be, and how long they last."""
    frame = fits.raw.frame
    for condition in CONDITIONS:
        rows = frame[frame["condition"] == condition]
        states = states_of(rows)
        lengths = np.diff(np.flatnonzero(np.diff(states)))
        asks = rows["cue"].notna().groupby(rows["subject"]).mean()
        print(
            f"{condition}: {rows['subject'].nunique()} people, {len(lengths) + 1} swaps; between "
            f"two of them {lengths.mean():.1f} trials on average, sd {lengths.std():.1f}; people "
            f"asked in {asks.min():.1%} to {asks.max():.1%} of trials, median {asks.median():.1%}"
        )
        won = rows.dropna(subset=["outcome"])
        right = won["choice"].astype(str).astype(int).to_numpy() == states[won["trial"] - 1]
        print(
            f"  the right arm was chosen in {right.mean():.1%}, and paid in "
            f"{won['outcome'][right].mean():.1%}, the other in {won['outcome'][~right].mean():.1%}"
        )


def of_all(fits, asked):
    """Every model, and how they compare."""
    everybody = fits.of_all()
    for name, fit in everybody.items():
        print(f"{name}: {fit}\n")
    found = aw.compare(everybody, bic=False)
    print(found)
    style.save(found.plot(), asked.figures / "temporal-comparison.png")


def conditions(fits, asked):
    """The same, with groups of their own for regular and irregular swaps."""
    condition = fits.data.of_person("condition")
    for name in CONDITIONS:
        ranked(name, Fits(fits.data.only(condition == name)).of_all())


def ranked(title, fits):
    """Scores as in a comparison, without BIC, which takes longer than all the rest."""
    scores, _ = scores_of(fits)
    frequency = select(np.column_stack([each.log_evidence() for each in fits.values()])).frequency
    best = int(scores.sum(axis=0).argmax())
    away = scores - scores[:, [best]]
    print(f"{title}:")
    for place in np.argsort(-scores.sum(axis=0)):
        error = away[:, place].std(ddof=1) * math.sqrt(len(away))
        print(
            f"  {list(fits)[place]:15} {away[:, place].sum():9.1f} (standard error {error:.1f}), "
            f"frequency {frequency[place]:.2f}",
            flush=True,
        )


def regular(data, stages):
    """The HMM that expects durations of so many stages, with their mean free."""
    actor = aw.DurationHMM(p=0.2, epsilon=0.6, intervals=(20,), stages=(stages,))
    person = aw.Chooser(actor, aw.HabitualSoftmax())
    return aw.fit(person, data, ["haste", "precision", "stick"], method="eb")


def gained(title, fits):
    """How much more probable regular durations make everybody's choices."""
    one = fits[1].log_evidence()
    for stages in [each for each in fits if each > 1]:
        gain = fits[stages].log_evidence() - one
        error = gain.std(ddof=1) / math.sqrt(len(gain))
        print(
            f"{title}, stages = {stages}: {gain.mean():.1f} a person (standard error {error:.1f}), "
            f"above 0 for {np.mean(gain > 0):.0%}",
            flush=True,
        )


def regularity(fits, asked):
    """How regular are the swaps that people expect? More stages are more regular."""
    condition = fits.data.of_person("condition")
    for name in CONDITIONS:
        data = fits.data.only(condition == name)
        found = {stages: regular(data, stages) for stages in STAGES}
        gained(name, found)
        for stages, fit in found.items():
            often = 20 / float(fit.free.natural(fit.answer.found.group.mean)[0])
            print(f"  stages = {stages}: a swap is expected every {often:.1f} trials")
        for stages in MAKERS:
            made = twins_of(found[stages], found[stages].values(), data, 1, None, None)
            again = {each: regular(made, each) for each in MAKERS}
            gained(f"  twins made by stages = {stages}, {name}", again)


def prediction(fits, asked):
    """Do twins behave as people do, by condition?"""
    condition = fits.data.of_person("condition")
    for name in CONDITIONS:
        some = Fits(fits.data.only(condition == name))
        for model in CHECKED:
            found = some[model].predict(100, seed=1)
            print(f"{name}, {model}: {found}\n", flush=True)
            if name == "regular" and model != "HMM":
                label = model.lower().replace(" ", "-")
                style.save(found.plot(), asked.figures / f"temporal-prediction-{label}.png")


def foreseen(fits, asked):
    """Around a swap: how often people choose the arm that becomes the right one, and agents would.

    What an agent would choose follows from what the person had met until then.
    """
    condition = fits.data.of_person("condition")
    for name in CONDITIONS:
        some = Fits(fits.data.only(condition == name))
        frame = some.data.frame
        right = (frame["theta_1"] > frame["theta_0"]).to_numpy().astype(int)
        swaps = np.flatnonzero(np.diff(right) & (np.diff(frame["trial"]) == 1)) + 1
        for model in CHECKED:
            told = some[model].retrace()
            rows = []
            for offset in AROUND:
                at = swaps + offset
                at = at[(at >= 0) & (at < len(frame))]
                new = right[swaps][: len(at)]
                free = told["probability"].notna().to_numpy()[at] & (
                    frame["forced"].to_numpy()[at] == 0
                )
                chosen = frame["choice"].astype(str).to_numpy()[at] == new.astype(str)
                chance = told[["probability_0", "probability_1"]].to_numpy()[at, new]
                rows.append(f"{offset}: {chosen[free].mean():.3f} {chance[free].mean():.3f}")
            print(f"{name}, {model} (trial after the swap: people, agent): {'; '.join(rows)}")


def recovery(fits, asked):
    """What a thousand trials can tell about the parameters."""
    for name in CHECKED:
        found = aw.recover(fits[name], seed=1)
        print(f"{name}: {found}\n", flush=True)
        if name == "RW-2 f":
            style.save(found.plot(), asked.figures / "temporal-recovery-rw-2-f.png")


def passed(fits, asked):
    """The same comparison if cues are passed over, as if they had told nothing."""
    ranked("cues passed over", Fits(fits.raw, fits.raw).of_all())


PART = dict(
    zip(
        PARTS,
        (task, of_all, conditions, regularity, foreseen, prediction, recovery, passed),
        strict=True,
    )
)

if __name__ == "__main__":
    main()
