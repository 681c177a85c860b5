"""The order of events in a trial. Only this file knows it.

(1) the bandit moves; (2) the agent acts; (3) the arm pays or not; (4) the agent learns; (5) regret
grows by the difference between the best theta and that of the chosen arm, in the state that
produced the outcome.

Where outcomes are real, an engine binds other functions to `pay` and `proper`, and the agent and
the bandit are of that kind; all other agents are bound without any of it.

A bandit does not depend on what agents do, so a processor can run it ahead: `move_bandits` writes
down what agents will meet, and `play_agents` plays against that; each is compiled independently of
the other. `play` does both for one agent, trial by trial. The loop knows an agent only by its
functions begin, act and learn. The names below stand for methods of the bandit and the agent; an
engine binds them.
"""

import math
from typing import Any

from armwise.engine.recording import take_down
from armwise.engine.stretch import CHOICE, FINE, THETA, End, Stretch, stretch_of
from armwise.model.draws import AGENT, BANDIT, EVERY_ARM, NOT_DRAWN, Stream, for_arm
from armwise.model.roles import Actor, Bandit
from armwise.numerics.hook import hook

start = Bandit.start
move = Bandit.move
theta = Bandit.theta
decide_luck = Bandit.luck
begin = Actor.begin
act = Actor.act
learn = Actor.learn


@hook
def make_bandit(parameters: Any) -> Any:
    """Build the bandit from its packed parameters (bound by the engine)."""
    raise NotImplementedError


@hook
def make_agent(parameters: Any) -> Any:
    """Build the agent from its packed parameters (bound by the engine)."""
    raise NotImplementedError


@hook
def view(table: Any, memory: Any, kept: Any) -> Any:
    """The state of an agent as its methods see it: an actor's memory, unless bound otherwise."""
    return memory


# Places in the row in which `play` keeps a bandit, besides the thetas.
STATE, BEST, REGRET = 0, 1, 2
BANDIT_SIZE = 3


def bandit_stream(stretch: Stretch, row: int, trial: int) -> Stream:
    """The address of the draws of an agent's bandit in a trial."""
    agent = stretch.first + row
    return Stream(stretch.seed_low, stretch.seed_high, agent, BANDIT, trial, EVERY_ARM, NOT_DRAWN)


def agent_stream(stretch: Stretch, row: int, trial: int) -> Stream:
    """The address of an agent's draws in a trial."""
    agent = stretch.first + row
    return Stream(stretch.seed_low, stretch.seed_high, agent, AGENT, trial, EVERY_ARM, NOT_DRAWN)


@hook
def proper(value: float) -> bool:
    """Whether a theta is a probability."""
    return 0.0 <= value <= 1.0


def proper_real(value: float) -> bool:
    """Whether a theta is a finite number."""
    return -math.inf < value < math.inf


@hook
def pay(luck: float, value: float) -> Any:
    """The outcome of an arm with a theta: 1 if it is above the luck, else 0."""
    return 1 if luck < value else 0


def pay_real(luck: float, value: float) -> Any:
    """The outcome of an arm with a mean: the luck is its noise."""
    return value + luck


@hook
def set_thetas(
    bandit: Any, state: float, before: Any, thetas: Any, arms: int, rng: Stream
) -> tuple[float, int]:
    """Compute every theta; return the best, and an arm whose theta is not proper, or -1."""
    best = -math.inf
    wrong = -1
    for arm in range(arms):
        value = theta(bandit, state, arm, before[arm], for_arm(rng, arm))
        thetas[arm] = value
        best = max(best, value)
        wrong = wrong if proper(value) else arm
    return best, wrong


def face(
    agent: Any, state: Any, arms: int, trial: int, luck: float, thetas: Any, rng: Stream
) -> tuple[int, Any, float]:
    """Events (2) to (4); return arm, outcome and gamma. Of no such arm nothing is learned."""
    arm = act(agent, state, arms, trial, rng)
    if arm < 0 or arm >= arms:
        return arm, pay(luck, 0.0), 0.0
    outcome = pay(luck, thetas[arm])
    return arm, outcome, learn(agent, state, arms, trial, arm, outcome, rng)


def move_bandits(
    bandit_parameters: Any,
    packed_stretch: Any,
    states: Any,
    following: Any,
    slots: Any,
    luck: Any,
    slot: Any,
    thetas: Any,
) -> End:
    """Event (1) for a stretch of trials, or for as many as there is room for.

    `luck[trial, row]` decides the outcome; `thetas[row, slot[trial, row]]` are the probabilities of
    the arms, followed by the best. The last slot of a stretch is the first of the next.
    """
    bandit = make_bandit(bandit_parameters)
    stretch = stretch_of(packed_stretch)
    arms = stretch.arms
    for row in range(stretch.agents):
        for place in range(arms + 1):
            thetas[row, 0, place] = thetas[row, slots[row], place]
        slots[row] = 0
        if stretch.begin == 1:
            rng = bandit_stream(stretch, row, 0)
            new = thetas[row, 0]
            states[row] = start(bandit, rng)
            new[arms], wrong = set_thetas(bandit, states[row], new, new, arms, rng)
            if wrong >= 0:
                return End(0, THETA, row, wrong)
    full = 0
    for trial in range(stretch.begin, stretch.end + 1):
        now = trial - stretch.begin
        # Draws have a loop of their own, so that they vectorise over agents.
        for row in range(stretch.agents):
            rng = bandit_stream(stretch, row, trial)
            luck[now, row] = decide_luck(bandit, rng)
            following[row] = move(bandit, states[row], trial, rng)
        for row in range(stretch.agents):
            if following[row] != states[row]:
                states[row] = following[row]
                last = thetas[row, slots[row]]
                slots[row] += 1
                new = thetas[row, slots[row]]
                rng = bandit_stream(stretch, row, trial)
                new[arms], wrong = set_thetas(bandit, states[row], last, new, arms, rng)
                if wrong >= 0:
                    return End(trial, THETA, row, wrong)
                full = max(full, slots[row])
            slot[now, row] = slots[row]
        if full == thetas.shape[1] - 1:
            return End(trial, FINE, 0, 0)
    return End(stretch.end, FINE, 0, 0)


def play_agents(
    agent_parameters: Any,
    packed_stretch: Any,
    checkpoints: Any,
    luck: Any,
    slot: Any,
    thetas: Any,
    totals: Any,
    tables: Any,
    memories: Any,
    kept: Any,
    regrets: Any,
    records: Any,
) -> End:
    """Events (2) to (5) for a stretch of trials that `move_bandits` has written down.

    The agents must have begun. Their whole state is in their rows, so a horizon may be cut
    anywhere. The loop over agents is the inner one, which lets a processor overlap their work.
    """
    agent = make_agent(agent_parameters)
    stretch = stretch_of(packed_stretch)
    arms = stretch.arms
    mark = stretch.mark
    for trial in range(stretch.begin, stretch.end + 1):
        now = trial - stretch.begin
        marked = mark < len(checkpoints) and trial == checkpoints[mark]
        for row in range(stretch.agents):
            state = view(tables[row], memories[row], kept[row : row + 1])
            rng = agent_stream(stretch, row, trial)
            seen = thetas[row, slot[now, row]]
            arm, outcome, gamma = face(agent, state, arms, trial, luck[now, row], seen, rng)
            if arm < 0 or arm >= arms:
                return End(trial, CHOICE, row, arm)
            totals[row] += seen[arms] - seen[arm]
            if marked:
                regrets[row, mark] = totals[row]
                take_down(records[row, mark], arm, outcome, gamma, arms, seen, tables[row])
        if marked:
            mark += 1
    return End(stretch.end, FINE, 0, 0)


def play(
    bandit_parameters: Any,
    agent_parameters: Any,
    packed_stretch: Any,
    checkpoints: Any,
    bandit_row: Any,
    thetas: Any,
    table: Any,
    memory: Any,
    kept: Any,
    regrets: Any,
    records: Any,
) -> End:
    """All events for one agent; `bandit_row` holds the state of its bandit."""
    bandit = make_bandit(bandit_parameters)
    agent = make_agent(agent_parameters)
    stretch = stretch_of(packed_stretch)
    arms = stretch.arms
    state = view(table, memory, kept)
    wrong = -1
    if stretch.begin == 1:
        rng = bandit_stream(stretch, 0, 0)
        bandit_row[STATE] = start(bandit, rng)
        bandit_row[BEST], wrong = set_thetas(bandit, bandit_row[STATE], thetas, thetas, arms, rng)
        begin(agent, state, arms)
    mark = stretch.mark
    for trial in range(stretch.begin, stretch.end + 1):
        rng = bandit_stream(stretch, 0, trial)
        luck = decide_luck(bandit, rng)
        following = move(bandit, bandit_row[STATE], trial, rng)
        if following != bandit_row[STATE]:
            bandit_row[STATE] = following
            bandit_row[BEST], wrong = set_thetas(bandit, following, thetas, thetas, arms, rng)
        if wrong >= 0:
            return End(trial, THETA, 0, wrong)
        rng = agent_stream(stretch, 0, trial)
        arm, outcome, gamma = face(agent, state, arms, trial, luck, thetas, rng)
        if arm < 0 or arm >= arms:
            return End(trial, CHOICE, 0, arm)
        bandit_row[REGRET] += bandit_row[BEST] - thetas[arm]
        if mark < len(checkpoints) and trial == checkpoints[mark]:
            regrets[mark] = bandit_row[REGRET]
            take_down(records[mark], arm, outcome, gamma, arms, thetas, table)
            mark += 1
    return End(stretch.end, FINE, 0, 0)
