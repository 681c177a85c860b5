"""Explore, as a person uses it: what is clicked, and what must then be seen."""

import csv
import io
import json
import re
import shlex
import subprocess
import sys
from urllib.parse import parse_qs, quote, urlsplit
from xml.etree import ElementTree

import numpy as np
import pytest
import xarray
from PIL import Image

import armwise as aw

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = playwright.expect

BANDIT = aw.SwitchingBandit(arms=5, epsilon=0.45, rho=0.015, p=0.3)
AGENT = aw.Agent(aw.ExactActiveInference(lam=0.5), aw.Smile(rho=0.015))
TRACE = "lab.current.view.trace"
TRIAL = "lab.settings.values.trial"


@pytest.fixture(scope="module")
def truth():
    return aw.trace(BANDIT, AGENT, 500, seed=1, number=0, device="python")


def test_it_opens_with_the_first_trial_in_words(explore):
    expect(explore.status("Trial 1: arm")).to_be_visible()
    expect(explore.locator("#link")).to_have_text("connected")


def test_the_numbers_are_those_of_python(explore, truth):
    page = explore
    for name in ("chosen", "outcome"):
        assert page.evaluate(f"Array.from({TRACE}.{name})") == truth[name].values.tolist()
    page.evaluate("lab.current.jump(205)")
    page.get_by_text("Numbers of this trial").click()
    shown = page.get_by_role("row").filter(has_text="▸")
    arm = int(truth.chosen[204])
    expect(shown.get_by_role("rowheader")).to_have_text(f"{arm} ▸")
    heads = page.get_by_role("columnheader").all_inner_texts()[1:]
    cells = dict(zip(heads, shown.get_by_role("cell").all_inner_texts(), strict=True))
    assert {"alpha", "beta", "risk", "ambiguity", "extrinsic", "intrinsic", "score"} <= set(cells)
    for name, text in cells.items():  # three digits are shown
        assert float(text.replace("−", "-")) == pytest.approx(
            float(truth[name][204, arm]), abs=6e-4
        )


def test_buttons_keys_slider_and_picture_move_through_time(explore, truth):
    page = explore
    page.get_by_role("button", name="+1").click()
    assert page.evaluate(TRIAL) == 2
    page.locator("#stage").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    assert page.evaluate(TRIAL) == 13
    page.keyboard.press("n")
    theta = truth.theta.values
    moved = [t + 1 for t in range(1, 500) if (theta[t] != theta[t - 1]).any()]
    first = next(trial for trial in moved if trial > 13)
    assert page.evaluate(TRIAL) == first
    expect(page.status(f"Last change: trial {first}")).to_be_visible()
    page.keyboard.press("End")
    assert page.evaluate(TRIAL) == 500
    page.keyboard.press("p")
    assert page.evaluate(TRIAL) == max(trial for trial in moved if trial < 500)
    page.get_by_role("slider", name="trial").fill("42")
    assert page.evaluate(TRIAL) == 42
    box = page.locator("canvas.raster").bounding_box()
    left, right = 62, 56  # the gutters of raster.js
    page.mouse.click(box["x"] + left + (box["width"] - left - right) * 0.5, box["y"] + 40)
    assert abs(page.evaluate(TRIAL) - 251) <= 1


def test_the_cursor_stands_at_the_trial_in_every_picture_from_the_first_on(opened, address):
    """Also where the address names the trial, and after the picture was drawn anew."""
    page = opened(address + "#q=" + quote(json.dumps({"v": 1, "trial": 205})))
    page.drawn()
    left = "lab.current.view.suspicion.chart.cursor.left"
    place = "lab.current.view.suspicion.chart.valToPos(205, 'x')"
    for width in (1280, 900):
        page.set_viewport_size({"width": width, "height": 800})
        page.until(f"Math.abs({left} - {place}) < 1")
        page.wait_for_timeout(300)
        assert page.evaluate(f"Math.abs({left} - {place}) < 1")


def test_space_plays_and_pauses(explore):
    page = explore
    page.locator("#stage").focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_have_attribute("aria-pressed", "true")
    page.until(f"{TRIAL} > 4")
    page.keyboard.press("Space")
    stood = page.evaluate(TRIAL)
    page.wait_for_timeout(300)
    assert page.evaluate(TRIAL) == stood
    expect(page.status(f"Trial {stood}:")).to_be_visible()


def test_a_slider_changes_the_agent_not_the_bandit_and_the_address_keeps_it(explore, opened):
    page = explore
    before = page.evaluate(f"Array.from({TRACE}.score.slice(0, 5))")
    theta = page.evaluate(f"Array.from({TRACE}.theta)")
    page.slide(page.get_by_role("slider", name="lam"), 150)
    assert page.evaluate(f"Array.from({TRACE}.score.slice(0, 5))") != before
    assert page.evaluate(f"Array.from({TRACE}.theta)") == theta
    lam = page.evaluate("lab.settings.values.agent.policy.lam")
    agent = page.evaluate(f"{TRACE}.agent")
    assert f"g-ai:lam={lam}" in agent
    page.until(f"location.hash.includes('{lam}')")
    other = opened(page.url)
    other.drawn()
    assert other.evaluate(f"{TRACE}.agent") == agent
    settings = json.loads(parse_qs(urlsplit(page.url).fragment)["q"][0])
    assert settings["agent"]["policy"] == {"name": "g-ai", "lam": lam}


def test_another_policy_meets_the_same_bandit(explore):
    page = explore
    theta = page.evaluate(f"Array.from({TRACE}.theta)")
    before = page.count()
    page.get_by_label("Policy").select_option("ucb")
    page.drawn(more_than=before)
    assert page.evaluate(f"Array.from({TRACE}.theta)") == theta


def test_what_cannot_be_is_said_in_armwises_words_and_the_picture_stays_pale(explore):
    page = explore
    p = page.locator("input[data-parameter=p]")
    p.evaluate("e => { e.value = 180; e.dispatchEvent(new Event('input', { bubbles: true })) }")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("p + epsilon must be at most 1")
    expect(page.locator(".picture.stale canvas.raster")).to_be_visible()
    page.slide(p, 20)
    expect(alert).to_be_hidden()
    expect(page.locator(".picture.stale")).to_have_count(0)


def test_what_the_agent_is_given_can_be_unlinked_from_the_truth(explore):
    page = explore
    expect(page.get_by_text("The agent is given rho = 0.015.")).to_be_visible()
    rho = page.locator("#agent-learner ~ div input[data-parameter=rho]")
    expect(rho).to_be_disabled()
    before = page.count()
    page.get_by_role("button", name="given").click()
    page.drawn(more_than=before)
    page.slide(rho, 100)
    assumed = page.evaluate("lab.settings.values.agent.learner.rho")
    assert assumed != 0.015
    words = f"The agent assumes rho = {assumed}, the bandit has 0.015."
    expect(page.get_by_text(words)).to_be_visible()
    assert page.evaluate(f"{TRACE}.assumed.agent") == assumed


def test_the_parts_of_the_score_start_at_the_least_arm(explore):
    """What all arms share decides nothing: in every trial some arm has no first part."""
    page = explore
    for trial in (50, 205, 400):
        page.evaluate(f"lab.current.jump({trial})")
        rows = "[...document.querySelectorAll('svg.arms rect[style]')]"
        widths = page.evaluate(f"{rows}.map(e => Number(e.getAttribute('width')))")
        assert min(widths) == 0 < max(widths)


def copied(page, which):
    page.get_by_role("button", name=which, exact=True).click()
    expect(page.locator(".share pre")).to_be_visible()
    page.until("document.querySelector('.share output').value")
    return page.locator(".share pre").inner_text()


def test_what_is_copied_as_python_has_the_same_last_regret(explore, truth):
    regret = float(truth.regret[-1])
    code = copied(explore, "Python")
    names = {}
    exec(code, names)  # the page's own words
    results = [value for value in names.values() if type(value).__name__ == "Dataset"]
    assert any(float(found.regret.values.ravel()[-1]) == regret for found in results), code


def test_what_is_copied_as_a_command_has_the_same_last_regret(explore, truth, tmp_path):
    command = copied(explore, "command line")
    words = shlex.split(command.replace("\\\n", " "))
    assert words[0] == "armwise"
    done = subprocess.run(
        [sys.executable, "-c", "from armwise_command import main; main()", *words[1:]],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert f"{float(truth.regret[-1]):.2f}" in done.stdout
    assert re.search(r"armwise \S+", copied(explore, "citation"))


def test_numbers_and_pictures_are_saved(explore, truth):
    page = explore
    with page.expect_download() as found:
        page.get_by_role("button", name="CSV").click()
    rows = list(csv.DictReader(io.StringIO(found.value.path().read_text())))
    assert [int(row["arm"]) for row in rows] == truth.chosen.values.tolist()
    assert float(rows[204]["alpha_3"]) == pytest.approx(float(truth.alpha[204, 3]), rel=1e-6)
    with page.expect_download() as found:
        page.get_by_role("button", name="netCDF").click()
    saved = xarray.load_dataset(found.value.path(), engine="scipy")
    assert set(saved.data_vars) == set(truth.data_vars)
    for name in truth.data_vars:  # not a digit is lost
        np.testing.assert_array_equal(saved[name].values, truth[name].values)


@pytest.mark.parametrize("name", ["beliefs", "lines", "arms"])
def test_every_picture_is_saved_as_svg_and_png(explore, name):
    """The SVG stands alone and has the names of the arms or axes; the PNG is that SVG, drawn."""
    files = {}
    for kind in ("SVG", "PNG"):
        with explore.expect_download() as found:
            explore.get_by_role("button", name=f"{name} ({kind})").click()
        assert found.value.suggested_filename == f"{name}.{kind.lower()}"
        files[kind] = found.value.path()
    drawn = ElementTree.parse(files["SVG"]).getroot()
    words = {node.text for node in drawn.findall(".//{*}text")}
    assert words >= ({"γ", "regret"} if name == "lines" else {"arm 0"})
    whole = Image.open(files["PNG"]).convert("RGB")
    assert whole.size == tuple(2 * int(float(drawn.get(side))) for side in ("width", "height"))
    assert len(whole.getcolors(maxcolors=1 << 24)) > 10


def test_a_saved_raster_is_what_the_page_shows(explore):
    """Drawn at the page's own size, without the cursor, nearly every dot has the same colour."""
    with explore.expect_download() as found:
        explore.get_by_role("button", name="beliefs (SVG)").click()
    text = found.value.path().read_text()
    far = explore.evaluate(
        """async (text) => {
          const ground = lab.current.view.raster.ground, other = document.createElement("canvas");
          const image = new Image();
          image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
          await image.decode();
          [other.width, other.height] = [ground.width, ground.height];
          other.getContext("2d").drawImage(image, 0, 0);
          const dots = (canvas) => canvas.getContext("2d").getImageData(70, 12, 600, 100).data;
          const [one, two] = [dots(ground), dots(other)];
          return one.reduce((n, v, i) => n + (Math.abs(v - two[i]) > 40), 0) / one.length;
        }""",
        text,
    )
    assert far < 0.01


@pytest.mark.parametrize(
    "hash_", ["#room=nowhere&q=nonsense", "#q=" + quote('{"v":9,"bandit":7,"agent":{"policy":[]}}')]
)
def test_an_address_that_is_none_opens_the_teaching_bandit(opened, address, hash_):
    page = opened(address + hash_)
    page.drawn()
    expect(page.status("Trial 1: arm")).to_be_visible()


def test_a_cold_start_shows_a_picture_and_answers_while_kernels_compile(opened, lab, tmp_path):
    page = opened(lab(ARMWISE_CACHE_DIR=str(tmp_path / "cache")))
    page.drawn()
    expect(page.status("Trial 1: arm")).to_be_visible()
    assert page.evaluate(f"{TRACE}.engine") == "interpreted"
    expect(page.get_by_text("Kernels for this agent are being compiled")).to_be_visible()
    page.slide(page.get_by_role("slider", name="lam"), 100)
    expect(page.get_by_role("alert")).to_be_hidden()


def test_a_lost_lab_is_said_and_found_again(opened, address):
    page = opened(address)
    page.drawn()
    before = page.count()
    page.evaluate("lab.wire.socket.close()")
    page.until("lab.wire.ready")
    page.drawn(more_than=before)  # the address kept the settings, and they are asked again
    expect(page.locator("#link")).to_have_text("connected")


@pytest.mark.slow
@pytest.mark.parametrize("role", ["bandits", "policies", "learners", "choices", "actors"])
def test_every_component_can_be_chosen_and_drawn(opened, address, role):
    """Actors show choices and gamma, without beliefs."""
    page = opened(address + "#q=" + quote(json.dumps({"horizon": 30})))
    page.drawn()
    label = {"bandits": "Bandit", "learners": "Learner", "choices": "Choice"}.get(role, "Policy")
    for component in aw.catalogue()[role]:
        if "real" in component.values() or "normal" in component.values():
            continue  # the lab shows outcomes 0 and 1
        before = page.count()
        page.get_by_label(label, exact=True).select_option(component["name"])
        page.drawn(more_than=before)
        expect(page.get_by_role("alert")).to_be_hidden()
        words = page.evaluate(f"[{TRACE}.bandit, {TRACE}.agent].join(' ')")
        assert component["label"].lower() in words.lower()
        assert page.evaluate(f"Boolean({TRACE}.alpha)") == (role != "actors")
