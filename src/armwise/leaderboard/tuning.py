"""Numbers that an agent is told of a world, by a word in place of a number.

    learner = { name = "window", window = "window" }
    policy = { name = "exp3.s", switches = "changes" }

The usual tunings of the change-detection literature follow from the horizon T and the number of
changes C. Such an agent is told both, and a leaderboard says so.
"""

from collections.abc import Callable

from armwise.actors.discounted_ucb import discount_for
from armwise.actors.window_ucb import window_for
from armwise.bandits import PiecewiseBandit
from armwise.errors import unknown
from armwise.model.roles import Bandit
from armwise.sweeps.sweep import Mind, Part

PARTS = ("policy", "learner", "choice")

# By word: the number, from T and C. Garivier and Moulines 2011.
TUNINGS: dict[str, Callable[[int, int], float]] = {
    "horizon": lambda horizon, changes: horizon,
    "changes": lambda horizon, changes: changes,
    "window": lambda horizon, changes: window_for(horizon, max(1, changes)),
    "discount": discount_for,
}


def changes_of(bandit: Bandit, horizon: int) -> int:
    """How many changes a world has within a horizon, or is expected to have.

    >>> from armwise import PROBLEMS, SwitchingBandit
    >>> changes_of(PROBLEMS["problem-1"], 5_000), changes_of(SwitchingBandit(rho=0.01), 1_000)
    (4, 10)
    """
    if isinstance(bandit, PiecewiseBandit):
        return sum(change <= horizon for change in bandit.changes)
    return round(bandit.assumed_rho() * horizon)


def words_in(part: Part) -> dict[str, str]:
    """The parameters of a part that are written as words."""
    extra = part.model_extra or {}
    return {name: value for name, value in extra.items() if isinstance(value, str)}


def tuned(mind: Mind, bandit: Bandit, horizon: int) -> Mind:
    """The agent with numbers for words, as this world has them."""
    numbers = horizon, changes_of(bandit, horizon)
    changed = {}
    for name in PARTS:
        part = getattr(mind, name)
        if words_in(part):
            told = {key: _tuning(word)(*numbers) for key, word in words_in(part).items()}
            changed[name] = part.model_copy(update=told)
    return mind.model_copy(update=changed)


def _tuning(word: str) -> Callable[[int, int], float]:
    if word not in TUNINGS:
        raise unknown("tuning", word, TUNINGS)
    return TUNINGS[word]
