// Results: a store as a page, live; a row opens in Explore.

import { button, make, scrolling, table } from "./dom.js";
import { Following } from "./follow.js";
import { plural, short } from "./format.js";

const SHOWN = 500; // rows

const EMPTY = ["No store is named. Run a sweep, and name its store to the lab:",
  "armwise run examples/sweep.toml --store results", "armwise lab --store results"];

export class Results extends Following {
  constructor(lab) {
    super(lab, { room: "results", title: "Results", empty: EMPTY });
  }

  paint(header) {
    this.header = header;
    const left = header.table.length - SHOWN;
    this.stage.replaceChildren(make("p", {}, "Store ", make("code", { text: header.store })), scrolling("Sweeps", sweeps(header)),
      make("h3", { text: "Regret after the last trial, the least first" }), ...this.boards(),
      left > 0 ? make("p", { class: "quiet", text: `${plural(left, "row")} more are not shown.` }) : "");
  }

  /** A table for each bandit. */
  boards() {
    const shown = this.header.table.slice(0, SHOWN), names = [...new Set(shown.map(({ bandit }) => bandit))];
    return names.map((bandit) => {
      const rows = shown.filter((row) => row.bandit === bandit).sort((a, b) => a.mean - b.mean);
      return scrolling(`Regrets in ${bandit}`, table(bandit, ["agent", "regret", "95 %", "agents", "trial", "one copy"], rows.map((row) => [
        row.agent, short(row.mean, 1), `${short(row.low, 1)} to ${short(row.high, 1)}`, row.agents, row.trial,
        row.explore ? button("Explore", () => this.explore(row.explore), { "aria-label": `Explore ${row.agent} in ${row.bandit}` }) : "–",
      ])));
    });
  }

  explore({ bandit, agent, horizon, seed, number = 0 }) {
    const whole = { learner: { name: "smile" }, choice: { name: "argmax" }, ...agent };
    const limit = Math.floor((this.lab.facts.limits?.trace ?? 100_000) / 100);
    this.lab.settings.set({ bandit, agent: whole, given: false, horizon: Math.min(horizon, limit), seed: Number(seed), number, trial: 1 }, "all");
    this.lab.enter("explore");
  }
}

function sweeps({ sweeps: found }) {
  if (!found.length) return make("p", { text: "No sweep was run on this store." });
  return table("Sweeps", ["sweep", "done", "missing", "progress"], found.map((sweep) => {
    if (sweep.problem) return [sweep.name, "?", "?", sweep.problem];
    const bar = make("progress", { max: sweep.cells || 1, value: sweep.done, "aria-label": `${sweep.name}: ${sweep.done} of ${sweep.cells} cells` });
    return [sweep.name, sweep.done, sweep.missing, bar];
  }));
}
