// Many copies: mean regret per trial with intervals, which shrink while the copies are played.

import { asked } from "./controls.js";
import { button, download, make, scrolling, table } from "./dom.js";
import { short, signed } from "./format.js";
import { Curves, keyOf } from "./lines.js";
import { pictureButtons } from "./pictures.js";
import { saveNetcdf } from "./share.js";

export class Copies {
  /** `agents()` gives {label: agent}, the same bandits for all. */
  constructor(lab, agents) {
    Object.assign(this, { lab, agents, run: null });
    const { settings } = lab;
    this.copies = this.field("copies", "copies", 2, 1e6);
    this.long = this.field("trials of each", "long", 2, 1e6);
    this.start = button("Run the copies", () => this.begin(), { main: true });
    this.stop = button("Stop", () => this.end(), { disabled: true });
    this.progress = make("progress", { max: 1, value: 0, "aria-label": "copies done" });
    this.said = make("p", { role: "status" });
    this.problem = make("p", { class: "problem", role: "alert", hidden: true });
    this.keys = make("div");
    this.curves = new Curves(260, "regret per trial");
    this.curves.el.setAttribute("aria-label", "Regret per trial: run the copies to see it");
    this.table = scrolling("Regret of the copies");
    this.saves = make("p", { class: "line", hidden: true }, "Save the curves ", button("CSV", () => this.saveCsv()),
      button("netCDF", () => this.saveNetcdf()), ...pictureButtons("", "copies", () => this.curves.svg()));
    this.el = make("section", { "aria-labelledby": "copies-title" }, make("h2", { id: "copies-title", text: "Many copies" }),
      make("p", { class: "quiet", text: "One run is an anecdote. Let many copies play, each in a bandit of its own; both agents meet the same bandits with the same luck." }),
      make("div", { class: "line" }, this.copies.label, this.long.label, this.start, this.stop, this.progress),
      this.problem, this.said, this.keys, this.curves.el, this.table, this.saves);
    new ResizeObserver(() => this.last && this.paint()).observe(this.curves.el);
    this.settings = settings;
  }

  field(words, name, min, max) {
    const { settings } = this.lab;
    const input = make("input", { type: "number", min, max, step: 1, id: `copies-${name}`, value: settings.values[name] });
    input.addEventListener("change", () => settings.set({ [name]: Number(input.value) }, "copies"));
    return { input, label: make("label", { for: input.id }, `${words} `, input) };
  }

  show() {
    this.copies.input.value = this.settings.values.copies;
    this.long.input.value = this.settings.values.long;
  }

  begin() {
    const { values } = this.settings, { bandit, seed } = asked(this.lab.catalogue, values);
    if (this.run !== null) this.lab.wire.forget(this.run);
    const message = { do: "copies", bandit, seed, horizon: values.long, copies: values.copies, agents: this.agents() };
    this.problem.hidden = true;
    this.pictures = 0;
    this.running(true);
    this.said.textContent = "Waiting for the first copies.";
    this.run = this.lab.wire.ask(message, (header, arrays) => this.grow(header, arrays));
  }

  end() {
    this.lab.wire.tell({ do: "stop", id: this.run });
  }

  running(on) {
    this.start.disabled = on;
    this.stop.disabled = !on;
    this.el.classList.toggle("stale", false);
  }

  grow(header, arrays) {
    if (header.problem || header.lost) {
      this.running(false);
      this.problem.hidden = false;
      this.problem.textContent = header.problem ?? "The lab has stopped; trying again.";
      this.el.classList.toggle("stale", Boolean(this.last));
      return;
    }
    if (header.kind === "stopped") {
      this.running(false);
      this.said.textContent += " Stopped.";
      return;
    }
    if (header.kind === "compiling") this.said.textContent = "Kernels for these agents are being compiled, once; then the copies begin.";
    if (header.kind !== "copies") return;
    this.last = { header, arrays };
    this.pictures += 1;
    this.paint();
    if (header.over) this.running(false);
    this.lab.noted("copies", header.done);
  }

  paint() {
    const { header, arrays } = this.last, { trial } = arrays, marks = trial.length;
    const rate = (name, i) => Float64Array.from(arrays[name].subarray(i * marks, (i + 1) * marks), (v, j) => v / trial[j]);
    const curves = header.labels.map((label, i) => ({ label, values: rate("mean", i), low: rate("low", i), high: rate("high", i) }));
    this.curves.show(trial, curves);
    if (this.keys.dataset.of !== header.labels.join("|")) {
      this.keys.dataset.of = header.labels.join("|");
      this.keys.replaceChildren(keyOf(header.labels));
    }
    this.progress.value = header.done / header.copies;
    this.said.textContent = this.words();
    this.table.replaceChildren(this.numbers());
    this.saves.hidden = false;
  }

  words() {
    const { header } = this.last, [pair] = header.pairs;
    const done = `${header.done} of ${header.copies} copies, ${short(header.seconds, 1)} s.`;
    if (!pair) return done;
    const clear = pair.low > 0 || pair.high < 0;
    const better = pair.difference > 0 ? pair.second : pair.first;
    return `${done} ${pair.first} − ${pair.second}: ${signed(pair.difference)} regret (${signed(pair.low)} to ${signed(pair.high)}, 95 %). ${clear ? `${better} is better in bandits like these.` : "The copies do not tell yet which is better."}`;
  }

  numbers() {
    const { header } = this.last;
    const rows = header.last.map(({ label, mean, low, high }) => [label, short(mean, 1), `${short(low, 1)} to ${short(high, 1)}`, ""]);
    for (const { first, second, difference, low, high, p } of header.pairs) {
      rows.push([`${first} − ${second}, paired`, signed(difference), `${signed(low)} to ${signed(high)}`, p < 0.001 ? "< 0.001" : short(p, 3)]);
    }
    return table("Regret after the last trial", ["agent", "mean", "95 %", "p"], rows);
  }

  async saveNetcdf() {
    this.problem.hidden = true;
    try {
      await saveNetcdf(this.lab, "copies.nc", { of: "copies" });
    } catch (problem) {
      this.problem.hidden = false;
      this.problem.textContent = problem.message;
    }
  }

  saveCsv() {
    const { header, arrays } = this.last, { trial } = arrays, n = trial.length;
    const names = ["mean", "low", "high"], heads = header.labels.flatMap((label) => names.map((name) => `${label} ${name}`));
    const lines = Array.from(trial, (t, j) => [t, ...header.labels.flatMap((_, i) => names.map((name) => arrays[name][i * n + j]))].join(","));
    download("copies.csv", [["trial", ...heads].map((each) => `"${each}"`).join(","), ...lines].join("\n") + "\n", "text/csv");
  }
}
