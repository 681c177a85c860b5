"""An agent: a policy, a learner and a choice rule, under one label."""

import dataclasses
from typing import Any

from armwise.errors import InputError, brief
from armwise.model.component import Component
from armwise.model.forms import ANY, BETA, NORMAL, OUTCOMES, WORDS, refuse_unless_form
from armwise.model.roles import AbstractAgent, Actor, Choice, Learner, Policy
from armwise.model.upstairs import upstairs

# A learner for a policy that reads beliefs of a form.
_EXAMPLES = {BETA: "a learner such as Smile", NORMAL: "a learner such as KalmanFilter"}


def _smile() -> Learner:
    return upstairs("learners", "Smile")()


def _argmax() -> Choice:
    return upstairs("choices", "Argmax")()


@dataclasses.dataclass(frozen=True)
class Agent(AbstractAgent):
    """A policy with a learner and a choice rule: can be simulated, fitted to choices, run online.

    By default the learner is `Smile()`, which counts outcomes, and the choice rule is `Argmax()`.

    >>> from armwise import Agent, ApproximateActiveInference, Smile
    >>> agent = Agent(ApproximateActiveInference(lam=0.5), Smile(rho=0.01))
    >>> print(agent)
    a-ai:lam=0.5 smile:rho=0.01,alpha0=1,beta0=1 argmax
    """

    policy: Policy
    learner: Learner = dataclasses.field(default_factory=_smile)
    choice: Choice = dataclasses.field(default_factory=_argmax)

    def __post_init__(self) -> None:
        for name, role in (("policy", Policy), ("learner", Learner), ("choice", Choice)):
            part = getattr(self, name)
            if not isinstance(part, role):
                raise InputError(
                    f"The {name} of an agent must be a {role.__name__}, not {brief(part)}."
                )
        self._refuse_other_beliefs()

    def _refuse_other_beliefs(self) -> None:
        """The policy must read beliefs of the form that the learner keeps."""
        policy, learner = self.policy, self.learner
        refuse_unless_form(policy.label, policy.beliefs, (BETA, NORMAL, ANY))
        refuse_unless_form(learner.label, learner.beliefs, (BETA, NORMAL))
        if policy.beliefs not in (ANY, learner.beliefs):
            raise InputError(
                f"{policy.label} reads {WORDS[policy.beliefs]} beliefs, and {learner.label} keeps "
                f"{WORDS[learner.beliefs]} beliefs: take {_EXAMPLES[policy.beliefs]}, or another "
                "policy."
            )

    @property
    def outcomes(self) -> str:
        """What the learner's beliefs are about: outcomes 0 and 1, or real ones."""
        return OUTCOMES[self.learner.beliefs]

    @property
    def label(self) -> str:  # type: ignore[override]
        """The policy's label."""
        return self.policy.label

    @property
    def parts(self) -> tuple[Component, ...]:
        """Policy, learner and choice: the order in which their parameters are packed."""
        return self.policy, self.learner, self.choice

    def memory_size(self, arms: int) -> int:
        """The number of values the agent remembers besides its beliefs: those of the learner."""
        return self.learner.memory_size(arms)

    def __str__(self) -> str:
        return f"{self.policy} {self.learner} {self.choice}"


@dataclasses.dataclass(frozen=True)
class Chooser(AbstractAgent):
    """An actor with a choice rule: its scores make choices probable instead of certain.

    The actor must have `score_arms`, as those have that weigh hypotheses.

    >>> from armwise import BOCPD, Chooser, Softmax
    >>> print(Chooser(BOCPD(rho=0.05), Softmax(precision=8)))
    bocpd:rho=0.05,lam=0.25,most=100,alpha0=1,beta0=1 softmax:precision=8
    """

    actor: Actor
    choice: Choice

    def __post_init__(self) -> None:
        if not isinstance(self.actor, Actor):
            raise InputError(f"The actor of a chooser must be an Actor, not {brief(self.actor)}.")
        if not isinstance(self.choice, Choice):
            raise InputError(f"The choice of a chooser must be a Choice, not {brief(self.choice)}.")
        if type(self.actor).score_arms is Actor.score_arms:
            raise InputError(f"{self.actor.label} has no scores for a choice rule.")

    @property
    def label(self) -> str:  # type: ignore[override]
        """The actor's label."""
        return self.actor.label

    @property
    def parts(self) -> tuple[Component, ...]:
        """Actor and choice: the order in which their parameters are packed."""
        return self.actor, self.choice

    def memory_size(self, arms: int) -> int:
        """The number of values that the actor remembers."""
        return self.actor.memory_size(arms)

    def __str__(self) -> str:
        return f"{self.actor} {self.choice}"


def refuse_unless_agent(value: Any) -> None:
    """Raise InputError unless the value is an agent.

    >>> refuse_unless_agent("a-ai")
    Traceback (most recent call last):
    armwise.errors.InputError: The agent must be an Agent(policy, learner) or an actor, not 'a-ai'.
    """
    if not isinstance(value, AbstractAgent):
        raise InputError(
            f"The agent must be an Agent(policy, learner) or an actor, not {brief(value)}."
        )
