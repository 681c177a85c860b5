"""The paper's claims: the rules on planted data, the analytic ones against mpmath and SciPy."""

import importlib.util
import json
import math
import subprocess
import sys
from pathlib import Path

import mpmath
import numpy as np
import pandas
import pytest
import scipy.integrate
import scipy.stats

from armwise.model.roles import Assumed
from armwise.paper.claims import CLAIMS, Evidence, analytic, decide, run_claims, stated, to_json
from armwise.paper.claims.curves import best, crossing, growth
from armwise.paper.claims.practice import OTHERS
from armwise.paper.experiments import bundled_cells, bundled_names
from armwise.sweeps.store import Store

_spec = importlib.util.spec_from_file_location("planted", Path(__file__).parent / "planted.py")
planted = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(planted)

ROOT = Path(__file__).parents[2]
CLAIM = {claim.number: claim for claim in CLAIMS}
ALWAYS = {10, 11, 12, 13, 14, 15, 45}  # need no results
VERDICTS = {decide.HOLDS, decide.EXCEPTIONS, decide.FAILS, decide.UNDECIDED}


def sample(mean, spread=1.0, n=100, seed=0):
    """A sample with exactly this mean."""
    z = np.random.default_rng(seed).normal(size=n)
    return mean + spread * (z - z.mean())


def family(supporting, contradicting, undecided):
    means = [1.0] * supporting + [-1.0] * contradicting + [0.0] * undecided
    return [decide.above({"i": i}, decide.student(sample(m, seed=i))) for i, m in enumerate(means)]


# --- the claims as a list ------------------------------------------------------------------------


def test_all_45_claims_are_there_once_with_their_texts():
    assert [claim.number for claim in CLAIMS] == list(range(1, 46))
    assert len({claim.title for claim in CLAIMS}) == 45
    assert all(claim.title and claim.statement.endswith(".") and claim.figure for claim in CLAIMS)


def test_every_entry_of_the_toml_file_has_its_judge_and_a_sweep_that_exists():
    assert sorted(stated()) == [claim.number for claim in CLAIMS]
    for claim in CLAIMS:
        assert set(claim.sweep) <= set(bundled_names())
        assert sum(map(bool, (claim.trial, claim.at_least, claim.needs))) <= 1
        assert len(claim.trial) in (0, 1, len(claim.measure))


def test_statements_are_those_that_were_judged_at_the_sizes_of_the_paper():
    judged = json.loads((ROOT / "docs" / "reproduction" / "claims.json").read_text())
    texts = ("number", "title", "statement", "figure")
    assert [[one[name] for name in texts] for one in judged] == [
        [getattr(claim, name) for name in texts] for claim in CLAIMS
    ]


# --- the rules -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((12, 0, 0), decide.HOLDS),
        ((9, 3, 0), decide.EXCEPTIONS),
        ((9, 0, 3), decide.EXCEPTIONS),
        ((8, 4, 0), decide.FAILS),
        ((0, 3, 9), decide.FAILS),
        ((8, 2, 2), decide.UNDECIDED),
        ((0, 0, 12), decide.UNDECIDED),
        ((0, 0, 0), decide.UNDECIDED),
        ((1, 0, 0), decide.HOLDS),
        ((0, 1, 0), decide.FAILS),
    ],
)
def test_verdict_of_a_family(counts, expected):
    assert decide.conclude(decide.adjust(family(*counts))) == expected


def test_the_worst_part_decides():
    order = [decide.FAILS, decide.UNDECIDED, decide.EXCEPTIONS, decide.HOLDS]
    for i, verdict in enumerate(order):
        assert decide.worst(order[i:]) == verdict


@pytest.mark.parametrize(
    ("mean", "spread", "status"),
    [(0.0, 0.1, "supports"), (0.2, 0.1, "contradicts"), (0.0, 1.0, "open"), (0.05, 0.1, "open")],
)
def test_equivalence(mean, spread, status):
    finding = decide.within({}, decide.student(sample(mean, spread)), -0.05, 0.05)
    assert decide.adjust([finding])[0].status == status


def test_holm_makes_a_family_stricter_than_its_members():
    finding = decide.above({}, decide.student(sample(0.25)))
    assert decide.adjust([finding])[0].status == "supports"
    assert {f.status for f in decide.adjust([finding] * 12)} == {"open"}


def test_a_family_of_nothing_rarely_finds_something():
    """At most 2.5 % of families on each side; five standard errors for 400 families."""
    rng, families = np.random.default_rng(1), 400
    hits = 0
    for _ in range(families):
        tests = [decide.above({}, decide.student(rng.normal(size=20))) for _ in range(5)]
        hits += any(finding.status == "supports" for finding in decide.adjust(tests))
    assert hits / families < decide.LEVEL + 5 * math.sqrt(decide.LEVEL / families)


def test_tails_are_those_of_scipy():
    x = sample(0.3, n=25)
    for bound in (0.0, 0.3, 1.0):
        expected = [
            scipy.stats.ttest_1samp(x, bound, alternative=a).pvalue for a in ("greater", "less")
        ]
        assert decide.student(x).tails(bound) == pytest.approx(expected, rel=1e-9)
    for k in (0, 3, 40):
        for bound in (0.05, 0.5):
            expected = [
                scipy.stats.binomtest(k, 40, bound, alternative=a).pvalue
                for a in ("greater", "less")
            ]
            assert decide.proportion(k, 40).tails(bound) == pytest.approx(expected, rel=1e-9)


def test_a_bootstrap_agrees_with_students_interval_where_both_apply():
    x = sample(0.2, n=400)
    one, two = decide.bootstrap_mean(x), decide.student(x)
    error = (two.high - two.low) / 4
    # Quantiles of 4000 replicas have a standard error of about .04 standard deviations.
    assert abs(one.low - two.low) < 0.25 * error
    assert abs(one.high - two.high) < 0.25 * error


def test_a_contrast_is_the_slope_of_the_means():
    groups = [sample(2.0 * i, n=50, seed=i) for i in range(4)]
    found = decide.contrast(decide.slope_weights(range(4)), groups)
    assert found.value == pytest.approx(2.0)
    sems = [scipy.stats.sem(g) for g in groups]
    expected = math.sqrt(
        sum((w * s) ** 2 for w, s in zip(decide.slope_weights(range(4)), sems, strict=True))
    )
    assert (found.high - found.value) / scipy.stats.t.ppf(0.975, 49) == pytest.approx(expected)


def test_ties_and_rounding_speak_for_neither_side():
    for estimate in (decide.student(np.full(9, 1e-17)), decide.resampled(0.0, np.full(99, -1e-17))):
        assert decide.adjust([decide.above({}, estimate)])[0].status == "open"


def test_every_and_some():
    yes, no, nothing = family(1, 1, 1)
    status = {decide.adjust([decide.every({}, [yes, other])])[0].status for other in (no,)}
    assert status == {"contradicts"}
    assert decide.adjust([decide.every({}, [yes, yes])])[0].status == "supports"
    assert decide.adjust([decide.every({}, [yes, nothing])])[0].status == "open"
    assert decide.adjust([decide.some({}, [yes, no])])[0].status == "supports"
    assert decide.adjust([decide.some({}, [no, no])])[0].status == "contradicts"
    assert decide.adjust([decide.some({}, [no, nothing])])[0].status == "open"


def test_curves():
    trials = np.array([10, 100, 1_000, 10_000])
    gaps = np.array([[-1, -1, -1, 3], [1, 1, 1, 1], [-1, -1, -1, -1], [1, -1, 1, 1]], dtype=float)
    assert crossing(trials, gaps) == pytest.approx([3.25, 1.0, 4.0, 2.5])
    assert best([0.1, 0.2], np.array([[2.0, 1.0], [2.0, 3.5]])) == 0.1
    assert growth(np.full(9, 2.0), np.full(9, 20.0)).value == pytest.approx(10.0)


# --- all claims on planted bandits ----------------------------------------------------------------

STATISTICAL = sorted(set(CLAIM) - ALWAYS - {25, 26})
EXPECTED_RIGHT = {20: decide.UNDECIDED, 42: decide.UNDECIDED, 43: decide.EXCEPTIONS}  # 60 agents
EXPECTED_WRONG = {19: decide.UNDECIDED, 42: decide.UNDECIDED}
IN_NOISE = [1, 2, 7, 9, 16, 18, 23, 24, 27, 28, 34, 37, 39, 40, 41, 43, 44]  # one of every kind


@pytest.fixture(scope="module")
def right():
    return planted.PlantedEvidence(planted.sweeps(right=True))


@pytest.fixture(scope="module")
def wrong():
    return planted.PlantedEvidence(planted.sweeps(right=False))


@pytest.fixture(scope="module")
def noisy():
    return planted.PlantedEvidence(planted.sweeps(noise=30.0))


@pytest.mark.parametrize("number", STATISTICAL)
def test_a_bandit_in_which_the_paper_is_right(right, number):
    found = CLAIM[number].check(right)
    assert found.verdict == EXPECTED_RIGHT.get(number, decide.HOLDS), found.summary
    to_json([found])


@pytest.mark.parametrize("number", STATISTICAL)
def test_a_bandit_in_which_the_paper_is_wrong(wrong, number):
    found = CLAIM[number].check(wrong)
    assert found.verdict == EXPECTED_WRONG.get(number, decide.FAILS), found.summary
    assert found.exceptions or found.verdict == decide.UNDECIDED


@pytest.mark.parametrize("number", IN_NOISE)
def test_noise_leaves_a_claim_undecided(noisy, number):
    found = CLAIM[number].check(noisy)
    assert found.verdict == decide.UNDECIDED, found.summary
    to_json([found])


def test_sizes_that_only_many_agents_decide():
    many = planted.PlantedEvidence(planted.sweeps(right=True, agents=planted.AGENTS))
    for name in ("figure-3", "figure-4", "figure-5", "figure-6"):
        stub = many.sweeps[name]
        stub.agents, stub.noise = 1_000, 0.01
        formula = stub.formula
        stub.formula = lambda cell, t, formula=formula: np.resize(formula(cell, t), 1_000)
    many.sweeps["figure-3"].noise = 0.0
    assert CLAIM[20].check(many).verdict == decide.HOLDS
    assert CLAIM[42].check(many).verdict == decide.HOLDS
    many.sweeps["figure-4"].noise = 0.5
    assert CLAIM[42].check(planted.PlantedEvidence(many.sweeps)).verdict == decide.FAILS


def test_exceptions_are_named():
    sweeps_ = planted.sweeps(right=True)
    formula = sweeps_["figure-4"].formula

    def spoiled(cell, trial):
        worse = (
            3.0 if cell["policy"] == "A-AI" and (cell["arms"], cell["rho"]) == (80, 0.04) else 1.0
        )
        return worse * formula(cell, trial)

    sweeps_["figure-4"].formula = spoiled
    found = CLAIM[27].check(planted.PlantedEvidence(sweeps_))
    assert found.verdict == decide.EXCEPTIONS
    assert len(found.exceptions) == 2
    assert all("K = 80" in name and "rho = 0.04" in name for name in found.exceptions)


def test_a_short_run_says_what_is_missing(right):
    short = planted.PlantedEvidence(dict(right.sweeps))
    old = right.sweeps["figure-2"]
    short.sweeps["figure-2"] = planted.Planted(old.conditions, [100, 1_000], old.formula)
    found = CLAIM[1].check(short)
    assert found.verdict == decide.UNDECIDED
    assert "10000 trials and this run has 1000" in found.summary


def test_every_measure_has_its_part(right):
    for claim in CLAIMS:
        if claim.number not in (25, 26, 45):
            assert len(claim.check(right).numbers["parts"]) == len(claim.measure)


@pytest.mark.parametrize("number", STATISTICAL)
def test_a_claim_without_its_sweep_says_which_one_is_missing(number):
    found = CLAIM[number].check(planted.PlantedEvidence({}))
    assert found.verdict == decide.UNDECIDED
    assert found.summary == f"Undecided: the sweep {CLAIM[number].sweep[0]} was not run."


@pytest.mark.parametrize("number", STATISTICAL)
def test_the_first_cell_of_a_sweep_decides_nothing_and_breaks_nothing(right, number):
    begun = {
        name: planted.Planted(whole.conditions[:1], whole.trials, whole.formula)
        for name, whole in right.sweeps.items()
    }
    found = CLAIM[number].check(planted.PlantedEvidence(begun))
    assert found.verdict == decide.UNDECIDED
    assert found.summary.startswith("Undecided: ")


def test_a_coarse_grid_says_what_is_missing(right):
    coarse, old = planted.PlantedEvidence(dict(right.sweeps)), right.sweeps["figure-2"]
    kept = [cell for cell in old.conditions if cell["lam"] in planted.FINE[::2]]
    coarse.sweeps["figure-2"] = planted.Planted(kept, old.trials, old.formula)
    found = CLAIM[4].check(coarse)
    assert found.verdict == decide.UNDECIDED
    assert found.summary.startswith("Undecided: the grid of lam has step 0.1, not 0.05. So far: ")


def test_a_report_that_simulates_nothing_leaves_claim_45_open(tmp_path):
    found = CLAIM[45].check(Evidence(tmp_path, simulates=False))
    assert found.verdict == decide.UNDECIDED
    assert "simulates nothing" in found.summary


@pytest.mark.parametrize(("speed", "expected"), [(1.0, decide.HOLDS), (5.0, decide.FAILS)])
def test_times(speed, expected):
    rows = [{"policy": p, "arms": k, "ms": 1.0 + k / 10} for p in OTHERS for k in planted.ARMS]
    rows += [{"policy": p, "arms": k, "ms": 0.9 * speed} for p in ("A-AI",) for k in planted.ARMS]
    rows += [{"policy": "UCB", "arms": k, "ms": 0.9} for k in planted.ARMS]
    evidence = planted.PlantedEvidence({}, pandas.DataFrame(rows))
    assert CLAIM[25].check(evidence).verdict == expected
    assert CLAIM[26].check(evidence).verdict == decide.HOLDS


# --- analytic claims -----------------------------------------------------------------------------


@pytest.mark.parametrize("rho", [0.0, 0.02])
@pytest.mark.parametrize(("alpha", "beta"), [(1, 1), (3.5, 1), (2, 60), (500, 400)])
def test_exact_gain_is_that_of_mpmath(alpha, beta, rho):
    with mpmath.workdps(40):
        a, b, r = mpmath.mpf(alpha), mpmath.mpf(beta), mpmath.mpf(rho)
        nu, psi = a + b, mpmath.digamma
        mean = a / nu + r * (mpmath.mpf(1) / 2 - a / nu)
        settled = psi(nu + 1) - (a * psi(a + 1) + b * psi(b + 1)) / nu
        entropy = -mean * mpmath.log(mean) - (1 - mean) * mpmath.log(1 - mean)
        expected = float(entropy - (1 - r) * settled - r / 2)
    # Four digammas, each with the 2.5e-14 of its truncated series near x = 6.
    assert analytic.exact_gain(alpha, beta, rho) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("x", [0.5, 1.0, 7.0, 300.0])
def test_binet_h_is_positive_and_falls(x):
    """The step of the proof of claim 10: h(x) = ln x + 1/(2x) - psi(x + 1) as an integral."""
    with mpmath.workdps(25):
        integral = 2 * mpmath.quad(
            lambda s: s / ((s * s + x * x) * mpmath.expm1(2 * mpmath.pi * s)), [0, 1, 4, 20]
        )
        closed = mpmath.log(x) + mpmath.mpf(1) / (2 * x) - mpmath.digamma(x + 1)
        later = mpmath.log(2 * x) + mpmath.mpf(1) / (4 * x) - mpmath.digamma(2 * x + 1)
    assert float(integral) == pytest.approx(float(closed), rel=1e-12)
    assert closed > later > 0


@pytest.mark.parametrize(("alpha", "beta"), [(1, 1), (1.5, 4), (40, 3), (200, 180)])
def test_free_energy_is_that_of_scipys_quadrature(alpha, beta):
    rho, lam = 0.02, 0.3

    def expect(f):
        def integrand(x):
            density = (1 - rho) * scipy.stats.beta.pdf(x, alpha, beta) + rho
            return f(x) * density

        centre = alpha / (alpha + beta)
        return scipy.integrate.quad(integrand, 0, 1, points=[centre], epsabs=1e-13, limit=200)[0]

    mean = expect(lambda x: x)
    likes = 1 / (1 + math.exp(-2 * lam))
    risk = mean * math.log(mean / likes) + (1 - mean) * math.log((1 - mean) / (1 - likes))
    ambiguity = expect(lambda x: -scipy.special.xlogy(x, x) - scipy.special.xlogy(1 - x, 1 - x))
    assert analytic.free_energy(alpha, beta, rho, lam) == pytest.approx(risk + ambiguity, abs=1e-9)


def test_analytic_claims_need_no_run(tmp_path):
    verdicts = {v.number: v for v in run_claims(Evidence(tmp_path))}
    decided = {number for number, v in verdicts.items() if v.verdict != decide.UNDECIDED}
    assert decided == ALWAYS
    assert {n: verdicts[n].verdict for n in ALWAYS} == dict.fromkeys(ALWAYS, decide.HOLDS) | {
        11: decide.FAILS,
        12: decide.FAILS,
    }
    assert all(v.summary for v in verdicts.values())


@pytest.mark.parametrize("trial", [1, 2, 5, 1_000, 10**6])
def test_claim_44_is_about_preferences_that_fade_as_the_logarithm(trial):
    """lam_t = c / ln(t + e - 1), on the cells that the claim reads."""
    cells = bundled_cells("claim-44", "paper")
    assert {(cell.horizon, cell.agents, cell.seed) for cell in cells} == {(10**6, 200, 3)}
    for cell in cells:
        policy = cell.agent.policy
        lam = policy.prepare(trial, 10, Assumed(0.0, 1.0, 1.0), None)
        assert lam == pytest.approx(policy.lam / math.log(trial + math.e - 1.0), rel=1e-15)
        score = policy.score(lam, 0, 3.0, 2.0, None)
        assert score == pytest.approx(2.0 * lam * 0.6 + 0.1, rel=1e-15)


# --- stores, sweeps, imports ---------------------------------------------------------------------


def test_a_partial_store_leaves_claims_undecided(tmp_path):
    store = Store(tmp_path)
    cells = bundled_cells("claim-22", "quick")
    store.write(cells[0], cells[0].run())
    store.write(cells[1], cells[1].run())
    store.path(cells[1]).write_bytes(b"not a result")
    evidence = Evidence(store, "quick")
    assert len(evidence.results("claim-22").cells) == 2
    assert evidence.results("figure-3") is None
    verdicts = [claim.check(evidence) for claim in CLAIMS if claim.number not in ALWAYS]
    assert {v.verdict for v in verdicts} == {decide.UNDECIDED}
    read = json.loads(to_json(verdicts))
    assert len(read) == 45 - len(ALWAYS)
    assert set(read[0]) == {
        "number",
        "title",
        "statement",
        "figure",
        "verdict",
        "summary",
        "numbers",
        "exceptions",
    }


def test_extra_sweeps_are_small_and_at_the_sizes_of_a_profile():
    names = [name for name in bundled_names() if name.startswith("claim-")]
    assert names == ["claim-22", "claim-34", "claim-41", "claim-44"]
    quick, paper = (
        {name: bundled_cells(name, profile) for name in names} for profile in ("quick", "paper")
    )
    assert sum(cell.work for cells in quick.values() for cell in cells) < 10**7
    assert sum(cell.work for cells in paper.values() for cell in cells) < 3 * 10**9
    names = [cell.name for cells in paper.values() for cell in cells]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("module", ["armwise", "armwise.paper.claims"])
def test_importing_does_not_load_xarray_or_pandas(module):
    code = f"import sys, {module}; assert not {{'xarray', 'pandas', 'scipy'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
