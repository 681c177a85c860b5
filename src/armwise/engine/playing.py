"""Let many people play: from one to the next only numbers differ.

Every trial goes as in `loop.face`, but it may be missed, the choice may be made for the person,
only some arms may be available, and arms that were not chosen may show what they would have paid.
"""

from typing import Any

from armwise.engine.definition import pick_scored, score_all
from armwise.engine.follow import forget, hide, learn_trial
from armwise.engine.loop import act, begin, make_agent, view
from armwise.engine.stretch import CHOICE, FINE, End
from armwise.model.draws import AGENT, BANDIT, EVERY_ARM, NOT_DRAWN, Stream, for_arm, uniform
from armwise.model.ties import choice_stream
from armwise.numerics.hook import hook

FREE = -2  # in place of an arm that is given: the person chooses
MISSED = -1  # nothing was chosen


@hook
def decide(agent: Any, state: Any, arms: int, trial: int, available: Any, rng: Stream) -> int:
    """The arm that the person chooses: of all arms, unless only some are available."""
    return act(agent, state, arms, trial, rng)


def decide_among(agent: Any, state: Any, arms: int, trial: int, available: Any, rng: Stream) -> int:
    """The arm that the person chooses among those that are available."""
    score_all(agent, state, arms, trial, rng)
    hide(state, arms, available)
    return pick_scored(agent, state, arms, choice_stream(rng))


@hook
def paid(theta: float, rng: Stream) -> Any:
    """The outcome of an arm that pays with a probability."""
    return 1 if uniform(rng, 0) < theta else 0


def paid_real(theta: float, rng: Stream) -> Any:
    """What an arm pays is given."""
    return theta


@hook
def reveal(seen: Any, arms: int, arm: int, thetas: Any, revealed: Any, rng: Stream) -> None:
    """Show what other arms would have paid: nothing, unless the task does."""


def reveal_others(seen: Any, arms: int, arm: int, thetas: Any, revealed: Any, rng: Stream) -> None:
    """Write the outcomes of the arms that are revealed; each has luck of its own."""
    for k in range(arms):
        if revealed[k] and k != arm:
            seen[k] = 1 if uniform(for_arm(rng, k), 0) < thetas[k] else 0


def play_people(
    packed: Any,
    places: Any,
    values: Any,
    task: Any,
    thetas: Any,
    given: Any,
    fresh: Any,
    available: Any,
    revealed: Any,
    table: Any,
    memory: Any,
    kept: Any,
    choices: Any,
    outcomes: Any,
    shown: Any,
) -> End:
    """Let people play: fill `choices[person, trial]`, `outcomes[person, trial]` and what is shown.

    `task` holds the number of arms, the first and the last (excluded) of the people to do, and the
    two halves of the seed. Where `fresh[person, trial]`, a block begins. `thetas[person, trial,
    arm]` may have one row for everybody.
    """
    arms = task[0]
    for person in range(task[1], task[2]):
        for place in range(len(places)):
            packed[places[place]] = values[person, place]
        agent = make_agent(packed)
        state = view(table, memory, kept)
        forget(memory)
        begin(agent, state, arms)
        first = 0
        for row in range(given.shape[1]):
            if fresh[person, row]:
                forget(memory)
                begin(agent, state, arms)
                first = row
            arm = given[person, row]
            if arm == MISSED:
                continue
            trial = row - first + 1
            rng = Stream(task[3], task[4], person, AGENT, row + 1, EVERY_ARM, NOT_DRAWN)
            if arm == FREE:
                arm = decide(agent, state, arms, trial, available[person, row], rng)
            if arm < 0 or arm >= arms:
                return End(row + 1, CHOICE, person, arm)
            chances = thetas[person if thetas.shape[0] > 1 else 0, row]
            luck = Stream(task[3], task[4], person, BANDIT, row + 1, EVERY_ARM, NOT_DRAWN)
            outcome = paid(chances[arm], luck)
            seen = shown[person, row]
            reveal(seen, arms, arm, chances, revealed[person, row], luck)
            learn_trial(agent, state, arms, trial, arm, outcome, seen, rng)
            choices[person, row] = arm
            outcomes[person, row] = outcome
    return End(0, FINE, 0, 0)
