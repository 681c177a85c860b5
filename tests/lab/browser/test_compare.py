"""Compare: two agents in the very same bandit, and many copies of both."""

from xml.etree import ElementTree

import numpy as np
import pytest
import xarray

import armwise as aw

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = playwright.expect

BANDIT = aw.SwitchingBandit(arms=5, epsilon=0.45, rho=0.015, p=0.3)
SMILE = aw.Smile(rho=0.015)
AGENTS = {
    "G-AI": aw.Agent(aw.ExactActiveInference(lam=0.5), SMILE),
    "O-TS": aw.Agent(aw.OptimisticThompsonSampling(), SMILE),
}


@pytest.fixture
def compare(opened, address):
    page = opened(address + "#room=compare")
    page.drawn("traced compare")
    return page


def test_the_next_difference_is_the_first_trial_in_which_the_arms_differ(compare):
    one, two = (
        aw.trace(BANDIT, agent, 500, seed=1, device="python").chosen.values
        for agent in AGENTS.values()
    )
    apart = [trial for trial, (a, b) in enumerate(zip(one, two, strict=True), 1) if a != b]
    page = compare
    expect(page.status(f"They choose different arms in {len(apart)} of 500 trials")).to_be_visible()
    page.get_by_role("button", name="next difference").click()
    first = next(trial for trial in apart if trial > 1)
    assert page.evaluate("lab.current.time.trial") == first
    page.keyboard.press("d")
    assert page.evaluate("lab.current.time.trial") == next(t for t in apart if t > first)


def test_another_agent_b_leaves_a_and_the_bandit_as_they_are(compare):
    page = compare
    before = page.evaluate("Array.from(lab.current.traces[0].chosen)")
    drawn = page.count("traced compare")
    page.get_by_label("Policy B").select_option("ucb")
    page.until("lab.current.traces[1].agent.startsWith('ucb')")
    page.drawn("traced compare", drawn)
    assert page.evaluate("Array.from(lab.current.traces[0].chosen)") == before
    thetas = page.evaluate("lab.current.traces.map(t => Array.from(t.theta))")
    assert thetas[0] == thetas[1]


def run(page, copies, trials):
    page.get_by_label("copies", exact=True).fill(str(copies))
    page.get_by_label("trials of each").fill(str(trials))
    page.get_by_label("trials of each").blur()
    page.get_by_role("button", name="Run the copies").click()


def test_copies_grow_and_end_at_the_paired_interval_of_python(compare):
    page = compare
    run(page, 400, 300)
    page.until("lab.current.copies.last?.header.over", 120)
    results = {name: aw.simulate(BANDIT, agent, 300, 400, 1) for name, agent in AGENTS.items()}
    [pair] = aw.regret.paired(results)
    header = page.evaluate("lab.current.copies.last.header")
    assert header["done"] == 400
    [shown] = header["pairs"]
    for name in ("difference", "low", "high"):
        assert shown[name] == pytest.approx(getattr(pair, name), rel=1e-9, abs=1e-9)
    for last in header["last"]:
        mean = float(results[last["label"]].regret[:, -1].mean())
        assert last["mean"] == pytest.approx(mean, rel=1e-9)
    words = f"{pair.first} − {pair.second}: {pair.difference:+.1f} regret".replace("-0", "−0")
    assert page.status("400 of 400 copies").inner_text().count("regret") == 1, words
    with page.expect_download() as found:
        page.get_by_role("region", name="Many copies").get_by_role("button", name="netCDF").click()
    saved = xarray.load_dataset(found.value.path(), engine="scipy")
    for label in saved.policy.values:
        expected = results[str(label)].regret
        np.testing.assert_array_equal(saved["last"].sel(policy=label), expected[:, -1])
        mean = saved["mean"].sel(policy=label)
        np.testing.assert_allclose(mean, expected.mean("agent"), rtol=1e-12, atol=1e-12)
    with page.expect_download() as found:
        page.get_by_role("region", name="Many copies").get_by_role("button", name="SVG").click()
    drawn = ElementTree.parse(found.value.path()).getroot().findall("{*}path")
    assert len(drawn) == 2 + 2 * 3  # a band, a line and two edges for each agent
    pictures = page.evaluate("lab.notes.copies")
    assert pictures == sorted(pictures)
    assert pictures[-1] == 400


def test_stop_stops(compare):
    page = compare
    run(page, 100_000, 2000)
    page.until("lab.current.copies.pictures > 1", 120)
    page.get_by_role("button", name="Stop").click()
    expect(page.status("Stopped.")).to_be_visible()
    stood = page.evaluate("lab.current.copies.last.header.done")
    page.wait_for_timeout(500)
    assert page.evaluate("lab.current.copies.last.header.done") == stood < 100_000
    expect(page.get_by_role("button", name="Run the copies")).to_be_enabled()
