"""The probability of the largest score, a line in a draw: against quadrature, draws, TS."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

import armwise as aw
from armwise import Agent, Smile
from armwise.engine import winners
from armwise.engine.drawn import of_lines
from armwise.engine.python import score_state
from armwise.engine.winners import of_drawn
from armwise.model.draws import AGENT, stream, uniform
from armwise.model.roles import Drawn

DRAWS = 200_000


def beliefs(kind, arms, seed):
    rng = np.random.default_rng(seed)
    if kind == "ordinary":
        return 1 + rng.gamma(2, 5, arms), 1 + rng.gamma(2, 5, arms)
    if kind == "much evidence and little":
        return 10 ** rng.uniform(0, 4, arms), 10 ** rng.uniform(0, 4, arms)
    return 10 ** rng.uniform(-1, 0.5, arms), 10 ** rng.uniform(-1, 0.5, arms)


def by_quadrature(alpha, beta, drawn):
    """SciPy's adaptive quadrature over each arm's own probability, and sums over who draws."""
    arms = range(len(drawn))
    theta = [stats.beta(a, b) for a, b in zip(alpha, beta, strict=True)]

    def share_below(arm, score):
        line = drawn[arm]
        below = theta[arm].cdf((score - line.start) / line.slope) if line.weight else 0.0
        return line.weight * below + (1 - line.weight) * (line.rest < score)

    def by_draw(share, arm):
        score = drawn[arm].start + drawn[arm].slope * theta[arm].ppf(share)
        return math.prod(share_below(other, score) for other in arms if other != arm)

    def by_rest(arm):
        """Over all ways in which arms with the same rest draw less, or tie."""
        level, total = drawn[arm].rest, 0.0
        tied = [k for k in arms if k != arm and math.isclose(drawn[k].rest, level, rel_tol=1e-12)]
        apart = math.prod(share_below(k, level) for k in arms if k != arm and k not in tied)
        for ties in itertools.product([False, True], repeat=len(tied)):
            among = 1.0
            for k, tie in zip(tied, ties, strict=True):
                line = drawn[k]
                less = theta[k].cdf((level - line.start) / line.slope) if line.weight else 0.0
                among *= 1 - line.weight if tie else line.weight * less
            total += among / (1 + sum(ties))
        return (1 - drawn[arm].weight) * apart * total

    found = []
    for arm in arms:
        own, total = drawn[arm], by_rest(arm) if drawn[arm].weight < 1 else 0.0
        if own.weight > 0:
            scores = [line.rest for line in drawn if line.weight < 1]
            for each, line in zip(theta, drawn, strict=True):
                quantiles = each.ppf([0, 1e-9, 1e-6, 1e-3, 0.05, 0.5, 0.95, 0.999, 1 - 1e-6, 1])
                scores += list(line.start + line.slope * quantiles)
            shares = {float(theta[arm].cdf((each - own.start) / own.slope)) for each in scores}
            for low, high in itertools.pairwise(sorted(shares | {0.0, 1.0})):
                part = integrate.quad(by_draw, low, high, (arm,), epsabs=1e-9, limit=100)[0]
                total += own.weight * part
        found.append(total)
    return found


def lines(kind, alpha, beta, seed):
    rng = np.random.default_rng(seed)
    means = alpha / (alpha + beta)
    if kind == "now and then":
        return [Drawn(weight=0.3, rest=mean) for mean in means]
    if kind == "apart":
        return [Drawn(start=start, slope=0.5) for start in rng.uniform(-0.1, 0.1, len(alpha))]
    starts, slopes = rng.uniform(-0.1, 0.1, len(alpha)), rng.uniform(0.2, 1, len(alpha))
    return [Drawn(0.7, c, s, c + s * m) for c, s, m in zip(starts, slopes, means, strict=True)]


# Rounding may leave a jump just inside of a piece: quad then says that it took many steps.
@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
@pytest.mark.parametrize("kind", ["ordinary", "much evidence and little", "less than an outcome"])
@pytest.mark.parametrize("how", ["now and then", "apart", "both"])
@pytest.mark.parametrize("arms", [2, 3])
def test_it_is_what_quadrature_finds(kind, how, arms):
    alpha, beta = beliefs(kind, arms, seed=arms)
    drawn = lines(how, alpha, beta, seed=arms)
    expected = by_quadrature(alpha, beta, drawn)
    assert sum(expected) == pytest.approx(1, abs=1e-6)
    np.testing.assert_allclose(of_lines(alpha, beta, drawn), expected, rtol=0, atol=1e-6)


def test_means_that_tie_are_shared_even_where_beliefs_differ():
    alpha, beta = np.array([1.0, 2.0, 8.0, 1.0]), np.array([1.0, 2.0, 8.0, 3.0])
    drawn = [Drawn(weight=0.4, rest=a / (a + b)) for a, b in zip(alpha, beta, strict=True)]
    expected = by_quadrature(alpha, beta, drawn)
    np.testing.assert_allclose(of_lines(alpha, beta, drawn), expected, rtol=0, atol=1e-6)


def test_lines_that_always_draw_are_thompson_sampling():
    for kind in ("ordinary", "much evidence and little", "less than an outcome"):
        alpha, beta = beliefs(kind, 8, seed=1)
        found = of_lines(alpha, beta, [Drawn()] * 8)
        expected = aw.numerics.best_arm_probabilities(list(alpha), list(beta))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


def test_steep_beliefs_that_always_draw_are_thompson_sampling():
    alpha, beta = [0.02, 0.03, 1.0], [1.0, 0.02, 0.02]
    expected = aw.numerics.best_arm_probabilities(alpha, beta)
    np.testing.assert_allclose(of_lines(alpha, beta, [Drawn()] * 3), expected, rtol=0, atol=1e-6)


def test_arms_that_never_draw_share_by_ties():
    drawn = [Drawn(weight=0.0, rest=rest) for rest in (0.3, 0.5, 0.5, -0.2)]
    assert of_lines([1, 2, 3, 4], [1, 1, 1, 1], drawn) == pytest.approx([0, 0.5, 0.5, 0])


def test_many_arms_that_are_alike_share_alike():
    drawn = [Drawn(weight=0.01, rest=0.5)] * 100
    assert of_lines([1] * 100, [1] * 100, drawn) == pytest.approx([0.01] * 100)


AGENTS = [
    Agent(aw.EpsilonThompsonSampling(epsilon=0.3)),
    Agent(aw.EpsilonThompsonSampling(), Smile(rho=0.1)),
    Agent(aw.SampledActiveInference(lam=0.5)),
    Agent(aw.SampledActiveInference(lam=0.1), Smile(rho=0.1, alpha0=1.0, beta0=3.0)),
    Agent(aw.SampledActiveInference(lam=0.0)),
]


def frequencies(agent, alpha, beta):
    """The policy's own equation, with NumPy's draws in place of armwise's."""
    rng = np.random.default_rng(5)
    theta = rng.beta(alpha, beta, (DRAWS, len(alpha)))
    if isinstance(agent.policy, aw.EpsilonThompsonSampling):
        epsilon = agent.policy.epsilon or 1 / len(alpha)
        draws = rng.random(theta.shape) < epsilon
        scores = np.where(draws, theta, alpha / (alpha + beta))
    else:
        rho, prior = agent.learner.rho, (agent.learner.alpha0, agent.learner.beta0)

        def entropy(p):
            return -(p * np.log(p) + (1 - p) * np.log(1 - p))

        def ambiguity(a, b):
            return stats.beta(a, b).expect(entropy)

        def ahead(p):
            return (1 - rho) * p + rho * prior[0] / sum(prior)

        unclear = np.array([ambiguity(a, b) for a, b in zip(alpha, beta, strict=True)])
        gain = (
            entropy(ahead(alpha / (alpha + beta))) - (1 - rho) * unclear - rho * ambiguity(*prior)
        )
        scores = agent.policy.lam * (2 * ahead(theta) - 1) + gain
    best = scores >= scores.max(axis=1, keepdims=True) - 1e-9
    return (best / best.sum(axis=1, keepdims=True)).mean(axis=0)


@pytest.mark.parametrize("agent", AGENTS, ids=str)
def test_it_is_how_often_the_equation_chooses_an_arm(agent):
    alpha, beta = [1.0, 4.0, 2.0, 6.0], [1.0, 3.0, 2.0, 7.0]
    found = np.array(of_drawn(agent, range(4), alpha, beta, [], 9))
    error = np.sqrt(found * (1 - found) / DRAWS)
    off = np.abs(frequencies(agent, np.array(alpha), np.array(beta)) - found)
    assert (off <= 5 * error + 1e-9).all()


@pytest.mark.parametrize("agent", AGENTS, ids=str)
def test_lines_give_the_scores_that_the_policy_draws(agent):
    """Quantiles of the scores of 2,000 streams: their largest distance to the stated ones."""
    a, b, count = 3.0, 5.0, 2_000
    assumed = agent.learner.assume([])
    shared = agent.policy.prepare(4, 2, assumed, stream(0, 0, AGENT, 4))
    line = agent.policy.drawn(shared, a, b)
    alpha, beta = [a, 1.0], [b, 1.0]
    scores = [
        score_state(agent, alpha, beta, [], 4, stream(seed, 0, AGENT, 4))[1][0]
        for seed in range(count)
    ]
    scores = np.array(scores)
    rests = np.isclose(scores, line.rest, rtol=1e-12)
    error = math.sqrt(line.weight * (1 - line.weight) / count)
    assert abs(rests.mean() - (1 - line.weight)) <= 5 * error + 1e-12
    if line.weight > 0:
        theta = (scores[~rests] - line.start) / line.slope
        assert stats.kstest(theta, stats.beta(a, b).cdf).pvalue > 1e-6


class Telling(aw.EpsilonThompsonSampling):
    """A user's policy that says something else of its draws."""

    def drawn(self, shared, alpha, beta):
        return self.told


@pytest.mark.parametrize("told", [Drawn(weight=1.5), Drawn(slope=-1.0), Drawn(start=math.nan), 3.0])
def test_what_cannot_be_drawn_is_a_sentence(told):
    policy = type("Telling", (Telling,), {"told": told})()
    with pytest.raises(aw.InputError, match=r"Telling.drawn must return a Drawn with a weight"):
        of_drawn(Agent(policy), range(2), [1.0, 1.0], [1.0, 1.0], [], 1)


def test_without_scipy_it_is_unknown(monkeypatch):
    monkeypatch.setattr(winners.importlib.util, "find_spec", lambda name: None)
    assert AGENTS[0].start(["a", "b"]).choose().probability is None


def test_what_a_subclass_draws_otherwise_is_unknown():
    class Twice(aw.EpsilonThompsonSampling):
        """Its scores are not those of eps-TS."""

        def score(self, shared, arm, alpha, beta, rng):
            return 2 * uniform(rng, 0)

    class Other(aw.EXP3S):
        """Its choices are not those of EXP3.S."""

        def act(self, memory, arms, trial, rng):
            return int(uniform(rng, 0) < 0.1)

    for agent in (Agent(Twice()), Other()):
        assert agent.start(["a", "b"], compile=False).choose().probability is None
