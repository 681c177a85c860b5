"""Parameters that follow from the bandit an agent plays: a word stands in place of a number.

    learner = { name = "window", window = "window" }
    policy = { name = "exp3.s", switches = "changes" }

The usual tunings of the change-detection literature follow from the horizon T and the number of
changes C. Such an agent is given both, and a leaderboard says so.
"""

from collections.abc import Callable

from armwise.actors.discounted_ucb import discount_for
from armwise.actors.window_ucb import window_for
from armwise.bandits import PiecewiseBandit
from armwise.errors import unknown
from armwise.model.roles import Bandit
from armwise.sweeps.specs import AgentSpec, ComponentSpec

# The function of T and C for every word. Garivier and Moulines 2011.
TUNINGS: dict[str, Callable[[int, int], float]] = {
    "horizon": lambda horizon, changes: horizon,
    "changes": lambda horizon, changes: changes,
    "window": lambda horizon, changes: window_for(horizon, max(1, changes)),
    "discount": discount_for,
}


def changes_of(bandit: Bandit, horizon: int) -> int:
    """The number of changes that a bandit has, or is expected to have, within a horizon.

    >>> from armwise import PROBLEMS, SwitchingBandit
    >>> changes_of(PROBLEMS["problem-1"], 5_000), changes_of(SwitchingBandit(rho=0.01), 1_000)
    (4, 10)
    """
    if isinstance(bandit, PiecewiseBandit):
        return sum(change <= horizon for change in bandit.changes)
    return round(bandit.assumed_rho() * horizon)


def tunings_in(spec: ComponentSpec) -> dict[str, str]:
    """The parameters of a component that are given as words."""
    return {name: value for name, value in spec.values.items() if isinstance(value, str)}


def tuned(agent: AgentSpec, bandit: Bandit, horizon: int) -> AgentSpec:
    """The agent with its words replaced by the numbers for this bandit and horizon."""
    sizes = horizon, changes_of(bandit, horizon)
    changed = {}
    for role, spec in agent.parts.items():
        words = tunings_in(spec)
        if words:
            numbers = {name: _tuning(word)(*sizes) for name, word in words.items()}
            changed[role] = spec.model_copy(update=numbers)
    return agent.model_copy(update=changed)


def _tuning(word: str) -> Callable[[int, int], float]:
    if word not in TUNINGS:
        raise unknown("tuning", word, TUNINGS)
    return TUNINGS[word]
