"""simulate, explain, replay: what comes back, and what is refused."""

import json
import math

import numpy as np
import pytest

import armwise as aw

BANDIT = aw.SwitchingBandit(arms=4, epsilon=0.3, rho=0.05)
AGENT = aw.Agent(aw.ApproximateActiveInference(lam=0.5), aw.Smile(rho=0.05))
SOFT = aw.Agent(aw.ExactActiveInference(lam=0.5), aw.Smile(rho=0.05), aw.Softmax(precision=4))


def run(**options):
    return aw.simulate(
        BANDIT, AGENT, **({"horizon": 30, "agents": 3, "seed": 1, "device": "python"} | options)
    )


def test_a_result_is_labelled_and_says_where_it_comes_from():
    result = run()
    assert result.regret.dims == ("agent", "trial")
    assert result.trial.values.tolist() == [*range(1, 11), 20, 30]
    assert float(result.bandit_rho) == 0.05
    assert float(result.policy_lam) == 0.5
    assert float(result.learner_rho) == 0.05
    assert str(result.policy.values) == "A-AI"
    cell = json.loads(result.attrs["cell"])
    assert cell["seed"] == 1
    assert cell["bandit"] == {"name": "switching", "arms": 4, "epsilon": 0.3, "rho": 0.05, "p": 0.5}
    assert result.attrs["armwise"] == aw.__version__


def test_regret_is_expected_regret_of_the_recorded_arms():
    result = run(checkpoints=aw.every(1), record=("arm", "theta"))
    gained = result.theta.isel(arm=result.chosen.astype(int))
    expected = (result.theta.max("arm") - gained).cumsum("trial")
    np.testing.assert_allclose(result.regret, expected, atol=1e-12)


def test_records_follow_the_learning_rule():
    result = run(checkpoints=aw.every(1), record=("arm", "outcome", "gamma", "alpha", "beta"))
    for agent in result.agent.values:
        alpha, beta = np.ones(4), np.ones(4)
        for trial in result.trial.values:
            now = result.sel(agent=agent, trial=trial)
            arm, outcome = int(now.chosen), int(now.outcome)
            q0 = (alpha if outcome else beta)[arm] / (alpha + beta)[arm]
            gamma = 0.05 * 0.5 / (0.05 * 0.5 + 0.95 * q0)
            alpha, beta = (1 - gamma) * alpha + gamma, (1 - gamma) * beta + gamma
            alpha[arm] += outcome
            beta[arm] += 1 - outcome
            assert float(now.gamma) == pytest.approx(gamma, rel=1e-12)
            np.testing.assert_allclose(now.alpha, alpha, rtol=1e-12)
            np.testing.assert_allclose(now.beta, beta, rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"horizon": 0}, "horizon must be a whole number from 1 to 4294967295, not 0"),
        ({"horizon": 2.5}, "horizon .* not 2.5"),
        ({"horizon": math.nan}, "horizon .* not nan"),
        ({"agents": 0}, "agents .* not 0"),
        ({"agents": range(5, 5)}, "agents must be a range"),
        ({"agents": 2**40}, "agents .* not 1099511627776"),
        ({"seed": -1}, "seed must be a whole number from 0 to 18446744073709551615, not -1"),
        ({"seed": 2**64}, "seed .* not 18446744073709551616"),
        ({"checkpoints": [5, 3]}, "checkpoints must increase, unlike 5, 3"),
        ({"checkpoints": [5, 5]}, "checkpoints must increase"),
        ({"checkpoints": [31]}, "checkpoints must not pass the horizon 30, unlike 31"),
        ({"checkpoints": [0]}, "A checkpoint must be .* not 0"),
        ({"checkpoints": []}, "at least one trial"),
        ({"record": ("arms",)}, "There is no record 'arms'; did you mean 'arm'"),
        ({"device": "gpu"}, "There is no device 'gpu'"),
        ({"threads": -2}, "threads .* not -2"),
        ({"agents": 4 * 10**9, "checkpoints": aw.every(1)}, "GiB, but this machine has"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(options, words):
    with pytest.raises(aw.InputError, match=words) as refusal:
        run(**options)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: aw.SwitchingBandit(arms=1), "switching: arms must be a whole number in .* not 1"),
        (lambda: aw.StationaryBandit(arms=2.5), "arms must be a whole number"),
        (lambda: aw.SwitchingBandit(epsilon=0.6), r"p \+ epsilon must be at most 1, not 1.1"),
        (lambda: aw.SwitchingBandit(epsilon=-0.1), r"epsilon must be in \[0, 1\], not -0.1"),
        (lambda: aw.VaryingBandit(rho=1.5), r"rho must be in \[0, 1\], not 1.5"),
        (lambda: aw.Smile(rho=math.nan), r"SMiLe: rho must be in \[0, 1\], not nan"),
        (lambda: aw.Smile(alpha0=0), "alpha0 must be in .* not 0"),
        (lambda: aw.ApproximateActiveInference(lam=-1), "A-AI: lam must be at least 0, not -1"),
        (lambda: aw.ApproximateActiveInference(lam=math.inf), "lam must be at least 0, not inf"),
        (lambda: aw.ApproximateActiveInference(lam="much"), "lam must be .* not 'much'"),
        (lambda: aw.Softmax(precision=-3), "precision must be at least 0, not -3"),
        (lambda: aw.Agent(aw.Smile()), "The policy of an agent must be a Policy"),
        (lambda: aw.simulate(AGENT, BANDIT), "The bandit must be one such as"),
        (lambda: aw.simulate(BANDIT, aw.UCB()), r"The agent must be an Agent"),
    ],
)
def test_a_parameter_out_of_range_is_refused(make, words):
    with pytest.raises(aw.InputError, match=words):
        make()


def test_explain_gives_scores_and_named_terms():
    terms = aw.explain(SOFT, alpha=[3, 1, 2], beta=[1, 5, 2], trial=7)
    assert {"mean", "score", "risk", "ambiguity", "extrinsic", "intrinsic", "probability"} == set(
        terms.data_vars
    )
    np.testing.assert_allclose(terms["mean"], [0.75, 1 / 6, 0.5])
    np.testing.assert_allclose(terms.score, -(terms.risk + terms.ambiguity), rtol=1e-14)
    np.testing.assert_allclose(terms.score, terms.extrinsic + terms.intrinsic, atol=1e-14)
    weights = np.exp(4 * terms.score.values)
    np.testing.assert_allclose(terms.probability, weights / weights.sum(), rtol=1e-12)


@pytest.mark.parametrize(
    ("alpha", "beta", "words"),
    [
        ([1, 0], [1, 1], "alpha must be .* not 0"),
        ([1, 1], [1, -2], "beta must be .* not -2"),
        ([1, 1], [1, math.nan], "beta must be .* not nan"),
        ([1, 1, 1], [1, 1], "same length, at least 2, not of 3 and 2"),
        ([1], [1], "at least 2"),
        (["a", "b"], [1, 1], "alpha must be"),
    ],
)
def test_explain_refuses_what_is_no_belief(alpha, beta, words):
    with pytest.raises(aw.InputError, match=words):
        aw.explain(AGENT, alpha, beta)


def test_replay_adds_up_the_softmax_probabilities():
    chosen, outcomes = [0, 1, 1, 3, 2, 0], [1, 0, 1, 1, 0, 0]
    traced = aw.retrace(SOFT, chosen, outcomes, 4, device="python")
    total = 0.0
    for i, arm in enumerate(chosen):
        now = traced.isel(trial=i)
        known = aw.explain(SOFT, now.alpha.values, now.beta.values, trial=i + 1)
        total += math.log(known.probability[arm])
    assert aw.replay(SOFT, chosen, outcomes, 4, device="python") == pytest.approx(total, rel=1e-12)
    assert aw.replay(SOFT, chosen, outcomes, 4) == aw.replay(
        SOFT, chosen, outcomes, 4, device="python"
    )


def test_replay_finds_the_precision_that_made_the_choices():
    agent = aw.Agent(aw.ApproximateActiveInference(lam=0.5), aw.Smile(rho=0.05), aw.Softmax(8))
    made = aw.simulate(
        BANDIT, agent, 2_000, 1, seed=9, checkpoints=aw.every(1), record=("arm", "outcome")
    )
    chosen, outcomes = made.chosen.values[0], made.outcome.values[0]

    def fit(precision):
        return aw.replay(
            aw.Agent(agent.policy, agent.learner, aw.Softmax(precision)), chosen, outcomes, 4
        )

    assert fit(8) > fit(4)
    assert fit(8) > fit(16)


def test_a_trial_without_a_choice_is_passed_over():
    with_gap = aw.retrace(SOFT, [0, -1, 1], [1, 0, 1], arms=3, device="python")
    assert np.isnan(with_gap.log_probability.values[1])
    np.testing.assert_array_equal(with_gap.alpha[1], with_gap.alpha[2])
    assert math.isfinite(aw.replay(SOFT, [0, -1, 1], [1, 0, 1], arms=3, device="python"))


@pytest.mark.parametrize(
    ("agent", "arms", "outcomes", "options", "words"),
    [
        (AGENT, [0], [1], {}, "Choices by argmax have no probability"),
        (
            aw.Agent(aw.OptimisticThompsonSampling(), choice=aw.Softmax()),
            [0],
            [1],
            {},
            "O-TS draws its scores",
        ),
        (SOFT, [0, 1], [1, 2], {}, "An outcome must be 0 or 1, not 2"),
        (SOFT, [0, 1], [1, 0.5], {}, "An outcome must be 0 or 1, not 0.5"),
        (SOFT, [0, 1.5], [1, 0], {}, "A choice must be .* not 1.5"),
        (SOFT, [0, 1], [1], {}, "same length, at least 1, not 2 and 1"),
        (
            SOFT,
            [0, 5],
            [1, 0],
            {"arms": 3},
            "A choice must be below arms = 3, since .* from 0, not 5",
        ),
        (SOFT, [1, 2, 3], [1, 0, 1], {"arms": 3}, "counted from 0, not 3"),
        (SOFT, [0, 1], [1, 0], {"arms": 1}, "arms must be .* not 1"),
        (SOFT, [0, 1], [1, 0], {"arms": None}, "arms must be .* not None"),
        (SOFT, "01", [1, 0], {}, "choices must be a list such as .* not '01'"),
        (SOFT, 3, [1, 0], {}, "choices must be a list such as .* not 3"),
        (SOFT, [[0, 1]], [1, 0], {}, "A choice must be .* not \\[0, 1\\]"),
        (SOFT, [0, None], [1, 0], {}, "A choice must be .* not None"),
        (SOFT, [0, np.nan], [1, 0], {}, "A choice must be .* not nan"),
        (
            SOFT,
            np.ma.array([0, 1], mask=[0, 1]),
            [1, 0],
            {},
            "choices must be a list such as .* not masked_array",
        ),
        (aw.UCB(), [0], [1], {}, "Only an Agent"),
    ],
)
def test_replay_refuses_what_has_no_likelihood(agent, arms, outcomes, options, words):
    with pytest.raises(aw.InputError, match=words):
        aw.replay(agent, arms, outcomes, **{"arms": 2} | options)


def test_a_bar_shows_how_far_a_simulation_is(capfd, monkeypatch):
    monkeypatch.delenv("ARMWISE_QUIET", raising=False)
    shown = aw.simulate(BANDIT, AGENT, 20, 2, progress=True)
    assert "A-AI" in capfd.readouterr().err
    monkeypatch.setenv("ARMWISE_QUIET", "1")
    hidden = aw.simulate(BANDIT, AGENT, 20, 2, progress=True)
    assert capfd.readouterr().err == ""
    assert shown.regret.equals(hidden.regret)


def test_a_bandit_without_a_best_arm_is_pointed_out():
    with pytest.warns(UserWarning, match=r"Every arm of stationary:.* is equally good"):
        aw.simulate(aw.StationaryBandit(epsilon=0.0), AGENT, 10, 2, device="python")


def test_kernels_are_prepared_once(monkeypatch):
    from armwise.engine import cpu

    made = []
    player = cpu.Player.__init__
    monkeypatch.setattr(cpu.Player, "__init__", lambda *given: made.append(1) or player(*given))
    aw.simulate(BANDIT, AGENT, 20, 2)
    assert made == [1]


def test_names_of_the_package_are_what_users_call():
    assert callable(aw.simulate)
    assert callable(aw.explain)
    assert {"regret", "changes", "theory", "parameter", "Sweep", "Store", "run"} <= set(dir(aw))
    assert not {"engine", "play", "model", "registry", "importlib"} & set(dir(aw))


@pytest.mark.parametrize("outcomes", [[True, False, True], [1, 0, 1], [1.0, 0.0, 1.0]])
def test_replayed_and_observed_outcomes_follow_one_rule(outcomes):
    person = aw.Agent(aw.ApproximateActiveInference(), choice=aw.Softmax(precision=2))
    found = aw.replay(person, [0, 1, 1], outcomes, 2, device="python")
    assert found == aw.replay(person, [0, 1, 1], [1, 0, 1], 2, device="python")
    player = person.start(["a", "b"])
    player.observe(player.choose(), outcomes[0])
    for wrong in (2, "1", None, math.nan):
        with pytest.raises(aw.InputError, match="An outcome must be 0 or 1, not"):
            aw.replay(person, [0], [wrong], 2, device="python")
        with pytest.raises(aw.InputError, match="An outcome must be 0 or 1, not"):
            player.observe(player.choose(), wrong)
