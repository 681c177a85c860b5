"""What a player believes and would do next, arm by arm: as data, and as a table."""

import html
import math
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from armwise.engine.memory import views
from armwise.engine.python import score_state
from armwise.engine.solo import Solo
from armwise.engine.winners import best_of, of_actor
from armwise.model.agent import Agent, Chooser
from armwise.model.draws import AGENT, stream
from armwise.model.forms import NORMAL
from armwise.model.roles import Actor
from armwise.numerics.best_normal import best_normal_probabilities
from armwise.numerics.beta_tails import lower_tail
from armwise.numerics.normal import normal_quantile
from armwise.play.arms import Arm
from armwise.play.propensity import Believed, propensities

LEVEL = 0.95  # of the intervals
LIGHT = 1e-4  # a part of a mixture that weighs less is left out of intervals and chances
HALVINGS = 40  # of an interval that holds a quantile

Mixture = list[tuple[float, list[float], list[float]]]


class Summary:
    """A table with a line per arm, and facts below it; a notebook shows it as HTML."""

    def __init__(self, arms: dict[Arm, dict[str, float]], facts: dict[str, Any]) -> None:
        self.arms, self.facts = arms, facts

    def __repr__(self) -> str:
        lines = self._lines()
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = [
            "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip()
            for line in lines
        ]
        return "\n".join([*text, "", *(f"{name}: {value}" for name, value in self._said())])

    def _repr_html_(self) -> str:
        head, *body = [[html.escape(cell) for cell in line] for line in self._lines()]
        rows = "".join(f"<tr><th>{'</th><th>'.join(head[:1] + head[1:])}</th></tr>")
        for first, *others in body:
            cells = "".join(f"<td>{cell}</td>" for cell in others)
            rows += f"<tr><th>{first}</th>{cells}</tr>"
        said = (f"{html.escape(name)}: {html.escape(value)}" for name, value in self._said())
        return f"<table>{rows}</table><p>{'<br>'.join(said)}</p>"

    def _lines(self) -> list[list[str]]:
        columns = list(next(iter(self.arms.values())))
        lines = [["arm", *columns]]
        for arm, values in self.arms.items():
            name = str(arm) if str(arm).isprintable() else ascii(arm)
            lines.append([name, *(f"{values[column]:.4g}" for column in columns)])
        return lines

    def _said(self) -> list[tuple[str, str]]:
        return [
            (name, f"{value:.4g}" if isinstance(value, float) else str(value))
            for name, value in self.facts.items()
        ]


class Seen(NamedTuple):
    """What a summary is made of, copied while nobody changes it."""

    agent: Any
    arms: list[Arm]
    seed: int
    choices: int
    open: int
    compiled: bool
    recent: list[Arm]
    numbers: bytes  # that last
    doubtful: bool  # whether open tickets count as 0 in them


def summary(seen: Seen) -> Summary:
    """The summary of what was seen of a player."""
    columns, facts = _of_agent(seen) if isinstance(seen.agent, Agent) else _of_actor(seen)
    recent = Counter(seen.recent)
    if recent:
        columns["recent"] = [recent[arm] / len(seen.recent) for arm in seen.arms]
    rows = {
        arm: {name: float(values[place]) for name, values in columns.items()}
        for place, arm in enumerate(seen.arms)
    }
    general = {"agent": str(seen.agent), "choices": seen.choices, "open tickets": seen.open}
    general |= {"open tickets count as": 0} if seen.doubtful else {}
    return Summary(rows, general | {"compiled": "yes" if seen.compiled else "no"} | facts)


def _of_agent(seen: Seen) -> tuple[dict[str, list[float]], dict[str, Any]]:
    """Columns for an agent made of parts: its scores are those of the next trial."""
    agent, trial = seen.agent, seen.choices + 1
    believed = Believed(agent, len(seen.arms), None, seen.numbers)
    memory, rows = believed.unpacked()
    normal = agent.learner.beliefs == NORMAL
    columns = _of_normal(*rows[:2]) if normal else _of_mixture([(1.0, rows[0], rows[1])])
    rng = stream(seen.seed, 0, AGENT, trial)
    shared, columns["score"] = score_state(agent, rows[0], rows[1], memory, trial, rng)
    for a, b in zip(rows[0], rows[1], strict=True):
        for name, value in agent.policy.named_terms(shared, a, b).items():
            columns.setdefault(name, []).append(value)
    chances = propensities(believed, trial)[1]
    if chances is not None:
        columns["probability"] = chances
    return columns, {}


def _of_actor(seen: Seen) -> tuple[dict[str, list[float]], dict[str, Any]]:
    """Columns and facts as far as an actor states them."""
    memory, arms = np.frombuffer(seen.numbers).tolist(), len(seen.arms)
    actor = seen.agent.parts[0]
    mixture = actor.mixture(memory, arms)
    columns = _of_mixture(mixture) if mixture else {}
    found = actor.facts(memory, arms)
    columns |= {name: value for name, value in found.items() if isinstance(value, list)}
    columns |= _of_next_trial(seen, actor)
    return columns, {name: value for name, value in found.items() if not isinstance(value, list)}


def _of_next_trial(seen: Seen, actor: Actor) -> dict[str, list[float]]:
    """The score of every arm and its probability in the next trial, where an actor has them."""
    arms, trial, found = len(seen.arms), seen.choices + 1, dict[str, list[float]]()
    memory = np.frombuffer(seen.numbers)
    if type(actor).score_arms is not Actor.score_arms:
        found["score"] = [0.0] * arms
        actor.score_arms(views(memory[None].copy())[0], arms, trial, found["score"])
    if isinstance(seen.agent, Chooser):
        solo = Solo(seen.agent, arms, seen.seed, math.inf)
        solo.memory[:] = memory
        chances: list[float] | None = solo.chances(trial, list(range(arms)))
    else:
        chances = of_actor(actor, memory, arms, trial)
    return found if chances is None else found | {"probability": chances}


def _of_normal(means: list[float], variances: list[float]) -> dict[str, list[float]]:
    """Mean, interval and probability of being the best, for normal beliefs."""
    deviations = [math.sqrt(each) for each in variances]
    reach = normal_quantile(0.5 + 0.5 * LEVEL)
    return {
        "mean": means,
        "low": [m - reach * sd for m, sd in zip(means, deviations, strict=True)],
        "high": [m + reach * sd for m, sd in zip(means, deviations, strict=True)],
        "best": best_normal_probabilities(means, deviations),
    }


def _of_mixture(mixture: Mixture) -> dict[str, list[float]]:
    """Mean, interval and probability of being the best, for a mixture of Beta beliefs."""
    arms = range(len(mixture[0][1]))
    found: dict[str, list[float]] = {
        "mean": [sum(w * a[k] / (a[k] + b[k]) for w, a, b in mixture) for k in arms]
    }
    heavy = [part for part in mixture if part[0] >= LIGHT]
    total = sum(weight for weight, _, _ in heavy)
    heavy = [(weight / total, alpha, beta) for weight, alpha, beta in heavy]
    for name, tail in (("low", 0.5 - 0.5 * LEVEL), ("high", 0.5 + 0.5 * LEVEL)):
        found[name] = [quantile([(w, a[k], b[k]) for w, a, b in heavy], tail) for k in arms]
    found["best"] = [0.0 for _ in arms]
    for weight, alpha, beta in heavy:
        for place, chance in enumerate(best_of(alpha, beta)[:-1]):
            found["best"][place] += weight * chance
    return found


def quantile(parts: list[tuple[float, float, float]], tail: float) -> float:
    """The quantile of a mixture of Beta distributions, given as (weight, alpha, beta).

    >>> round(quantile([(0.5, 1.0, 1.0), (0.5, 1.0, 1.0)], 0.25), 6)
    0.25
    """
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        reached = sum(w * lower_tail(middle, 1.0 - middle, a, b) for w, a, b in parts)
        low, high = (middle, high) if reached < tail else (low, middle)
    return 0.5 * (low + high)
