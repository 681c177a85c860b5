"""What holds in every room: nobody is kept out, nothing sticks out, no word is tiny."""

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = playwright.expect

ROOMS = {
    "explore": "traced explore",
    "compare": "traced compare",
    "play": None,
    "lessons&lesson=stuck": "lesson",
    "lessons": None,
    "watch": None,
    "results": None,
}


def entered(opened, address, room, width, **options):
    page = opened(f"{address}#room={room}", width=width, **options)
    if ROOMS[room]:
        page.drawn(ROOMS[room])
    else:
        page.until("document.querySelector('#stage h2')")
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    return page


SLOW = pytest.mark.slow  # the scheme and the width are independent
LOOKS = [(1280, "light"), (375, "dark")]
LOOKS += [pytest.param(1280, "dark", marks=SLOW), pytest.param(375, "light", marks=SLOW)]


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
@pytest.mark.parametrize("room", ROOMS)
def test_nobody_is_kept_out(opened, address, axe, room, width, scheme):
    page = entered(opened, address, room, width, color_scheme=scheme)
    assert axe(page) == []


@pytest.mark.parametrize("room", ROOMS)
def test_nothing_sticks_out_and_no_word_is_tiny(opened, address, room):
    """A picture that is scaled down scales its words, which axe does not see."""
    page = entered(opened, address, room, 1280)
    texts = "[...document.querySelectorAll('svg text')].filter(e => e.textContent)"
    for width in (768, 375, 320):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(100)  # pictures follow the width
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        heights = page.evaluate(f"{texts}.map(e => e.getBoundingClientRect().height)")
        assert min(heights, default=99) >= 11


def test_all_rooms_are_reached_with_the_keyboard_alone(explore):
    page = explore
    page.keyboard.press("Tab")
    focus = "document.activeElement.textContent"
    assert page.evaluate(focus) == "Skip to the picture"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "stage"
    page.locator("h1").click()
    for room in ("Explore", "Compare", "Play", "Lessons", "Watch", "Results"):
        link = page.get_by_role("navigation", name="Rooms").get_by_role("link", name=room)
        link.focus()
        page.keyboard.press("Enter")
        expect(link).to_have_attribute("aria-current", "page")
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"
    page.locator("#stage").focus()
    page.keyboard.press("2")
    expect(page.get_by_role("link", name="Compare")).to_have_attribute("aria-current", "page")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()


def test_every_control_of_explore_can_be_reached_by_tab(explore):
    page = explore
    wanted = page.evaluate(
        "[...document.querySelectorAll('button, select, input, a[href], summary')]"
        ".filter(e => e.checkVisibility() && !e.disabled).length"
    )
    page.evaluate("document.activeElement.blur()")
    reached = set()
    for _ in range(wanted + 5):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "(() => { const e = document.activeElement; return e === document.body ? '' :"
                " (e.dataset.reached ??= String(Math.max(0, ...[...document.querySelectorAll("
                "'[data-reached]')].map(o => Number(o.dataset.reached))) + 1)) })()"
            )
        )
    assert len(reached - {""}) >= wanted


def test_less_motion_is_kept_to(opened, address):
    page = opened(address, reduced_motion="reduce")
    page.drawn()
    moving = "[...document.querySelectorAll('*')].filter(e => getComputedStyle(e).animationName"
    assert page.evaluate(f"{moving} !== 'none').length") == 0
    assert not page.evaluate("lab.current.view.time.playing")
