// Results: a store as a page, live: what is done, a board whose cells open in Explore, and figures.

import { onScheme } from "./colours.js";
import { button, choice, make, scrolling, table } from "./dom.js";
import { Following } from "./follow.js";
import { plural, short } from "./format.js";
import { Curves, keyOf } from "./lines.js";
import { pictureButtons } from "./pictures.js";

const EMPTY = ["No store is named. Run a sweep, and name its store to the lab:",
  "armwise run examples/sweep.toml --store results", "armwise lab --store results"];

const LONG = 10_000; // trials from which on the axis is logarithmic

export class Results extends Following {
  constructor(lab) {
    super(lab, { room: "results", title: "Results", empty: EMPTY });
    this.curves = new Curves(280, "regret");
    this.legend = make("div");
    this.left = make("p", { class: "quiet" });
    this.chart = make("div", {}, this.legend, this.curves.el, this.left, make("p", { class: "line" }, "Save the figure ",
      ...pictureButtons("", "regret", () => this.curves.svg())));
    new ResizeObserver(() => this.draw()).observe(this.curves.el);
    onScheme(() => this.draw());
  }

  paint(header) {
    this.header = header;
    const sweeps = [...new Set(header.table.map(({ sweep }) => sweep))];
    if (!sweeps.includes(this.sweep)) this.sweep = sweeps[0];
    const which = sweeps.length > 1 ? make("p", { class: "line" }, "Sweep ", choice("Sweep", sweeps.map((name) => [name, name]), this.sweep, (name) => this.turn({ sweep: name }))) : "";
    this.stage.replaceChildren(make("p", {}, "Store ", make("code", { text: header.store })), scrolling("Sweeps", progress(header)),
      ...(sweeps.length ? [which, ...this.board()] : []));
    if (sweeps.length) this.ask();
  }

  turn(change) {
    Object.assign(this, change);
    this.renew(() => this.paint(this.header));
  }

  /** The table of all agents in all bandits of a sweep; then the bandit that was picked. */
  board() {
    const rows = this.header.table.filter(({ sweep }) => sweep === this.sweep), columns = columnsOf(rows);
    if (!columns.some(({ key }) => key === this.column)) this.column = columns[0].key;
    this.shown = columns.find(({ key }) => key === this.column);
    const of = this.shown.rows.sort((a, b) => a.mean - b.mean);
    const pick = columns.length > 1 ? [make("p", { class: "line" }, "Bandit ", choice("Bandit", columns.map(({ key, words }) => [key, words]), this.column, (column) => this.turn({ column })))] : [];
    const whole = columns.length > 1 ? [make("h3", { text: "All agents in all bandits" }), scrolling("All agents in all bandits", this.matrix(columns)),
      make("p", { class: "quiet", text: "Regret after the last trial; bold: the least in a bandit. A number opens the first copy of its cell in Explore. The first number is how many times the least regret an agent has: the geometric mean over all bandits." })] : [];
    return [...whole, make("h3", { text: columns.length > 1 ? "One bandit" : "Regret" }), ...pick, this.chart, scrolling("Regret in this bandit", this.numbers(of))];
  }

  matrix(columns) {
    const labels = [...new Set(columns.flatMap(({ rows }) => rows.map(({ label }) => label)))];
    const lines = labels.map((label) => {
      const cells = columns.map(({ rows }) => rows.find((row) => row.label === label));
      const ratios = cells.map((row, i) => (row ? row.mean / columns[i].least : NaN));
      return { label, cells, ratio: Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length) };
    });
    lines.sort((a, b) => (Number.isNaN(a.ratio) - Number.isNaN(b.ratio)) || a.ratio - b.ratio);
    const made = table("", ["agent", "to the least", ...columns.map(({ words }) => words)], lines.map(({ label, cells, ratio }) =>
      [label, Number.isFinite(ratio) ? `× ${short(ratio, 2)}` : "–", ...cells.map((row, i) => (row ? this.cell(row, row.mean === columns[i].least) : "–"))]));
    made.classList.add("matrix");
    return made;
  }

  cell(row, best) {
    const words = short(row.mean, 1);
    if (!row.explore) return best ? make("strong", { text: words }) : words;
    return button(words, () => this.explore(row.explore), { class: best ? "cell best" : "cell", "aria-label": `${words}: explore ${row.label} in ${row.bandit}` });
  }

  numbers(rows) {
    return table("", ["agent", "regret", "95 %", "agents", "trial", "one copy"], rows.map((row) => [
      row.agent, short(row.mean, 1), `${short(row.low, 1)} to ${short(row.high, 1)}`, row.agents, row.trial,
      row.explore ? button("Explore", () => this.explore(row.explore), { class: "link", "aria-label": `Explore ${row.agent} in ${row.bandit}` }) : "–",
    ]));
  }

  ask() {
    const { bandit, trial } = this.shown;
    this.lab.wire.latest("curves", { do: "curves", sweep: this.sweep, bandit, trial }, (header, arrays) => {
      if (header.problem) return;
      this.figure = { header, arrays };
      this.draw();
      this.lab.noted("curves", header.labels.length);
    });
  }

  draw() {
    if (!this.figure || !this.curves.el.isConnected) return;
    const { header: { labels, left, bandit }, arrays: { trial, ...found } } = this.figure, marks = trial.length;
    const part = (name, i) => found[name].subarray(i * marks, (i + 1) * marks);
    this.legend.replaceChildren(keyOf(labels));
    this.left.textContent = `${bandit}: the mean of the copies with 95 % intervals.${left ? ` ${plural(left, "agent")} more: see the table.` : ""}`;
    this.curves.show(trial, labels.map((label, i) => ({ label, values: part("mean", i), low: part("low", i), high: part("high", i) })), { log: trial.at(-1) > LONG });
  }

  explore({ bandit, agent, horizon, seed, number = 0 }) {
    const whole = { learner: { name: "smile" }, choice: { name: "argmax" }, ...agent };
    const limit = Math.floor((this.lab.facts.limits?.trace ?? 100_000) / 100);
    this.lab.settings.set({ bandit, agent: whole, given: false, horizon: Math.min(horizon, limit), seed: Number(seed), number, trial: 1 }, "all");
    this.lab.enter("explore");
  }
}

/** The bandits of some rows, by name and trials, each with what distinguishes it from the others. */
function columnsOf(rows) {
  const groups = new Map();
  for (const row of rows) {
    const key = `${row.bandit} ${row.trial}`;
    if (!groups.has(key)) groups.set(key, { key, bandit: row.bandit, trial: row.trial, rows: [] });
    groups.get(key).rows.push(row);
  }
  const columns = [...groups.values()], parts = columns.map(({ bandit }) => partsOf(bandit));
  const several = new Set(columns.map(({ trial }) => trial)).size > 1;
  return columns.map((column, i) => {
    const alike = parts.filter(({ name }) => name === parts[i].name);
    const telling = Object.entries(parts[i].values).filter(([name, value]) => alike.some(({ values }) => values[name] !== value));
    const words = [parts[i].name, ...telling.map(([name, value]) => `${name} ${value}`), ...(several ? [`${column.trial} trials`] : [])].join(", ");
    return { ...column, words, least: Math.min(...column.rows.map(({ mean }) => mean)) };
  });
}

function partsOf(bandit) {
  const [name, rest = ""] = bandit.split(":");
  return { name, values: Object.fromEntries(rest.split(",").filter(Boolean).map((pair) => pair.split("="))) };
}

function progress({ sweeps: found }) {
  if (!found.length) return make("p", { text: "No sweep was run on this store." });
  return table("Sweeps", ["sweep", "done", "missing", "progress"], found.map((sweep) => {
    if (sweep.problem) return [sweep.name, "?", "?", sweep.problem];
    const bar = make("progress", { max: sweep.cells || 1, value: sweep.done, "aria-label": `${sweep.name}: ${sweep.done} of ${sweep.cells} cells` });
    return [sweep.name, sweep.done, sweep.missing, bar];
  }));
}
