"""Opens pages of the site as files in Chromium, and prints what is wrong with them as JSON.

A process of its own, because playwright keeps an event loop running in the one that it is used in.
`python looking.py CHROMIUM SITE PAGE...`
"""

import json
import re
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

# Words with a dollar outside of code and of drawn formulas, which hold their source, too.
DOLLARS = """() => {
  const walk = document.createTreeWalker(document.querySelector("article"), NodeFilter.SHOW_TEXT);
  const found = [];
  while (walk.nextNode()) {
    const { parentElement, data } = walk.currentNode;
    const left = parentElement.closest("code, pre, .katex, script, style");
    if (!left && /\\$[^ ]/.test(data)) found.push(data.trim().slice(0, 60));
  }
  return found;
}"""
SHOWN = """() => [...document.querySelectorAll("div.live")].every(({ shadowRoot: root }) =>
  root?.querySelector("canvas") && root.querySelector(".said").textContent.startsWith("Trial"))"""
OWN = ("file:", "data:", "blob:", "about:")


def looked_at(page, address, troubles):
    """What is wrong with one page, at one width."""
    page.goto(address.as_uri())
    if page.locator(".arithmatex").count():
        page.wait_for_function("document.documentElement.dataset.formulas === 'drawn'")
    if page.locator("div.live").count():
        page.wait_for_function(SHOWN)
    said = {
        "formulas": page.locator(".katex-error").count(),
        "undrawn": page.locator(".arithmatex:not(:has(.katex))").count(),
        "dollars": page.evaluate(DOLLARS),
        "wider": page.evaluate("document.documentElement.scrollWidth > innerWidth"),
        "troubles": troubles[:],
    }
    troubles.clear()
    return {name: value for name, value in said.items() if value}


def found_by_search(page, words):
    """Whether the search of a page finds words, without a server."""
    page.keyboard.press("Control+k")
    page.wait_for_timeout(300)  # the box opens with a movement
    page.keyboard.type(words)
    page.get_by_text(re.compile(r"^[1-9]\d* results?$")).wait_for()
    return True


def main(chromium, site, *names):
    """Every page at two widths and in both schemes."""
    wrong, root = {}, Path(site).resolve()
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for width, scheme in ((1280, "light"), (375, "dark")):
            size = {"width": width, "height": 900}
            page, troubles = browser.new_page(viewport=size, color_scheme=scheme), []
            page.on(
                "console", lambda m, t=troubles: m.type in ("error", "warning") and t.append(m.text)
            )
            page.on("pageerror", lambda error, t=troubles: t.append(str(error)))
            page.on("request", lambda r, t=troubles: r.url.startswith(OWN) or t.append(r.url))
            for name in names:
                if said := looked_at(page, root / name, troubles):
                    wrong[f"{name} at {width}"] = said
            found_by_search(page, "surprise minimisation")
        browser.close()
    print(json.dumps(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
