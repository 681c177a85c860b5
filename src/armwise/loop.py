"""The order of events in a trial. This file alone knows it.

(1) the world moves; (2) the agent acts; (3) the arm pays or not; (4) the agent learns; (5) regret
grows by what the best arm was better, in the state that produced the outcome.

The loop knows an agent only as begin, act, learn over a memory of fixed size. The names bound below
stand for the methods of the world and the agent at hand; an engine binds them.
"""

from typing import Any

from armwise.grammar import Actor, Bandit
from armwise.mind import appraise, log_probability
from armwise.random import EVERY_ARM, MIND, WORLD, Stream, for_arm, uniform

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


def view(agent: Any, memory: Any, arms: int) -> Any:
    """The memory as the agent's methods see it: as it is, unless the engine binds another view."""
    return memory


def world_size(arms: int) -> int:
    """A world's row holds every theta, then the state, the best theta and the regret so far."""
    return arms + 3


def set_thetas(bandit: Any, world: Any, arms: int, rng: Stream) -> None:
    """Compute every theta anew, and the best of them."""
    best = -1.0
    for arm in range(arms):
        world[arm] = theta(bandit, world[arms], arm, world[arm], for_arm(rng, arm))
        best = max(best, world[arm])
    world[arms + 1] = best


def play(
    bandit_parameters: Any,
    agent_parameters: Any,
    address: Any,
    checkpoints: Any,
    worlds: Any,
    minds: Any,
    regrets: Any,
    records: Any,
) -> None:
    """Play trials address[4] to address[5] with the agents whose rows are given.

    `address` holds the two words of the seed, the number of the first agent, the number of agents,
    the first and the last trial, and how many numbers to record at a checkpoint (0: regret only).
    Rows carry all state, so a horizon may be cut anywhere.
    """
    bandit = make_bandit(bandit_parameters)
    agent = make_agent(agent_parameters)
    arms = bandit.arms
    first_trial = address[4]
    last_trial = address[5]
    width = address[6]
    for row in range(address[3]):
        number = address[2] + row
        world = worlds[row]
        memory = minds[row]
        mind = view(agent, memory, arms)
        mark = 0
        while mark < len(checkpoints) and checkpoints[mark] < first_trial:
            mark += 1
        if first_trial == 1:
            origin = Stream(address[0], address[1], number, WORLD, 0, EVERY_ARM)
            world[arms] = start(bandit, origin)
            set_thetas(bandit, world, arms, origin)
            begin(agent, mind, arms)
        for trial in range(first_trial, last_trial + 1):
            outer = Stream(address[0], address[1], number, WORLD, trial, EVERY_ARM)
            state = move(bandit, world[arms], trial, outer)
            if state != world[arms]:
                world[arms] = state
                set_thetas(bandit, world, arms, outer)
            inner = Stream(address[0], address[1], number, MIND, trial, EVERY_ARM)
            arm = act(agent, mind, arms, trial, inner)
            outcome = 1 if uniform(outer, 0) < world[arm] else 0
            gamma = learn(agent, mind, arms, trial, arm, outcome, inner)
            world[arms + 2] += world[arms + 1] - world[arm]
            if mark < len(checkpoints) and trial == checkpoints[mark]:
                regrets[row][mark] = world[arms + 2]
                if width > 0:
                    record(records[row][mark], width, arm, outcome, gamma, arms, world, memory)
                mark += 1


def record(
    line: Any, width: int, arm: int, outcome: int, gamma: float, arms: int, world: Any, memory: Any
) -> None:
    """Arm, outcome, gamma, thetas, and as much of the memory as fits."""
    line[0] = arm
    line[1] = outcome
    line[2] = gamma
    for k in range(arms):
        line[3 + k] = world[k]
    for k in range(width - 3 - arms):
        line[3 + arms + k] = memory[k]


def replay(
    agent_parameters: Any, address: Any, chosen: Any, outcomes: Any, memory: Any, lines: Any
) -> None:
    """Follow recorded choices: log-probability, gamma, then scores and beliefs before each trial.

    `address` holds the number of arms, the number of trials, and the width of a line. A trial
    without a choice (-1) is passed over.
    """
    agent = make_agent(agent_parameters)
    arms = address[0]
    width = address[2]
    mind = view(agent, memory, arms)
    begin(agent, mind, arms)
    for row in range(address[1]):
        arm = chosen[row]
        rng = Stream(0, 0, 0, MIND, row + 1, EVERY_ARM)
        appraise(agent, mind, arms, row + 1, rng)
        line = lines[row]
        for k in range(width - 2):
            line[2 + k] = memory[k]
        if arm >= 0:
            line[0] = log_probability(agent.choice, mind.score, arms, arm)
            line[1] = learn(agent, mind, arms, row + 1, arm, outcomes[row], rng)
