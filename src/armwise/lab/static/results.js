// Results: a store as a page, live; a row opens in Explore.

import { button, make, scrolling, table } from "./dom.js";
import { plural, short } from "./format.js";
import { nothing } from "./watch.js";

const SHOWN = 500; // rows

export class Results {
  constructor(lab) {
    this.lab = lab;
    this.problem = make("p", { class: "problem", role: "alert", hidden: true });
    this.stage = make("div");
    this.el = make("div", { class: "room narrow" }, make("h2", { text: "Results" }), this.problem, this.stage);
  }

  show() {
    if (!this.lab.facts.rooms?.results) {
      this.stage.replaceChildren(nothing("No store is named. Run a sweep, and name its store to the lab:",
        "armwise run examples/sweep.toml --store results", "armwise lab --store results"));
      return;
    }
    this.leave = this.lab.wire.onOpen(() => {
      this.run = this.lab.wire.ask({ do: "results" }, (header) => this.answered(header));
    });
  }

  hide() {
    this.leave?.();
    if (this.run !== undefined) this.lab.wire.forget(this.run);
    this.lab.wire.tell({ do: "unwatch", id: this.run });
  }

  answered(header) {
    if (header.lost) return;
    this.problem.hidden = !header.problem;
    this.problem.textContent = header.problem ?? "";
    if (header.problem) return;
    this.header = header;
    this.paint();
    this.lab.noted("results", header.table.length);
  }

  paint() {
    const { header } = this, left = header.table.length - SHOWN;
    this.stage.replaceChildren(make("p", {}, "Store ", make("code", { text: header.store })), scrolling("Sweeps", sweeps(header)),
      make("h3", { text: "Regret, the least of each bandit first" }), scrolling("Regrets", this.board()),
      left > 0 ? make("p", { class: "quiet", text: `${plural(left, "row")} more are not shown.` }) : "");
  }

  board() {
    const rows = [...this.header.table].sort((a, b) => (a.bandit < b.bandit ? -1 : a.bandit > b.bandit ? 1 : a.mean - b.mean)).slice(0, SHOWN);
    return table("Mean regret after the last trial, with 95 % intervals", ["bandit", "agent", "agents", "trial", "regret", "95 %", "one copy"], rows.map((row) => [
      row.bandit, row.agent, row.agents, row.trial, short(row.mean, 1), `${short(row.low, 1)} to ${short(row.high, 1)}`,
      row.explore ? button("Explore", () => this.explore(row.explore), { "aria-label": `Explore ${row.agent} in ${row.bandit}` }) : "–",
    ]));
  }

  explore({ bandit, agent, horizon, seed, number = 0 }) {
    const whole = { learner: { name: "smile" }, choice: { name: "argmax" }, ...agent };
    const limit = Math.floor((this.lab.facts.limits?.trace ?? 100_000) / 100);
    this.lab.settings.set({ bandit, agent: whole, told: false, horizon: Math.min(horizon, limit), seed: Number(seed), number, trial: 1 }, "all");
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
