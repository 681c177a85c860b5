// The picture of a trace. It knows a `model` (get, set, on, off, save_changes, as anywidget has it)
// and an element, and neither websockets nor notebooks: the page and a notebook are two hosts of it.

import { Arms } from "./arms.js";
import { onScheme } from "./colours.js";
import { make } from "./dom.js";
import { Suspicion } from "./lines.js";
import { Numbers } from "./numbers.js";
import { Raster, rasterWords } from "./raster.js";
import { Time } from "./time.js";
import { changeFrom, prepared, sentence } from "./trace.js";

export class TraceView {
  constructor(model, el) {
    Object.assign(this, { model, el, trace: null });
    this.said = make("p", { class: "said", role: "status" });
    this.problem = make("p", { class: "problem", role: "alert", hidden: true });
    const jumps = [
      ["next change", "n", (trial) => this.trace && changeFrom(this.trace, trial, 1)],
      ["", "p", (trial) => this.trace && changeFrom(this.trace, trial, -1)],
    ];
    this.time = new Time((trial) => this.moved(trial), jumps);
    this.raster = new Raster((trial) => this.time.go(trial));
    this.suspicion = new Suspicion();
    this.arms = new Arms();
    this.numbers = new Numbers();
    const quiet = (text) => make("p", { class: "quiet", text });
    this.line = quiet("");
    this.rows = quiet("");
    el.append(this.problem, this.said, this.time.el, make("h2", { text: "Beliefs and choices" }), this.raster.el, this.rows,
      make("h2", { text: "Suspicion of a change, and regret" }), this.line, this.suspicion.el,
      make("h2", { text: "Why this arm, now" }), this.arms.head, this.arms.el, this.numbers.el);
    this.watch = new ResizeObserver(() => this.paint());
    this.watch.observe(this.suspicion.el);
    this.waits = { "change:trace": () => this.renew(), "change:problem": () => this.complain(), "change:trial": () => this.follow() };
    for (const [event, act] of Object.entries(this.waits)) model.on(event, act);
    onScheme(() => this.paint());
    this.said.textContent = "Waiting for the first trace.";
    this.follow();
    this.renew();
  }

  follow() {
    const trial = this.model.get("trial") ?? 1;
    if (this.trace) this.time.go(trial);
    else this.time.trial = trial;
  }

  renew() {
    const given = this.model.get("trace");
    if (!given) return;
    this.trace = prepared(given.header, given.arrays);
    this.el.classList.remove("stale");
    this.time.reach(this.trace.T);
    const { agent } = this.trace.assumed ?? {};
    this.rows.textContent = rasterWords(this.trace);
    this.line.textContent = `Solid, left, logarithmic: γ, the probability that the bandit has just changed${agent > 0 ? "; dotted: the rho that the agent takes for granted" : ""}. Dashed, right: regret so far.`;
    this.paint();
  }

  /** Everything anew: another trace, another width, another scheme. */
  paint() {
    if (!this.trace || !this.el.isConnected) return;
    this.raster.show(this.trace);
    this.suspicion.show(this.trace);
    this.arms.show(this.trace);
    this.numbers.show(this.trace);
    this.mark();
    this.model.set("painted", performance.now());
  }

  moved(trial) {
    this.model.set("trial", trial);
    this.model.save_changes();
    this.mark();
  }

  mark() {
    if (!this.trace) return;
    const { trial } = this.time;
    this.raster.at(trial);
    this.arms.at(trial);
    this.numbers.at(trial);
    this.suspicion.at(trial);
    if (!this.time.playing) this.said.textContent = sentence(this.trace, trial);
  }

  complain() {
    const text = this.model.get("problem");
    this.problem.hidden = !text;
    this.problem.textContent = text ?? "";
    this.el.classList.toggle("stale", Boolean(text));
  }

  close() {
    this.time.toggle(false);
    this.watch.disconnect();
    for (const [event, act] of Object.entries(this.waits)) this.model.off(event, act);
  }
}

/** anywidget's contract: draws into `el`, and returns what takes the picture away again. */
export function render({ model, el }) {
  const view = new TraceView(model, el);
  el.addEventListener("keydown", (event) => {
    if (/^(INPUT|SELECT|TEXTAREA|BUTTON|SUMMARY)$/.test(event.target.tagName)) return;
    if (view.time.key(event)) event.preventDefault();
  });
  return () => view.close();
}

export default { render };
