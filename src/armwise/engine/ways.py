"""The table of ways: which functions play an agent.

`way_of(agent)` picks a way by the methods and attributes of the agent's parts. Every way makes the
same choices as PLAIN, including ties; only a choice with a habit is defined by HABITUAL instead.
"""

from types import FunctionType
from typing import Any, NamedTuple

from armwise.engine import choosing, definition, greedy, habits, integrated, normal_draws, shown
from armwise.engine.code import reads
from armwise.engine.shortcuts import ceilings, kept, lookahead, monotone, screened, spared, thompson
from armwise.model.agent import Agent, Chooser
from armwise.model.component import Component
from armwise.model.quantile_policy import QuantilePolicy
from armwise.model.roles import AbstractAgent, Choice, Policy
from armwise.numerics.hook import HOOKS


class Way(NamedTuple):
    """The layout of an agent's state, and the functions that begin, act and learn."""

    name: str
    rows: int  # numbers per arm
    kept: dict[str, Any]  # names and types of the other numbers
    view: Any
    begin: Any
    act: Any
    learn: Any
    search: Any = spared.search  # called by `act` if no score is known
    score: Any = definition.score_all
    probability: Any = definition.probability_of_choice
    chances: Any = definition.chances_of_choice
    pick: Any = definition.pick_scored
    learn_shown: Any = shown.learn_shown  # if outcomes of other arms are shown
    more: dict[Any, Any] = {}  # further names, and what is bound to them  # noqa: RUF012


PLAIN = Way(
    "plain",
    definition.ROWS,
    {},
    definition.view_plain,
    definition.begin_plain,
    definition.act_plain,
    definition.learn_plain,
)
HABITUAL = Way(
    "habitual",
    habits.ROWS,
    {},
    habits.view_habitual,
    habits.begin_habitual,
    habits.act_habitual,
    habits.learn_habitual,
    probability=habits.log_probability_habitual,
    chances=habits.chances_habitual,
    pick=habits.pick_habitual,
    learn_shown=shown.learn_shown_habitual,
)
GREEDY = HABITUAL._replace(
    name="greedy", probability=greedy.log_probability_greedy, chances=greedy.chances_greedy
)
INTEGRATED = PLAIN._replace(
    name="integrated",
    rows=integrated.ROWS,
    view=integrated.view_integrated,
    score=integrated.score_integrated,
    probability=integrated.log_probability_integrated,
    chances=integrated.chances_integrated,
)
NORMAL_DRAWS = PLAIN._replace(
    name="normal draws",
    rows=normal_draws.ROWS,
    view=normal_draws.view_normal,
    score=normal_draws.score_normal,
    probability=normal_draws.log_probability_normal,
    chances=normal_draws.chances_normal,
)
CHOOSING = PLAIN._replace(
    name="choosing",
    rows=choosing.ROWS,
    view=choosing.view_choosing,
    begin=choosing.begin_choosing,
    act=choosing.act_choosing,
    learn=choosing.learn_choosing,
    score=choosing.score_choosing,
)
CHOOSING_HABITUAL = CHOOSING._replace(
    name="choosing, habitual",
    probability=HABITUAL.probability,
    chances=HABITUAL.chances,
    pick=HABITUAL.pick,
)
CHOOSING_GREEDY = CHOOSING_HABITUAL._replace(
    name="choosing, greedy", probability=GREEDY.probability, chances=GREEDY.chances
)
FULL = Way(
    "full",
    spared.ROWS,
    spared.KEPT,
    spared.view_spared,
    spared.begin_spared,
    spared.search,
    spared.learn_spared,
)
SAMPLED = FULL._replace(name="sampled", act=definition.act_plain)
KEPT = FULL._replace(name="kept", act=kept.act_kept, learn=kept.learn_kept)
SCREENED = FULL._replace(name="screened", act=screened.act_screened)
KEPT_SCREENED = FULL._replace(
    name="kept, screened", act=kept.act_kept, search=screened.act_screened
)
LOOKAHEAD = FULL._replace(name="lookahead", kept=lookahead.KEPT_AHEAD, act=lookahead.act_lookahead)
THOMPSON = FULL._replace(
    name="thompson",
    rows=thompson.ROWS,
    kept=thompson.KEPT_ODDS,
    view=thompson.view_thompson,
    act=thompson.act_thompson,
)
MONOTONE = FULL._replace(
    name="monotone",
    rows=ceilings.ROWS,
    kept=ceilings.KEPT_CEILINGS,
    view=ceilings.view_monotone,
    act=monotone.act_monotone,
)


def defining_way(agent: AbstractAgent) -> Way:
    """The way that defines what an agent does; all others only save work."""
    if isinstance(agent, Chooser):
        return CHOOSING_HABITUAL if is_habitual(agent.choice) else CHOOSING
    return HABITUAL if isinstance(agent, Agent) and is_habitual(agent.choice) else PLAIN


def following_way(agent: Agent | Chooser) -> Way:
    """The way to follow recorded choices: as defined, with the probability of a choice."""
    if isinstance(agent, Agent) and is_integrated(agent):
        return NORMAL_DRAWS if has(type(agent.policy), "normal_draw") else INTEGRATED
    if agent.choice.probabilistic or not is_greedy(agent.choice):
        return defining_way(agent)
    return CHOOSING_GREEDY if isinstance(agent, Chooser) else GREEDY


def is_integrated(agent: Agent) -> bool:
    """Whether the probability of a choice is an integral over the draws of all arms."""
    return states_draws(agent.policy) and is_greedy(agent.choice)


def states_draws(policy: Policy) -> bool:
    """Whether a policy draws its scores, and says from which distributions."""
    names = ("settled", "normal_draw")
    return policy.stochastic and any(has(type(policy), name) for name in names)


def is_greedy(choice: Choice) -> bool:
    """Whether the largest score wins, but for lapses."""
    return choice.greedy and not has(type(choice), "lean")


def lapses(choice: Choice) -> bool:
    """Whether the largest score wins, with lapses."""
    return is_greedy(choice) and has(type(choice), "lapse_rate")


def is_habitual(choice: Choice) -> bool:
    """Whether a choice depends on more than the scores."""
    return any(has(type(choice), name) for name in ("lean", "habit_pace", "lapse_rate"))


def way_of(agent: Any) -> Way:
    """The cheapest way that the parts of an agent allow."""
    if isinstance(agent, Chooser) or is_habitual(agent.choice):
        return defining_way(agent)
    if not agent.choice.greedy:
        return SAMPLED
    policy = type(agent.policy)
    if not has(policy, "bounds") or issubclass(policy, QuantilePolicy):
        return _way_without_bounds(policy)
    way = KEPT_SCREENED if score_lasts(policy) else SCREENED
    if folds_over_arms(policy) and has(policy, "lookahead_floor"):
        way = LOOKAHEAD
    apart = _reads(policy, "score", "arm") or _reads(policy, "score", "rng")
    return way if apart else way._replace(more={screened.alike: screened.same_belief})


def _way_without_bounds(policy: type[Policy]) -> Way:
    if issubclass(policy, QuantilePolicy) and not folds_over_arms(policy):
        return THOMPSON if policy.stochastic else MONOTONE
    return KEPT if score_lasts(policy) else FULL


def has(part: type[Component], name: str) -> bool:
    """Whether a component defines an optional method: the methods of a role itself are hooks."""
    return hasattr(part, name) and getattr(part, name) not in HOOKS


def folds_over_arms(policy: type[Policy]) -> bool:
    """Whether a policy looks at every arm before it scores one."""
    return has(policy, "gather")


def score_lasts(policy: type[Policy]) -> bool:
    """Whether a score depends on the belief alone, so that it lasts as long as the belief does."""
    if folds_over_arms(policy) or issubclass(policy, QuantilePolicy):
        return False
    at_once = _reads(policy, "prepare", "trial") or _reads(policy, "prepare", "rng")
    return not at_once and not _reads(policy, "score", "rng")


def _reads(policy: type[Policy], of: str, name: str) -> bool:
    """Whether a method reads the argument called `name` in its role, under any name."""
    place = getattr(Policy, of).__code__.co_varnames.index(name)
    method = getattr(policy, of)
    if not isinstance(method, FunctionType):
        return True
    code = method.__code__
    return place >= code.co_argcount or reads(method, code.co_varnames[place])
