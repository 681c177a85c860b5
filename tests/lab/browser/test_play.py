"""Play and a task, by keys, clicks and a simulated participant; nothing hidden comes too early."""

import csv
import io
import json
import math
import struct
import subprocess

import pytest

import armwise as aw

from .conftest import ARMWISE

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = playwright.expect

KEYS = "QWERT"
TASK = """
title = "Two slot machines"
consent = "I take part **freely**. [About us](https://example.org)"
instructions = ["Choose a machine.", "Collect points."]
thanks = "Thank you!"
feedback_ms = 0
pause_ms = 0
timeout_ms = {timeout}
[[block]]
bandit = {{ name = "fixed", thetas = [0.8, 0.2] }}
trials = 3
practice = true
[[block]]
name = "The game"
bandit = {{ name = "switching", arms = 3, epsilon = 0.6, rho = 0.02, p = 0.2 }}
trials = {trials}
seed = 5
keys = ["F", "J", "K"]
labels = ["left", "middle", "right"]
"""


def listen(page, messages):
    """Everything that the lab says to this page."""
    page.on("websocket", lambda ws: ws.on("framereceived", lambda frame: messages.append(frame)))


def begun(opened, address, trials, seed=3):
    page = opened(address + "#room=play")
    page.get_by_label("trials").fill(str(trials))
    page.get_by_label("seed").fill(str(seed))
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector(".pad")
    return page


def next_trial(page):
    """Waits until the board is open; feedback is cut short, as a hasty person may."""
    page.until(
        "lab.current.board.open || (lab.current.board.hasty && lab.current.board.skip?.())"
        " || !document.querySelector('.board')"
    )


def arm_of(trial):
    """A scripted person: tries all arms, then prefers one, with whims."""
    return trial % 5 if trial < 10 or trial % 7 == 0 else 2


@pytest.fixture
def played(opened, address):
    page = begun(opened, address, 60)
    for trial in range(60):
        next_trial(page)
        page.keyboard.press(KEYS[arm_of(trial)] if trial % 3 else str(arm_of(trial)))
    page.drawn("revealed")
    return page


def test_the_choices_of_a_person_are_those_that_every_agent_scores(played, axe):
    page = played
    assert axe(page) == []
    with page.expect_download() as found:
        page.get_by_role("link", name="Save the choices").click()
    rows = list(csv.DictReader(io.StringIO(found.value.path().read_text())))
    choices = [int(row["choice"]) for row in rows]
    outcomes = [int(row["outcome"]) for row in rows]
    assert choices == [arm_of(trial) for trial in range(60)]
    shown = page.get_by_role("region", name="You and the agents").locator("tbody tr")
    labels = [row.get_by_role("rowheader").inner_text() for row in shown.all()]
    assert labels[0] == "you"
    rc = shown.nth(labels.index("RC")).get_by_role("cell").all_inner_texts()
    assert float(rc[1].replace("−", "-")) == pytest.approx(-60 * math.log(5), abs=5e-3)
    a_ai = shown.nth(labels.index("A-AI")).get_by_role("cell").all_inner_texts()
    precision = float(a_ai[-1].split("precision=")[1])  # four digits are shown
    agent = aw.Agent(
        aw.ApproximateActiveInference(), aw.Smile(rho=0.015), aw.Softmax(precision=precision)
    )
    expected = aw.replay(agent, choices, outcomes, arms=5, device="python")
    assert float(a_ai[1].replace("−", "-")) == pytest.approx(expected, abs=1e-2)
    agents_are_fitted(page, choices, outcomes)
    bandit = aw.SwitchingBandit(arms=5, epsilon=0.45, rho=0.015, p=0.3)
    own = aw.trace(bandit, aw.Agent(aw.RandomChoice()), 60, seed=3, device="python").theta.values
    regret = sum(max(theta) - theta[arm] for theta, arm in zip(own, choices, strict=True))
    expect(shown.first.get_by_role("cell").first).to_have_text(f"{regret:.1f}")
    open_in_explore(page, own)


def agents_are_fitted(page, choices, outcomes):
    """Each with its evidence, the best first, and never without trials and nats."""
    page.drawn("fitted")
    expect(page.status("60 trials. Your choices are most probable under")).to_contain_text("nats")
    fitted = page.get_by_role("region", name="Agents fitted to your choices").locator("tbody tr")
    labels = [row.get_by_role("rowheader").inner_text() for row in fitted.all()]
    assert set(labels) == {"RW", "RW + habit", "A-AI", "G-AI", "B-UCB", "random choice"}
    cells = [row.get_by_role("cell").all_inner_texts() for row in fitted.all()]
    evidence = [float(row[0].replace("−", "-")) for row in cells]
    assert evidence == sorted(evidence, reverse=True)
    data = aw.load_choices([(choices, outcomes)], arms=5)
    agent = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(), aw.Softmax())
    [expected] = aw.fit(agent, data, ["rate", "precision"]).log_evidence()
    assert evidence[labels.index("RW")] == pytest.approx(expected, abs=0.06)
    assert evidence[labels.index("random choice")] == pytest.approx(-60 * math.log(5), abs=0.06)


def open_in_explore(page, theta):
    page.get_by_role("button", name="Open in Explore").click()
    page.drawn()
    values = page.evaluate("lab.settings.values")
    assert (values["seed"], values["number"], values["horizon"]) == (3, 0, 60)
    shown = page.evaluate("Array.from(lab.current.view.trace.theta)")
    assert shown == pytest.approx(theta.ravel().tolist(), rel=1e-6)


def test_no_theta_reaches_the_page_before_the_end(opened, address):
    messages = []
    page = opened(address + "#room=results")
    listen(page, messages)
    page.reload()
    page.goto(address + "#room=play")
    page.get_by_label("trials").fill("8")
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector(".pad")
    for _ in range(7):
        next_trial(page)
        page.locator(".pad").nth(1).click()
    next_trial(page)
    assert len(messages) >= 7
    for message in messages:  # words and outcomes only: no array, no theta, no seed
        told = json.loads(message)
        assert not {"theta", "seed", "rho", "p", "epsilon"} & set(told)
        assert "theta" not in message
    page.locator(".pad").nth(0).click()
    page.drawn("revealed")
    last = next(message for message in messages if isinstance(message, bytes))
    [size] = struct.unpack_from("<I", last)
    assert "theta" in [name for name, _ in json.loads(last[4 : 4 + size])["arrays"]]


def test_a_reload_goes_on_where_it_was(opened, address, axe):
    page = begun(opened, address, 10)
    assert axe(page) == []
    for _ in range(4):
        next_trial(page)
        page.keyboard.press("w")
    expect(page.status("trial 5 of 10")).to_be_visible()
    page.reload()
    expect(page.status("trial 5 of 10")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("w")
    expect(page.get_by_text("Paused.")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="End now").click()
    page.drawn("revealed")
    expect(page.get_by_text("4 trials,", exact=False).first).to_be_visible()


def consented(opened, address):
    page = opened(address)
    expect(page.get_by_role("heading", name="Two slot machines")).to_be_visible()
    expect(page.get_by_role("navigation")).to_be_hidden()  # participants see their task alone
    expect(page.get_by_role("link", name="About us")).to_have_attribute(
        "href", "https://example.org"
    )
    expect(page.get_by_role("button", name="Begin")).to_be_disabled()
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Begin").click()
    for _ in range(2):
        page.get_by_role("button", name="Go on").click()
    return page


SMILE, SOFT = aw.Smile(rho=0.02), aw.Softmax(precision=12)


def take_part(page, seed, trials):
    """A player of armwise sits before the page; it reloads once, and goes on."""
    page.get_by_role("button", name="Start the block").click()
    for _ in range(3):
        next_trial(page)
        page.keyboard.press("q")
    expect(page.get_by_role("heading", name="The game")).to_be_visible()
    page.reload()
    page.get_by_role("button", name="Go on").click()
    agent = aw.Agent(aw.ApproximateActiveInference(lam=0.5), SMILE, SOFT)
    player = agent.start(["f", "j", "k"], seed=seed)
    for trial in range(trials):
        next_trial(page)
        ticket = player.choose()
        page.keyboard.press(ticket.arm)
        page.until(
            f"lab.current.board.place.trial > {trial + 1} || document.querySelector('#code')"
        )
        player.observe(ticket, page.evaluate("lab.current.board.last"))
    return page.locator("#code").inner_text()


def test_three_participants_are_one_file_that_fit_reads(opened, lab, tmp_path_factory):
    """They are simulated; afterwards their own agent explains their choices best."""
    folder = tmp_path_factory.mktemp("task")
    (folder / "task.toml").write_text(TASK.format(timeout=0, trials=30))
    address = lab("task.toml", "--data", "data", cwd=folder)
    codes = [take_part(consented(opened, address), seed, 30) for seed in (1, 2, 3)]
    assert len(set(codes)) == 3
    data = aw.load_choices(folder / "data" / "choices.csv", where={"practice": 0}, arms=3)
    assert (len(data.subjects), len(data.frame)) == (3, 90)
    likelihood = {}
    for name, policy in {
        "own": aw.ApproximateActiveInference(lam=0.5),
        "indifferent": aw.ApproximateActiveInference(lam=0.0),
        "random": aw.RandomChoice(),
    }.items():
        agent = aw.Agent(policy, SMILE, SOFT)
        likelihood[name] = sum(
            aw.replay(agent, *(list(map(int, rows[name])) for name in ("choice", "outcome")), 3)
            for _, rows in data.frame.groupby("subject")
        )
    assert max(likelihood, key=likelihood.get) == "own"
    command = [*ARMWISE, "fit", "data/choices.csv", "--where", "practice=0", "--arms", "3"]
    command += ["--policy", "mean", "--learner", "rw", "--free", "rate", "--free", "precision"]
    done = subprocess.run(
        [*command, "--method", "eb"], cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "90 choices of 3 people" in done.stdout


def test_who_is_too_slow_is_written_down_as_no_choice(opened, lab, axe, tmp_path_factory):
    folder = tmp_path_factory.mktemp("slow")
    (folder / "task.toml").write_text(TASK.format(timeout=150, trials=2))
    page = consented(opened, lab("task.toml", "--data", "data", cwd=folder))
    for _ in range(2):
        page.get_by_role("button", name="Start the block").click()
        page.until("!document.querySelector('.board')")
    expect(page.locator("#code")).to_be_visible()
    assert axe(page) == []
    rows = list(csv.DictReader((folder / "data" / "choices.csv").open()))
    assert [(row["choice"], row["timeout"]) for row in rows] == [("", "1")] * 5
