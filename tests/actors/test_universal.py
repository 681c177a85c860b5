"""The universal agent and its classes of worlds, against Bayes' rule written out in full."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

import armwise as aw
from armwise.actors import _moving, _redraws, _separate, universal
from armwise.actors._hazards import duration_hazards
from armwise.actors._indices import TOP, index_of, tables_of
from armwise.actors.moving_best import best_by_model, moved
from armwise.actors.redrawn_arms import redrawn
from armwise.actors.separate_arms import separated
from armwise.errors import InputError

ARMS = 3


def history(trials, seed=1):
    """Arms and outcomes of a world that changes halfway."""
    draw = np.random.default_rng(seed)
    thetas = draw.uniform(size=(2, ARMS))
    arms = draw.integers(ARMS, size=trials)
    half = (np.arange(trials) * 2) // trials
    outcomes = draw.uniform(size=trials) < thetas[half, arms]
    return list(zip(arms.tolist(), outcomes.astype(int).tolist(), strict=True))


def taught(actor, seen):
    """The memory after what was seen, and what `learn` returned."""
    memory = np.zeros(actor.memory_size(ARMS))
    actor.begin(memory, ARMS)
    found = [
        actor.learn(memory, ARMS, trial, arm, int(outcome), None)
        for trial, (arm, outcome) in enumerate(seen, start=1)
    ]
    return memory, found


def hazards_of(actor):
    """Every timing: its weight, whether it goes with all laws, and the hazard at every age."""
    pairs = list(itertools.product(actor.intervals, actor.regularities))
    spared = _redraws.REGULAR_SHARE if pairs else 0.0
    memoryless = [np.full(999, rate) for rate in actor.rates]
    regular = [duration_hazards(each, min(int(many), int(each)), 999) for each, many in pairs]
    laws = [(actor.alpha0, actor.beta0), *zip(actor.alphas, actor.betas, strict=True)]
    first = _redraws.FIRST_SHARE if len(laws) > 1 else 1.0
    for number, law in enumerate(laws):
        share = first if number == 0 else (1.0 - first) / (len(laws) - 1)
        kept = share * (1.0 - spared) if number == 0 else share
        yield from ((law, kept / len(actor.rates), hazard) for hazard in memoryless)
        if number == 0:
            yield from ((law, share * spared / len(pairs), hazard) for hazard in regular)


def in_full(actor, seen):
    """The probability of a redraw just before each outcome, and the evidence of every trial."""
    weights = [({0: share}, law, hazard) for law, share, hazard in hazards_of(actor)]
    gammas, evidences = [], []
    for trial, (arm, outcome) in enumerate(seen, start=1):
        total = fresh = 0.0
        for births, (alpha, beta), hazard in weights:
            if trial > 1:  # the redraw between the trial before and this one
                leaving = {birth: hazard[trial - 1 - birth] for birth in births}
                new = sum(weight * leaving[birth] for birth, weight in births.items())
                for birth in births:
                    births[birth] *= 1.0 - leaving[birth]
                births[trial - 1] = new
            for birth in births:
                since = [o for k, o in seen[birth : trial - 1] if k == arm]
                a, b = alpha + sum(since), beta + len(since) - sum(since)
                births[birth] *= (a if outcome else b) / (a + b)
            total += sum(births.values())
            fresh += births[trial - 1] if trial > 1 else 0.0
        for births, _, _ in weights:
            for birth in births:
                births[birth] /= total
        gammas.append(fresh / total)
        evidences.append(total)
    return gammas, evidences


@pytest.mark.parametrize(
    "actor",
    [
        aw.RedrawnArms(),
        aw.RedrawnArms(alphas=(), betas=(), intervals=()),
        aw.RedrawnArms(rates=(0.02,), intervals=(7.0,), regularities=(7.0, 2.0), alpha0=2),
    ],
    ids=["all", "flat", "few"],
)
def test_redraws_are_bayes_rule_over_births_laws_and_timings(actor):
    seen = history(30)
    _, gammas = taught(actor, seen)
    expected, _ = in_full(actor, seen)
    # Rows below NEGLIGIBLE are left out: at most that weight each, of fewer than 100.
    np.testing.assert_allclose(gammas, expected, atol=1e-5)


def test_merging_births_loses_no_weight():
    actor = aw.RedrawnArms(most=8)
    memory, _ = taught(actor, history(120))
    known = redrawn(actor, memory, ARMS)
    assert known.total.sum() == pytest.approx(1.0, abs=1e-5)
    assert known.weight.sum() == pytest.approx(1.0, abs=1e-5)
    assert sorted(known.order) == list(range(8))
    born = known.birth[known.order.astype(int)]
    assert (np.diff(born) > 0).all()
    assert born[-1] == 120


def test_the_mixture_counts_the_outcomes_since_each_birth():
    actor, seen = aw.RedrawnArms(alphas=(), betas=()), history(20)
    memory, _ = taught(actor, seen)
    parts = actor.mixture(memory.tolist(), ARMS)
    assert sum(weight for weight, _, _ in parts) == pytest.approx(1.0)
    for birth, (_, alpha, beta) in enumerate(parts):
        since = seen[birth:]
        assert alpha == [1 + sum(o for k, o in since if k == arm) for arm in range(ARMS)]
        assert beta == [1 + sum(1 - o for k, o in since if k == arm) for arm in range(ARMS)]


def test_the_best_arm_is_followed_as_by_a_hidden_markov_model():
    actor, seen = aw.MovingBest(), history(90)
    memory, _ = taught(actor, seen)
    known = moved(actor, memory, ARMS)
    assert known.head.tolist() == [_moving.FIRST_STEP, -8 * _moving.FIRST_STEP, 0]  # as at first
    found, weights = best_by_model(known, ARMS), []
    models = itertools.product(range(17), actor.gaps, actor.moves)
    for number, (base, gap, move) in enumerate(models):
        logit = known.head[_moving.FIRST] + _moving.FIRST_STEP * base
        low, high = 1 / (1 + math.exp(-logit)), 1 / (1 + math.exp(-logit - gap))
        away = (np.ones((ARMS, ARMS)) - np.eye(ARMS)) * move / (ARMS - 1)
        step = away + np.eye(ARMS) * (1 - move)
        best, weight = np.full(ARMS, 1 / ARMS), math.sqrt(move)
        weight *= _moving.RARE if gap > _moving.RARE_GAP else 1.0
        for arm, outcome in seen:
            theta = np.where(np.arange(ARMS) == arm, high, low)
            chance = best @ (theta if outcome else 1 - theta)
            weight *= chance
            best = step @ (best * (theta if outcome else 1 - theta) / chance)
        weights.append(weight)
        if known.weight[number] > 0:
            np.testing.assert_allclose(found[number], best, atol=1e-9)
    weights = np.array(weights) / sum(weights)
    np.testing.assert_allclose(known.weight, weights, atol=1e-4)


def test_beliefs_stay_probabilities_in_a_world_that_no_model_fits():
    """Rounding errors would grow where factors and offsets do."""
    bandit = aw.VaryingBandit(arms=3, rho=0.01)
    actor = aw.MovingBest()
    aw.simulate(bandit, actor, 3_000, 50, seed=0, checkpoints=[3_000])
    asked = {"checkpoints": aw.every(1), "record": ["arm", "outcome"]}
    result = aw.simulate(bandit, actor, 1_100, 16, seed=0, **asked).isel(agent=15)
    seen = zip(result.chosen.values.tolist(), result.outcome.values.tolist(), strict=True)
    memory, _ = taught(actor, list(seen))
    known = moved(actor, memory, ARMS)
    found = best_by_model(known, ARMS)[known.weight > 0]
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-6)
    assert found.min() >= -1e-9
    assert found.max() <= 1 + 1e-9


def test_the_grid_of_bases_follows_the_evidence():
    actor = aw.MovingBest()
    result = np.zeros(actor.memory_size(2))
    actor.begin(result, 2)
    draw = np.random.default_rng(3)
    for trial in range(1, 1_500):
        actor.learn(result, 2, trial, trial % 2, int(draw.uniform() < 0.01), None)
    known = moved(actor, result, 2)
    assert known.head[_moving.STEP] == _moving.FIRST_STEP / 4
    five = 5 * math.sqrt(0.01 * 0.99 / 1_500)  # standard errors
    assert known.weight.sum() == pytest.approx(1.0, abs=1e-4)
    assert actor.facts(result.tolist(), 2)["the others pay"] == pytest.approx(0.01, abs=five)


def test_single_redraws_are_bayes_rule_on_the_grid():
    actor, seen = aw.SeparateArms(), history(60)
    memory, _ = taught(actor, seen)
    thetas, law = np.array(actor.thetas), np.array(actor.law)
    evidence = []
    for number, rate in enumerate(actor.own_rates):
        beliefs, logs = np.tile(law, (ARMS, 1)), 0.0
        for trial, (arm, outcome) in enumerate(seen):
            if trial:
                beliefs += (1 - math.exp(-rate)) * (law - beliefs)
            likelihood = thetas if outcome else 1 - thetas
            logs += math.log(beliefs[arm] @ likelihood)
            beliefs[arm] *= likelihood / (beliefs[arm] @ likelihood)
        evidence.append(math.exp(logs))
        known = separated(actor, memory, ARMS)
        last = seen[-1][0] * len(actor.own_rates) + number
        kept = known.belief[last * _separate.POINTS : (last + 1) * _separate.POINTS]
        np.testing.assert_allclose(kept, beliefs[seen[-1][0]], atol=1e-12)
    weights = np.array(evidence) / sum(evidence)
    np.testing.assert_allclose(known.weight, weights, atol=1e-5)


def test_moments_fade_towards_the_law():
    actor = aw.SeparateArms(own_rates=(0.02,))
    memory, _ = taught(actor, [(0, 1)] * 30 + [(1, 0)] * 40)
    ((_, alpha, beta),) = actor.mixture(memory.tolist(), ARMS)
    fresh = alpha[2], beta[2]
    assert fresh == pytest.approx((1.0, 1.0))
    means = [a / (a + b) for a, b in zip(alpha, beta, strict=True)]
    assert means[1] < 0.1 < 0.6 < means[0] < 0.8


def test_indices_beyond_the_table_go_on_where_it_ends():
    decay = 0.01
    table = tables_of((math.exp(-decay),))
    for share in (0.1, 0.5, 0.9):
        inside = index_of(table, 0, 1 + share * TOP, 1 + (1 - share) * TOP, decay)
        beyond = index_of(table, 0, 1.1 + share * TOP, 1.1 + (1 - share) * TOP, decay)
        assert 0 < inside - (1 + share * TOP) / (2 + TOP) < 0.05
        assert beyond == pytest.approx(inside, abs=0.004)  # the error that Brezzi and Lai state


def test_log_evidences_are_those_of_the_classes():
    agent, seen = aw.Universal(keep=1.0, leads=(0, 0, 0)), history(25)
    memory, gammas = taught(agent, seen)
    expected, evidences = in_full(agent, seen)
    np.testing.assert_allclose(gammas, expected, atol=1e-5)
    logs = math.fsum(math.log(each) for each in evidences)
    assert memory[universal.REDRAWN] == pytest.approx(logs, abs=1e-4)


def test_scores_are_averaged_by_the_evidence():
    seen = history(40)
    agent = aw.Universal()
    memory, _ = taught(agent, seen)
    parts = []
    for kind in (aw.RedrawnArms, aw.MovingBest, aw.SeparateArms):
        scores = np.zeros(ARMS)
        kind().score_arms(taught(kind(), seen)[0], ARMS, 41, scores)
        parts.append(scores)
    for logs in ((0.0, 0.0, 0.0), (0.0, -3.0, 0.5), (-1.0, -9.0, 6.0), (-9.0, 0.0, -9.0)):
        memory[:3] = logs
        found = np.zeros(ARMS)
        agent.score_arms(memory, ARMS, 41, found)
        weights = np.exp(logs)
        alone = min(weights[2] / (weights[0] + weights[2]), universal.MOST_SEPARATE)
        moving = weights[1] / weights.sum()
        redraws = (1 - alone) * parts[0] + alone * parts[2]
        expected = (1 - moving) * redraws + moving * parts[1]
        np.testing.assert_allclose(found, expected, atol=0.02 * np.ptp(expected) + 0.01)


@pytest.mark.parametrize("make", [aw.Universal, aw.RedrawnArms, aw.SeparateArms, aw.DurationBOCPD])
def test_outcomes_that_come_late_count_as_ones_of_now(make):
    late, prompt = make(), make()
    order = [1, 2, 60, 61, 3, 62, 4, 63, 5, 64]
    order += [at for pair in zip(range(65, 130), range(6, 71), strict=True) for at in pair]
    now = np.maximum.accumulate(order).tolist()
    memories = []
    for actor, times in ((late, order), (prompt, now)):
        memory = np.zeros(actor.memory_size(ARMS))
        actor.begin(memory, ARMS)
        for trial, (arm, outcome) in zip(times, history(len(times), 4), strict=True):
            actor.learn(memory, ARMS, trial, arm, int(outcome), None)
        memories.append(memory)
    # Single redraws know when each arm was heard, and common ones when anything was.
    if make in (aw.RedrawnArms, aw.DurationBOCPD):
        assert np.array_equal(*memories)
    assert np.isfinite(memories[0]).all()
    for _, alpha, beta in late.mixture(memories[0], ARMS):
        assert (np.asarray([*alpha, *beta]) > 0.0).all()


@pytest.mark.parametrize("thetas", [(0.0, 1e-6), (1 - 1e-6, 1.0), (0.0, 1.0), (1e-4, 1e-3, 0.999)])
def test_extreme_worlds_are_survived(thetas):
    bandit = aw.FixedBandit(thetas=thetas)
    for kind in (aw.RedrawnArms, aw.MovingBest, aw.SeparateArms, aw.Universal):
        found = aw.simulate(bandit, kind(), 20_000, 2, seed=1, checkpoints=[20_000])
        assert np.isfinite(found.regret.values).all()
        if max(thetas) - min(thetas) > 0.5 and kind is aw.Universal:
            assert found.regret.values.max() < 40


def test_the_class_of_the_world_is_found():
    worlds = {
        "all arms": aw.VaryingBandit(arms=5, rho=0.01),
        "the best arm": aw.SwitchingBandit(arms=5, epsilon=0.3, rho=0.01),
    }
    for said, world in worlds.items():
        asked = {"checkpoints": aw.every(1), "record": ["arm", "outcome"]}
        result = aw.simulate(world, aw.Universal(), 1_500, 1, seed=5, **asked)
        player = aw.Universal().start(range(5), compile=False)
        seen = zip(result.chosen.values[0].tolist(), result.outcome.values[0].tolist(), strict=True)
        for ticket, (arm, outcome) in enumerate(seen, start=1):
            player.repeat(arm)
            player.observe(ticket, outcome)
        assert player.summary().facts["believes"].startswith(said)


def test_in_either_bandit_of_the_paper_it_is_nearer_to_the_agent_that_is_made_for_it():
    asked = {"horizon": 1_500, "agents": 100, "seed": 5, "checkpoints": [1_500]}
    moving = aw.SwitchingBandit(arms=5, epsilon=0.2, rho=0.01)
    varying = aw.VaryingBandit(arms=5, rho=0.01)

    def regret(bandit, agent):
        return float(aw.simulate(bandit, agent, **asked).regret.mean())

    for bandit, right, wrong in (
        (moving, aw.AveragedHMM(), aw.LearnedBOCPD(most=50)),
        (varying, aw.LearnedBOCPD(most=50), aw.AveragedHMM()),
    ):
        least, most = regret(bandit, right), regret(bandit, wrong)
        assert regret(bandit, aw.Universal()) < 0.5 * (least + most)


def test_chances_of_redraws_are_calibrated():
    """Where its law is true, the mean probability of a redraw is the number of redraws."""
    rho, trials, agents = 0.02, 2_000, 40
    asked = {"checkpoints": aw.every(1), "record": ["gamma", "theta"], "seed": 4}
    world = aw.VaryingBandit(arms=3, rho=rho)
    result = aw.simulate(world, aw.RedrawnArms(rates=(rho,), intervals=()), trials, agents, **asked)
    gamma = result.gamma.values[:, 200:].mean(axis=1)
    error = gamma.std(ddof=1) / math.sqrt(agents)
    assert abs(gamma.mean() - rho) < 5 * max(error, rho / 100)
    moved_now = (np.diff(result.theta.values, axis=1) != 0).any(axis=2)
    told = result.gamma.values[:, 1:]
    assert stats.mannwhitneyu(told[moved_now], told[~moved_now]).pvalue < 1e-5


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: aw.Universal(most=33), "most must be a multiple of 4, not 33"),
        (lambda: aw.Universal(alphas=(1.0,)), "alphas and betas must be as many, not 1 and 5"),
        (lambda: aw.RedrawnArms(rates=()), "rates must have at least one number"),
        (lambda: aw.RedrawnArms(alpha0=1.5), "must be whole numbers, not 1.5 and 1"),
        (lambda: aw.RedrawnArms(regularities=(2.5,)), "regularities must be whole numbers"),
        (lambda: aw.MovingBest(gaps=()), "gaps must have at least one number"),
        (lambda: aw.SeparateArms(own_rates=()), "own_rates must have at least one number"),
        (lambda: aw.Universal(leads=(1.0,)), "leads must be 3 numbers, one per class, not 1"),
    ],
)
def test_what_is_not_possible_is_named(make, words):
    with pytest.raises(InputError, match=words):
        make()
