"""Learn from the outcomes of arms that were not chosen but shown.

The order of events: the agent acts, the chosen arm pays, and others show what they would have paid.
The learner computes the change probability from the chosen arm's outcome, then takes in those that
were shown, in the order of the arms. Only then is every belief updated: by its outcome if it was
chosen or shown, else as a belief about an arm that was not chosen.
"""

from typing import Any

from armwise.engine.definition import change, update
from armwise.engine.habits import follow_choice
from armwise.model.draws import Stream
from armwise.model.roles import Learner

change_shown = Learner.change_shown
update_shown = Learner.update_shown

UNSEEN = -1  # in place of the outcome of an arm that was not shown


def learn_shown(
    agent: Any, state: Any, arms: int, trial: int, arm: int, outcome: int, seen: Any, rng: Stream
) -> float:
    """Learn from the chosen arm's outcome and from those in `seen`; return gamma."""
    alpha, beta, memory = state.alpha, state.beta, state.memory
    gamma = change(agent.learner, memory, arm, outcome, alpha[arm], beta[arm])
    for k in range(arms):
        if k != arm and seen[k] != UNSEEN:
            gamma = change_shown(agent.learner, memory, gamma, k, seen[k], alpha[k], beta[k])
    for k in range(arms):
        if k == arm or seen[k] == UNSEEN:
            alpha[k], beta[k] = update(
                agent.learner, memory, gamma, k, k == arm, outcome, alpha[k], beta[k]
            )
        else:
            alpha[k], beta[k] = update_shown(
                agent.learner, memory, gamma, k, seen[k], alpha[k], beta[k]
            )
    return gamma


def learn_shown_habitual(
    agent: Any, state: Any, arms: int, trial: int, arm: int, outcome: int, seen: Any, rng: Stream
) -> float:
    """The habit follows the choice; then learn as `learn_shown` does."""
    follow_choice(agent, state, arms, arm)
    return learn_shown(agent, state, arms, trial, arm, outcome, seen, rng)
