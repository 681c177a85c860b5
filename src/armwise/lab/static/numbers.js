// The numbers of one trial as a table, and of a whole trace as a file.

import { make, scrolling, table } from "./dom.js";
import { short } from "./format.js";

const columns = ({ alpha, terms, score, probability }) =>
  ["theta", ...(alpha ? ["alpha", "beta"] : []), ...terms, ...(score ? ["score"] : []), ...(probability ? ["probability"] : [])];

export class Numbers {
  constructor() {
    this.box = scrolling("Numbers of this trial");
    this.el = make("details", {}, make("summary", { text: "Numbers of this trial" }), this.box);
    this.el.addEventListener("toggle", () => this.trace && this.at(this.trial));
  }

  show(trace) {
    this.trace = trace;
  }

  at(trial) {
    this.trial = trial;
    if (!this.el.open) return;
    const { trace } = this, names = columns(trace), from = (trial - 1) * trace.K;
    const rows = Array.from({ length: trace.K }, (_, k) =>
      [`${k}${k === trace.chosen[trial - 1] ? " ▸" : ""}`, ...names.map((name) => short(trace[name][from + k]))]);
    this.box.replaceChildren(table(`Trial ${trial}: before the choice`, ["arm", ...names], rows));
  }
}

/** Every trial of a trace as CSV: what was chosen and paid, then every arm's numbers. */
export function csv(trace) {
  const names = columns(trace), { K, T } = trace;
  const heads = names.flatMap((name) => Array.from({ length: K }, (_, k) => `${name}_${k}`));
  const lines = [["trial", "arm", "outcome", "gamma", "regret", ...heads].join(",")];
  for (let t = 0; t < T; t++) {
    const own = names.flatMap((name) => Array.from(trace[name].subarray(t * K, (t + 1) * K)));
    lines.push([t + 1, trace.chosen[t], trace.outcome[t], trace.gamma[t], trace.regret[t], ...own].map(digits).join(","));
  }
  return lines.join("\n") + "\n";
}

const digits = (x) => (Number.isInteger(x) ? String(x) : Number(x).toPrecision(7));
