"""The order of events in a trial. This file alone knows it.

(1) the world moves; (2) the agent acts; (3) the arm pays or not; (4) the agent learns; (5) regret
grows by what the best arm was better, in the state that produced the outcome.

The loop knows an agent only as begin, act, learn over what it remembers, which has a fixed size:
a table with a column per arm for a composed agent, memory for a learner or a whole actor. The names
bound below stand for the methods of the world and the agent at hand; an engine binds them.
"""

from typing import Any

from armwise.engine.definition import appraise, log_probability
from armwise.model.draws import EVERY_ARM, MIND, NOT_DRAWN, WORLD, Stream, for_arm, uniform
from armwise.model.roles import Actor, Bandit

start = Bandit.start
move = Bandit.move
theta = Bandit.theta
begin = Actor.begin
act = Actor.act
learn = Actor.learn


def make_bandit(parameters: Any) -> Any:
    """The world from its packed parameters (bound by the engine)."""
    raise NotImplementedError


def make_agent(parameters: Any) -> Any:
    """The agent from its packed parameters (bound by the engine)."""
    raise NotImplementedError


def view(table: Any, memory: Any) -> Any:
    """What an agent remembers, as its methods see it: the memory, unless the engine binds more."""
    return memory


# What a world remembers besides every theta.
STATE, BEST, REGRET, NEXT, LUCK = 0, 1, 2, 3, 4
WORLD_SIZE = 5


def set_thetas(bandit: Any, world: Any, thetas: Any, arms: int, rng: Stream) -> None:
    """Compute every theta anew, and the best of them."""
    best = -1.0
    for arm in range(arms):
        thetas[arm] = theta(bandit, world[STATE], arm, thetas[arm], for_arm(rng, arm))
        best = max(best, thetas[arm])
    world[BEST] = best


def play(
    bandit_parameters: Any,
    agent_parameters: Any,
    address: Any,
    checkpoints: Any,
    worlds: Any,
    thetas: Any,
    tables: Any,
    memory: Any,
    regrets: Any,
    records: Any,
) -> None:
    """Play trials address[4] to address[5] with the agents whose rows are given.

    `address` holds the two words of the seed, the number of the first agent, the number of agents,
    the first and the last trial, and how many numbers to record at a checkpoint (0: regret only).
    Rows carry all state, so a horizon may be cut anywhere. Agents take turns: what one waits for
    in a processor, another can use.
    """
    bandit = make_bandit(bandit_parameters)
    agent = make_agent(agent_parameters)
    arms = bandit.arms
    low, high, first = address[0], address[1], address[2]
    rows = address[3]
    if address[4] == 1:
        for row in range(rows):
            origin = Stream(low, high, first + row, WORLD, 0, EVERY_ARM, NOT_DRAWN)
            worlds[row][STATE] = start(bandit, origin)
            set_thetas(bandit, worlds[row], thetas[row], arms, origin)
            begin(agent, view(tables[row], memory[row]), arms)
    mark = 0
    while mark < len(checkpoints) and checkpoints[mark] < address[4]:
        mark += 1
    for trial in range(address[4], address[5] + 1):
        # Apart from the rest and without a choice to wait for, draws are made several at a time.
        for row in range(rows):
            rng = Stream(low, high, first + row, WORLD, trial, EVERY_ARM, NOT_DRAWN)
            worlds[row][LUCK] = uniform(rng, 0)
            worlds[row][NEXT] = move(bandit, worlds[row][STATE], trial, rng)
        marked = mark < len(checkpoints) and trial == checkpoints[mark]
        for row in range(rows):
            world = worlds[row]
            if world[NEXT] != world[STATE]:
                world[STATE] = world[NEXT]
                rng = Stream(low, high, first + row, WORLD, trial, EVERY_ARM, NOT_DRAWN)
                set_thetas(bandit, world, thetas[row], arms, rng)
            mind = view(tables[row], memory[row])
            rng = Stream(low, high, first + row, MIND, trial, EVERY_ARM, NOT_DRAWN)
            arm = act(agent, mind, arms, trial, rng)
            outcome = 1 if world[LUCK] < thetas[row][arm] else 0
            gamma = learn(agent, mind, arms, trial, arm, outcome, rng)
            world[REGRET] += world[BEST] - thetas[row][arm]
            if marked:
                regrets[row][mark] = world[REGRET]
                if address[6] > 0:
                    line = records[row][mark]
                    record(line, address[6], arm, outcome, gamma, arms, thetas[row], tables[row])
        if marked:
            mark += 1


def record(
    line: Any, width: int, arm: int, outcome: int, gamma: float, arms: int, thetas: Any, table: Any
) -> None:
    """Arm, outcome, gamma, thetas, and the beliefs where there is room for them."""
    line[0] = arm
    line[1] = outcome
    line[2] = gamma
    for k in range(arms):
        line[3 + k] = thetas[k]
    if width > 3 + arms:
        for k in range(arms):
            line[3 + arms + k] = table[0][k]
            line[3 + 2 * arms + k] = table[1][k]


def replay(
    agent_parameters: Any,
    address: Any,
    chosen: Any,
    outcomes: Any,
    table: Any,
    memory: Any,
    lines: Any,
) -> None:
    """Follow recorded choices: log-probability, gamma, then beliefs and scores before each trial.

    `address` holds the number of arms, the number of trials, and the width of a line. A trial
    without a choice (-1) is passed over.
    """
    agent = make_agent(agent_parameters)
    arms = address[0]
    mind = view(table, memory)
    begin(agent, mind, arms)
    for row in range(address[1]):
        arm = chosen[row]
        rng = Stream(0, 0, 0, MIND, row + 1, EVERY_ARM, NOT_DRAWN)
        appraise(agent, mind, arms, row + 1, rng)
        line = lines[row]
        if address[2] > 2:
            for k in range(arms):
                line[2 + k] = mind.alpha[k]
                line[2 + arms + k] = mind.beta[k]
                line[2 + 2 * arms + k] = mind.score[k]
        if arm >= 0:
            line[0] = log_probability(agent.choice, mind.score, arms, arm)
            line[1] = learn(agent, mind, arms, row + 1, arm, outcomes[row], rng)
