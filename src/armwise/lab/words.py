"""What is shown, as a command line, as Python and as a citation: texts to copy."""

from typing import Any

from armwise.errors import InputError, whole_number
from armwise.lab.parts import Shelf, numbers_of
from armwise.model.agent import Agent
from armwise.model.component import Component, parameters_of, written
from armwise.model.draws import AGENTS_MAX, TRIALS_MAX
from armwise.version import VERSION

CITATION = (
    f"The armwise developers: armwise {VERSION}, active inference in multi-armed bandits. "
    "Marković, D., Stojić, H., Schwöbel, S. and Kiebel, S. J. (2021). An empirical evaluation of "
    "active inference in multi-armed bandits. Neural Networks 144, 229-246. "
    "doi:10.1016/j.neunet.2021.08.018"
)


def in_short(*parts: Component) -> str:
    """Components as on the command line, without the parameters that have their defaults.

    >>> from armwise import BOCPD, Softmax
    >>> in_short(BOCPD(rho=0.05), Softmax(precision=8))
    'bocpd:rho=0.05 softmax:precision=8'
    """
    return " ".join(map(_part_in_short, parts))


def _part_in_short(part: Component) -> str:
    fields = parameters_of(type(part))
    told = [(f.name, getattr(part, f.name)) for f in fields if getattr(part, f.name) != f.default]
    values = ",".join(f"{name}={written(value)}" for name, value in told)
    return part.label.lower() + (f":{values}" if values else "")


def words_of(shelf: Shelf, asked: dict[str, Any]) -> dict[str, Any]:
    """The answer to "words"."""
    given = asked.get("agents")
    if not isinstance(given, list) or not 1 <= len(given) <= 2:
        raise InputError("agents must be a list of one or two agents.")
    bandit = shelf.bandit(asked.get("bandit"))
    agents = [shelf.agent(each, bandit.arms) for each in given]
    horizon = whole_number("horizon", asked.get("horizon", 500), 1, TRIALS_MAX)
    copies = whole_number("copies", asked.get("copies", 1), 1, AGENTS_MAX)
    seed, number = numbers_of(asked)
    return {
        "kind": "words",
        "command": _command(bandit, agents, horizon, copies, seed),
        "python": _python(bandit, agents, horizon, copies, seed, number),
        "citation": CITATION,
    }


def _command(bandit: Any, agents: list[Any], horizon: int, copies: int, seed: int) -> str:
    """One line if the agents share learner and choice, else a line for each."""
    sizes = f"--horizon {horizon} --agents {copies} --seed {seed}"
    lines: dict[str, list[str]] = {}
    for agent in agents:
        parts = f" --learner {agent.learner} --choice {agent.choice}" if _made(agent) else ""
        lines.setdefault(parts, []).append(f"--policy {agent.parts[0]}")
    return "\n".join(
        f"armwise simulate --bandit {bandit} {' '.join(policies)}{parts} {sizes}"
        for parts, policies in lines.items()
    )


def _made(agent: Any) -> bool:
    return isinstance(agent, Agent)


def _python(
    bandit: Any, agents: list[Any], horizon: int, copies: int, seed: int, number: int
) -> str:
    lines = ["import armwise as aw", "", f"bandit = {_spelled(bandit)}"]
    names = ["agent"] if len(agents) == 1 else ["first", "second"]
    for name, agent in zip(names, agents, strict=True):
        parts = ", ".join(_spelled(part) for part in agent.parts)
        lines.append(f"{name} = " + (f"aw.Agent({parts})" if _made(agent) else parts))
    for name in names:
        found = "found" if len(names) == 1 else f"found_{name}"
        lines.append(f"{found} = aw.trace(bandit, {name}, {horizon}, seed={seed}, number={number})")
    if copies > 1:
        several = "{" + ", ".join(f'"{name}": {name}' for name in names) + "}"
        lines.append("results = {")
        lines.append(f"    name: aw.simulate(bandit, agent, {horizon}, {copies}, seed={seed})")
        lines.append(f"    for name, agent in {several}.items()")
        lines.append("}")
        if len(names) == 2:
            lines.append("print(aw.regret.paired(results))")
    return "\n".join(lines) + "\n"


def _spelled(component: Any) -> str:
    return f"aw.{component!r}"
