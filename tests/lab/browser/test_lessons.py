"""Every lesson opens unanswered, and its slider can answer it."""

import re

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = playwright.expect

# A place of the slider that answers, found by looking; others do, too.
ANSWERS = {
    "belief": 400,
    "bonus": None,  # some trial, found in the trace below
    "low": 0.5,
    "high": 2,
    "stuck": 6,
    "change": 0.02,
    "varying": None,
    "anecdote": 2,
    "horizon": 2000,
    "given": 0.06,
}
SEARCHED = {
    "bonus": "t => t.chosen.findIndex((a, i) => t.extrinsic[i * t.K + a] <"
    " Math.max(...t.extrinsic.subarray(i * t.K, (i + 1) * t.K))) + 1",
    "varying": "t => t.changes.find(c => t.best[c - 1] === t.best[c - 2])",
}


# What a lesson says of the state in which it opens, beyond its question.
CLAIMS = {
    "low": "([t]) => { const n = Array(t.K).fill(0); t.chosen.forEach((a) => n[a]++);"
    " return Math.max(...n) - Math.min(...n) <= 1; }",
    "stuck": "([t]) => { const own = [...t.chosen.keys()].filter((i) => t.chosen[i] === t.best[i]);"
    " return own.length === 1 && t.outcome[own[0]] === 0; }",
    "change": "([t]) => t.changes[0] === 199",
    "anecdote": "([a, b]) => a.regret.at(-1) < b.regret.at(-1)",
    "horizon": "([h, ts]) => ts.regret.at(-1) < h.regret.at(-1)",
    "given": "([a, b]) => a.regret.at(-1) < b.regret.at(-1)",
}


def test_there_are_no_other_lessons(opened, address):
    page = opened(address + "#room=lessons")
    expect(page.locator(".cards a")).to_have_count(len(ANSWERS))
    page.locator(".cards a").first.click()
    expect(page.get_by_role("heading", name="1. What a belief is")).to_be_visible()


@pytest.mark.parametrize("lesson", ANSWERS)
def test_a_slider_answers(opened, address, lesson):
    page = opened(f"{address}#room=lessons&lesson={lesson}")
    page.drawn("lesson")
    panel = page.get_by_role("region", name="Lesson")
    expect(panel).to_have_attribute("data-solved", "false")
    if lesson in CLAIMS:
        traces = "lab.current.inner.traces ?? [lab.current.inner.view.trace]"
        assert page.evaluate(f"({CLAIMS[lesson]})({traces})")
    place = ANSWERS[lesson]
    if place is None:
        place = page.evaluate(f"({SEARCHED[lesson]})(lab.current.traces[0])")
    page.slide(page.locator("#lesson-slider"), place, "lesson")
    expect(panel).to_have_attribute("data-solved", "true", timeout=60_000)
    expect(panel.locator(".answer")).to_contain_text("Yes.")


def test_slider_answer_and_bars_are_seen_together_and_the_answer_stays(opened, address):
    """Who has found the trial looks at the next one, as the question asks."""
    page = opened(f"{address}#room=lessons&lesson=stuck", height=800)
    page.drawn("lesson")
    slider, answer = page.locator("#lesson-slider"), page.locator(".lesson .answer")
    page.slide(slider, 6, "lesson")
    expect(answer).to_contain_text("Yes. It failed once")
    page.slide(slider, 7, "lesson")
    expect(answer).to_have_text(re.compile("^It failed once"))
    page.slide(slider, 6, "lesson")
    for seen in (slider, answer, page.locator("svg.arms .chosen")):
        expect(seen).to_be_in_viewport(ratio=1)
