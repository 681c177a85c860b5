"""Which agent loses the fewest clicks: python benchmarks/clicks.py [worlds] [--agents N]

    python benchmarks/clicks.py steady         rates that stay: .1 to 10 %, 3 to 100 arms
    python benchmarks/clicks.py changing       every arm's rate is drawn again, seldom or often
    python benchmarks/clicks.py wrong          priors that expect 3 times too few or too many clicks
    python benchmarks/clicks.py late           outcomes that come late, or in batches
    python benchmarks/clicks.py cost           nanoseconds per decision

The rates of the arms are drawn from a Beta distribution whose standard deviation is half its mean.
Lost clicks are the regret in percent of the clicks of whoever always shows the best arm, with
intervals that hold for 95 % of repetitions. All agents meet the same arms with the same luck.
"""

import argparse
import functools
import time

import numpy as np

import armwise as aw
from armwise.model.draws import Stream, beta_draw, uniform
from parts.late_clicks import Late
from parts.table import Table

SEED = 2_031
RATES = 0.001, 0.01, 0.1
LIVES = (100_000, 10_000)  # mean trials until an arm's rate is drawn again
MARKS = [1_000, 10_000, 100_000]
WINDOWS, BATCHES = (100, 1_000, 10_000), (1_000, 10_000)  # of views


class Clicks(aw.Bandit):
    """Click rates of headlines: now and then, some of them are drawn again."""

    label = "clicks"
    equation = "theta[k] ~ Be(mean weight, (1 - mean) weight), again with probability 1 / life"
    reference = "a model of click rates"

    arms: int = aw.parameter(default=10, low=2, high=10_000, meaning="number of arms")
    mean: float = aw.parameter(default=0.01, low=1e-4, high=0.5, meaning="mean rate of an arm")
    weight: float = aw.parameter(default=400.0, low=1, high=1e6, meaning="alpha + beta")
    life: float = aw.parameter(
        default=0.0, low=0, high=1e12, meaning="mean trials of a rate; 0: for ever"
    )

    def start(self, rng: Stream) -> float:
        """The trial of the last change: 0, the start."""
        return 0.0

    def move(self, state: float, trial: int, rng: Stream) -> float:
        """Whether any arm may change; each does with its share of the probability."""
        if self.life == 0.0:
            return state
        return float(trial) if uniform(rng, 1) < min(1.0, self.arms / self.life) else state

    def theta(self, state: float, arm: int, previous: float, rng: Stream) -> float:
        """A new draw, or the rate as it was."""
        if state > 0.0 and uniform(rng, 5) * self.arms >= max(1.0, self.arms / self.life):
            return previous
        alpha = self.mean * self.weight
        return beta_draw(rng, alpha, self.weight - alpha)

    def random_rate(self) -> float:
        """Not known in closed form: the simulated one is used."""
        return self.mean

    def assumed_rho(self) -> float:
        """The probability that an arm changes in a trial."""
        return 0.0 if self.life == 0.0 else 1.0 / self.life


def world(rate: float, arms: int, life: float = 0.0) -> Clicks:
    """Rates whose standard deviation is half the mean: weight + 1 = 4 (1 - mean) / mean."""
    return Clicks(arms=arms, mean=rate, weight=4.0 * (1.0 - rate) / rate - 1.0, life=life)


def prior(mean: float, weight: float) -> dict[str, float]:
    return {"alpha0": mean * weight, "beta0": (1.0 - mean) * weight}


def whole(bandit: Clicks) -> dict[str, object]:
    """Agents that are given nothing, or a prior: slow with many arms."""
    if bandit.arms >= 100:
        return {}
    given = (bandit.mean, 1.0 / bandit.mean)
    return {
        "two-worlds": aw.TwoWorlds(),
        "two-worlds, prior of one click": aw.TwoWorlds(prior=given),
        "universal": aw.Universal(),
        "universal, prior of one click": aw.Universal(prior=given),
    }


def steady_agents(bandit: Clicks) -> dict[str, object]:
    """Flat priors, priors worth one click (mean, weight 1 / mean), and the world's own."""
    mean = bandit.mean
    click, true = prior(mean, 1.0 / mean), prior(mean, bandit.weight)
    policies = {
        "H-EFE": aw.HorizonActiveInference(),
        "TS": aw.ThompsonSampling(),
        "KL-UCB": aw.KLUCB(),
        "A-AI": aw.ApproximateActiveInference(),
        "UCB": aw.UCB(),
    }
    agents: dict[str, object] = {"random": aw.Agent(aw.RandomChoice())}
    for name in ("H-EFE", "TS", "A-AI"):
        agents[f"{name}, prior of one click"] = aw.Agent(policies[name], aw.Smile(**click))
    for name in ("H-EFE", "TS", "KL-UCB", "A-AI", "UCB"):
        agents[f"{name}, flat prior"] = aw.Agent(policies[name])
    agents["H-EFE, true prior"] = aw.Agent(policies["H-EFE"], aw.Smile(**true))
    return agents | whole(bandit)


def changing_agents(bandit: Clicks) -> dict[str, object]:
    """Learners that are given the life of a rate, that are not, and one that forgets nothing."""
    mean, life = bandit.mean, bandit.life
    click = prior(mean, 1.0 / mean)
    gone = 1.0 - 1.0 / life
    efe, ts = aw.HorizonActiveInference(), aw.ThompsonSampling()
    return {
        "random": aw.Agent(aw.RandomChoice()),
        "H-EFE, forgets nothing": aw.Agent(efe, aw.Smile(**click)),
        "TS, forgets nothing": aw.Agent(ts, aw.Smile(**click)),
        "TS, discounted, given the life": aw.Agent(ts, aw.Discounted(discount=gone, **click)),
        "H-EFE, discounted, given the life": aw.Agent(efe, aw.Discounted(discount=gone, **click)),
        "H-EFE, SMiLe, given the life": aw.Agent(efe, aw.Smile(rho=1.0 / life, **click)),
        "H-EFE, discounted, life 30,000": aw.Agent(
            efe, aw.Discounted(discount=1.0 - 1.0 / 30_000, **click)
        ),
        "A-AI, SMiLe, given the life": aw.Agent(
            aw.ApproximateActiveInference(), aw.Smile(rho=1.0 / life, **click)
        ),
    } | whole(bandit)


def wrong_agents(bandit: Clicks) -> dict[str, object]:
    """One imaginary click, expected at the wrong rate."""
    agents: dict[str, object] = {"random": aw.Agent(aw.RandomChoice())}
    for name, policy in {
        "H-EFE": aw.HorizonActiveInference(),
        "TS": aw.ThompsonSampling(),
    }.items():
        for factor in (1, 1 / 10, 1 / 3, 3, 10):
            believed = bandit.mean * factor
            if believed < 0.9:
                learner = aw.Smile(**prior(believed, 1.0 / believed))
                agents[f"{name}, prior mean {factor:.2g} of the true"] = aw.Agent(policy, learner)
    return agents


def late_agents(bandit: Clicks, **how: float) -> dict[str, object]:
    """One prior, one that is flat, and open views as they are or as views without a click."""
    click, flat = prior(bandit.mean, 1.0 / bandit.mean), prior(0.5, 2.0)
    efe, ts = aw.HorizonActiveInference(), aw.ThompsonSampling()
    return {
        "random": aw.Agent(aw.RandomChoice()),
        "H-EFE, prior of one click": aw.Agent(efe, Late(**how, **click)),
        "H-EFE, one click, open views count as 0": aw.Agent(
            efe, Late(**how, **click, doubtful=True)
        ),
        "H-EFE, flat prior": aw.Agent(efe, Late(**how, **flat)),
        "TS, prior of one click": aw.Agent(ts, Late(**how, **click)),
        "TS, one click, open views count as 0": aw.Agent(ts, Late(**how, **click, doubtful=True)),
        "TS, flat prior": aw.Agent(ts, Late(**how, **flat)),
    }


def lost(bandit: Clicks, agents: dict[str, object], asked: argparse.Namespace) -> list[list[str]]:
    """Clicks lost by every agent at every mark, in percent of the best that can be had.

    The second agent is the one that others are compared with, in the same worlds.
    """
    marks = [mark for mark in MARKS if mark <= asked.horizon]
    found, best, rival = [], np.ones(len(marks)), np.zeros(0)
    needed = list(agents)[:2]
    for name, agent in agents.items():
        if name not in needed and not name.startswith(asked.only):
            continue
        copies = asked.agents // 5 if isinstance(agent, aw.Actor) else asked.agents
        result = aw.simulate(bandit, agent, asked.horizon, copies, SEED, checkpoints=marks)
        regret = result.regret.values
        if name == "random":  # which gets the mean rate
            best = regret.mean(axis=0) + bandit.mean * np.array(marks)
        share = 100.0 * regret / best
        cells = [interval(share[:, place]) for place in range(len(marks))]
        rival = share[:, -1] if len(found) == 1 else rival
        cells.append(interval(share[:, -1] - rival[:copies], "+") if len(found) > 1 else "")
        found.append([f"{bandit.mean:.1%}", str(bandit.arms), name, *cells])
        print(*found[-1], sep=" | ", flush=True)
    return found


def interval(values: np.ndarray, sign: str = "") -> str:
    mean, low, _, _ = aw.regret.mean_interval(values)
    return f"{mean:{sign}.1f} ± {mean - low:.1f}"


def table(title: str, worlds: list[Clicks], agents_of, asked: argparse.Namespace) -> None:
    rows = [row for each in worlds for row in lost(each, agents_of(each), asked)]
    marks = [f">after {mark:,}" for mark in MARKS if mark <= asked.horizon]
    rival = f">minus {rows[1][2]}"
    note = f"Lost clicks, %, {asked.agents} agents (two-worlds, universal: {asked.agents // 5})."
    print(Table(title, ["rate", ">arms", "agent", *marks, rival], rows, [note]).markdown())


def steady(asked: argparse.Namespace) -> None:
    worlds = [world(rate, 10) for rate in RATES] + [world(0.01, arms) for arms in (3, 100)]
    table("Rates that stay", worlds, steady_agents, asked)


def changing(asked: argparse.Namespace) -> None:
    for life in LIVES:
        worlds = [world(rate, 10, life) for rate in RATES]
        title = f"Every rate is drawn again, on average after {life:,} trials"
        table(title, worlds, changing_agents, asked)


def wrong(asked: argparse.Namespace) -> None:
    worlds = [world(rate, arms) for rate, arms in ((0.001, 10), (0.01, 10))]
    table("Priors that are wrong", worlds, wrong_agents, asked)


def late(asked: argparse.Namespace) -> None:
    worlds = [world(rate, 10) for rate in RATES]
    for window in WINDOWS:
        how = functools.partial(late_agents, wait=window / 5, window=window)
        title = f"No click within {window:,} views is none; a click takes {window // 5:,}"
        table(title, worlds, how, asked)
    for batch in BATCHES:
        how = functools.partial(late_agents, batch=batch)
        table(f"Outcomes arrive together, every {batch:,} views", worlds, how, asked)


def cost(asked: argparse.Namespace) -> None:
    bandit = world(0.01, 10, LIVES[1])
    for name, agent in changing_agents(bandit).items():
        aw.simulate(bandit, agent, 10, 2)
        started = time.perf_counter()
        aw.simulate(bandit, agent, 20_000, 20, SEED, checkpoints=[20_000], threads=1)
        print(f"{name}: {(time.perf_counter() - started) / 4e5 * 1e9:.0f} ns")


PARTS = {"steady": steady, "changing": changing, "wrong": wrong, "late": late, "cost": cost}


def part(name: str) -> str:
    if name not in PARTS:
        raise argparse.ArgumentTypeError(f"'{name}' is not one of {', '.join(PARTS)}")
    return name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "parts", nargs="*", type=part, default=["steady", "changing", "wrong", "late"]
    )
    parser.add_argument("--agents", type=int, default=50)
    parser.add_argument("--horizon", type=int, default=100_000)
    parser.add_argument("--only", default="", help="agents whose names begin so, such as universal")
    asked = parser.parse_args()
    for name in asked.parts:
        PARTS[name](asked)


if __name__ == "__main__":
    main()
