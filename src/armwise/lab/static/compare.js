// Compare: two agents in the very same bandit; then a thousand copies of both.

import { onScheme } from "./colours.js";
import { asked, Controls, sheet } from "./controls.js";
import { Copies } from "./copies.js";
import { download, make } from "./dom.js";
import { short, signed } from "./format.js";
import { labelOf } from "./forms.js";
import { Difference } from "./lines.js";
import { csv } from "./numbers.js";
import { picture } from "./pictures.js";
import { Raster, rasterWords } from "./raster.js";
import { saveNetcdf, sharing } from "./share.js";
import { Time } from "./time.js";
import { changeFrom, differenceFrom, prepared, sentence } from "./trace.js";

const WHO = ["agent", "other"], LETTERS = ["A", "B"];

export class Compare {
  constructor(lab) {
    this.lab = lab;
    const { settings, catalogue, problems } = lab;
    this.traces = [null, null];
    this.problems = ["", ""];
    this.controls = new Controls({ catalogue, problems, settings, who: WHO, runs: ["horizon", "seed", "number"] });
    const both = (act) => (trial) => this.both && act(trial);
    this.time = new Time((trial) => this.moved(trial), [
      ["next difference", "d", both((trial) => differenceFrom(...this.traces, trial))],
      ["next change", "n", both((trial) => changeFrom(this.traces[0], trial, 1))],
    ]);
    this.rasters = WHO.map(() => new Raster((trial) => this.time.go(trial)));
    this.names = LETTERS.map((letter) => make("h2", { class: "who", text: letter }));
    this.says = LETTERS.map(() => make("p", { class: "said" }));
    this.difference = new Difference();
    this.problem = make("p", { class: "problem", role: "alert", hidden: true });
    this.summary = make("p", { role: "status" });
    this.copies = new Copies(lab, () => this.labelled());
    this.picture = make("section", { class: "picture", "aria-label": "Two agents in the same bandit" });
    this.compose();
    this.watch = new ResizeObserver(() => this.paint());
    this.watch.observe(this.difference.el);
    onScheme(() => this.paint());
    this.time.trial = settings.values.trial;
  }

  compose() {
    this.rows = make("p", { class: "quiet" });
    this.picture.append(this.problem, this.summary, this.time.el,
      ...WHO.flatMap((_, i) => [this.names[i], this.rasters[i].el, this.says[i]]), this.rows,
      make("h2", { text: "Regret of B minus regret of A, this copy" }), this.difference.el, this.copies.el,
      sharing(() => this.words(), this.saves()));
    this.el = make("div", { class: "room two" }, sheet("Bandit and agents", this.controls.el), this.picture);
  }

  get both() {
    return Boolean(this.traces[0] && this.traces[1]);
  }

  show() {
    this.leave = [this.lab.settings.on((kind) => this.changed(kind)), this.lab.wire.onOpen(() => this.ask())];
    this.time.trial = this.lab.settings.values.trial;
    this.controls.show();
    this.copies.show();
    this.paint();
  }

  hide() {
    for (const leave of this.leave ?? []) leave();
    this.time.toggle(false);
    if (!this.copies.stop.disabled) this.copies.end();
  }

  changed(kind) {
    if (kind === "trial" || kind === "copies") return;
    if (kind === "all") {
      this.time.go(this.lab.settings.values.trial);
      this.copies.show();
    }
    this.controls.show();
    this.ask();
  }

  question(who) {
    const { bandit, horizon, seed, number, ...agents } = asked(this.lab.catalogue, this.lab.settings.values);
    return { bandit, agent: agents[who], horizon, seed, number };
  }

  ask() {
    WHO.forEach((who, i) => {
      this.lab.wire.latest(who, { do: "trace", slot: who, ...this.question(who) }, (header, arrays) => this.answered(i, header, arrays));
    });
  }

  answered(i, header, arrays) {
    this.problems[i] = header.problem ?? "";
    const problem = this.problems.find(Boolean) ?? "";
    this.problem.hidden = !problem;
    this.problem.textContent = problem;
    this.picture.classList.toggle("stale", Boolean(problem));
    if (header.problem) return;
    this.traces[i] = prepared(header, arrays);
    if (!this.both || this.traces[0].bandit !== this.traces[1].bandit || this.traces[0].T !== this.traces[1].T) return;
    this.time.reach(this.traces[0].T);
    this.paint();
    this.lab.traced("compare", this.traces);
  }

  paint() {
    if (!this.both || !this.el.isConnected || this.traces[0].T !== this.traces[1].T) return;
    this.traces.forEach((trace, i) => {
      this.names[i].textContent = `${LETTERS[i]}: ${trace.agent}`;
      this.rasters[i].show(trace, `${LETTERS[i]}. `);
    });
    this.rows.textContent = rasterWords(this.traces.find(({ mean }) => mean) ?? this.traces[0]);
    this.difference.show(...this.traces);
    this.summary.textContent = this.sum();
    this.mark();
  }

  sum() {
    const [one, two] = this.traces, apart = one.chosen.reduce((n, arm, t) => n + (arm !== two.chosen[t]), 0);
    const gap = two.regret.at(-1) - one.regret.at(-1);
    return `Both meet the same bandit with the same luck. They choose different arms in ${apart} of ${one.T} trials. Regret: A ${short(one.regret.at(-1), 1)}, B ${short(two.regret.at(-1), 1)} (B − A ${signed(gap)}).`;
  }

  moved(trial) {
    this.lab.settings.set({ trial }, "trial");
    this.mark();
  }

  mark() {
    if (!this.both) return;
    const trial = Math.min(this.time.trial, this.traces[0].T);
    this.traces.forEach((trace, i) => {
      this.rasters[i].at(trial);
      if (!this.time.playing) this.says[i].textContent = sentence(trace, trial);
    });
    this.difference.at(trial);
  }

  /** Both agents with labels that differ. */
  labelled() {
    const { agent, other } = asked(this.lab.catalogue, this.lab.settings.values);
    const names = [agent, other].map((each) => labelOf(this.lab.catalogue, each));
    return [agent, other].map((each, i) => ({ label: names[0] === names[1] ? `${names[i]} (${LETTERS[i]})` : names[i], ...each }));
  }

  words() {
    const { values } = this.lab.settings, { bandit, seed, agent, other } = asked(this.lab.catalogue, values);
    return this.lab.wire.once({ do: "words", bandit, agents: [agent, other], horizon: values.long, seed, number: 0, copies: values.copies });
  }

  jump(trial) {
    this.time.go(trial);
  }

  saves() {
    const ofBoth = LETTERS.map((letter, i) => [`Save ${letter}`, [
      ["numbers (CSV)", () => this.both && download(`trace-${letter}.csv`, csv(this.traces[i]), "text/csv")],
      ["numbers (netCDF)", () => saveNetcdf(this.lab, `trace-${letter}.nc`, this.question(WHO[i]))],
      ...picture("beliefs", `beliefs-${letter}`, () => this.rasters[i].svg()),
    ]]);
    return [...ofBoth, ["Save the difference", picture("", "difference", () => this.difference.svg())]];
  }

  key(event) {
    return this.time.key(event);
  }
}
