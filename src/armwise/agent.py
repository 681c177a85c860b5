"""An agent: a policy, a learner and a choice rule, under one label."""

import dataclasses

from armwise.choices import Argmax
from armwise.errors import InputError
from armwise.grammar import Choice, Learner, Policy
from armwise.learners import Smile


@dataclasses.dataclass(frozen=True)
class Agent:
    """What is simulated, fitted to choices, and let loose online: one definition for all three.

    >>> from armwise import Agent, ApproximateActiveInference, Smile
    >>> agent = Agent(ApproximateActiveInference(lam=0.5), Smile(rho=0.01))
    >>> print(agent)
    a-ai:lam=0.5 smile:rho=0.01,alpha0=1,beta0=1 argmax
    """

    policy: Policy
    learner: Learner = dataclasses.field(default_factory=Smile)
    choice: Choice = dataclasses.field(default_factory=Argmax)

    def __post_init__(self) -> None:
        for name, role in (("policy", Policy), ("learner", Learner), ("choice", Choice)):
            part = getattr(self, name)
            if not isinstance(part, role):
                raise InputError(f"The {name} of an agent must be a {role.__name__}, not {part!r}.")

    @property
    def label(self) -> str:
        """The policy's label."""
        return self.policy.label

    def __str__(self) -> str:
        return f"{self.policy} {self.learner} {self.choice}"
