"""A prior stated by its mean and its weight."""

import copy
import itertools
import math
import pickle
from typing import Any

import pytest
from scipy import integrate, stats

import armwise as aw
from armwise import InputError, actors, learners, registry
from armwise.actors.bocpd import free_energy, harmonic_table
from armwise.model.component import has_prior, parameters_of

WITH = [
    *(getattr(learners, name) for name in learners.__all__),
    *(getattr(actors, name) for name in actors.__all__),
]
WITH = [kind for kind in WITH if has_prior(kind)]


def test_agents_for_changing_bandits_take_one() -> None:
    assert {aw.Smile, aw.SlidingWindow, learners.Discounted, learners.LearnedChange} <= set(WITH)
    assert {aw.BOCPD, aw.LearnedBOCPD, aw.GittinsBOCPD, aw.DurationBOCPD, aw.Universal} <= set(WITH)


def test_whoever_has_a_beta_prior_takes_one() -> None:
    for room in (learners, actors):
        for kind in (getattr(room, name) for name in room.__all__):
            assert has_prior(kind) == any(each.name == "alpha0" for each in parameters_of(kind))


@pytest.mark.parametrize("kind", WITH, ids=lambda kind: kind.label)
def test_the_mean_and_the_weight_are_those_of_alpha0_and_beta0(kind: Any) -> None:
    made = kind(prior=(0.02, 50))
    assert (made.alpha0, made.beta0) == (1.0, 49.0)
    assert made == kind(alpha0=1.0, beta0=49.0)
    assert "prior" not in repr(made)
    for again in (
        pickle.loads(pickle.dumps(made)),
        copy.deepcopy(made),
        eval(repr(made), vars(aw) | vars(learners)),
    ):
        assert again == made
    text = f"{kind.label}:prior=0.02/50"
    assert registry.component(kind.role, text) == made


def test_decimal_fractions_are_what_they_look_like() -> None:
    made = aw.Smile(prior=(0.07, 100))
    assert (made.alpha0, made.beta0) == (7.0, 93.0)
    made = aw.Smile(prior=(0.123, 4.5))
    assert made.alpha0 / (made.alpha0 + made.beta0) == pytest.approx(0.123, rel=1e-15)
    assert made.alpha0 + made.beta0 == 4.5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: aw.Smile(prior=(2, 50)), "prior must be a mean between 0 and 1"),
        (lambda: aw.Smile(prior=(0.5, 0)), "prior must be a mean between 0 and 1"),
        (lambda: aw.Smile(prior=0.02), "prior must be a mean between 0 and 1"),  # type: ignore[arg-type]
        (lambda: aw.Smile(prior="ab"), "prior must be a mean between 0 and 1"),  # type: ignore[arg-type]
        (lambda: aw.Smile(prior=(math.nan, 5)), "prior must be a mean between 0 and 1"),
        (lambda: aw.Smile(prior=(0.02, 50), alpha0=2), "give prior, or alpha0 and beta0, not both"),
        (lambda: aw.Smile(prior=(1e-5, 5)), "alpha0 must be in [0.001, 1000000], not 5e-05"),
        (lambda: aw.Universal(prior=(0.02, 10)), "alpha0 must be in [1, 1000000], not 0.2"),
        (lambda: aw.GittinsBOCPD(prior=(0.3, 5)), "must be whole numbers, not 1.5 and 3.5"),
        (lambda: learners.LastOutcome(prior=(0.3, 5)), "There is no parameter"),
        (lambda: registry.component("learner", "smile:prior=0.02"), "prior must be a mean"),
    ],
)
def test_what_is_no_prior_is_a_sentence(make: Any, message: str) -> None:
    with pytest.raises(InputError) as refusal:
        make()
    assert message in str(refusal.value)


def test_a_sweep_takes_one_prior_or_several() -> None:
    from armwise.sweeps.values import values_of

    assert values_of("prior", [0.02, 50]) == [[0.02, 50]]
    assert values_of("prior", [[0.02, 50], [0.1, 10]]) == [[0.02, 50], [0.1, 10]]
    assert values_of("rho", [0.02, 0.5]) == [0.02, 0.5]


def test_before_any_outcome_the_mean_is_that_of_the_prior() -> None:
    for actor in (kind(prior=(0.02, 50)) for kind in WITH if kind.role == "actor"):
        assert actor.start(["a", "b"]).explain()["a"]["mean"] == pytest.approx(0.02)


@pytest.mark.parametrize("beliefs", [(1.0, 1.0), (3.0, 7.0), (0.4, 3.1), (12.5, 2.25), (0.02, 9.0)])
def test_the_free_energy_of_any_belief(beliefs: tuple[float, float]) -> None:
    """Against quadrature, also between whole numbers."""
    lam, belief = 0.7, stats.beta(*beliefs)

    def surprise(x: float) -> float:
        return float(belief.pdf(x)) * -(x * math.log(x) + (1 - x) * math.log(1 - x))

    pieces = ((0.0, 1e-6), (1e-6, 1e-2), (1e-2, 0.5), (0.5, 1.0))
    entropy = sum(integrate.quad(surprise, *piece, epsabs=1e-13)[0] for piece in pieces)
    found = free_energy(harmonic_table(), lam, *beliefs)
    assert found == pytest.approx(2 * lam * belief.mean() - entropy, abs=1e-9)


def by_enumeration(
    rho: float, prior: tuple[float, float], seen: list[tuple[int, int]], arms: int
) -> list[float]:
    """The predicted mean of every arm: every sequence of changes, weighed by Bayes' rule."""
    totals, means = 0.0, [0.0] * arms
    for changes in itertools.product((False, True), repeat=len(seen)):
        weight, counts = 1.0, [list(prior) for _ in range(arms)]
        for change, (arm, outcome) in zip(changes, seen, strict=True):
            alpha, beta = counts[arm]
            weight *= (alpha if outcome else beta) / (alpha + beta)
            counts[arm][1 - outcome] += 1
            weight *= rho if change else 1 - rho
            if change:  # before the next trial
                counts = [list(prior) for _ in range(arms)]
        totals += weight
        means = [m + weight * a / (a + b) for m, (a, b) in zip(means, counts, strict=True)]
    return [mean / totals for mean in means]


@pytest.mark.parametrize("prior", [(1.0, 1.0), (0.5, 9.5), (2.0, 3.0)])
def test_bocpd_follows_bayes_rule_from_any_prior(prior: tuple[float, float]) -> None:
    rho = 0.2
    seen = [(0, 1), (1, 0), (0, 0), (0, 1), (1, 1), (1, 1), (0, 0)]
    mean, weight = prior[0] / sum(prior), sum(prior)
    player = aw.BOCPD(rho=rho, prior=(mean, weight)).start(["a", "b"], compile=False)
    for trial, (arm, outcome) in enumerate(seen, start=1):
        player.repeat("ab"[arm])
        player.observe(trial, outcome)
    found = [each["mean"] for each in player.explain().values()]
    assert found == pytest.approx(by_enumeration(rho, prior, seen, 2), rel=1e-9)
