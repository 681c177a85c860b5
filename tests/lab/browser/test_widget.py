"""The picture in a notebook: the widget's one module, drawn where there is no lab."""

import base64

import pytest

import armwise as aw

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

# A host as anywidget is one: a model with the bytes, which tells who listens of changes.
HOST = """
async ({ code, css, bytes }) => {
  const packed = Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0));
  const values = { packed: new DataView(packed.buffer), trial: 1, problem: "" }, waits = {};
  window.model = {
    get: (name) => values[name],
    set: (name, value) => { values[name] = value; for (const act of waits[`change:${name}`] ?? []) act(); },
    save_changes: () => { window.saved = values.trial; },
    on: (event, act) => (waits[event] ??= []).push(act),
    off: (event, act) => (waits[event] = waits[event].filter((each) => each !== act)),
  };
  document.head.append(Object.assign(document.createElement("style"), { textContent: css }));
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const widget = (await import(address)).default;
  window.close_view = widget.render({ model: window.model, el: document.body.appendChild(document.createElement("div")) });
}
"""  # noqa: E501


def test_the_widget_draws_and_follows_its_model(opened):
    bandit, agent = aw.SwitchingBandit(arms=3), aw.Agent(aw.ExactActiveInference())
    widget = aw.trace(bandit, agent, 40, seed=1, device="python").armwise.show()
    page = opened("about:blank")
    parts = {"code": widget._esm, "css": widget._css}
    parts = {name: str(text) for name, text in parts.items()}
    page.page.evaluate(HOST, parts | {"bytes": base64.b64encode(widget.packed).decode()})
    said = page.get_by_role("status").first
    playwright.expect(said).to_contain_text("Trial 1: arm")
    page.evaluate("model.set('trial', 7)")
    playwright.expect(said).to_contain_text("Trial 7: arm")
    page.get_by_role("button", name="+1").click()
    assert page.evaluate("saved") == 8
    box = page.locator("canvas.raster").bounding_box()
    assert box["width"] > 600
    page.evaluate("close_view()")
