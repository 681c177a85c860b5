"""A particle filter for the varying bandit: sampled hypotheses about the last change."""

from typing import Any

from armwise.model.component import parameter
from armwise.model.draws import Stream, beta_draw, for_arm, uniform
from armwise.model.roles import Actor

# A particle is its weight, the number of its draws, and each arm's successes and failures.
_DRAWN, _EACH = 1, 2


def pay(memory: Any, at: int, arm: int) -> float:
    """The expected theta of an arm, by the counts of the particle at this place."""
    successes = memory[at + _EACH + 2 * arm]
    failures = memory[at + _EACH + 2 * arm + 1]
    return (1.0 + successes) / (2.0 + successes + failures)


def forget(memory: Any, at: int, arms: int) -> None:
    """Clear the counts of a particle: all arms changed."""
    for place in range(at + _EACH, at + _EACH + 2 * arms):
        memory[place] = 0.0


def observe(
    memory: Any, arms: int, particles: int, rho: float, arm: int, outcome: int, rng: Stream
) -> float:
    """Weigh the particles, draw their changes, count; return the probability of a change.

    A change is drawn given the outcome, with probability rho q1 / (rho q1 + (1 - rho) q0), where q1
    and q0 are the probabilities of the outcome with and without a change. The weight is multiplied
    by the denominator.
    """
    size = _EACH + 2 * arms
    changed = 0.0
    total = 0.0
    for number in range(particles):
        at = number * size
        paid = pay(memory, at, arm)
        fresh = 0.5 * rho
        evidence = fresh + (1.0 - rho) * (paid if outcome else 1.0 - paid)
        changed += memory[at] * fresh
        memory[at] *= evidence
        total += memory[at]
        if uniform(rng, 2 + number) * evidence < fresh:
            forget(memory, at, arms)
        memory[at + _EACH + 2 * arm + 1 - outcome] += 1.0
    for number in range(particles):
        memory[number * size] /= total
    return changed / total


def effective(memory: Any, size: int, particles: int) -> float:
    """The effective number of particles: one over the sum of the squared weights."""
    squares = 0.0
    for number in range(particles):
        squares += memory[number * size] * memory[number * size]
    return 1.0 / squares


def resample(memory: Any, size: int, particles: int, offset: float) -> None:
    """Systematic resampling: particles drawn more than once replace those not drawn."""
    passed = 0.0
    drawn = 0
    for number in range(particles):
        passed += memory[number * size]
        before = drawn
        last = number == particles - 1
        while drawn < particles and (last or drawn + offset < particles * passed):
            drawn += 1
        memory[number * size + _DRAWN] = drawn - before
    source = 0
    for number in range(particles):
        at = number * size
        if memory[at + _DRAWN] == 0.0:
            while memory[source * size + _DRAWN] < 2.0:
                source += 1
            memory[source * size + _DRAWN] -= 1.0
            for place in range(_EACH, size):
                memory[at + place] = memory[source * size + place]
        memory[at] = 1.0 / particles


class ParticleFilter(Actor):
    """Knows how often all thetas are drawn again; particles sample when that last happened.

    A particle has the counts since then, so that thetas are integrated out. The choice is by
    Thompson sampling: draw a particle by weight, a change with probability rho, then every theta.
    """

    label = "particles"
    equation = "w[i] <- w[i] (rho q1 + (1 - rho) q0[i]); theta ~ Be(1 + S[i], 1 + F[i]), i ~ w"
    reference = "Doucet et al. 2000; Fearnhead and Liu 2007"

    rho: float = parameter(
        default=0.01, slider=(0, 0.1), low=0, high=1, meaning="probability of a change in a trial"
    )
    particles: int = parameter(
        default=50, slider=(10, 500), low=2, high=100_000, meaning="number of particles"
    )

    def memory_size(self, arms: int) -> int:
        """For every particle its weight, the number of its draws, and counts for every arm."""
        return self.particles * (_EACH + 2 * arms)

    def begin(self, memory: Any, arms: int) -> None:
        """Set all weights equal; all counts are 0."""
        for number in range(self.particles):
            memory[number * (_EACH + 2 * arms)] = 1.0 / self.particles

    def act(self, memory: Any, arms: int, trial: int, rng: Stream) -> int:
        """The arm with the largest of the drawn thetas."""
        size = _EACH + 2 * arms
        left = uniform(rng, 0)
        number = 0
        while number < self.particles - 1 and left >= memory[number * size]:
            left -= memory[number * size]
            number += 1
        changed = uniform(rng, 1) < self.rho
        at = number * size + _EACH
        choice = 0
        best = -1.0
        for arm in range(arms):
            successes = 0.0 if changed else memory[at + 2 * arm]
            failures = 0.0 if changed else memory[at + 2 * arm + 1]
            drawn = beta_draw(for_arm(rng, arm), 1.0 + successes, 1.0 + failures)
            if drawn > best:
                choice = arm
                best = drawn
        return choice

    def learn(
        self, memory: Any, arms: int, trial: int, arm: int, outcome: int, rng: Stream
    ) -> float:
        """Update the particles; resample if fewer than half of them are effective.

        Return the probability of a change.
        """
        gamma = observe(memory, arms, self.particles, self.rho, arm, outcome, rng)
        size = _EACH + 2 * arms
        if effective(memory, size, self.particles) < 0.5 * self.particles:
            resample(memory, size, self.particles, uniform(rng, 2 + self.particles))
        return gamma
