"""Watch and Results: what other programs write, as it happens."""

import re

import pytest

import armwise as aw

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = playwright.expect

AGENT = aw.Agent(aw.ThompsonSampling(), aw.Smile(rho=0.01))
SWEEP = """
horizon = 200
seed = 3
agents = 5
[[bandit]]
name = "stationary"
arms = 3
[[agent]]
policy = { name = "rc" }
[[agent]]
policy = { name = "ucb" }
"""


def play(player, trials):
    for trial in range(trials):
        ticket = player.choose()
        if trial % 4:
            player.observe(ticket, trial % 3 == 0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("watched")
    with AGENT.open(made / "player.db", ["red", "green", "blue"], seed=5) as player:
        play(player, 20)
    computed(made, "store", SWEEP)
    return made


def computed(folder, name, text):
    """A store in which a sweep was run."""
    (folder / f"{name}.toml").write_text(text)
    sweep, store = aw.Sweep.read(folder / f"{name}.toml"), aw.Store(folder / name)
    store.remember(name, sweep.definition(), None)
    aw.run(sweep.cells(), store, device="python")


@pytest.fixture(scope="module")
def changing(lab, folder):
    """A lab with a BOCPD player whose best arm becomes the worst, and a sweep of two bandits."""
    with aw.BOCPD(rho=0.01).open(folder / "bocpd.db", ["red", "green"], seed=5) as player:
        for trial in range(120):
            ticket = player.choose()
            player.observe(ticket, int(((ticket.arm == "red") == (trial < 60)) and trial % 10 > 0))
    two = SWEEP.replace("[[agent]]", '[[bandit]]\nname = "switching"\narms = 4\n[[agent]]', 1)
    computed(folder, "board", two)
    return lab("--watch", "bocpd.db", "--store", "board", cwd=folder)


@pytest.fixture(scope="module")
def watching(lab, folder):
    return lab("--watch", "player.db", "--store", "store", cwd=folder)


def test_a_live_player_is_seen_with_its_beliefs_and_audited(opened, watching, folder, axe):
    page = opened(watching)
    expect(page.get_by_role("heading", name="Watch a player")).to_be_visible()
    with AGENT.open(folder / "player.db", ["red", "green", "blue"], seed=5) as player:
        play(player, 40)
        beliefs, waiting = player.beliefs(), player.open
    expect(page.get_by_role("definition").nth(0)).to_have_text("60", timeout=30_000)
    for arm, (alpha, beta) in beliefs.items():
        row = page.get_by_role("row").filter(has_text=arm)
        expect(row).to_contain_text(f"Be({alpha:.1f}, {beta:.1f})")
    shown = ", ".join(map(str, waiting))
    expect(page.get_by_text(f"which wait for their outcomes: {shown}.")).to_be_visible()
    expect(page.status("60 choices recomputed; each is")).to_be_visible(timeout=30_000)
    assert axe(page) == []


def test_a_cell_of_a_store_opens_in_explore(opened, watching, axe):
    page = opened(watching + "#room=results")
    expect(page.get_by_role("progressbar", name="2 of 2 cells")).to_be_visible()
    expect(page.get_by_role("cell", name="Explore")).to_have_count(2)
    page.drawn("curves")
    expect(page.get_by_role("img", name="regret, last values: UCB")).to_be_visible()
    with page.expect_download() as found:
        page.get_by_role("button", name="SVG").click()
    assert found.value.path().read_bytes().startswith(b"<svg")
    assert axe(page) == []
    page.get_by_role("button", name="Explore ucb").click()
    page.drawn()
    trace = page.evaluate("lab.current.view.trace.agent")
    assert trace.startswith("ucb")
    bandit, agent = aw.StationaryBandit(arms=3), aw.Agent(aw.UCB())
    expected = aw.trace(bandit, agent, 200, seed=3, device="python").chosen.values.tolist()
    assert page.evaluate("Array.from(lab.current.view.trace.chosen)") == expected


def test_a_board_of_several_bandits_opens_its_cells(opened, changing, axe):
    """Each bandit is a column, each agent a row whatever it was given; the least regret is bold."""
    page = opened(changing + "#room=results")
    page.drawn("curves")
    matrix = page.get_by_role("region", name="All agents in all bandits")
    heads = matrix.get_by_role("columnheader").all_inner_texts()
    assert heads == ["agent", "to the least", "stationary", "switching"]
    rows = [row.inner_text().split() for row in matrix.get_by_role("row").all()[1:]]
    assert rows[0][:3] == ["UCB", "×", "1.00"]
    assert [row[0] for row in rows] == ["UCB", "RC"]
    for column in (2, 3):
        regrets = [float(row[column + 1]) for row in rows]  # "×" is a word of its own
        best = matrix.locator(f"tr > :nth-child({column + 1}) .best")
        assert float(best.inner_text()) == min(regrets)
    fits_everywhere(page, axe)
    page.get_by_label("Bandit", exact=True).focus()
    page.get_by_label("Bandit", exact=True).select_option(index=1)
    page.until("lab.current.figure.header.bandit.startsWith('switching')")
    expect(page.get_by_label("Bandit", exact=True)).to_be_focused()  # though all was drawn anew
    matrix.get_by_role("button", name=": explore UCB in switching").click()
    page.drawn()
    assert page.evaluate("lab.current.view.trace.bandit").startswith("switching:arms=4")


def fits_everywhere(page, axe):
    """Nobody is kept out, and nothing sticks out, on a phone either."""
    assert axe(page) == []
    page.set_viewport_size({"width": 375, "height": 800})
    assert axe(page) == []
    page.set_viewport_size({"width": 320, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.set_viewport_size({"width": 1280, "height": 900})


def test_a_suspected_change_is_marked_in_the_picture(opened, changing, axe):
    page = opened(changing + "#room=watch")
    picture = page.get_by_role("img", name="Beliefs about 2 arms over 120 trials.")
    expect(picture).to_have_attribute(
        "aria-label", re.compile(r"It suspected a change at choices? \d+")
    )
    places = page.evaluate("lab.current.header.suspected")
    assert 60 < min(places) < 90
    expect(page.get_by_role("img", name="Probability of a change within 20")).to_be_visible()
    fits_everywhere(page, axe)
