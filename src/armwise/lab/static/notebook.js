// The picture of a trace in a notebook: anywidget's model has the bytes of the wire under `packed`.

import { render as draw } from "./traceview.js";
import { unpacked } from "./wire.js";

function traceOf(view) {
  if (!view?.byteLength) return null;
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  return unpacked(bytes.slice().buffer); // a copy, because float32 numbers must be aligned
}

const named = (event) => (event === "change:trace" ? "change:packed" : event);

export function render({ model, el }) {
  el.classList.add("armwise-lab");
  const own = {
    get: (name) => (name === "trace" ? traceOf(model.get("packed")) : model.get(name)),
    set: (name, value) => name === "trial" && model.set(name, value),
    save_changes: () => model.save_changes(),
    on: (event, act) => model.on(named(event), act),
    off: (event, act) => model.off(named(event), act),
  };
  return draw({ model: own, el });
}

export default { render };
