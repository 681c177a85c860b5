// The host of traces without a server: each in a shadow root, so that the styles of the site and of
// the lab do not meet. Only the colours are known to the whole page, because canvases read them there.

const seen = [];

function model(told, trial) {
  const bytes = Uint8Array.from(atob(told), (letter) => letter.charCodeAt(0));
  const values = { trace: module_wire.unpacked(bytes.buffer), trial };
  const waiting = new Map();
  return {
    get: (name) => values[name],
    set: (name, value) => (values[name] = value),
    save_changes: () => {},
    on: (event, act) => waiting.set(event, act),
    off: (event) => waiting.delete(event),
    again: () => waiting.get("change:trace")?.(),
  };
}

globalThis.armwise = {
  traces: {},
  show(place, told, trial) {
    const root = place.attachShadow({ mode: "open" });
    const style = document.createElement("style");
    style.textContent = STYLES;
    const el = document.createElement("div");
    el.tabIndex = 0; // so that the keys of the view work
    el.role = "group";
    el.ariaLabel = place.querySelector("img")?.alt ?? "A trace";
    root.append(style, el);
    const own = model(told, trial);
    module_traceview.render({ model: own, el });
    seen.push(own);
  },
  /** Colours of canvases are read when they are drawn. */
  repaint() {
    for (const each of seen) each.again();
  },
};
